//! Complex numbers that stay on the device.

use arrayspan_bridge::{Array, Elementwise, View};
use arrayspan_kernels::{Executor, Expression, Vector};
use num_complex::Complex64;

use crate::Result;
use crate::engine::Make;

/// A complex number that stays on the device, by its parts: those of Complex64 arrays may be Float64.
#[derive(Debug)]
pub(super) struct Complex(pub(super) [Array; 2]);

impl Complex {
    pub(super) fn new(make: &mut Make<'_>) -> Result<Self> {
        Ok(Self([make.scalar()?, make.scalar()?]))
    }

    /// `Σ conj(a) b`, or the real part of it alone.
    pub(super) fn dot(
        &mut self,
        on: &dyn Executor,
        a: &Array,
        b: &Array,
        complex: bool,
    ) -> Result<()> {
        let [re, im] = &mut self.0;
        (a.conj() * b).re().sum_into(on, re)?;
        if complex { Ok((a.conj() * b).im().sum_into(on, im)?) } else { Ok(()) }
    }

    /// Computes both parts.
    pub(super) fn assign(
        &mut self,
        on: &dyn Executor,
        inputs: &[View<'_>],
        [re, im]: [Expression; 2],
    ) -> Result<()> {
        let [first, second] = &mut self.0;
        Ok(on.map_many(inputs, [(re, first.view_mut()), (im, second.view_mut())])?)
    }

    /// The parts that are not zero.
    pub(super) fn views(&self, complex: bool) -> Vec<View<'_>> {
        self.0[..=usize::from(complex)].iter().map(Array::view).collect()
    }
}

/// What multiplies vectors, of its parts.
pub(super) fn number<'a>(parts: &[View<'a>]) -> Elementwise<'a> {
    let of = |part: &View<'a>| Elementwise::from(part.clone());
    match parts {
        [re, im] => of(re) + Complex64::I * of(im),
        _ => of(&parts[0]),
    }
}

/// `a / b`, of complex numbers by their parts.
pub(super) fn quotient([a, b]: [Expression; 2], [c, d]: [Expression; 2]) -> [Expression; 2] {
    let size = c.clone().abs2() + d.clone().abs2();
    let re = a.clone() * c.clone() + b.clone() * d.clone();
    [re, b * c - a * d].map(|part| part.div_or_zero(size.clone()))
}

/// `a b`, of complex numbers by their parts.
pub(super) fn product([a, b]: [Expression; 2], [c, d]: [Expression; 2]) -> [Expression; 2] {
    [a.clone() * c.clone() - b.clone() * d.clone(), a * d + b * c]
}
