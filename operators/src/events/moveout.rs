//! When events come.

use super::NAME;
use crate::{Error, Result};

/// When an event comes, at a position `x` of `N` coordinates.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Moveout<const N: usize> {
    /// `t = t₀ + Σ pₐ xₐ`: PyLops `linear2d`, `linear3d`, whose angles [`dip`] and [`dip_azimuth`] make slownesses of.
    Linear {
        /// The time at the origin, `t₀`.
        intercept: f64,
        /// `p`, in time over distance.
        slowness: [f64; N],
    },
    /// `t = t₀ + Σ (pₐ xₐ + cₐ xₐ²)`: PyLops `parabolic2d`, `parabolic3d`.
    Parabolic {
        /// The time at the origin, `t₀`.
        intercept: f64,
        /// `p`, in time over distance.
        slowness: [f64; N],
        /// `c`, in time over distance squared.
        curvature: [f64; N],
    },
    /// `t = √(t₀² + Σ xₐ² / vₐ²)`: PyLops `hyperbolic2d`, `hyperbolic3d`.
    Hyperbolic {
        /// The time at the origin, `t₀`.
        intercept: f64,
        /// `v`, in distance over time; not zero.
        velocity: [f64; N],
    },
}

impl<const N: usize> Moveout<N> {
    /// The time at a position.
    #[must_use]
    pub fn at(&self, x: [f64; N]) -> f64 {
        let sum = |of: &dyn Fn(usize) -> f64| (0..N).map(of).sum::<f64>();
        match self {
            Self::Linear { intercept, slowness } => intercept + sum(&|a| slowness[a] * x[a]),
            Self::Parabolic { intercept, slowness, curvature } => {
                let slope = sum(&|a| slowness[a] * x[a]);
                intercept + slope + sum(&|a| curvature[a] * x[a] * x[a])
            }
            Self::Hyperbolic { intercept, velocity } => {
                // No square leaves the numbers where the root does not.
                (0..N).map(|a| x[a] / velocity[a]).fold(intercept.abs(), f64::hypot)
            }
        }
    }

    pub(super) fn is_finite(&self) -> bool {
        let all = |numbers: &[f64]| numbers.iter().all(|number| number.is_finite());
        match self {
            Self::Linear { intercept, slowness } => intercept.is_finite() && all(slowness),
            Self::Parabolic { intercept, slowness, curvature } => {
                intercept.is_finite() && all(slowness) && all(curvature)
            }
            Self::Hyperbolic { intercept, velocity } => {
                let moves = velocity.iter().all(|velocity| *velocity != 0.0);
                intercept.is_finite() && all(velocity) && moves
            }
        }
    }
}

/// An event: how large it is, and when it comes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SeismicEvent<const N: usize> {
    /// The height of its spikes.
    pub amplitude: f64,
    /// When it comes.
    pub moveout: Moveout<N>,
}

/// The slowness of a plane wave in a section: `sin(θ) / v`, with the angle in degrees.
///
/// # Errors
/// [`Error::Parameter`] unless all is finite and the velocity is not zero.
pub fn dip(velocity: f64, angle: f64) -> Result<[f64; 1]> {
    plane(velocity, [angle, 0.0])?;
    Ok([angle.to_radians().sin() / velocity])
}

/// The slownesses of a plane wave in a volume, `[sin(θ) sin(φ) / v, sin(θ) cos(φ) / v]` along `y` and `x`, with angles in
/// degrees.
///
/// # Errors
/// As [`dip`].
pub fn dip_azimuth(velocity: f64, angle: f64, azimuth: f64) -> Result<[f64; 2]> {
    plane(velocity, [angle, azimuth])?;
    let (slope, azimuth) = (angle.to_radians().sin(), azimuth.to_radians());
    Ok([slope * azimuth.sin() / velocity, slope * azimuth.cos() / velocity])
}

fn plane(velocity: f64, angles: [f64; 2]) -> Result<()> {
    let all = velocity.is_finite() && angles.iter().all(|angle| angle.is_finite());
    if all && velocity != 0.0 {
        return Ok(());
    }
    let why = format!("a velocity of {velocity} and angles of {angles:?}, which have to be finite");
    Error::parameter(NAME, format!("{why}, and the velocity not zero"))
}
