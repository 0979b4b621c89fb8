//! Tomography of images.

use arrayspan_kernels::{Beam, Error as KernelError, Projection, Rays};

use super::BeamGeometry;
use crate::{Error, Form, LinearMap as _, Operator, Result, Space, Transpose};

/// `y[θ, s] = ∫ x(ray(θ, s)) dl`: line integrals of an image along the rays that detectors see at some angles, by linear interpolation; domain `space`,
/// `[y, x]`, range `[angles, detectors]`. The adjoint, which is the exact one, projects back.
///
/// A ray crosses rows or columns, whichever it crosses more steeply, and takes from each of them the value between two pixels, times the way to the
/// next (Joseph's method); beside the image there is nothing. Pixels are squares of side 1, row 0 is the uppermost one, and the origin is the middle.
/// At angle `θ` rays go along `(x, y) = (sin θ, -cos θ)`, and detectors lie along `(cos θ, sin θ)`. Positions are computed on the way, in integers and the
/// same in both directions: there is a table of three numbers for each ray. Units: those of `x` times pixels. Complex: linear. Cost: 3 launches in
/// each direction, one of them a copy of the image with both axes exchanged, 1 where rays are all along rows or 2 where they are all along columns (test `bytes::ct2d`).
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use arrayspan_operators::kernels::bridge::{Array, DType};
/// use arrayspan_operators::prelude::*;
/// let space = Space::new([2, 2], DType::Float64)?;
/// let angles = [0.0, std::f64::consts::FRAC_PI_2];
/// let ct = CT2D::new(space, 2, 1.0, &angles, BeamGeometry::Parallel)?;
/// // Down the columns, and along the rows, from the lower one on.
/// let y = ct.forward(Array::from_slice(&[1.0, 2.0, 3.0, 4.0], [2, 2])?)?.to_vec::<f64>()?;
/// assert!(y.iter().zip([4.0, 6.0, 7.0, 3.0]).all(|(y, expected)| (y - expected).abs() < 1e-12));
/// # Ok(()) }
/// ```
///
/// Reference: Joseph, An improved algorithm for reprojecting rays through pixel images, IEEE Transactions on Medical Imaging 1 (1982). Golden: PyLops 2.8.0
/// `CT2D` with the projector `linear` of ASTRA 2.5.0, which has no double precision, and no fans.
#[derive(Debug)]
pub struct CT2D(());

impl CT2D {
    const NAME: &str = "CT2D";

    /// The integrals of images of `space`, at `angles` in radians, by so many detectors of that `width`, side by side.
    ///
    /// # Errors
    /// [`Error::Parameter`] when `space` has not two axes with pixels, or more than 2²⁰ along one; there are no detectors, more than 2²⁰, or no angles;
    /// `width` is not finite and above 0, an angle is not finite; a fan comes from within the image or from less than a pixel beside it, or its detectors
    /// are not on the other side of its source; or the dtype is not one to compute with. [`Error::TooLarge`] when data cannot be addressed; out of memory.
    pub fn new(
        space: Space,
        detectors: usize,
        width: f64,
        angles: &[f64],
        geometry: BeamGeometry,
    ) -> Result<Operator> {
        space.computable(Self::NAME)?;
        let &[height, across] = space.shape() else {
            return Error::parameter(Self::NAME, format!("{space}, which has not two axes"));
        };
        check([height, across], detectors, width, angles, geometry)?;
        let range = Space::of(Self::NAME, [angles.len(), detectors], space.dtype())?;
        // Of rows and columns, in pixels from the first one.
        let beams = |axes: [usize; 2]| -> Vec<Beam> {
            let beam =
                |angle: &f64| beam([height, across], detectors, width, *angle, geometry, axes);
            angles.iter().map(beam).collect()
        };
        let project = |extents: [usize; 2], beams: &[Beam], diagonal: bool| {
            Projection::beams(extents, detectors, beams, diagonal).map_err(|error| match error {
                KernelError::Argument { why, .. } => {
                    Error::Parameter { operator: Self::NAME.into(), why }
                }
                other => other.into(),
            })
        };
        let down = project([height, across], &beams([0, 1]), true)?;
        let along = project([across, height], &beams([1, 0]), false)?;
        if !along.crosses() {
            return Operator::of(Self::NAME, space, range, Form::Projection(down));
        }
        let turn = Transpose::new(space.clone(), &[1, 0])?;
        let turned = turn.range().clone();
        let along =
            Operator::of("rays along rows", turned, range.clone(), Form::Projection(along))?;
        if !down.crosses() {
            return Ok(along.after(turn).build()?.named(Self::NAME));
        }
        let down = Operator::of("rays along columns", space, range, Form::Projection(down))?;
        Ok((down + along.after(turn)).build()?.named(Self::NAME))
    }
}

/// The rays at an angle, in these two coordinates of `[row, column]`.
fn beam(
    image: [usize; 2],
    detectors: usize,
    width: f64,
    angle: f64,
    geometry: BeamGeometry,
    axes: [usize; 2],
) -> Beam {
    let (sine, cosine) = angle.sin_cos();
    let turned = |[row, column]: [f64; 2]| axes.map(|axis| [row, column][axis]);
    // From places and directions, y upwards, to rows and columns.
    let middle = image.map(|extent| (extent as f64 - 1.0) / 2.0);
    let direction = |[x, y]: [f64; 2]| turned([-y, x]);
    let place = |[x, y]: [f64; 2]| turned([middle[0] - y, middle[1] + x]);
    let away = match geometry {
        BeamGeometry::Parallel => 0.0,
        BeamGeometry::Fan { detector, .. } => detector,
    };
    let first = -(detectors as f64 - 1.0) / 2.0 * width;
    Beam {
        first: place([first * cosine - away * sine, first * sine + away * cosine]),
        step: direction([width * cosine, width * sine]),
        rays: match geometry {
            BeamGeometry::Parallel => Rays::Parallel(direction([sine, -cosine])),
            BeamGeometry::Fan { source, .. } => {
                Rays::From(place([source * sine, -source * cosine]))
            }
        },
    }
}

fn check(
    image: [usize; 2],
    detectors: usize,
    width: f64,
    angles: &[f64],
    geometry: BeamGeometry,
) -> Result<()> {
    let name = CT2D::NAME;
    if image.contains(&0) || detectors == 0 || angles.is_empty() {
        let count = angles.len();
        let why =
            format!("{detectors} detectors at {count} angles around an image of {image:?} pixels");
        return Error::parameter(name, why);
    }
    if !width.is_finite() || width <= 0.0 {
        return Error::parameter(name, format!("detectors of width {width}"));
    }
    if let Some(angle) = angles.iter().find(|angle| !angle.is_finite()) {
        return Error::parameter(name, format!("an angle of {angle}"));
    }
    let BeamGeometry::Fan { source, detector } = geometry else { return Ok(()) };
    let [height, across] = image.map(|extent| extent as f64 + 1.0);
    let radius = height.hypot(across) / 2.0;
    let outside = source.is_finite() && source > radius;
    if outside && detector.is_finite() && source + detector > 0.0 {
        return Ok(());
    }
    let why = format!(
        "a source {source} pixels from the middle of an image of {image:?}, which has to be more than {radius}, and detectors \
         {detector} behind it"
    );
    Error::parameter(name, why)
}
