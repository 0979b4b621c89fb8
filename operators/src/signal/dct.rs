//! Discrete cosine transforms.

use std::f64::consts::{FRAC_1_SQRT_2, PI, SQRT_2};

use arrayspan_bridge::DType;
use arrayspan_kernels::Fourier;
use num_complex::Complex64;

use super::fftnd::along;
use super::positions::Rows;
use super::real_parts::Entries;
use super::{FourierAxis, FourierNorm};
use crate::{Error, Formula, Identity, LinearMap as _, Operator, Real, Result, Space, adjoint};

/// Axes with at most so many samples are multiplied by the matrix of cosines, where these are not sums within a transform.
const SHORT: usize = 32;

/// Which cosines a transform has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Cosines {
    /// `√(2/(n-1)) c[k] c[j] cos(π j k / (n-1))` with `c = 1/√2` at both ends, else 1: its own inverse. Of two samples at least.
    I,
    /// `√(2/n) c[k] cos(π k (2j+1) / 2n)` with `c[0] = 1/√2`, else 1.
    II,
    /// The inverse of `II`.
    III,
    /// `√(2/n) cos(π (2k+1) (2j+1) / 4n)`, its own inverse.
    IV,
}

/// `y[k] = Σⱼ C[k, j] x[j]`, orthonormal discrete cosine transforms along some axes; domain and range are both `space`.
///
/// The inverse is the adjoint. Where types are II or III, numbers real and no prime factor of the samples is above 13, each axis takes one
/// Fourier transform of as many points, which reorders samples and turns bins ([`Fourier::cosines`]). Else axes with up to 32 samples are
/// multiplied by the matrix, and longer ones take a Fourier transform between weights, one along all such axes of real numbers for types II
/// and III. Of type I it has `2n - 2` points, of type IV half as many as samples, or `2n` if `n` is odd. Units: those of `x`. Complex:
/// linear.
///
/// Cost: for each axis that of the transform, with weights 2 launches more (twice that for type IV of complex numbers), of real numbers
/// along another axis than the last one 3 (4 for type IV); by the matrix 1 launch, 2 values moved per element and the matrix (test
/// `bytes::dct`).
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use arrayspan_operators::kernels::bridge::{Array, DType};
/// use arrayspan_operators::prelude::*;
/// let cosines = DCT::new(Space::new([4], DType::Float64)?, &[0], Cosines::II)?;
/// let y = cosines.forward(Array::from_slice(&[1.0; 4], [4])?)?.to_vec::<f64>()?;
/// assert!(y.iter().zip([2.0, 0.0, 0.0, 0.0]).all(|(y, expected)| (y - expected).abs() < 1e-12));
/// # Ok(()) }
/// ```
///
/// Reference: J. Makhoul, IEEE Transactions on Acoustics, Speech and Signal Processing 28 (1980), 27-34. Golden: PyLops 2.8.0 `DCT`.
#[derive(Debug)]
pub struct DCT(());

/// What matrices before and behind transforms are called.
const WEIGHTS: &str = "Weights";

impl DCT {
    const NAME: &str = "DCT";

    /// Transforms `space` along the axes.
    ///
    /// # Errors
    /// [`Error::Parameter`] when there is no axis or one twice; an axis does not exist or is too short; or the dtype is not one to compute
    /// with. [`Error::TooLarge`] when a spectrum cannot be addressed, or there is no memory for a table.
    pub fn new(space: Space, axes: &[isize], cosines: Cosines) -> Result<Operator> {
        space.computable(Self::NAME)?;
        if axes.is_empty() {
            return Error::parameter(Self::NAME, format!("no axes are given for {space}"));
        }
        let same = Identity::new(space)?;
        let space = same.domain();
        let mut known = Vec::with_capacity(axes.len());
        for axis in axes {
            let axis = space.axis(Self::NAME, *axis)?;
            if known.contains(&axis) {
                return Error::parameter(Self::NAME, format!("axis {axis} twice"));
            }
            known.push(axis);
        }
        // Axes do not matter to each other, so their order does not, either.
        known.sort_unstable();
        let real = !space.dtype().is_complex();
        let shifted = matches!(cosines, Cosines::II | Cosines::III);
        let is_together = |axis: &usize| {
            let extent = space.shape()[*axis];
            real && shifted && extent > SHORT && Fourier::is_convolved(extent)
        };
        let (together, apart): (Vec<usize>, Vec<usize>) = known.into_iter().partition(is_together);
        let mut product = Formula::from(&same);
        if !together.is_empty() {
            let together = Self::together(space, &together)?;
            let turned = cosines == Cosines::III;
            product = if turned { adjoint(&together).into() } else { together.into() };
        }
        for axis in apart {
            let one = match cosines {
                Cosines::III => adjoint(&Self::along(space, axis, Cosines::II)?),
                _ => Self::along(space, axis, cosines)?,
            };
            product = one.after(product);
        }
        Ok(product.build()?.named_isometry(Self::NAME))
    }

    /// Type II of real numbers along an axis.
    fn real(space: &Space, axis: usize) -> Result<Operator> {
        let axis = FourierAxis::new(axis as isize);
        let fourier = axis.fourier(Self::NAME, space, FourierNorm::Ortho)?;
        along(Self::NAME, space.clone(), fourier.cosines().weighted(SQRT_2)?)
    }

    /// The same along axes in increasing order whose lines are convolved: one Fourier transform along all of them, with samples in another
    /// order before it. Behind it, complex numbers along all axes but the last, and real ones along that.
    fn together(space: &Space, axes: &[usize]) -> Result<Operator> {
        let Some((last, others)) = axes.split_last() else {
            return Error::parameter(Self::NAME, format!("no axes are given for {space}"));
        };
        let extent = |axis: usize| space.shape()[axis];
        let [before, behind] = halves(extent(*last), true);
        let ordered = before.operator([space.clone(), space.clone()], *last)?;
        let mut product: Formula = ordered.into();
        for &axis in others {
            let [before, _] = halves(extent(axis), true);
            product = before.operator([space.clone(), space.clone()], axis)?.after(product);
        }
        let fourier = |space: &Space, axis: usize| {
            let axis = FourierAxis::new(axis as isize);
            axis.fourier(Self::NAME, space, FourierNorm::Unscaled)
        };
        let half = along(Self::NAME, space.clone(), fourier(space, *last)?.half())?;
        let spectra = half.range().clone();
        product = half.after(product);
        for &axis in others {
            let one = along(Self::NAME, spectra.clone(), fourier(&spectra, axis)?)?;
            product = one.after(product);
        }
        for &axis in others {
            let [_, behind] = halves(extent(axis), false);
            product = behind.operator([spectra.clone(), spectra.clone()], axis)?.after(product);
        }
        behind.to_real([spectra, space.clone()], *last)?.after(product).build()
    }

    fn along(space: &Space, axis: usize, cosines: Cosines) -> Result<Operator> {
        let extent = space.shape()[axis];
        if cosines == Cosines::I && extent == 1 {
            let why = format!("type I of axis {axis} of {space}, which has one sample");
            return Error::parameter(Self::NAME, why);
        }
        let real = !space.dtype().is_complex();
        let shifted = matches!(cosines, Cosines::II | Cosines::III);
        let whole = real && shifted && extent > 1 && !Fourier::is_convolved(extent);
        if extent <= SHORT && !whole {
            return Self::short(space, axis, cosines);
        }
        match cosines {
            Cosines::I => Self::even(space, axis, ends(extent, real), 2 * extent - 2),
            Cosines::II | Cosines::III if real => Self::real(space, axis),
            Cosines::II | Cosines::III => Self::even(space, axis, halves(extent, false), extent),
            Cosines::IV => Self::turned(space, axis),
        }
    }

    /// By the matrix.
    fn short(space: &Space, axis: usize, cosines: Cosines) -> Result<Operator> {
        let extent = space.shape()[axis];
        let table = Table::new([extent, extent], extent, move |k| {
            (0..extent).map(|j| (j, element(cosines, extent, k, j).into())).collect()
        });
        table.operator([space.clone(), space.clone()], axis)
    }

    /// By a transform of real numbers, or of as many complex ones, in between.
    fn even(
        space: &Space,
        axis: usize,
        [before, behind]: [Table; 2],
        points: usize,
    ) -> Result<Operator> {
        let real = !space.dtype().is_complex();
        let longer = extended(space, axis, points)?;
        let before = before.operator([space.clone(), longer.clone()], axis)?;
        let fourier =
            FourierAxis::new(axis as isize).fourier(Self::NAME, &longer, FourierNorm::Unscaled)?;
        let fourier = along(Self::NAME, longer, if real { fourier.half() } else { fourier })?;
        let spaces = [fourier.range().clone(), space.clone()];
        let behind =
            if real { behind.to_real(spaces, axis)? } else { behind.operator(spaces, axis)? };
        behind.after(Formula::from(fourier).after(before)).build()
    }

    /// By a transform of complex numbers, of which the real part is taken; of complex ones the mean of it and its conjugate.
    fn turned(space: &Space, axis: usize) -> Result<Operator> {
        let extent = space.shape()[axis];
        let complex = Space::of(Self::NAME, space.shape(), complex_of(space.dtype()))?;
        let [before, behind] =
            if extent.is_multiple_of(2) { pairs(extent) } else { shifted(extent) };
        let longer = extended(&complex, axis, before.rows)?;
        let fourier =
            FourierAxis::new(axis as isize).fourier(Self::NAME, &longer, FourierNorm::Unscaled)?;
        let fourier = along(Self::NAME, longer.clone(), fourier)?;
        if !space.dtype().is_complex() {
            let before = before.of_real([space.clone(), longer.clone()], axis)?;
            let behind = behind.to_real([longer, space.clone()], axis)?;
            return behind.after(Formula::from(fourier).after(before)).build();
        }
        let before = before.operator([complex.clone(), longer.clone()], axis)?;
        let behind = behind.operator([longer, complex], axis)?;
        let product = behind.after(Formula::from(fourier).after(before)).build()?;
        (0.5 * (&product + product.conj())).build()
    }
}

/// Whether no other axis of several samples is behind it: then both parts of a sum lie beside each other.
fn is_last(space: &Space, axis: usize) -> bool {
    space.shape()[axis + 1..].iter().all(|extent| *extent == 1)
}

/// The complex numbers of the same precision.
fn complex_of(dtype: DType) -> DType {
    match dtype {
        DType::Float32 => DType::Complex64,
        DType::Float64 => DType::Complex128,
        _ => dtype,
    }
}

/// `space` with so many points along an axis.
fn extended(space: &Space, axis: usize, points: usize) -> Result<Space> {
    let mut shape = space.shape().to_vec();
    shape[axis] = points;
    Space::of(DCT::NAME, shape, space.dtype())
}

/// A sparse matrix, row by row.
struct Table {
    rows: usize,
    columns: usize,
    /// Entries of a row at most.
    each: usize,
    row: Box<dyn Fn(usize) -> Vec<(usize, Complex64)>>,
}

impl Table {
    fn new(
        [rows, columns]: [usize; 2],
        each: usize,
        row: impl Fn(usize) -> Vec<(usize, Complex64)> + 'static,
    ) -> Self {
        Self { rows, columns, each, row: Box::new(row) }
    }

    fn operator(&self, spaces: [Space; 2], axis: usize) -> Result<Operator> {
        let (shape, dtype) = (spaces[0].shape(), spaces[0].dtype());
        let mut rows = Rows::new(DCT::NAME, shape, dtype, self.rows, self.each)?;
        for row in 0..self.rows {
            for (column, weight) in (self.row)(row) {
                rows.add(column, weight);
            }
            rows.end();
        }
        rows.between(WEIGHTS, spaces, axis, [&[self.rows], &[self.columns]])
    }

    /// The real part of what it makes of complex numbers.
    fn to_real(&self, [from, to]: [Space; 2], axis: usize) -> Result<Operator> {
        if is_last(&to, axis) {
            return self.entries()?.to_real(WEIGHTS, [from, to], axis);
        }
        let complex = Space::of(DCT::NAME, to.shape(), from.dtype())?;
        Real::new(complex.clone())?.after(self.operator([from, complex], axis)?).build()
    }

    /// What it makes of real numbers.
    fn of_real(&self, [from, to]: [Space; 2], axis: usize) -> Result<Operator> {
        if is_last(&from, axis) {
            return self.entries()?.of_real(WEIGHTS, [from, to], axis);
        }
        let complex = Space::of(DCT::NAME, from.shape(), to.dtype())?;
        let real = Real::new(complex.clone())?;
        self.operator([complex, to], axis)?.after(adjoint(&real)).build()
    }

    fn entries(&self) -> Result<Entries> {
        let mut entries = Entries::new(self.rows, self.columns, self.rows * self.each)?;
        for row in 0..self.rows {
            for (column, weight) in (self.row)(row) {
                entries.add(row, column, weight);
            }
        }
        Ok(entries)
    }
}

fn element(cosines: Cosines, extent: usize, k: usize, j: usize) -> f64 {
    let end = |at: usize, last: bool| {
        if at == 0 || last && at + 1 == extent { FRAC_1_SQRT_2 } else { 1.0 }
    };
    let n = extent as f64;
    // Of a whole turn, `over` parts.
    let cos = |parts: usize, over: usize| (2.0 * PI * (parts % over) as f64 / over as f64).cos();
    match cosines {
        Cosines::I => {
            let scale = (2.0 / (n - 1.0)).sqrt();
            scale * end(k, true) * end(j, true) * cos(j * k, 2 * (extent - 1))
        }
        Cosines::II => (2.0 / n).sqrt() * end(k, false) * cos(k * (2 * j + 1), 4 * extent),
        Cosines::III => element(Cosines::II, extent, j, k),
        Cosines::IV => (2.0 / n).sqrt() * cos((2 * k + 1) * (2 * j + 1), 8 * extent),
    }
}

/// `exp(-2πi parts / over)`
fn phase(parts: usize, over: usize) -> Complex64 {
    let (sin, cos) = (2.0 * PI * (parts % over) as f64 / over as f64).sin_cos();
    Complex64::new(cos, -sin)
}

/// Of type I: samples and, behind them, their mirror image; real bins.
fn ends(extent: usize, real: bool) -> [Table; 2] {
    let points = 2 * extent - 2;
    let scale = 0.5 * (2.0 / (extent as f64 - 1.0)).sqrt();
    let is_end = move |at: usize| at == 0 || at + 1 == extent;
    let sample = move |point: usize| {
        let at = point.min(points - point);
        vec![(at, Complex64::from(if is_end(at) { SQRT_2 * scale } else { scale }))]
    };
    let bin =
        move |k: usize| vec![(k, Complex64::from(if is_end(k) { FRAC_1_SQRT_2 } else { 1.0 }))];
    [
        Table::new([points, extent], 1, sample),
        Table::new([extent, if real { extent } else { points }], 1, bin),
    ]
}

/// Of type II: even samples, then odd ones back to front; `y[k] = Re(w[k] V[k])`.
fn halves(extent: usize, real: bool) -> [Table; 2] {
    let even = extent.div_ceil(2);
    let sample = move |at: usize| {
        let from = if at < even { 2 * at } else { 2 * (extent - 1 - at) + 1 };
        vec![(from, Complex64::from(1.0))]
    };
    let bin = move |k: usize| {
        let scale =
            if k == 0 { (1.0 / extent as f64).sqrt() } else { (2.0 / extent as f64).sqrt() };
        let turned = scale * phase(k, 4 * extent);
        if k == 0 || real && 2 * k <= extent {
            vec![(k, turned)]
        } else if real {
            // `V[k]` is the conjugate of `V[n - k]`, which there is.
            vec![(extent - k, turned.conj())]
        } else {
            vec![(k, 0.5 * turned), (extent - k, 0.5 * turned.conj())]
        }
    };
    let bins = if real { extent / 2 + 1 } else { extent };
    [Table::new([extent, extent], 1, sample), Table::new([extent, bins], 2, bin)]
}

/// Of type IV, of an even number: an even sample and one from the end make a complex number; `y[2m] = Re c[m]`, `y[n-1-2m] = -Im c[m]`.
fn pairs(extent: usize) -> [Table; 2] {
    let scale = (2.0 / extent as f64).sqrt();
    let pair = move |m: usize| {
        let turned = phase(4 * m + 1, 8 * extent);
        vec![(2 * m, turned), (extent - 1 - 2 * m, Complex64::I * turned)]
    };
    let bin = move |k: usize| {
        let m = if k.is_multiple_of(2) { k / 2 } else { (extent - 1 - k) / 2 };
        let turned = scale * phase(m, 2 * extent);
        vec![(m, if k.is_multiple_of(2) { turned } else { Complex64::I * turned })]
    };
    [Table::new([extent / 2, extent], 2, pair), Table::new([extent, extent / 2], 1, bin)]
}

/// Of type IV: `y[k] = Re(exp(-πi k / 2n) Σⱼ exp(-πi (2j+1) / 4n) x[j] exp(-2πi j k / 2n))`.
fn shifted(extent: usize) -> [Table; 2] {
    let scale = (2.0 / extent as f64).sqrt();
    let sample = move |j: usize| {
        if j < extent { vec![(j, scale * phase(2 * j + 1, 8 * extent))] } else { Vec::new() }
    };
    let bin = move |k: usize| vec![(k, phase(k, 4 * extent))];
    [Table::new([2 * extent, extent], 1, sample), Table::new([extent, 2 * extent], 1, bin)]
}
