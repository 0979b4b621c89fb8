//! Memory that functionals and methods work in, kept from one call to the next.

use arrayspan_bridge::{Array, DType};
use arrayspan_kernels::{Executor, VectorMut, widest_real};
use arrayspan_operators::{LinearMap, Workspace};

use crate::{Result, bytes};

/// Arrays for intermediate results, made when they are first asked for and kept for the next one who does.
///
/// It fits every problem: what is not there in the shape, the dtype and on the device asked for is made. So a second run of the
/// same kind allocates nothing, and one of another kind only what it needs besides. [`take`](Self::take) hands an array over, and
/// [`give`](Self::give) takes it back; an array that is not given back is freed when it is dropped, and made anew next time.
///
/// ```
/// use arrayspan_bridge::{DType, devices::Device};
/// use arrayspan_solvers::proximal::Scratch;
///
/// let on = arrayspan_kernels::on(Device::cpu())?;
/// let mut scratch = Scratch::default();
/// let array = scratch.take(&*on, &[3, 4], DType::Float32)?;
/// scratch.give(array);
/// assert_eq!(scratch.bytes(), 48);
/// # Ok::<(), arrayspan_solvers::Error>(())
/// ```
#[derive(Debug, Default)]
pub struct Scratch {
    arrays: Vec<Array>,
    workspaces: Vec<Workspace>,
}

impl Scratch {
    /// An array with unspecified content, where `on` computes.
    ///
    /// # Errors
    /// Out of memory.
    pub fn take(&mut self, on: &dyn Executor, shape: &[usize], dtype: DType) -> Result<Array> {
        let fits = |array: &Array| {
            array.shape() == shape && array.dtype() == dtype && array.device() == on.device()
        };
        match self.arrays.iter().position(fits) {
            Some(at) => Ok(self.arrays.swap_remove(at)),
            None => Ok(on.empty(shape, dtype)?),
        }
    }

    /// A number on the device, in its widest real dtype.
    ///
    /// # Errors
    /// Out of memory; the device's failure.
    pub fn number(&mut self, on: &dyn Executor, value: f64) -> Result<Array> {
        let mut number = self.take(on, &[], widest_real(on.device()))?;
        number.assign_on(on, value)?;
        Ok(number)
    }

    /// Takes an array back.
    pub fn give(&mut self, array: Array) {
        self.arrays.push(array);
    }

    /// Takes several arrays back.
    pub fn give_all(&mut self, arrays: impl IntoIterator<Item = Array>) {
        self.arrays.extend(arrays);
    }

    /// The bytes of all arrays that are here, and not with whoever took them.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let arrays = self.arrays.iter().map(|array| array.layout().len() * array.dtype().bytes());
        let workspaces = self.workspaces.iter().map(Workspace::bytes);
        bytes::total(arrays.chain(workspaces))
    }

    /// Memory for intermediate results of an operator.
    pub(crate) fn workspace(&mut self, a: &dyn LinearMap, on: &dyn Executor) -> Result<Workspace> {
        let fits = |workspace: &Workspace| workspace.check(a, on).is_ok();
        match self.workspaces.iter().position(fits) {
            Some(at) => Ok(self.workspaces.swap_remove(at)),
            None => Ok(Workspace::of(a, on)?),
        }
    }

    /// Takes it back.
    pub(crate) fn give_workspace(&mut self, workspace: impl Into<Option<Workspace>>) {
        self.workspaces.extend(workspace.into().filter(|workspace| workspace.bytes() > 0));
    }
}
