//! Sums of products of the arrays of a call, added up as it is computed.

use arrayspan_bridge::{Operand, OperandMut, ViewMut};

use super::{OperandName, ReduceCall, Reduction, Terms, check};
use crate::program::Kind;
use crate::{Cost, Result, constant, cost, input};

/// An array of a map with dots.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DotOf {
    /// An input.
    Input(usize),
    /// An output, as it is written.
    Output(usize),
}

/// `out ← Re Σ conj(a) b` over all elements of two arrays of a map: what its outputs hold when it is done.
///
/// The inner product of real vectors, and of complex ones as the real ones that they are. Products are computed in the
/// dtype of `out`, and sums kept as those of [`reduce`](../trait.Executor.html#method.reduce).
#[derive(Debug)]
pub struct Dot<'a> {
    /// One array.
    pub a: DotOf,
    /// The other one, of the same dtype.
    pub b: DotOf,
    /// A real number without axes, at least as wide as the parts of elements.
    pub out: ViewMut<'a>,
}

impl<'a> Dot<'a> {
    /// `out ← ‖a‖²`
    #[must_use]
    pub fn norm_squared(a: DotOf, out: ViewMut<'a>) -> Self {
        Self { a, b: a, out }
    }
}

/// A dot of a call, checked.
#[derive(Debug)]
pub(crate) struct DotCall<'a> {
    pub(crate) of: [DotOf; 2],
    pub(crate) terms: Terms,
    pub(crate) out: OperandMut<'a>,
}

/// The arrays of a call of that verb, of which dots are.
#[derive(Clone, Copy)]
pub(super) struct Among<'o, 'a> {
    pub(super) verb: &'static str,
    pub(super) inputs: &'o [Operand<'a>],
    pub(super) kinds: &'o [Kind],
    pub(super) outs: &'o [OperandMut<'a>],
}

impl<'o> Among<'o, '_> {
    /// The array that is meant.
    fn array(self, of: DotOf) -> &'o Operand<'o> {
        match of {
            DotOf::Input(number) => &self.inputs[number],
            DotOf::Output(number) => self.outs[number].as_operand(),
        }
    }
}

impl<'a> DotCall<'a> {
    /// Checks a dot of the arrays of a call.
    pub(super) fn new(number: usize, dot: Dot<'a>, among: Among<'_, 'a>) -> Result<Self> {
        let (Dot { a, b, out }, verb) = (dot, among.verb);
        for of in [a, b] {
            let (what, given, there) = match of {
                DotOf::Input(at) => ("input", at, among.inputs.len()),
                DotOf::Output(at) => ("output", at, among.outs.len()),
            };
            if given >= there {
                let why = format!("dot {number} is of {what} {given}, of {there}");
                return check::argument(verb, why);
            }
            if matches!(of, DotOf::Input(at) if among.kinds[at] == Kind::Number) {
                let why = format!("dot {number} is of input {given}, a single number");
                return check::argument(verb, why);
            }
        }
        let [a_dtype, b_dtype] = [a, b].map(|of| among.array(of).dtype());
        let name = OperandName::Dot(number);
        if a_dtype != b_dtype {
            let why = format!("{name} is of arrays of two dtypes, {a_dtype} and {b_dtype}");
            return check::argument(verb, why);
        }
        check::shape(verb, name, &[], out.shape())?;
        check::computable(verb, out.dtype())?;
        let real = a_dtype.real();
        if out.dtype().is_complex() || out.dtype().bits() < real.bits() {
            check::dtype(verb, name, real, out.dtype())?;
        }
        Ok(Self { of: [a, b], terms: Terms::Products, out: out.into() })
    }

    pub(super) fn held(&mut self) -> DotCall<'_> {
        DotCall { of: self.of, terms: self.terms, out: self.out.held() }
    }

    /// Its arrays.
    pub(super) fn arrays<'o>(&self, among: Among<'o, '_>) -> [&'o Operand<'o>; 2] {
        self.of.map(|of| among.array(of))
    }

    /// The same as a reduction, of the arrays as they are.
    pub(super) fn reduction<'o>(&'o mut self, among: Among<'o, '_>) -> Result<ReduceCall<'o>> {
        let [a, b] = self.of.map(|of| among.array(of).view());
        let axes: Vec<usize> = (0..a.shape().len()).collect();
        let out = self.out.view_mut();
        if let Terms::Differences(factor) = self.terms {
            let square = (constant(factor) * (input(0) - input(1))).abs2();
            return ReduceCall::new(Reduction::Sum, &square, &[a, b], &axes, out);
        }
        if self.of[0] == self.of[1] {
            return ReduceCall::new(Reduction::Sum, &input(0).abs2(), &[a], &axes, out);
        }
        let product = (input(0).conj() * input(1)).re();
        ReduceCall::new(Reduction::Sum, &product, &[a, b], &axes, out)
    }

    /// What it adds to the cost of its call; `alone` if it takes a pass of its own.
    pub(super) fn cost(&self, among: Among<'_, '_>, alone: bool) -> Cost {
        let arrays = self.arrays(among);
        let len = arrays[0].layout().len();
        // Where groups cannot read what others have written, a second kernel joins their parts.
        let joined = ReduceCall::is_long(len) && !self.out.device().info().device_fence;
        let read = if self.of[0] == self.of[1] { &arrays[..1] } else { &arrays[..] };
        Cost {
            launches: usize::from(joined) + usize::from(alone),
            bytes_read: if alone { cost::read(read.iter().copied()) } else { 0 },
            bytes_written: self.out.dtype().bytes(),
            flops: len.saturating_mul(if self.terms == Terms::Products { 2 } else { 4 }),
        }
    }
}
