//! What is said of curvelets, and which coefficients there are then.

use std::f64::consts::PI;

use crate::{Error, Result};

/// Whether a band of curvelets has a frequency together with the opposite one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum CurveletKind {
    /// It has: of real numbers one half of all frequencies tells the other. PyLops: `"real"`.
    #[default]
    Real,
    /// Each has a band of its own, as complex numbers need it. PyLops: `"complex"`.
    Complex,
}

/// What the finest scale is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum FinestScale {
    /// Curvelets. PyLops: `"curvelet"`.
    #[default]
    Curvelets,
    /// Wavelets, without direction: all that is not in the coarsest scale, and as many coefficients as samples. PyLops: `"wavelet"`.
    Wavelets,
}

/// What curvelets there are: see [`UDCT`](crate::UDCT).
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use arrayspan_operators::prelude::*;
/// let bands = Curvelets { scales: 2, ..Curvelets::default() }.bands(&[16, 8])?;
/// let last = &bands[2];
/// assert_eq!((bands.len(), last.scale, last.direction, last.wedges), (3, 1, 1, 3));
/// assert_eq!((&bands[0].shape[..], &last.shape[..]), (&[16, 8][..], &[8, 4][..]));
/// # Ok(()) }
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Curvelets {
    /// The scales, the coarsest one of low frequencies in all directions included: two or more.
    pub scales: usize,
    /// The wedges along each other axis that the frequencies around one are divided into, at the coarsest scale that has some: a multiple of
    /// three. Each finer scale has twice as many.
    pub wedges: usize,
    /// How far a wedge reaches into the next one, in widths of a wedge, up to a half. Without a number it is a tenth of what the condition of
    /// Nguyen and Chauris allows.
    pub overlap: Option<f64>,
    /// Angular frequencies, in radians per sample: between the first two the finest scale rises, between the last two it falls. Those of each
    /// coarser scale are half of them.
    pub radii: [f64; 4],
    /// Windows are zero where they would not exceed this.
    pub threshold: f64,
    /// What the finest scale is made of.
    pub finest: FinestScale,
    /// Whether opposite frequencies share a band.
    pub kind: CurveletKind,
}

impl Default for Curvelets {
    /// Three scales with three and six wedges, of real numbers: as in PyLops.
    fn default() -> Self {
        Self {
            scales: 3,
            wedges: 3,
            overlap: None,
            radii: [1.0, 2.0, 2.0, 4.0].map(|third| third * PI / 3.0),
            threshold: 1e-5,
            finest: FinestScale::Curvelets,
            kind: CurveletKind::Real,
        }
    }
}

/// Coefficients that follow each other: those of all wedges of a scale around an axis, one wedge after the other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CurveletBand {
    /// The scale, 0 for the coarsest one.
    pub scale: usize,
    /// The axis whose negative frequencies are the largest ones of the wedges, or, behind as many as there are axes, whose positive ones are.
    pub direction: usize,
    /// How many wedges there are.
    pub wedges: usize,
    /// The coefficients of each along all axes.
    pub shape: Vec<usize>,
}

impl CurveletBand {
    /// The coefficients of all its wedges; more than can be counted are as many as can be.
    pub(super) fn len(&self) -> usize {
        self.shape.iter().fold(self.wedges, |len, extent| len.saturating_mul(*extent))
    }
}

impl Curvelets {
    /// Which coefficients there are of arrays of `shape`, in the order that they are in.
    ///
    /// # Errors
    /// [`Error::Parameter`] as those of [`UDCT::new`](crate::UDCT::new) that do not depend on the dtype.
    pub fn bands(&self, shape: &[usize]) -> Result<Vec<CurveletBand>> {
        self.bands_of("Curvelets", shape)
    }

    pub(super) fn bands_of(&self, name: &str, shape: &[usize]) -> Result<Vec<CurveletBand>> {
        self.check(name, shape)?;
        let rank = shape.len();
        let coarsest = 1 << (self.scales - 2);
        let low = shape.iter().map(|extent| extent / coarsest).collect();
        let mut bands = vec![CurveletBand { scale: 0, direction: 0, wedges: 1, shape: low }];
        for scale in 1..self.scales {
            let ring = self.is_ring(scale);
            let directions = match self.kind {
                CurveletKind::Complex => 2 * rank,
                CurveletKind::Real if ring => 1,
                CurveletKind::Real => rank,
            };
            let along = 1 << (self.scales - scale);
            let others = self.wedges_at(scale).checked_pow(rank as u32 - 1);
            let Some(wedges) = others else {
                let why = format!("more wedges along {rank} axes than can be counted");
                return Error::parameter(name, why);
            };
            for direction in 0..directions {
                let samples = |axis: usize| match axis {
                    _ if ring => 1,
                    _ if axis == direction % rank => along,
                    _ => self.finest_samples(),
                };
                let shape = shape.iter().enumerate();
                let shape = shape.map(|(axis, extent)| extent / samples(axis)).collect();
                let wedges = if ring { 1 } else { wedges };
                bands.push(CurveletBand { scale, direction, wedges, shape });
            }
        }
        Ok(bands)
    }

    /// Whether a scale has wavelets.
    pub(super) fn is_ring(&self, scale: usize) -> bool {
        self.finest == FinestScale::Wavelets && scale + 1 == self.scales
    }

    /// The wedges along each other axis.
    pub(super) fn wedges_at(&self, scale: usize) -> usize {
        self.wedges << (scale - 1)
    }

    /// Samples for each coefficient, at all scales, along an axis that wedges are divided along.
    fn finest_samples(&self) -> usize {
        (self.wedges / 3) << (self.scales - 1)
    }

    /// A tenth of the largest `a` with `2^(s/n) (1 + 2a) (1 + a) ≤ n` for the `n` wedges of all scales `s`, unless it is given.
    pub(super) fn overlap(&self) -> f64 {
        let most = |scale: usize| {
            let wedges = self.wedges_at(scale) as f64;
            ((1.0 + 8.0 * wedges / (scale as f64 / wedges).exp2()).sqrt() - 3.0) / 4.0
        };
        let most = (1..self.scales).map(most).fold(f64::INFINITY, f64::min);
        self.overlap.unwrap_or(0.1 * most)
    }

    fn check(&self, name: &str, shape: &[usize]) -> Result<()> {
        let Self { scales, wedges, radii, threshold, .. } = *self;
        let why = if shape.len() < 2 {
            format!("an array of shape {shape:?}: curvelets have two axes or more")
        } else if scales < 2 {
            format!("{scales} scales; at least 2")
        } else if wedges == 0 || !wedges.is_multiple_of(3) {
            format!("{wedges} wedges: a multiple of 3")
        } else if self.overlap.is_some_and(|overlap| !(0.0..=0.5).contains(&overlap)) {
            format!("an overlap of {}: at least 0, at most 0.5", self.overlap.unwrap_or_default())
        } else if !radii.is_sorted() || radii[0] <= 0.0 || radii[3] > 1.5 * PI {
            format!("radii {radii:?}: rising from above 0 to at most 3π/2")
        } else if !threshold.is_finite() || threshold < 0.0 {
            format!("a threshold of {threshold}: 0 or more")
        } else {
            return self.check_extents(name, shape);
        };
        Error::parameter(name, why)
    }

    /// Fails unless each axis has whole numbers of coefficients at all scales.
    fn check_extents(&self, name: &str, shape: &[usize]) -> Result<()> {
        let finest =
            u32::try_from(self.scales - 1).ok().and_then(|finest| 2_usize.checked_pow(finest));
        // Wedges of the finest scale are counted, too.
        let least =
            finest.and_then(|finest| self.wedges.checked_mul(finest)).map(|least| least / 3);
        for (axis, &extent) in shape.iter().enumerate() {
            let fits = least.is_some_and(|least| extent.is_multiple_of(least));
            if !fits || extent == 0 {
                let least = least
                    .map_or_else(|| "more than there can be".to_owned(), |least| least.to_string());
                let why = format!(
                    "{extent} samples along axis {axis} of {shape:?}: with {} scales and {} wedges a multiple of {least}",
                    self.scales, self.wedges
                );
                return Error::parameter(name, why);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coefficients_are_as_many_as_those_of_pylops() {
        let sum = |curvelets: Curvelets, shape: &[usize]| -> usize {
            curvelets.bands(shape).unwrap_or_default().iter().map(CurveletBand::len).sum()
        };
        let curvelets = Curvelets::default();
        assert_eq!(sum(curvelets, &[16, 20]), 8 * 10 + 2 * 3 * 4 * 5 + 6 * 8 * 5 + 6 * 4 * 10);
        let complex = Curvelets { kind: CurveletKind::Complex, ..curvelets };
        assert_eq!(sum(complex, &[16, 20]), 2 * sum(curvelets, &[16, 20]) - 80);
    }

    #[test]
    fn bad_parameters_are_named() {
        let refused = |curvelets: Curvelets, shape: &[usize]| {
            let error = curvelets.bands(shape).err();
            error.map(|error| error.to_string()).unwrap_or_default()
        };
        let good = Curvelets::default();
        let says = |curvelets: Curvelets, shape: &[usize], what: &str| {
            let told = refused(curvelets, shape);
            assert!(told.starts_with("Curvelets: ") && told.contains(what), "{told}");
        };
        says(good, &[16], "two axes");
        says(
            good,
            &[16, 18],
            "18 samples along axis 1 of [16, 18]: with 3 scales and 3 wedges a multiple of 4",
        );
        says(good, &[0, 16], "0 samples along axis 0");
        says(Curvelets { scales: 1, ..good }, &[16, 16], "at least 2");
        says(Curvelets { scales: 1 << 40, ..good }, &[16, 16], "more than there can be");
        says(Curvelets { wedges: 4, ..good }, &[16, 16], "a multiple of 3");
        says(Curvelets { wedges: 0, ..good }, &[16, 16], "a multiple of 3");
        says(Curvelets { overlap: Some(f64::NAN), ..good }, &[16, 16], "overlap");
        says(Curvelets { overlap: Some(0.6), ..good }, &[16, 16], "overlap");
        says(Curvelets { radii: [1.0, 0.5, 2.0, 4.0], ..good }, &[16, 16], "radii");
        says(Curvelets { radii: [1.0, 2.0, 2.0, 5.0], ..good }, &[16, 16], "radii");
        says(Curvelets { radii: [f64::NAN, 2.0, 2.0, 4.0], ..good }, &[16, 16], "radii");
        says(Curvelets { threshold: -1.0, ..good }, &[16, 16], "threshold");
    }
}
