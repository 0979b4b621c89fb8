//! The inputs of an expression, a lane at a time.

use arrayspan_bridge::{Lane, Lanes, Relayout, View};
use num_complex::{Complex64, ComplexFloat};

use super::elementwise::Operand;
use super::evaluate::Given;
use super::scalar::{Scalar, with_scalar};
use super::stored::Stored;
use crate::Result;
use crate::factors::{Factors, Known};

/// What is known of inputs whose elements have one dtype: those that repeat a single number, in the dtype of the
/// computation.
pub(super) fn given<T: Stored, C: Scalar>(inputs: &[Lanes<'_, T>]) -> Vec<Given<C>> {
    let known = |(at, lanes): (usize, &Lanes<'_, T>)| {
        let single = lanes.shape().iter().zip(lanes.strides()).all(|(&n, &s)| n == 1 || s == 0);
        let index = vec![0; lanes.shape().len()];
        let lane = single.then(|| lanes.lane(&index, 0, 1));
        let number = lane.and_then(|lane| lane.as_slice().map(|slice| slice[0]));
        number.map_or(Given::Elements(at), |number| Given::Number(number.number().converted()))
    };
    inputs.iter().enumerate().map(known).collect()
}

/// A single number of a real dtype.
pub(super) fn number(view: &View<'_>) -> Result<f64> {
    Ok(scalar("map", view)?.re)
}

/// A single number of another real dtype than that of elements, as it is computed with.
pub(super) fn single<C: Scalar>(view: &View<'_>) -> Result<Given<C>> {
    let value = number(view)?;
    // Beside 16-bit floats it may be as wide as what they are computed in.
    let narrow = view.dtype() == C::DTYPE;
    Ok(if narrow { Given::Number(C::rounded(value.into())) } else { Given::Wide(value) })
}

/// The factors of a call that runs now.
pub(super) fn values(factors: &Factors<'_>) -> Result<Known> {
    factors.values(|operand| scalar("update", &operand.view()))
}

/// A single number. Waits for what writes it.
fn scalar(verb: &'static str, view: &View<'_>) -> Result<Complex64> {
    with_scalar!(verb, view.dtype(), T => {
        let lanes = view.clone().reshaped(&[1])?.lanes::<T>()?;
        let number = lanes.lane(&[0], 0, 1).as_slice().map(|slice| slice[0].wide());
        Ok(number.map_or(f64::NAN.into(), |number| Complex64::new(number.re(), number.im())))
    })
}

/// The inputs of an expression along one lane, in the dtype `C` of the computation: slices where they are, copies
/// where they have strides or another dtype `T`.
pub(super) struct Operands<'a, T, C> {
    lanes: Vec<Lane<'a, T>>,
    gathered: Vec<Vec<T>>,
    converted: Vec<Vec<C>>,
    chunk: usize,
}

impl<'a, T: Stored, C: Scalar> Operands<'a, T, C> {
    /// For `inputs` inputs, in chunks of up to `chunk` elements.
    pub(super) fn new(chunk: usize, inputs: usize) -> Self {
        let lanes = Vec::with_capacity(inputs);
        let (gathered, converted) = (vec![Vec::new(); inputs], vec![Vec::new(); inputs]);
        Self { lanes, gathered, converted, chunk }
    }

    /// Turns to the lane of `len` elements from `index` along `axis`.
    pub(super) fn start(
        &mut self,
        inputs: &[Lanes<'a, T>],
        index: &[usize],
        axis: usize,
        len: usize,
    ) {
        self.lanes.clear();
        self.lanes.extend(inputs.iter().map(|lanes| lanes.lane(index, axis, len)));
    }

    /// Copies together and converts what `n` elements from `from` on need.
    pub(super) fn load(&mut self, from: usize, n: usize) {
        for (number, lane) in self.lanes.iter().enumerate() {
            if lane.as_repeated().is_some() && lane.as_slice().is_none() {
                continue;
            }
            let items = if let Some(slice) = lane.as_slice() {
                &slice[from..from + n]
            } else {
                let gathered = &mut self.gathered[number];
                gathered.resize(self.chunk, T::default());
                lane.gather(from, &mut gathered[..n]);
                &gathered[..n]
            };
            if same::<T, C>(items).is_none() {
                let converted = &mut self.converted[number];
                converted.resize(self.chunk, C::default());
                T::widened(items, &mut converted[..n]);
            }
        }
    }

    /// Input `number`, `n` elements from `from` on.
    pub(super) fn get(&self, number: usize, from: usize, n: usize) -> Operand<'_, C> {
        let converted = || &self.converted[number][..n];
        match (self.items(number, from, n), self.lanes[number].as_repeated()) {
            (Some(items), _) => Operand::Slice(same(items).unwrap_or_else(converted)),
            (None, Some(element)) => Operand::Number(element.number().converted()),
            (None, None) => {
                let gathered = &self.gathered[number][..n];
                Operand::Slice(same(gathered).unwrap_or_else(converted))
            }
        }
    }

    /// As [`get`](Self::get), if it is a slice.
    pub(super) fn slice(&self, number: usize, from: usize, n: usize) -> Option<&[C]> {
        match self.get(number, from, n) {
            Operand::Slice(slice) => Some(slice),
            _ => None,
        }
    }

    /// Input `number` as it lies in memory, if it does so without gaps. Needs no [`load`](Self::load).
    pub(super) fn items(&self, number: usize, from: usize, n: usize) -> Option<&[T]> {
        Some(&self.lanes[number].as_slice()?[from..from + n])
    }
}

/// The same elements, if the two types are one.
fn same<T: Stored, C: Scalar>(items: &[T]) -> Option<&[C]> {
    let numbers = T::numbers(items)?;
    (T::DTYPE == C::DTYPE).then(|| bytemuck::cast_slice(numbers))
}
