//! Medical imaging.

mod beam_geometry;
mod ct2d;
mod k_space;
mod mri2d;

pub use beam_geometry::BeamGeometry;
pub use ct2d::CT2D;
pub use k_space::KSpace;
pub use mri2d::MRI2D;
