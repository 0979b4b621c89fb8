//! Discrete Fourier transforms along an axis, as data.

mod inverse;
mod limits;
mod line_pass;
mod lines;
mod radices;
mod registers;
mod route;
mod schedule;
mod several;

use arrayspan_bridge::{DType, Layout};

pub(crate) use limits::{LOCAL, Limits, MORE};
pub(crate) use line_pass::{Halves, LinePass};
pub(crate) use lines::Lines;
pub(crate) use radices::{Couples, Packed, packed, parts, radices, unpacked};
pub(crate) use registers::Registers;
pub(crate) use route::{Arrays, ROOM, Route};
pub(crate) use schedule::{SIDE_BY_SIDE, Schedule, factors};
pub(crate) use several::joined;

use crate::verb::check;
use crate::{Cost, Fit, Result, fit};

const NAME: &str = "fft";

/// A discrete Fourier transform of every line along an axis, with what is done to its ends on the way.
///
/// An array of signals holds `extent` samples `x` along the axis, one of spectra [`bins`](Self::bins) bins `y`. With `n` for the number
/// of points, `a` and `b` for the [turns](Self::turned) and `s` for the [scale](Self::scaled),
///
/// ```text
/// t[j] = x[(j + a) mod extent]   for j < min(n, extent), else 0
/// f[k] = s · w[k] · Σ t[j] exp(-2πi j k / n)   over j < n
/// y[m] = f[(m + b) mod bins]
/// ```
///
/// Weights `w` are one, save those of [half a spectrum](Self::half) and of [cosines](Self::cosines), whose sums are
/// `Σ t[j] cos(π k (2j + 1) / 2n)`. The [adjoint](Self::adjoint) takes spectra for signals, with respect to the real part of the inner
/// product where signals are real. Turns, padding, truncation, scale and weights take no pass of their own.
///
/// ```
/// use arrayspan_kernels::bridge::{Array, DType, devices::Device};
/// use arrayspan_kernels::{Fourier, Update, on};
///
/// let x = Array::from_slice(&[1.0, 2.0, 0.0, -1.0], [4])?;
/// let on = on(Device::cpu())?;
/// let mut y = on.empty(&[3], DType::Complex128)?;
/// let spectrum = Fourier::new(0, 4)?.half();
/// on.fft(&spectrum, x.view(), y.view_mut(), Update::set())?;
/// let bins = y.to_vec::<num_complex::Complex64>()?;
/// assert_eq!([bins[0].re, bins[1].re, bins[2].re], [2.0, 1.0, 0.0]);
/// # Ok::<(), arrayspan_kernels::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fourier {
    axis: usize,
    points: usize,
    extent: usize,
    signals: Signals,
    inverse: bool,
    positive: bool,
    /// Those of signals and of spectra.
    turns: [usize; 2],
    scale: f64,
    inner: f64,
}

/// What signals are, and what of their spectra is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Signals {
    /// Complex numbers; all bins.
    Complex,
    /// Real numbers; all bins.
    Real,
    /// Real numbers; the bins up to `n / 2`, of which the others are the conjugates.
    Half,
    /// Real numbers; as many real sums of their products with cosines.
    Cosines,
}

impl Fourier {
    /// The transform of `points` complex samples along `axis` to as many bins.
    ///
    /// # Errors
    /// [`Error::Argument`](crate::Error::Argument) when there are no points, or more than half of what can be addressed.
    pub fn new(axis: usize, points: usize) -> Result<Self> {
        if points == 0 || points > isize::MAX as usize / 32 {
            return check::argument(NAME, format!("a transform of {points} points"));
        }
        Ok(Self {
            axis,
            points,
            extent: points,
            signals: Signals::Complex,
            inverse: false,
            positive: false,
            turns: [0; 2],
            scale: 1.0,
            inner: 1.0,
        })
    }

    /// The same of real samples. In the other direction the real parts of what comes out are taken.
    #[must_use]
    pub fn real(self) -> Self {
        Self { signals: Signals::Real, ..self }.reduced()
    }

    /// The same of real samples, to the bins up to `n / 2` alone. The other direction is `x[j] = Re Σ s w[k] y[k] exp(2πi j k / n)` over
    /// these.
    #[must_use]
    pub fn half(self) -> Self {
        Self { signals: Signals::Half, ..self }.reduced()
    }

    /// Real samples to as many real sums, `f[k] = s w[k] Σ t[j] cos(π k (2j + 1) / 2n)`: the discrete cosine transform of type II. The other
    /// direction, `x[j] = Σ s w[k] y[k] cos(π k (2j + 1) / 2n)`, is that of type III. Both keep lengths with a weight of √2 and a scale of
    /// `1 / √n`. The sign of the exponent does not matter.
    ///
    /// J. Makhoul, IEEE Transactions on Acoustics, Speech and Signal Processing 28 (1980), 27-34.
    #[must_use]
    pub fn cosines(self) -> Self {
        Self { signals: Signals::Cosines, ..self }.reduced()
    }

    /// With so many samples in arrays of signals: zeros follow them up to `n`, or what is behind `n` counts for nothing.
    #[must_use]
    pub fn of_extent(self, extent: usize) -> Self {
        Self { extent, ..self }.reduced()
    }

    /// Begins with another sample, and another bin: element 0 of what is transformed is number `turns[0]` of an array of
    /// signals, bin `turns[1]` stands first in an array of spectra.
    #[must_use]
    pub fn turned(self, turns: [usize; 2]) -> Self {
        Self { turns, ..self }.reduced()
    }

    /// Times a real number.
    ///
    /// # Errors
    /// [`Error::Argument`](crate::Error::Argument) when it is not finite.
    pub fn scaled(self, scale: f64) -> Result<Self> {
        let scale = self.scale * scale;
        if !scale.is_finite() {
            return check::argument(NAME, format!("a scale of {scale}"));
        }
        Ok(Self { scale, ..self })
    }

    /// With that weight of the bins of [half a spectrum](Self::half) which stand for two: all but bin 0 and, of an even number of
    /// points, bin `n / 2`; of all [cosines](Self::cosines) but the constant one. With √2 spectra are as long as the signal, but for the
    /// scale; with 2 the other direction is `n` times the inverse.
    ///
    /// # Errors
    /// [`Error::Argument`](crate::Error::Argument) when it is not finite, or bins are all of a complex spectrum.
    pub fn weighted(self, inner: f64) -> Result<Self> {
        if !inner.is_finite() || !self.is_weighted() {
            return check::argument(NAME, format!("a weight of {inner} for {:?}", self.signals));
        }
        Ok(Self { inner, ..self })
    }

    /// The adjoint: from spectra to signals, or back.
    #[must_use]
    pub fn adjoint(self) -> Self {
        Self { inverse: !self.inverse, positive: !self.positive, ..self }
    }

    /// `conj(F) x = conj(F conj(x))`: the other sign in the exponent. Of cosines the same.
    #[must_use]
    pub fn conj(self) -> Self {
        Self { positive: !self.positive, ..self }.reduced()
    }

    /// The axis.
    #[must_use]
    pub fn axis(&self) -> usize {
        self.axis
    }

    /// The same along another axis.
    #[must_use]
    pub fn at_axis(self, axis: usize) -> Self {
        Self { axis, ..self }
    }

    /// The points of the transform, `n`.
    #[must_use]
    pub fn points(&self) -> usize {
        self.points
    }

    /// The samples along the axis of arrays of signals.
    #[must_use]
    pub fn extent(&self) -> usize {
        self.extent
    }

    /// The bins along the axis of arrays of spectra.
    #[must_use]
    pub fn bins(&self) -> usize {
        if self.signals == Signals::Half { self.points / 2 + 1 } else { self.points }
    }

    /// What signals are.
    #[must_use]
    pub fn signals(&self) -> Signals {
        self.signals
    }

    /// Whether it takes spectra for signals.
    #[must_use]
    pub fn is_inverse(&self) -> bool {
        self.inverse
    }

    /// Whether the exponent is positive.
    #[must_use]
    pub fn is_positive(&self) -> bool {
        self.positive
    }

    /// The sample that is taken first, and the bin that stands first.
    #[must_use]
    pub fn turns(&self) -> [usize; 2] {
        self.turns
    }

    /// What results are multiplied by.
    #[must_use]
    pub fn scale(&self) -> f64 {
        self.scale
    }

    /// The weight of bins that stand for two.
    #[must_use]
    pub fn inner(&self) -> f64 {
        self.inner
    }

    /// The weight of a bin, without the scale.
    #[must_use]
    pub fn weight(&self, bin: usize) -> f64 {
        let single = match self.signals {
            Signals::Complex | Signals::Real => true,
            Signals::Half => bin == 0 || 2 * bin == self.points,
            Signals::Cosines => bin == 0,
        };
        if single { 1.0 } else { self.inner }
    }

    /// Whether some bins stand for two.
    fn is_weighted(&self) -> bool {
        matches!(self.signals, Signals::Half | Signals::Cosines)
    }

    /// The butterflies that are made together where two samples are one complex number: those that bins are made of, and those they are
    /// made into.
    pub(crate) fn couples(&self) -> Couples {
        let cosines = self.signals == Signals::Cosines;
        Couples { first: self.inverse, last: !self.inverse || cosines }
    }

    /// Whether complex factors commute with it; then every array of bins is the spectrum of a signal.
    #[must_use]
    pub fn is_complex_linear(&self) -> bool {
        matches!(self.signals, Signals::Complex | Signals::Cosines)
    }

    /// The elements along the axis of inputs and of results.
    #[must_use]
    pub fn extents(&self) -> [usize; 2] {
        let [signal, spectrum] = [self.extent, self.bins()];
        if self.inverse { [spectrum, signal] } else { [signal, spectrum] }
    }

    /// The shape of the result for an input of that shape; `None` unless the input has as many elements along the axis.
    #[must_use]
    pub fn range_of(&self, domain: &[usize]) -> Option<Vec<usize>> {
        let [from, to] = self.extents();
        if domain.get(self.axis) != Some(&from) {
            return None;
        }
        let mut range = domain.to_vec();
        range[self.axis] = to;
        Some(range)
    }

    /// The dtypes of inputs and results of a precision, that of `dtype`.
    #[must_use]
    pub fn dtypes(&self, dtype: DType) -> [DType; 2] {
        let [signal, spectrum] = match self.signals {
            Signals::Complex => [complex(dtype); 2],
            Signals::Real | Signals::Half => [dtype.real(), complex(dtype)],
            Signals::Cosines => [dtype.real(); 2],
        };
        if self.inverse { [spectrum, signal] } else { [signal, spectrum] }
    }

    /// Whether devices that run kernels convolve lines of so many points, for lack of butterflies: where a prime factor is above 13. Sums with
    /// cosines take longer then than half a spectrum does, with passes before and behind it, where a library transforms it.
    #[must_use]
    pub fn is_convolved(points: usize) -> bool {
        factors(points).is_none()
    }

    /// What it costs to transform an array without gaps, of that shape, whose results have that dtype: passes over memory between
    /// which lines are on their way are counted, too.
    ///
    /// # Errors
    /// When the shape has not as many elements along the axis, or could not be addressed.
    pub fn cost(&self, shape: &[usize], dtype: DType) -> Result<Cost> {
        self.cost_within(Limits::LEAST, shape, dtype)
    }

    /// The same on a device whose groups have so much.
    pub(crate) fn cost_within(
        &self,
        limits: Limits,
        shape: &[usize],
        dtype: DType,
    ) -> Result<Cost> {
        let Some(range) = self.range_of(shape) else {
            return check::argument(NAME, format!("x has shape {shape:?}"));
        };
        let [x, y] = [Layout::contiguous(shape)?, Layout::contiguous(&range[..])?];
        let [of_x, of_y] = self.dtypes(dtype);
        let mut cost = Cost { bytes_written: y.len() * of_y.bytes(), ..Cost::default() };
        if y.is_empty() {
            return Ok(cost);
        }
        cost.bytes_read = x.len() * of_x.bytes();
        if x.is_empty() {
            cost.launches = 1;
            return Ok(cost);
        }
        let lines = Lines::new(self, [&y, &x])?;
        let across = lines.across.contains(&true);
        cost += self.work(&Schedule::new(limits, self, dtype, lines.count(), across));
        Ok(cost)
    }

    /// Launches, operations, and what goes from one pass to the next.
    pub(crate) fn work(&self, schedule: &Schedule) -> Cost {
        // For each point and bit of their number a sum and half a product, half of both if signals are real.
        let quarters = if self.signals == Signals::Complex { 6 } else { 3 };
        let all = [schedule.lines, self.points, self.points.ilog2() as usize, quarters];
        Cost {
            launches: schedule.launches(),
            bytes_read: schedule.left(),
            bytes_written: schedule.left(),
            flops: all.into_iter().fold(1, usize::saturating_mul) / 4,
        }
    }

    /// Turns are taken whole, of axes that have elements; cosines have one sign, which turns with the direction.
    fn reduced(self) -> Self {
        let [signal, spectrum] = self.turns;
        let turns = [signal % self.extent.max(1), spectrum % self.bins()];
        let cosines = self.signals == Signals::Cosines;
        let positive = if cosines { self.inverse } else { self.positive };
        Self { positive, turns, ..self }
    }

    /// Fails unless its numbers are those of the dtype.
    pub(crate) fn check(&self, verb: &'static str, dtype: DType) -> Result<()> {
        // Bins are multiplied by both together.
        let both = if self.inverse { 0.0 } else { self.scale * self.inner };
        let numbers =
            [("a scale", self.scale), ("a weight", self.inner), ("a scaled weight", both)];
        for (what, number) in numbers {
            if matches!(fit(number, dtype), Fit::TooLarge | Fit::NotFinite) {
                let why = format!("{what} of {number:e} is not a finite number of {dtype}");
                return check::argument(verb, why);
            }
        }
        Ok(())
    }
}

/// The complex dtype of the same precision.
pub(crate) fn complex(dtype: DType) -> DType {
    if dtype.real() == DType::Float32 { DType::Complex64 } else { DType::Complex128 }
}

#[cfg(test)]
mod tests;
