//! The operators that are timed.

use arrayspan::prelude::*;

use crate::Failure;
use crate::setting::{Setting, half, scattered};

/// One row: a name and the operator it times.
pub(crate) type Row = (&'static str, fn(&Setting) -> Result<Operator, Failure>);

/// Every operator, under the name of the peers' script where it has one.
pub(crate) const OPERATORS: &[Row] = &[
    ("Identity", |s| Ok(Identity::new(s.space()?)?)),
    ("Zero", |s| Ok(Zero::new(s.space()?, s.space()?)?)),
    ("Diagonal", diagonal),
    ("Conj", |s| Ok(Conj::new(Space::new(s.shape.clone(), DType::Complex64)?)?)),
    ("Real", |s| Ok(Real::new(Space::new(s.shape.clone(), DType::Complex64)?)?)),
    ("Imag", |s| Ok(Imag::new(Space::new(s.shape.clone(), DType::Complex64)?)?)),
    ("MatrixMult", |s| {
        let n = s.shape[0];
        Ok(MatrixMult::new(s.random(&[n, n], 2)?, &s.shape[1..])?)
    }),
    ("MatrixMult_ax1", |s| {
        let n = s.shape[1];
        Ok(MatrixMult::along(s.space()?, -1, s.random(&[n, n], 2)?)?)
    }),
    // Where the adjoint has a conjugate that is no transpose.
    ("MatrixMult_complex_ax1", |s| {
        let n = s.shape[1];
        let matrix = s.vector(&Space::new([n, n], DType::Complex64)?, 2)?;
        let space = Space::new(s.shape.clone(), DType::Complex64)?;
        Ok(MatrixMult::along(space, -1, matrix)?)
    }),
    // A batch of products of one matrix.
    ("MatrixMult_middle", |s| {
        let (batch, n) = (s.shape[0].div_ceil(50), s.shape[1] / 16);
        let space = Space::new([batch, n, s.shape[1] / n * 50], DType::Float32)?;
        Ok(MatrixMult::along(space, 1, s.random(&[n, n], 2)?)?)
    }),
    ("MatrixMult_sparse", |s| sparse(s, 32, 1)),
    ("MatrixMult_sparse_64columns", |s| sparse(s, 32, 64)),
    ("Kronecker", |s| {
        let [m, n] = [s.shape[0], s.shape[1]].map(|n| n.min(4000));
        let of = |n, seed| Ok::<_, Failure>(MatrixMult::new(s.random(&[n, n], seed)?, &[])?);
        Ok(Kronecker::new(of(m, 1)?, of(n, 2)?)?)
    }),
    ("Transpose", |s| Ok(Transpose::new(s.space()?, &s.reversed_axes())?)),
    ("Flip", |s| Ok(Flip::new(s.space()?, &[0])?)),
    ("Flip_ax1", |s| Ok(Flip::new(s.space()?, &[1])?)),
    ("Flip_ax2", |s| Ok(Flip::new(s.space()?, &[2])?)),
    ("Pad", |s| Ok(Pad::new(s.space()?, &vec![(10, 10); s.shape.len()])?)),
    ("Symmetrize", |s| Ok(Symmetrize::new(s.space()?, 0)?)),
    ("Symmetrize_ax1", |s| Ok(Symmetrize::new(s.space()?, 1)?)),
    ("Symmetrize_ax2", |s| Ok(Symmetrize::new(s.space()?, 2)?)),
    ("Roll", |s| Ok(Roll::new(s.space()?, 0, 1000)?)),
    // Half of all elements, in order: the peers' indices.
    ("Restriction", |s| {
        let space = Space::new([s.shape.iter().product()], DType::Float32)?;
        let indices = half(space.len());
        Ok(Restriction::new(space, 0, indices)?)
    }),
    // Every second index of an axis; all, in another order.
    ("Restriction_stepped", |s| {
        let indices: Vec<usize> = (0..s.shape[0]).step_by(2).collect();
        Ok(Restriction::new(s.space()?, 0, indices)?)
    }),
    ("Restriction_ax0", |s| Ok(Restriction::new(s.space()?, 0, s.scattered(0))?)),
    ("Restriction_ax1", |s| Ok(Restriction::new(s.space()?, 1, s.scattered(1))?)),
    ("Restriction_ax2", |s| Ok(Restriction::new(s.space()?, 2, s.scattered(2))?)),
    ("Sum", |s| Ok(SumAlong::new(s.space()?, 0)?)),
    ("Sum_ax1", |s| Ok(SumAlong::new(s.space()?, 1)?)),
    ("Sum_ax2", |s| Ok(SumAlong::new(s.space()?, 2)?)),
    ("CausalIntegration", |s| integral(s, 0, Integral::Trapezoidal)),
    ("CausalIntegration_ax1", |s| integral(s, 1, Integral::Trapezoidal)),
    ("CausalIntegration_ax2", |s| integral(s, 2, Integral::Trapezoidal)),
    ("CausalIntegration_full", |s| integral(s, 0, Integral::Full)),
    ("Regression", |s| Ok(Regression::new(s.positions()?, 4)?)),
    ("Regression_along", |s| {
        let positions = s.random(&s.shape[..1], 1)?;
        Ok(Regression::along(s.space()?, 0, positions, 4)?)
    }),
    ("LinearRegression", |s| Ok(LinearRegression::new(s.positions()?)?)),
    ("Interp_linear", |s| {
        let positions = s.between(0).into_iter().step_by(2).collect::<Vec<_>>();
        Ok(Interp::new(s.space()?, 0, positions, Interpolation::Linear)?)
    }),
    ("Interp_ax0", |s| Ok(Interp::new(s.space()?, 0, s.between(0), Interpolation::Linear)?)),
    ("Interp_ax1", |s| Ok(Interp::new(s.space()?, 1, s.between(1), Interpolation::Linear)?)),
    ("Interp_ax2", |s| Ok(Interp::new(s.space()?, 2, s.between(2), Interpolation::Linear)?)),
    ("Interp_sinc", |s| Ok(Interp::sinc(s.space()?, 0, s.between(0), 0.02)?)),
    ("InterpCubicSpline", |s| Ok(InterpCubicSpline::new(s.space()?, 0, s.between(0))?)),
    ("InterpCubicSpline_ax1", |s| Ok(InterpCubicSpline::new(s.space()?, 1, s.between(1))?)),
    ("Bilinear", bilinear),
    ("Spread", spread),
    ("ToDevice", |s| Ok(ToDevice::new(s.space()?, s.device, s.device)?)),
    ("FunctionOperator", |s| {
        let doubled = Update::new(2.0, 0.0);
        Ok(FunctionOperator::self_adjoint(s.space()?, move |on, x, y| Ok(on.copy(x, y, doubled)?))?)
    }),
    // The same model again and again: a comparison and a copy, and a wait of the host.
    ("MemoizeOperator", |s| {
        Ok(MemoizeOperator::new(first(s, 0, Scheme::Centered3, Edge::Zero)?, 2)?)
    }),
    ("FirstDerivative_from_host", |s| {
        // Arrays on the host, computed on the device: what moving costs.
        let slope = first(s, 0, Scheme::Centered3, Edge::Reduced)?;
        Ok(slope.on(s.device, Device::cpu())?)
    }),
    ("FirstDerivative", |s| first(s, 0, Scheme::Centered3, Edge::Reduced)),
    ("FirstDerivative_ax1", |s| first(s, 1, Scheme::Centered3, Edge::Reduced)),
    ("FirstDerivative_ax2", |s| first(s, 2, Scheme::Centered3, Edge::Reduced)),
    ("FirstDerivative5_ax1", |s| first(s, 1, Scheme::Centered5, Edge::Zero)),
    ("SecondDerivative", |s| {
        let (scheme, edge) = (Scheme::Centered3, Edge::Zero);
        Ok(SecondDerivative::new(s.space()?, 0, 1.0, scheme, edge)?)
    }),
    ("Laplacian", laplacian),
    ("Gradient", |s| {
        let steps = vec![1.0; s.shape.len()];
        Ok(Gradient::new(s.space()?, &steps, Scheme::Centered3, Edge::Zero)?)
    }),
    ("Gradient3D", |s| {
        let side = (s.shape.iter().product::<usize>() as f64).cbrt() as usize;
        let space = Space::new([side; 3], DType::Float32)?;
        Ok(Gradient::new(space, &[1.0; 3], Scheme::Centered3, Edge::Zero)?)
    }),
    ("FirstDirectionalDerivative", |s| {
        let (scheme, edge) = (Scheme::Centered3, Edge::Zero);
        let (space, along) = (s.space()?, direction(s)?);
        let steps = vec![1.0; s.shape.len()];
        Ok(FirstDirectionalDerivative::new(space, &along, &steps, scheme, edge)?)
    }),
    ("SecondDirectionalDerivative", |s| {
        let (scheme, edge) = (Scheme::Centered3, Edge::Zero);
        let (space, along) = (s.space()?, direction(s)?);
        let steps = vec![1.0; s.shape.len()];
        Ok(SecondDirectionalDerivative::new(space, &along, &steps, scheme, edge)?)
    }),
    ("Convolve1D_short", convolution),
    ("Convolve1D_long", |s| {
        let filter: Vec<f32> = scattered(1).take(1001.min(s.shape[0])).collect();
        Ok(Convolve1D::new(s.space()?, 0, &filter, filter.len() / 2)?)
    }),
    ("Convolve1D_line", |s| {
        let line = Space::new([s.shape.iter().product::<usize>()], DType::Float32)?;
        let filter: Vec<f32> = scattered(1).take(1001.min(line.len())).collect();
        Ok(Convolve1D::new(line, 0, &filter, filter.len() / 2)?)
    }),
    ("Convolve2D", |s| {
        let filter = s.random(&[15, 15], 1)?;
        Ok(Convolve2D::new(s.space()?, [0, 1], filter, [7, 7], Convolution::Auto)?)
    }),
    ("Convolve2D_small", |s| {
        let filter = s.random(&[3, 3], 1)?;
        Ok(Convolve2D::new(s.space()?, [0, 1], filter, [1, 1], Convolution::Auto)?)
    }),
    ("ConvolveND", |s| {
        let side = (s.shape.iter().product::<usize>() as f64).cbrt().round() as usize;
        let (space, filter) = (Space::new([side; 3], DType::Float32)?, s.random(&[7; 3], 1)?);
        Ok(ConvolveND::new(space, &[0, 1, 2], filter, &[3; 3], Convolution::Auto)?)
    }),
    ("NonStationaryConvolve1D", |s| {
        let places = places(s.shape[0], 10);
        let filters = s.random(&[places.len(), 41], 1)?;
        Ok(NonStationaryConvolve1D::new(s.space()?, 0, filters, places)?)
    }),
    ("NonStationaryConvolve2D", |s| {
        let at = [places(s.shape[0], 10), places(s.shape[1], 10)];
        let filters = s.random(&[at[0].len(), at[1].len(), 11, 11], 1)?;
        let space = Space::new(&s.shape[..2], DType::Float32)?;
        Ok(NonStationaryConvolve2D::new(space, filters, [&at[0], &at[1]])?)
    }),
    ("NonStationaryConvolve3D", |s| {
        let side = (s.shape.iter().product::<usize>() as f64).cbrt().round() as usize;
        let at = places(side, 4);
        let n = at.len();
        let filters = s.random(&[n, n, n, 5, 5, 5], 1)?;
        let space = Space::new([side; 3], DType::Float32)?;
        Ok(NonStationaryConvolve3D::new(space, filters, [&at, &at, &at])?)
    }),
    ("NonStationaryFilters1D", |s| {
        let n = (s.shape[0] * s.shape[1]).min(1_000_000);
        Ok(NonStationaryFilters1D::new(s.random(&[n], 1)?, 41, places(n, 10))?)
    }),
    ("NonStationaryFilters2D", |s| {
        let at = [places(s.shape[0], 10), places(s.shape[1], 10)];
        let input = s.random(&s.shape[..2], 1)?;
        Ok(NonStationaryFilters2D::new(input, [11, 11], [&at[0], &at[1]])?)
    }),
    ("Fredholm1", |s| {
        let n = (s.shape[1] / 8).max(1);
        let slices = (s.shape[0] / 16).max(1);
        Ok(Fredholm1::new(s.random(&[slices, n, n], 1)?, 4)?)
    }),
    ("ChirpRadon2D", |s| {
        let side = s.shape[0].min(1000);
        Ok(ChirpRadon2D::new(Space::new([side; 2], DType::Float32)?, 0.75)?)
    }),
    ("ChirpRadon3D", |s| {
        let side = (s.shape[0].min(1000) as f64).powf(2.0 / 3.0).round() as usize;
        Ok(ChirpRadon3D::new(Space::new([side; 3], DType::Float32)?, [0.75, -0.5])?)
    }),
    ("FourierRadon2D", |s| {
        let side = s.shape[0].min(1000);
        let time = FourierAxis { step: 0.004, ..FourierAxis::new(-1) };
        let [p, h] =
            [1e-6, 10.0].map(|step| (0..side).map(|at| at as f64 * step).collect::<Vec<_>>());
        let space = Space::new([side; 2], DType::Float32)?;
        Ok(FourierRadon2D::new(space, time, None, &p, &h, RadonKind::Linear)?)
    }),
    ("FourierRadon3D", |s| {
        let side = (s.shape[0].min(1000) as f64).powf(2.0 / 3.0).round() as usize;
        let time = FourierAxis { step: 0.004, ..FourierAxis::new(-1) };
        let [p, h] =
            [1e-6, 10.0].map(|step| (0..side).map(|at| at as f64 * step).collect::<Vec<_>>());
        let space = Space::new([side; 3], DType::Float32)?;
        Ok(FourierRadon3D::new(space, time, None, [&p; 2], [&h; 2], [RadonKind::Linear; 2])?)
    }),
    ("Radon2D", |s| radon2d(s, RadonKind::Linear, 1.0)),
    ("Radon2D_hyperbolic", |s| radon2d(s, RadonKind::Hyperbolic, 2.0)),
    ("Radon3D", |s| {
        let side = s.shape[0].min(20);
        let middle = |step: f64| {
            (0..side).map(|at| (at as f64 - side as f64 / 2.0) * step).collect::<Vec<_>>()
        };
        let (p, h) = (middle(0.1), middle(1.0));
        let space = Space::new([side, side, 400], DType::Float32)?;
        let (kinds, between) = ([RadonKind::Linear; 2], Interpolation::Linear);
        Ok(Radon3D::new(space, 1.0, [&p; 2], [&h; 2], kinds, between)?)
    }),
    ("CT2D", |s| ct2d(s, BeamGeometry::Parallel)),
    ("CT2D_fan", |s| ct2d(s, BeamGeometry::Fan { source: 1000.0, detector: 300.0 })),
    ("Smoothing1D", |s| Ok(Smoothing::new(s.space()?, &[(0, 11)])?)),
    ("Smoothing1D_ax1", |s| Ok(Smoothing::new(s.space()?, &[(1, 11)])?)),
    ("SmoothingND", |s| {
        let windows: Vec<(isize, usize)> = (0..s.shape.len() as isize).map(|a| (a, 5)).collect();
        Ok(Smoothing::new(s.space()?, &windows)?)
    }),
    ("Smoothing2D", |s| Ok(Smoothing::new(s.space()?, &[(0, 11), (1, 11)])?)),
    ("FFT", |s| fft(s, -1, Spectrum::Half)),
    ("FFT_ax0", |s| fft(s, 0, Spectrum::Half)),
    ("FFT_full_ax1", |s| fft(s, 1, Spectrum::Full)),
    ("FFT_complex", |s| {
        let space = Space::new(s.shape.clone(), DType::Complex64)?;
        Ok(FFT::new(space, FourierAxis::new(-1), Spectrum::Full, FourierNorm::Ortho)?)
    }),
    // Zeros behind samples, and both halves of samples and bins the other way round.
    ("FFT_padded_shifted", |s| {
        let points = Some(s.shape[s.shape.len() - 1] * 5 / 4);
        let axis = FourierAxis { points, ..FourierAxis::new(-1) };
        let axis = FourierAxis { ifftshift_before: true, fftshift_after: true, ..axis };
        Ok(FFT::new(s.space()?, axis, Spectrum::Full, FourierNorm::Ortho)?)
    }),
    ("FFT2D", |s| {
        let axes = [-2, -1].map(FourierAxis::new);
        Ok(FFT2D::new(s.space()?, axes, Spectrum::Half, FourierNorm::Ortho)?)
    }),
    ("FFTND", |s| {
        let side = (s.shape.iter().product::<usize>() as f64).cbrt().round() as usize;
        let space = Space::new([side; 3], DType::Float32)?;
        let axes = [0, 1, 2].map(FourierAxis::new);
        Ok(FFTND::new(space, &axes, Spectrum::Half, FourierNorm::Ortho)?)
    }),
    ("Shift", |s| Ok(Shift::new(s.space()?, FourierAxis::new(0), 10.5)?)),
    ("DCT", |s| Ok(DCT::new(s.space()?, &[-1], Cosines::II)?)),
    ("DCT2D", |s| Ok(DCT::new(s.space()?, &[-2, -1], Cosines::II)?)),
    ("DCT_blocks8", |s| {
        let space = Space::new([s.shape.iter().product::<usize>() / 8, 8], DType::Float32)?;
        Ok(DCT::new(space, &[1], Cosines::II)?)
    }),
    ("DWT_db4", |s| Ok(DWT::new(s.space()?, 0, &Wavelet::named("db4")?, 1)?)),
    ("DWT_db4_levels3", |s| Ok(DWT::new(s.space()?, 0, &Wavelet::named("db4")?, 3)?)),
    ("DWT2D_haar", |s| Ok(DWT2D::new(s.space()?, [0, 1], &Wavelet::named("haar")?, 1)?)),
    ("DWT2D_haar_levels4", |s| Ok(DWT2D::new(s.space()?, [0, 1], &Wavelet::named("haar")?, 4)?)),
    ("DWTND_db2", |s| {
        let side = (s.shape.iter().product::<usize>() as f64).cbrt().round() as usize;
        let space = Space::new([side; 3], DType::Float32)?;
        Ok(DWTND::new(space, &[0, 1, 2], &Wavelet::named("db2")?, 1)?)
    }),
    // Windows of 64 that share 16, each smoothed.
    ("Sliding1D", |s| {
        let (inner, extent) = (window(&[64])?, s.shape.iter().product());
        Ok(Sliding1D::new(inner, extent, Windows::new(64, 16))?)
    }),
    ("Sliding2D", |s| {
        let inner = window(&[64, s.shape[1]])?;
        Ok(Sliding2D::new(inner, [s.shape[0], s.shape[1]], Windows::new(64, 16))?)
    }),
    ("Sliding3D", |s| {
        let side = (s.shape.iter().product::<usize>() as f64).cbrt().round() as usize;
        let windows = Windows::new(side.min(16), side.min(16) / 4);
        let inner = window(&[windows.len, windows.len, side])?;
        Ok(Sliding3D::new(inner, [side; 3], [windows; 2])?)
    }),
    ("Patch2D", |s| {
        let inner = window(&[64, 64])?;
        Ok(Patch2D::new(inner, [s.shape[0], s.shape[1]], [Windows::new(64, 16); 2])?)
    }),
    ("Patch3D", |s| {
        let side = (s.shape.iter().product::<usize>() as f64).cbrt().round() as usize;
        let windows = Windows::new(side.min(16), side.min(16) / 4);
        Ok(Patch3D::new(window(&[windows.len; 3])?, [side; 3], [windows; 3])?)
    }),
    ("VStack", |s| Ok(vstack([diagonal(s)?, Identity::new(s.space()?)?])?)),
    ("HStack", |s| Ok(hstack([diagonal(s)?, Identity::new(s.space()?)?])?)),
    ("BlockDiag", |s| Ok(block_diagonal([diagonal(s)?, diagonal(s)?])?)),
    ("DTCWT", |s| {
        let extent = s.shape[0] / 2 * 2;
        let space = Space::new([extent, s.shape[1]], DType::Float32)?;
        Ok(DTCWT::new(space, 0, 3, Biorthogonal::default(), QuarterShift::default())?)
    }),
    // Windows of more frequencies are a table of some gigabytes.
    ("UDCT", |s| {
        let shape = [0, 1].map(|axis| s.shape[axis].min(4000) / 4 * 4);
        Ok(UDCT::new(Space::new(shape, DType::Float32)?, &Curvelets::default())?)
    }),
    // Tables of a weight for each pair of samples of a trace.
    ("Seislet_64x128", |_| {
        let space = Space::new([64, 128], DType::Float32)?;
        let slopes: Vec<f64> = scattered(1).take(64 * 128).map(f64::from).collect();
        Ok(Seislet::new(space, slopes, [1.0, 1.0], 5, SeisletBasis::Linear)?)
    }),
    ("PWSprayer2D", |s| plane_waves(s, PWSprayer2D::new)),
    ("PWSmoother2D", |s| plane_waves(s, PWSmoother2D::new)),
    ("Poststack2D", poststack),
    ("MRI2D_lines", |s| {
        let image = Space::new([s.shape[0], s.shape[1]], DType::Float32)?;
        Ok(MRI2D::new(image, &KSpace::Lines(s.scattered(1)))?)
    }),
    ("MRI2D_radial", |s| {
        let [height, width] = [s.shape[0], s.shape[1]];
        let points = KSpace::radial([height, width], 64, height.max(width))?;
        Ok(MRI2D::new(Space::new([height, width], DType::Float32)?, &points)?)
    }),
    ("VStack_derivative_Laplacian", |s| {
        Ok(vstack([first(s, 0, Scheme::Centered3, Edge::Reduced)?, laplacian(s)?])?)
    }),
];

/// As many slownesses, offsets and samples; the peers keep a table for each triple.
fn radon2d(s: &Setting, kind: RadonKind, slowest: f64) -> Result<Operator, Failure> {
    let side = s.shape[0].min(400);
    let h: Vec<f64> = (0..side).map(|at| at as f64 - side as f64 / 2.0).collect();
    let p: Vec<f64> = (0..side).map(|at| slowest * (at as f64 + 0.5) / side as f64).collect();
    let space = Space::new([side; 2], DType::Float32)?;
    Ok(Radon2D::new(space, 1.0, &p, &h, kind, Interpolation::Linear)?)
}

/// An image seen at as many angles by as many detectors as it has pixels along an axis.
fn ct2d(s: &Setting, geometry: BeamGeometry) -> Result<Operator, Failure> {
    let side = s.shape[0].min(500);
    let angles: Vec<f64> =
        (0..side).map(|at| at as f64 * std::f64::consts::PI / side as f64).collect();
    Ok(CT2D::new(Space::new([side; 2], DType::Float32)?, side, 1.25, &angles, geometry)?)
}

/// What is applied to each window: a mean of 5 along its first axis.
fn window(shape: &[usize]) -> Result<Operator, Failure> {
    Ok(Smoothing::new(Space::new(shape, DType::Float32)?, &[(0, 5)])?)
}

/// So many places, or as many as there are samples, evenly spaced.
fn places(extent: usize, count: usize) -> Vec<usize> {
    let step = extent.div_ceil(count);
    (step / 2..extent).step_by(step).collect()
}

/// Of real numbers.
fn fft(s: &Setting, axis: isize, spectrum: Spectrum) -> Result<Operator, Failure> {
    Ok(FFT::new(s.space()?, FourierAxis::new(axis), spectrum, FourierNorm::Ortho)?)
}

fn first(s: &Setting, axis: isize, scheme: Scheme, edge: Edge) -> Result<Operator, Failure> {
    Ok(FirstDerivative::new(s.space()?, axis, 1.0, scheme, edge)?)
}

fn integral(s: &Setting, axis: isize, integral: Integral) -> Result<Operator, Failure> {
    Ok(CausalIntegration::new(s.space()?, axis, 0.004, integral)?)
}

/// A direction that changes from place to place.
fn direction(s: &Setting) -> Result<Direction, Failure> {
    let fields = (1..).take(s.shape.len()).map(|seed| s.random(&s.shape, seed));
    Ok(Direction::fields(fields.collect::<Result<Vec<_>, _>>()?))
}

/// A square matrix with so many entries a row, at random, up to 16 million of them, times so many columns.
fn sparse(s: &Setting, row: usize, columns: usize) -> Result<Operator, Failure> {
    let n = (s.shape.iter().product::<usize>().min(16_000_000) / row).max(row);
    let place = |at: usize| (at as u64).wrapping_mul(6_364_136_223_846_793_005) >> 33;
    // Rows are not all as long.
    let starts: Vec<i64> = (0..=n as i64).map(|at| at * row as i64 + at % 5).collect();
    let entries = starts[n] as usize;
    let indices: Vec<i64> = (0..entries).map(|at| (place(at) as usize % n) as i64).collect();
    // Of other values for each: operators of equal tables are compared entry by entry.
    let values: Vec<f32> = scattered(columns as u32).take(entries).collect();
    let (starts, indices) =
        (Array::from_vec(starts, [n + 1])?, Array::from_vec(indices, [entries])?);
    let matrix = Sparse::from_csr([n, n], &starts, &indices, Array::from_vec(values, [entries])?)?;
    Ok(MatrixMult::sparse(Space::new([n, columns], DType::Float32)?, 0, matrix)?)
}

/// Half as many positions as samples, all over the first two axes, in no order; without a second one it has a sample.
fn bilinear(s: &Setting) -> Result<Operator, Failure> {
    let [height, width] = [s.shape[0], s.shape.get(1).copied().unwrap_or(1)];
    let others = s.shape.get(2..).unwrap_or_default();
    let space = Space::new([&[height, width], others].concat(), DType::Float32)?;
    let along = |extent: usize, seed| {
        let last = (extent - 1) as f64;
        scattered(seed).map(move |place| (f64::from(place) * 0.5 + 0.5) * last)
    };
    let half = height * width / 2;
    let positions: Vec<_> = along(height, 1).zip(along(width, 2)).take(half).collect();
    let positions: Vec<[f64; 2]> = positions.into_iter().map(<[f64; 2]>::from).collect();
    Ok(Bilinear::new(space, positions)?)
}

/// Random curves, as many values in each as rows: the peers' table.
fn spread(s: &Setting) -> Result<Operator, Failure> {
    let n = s.shape[0].min(500);
    let space = Space::new([n, n], DType::Float32)?;
    let scattered = |i: usize, k: usize, j: usize| {
        let place = ((i * n + k) * n + j) as u64;
        Some((place.wrapping_mul(6_364_136_223_846_793_005) >> 33) as usize % n)
    };
    let curve = |i, k, j| scattered(i, k, j).map(|at| at as f64);
    Ok(Spread::new(space.clone(), space, curve, Interpolation::Nearest)?)
}

pub(crate) fn laplacian(s: &Setting) -> Result<Operator, Failure> {
    let along = |axis| Along { axis: axis as isize, step: 1.0, weight: 1.0 };
    let terms: Vec<Along> = (0..s.shape.len()).map(along).collect();
    Ok(Laplacian::new(s.space()?, &terms, Scheme::Centered3, Edge::Zero)?)
}

fn diagonal(s: &Setting) -> Result<Operator, Failure> {
    Ok(Diagonal::new(s.space()?, s.random(&s.shape, 1)?)?)
}

/// Along slopes between -1 and 1, to 8 columns on each side, of at most a million samples.
fn plane_waves(
    s: &Setting,
    make: fn(Space, Vec<f64>, usize, f64) -> arrayspan::operators::Result<Operator>,
) -> Result<Operator, Failure> {
    let shape = [s.shape[0].min(1000), s.shape[1].min(1000)];
    let slopes = scattered(1).take(shape[0] * shape[1]).map(f64::from).collect();
    Ok(make(Space::new(shape, DType::Float32)?, slopes, 8, 0.9)?)
}

pub(crate) fn poststack(s: &Setting) -> Result<Operator, Failure> {
    let wavelet = wavelet();
    Ok(PoststackLinearModelling::new(s.space()?, &wavelet, Scheme::Centered3)?)
}

/// A filter of 41 taps along the first axis.
pub(crate) fn convolution(s: &Setting) -> Result<Operator, Failure> {
    let wavelet = wavelet();
    Ok(Convolve1D::new(s.space()?, 0, &wavelet, wavelet.len() / 2)?)
}

/// A Ricker wavelet of 20 Hz, 41 samples at 4 ms.
fn wavelet() -> Vec<f64> {
    let value = |i: i32| {
        let a = (std::f64::consts::PI * 20.0 * 0.004 * f64::from(i)).powi(2);
        (1.0 - 2.0 * a) * (-a).exp()
    };
    (-20..=20).map(value).collect()
}
