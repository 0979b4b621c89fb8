//! Medical imaging.

mod beam_geometry;
mod ct2d;

pub use beam_geometry::BeamGeometry;
pub use ct2d::CT2D;
