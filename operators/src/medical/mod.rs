//! Medical imaging.

mod k_space;
mod mri2d;

pub use k_space::KSpace;
pub use mri2d::MRI2D;
