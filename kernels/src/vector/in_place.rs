//! Arrays that are written over.

use arrayspan_bridge::{Array, Elementwise, ViewMut};

use crate::verb::{Dot, DotOf};
use crate::{Executor, Result, on};

/// Arrays that elementwise values are written to, in one pass, in place. Enqueued; nothing waits.
///
/// ```
/// use arrayspan_kernels::bridge::Array;
/// use arrayspan_kernels::{Vector, VectorMut};
///
/// let x = Array::from_vec(vec![1.0, 2.0, 3.0], [3])?;
/// let mut y = Array::from_vec(vec![10.0, 20.0, 30.0], [3])?;
/// y.add_scaled(0.5, &x)?; // y ← y + 0.5 x
/// let length = y.norm()?; // stays on the device
/// y.update(|y| y.div_or_zero(&length))?; // y ← y / ‖y‖, and zero stays zero
/// assert!((y.norm()?.item::<f64>()? - 1.0).abs() < 1e-15);
/// y.assign(0.0)?;
/// assert_eq!(y.to_vec::<f64>()?, [0.0; 3]);
/// # Ok::<(), arrayspan_kernels::Error>(())
/// ```
///
/// # Errors
/// All fail when an array does not broadcast to this one, is of a dtype that is not allowed beside it
/// (see [`Elementwise`]), or on another device; without having written anything. Those without an executor use that of
/// the array's device.
pub trait VectorMut {
    /// Borrows it to write.
    fn as_view_mut(&mut self) -> ViewMut<'_>;

    /// `y ← value`; a number fills it.
    ///
    /// # Errors
    /// As [the trait](VectorMut) says; the device's failure.
    fn assign<'a>(&mut self, value: impl Into<Elementwise<'a>>) -> Result<()> {
        let y = self.as_view_mut();
        write("assign", &*on(y.device())?, &value.into(), y)
    }

    /// As [`assign`](Self::assign), on `on`.
    ///
    /// # Errors
    /// As there, and when the array is on another device than `on`.
    fn assign_on<'a>(
        &mut self,
        on: &dyn Executor,
        value: impl Into<Elementwise<'a>>,
    ) -> Result<()> {
        write("assign", on, &value.into(), self.as_view_mut())
    }

    /// `y ← value(y)`: what is written may read what was there.
    ///
    /// # Errors
    /// As [the trait](VectorMut) says; the device's failure.
    fn update<'a>(&mut self, value: impl FnOnce(Elementwise<'a>) -> Elementwise<'a>) -> Result<()> {
        let y = self.as_view_mut();
        write("update", &*on(y.device())?, &value(Elementwise::previous()), y)
    }

    /// As [`update`](Self::update), on `on`.
    ///
    /// # Errors
    /// As there, and when the array is on another device than `on`.
    fn update_on<'a>(
        &mut self,
        on: &dyn Executor,
        value: impl FnOnce(Elementwise<'a>) -> Elementwise<'a>,
    ) -> Result<()> {
        write("update", on, &value(Elementwise::previous()), self.as_view_mut())
    }

    /// As [`update_on`](Self::update_on), and `norm ← ‖y‖²` of what is written, in the same pass where arrays have one dtype and no
    /// gaps.
    ///
    /// ```
    /// use arrayspan_kernels::bridge::{Array, devices::Device};
    /// use arrayspan_kernels::{VectorMut, on};
    ///
    /// let (x, mut y) = (Array::from_slice(&[1.0, 2.0], [2])?, Array::from_slice(&[4.0, 6.0], [2])?);
    /// let mut norm = Array::from_slice(&[0.0], [])?;
    /// y.update_with_norm_squared_on(&*on(Device::cpu())?, &mut norm, |y| y - &x)?;
    /// assert_eq!((y.to_vec::<f64>()?, norm.item::<f64>()?), (vec![3.0, 4.0], 25.0));
    /// # Ok::<(), arrayspan_kernels::Error>(())
    /// ```
    ///
    /// # Errors
    /// As there, and when `norm` has axes or is not real and at least as wide as the parts of elements.
    fn update_with_norm_squared_on<'a, 'n>(
        &mut self,
        on: &dyn Executor,
        norm: impl Into<ViewMut<'n>>,
        value: impl FnOnce(Elementwise<'a>) -> Elementwise<'a>,
    ) -> Result<()> {
        let value = value(Elementwise::previous());
        let outputs = [(value.expression().clone(), self.as_view_mut())];
        let norm = Dot::norm_squared(DotOf::Output(0), norm.into());
        on.map_dots(&value.inputs(), outputs, [norm])
            .map_err(|error| error.in_operation("update_with_norm_squared"))
    }

    /// `y ← y + alpha · x`, with a number or a 0-d array for `alpha`. (The `axpy` of BLAS.)
    ///
    /// # Errors
    /// As [the trait](VectorMut) says; the device's failure.
    fn add_scaled<'a>(
        &mut self,
        alpha: impl Into<Elementwise<'a>>,
        x: impl Into<Elementwise<'a>>,
    ) -> Result<()> {
        let y = self.as_view_mut();
        write("add_scaled", &*on(y.device())?, &scaled(alpha, x), y)
    }

    /// As [`add_scaled`](Self::add_scaled), on `on`.
    ///
    /// # Errors
    /// As there, and when the array is on another device than `on`.
    fn add_scaled_on<'a>(
        &mut self,
        on: &dyn Executor,
        alpha: impl Into<Elementwise<'a>>,
        x: impl Into<Elementwise<'a>>,
    ) -> Result<()> {
        write("add_scaled", on, &scaled(alpha, x), self.as_view_mut())
    }
}

impl VectorMut for Array {
    fn as_view_mut(&mut self) -> ViewMut<'_> {
        self.view_mut()
    }
}

impl VectorMut for ViewMut<'_> {
    fn as_view_mut(&mut self) -> ViewMut<'_> {
        self.reborrow()
    }
}

fn scaled<'a>(alpha: impl Into<Elementwise<'a>>, x: impl Into<Elementwise<'a>>) -> Elementwise<'a> {
    Elementwise::previous() + alpha.into() * x.into()
}

pub(super) fn write(
    operation: &'static str,
    on: &dyn Executor,
    value: &Elementwise<'_>,
    out: ViewMut<'_>,
) -> Result<()> {
    on.map(value.expression(), &value.inputs(), out).map_err(|error| error.in_operation(operation))
}
