//! Where the rays of a tomograph come from.

/// Where the rays come from that detectors see at an angle.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum BeamGeometry {
    /// From infinitely far away: all of an angle are parallel.
    #[default]
    Parallel,
    /// From a point, to detectors in a line on the other side of the image's middle.
    Fan {
        /// From the point to the middle of the image, in pixels: outside of the image.
        source: f64,
        /// From there to the middle of the line of detectors.
        detector: f64,
    },
}
