//! Synthetic seismic events: spikes along lines, parabolas and hyperbolas, and what a wavelet makes of them.
//!
//! A gather of `N` axes in space has one trace at each of their positions, and time is its last axis: `N = 1` is a section,
//! `N = 2` a volume, whose axes are those of its shape (PyLops: `y`, then `x`). Gathers are made on the host, in
//! `Float64`; `view().convert` gives them another dtype.
//!
//! ```
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use arrayspan_operators::events::{SeismicEvent, Moveout, RegularAxis, dip, events};
//! use arrayspan_operators::wavelet::ricker;
//!
//! let time = RegularAxis { origin: 0.0, step: 0.004, len: 250 };
//! let x = RegularAxis { origin: -300.0, step: 10.0, len: 61 }.positions()?;
//! let flat = Moveout::Linear { intercept: 0.3, slowness: dip(2000.0, 10.0)? };
//! let curved = Moveout::Hyperbolic { intercept: 0.5, velocity: [1800.0] };
//! let parts = [SeismicEvent { amplitude: 1.0, moveout: flat }, SeismicEvent { amplitude: -0.5, moveout: curved }];
//! let gather = events([&x], time, &parts, &ricker(20, 0.004, 25.0)?)?;
//! assert_eq!(gather.data.shape(), [61, 250]);
//! # Ok(()) }
//! ```

mod axis;
mod gather;
mod moveout;

pub use axis::RegularAxis;
pub use gather::{Seismogram, events};
pub use moveout::{Moveout, SeismicEvent, dip, dip_azimuth};

/// What errors call it.
const NAME: &str = "events";
