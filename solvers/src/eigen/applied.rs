//! The operator as a method of this folder has it: where it computes, with flat vectors, and how large it is.

use arrayspan_bridge::devices::Device;
use arrayspan_bridge::{Array, DType, Relayout, View, ViewMut};
use arrayspan_kernels::{
    Executor, Expression, Update, Vector, constant, input, previous, widest_real,
};
use arrayspan_operators::{Devices, LinearMap, LinearOperator, Workspace};

use super::random::Random;
use crate::Result;
use crate::engine::read::{largest, reals};
use crate::engine::run::above;
use crate::engine::scale::{epsilon, exponent, power};
use crate::parameters::wrong;

/// An operator between flat vectors on one device.
#[derive(Debug)]
pub(super) struct Applied<'a> {
    pub(super) a: &'a dyn LinearMap,
    pub(super) on: &'a dyn Executor,
    work: Workspace,
    /// The dtype of norms.
    pub(super) scalars: DType,
    /// `2^scale A` is near 1: norms of what it gives are those of `2^scale` times it, so that squares are numbers. Zero where
    /// they are anyway.
    scale: i32,
    /// A number that the host is about to read.
    number: Array,
}

/// Where a method without an executor computes: where models are, or on the CPU.
pub(super) fn home(a: &dyn LinearMap) -> Device {
    a.devices().map_or(Device::cpu(), |devices| devices.domain)
}

/// Of two squares: 1 if the first is that of more than `lost` times the second's length, else 0.
pub(super) fn more_than(lost: f64) -> Expression {
    above(input(0) - constant(lost.powi(2)) * input(1), constant(0.0))
}

impl<'a> Applied<'a> {
    pub(super) fn new(
        method: &'static str,
        a: &'a dyn LinearMap,
        on: &'a dyn Executor,
    ) -> Result<Self> {
        if let Some(devices) = a.devices()
            && devices != Devices::both(on.device())
        {
            let operator = a.name().to_owned();
            if devices.one().is_some() {
                let found = on.device();
                let error = arrayspan_operators::Error::WrongExecutor { operator, devices, found };
                return Err(error.into());
            }
            let (operation, which) = (method.to_owned(), format!("models and data of {operator}"));
            let (left, right) = (devices.domain, devices.range);
            let error = arrayspan_operators::Error::Devices { operation, which, left, right };
            return Err(error.into());
        }
        a.domain().computable(method)?;
        a.range().computable(method)?;
        let scalars = widest_real(on.device());
        let (work, number) = (Workspace::of(a, on)?, on.empty(&[], scalars)?);
        Ok(Self { a, on, work, scalars, scale: 0, number })
    }

    /// Flat models, as many as said, row by row.
    pub(super) fn models(&self, count: usize) -> Result<Array> {
        let domain = self.a.domain();
        Ok(self.on.empty(&[count, domain.len()], domain.dtype())?)
    }

    /// Flat data, as many as said, row by row.
    pub(super) fn data(&self, count: usize) -> Result<Array> {
        let range = self.a.range();
        Ok(self.on.empty(&[count, range.len()], range.dtype())?)
    }

    /// Real numbers that stay on the device.
    pub(super) fn scalars(&self, shape: &[usize]) -> Result<Array> {
        Ok(self.on.empty(shape, self.scalars)?)
    }

    /// `y ← alpha · A x + beta · y`
    pub(super) fn forward(
        &mut self,
        x: View<'_>,
        y: ViewMut<'_>,
        update: Update<'_>,
    ) -> Result<()> {
        let x = x.reshaped(self.a.domain().shape())?;
        let y = y.reshaped(self.a.range().shape())?;
        Ok(self.a.apply_with(&mut self.work, self.on, x, y, update)?)
    }

    /// `x ← alpha · Aᴴ y + beta · x`
    pub(super) fn adjoint(
        &mut self,
        y: View<'_>,
        x: ViewMut<'_>,
        update: Update<'_>,
    ) -> Result<()> {
        let y = y.reshaped(self.a.range().shape())?;
        let x = x.reshaped(self.a.domain().shape())?;
        Ok(self.a.apply_adjoint_with(&mut self.work, self.on, y, x, update)?)
    }

    /// Chooses the scale of norms by the image of a vector of norm 1; `None` if that is not finite, otherwise whether it is
    /// anything but zero. Waits for it.
    pub(super) fn measure(&mut self, image: &View<'_>) -> Result<Option<bool>> {
        let size = largest(self.on, &mut self.number, image)?;
        if !size.is_finite() {
            return Ok(None);
        }
        // Squares of what is within these, sums of them, and products of two such squares are numbers of every dtype.
        let kept = if self.scalars == DType::Float32 { 30 } else { 200 };
        let size = exponent(size);
        self.scale = size.filter(|size| size.abs() > kept).map_or(0, |size| -size);
        Ok(Some(size.is_some()))
    }

    /// What brings a norm back to the operator's units.
    pub(super) fn unscaled(&self, norm: f64) -> f64 {
        power(-self.scale, norm)
    }

    /// `out ← ‖2^scale x‖²`
    pub(super) fn norm_squared(&self, x: &View<'_>, out: ViewMut<'_>) -> Result<()> {
        if self.scale == 0 {
            return Ok(x.norm_squared_into(self.on, out)?);
        }
        Ok(crate::engine::scale::times(self.scale, x.dtype(), x.clone())
            .norm_squared_into(self.on, out)?)
    }

    /// Of a scaled square, the length in the operator's units and its reciprocal; both zero for zero.
    pub(super) fn length(
        &self,
        square: View<'_>,
        length: ViewMut<'_>,
        inverse: ViewMut<'_>,
    ) -> Result<()> {
        let root = || input(0).sqrt();
        let [back, forth] = [-self.scale, self.scale].map(|scale| 2.0_f64.powi(scale));
        let inverse_of = constant(forth).div_or_zero(root());
        Ok(self
            .on
            .map_many(&[square], [(constant(back) * root(), length), (inverse_of, inverse)])?)
    }

    /// Divides a random vector by its norm.
    pub(super) fn normalise(&mut self, x: ViewMut<'_>) -> Result<()> {
        x.view().norm_squared_into(self.on, &mut self.number)?;
        let by = previous().div_or_zero(input(0).sqrt());
        Ok(self.on.map(&by, &[self.number.view()], x)?)
    }

    /// The exponent of the scale.
    pub(super) fn scale(&self) -> i32 {
        self.scale
    }

    /// `2^scale <x, y>`, its real and its imaginary part.
    pub(super) fn dot(&self, x: &View<'_>, y: &View<'_>, [re, im]: [ViewMut<'_>; 2]) -> Result<()> {
        self.real_dot(x, y, re)?;
        if !x.dtype().is_complex() {
            return Ok(self.on.map(&constant(0.0), &[], im)?);
        }
        let product = constant(2.0_f64.powi(self.scale)) * (input(0).conj() * input(1)).im();
        Ok(self.on.sum(&product, &[x.clone(), y.clone()], im)?)
    }

    /// `out ← 2^scale Re <x, y>`
    pub(super) fn real_dot(&self, x: &View<'_>, y: &View<'_>, out: ViewMut<'_>) -> Result<()> {
        let product = (input(0).conj() * input(1)).re();
        let product = match self.scale {
            0 => product,
            scale => constant(2.0_f64.powi(scale)) * product,
        };
        Ok(self.on.sum(&product, &[x.clone(), y.clone()], out)?)
    }

    /// Of the scaled square of what is left of a vector and that of the largest one: 1 if it is more than `lost` of it, else 0; and
    /// the reciprocal of its length in the operator's units, or 0.
    pub(super) fn going(
        &self,
        (square, largest): (View<'_>, View<'_>),
        lost: f64,
        going: ViewMut<'_>,
        inverse: ViewMut<'_>,
    ) -> Result<()> {
        let goes = || more_than(lost);
        let reciprocal = constant(2.0_f64.powi(self.scale)).div_or_zero(input(0).sqrt());
        Ok(self
            .on
            .map_many(&[square, largest], [(goes(), going), (goes() * reciprocal, inverse)])?)
    }

    /// Fails unless it has a matrix over the numbers of its models.
    pub(super) fn expect_matrix(&self, method: &'static str) -> Result<()> {
        let complex = self.a.domain().dtype().is_complex() || self.a.range().dtype().is_complex();
        if !complex || self.a.properties().complex_linear {
            return Ok(());
        }
        let why = format!(
            "{} is linear over the real numbers only: it has no matrix over complex ones, and no values of it",
            self.a.name()
        );
        wrong(method, why)
    }

    /// Fails if `<y, A x>` and `<A y, x>` of random `x` and `y` differ by more than rounding: what knows itself to be self-adjoint
    /// is taken at its word. Takes three models for as long as it runs; waits for the device.
    pub(super) fn expect_self_adjoint(
        &mut self,
        method: &'static str,
        random: &mut Random,
    ) -> Result<()> {
        if self.a.properties().self_adjoint || self.a.domain().len() == 0 {
            return Ok(());
        }
        let [mut x, mut y, mut image] = [self.models(1)?, self.models(1)?, self.models(1)?];
        for vector in [&mut x, &mut y] {
            random.fill(self.on, vector.view_mut())?;
            self.normalise(vector.view_mut())?;
        }
        let mut found = Vec::new();
        for (model, other) in [(&x, &y), (&y, &x)] {
            self.forward(model.view(), image.view_mut(), Update::set())?;
            if found.is_empty() && self.measure(&image.view())?.is_none() {
                // What is not finite has its own end.
                return Ok(());
            }
            let mut parts = self.scalars(&[3])?;
            let (mut first, rest) = parts.view_mut().split_at(0, 1)?;
            let (mut second, mut third) = rest.split_at(0, 1)?;
            let [re, im, square] =
                [&mut first, &mut second, &mut third].map(|part| part.reborrow().selected(0, 0));
            self.dot(&other.view(), &image.view(), [re?, im?])?;
            self.norm_squared(&image.view(), square?)?;
            found.push(reals(&parts.view())?);
        }
        let off = (found[0][0] - found[1][0]).hypot(found[0][1] + found[1][1]);
        let size = found[0][2].sqrt() + found[1][2].sqrt();
        let rounding = 32.0 * epsilon(self.a.domain().dtype()) * size;
        if off <= rounding || off.is_nan() {
            return Ok(());
        }
        let complex = self.a.domain().dtype().is_complex();
        let number = |found: &[f64], sign: f64| {
            let [re, im] = [0, 1].map(|part| self.unscaled(found[part]));
            if complex { format!("{re:e} {:+e} i", sign * im) } else { format!("{re:e}") }
        };
        let [first, second] = [number(&found[0], 1.0), number(&found[1], -1.0)];
        let name = self.a.name();
        let why = format!(
            "{name} is not self-adjoint: of random vectors, <y, A x> = {first}, and <A y, x> = {second}"
        );
        wrong(method, why)
    }
}
