//! Outputs of inputs, element by element.

use std::sync::Arc;

use arrayspan_bridge::{Array, ViewMut};

use super::call::Bound;
use super::definition::{Definition, Source};
use super::input::Input;
use crate::verb::Work;
use crate::{Executor, Result};

/// Outputs of inputs, element by element, by statements in C.
///
/// Inputs broadcast to the shape of the outputs, any strides will do, and an array of no axes is a number that stays on
/// the device. Source names parameters as values of one element, and `i`, an `i64`, for the index of the element in
/// row-major order.
///
/// ```
/// use arrayspan_kernels::bridge::{Array, DType, devices::Device};
/// use arrayspan_kernels::{on, user::ElementwiseKernel};
///
/// // SAFETY: the source touches nothing but x, y, s and z, and ends.
/// let axpy = unsafe { ElementwiseKernel::new("axpy", "T x, T y, T s", "T z", "z = T_add(T_mul(s, x), y);") }?;
/// for device in Device::all().into_iter().filter(|device| !device.is_cpu()) {
///     let on = on(device)?;
///     let x = Array::from_slice(&[1.0_f32, 2.0, 3.0], [3])?.into_device(device)?.0;
///     let z = axpy.apply(&*on, &[(&x).into(), (&x).into(), 0.5.into()])?.remove(0);
///     assert_eq!(z.view().to_vec::<f32>()?, [1.5, 3.0, 4.5]);
/// }
/// # Ok::<(), arrayspan_kernels::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct ElementwiseKernel(Arc<Definition>);

impl ElementwiseKernel {
    /// Declares one: `inputs` and `outputs` as `f32 x, T y`, where a capital letter is the dtype of the array it is called
    /// with, the same wherever it stands; an output that is `inout` keeps its old value unless `body` assigns another, any
    /// other one is 0 at first.
    ///
    /// # Errors
    /// [`Error::Declaration`](crate::Error::Declaration) for what is no name or type, names that clash, no output, an
    /// output that `body` does not name. What a compiler finds, calls return.
    ///
    /// # Safety
    /// `body` is whole statements that read and write no memory but the parameters and variables of their own, and that
    /// end, for whatever values and every dtype the kernel is called with, each time it runs.
    pub unsafe fn new(name: &str, inputs: &str, outputs: &str, body: &str) -> Result<Self> {
        let source = Source::Elementwise(body.into());
        Definition::new(name, inputs, outputs, &["i"], source).map(Self)
    }

    /// Computes `outputs`, which all have one shape, of `inputs`, which broadcast to it. Enqueued; does not wait.
    ///
    /// # Errors
    /// For arguments of the wrong number, shape, dtype or device, found before anything is enqueued; a compiler's, with
    /// lines counted from the start of the body; the device's failure;
    /// [`Unsupported`](arrayspan_bridge::devices::Error::Unsupported) on the CPU, which has no compiler.
    pub fn call(
        &self,
        on: &dyn Executor,
        inputs: &[Input<'_>],
        outputs: &mut [ViewMut<'_>],
    ) -> Result<()> {
        let mut bound = Bound::new(on, &self.0, inputs)?;
        bound.outputs(outputs)?;
        let shape = outputs.first().map(ViewMut::shape).unwrap_or_default();
        bound.expect_shape(shape, outputs)?;
        bound.run(outputs, Work::Elements)
    }

    /// The same into new arrays, of the shape that the inputs broadcast to. There must be no `inout`.
    ///
    /// # Errors
    /// As [`call`](Self::call), and when memory runs out.
    #[track_caller]
    pub fn apply(&self, on: &dyn Executor, inputs: &[Input<'_>]) -> Result<Vec<Array>> {
        let bound = Bound::new(on, &self.0, inputs)?;
        let mut arrays = bound.allocate(&bound.common_shape()?)?;
        let mut outputs: Vec<ViewMut<'_>> = arrays.iter_mut().map(Array::view_mut).collect();
        self.call(on, inputs, &mut outputs)?;
        drop(outputs);
        Ok(arrays)
    }
}
