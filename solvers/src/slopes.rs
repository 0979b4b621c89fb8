//! Local slopes by plane-wave destruction.
//!
//! ```
//! use arrayspan_bridge::Array;
//! use arrayspan_solvers::slopes::{PlaneWaveDestruction, pwd_slope_estimate};
//!
//! // Waves that go half a sample down from column to column.
//! let wave = |at: usize| (0.4 * ((at / 20) as f64 - 0.5 * (at % 20) as f64)).sin();
//! let section = Array::from_vec((0..800).map(wave).collect(), [40, 20])?;
//! let parameters = PlaneWaveDestruction { smoothing: vec![5, 5], ..PlaneWaveDestruction::default() };
//! let slopes = pwd_slope_estimate(&section, &parameters)?.to_vec::<f64>()?;
//! assert!((slopes[20 * 20 + 10] - 0.5).abs() < 0.01);
//! # Ok::<(), arrayspan_solvers::Error>(())
//! ```

use arrayspan_bridge::{
    Array, AsElementwise as _, AsView, DType, Elementwise, Relayout as _, View,
};
use arrayspan_kernels::{Vector as _, VectorMut as _};
use arrayspan_operators::{Diagonal, Error as OperatorError, Operator, Smoothing, Space};

use crate::least_squares::preconditioned;
use crate::parameters::wrong;
use crate::{Error, Lsqr, Result, Stop, Stopped};

const NAME: &str = "pwd_slope_estimate";

/// The filter that moves a trace by a slope: the all-pass filter of so many taps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AllPass {
    /// Three taps. PyLops: `order=1`.
    Three,
    /// Five taps. PyLops: `order=2`.
    Five,
}

/// The weights that changes of slopes are smoothed by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SlopeSmoothing {
    /// Means of so many neighbours.
    Boxcar,
    /// Means of half as many, twice.
    Triangle,
}

/// How [`pwd_slope_estimate`] looks for slopes.
#[derive(Clone, Debug, PartialEq)]
pub struct PlaneWaveDestruction {
    /// How often slopes are changed. PyLops: `niter`.
    pub iterations: usize,
    /// Iterations of [`Lsqr`] for each change. PyLops: `liter`.
    pub inner: usize,
    /// The filter.
    pub filter: AllPass,
    /// What makes changes smooth.
    pub kind: SlopeSmoothing,
    /// Its neighbours along each axis, the next odd number for an even one; one number is that of all axes.
    pub smoothing: Vec<usize>,
    /// That of [`Lsqr`]. PyLops: `damp`.
    pub damping: f64,
    /// The axis that slopes are along, which counts from the end if it is negative; not the first one, which is that of depth.
    pub axis: isize,
}

impl Default for PlaneWaveDestruction {
    /// Five changes of 20 iterations each, five taps, triangles of 10 neighbours, no damping, along the last axis.
    fn default() -> Self {
        Self {
            iterations: 5,
            inner: 20,
            filter: AllPass::Five,
            kind: SlopeSmoothing::Triangle,
            smoothing: vec![10],
            damping: 0.0,
            axis: -1,
        }
    }
}

/// Slopes of a section `[z, x]` or a volume `[z, x, y]`, in samples of `z` per sample along an axis, positive downwards: those by which
/// each trace is best predicted from the one before. PyLops: `pwd_slope_estimate`.
///
/// The residual of the prediction is linearised around the slopes that there are, and `min ‖C'(σ) d · P δ + C(σ) d‖` over smooth changes `P δ`
/// is solved again and again. All slopes are NaN where a sample is not finite. Slopes are where the section is; the host reads the norms of [`Lsqr`].
///
/// Reference: J. Claerbout and M. Brown, EAGE Annual Meeting (1999); S. Fomel, Geophysics 67 (2002), 1946-1960.
///
/// # Errors
/// [`Error::Parameter`] when there are not two or three axes, the axis is the first one or none of them, or neighbours are neither
/// one number nor one for each axis or more than there are samples; arrays without slopes (complex ones, integers), damping that [`Lsqr`]
/// does not take; the device's failure.
pub fn pwd_slope_estimate(
    section: impl AsView,
    parameters: &PlaneWaveDestruction,
) -> Result<Array> {
    let section = section.as_view();
    let (shape, dtype) = (section.shape().to_vec(), section.dtype());
    if !matches!(dtype, DType::Float32 | DType::Float64) {
        return wrong(NAME, format!("slopes of {dtype}, expected Float32 or Float64"));
    }
    if !matches!(shape.len(), 2 | 3) {
        return wrong(NAME, format!("an array of shape {shape:?}, not of two or three axes"));
    }
    let space = Space::new(&*shape, dtype)?;
    let counted = space.axis(NAME, parameters.axis)?;
    if counted == 0 {
        return wrong(NAME, "slopes along axis 0, which is that of depth".to_owned());
    }
    let smooth = smoothing(&space, parameters)?;
    let mut slopes = Array::zeros(&*shape, dtype, section.device())?;
    let solver = Lsqr {
        damping: parameters.damping,
        stop: Stop::after(parameters.inner),
        ..Lsqr::default()
    };
    let taps = taps(parameters.filter);
    let mut parts = [Array::zeros_like(&slopes)?, Array::zeros_like(&slopes)?];
    for _ in 0..parameters.iterations {
        destroy(&section, &slopes, counted, &taps, &mut parts)?;
        let [gradient, residual] = &parts;
        let weights = Diagonal::new(space.clone(), gradient.compute()?)?;
        let solution = preconditioned(&solver, &weights, (-residual).compute()?, &smooth)
            .map_err(of_slopes)?;
        if solution.stopped == Stopped::NotFinite {
            return Ok((f64::NAN * &slopes).compute()?);
        }
        slopes = (&slopes + &solution.x).compute()?;
    }
    Ok(slopes)
}

/// What changes of slopes are made of.
fn smoothing(space: &Space, parameters: &PlaneWaveDestruction) -> Result<Operator> {
    let axes = space.shape().len();
    let given = &parameters.smoothing;
    if given.len() != 1 && given.len() != axes {
        let why = format!("{} numbers of neighbours for {axes} axes", given.len());
        return wrong(NAME, why);
    }
    let twice = parameters.kind == SlopeSmoothing::Triangle;
    let windows: Vec<(isize, usize)> = (0..axes)
        .map(|axis| {
            let all = given[axis % given.len()];
            let n = if twice { all.div_ceil(2) } else { all };
            (axis as isize, n + usize::from(n % 2 == 0))
        })
        .collect();
    let once = Smoothing::new(space.clone(), &windows).map_err(|error| of_slopes(error.into()))?;
    Ok(if twice { once.after(&once).build()? } else { once })
}

/// The same about a parameter that is handed on.
fn of_slopes(error: Error) -> Error {
    match error {
        Error::Parameter { why, .. } | Error::Operator(OperatorError::Parameter { why, .. }) => {
            Error::Parameter { solver: NAME, why }
        }
        other => other,
    }
}

/// A tap as a polynomial of the slope: its coefficients, the constant one first.
type Tap = Vec<f64>;

/// The taps of an all-pass filter.
fn taps(filter: AllPass) -> Vec<Tap> {
    // A tap is the product of (a + b σ) of these, and a factor; the second half is the first one with -σ.
    let half: &[(&[[f64; 2]], f64)] = match filter {
        AllPass::Three => {
            &[(&[[1.0, -1.0], [2.0, -1.0]], 1.0 / 12.0), (&[[2.0, 1.0], [2.0, -1.0]], 1.0 / 6.0)]
        }
        AllPass::Five => &[
            (&[[1.0, -1.0], [2.0, -1.0], [3.0, -1.0], [4.0, -1.0]], 1.0 / 1680.0),
            (&[[4.0, -1.0], [2.0, -1.0], [3.0, -1.0], [4.0, 1.0]], 1.0 / 420.0),
            (&[[4.0, -1.0], [3.0, -1.0], [3.0, 1.0], [4.0, 1.0]], 1.0 / 280.0),
        ],
    };
    let product = |(factors, scale): &(&[[f64; 2]], f64)| {
        factors.iter().fold(vec![*scale], |polynomial: Tap, [a, b]| {
            let mut next = vec![0.0; polynomial.len() + 1];
            for (power, coefficient) in polynomial.iter().enumerate() {
                next[power] += a * coefficient;
                next[power + 1] += b * coefficient;
            }
            next
        })
    };
    let mut taps: Vec<Tap> = half.iter().map(product).collect();
    for tap in (0..half.len() - 1).rev() {
        let turned = |(power, coefficient): (usize, &f64)| {
            if power % 2 == 0 { *coefficient } else { -coefficient }
        };
        taps.push(taps[tap].iter().enumerate().map(turned).collect());
    }
    taps
}

/// `Σₖ bₖ'(σ) vₖ` and `Σₖ bₖ(σ) vₖ` with `vₖ = d[z + k, x + 1] - d[z - k, x]`, zero where a trace or a sample is missing.
fn destroy(
    section: &View<'_>,
    slopes: &Array,
    axis: usize,
    taps: &[Tap],
    parts: &mut [Array; 2],
) -> Result<()> {
    let (reach, shape) = (taps.len() / 2, section.shape());
    let (depths, traces) = (shape[0], shape[axis]);
    if depths <= 2 * reach || traces < 2 {
        return Ok(());
    }
    let inside = depths - 2 * reach;
    let mut differences = Vec::with_capacity(taps.len());
    for tap in 0..taps.len() {
        let behind = part(section, axis, [tap, inside], 1)?;
        let before = part(section, axis, [2 * reach - tap, inside], 0)?;
        differences.push([behind, before]);
    }
    let slope = part(&slopes.view(), axis, [reach, inside], 0)?;
    let derived = |tap: &Tap| -> Tap {
        tap.iter().enumerate().skip(1).map(|(power, number)| power as f64 * number).collect()
    };
    let gradients: Vec<Tap> = taps.iter().map(derived).collect();
    for (part, taps) in parts.iter_mut().zip([&gradients[..], taps]) {
        let terms = taps.iter().zip(&differences).map(|(tap, [behind, before])| {
            polynomial(tap, &slope) * (behind.as_elementwise() - before.as_elementwise())
        });
        let Some(sum) = terms.reduce(|sum, term| sum + term) else { continue };
        let target = part.view_mut().sliced(axis, 0, traces - 1)?;
        target.sliced(0, reach, inside)?.assign(sum)?;
    }
    Ok(())
}

/// So many samples of depth from one on, of all traces from one on but the last one left.
fn part<'a>(
    view: &View<'a>,
    axis: usize,
    [from, count]: [usize; 2],
    trace: usize,
) -> Result<View<'a>> {
    let traces = view.shape()[axis] - 1;
    Ok(view.clone().sliced(axis, trace, traces)?.sliced(0, from, count)?)
}

/// By Horner's rule.
fn polynomial<'a>(tap: &Tap, slope: &'a View<'_>) -> Elementwise<'a> {
    let (last, others) = tap.split_last().map_or((0.0, &[][..]), |(last, rest)| (*last, rest));
    let value = 0.0 * slope.as_elementwise() + last;
    others.iter().rev().fold(value, |value, number| value * slope.as_elementwise() + *number)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a panic is how a test fails")]
mod tests {
    use super::*;

    fn waves(shape: [usize; 3], slopes: [f64; 2]) -> Array {
        let [_, columns, rows] = shape;
        let value = |at: usize| {
            let (z, x, y) = (at / (columns * rows), at / rows % columns, at % rows);
            (0.4 * (z as f64 - slopes[0] * x as f64 - slopes[1] * y as f64)).sin()
        };
        Array::from_vec((0..shape.iter().product()).map(value).collect(), shape).unwrap()
    }

    #[test]
    fn filters_pass_everything_and_move_by_the_slope() {
        for (filter, tolerance) in [(AllPass::Three, 2e-2), (AllPass::Five, 1e-3)] {
            let taps = taps(filter);
            for slope in [-0.9, 0.0, 0.25, 1.0_f64] {
                let at = |tap: &Tap| tap.iter().rev().fold(0.0, |value, c| value * slope + c);
                let weights: Vec<f64> = taps.iter().map(at).collect();
                assert!((weights.iter().sum::<f64>() - 1.0).abs() < 1e-12);
                // The phase of the filter is half of that of the delay; it is applied to both traces.
                let middle = (taps.len() / 2) as f64;
                let (re, im) = weights.iter().enumerate().fold((0.0, 0.0), |(re, im), (k, w)| {
                    let phase = 0.5 * (k as f64 - middle);
                    (re + w * phase.cos(), im + w * phase.sin())
                });
                assert!((2.0 * im.atan2(re) - 0.5 * slope).abs() < tolerance, "{filter:?} {slope}");
            }
        }
    }

    #[test]
    fn slopes_along_each_axis_are_found() {
        let volume = waves([40, 15, 13], [0.6, -0.3]);
        for (axis, expected) in [(1, 0.6), (-1, -0.3)] {
            for kind in [SlopeSmoothing::Boxcar, SlopeSmoothing::Triangle] {
                let smoothing = vec![5, 5, 5];
                let parameters = PlaneWaveDestruction {
                    kind,
                    smoothing,
                    axis,
                    ..PlaneWaveDestruction::default()
                };
                let slopes = pwd_slope_estimate(&volume, &parameters).unwrap();
                let found = slopes.to_vec::<f64>().unwrap()[20 * 195 + 7 * 13 + 6];
                assert!((found - expected).abs() < 0.05, "{found} for {expected}");
            }
        }
    }

    #[test]
    fn what_has_no_slopes_is_refused() {
        let of = |change: fn(&mut PlaneWaveDestruction)| {
            let mut parameters = PlaneWaveDestruction::default();
            change(&mut parameters);
            pwd_slope_estimate(waves([20, 11, 13], [0.0; 2]), &parameters)
        };
        assert!(of(|parameters| parameters.axis = 0).is_err());
        assert!(of(|parameters| parameters.axis = 3).is_err());
        assert!(of(|parameters| parameters.smoothing = vec![3, 3]).is_err());
        // What is handed on, too, is refused in the name of the function that was called.
        for change in [
            (|parameters| parameters.smoothing = vec![99]) as fn(&mut PlaneWaveDestruction),
            |parameters| parameters.damping = -1.0,
        ] {
            let why = of(change).unwrap_err().to_string();
            assert!(why.starts_with("pwd_slope_estimate: "), "{why}");
        }
        let short = waves([3, 11, 13], [0.0; 2]);
        let smoothing = vec![3];
        let parameters = PlaneWaveDestruction { smoothing, ..PlaneWaveDestruction::default() };
        let slopes = pwd_slope_estimate(&short, &parameters).unwrap();
        assert!(slopes.to_vec::<f64>().unwrap().iter().all(|slope| *slope == 0.0));
        let line = Array::from_slice(&[1.0; 5], [5]).unwrap();
        assert!(pwd_slope_estimate(&line, &parameters).is_err());
        let words = Array::from_slice(&[1_i32; 25], [5, 5]).unwrap();
        assert!(pwd_slope_estimate(&words, &parameters).is_err());
    }
}
