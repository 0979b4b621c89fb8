//! Many elements to one, in a way of the user's own.

use std::sync::Arc;

use arrayspan_bridge::{Array, ViewMut};

use super::call::Bound;
use super::declaration::wrong;
use super::definition::{Definition, Source};
use super::input::Input;
use super::types::Type;
use crate::verb::{Work, axes, check};
use crate::{Executor, Result};

/// The texts of a [`ReductionKernel`].
#[derive(Clone, Copy, Debug)]
pub struct ReductionSource<'s> {
    /// The type of totals: a type, or a letter of the parameters.
    pub total: &'s str,
    /// An expression: the total of one element, of the inputs and `i`, the index of the element in row-major order.
    pub map: &'s str,
    /// An expression: the total of the totals `a` and `b`. Order and grouping must not matter but for rounding.
    pub combine: &'s str,
    /// An expression: the total of no element.
    pub identity: &'s str,
    /// Statements: the outputs of the total `a` of `n` elements.
    pub finish: &'s str,
}

/// Many elements to one, by expressions in C: each element is mapped to a total, totals are combined, and the last one
/// becomes the outputs.
///
/// Inputs broadcast. The order in which totals are combined depends on shapes, strides and the device alone: the same call
/// gives the same bits.
///
/// ```
/// use arrayspan_kernels::bridge::{Array, DType, devices::Device};
/// use arrayspan_kernels::on;
/// use arrayspan_kernels::user::{ReductionKernel, ReductionSource};
///
/// let source = ReductionSource {
///     total: "f64",
///     map: "(f64)x * x",
///     combine: "a + b",
///     identity: "0",
///     finish: "norm = (f32)f64_sqrt(a);",
/// };
/// // SAFETY: the source touches nothing but its values, and ends.
/// let norm = unsafe { ReductionKernel::new("norm", "f32 x", "f32 norm", source) }?;
/// let runs = |device: &Device| !device.is_cpu() && device.info().float64;
/// for device in Device::all().into_iter().filter(runs) {
///     let x = Array::from_slice(&[3.0_f32, 4.0], [2])?.into_device(device)?.0;
///     let norms = norm.apply(&*on(device)?, &[(&x).into()], None)?;
///     assert_eq!(norms[0].view().to_vec::<f32>()?, [5.0]);
/// }
/// # Ok::<(), arrayspan_kernels::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct ReductionKernel(Arc<Definition>);

impl ReductionKernel {
    /// Declares one, with parameters as those of [`ElementwiseKernel::new`](super::ElementwiseKernel::new). There is no
    /// `inout`, and no parameter is called `a`, `b`, `i` or `n`.
    ///
    /// # Errors
    /// [`Error::Declaration`](crate::Error::Declaration), as for [`ElementwiseKernel::new`](super::ElementwiseKernel::new),
    /// and for a type of totals that is none or a letter of no parameter.
    ///
    /// # Safety
    /// Each text is what it stands for, reads and writes no memory but values and variables of its own, and ends, for
    /// whatever values and every dtype the kernel is called with, each time it runs.
    pub unsafe fn new(
        name: &str,
        inputs: &str,
        outputs: &str,
        source: ReductionSource<'_>,
    ) -> Result<Self> {
        let Some(total) = Type::parse(source.total.trim()) else {
            return wrong(
                name,
                format!("the type of totals '{}' is none", source.total.escape_debug()),
            );
        };
        let text = Source::Reduction {
            total,
            map: source.map.into(),
            combine: source.combine.into(),
            identity: source.identity.into(),
            finish: source.finish.into(),
        };
        let definition = Definition::new(name, inputs, outputs, &["a", "b", "i", "n"], text)?;
        let mut all = definition.inputs.iter().chain(&definition.outputs);
        if total.letter().is_some() && !all.any(|one| one.kind.letter() == total.letter()) {
            return wrong(
                name,
                format!("no parameter has the type of totals, {}", source.total.trim()),
            );
        }
        if let Some(output) = definition.outputs.iter().find(|output| output.is_read) {
            return wrong(
                name,
                format!("'{}' is inout, and a reduction reads no output", output.name),
            );
        }
        Ok(Self(definition))
    }

    /// Reduces inputs, which broadcast to one shape, over `axes`, or all of them if there are none named, into `outputs`,
    /// which have the shape of the other axes. Enqueued; does not wait.
    ///
    /// # Errors
    /// As [`ElementwiseKernel::call`](super::ElementwiseKernel::call); an axis that is not there or named twice; no array
    /// among the inputs.
    pub fn call(
        &self,
        on: &dyn Executor,
        inputs: &[Input<'_>],
        axes: Option<&[usize]>,
        outputs: &mut [ViewMut<'_>],
    ) -> Result<()> {
        let mut bound = Bound::new(on, &self.0, inputs)?;
        bound.outputs(outputs)?;
        let (shape, axes) = reduced(&bound, axes)?;
        bound.expect_shape(&axes::kept(&shape, &axes), outputs)?;
        bound.run(outputs, Work::Axes(shape, axes))
    }

    /// The same into new arrays.
    ///
    /// # Errors
    /// As [`call`](Self::call), and when memory runs out.
    #[track_caller]
    pub fn apply(
        &self,
        on: &dyn Executor,
        inputs: &[Input<'_>],
        axes: Option<&[usize]>,
    ) -> Result<Vec<Array>> {
        let bound = Bound::new(on, &self.0, inputs)?;
        let (shape, sorted) = reduced(&bound, axes)?;
        let mut arrays = bound.allocate(&axes::kept(&shape, &sorted))?;
        let mut outputs: Vec<ViewMut<'_>> = arrays.iter_mut().map(Array::view_mut).collect();
        self.call(on, inputs, axes, &mut outputs)?;
        drop(outputs);
        Ok(arrays)
    }
}

/// The shape that is reduced, and the axes.
fn reduced(bound: &Bound<'_, '_>, axes: Option<&[usize]>) -> Result<(Vec<usize>, Vec<usize>)> {
    let of = bound.of;
    if !bound.inputs.iter().any(|input| matches!(input, Input::Array(_))) {
        let why = format!("there is no array among the inputs of '{}'", of.name);
        return check::argument(of.verb(), why);
    }
    let shape = bound.common_shape()?;
    let axes = match axes {
        Some(axes) => axes::sorted(of.verb(), &shape, axes)?,
        None => (0..shape.len()).collect(),
    };
    Ok((shape, axes))
}
