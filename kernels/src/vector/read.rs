//! Arrays, and what elementwise arithmetic makes of them, computed and reduced.

use arrayspan_bridge::{Array, AsElementwise, Axes, Elementwise, ViewMut};

use super::reduce::{Named, own, product, root, wide};
use super::{arguments, in_place, mean};
use crate::{Executor, Reduction, Result, on};

/// Arrays, views and elementwise values as vectors. Everything is enqueued; nothing waits, and results stay on the device.
///
/// Reductions of an elementwise value compute it on the way: it is read where its arrays are, and never written. A sum,
/// [`dot`](Self::dot), mean, minimum or maximum has the dtype of the elements (sums are kept in Float64 on the way, where
/// the device has it). A norm has the widest real dtype of the device, in which it is computed, too: that of Float32
/// neither overflows nor underflows where there is Float64; that of Float64 overflows where its square does, beyond
/// 1e154. With the methods that end in `_into` the output chooses: the elements' dtype, or a wider real one where the
/// value is real, in which the value is computed then.
///
/// Reductions take arrays of one dtype; unlike [`compute`](Self::compute), no numbers of a wider one.
///
/// ```
/// use arrayspan_kernels::bridge::Array;
/// use arrayspan_kernels::Vector;
///
/// let a = Array::from_vec(vec![1.0, -2.0, 2.0, 0.0], [2, 2])?;
/// let b = Array::from_vec(vec![10.0, 20.0], [2])?;
/// let c = (&a * &b + 1.0).compute()?; // one pass; `b` broadcasts
/// assert_eq!(c.to_vec::<f64>()?, [11.0, -39.0, 21.0, 1.0]);
/// let dot = (&c - 1.0).dot(&a)?; // the difference is never written
/// assert_eq!((a.norm()?.item::<f64>()?, dot.item::<f64>()?), (3.0, 130.0));
/// assert_eq!(a.abs().max_axes(0)?.to_vec::<f64>()?, [2.0, 2.0]);
/// # Ok::<(), arrayspan_kernels::Error>(())
/// ```
///
/// # Errors
/// All that compute fail when arrays do not broadcast, differ in dtype or device, or there is no array at all; when
/// an order is asked of complex numbers; out of memory; when the device fails. Nothing has been written then.
pub trait Vector: AsElementwise {
    /// In a new row-major array on the arrays' device.
    ///
    /// # Errors
    /// As [the trait](Vector) says.
    fn compute(&self) -> Result<Array> {
        let value = self.as_elementwise();
        compute(&*on(arguments::device("compute", &value)?)?, &value)
    }

    /// As [`compute`](Self::compute), on `on`.
    ///
    /// # Errors
    /// As [the trait](Vector) says, and when an array is on another device than `on`.
    fn compute_on(&self, on: &dyn Executor) -> Result<Array> {
        compute(on, &self.as_elementwise())
    }

    /// The sum of all elements, 0-d.
    ///
    /// # Errors
    /// As [the trait](Vector) says.
    fn sum(&self) -> Result<Array> {
        Named::sum("sum").array(&self.as_elementwise(), None, own)
    }

    /// The sums along `axes` ([`Axes`]: `-1`, `[0, 2]`, `&[]`), which are gone after; -1 is the last one. Along no axis every
    /// element is a sum.
    ///
    /// # Errors
    /// As [the trait](Vector) says; an axis that is not there or comes twice.
    fn sum_axes(&self, axes: impl Into<Axes>) -> Result<Array> {
        Named::sum("sum_axes").array(&self.as_elementwise(), Some(&axes.into()), own)
    }

    /// `out ← Σ self`, with a 0-d `out`.
    ///
    /// # Errors
    /// As [the trait](Vector) says; a shape or dtype of `out` that does not fit; another device than that of `on`.
    fn sum_into<'o>(&self, on: &dyn Executor, out: impl Into<ViewMut<'o>>) -> Result<()> {
        Named::sum("sum").into(on, &self.as_elementwise(), None, out.into())
    }

    /// The mean of all elements, 0-d, in their dtype; NaN of none.
    ///
    /// The mean of finite numbers is finite where their sum is not. Sums for means of Float32 are kept in Float64; where nothing is
    /// wider, elements are divided by a power of two before they are added. That changes no digit, save of elements that
    /// become subnormal by it: Float64 below 1e-307 times the number of elements, and on devices without Float64 Float32 below
    /// 5e-38 times. (Means within rounding of the largest Float64 may be infinite.)
    ///
    /// Two launches; three for complex values.
    ///
    /// # Errors
    /// As [the trait](Vector) says.
    fn mean(&self) -> Result<Array> {
        mean::mean("mean", &self.as_elementwise(), None)
    }

    /// The means along `axes`, which are gone after; NaN where there are no elements, and along no axis the elements
    /// themselves. As accurate as [`mean`](Self::mean); a launch more for Float32 and Complex64.
    ///
    /// # Errors
    /// As [the trait](Vector) says; an axis that is not there or comes twice.
    fn mean_axes(&self, axes: impl Into<Axes>) -> Result<Array> {
        mean::mean("mean_axes", &self.as_elementwise(), Some(&axes.into()))
    }

    /// The smallest element, 0-d: NaN if any is, +∞ of none. Real dtypes only.
    ///
    /// # Errors
    /// As [the trait](Vector) says.
    fn min(&self) -> Result<Array> {
        LEAST.array(&self.as_elementwise(), None, own)
    }

    /// `out ← min self`, with a 0-d `out`.
    ///
    /// # Errors
    /// As [the trait](Vector) says; a shape or dtype of `out` that does not fit; another device than that of `on`.
    fn min_into<'o>(&self, on: &dyn Executor, out: impl Into<ViewMut<'o>>) -> Result<()> {
        LEAST.into(on, &self.as_elementwise(), None, out.into())
    }

    /// The smallest along `axes`, which are gone after.
    ///
    /// # Errors
    /// As [the trait](Vector) says; an axis that is not there or comes twice.
    fn min_axes(&self, axes: impl Into<Axes>) -> Result<Array> {
        Named { operation: "min_axes", ..LEAST }.array(
            &self.as_elementwise(),
            Some(&axes.into()),
            own,
        )
    }

    /// The largest element, 0-d: NaN if any is, -∞ of none. Real dtypes only.
    ///
    /// # Errors
    /// As [the trait](Vector) says.
    fn max(&self) -> Result<Array> {
        MOST.array(&self.as_elementwise(), None, own)
    }

    /// `out ← max self`, with a 0-d `out`.
    ///
    /// # Errors
    /// As [the trait](Vector) says; a shape or dtype of `out` that does not fit; another device than that of `on`.
    fn max_into<'o>(&self, on: &dyn Executor, out: impl Into<ViewMut<'o>>) -> Result<()> {
        MOST.into(on, &self.as_elementwise(), None, out.into())
    }

    /// The largest along `axes`, which are gone after.
    ///
    /// # Errors
    /// As [the trait](Vector) says; an axis that is not there or comes twice.
    fn max_axes(&self, axes: impl Into<Axes>) -> Result<Array> {
        Named { operation: "max_axes", ..MOST }.array(
            &self.as_elementwise(),
            Some(&axes.into()),
            own,
        )
    }

    /// `out ← reduction of self over axes`, where `out` has the shape without them.
    ///
    /// # Errors
    /// As [the trait](Vector) says; an axis that is not there or comes twice; a shape or dtype of `out` that does not fit;
    /// another device than that of `on`.
    fn reduce_into<'o>(
        &self,
        on: &dyn Executor,
        reduction: Reduction,
        axes: impl Into<Axes>,
        out: impl Into<ViewMut<'o>>,
    ) -> Result<()> {
        let reduce = Named { operation: "reduce", reduction };
        reduce.into(on, &self.as_elementwise(), Some(&axes.into()), out.into())
    }

    /// `Σ conj(self) · other`, 0-d: linear in `other`, as `vdot` of `NumPy`. Both have the same shape; nothing broadcasts.
    ///
    /// # Errors
    /// As [the trait](Vector) says; shapes that differ.
    fn dot<'a>(&'a self, other: impl Into<Elementwise<'a>>) -> Result<Array> {
        let product = product("dot", self.as_elementwise(), other.into())?;
        Named::sum("dot").array(&product, None, own)
    }

    /// `out ← Σ conj(self) · other`, with a 0-d `out`.
    ///
    /// # Errors
    /// As [`dot`](Self::dot); a shape or dtype of `out` that does not fit; another device than that of `on`.
    fn dot_into<'a, 'o>(
        &'a self,
        on: &dyn Executor,
        other: impl Into<Elementwise<'a>>,
        out: impl Into<ViewMut<'o>>,
    ) -> Result<()> {
        let product = product("dot", self.as_elementwise(), other.into())?;
        Named::sum("dot").into(on, &product, None, out.into())
    }

    /// `√Σ |self|²`, 0-d, in the widest real dtype of the device. Two launches.
    ///
    /// # Errors
    /// As [the trait](Vector) says.
    fn norm(&self) -> Result<Array> {
        let mut out = Named::sum("norm").array(&self.abs2(), None, wide)?;
        root("norm", &*on(out.device())?, out.view_mut())?;
        Ok(out)
    }

    /// `out ← √Σ |self|²`, with a 0-d `out`. Two launches.
    ///
    /// # Errors
    /// As [the trait](Vector) says; a shape or dtype of `out` that does not fit; another device than that of `on`.
    fn norm_into<'o>(&self, on: &dyn Executor, out: impl Into<ViewMut<'o>>) -> Result<()> {
        let mut out = out.into();
        Named::sum("norm").into(on, &self.abs2(), None, out.reborrow())?;
        root("norm", on, out)
    }

    /// `Σ |self|²`, 0-d, in the widest real dtype of the device. One launch, as [`sum`](Self::sum).
    ///
    /// # Errors
    /// As [the trait](Vector) says.
    fn norm_squared(&self) -> Result<Array> {
        Named::sum("norm_squared").array(&self.abs2(), None, wide)
    }

    /// `out ← Σ |self|²`, with a 0-d `out`.
    ///
    /// # Errors
    /// As [the trait](Vector) says; a shape or dtype of `out` that does not fit; another device than that of `on`.
    fn norm_squared_into<'o>(&self, on: &dyn Executor, out: impl Into<ViewMut<'o>>) -> Result<()> {
        Named::sum("norm_squared").into(on, &self.abs2(), None, out.into())
    }

    /// The complex conjugate, not yet computed.
    fn conj(&self) -> Elementwise<'_> {
        self.as_elementwise().conj()
    }

    /// The real part, not yet computed.
    fn re(&self) -> Elementwise<'_> {
        self.as_elementwise().re()
    }

    /// The imaginary part, not yet computed.
    fn im(&self) -> Elementwise<'_> {
        self.as_elementwise().im()
    }

    /// The absolute value, not yet computed.
    fn abs(&self) -> Elementwise<'_> {
        self.as_elementwise().abs()
    }

    /// The square of the absolute value, not yet computed.
    fn abs2(&self) -> Elementwise<'_> {
        self.as_elementwise().abs2()
    }

    /// The principal square root, not yet computed.
    fn sqrt(&self) -> Elementwise<'_> {
        self.as_elementwise().sqrt()
    }

    /// `self / other`, and 0 where `other` is 0; not yet computed.
    fn div_or_zero<'a>(&'a self, other: impl Into<Elementwise<'a>>) -> Elementwise<'a> {
        self.as_elementwise().div_or_zero(other)
    }

    /// The smaller one of two elements, not yet computed; NaN if either is. Real dtypes only.
    fn minimum<'a>(&'a self, other: impl Into<Elementwise<'a>>) -> Elementwise<'a> {
        self.as_elementwise().minimum(other)
    }

    /// The larger one of two elements, not yet computed; NaN if either is. Real dtypes only.
    fn maximum<'a>(&'a self, other: impl Into<Elementwise<'a>>) -> Elementwise<'a> {
        self.as_elementwise().maximum(other)
    }
}

impl<T: AsElementwise + ?Sized> Vector for T {}

const LEAST: Named = Named { operation: "min", reduction: Reduction::Minimum };
const MOST: Named = Named { operation: "max", reduction: Reduction::Maximum };

fn compute(on: &dyn Executor, value: &Elementwise<'_>) -> Result<Array> {
    let operation = "compute";
    let inputs = arguments::arrays(operation, value)?;
    arguments::expect_device(operation, on.device(), &inputs)?;
    let dtype = arguments::dtype(operation, &inputs)?;
    let mut out = on.empty(&arguments::shape(operation, &inputs, dtype)?, dtype)?;
    in_place::write(operation, on, value, out.view_mut())?;
    Ok(out)
}
