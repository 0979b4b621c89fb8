//! Source as it stands.

use std::sync::Arc;

use arrayspan_bridge::ViewMut;

use super::call::Bound;
use super::declaration::{self, wrong};
use super::definition::{Definition, Source};
use super::geometry::Geometry;
use super::input::Input;
use crate::verb::Work;
use crate::{Executor, Result};

/// Source as it stands, in the common subset of CUDA C and `OpenCL` C, with whatever grid it wants.
///
/// The source defines `KERNEL name(PARAMETERS)`, `name` being the kernel's, which begins with `BEGIN`. Then arrays are pointers
/// to their first elements, `GLOBAL T* x`, and numbers are constants. A raw kernel knows strides and extents only as
/// numbers that it is given.
#[derive(Clone, Debug)]
pub struct RawKernel(Arc<Definition>);

impl RawKernel {
    /// Declares one, with parameters as those of [`ElementwiseKernel::new`](super::ElementwiseKernel::new). Inputs are arrays
    /// to be read and numbers, outputs are arrays to be written or, if `inout`, read and written. Declaring is safe, since
    /// it runs nothing.
    ///
    /// # Errors
    /// [`Error::Declaration`](crate::Error::Declaration) for what is no name or type, names that clash, no output, and
    /// source without `KERNEL name(PARAMETERS)`.
    pub fn new(name: &str, inputs: &str, outputs: &str, source: &str) -> Result<Self> {
        let definition = Definition::new(name, inputs, outputs, &[], Source::Raw(source.into()))?;
        for word in ["KERNEL", name, "PARAMETERS", "BEGIN"] {
            if !declaration::names(source, word) {
                return wrong(
                    name,
                    format!("its source has no '{word}' of KERNEL {name}(PARAMETERS) {{ BEGIN"),
                );
            }
        }
        Ok(Self(definition))
    }

    /// Runs it. Enqueued; does not wait. Arrays are those on the executor's device, with any strides.
    ///
    /// # Errors
    /// For arguments of the wrong number, dtype or device, found before anything is enqueued; a compiler's, with lines
    /// counted from the start of the source; a grid or shared memory that the device refuses;
    /// [`Unsupported`](arrayspan_bridge::devices::Error::Unsupported) on the CPU, which has no compiler.
    ///
    /// # Safety
    /// With these arguments and this geometry, the kernel reads no memory but the inputs' elements and those of `inout` outputs,
    /// writes none but the outputs' elements and its own, and ends; it has no data race, and all of its threads come to its
    /// barriers. If `on` is one that records, this holds for every replay.
    pub unsafe fn launch(
        &self,
        on: &dyn Executor,
        geometry: Geometry,
        inputs: &[Input<'_>],
        outputs: &mut [ViewMut<'_>],
    ) -> Result<()> {
        let mut bound = Bound::new(on, &self.0, inputs)?;
        bound.outputs(outputs)?;
        bound.run(outputs, Work::Geometry(geometry))
    }
}
