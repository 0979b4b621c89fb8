//! The lines of an array, transformed several at once.

use super::factors::Factors;
use super::lines::{Ends, Part, Sample, runs, turned};
use super::plans::Planned;
use super::room::Room;
use super::rows;
use super::together::{Together, width};
use crate::Signals;
use crate::host::parts::advance;
use crate::host::scalar::Scalar;
use crate::host::stored::Stored;

impl<X: Scalar, L: Scalar> Ends<'_, X, L> {
    /// Transforms the lines of a part, several at once.
    pub(super) fn together<T, Y>(&self, plan: &Together<T>, mut part: Part<'_, '_, Y>)
    where
        T: Planned + Sample<T>,
        X: Sample<T>,
        Y: Stored<Number = Y> + Sample<T>,
    {
        let shape = part.y.shape().to_vec();
        let (line, axis) = (shape.len() - 2, shape.len() - 1);
        let inverse = self.fourier.is_inverse();
        let (extent, [len, given]) =
            (self.x.shape()[axis], [inverse, !inverse].map(|of| self.elements(of)));
        let turns = self.turns(extent, shape[axis]);
        let mut held = T::held().take();
        let mut room = Room::<X, Y, T>::new(&mut held, part.tile, (width::<T>(), plan.rows()));
        let factors = self.factors();
        let (mut index, mut at) = (vec![0; shape.len()], part.origin.to_vec());
        loop {
            for first in (0..shape[line]).step_by(part.tile) {
                let lines = part.tile.min(shape[line] - first);
                index[line] = first;
                at.iter_mut().zip(part.origin).zip(&index).for_each(|((at, a), b)| *at = a + b);
                if extent < len || plan.before().has_imaginary() && X::PARTS == 1 {
                    room.clear(lines);
                }
                for run in runs(extent, turns[0], len) {
                    let from = (&self.x, self.across, &mut *at);
                    rows::gather(from, (run, lines), plan.before(), &mut room);
                }
                for group in 0..room.filled(lines) {
                    room.transform(group, plan, factors);
                }
                for run in runs(shape[axis], turns[1], given) {
                    let to = (&mut part.y, self.across, &mut *index);
                    rows::scatter(to, (run, lines), plan.behind(), &self.store, &mut room);
                }
            }
            index[line] = 0;
            if !advance(&mut index[..line], &shape[..line]) {
                break;
            }
        }
        T::held().set(held);
    }

    fn factors<T: Scalar>(&self) -> Factors<T> {
        let (fourier, [first, others]) = (&self.fourier, self.weights);
        let half = fourier.signals() == Signals::Half;
        // A bin and its mirror image stand for two, of which a real transform back takes one. Samples are multiplied by the rest.
        let others = if half && fourier.is_inverse() { fourier.inner() / 2.0 } else { others };
        // Exponents of real transforms are negative, those of transforms back positive.
        let conjugate = fourier.is_positive() != fourier.is_inverse();
        let number = |value: f64| T::rounded(value.into());
        let others = [others, if conjugate { -others } else { others }].map(number);
        Factors { first: number(first), others }
    }

    /// What number of each axis stands first in a line, of the input and of results.
    fn turns(&self, taken: usize, given: usize) -> [usize; 2] {
        let [signal, spectrum] = self.fourier.turns();
        if self.fourier.is_inverse() {
            [spectrum, turned(given, signal)]
        } else {
            [turned(taken, signal), spectrum]
        }
    }

    /// How many elements a line has of a spectrum, or of a signal.
    fn elements(&self, of_spectrum: bool) -> usize {
        let points = self.fourier.points();
        let half = self.fourier.signals() == Signals::Half && of_spectrum;
        if half { points / 2 + 1 } else { points }
    }
}
