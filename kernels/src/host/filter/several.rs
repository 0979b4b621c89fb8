//! Several lines at once, one of each in the elements of vectors, filtered.

use arrayspan_bridge::LanesMut;
use num_complex::Complex;
use pulp::{Simd, WithSimd};

use super::{Parts, Spectral};
use crate::host::fft::complex::{Pair, root};
use crate::host::fft::factors::Factors;
use crate::host::fft::lines::Run;
use crate::host::fft::plans::Planned;
use crate::host::fft::room::Room;
use crate::host::fft::rows;
use crate::host::fft::together::{Together, dispatch, width};
use crate::host::parts::advance;
use crate::host::scalar::Scalar;

impl<S: Spectral, L: Scalar> Parts<'_, S, L> {
    /// Filters the lines of an output that begins there, by transforms there and back.
    pub(super) fn several(
        &self,
        origin: &[usize],
        mut y: LanesMut<'_, S>,
        [there, back]: [&Together<S::Precision>; 2],
    ) {
        let shape = y.shape().to_vec();
        let line = shape.len() - 2;
        let factors = Factors::none();
        let mut held = S::Precision::held().take();
        let rows = there.rows().max(back.rows());
        let mut room =
            Room::<S, S, S::Precision>::new(&mut held, self.tile, (width::<S::Precision>(), rows));
        let (mut index, mut at) = (vec![0; shape.len()], origin.to_vec());
        loop {
            for first in (0..shape[line]).step_by(self.tile) {
                let lines = self.tile.min(shape[line] - first);
                index[line] = first;
                at.iter_mut().zip(origin).zip(&index).for_each(|((at, a), b)| *at = a + b);
                for begin in (0..self.blocks.count).map(|block| block * self.blocks.results) {
                    self.to_rows(&mut at, lines, begin, there, &mut room);
                    for group in 0..room.filled(lines) {
                        room.transform(group, there, factors);
                        let (response, exchanged) = (&self.response, S::PARTS == 2);
                        dispatch(Respond { rows: room.groups[group], response, exchanged });
                        room.transform(group, back, factors);
                    }
                    let len = self.blocks.results.min(self.extent - begin);
                    let run = Run { place: begin, at: self.overlap, len, behind: 0 };
                    let to = (&mut y, self.across, &mut *index);
                    rows::scatter(to, (run, lines), back.behind(), &self.store, &mut room);
                }
            }
            index[line] = 0;
            if !advance(&mut index[..line], &shape[..line]) {
                break;
            }
        }
        S::Precision::held().set(held);
    }

    /// Fills rows with what results of lines from `begin` on need, zeros beyond the axis.
    fn to_rows(
        &self,
        at: &mut [usize],
        lines: usize,
        begin: usize,
        plan: &Together<S::Precision>,
        room: &mut Room<'_, S, S, S::Precision>,
    ) {
        let [first, skipped, len] = self.taken(begin);
        if len < self.blocks.samples || plan.before().has_imaginary() && S::PARTS == 1 {
            room.clear(lines);
        }
        let run = Run { place: first, at: skipped, len, behind: 0 };
        rows::gather((&self.x, self.across, at), (run, lines), plan.before(), room);
    }
}

/// Multiplies bins of several lines by those of a filter.
struct Respond<'a, T> {
    rows: &'a mut [T],
    response: &'a [Complex<T>],
    /// Whether real and imaginary parts are exchanged then.
    exchanged: bool,
}

impl<T: Planned> WithSimd for Respond<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self { rows, response, exchanged } = self;
        let rows = T::vectors_mut::<S>(rows);
        for (bin, own) in response.iter().enumerate() {
            let Pair { re, im } =
                Pair::<T, S>::read(rows, bin).turned(simd, root(simd, [own.re, own.im]));
            let bins: Pair<T, S> =
                if exchanged { Pair { re: im, im: re } } else { Pair { re, im } };
            bins.write(rows, bin);
        }
    }
}
