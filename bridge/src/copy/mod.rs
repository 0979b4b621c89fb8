//! Elements from one array to another: between layouts, devices and dtypes.
//!
//! The copies of the host and of devices that run kernels walk the same [`IterationSpace`](crate::iteration::IterationSpace):
//! axes sorted for the target to be written from its start to its end, merged, and cut into square tiles where source
//! and target are contiguous along different axes. A plain copy is the conversion of bytes to themselves;
//! [`cast`] says what becomes of an element whose dtype changes.

mod across;
pub(crate) mod between;
pub(crate) mod cast;
mod catalogue;
pub(crate) mod device;
mod host;
pub(crate) mod past;
mod plan;
pub(crate) mod stack;
pub(crate) mod streams;
mod turn;
mod variant;
mod within;

pub use catalogue::catalogue;
