//! For those who write kernels over strided arrays: from layouts to an index space, its launch and the macros that
//! a kernel's text takes.
//!
//! An [`IterationSpace`] is what several arrays of one shape have in common: axes sorted, flipped and merged until few
//! are left. Its [`IterationForm`] is the part that is compiled into a kernel (the number of axes, how wide accesses are),
//! so that arrays of one form share a kernel; extents and strides go with each launch as [`Arguments`].

mod arguments;
mod collapse;
mod form;
mod geometry;
mod runs;
mod space;
mod text;

pub use crate::layout::Axes;
pub use arguments::{Arguments, MOST_ARGUMENTS};
pub use collapse::{Collapsed, Each, collapse, collapse_around};
pub use form::IterationForm;
pub use geometry::{MOST_GROUPS, THREADS, grid, grid_of, wide_grid};
pub use runs::WIDEST;
pub use runs::{Inner, Runs, Start, address};
pub use space::IterationSpace;
pub use text::Text;
