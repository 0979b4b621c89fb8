//! Filters that change from place to place, as models.

use arrayspan_bridge::SharedArray;

use super::bank::{Places, expected};
use super::positions::Rows;
use crate::{Error, Operator, Result, Space};

/// `y[i] = Σⱼ hⱼ[i - j + c] u[j]` of a given input `u`, `c` the middle of filters `hⱼ`, which lie on straight lines between those of the
/// model at some places; domain `[places, taps]`, range that of the input.
///
/// What [`NonStationaryConvolve1D`](crate::NonStationaryConvolve1D) with filters gives of an input, as an operator on the filters: to
/// estimate them. Units: those of `u h`. Complex: linear. Cost: 1 launch in each direction, the filters and `y` once, and a
/// table of two weights for each tap of each sample (test `bytes::non_stationary_filters1d`).
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use arrayspan_operators::kernels::bridge::Array;
/// use arrayspan_operators::prelude::*;
/// let input = Array::from_slice(&[0.0, 2.0, 0.0], [3])?;
/// let filtered = NonStationaryFilters1D::new(input, 3, [0, 2])?;
/// let filters = Array::from_slice(&[0.0, 1.0, 0.0, 1.0, 2.0, 1.0], [2, 3])?;
/// let y = filtered.forward(filters)?;
/// assert_eq!(y.view().as_slice::<f64>()?, [1.0, 3.0, 1.0]);
/// # Ok(()) }
/// ```
///
/// Golden: PyLops 2.8.0 `NonStationaryFilters1D`, whose adjoint does not conjugate a complex input; this one does.
#[derive(Debug)]
pub struct NonStationaryFilters1D(());

impl NonStationaryFilters1D {
    const NAME: &str = "NonStationaryFilters1D";

    /// Filters of `taps` taps, an odd number, at `places` of `input`, which has one axis. Waits for it.
    ///
    /// # Errors
    /// [`Error::Parameter`] when the input has another number of axes or a dtype that is not one to compute with; the number of taps is not odd;
    /// there are no places, they do not rise or one is no sample; or a sample is not finite. [`Error::TooLarge`] when there is no
    /// memory for the table.
    pub fn new(
        input: impl Into<SharedArray>,
        taps: usize,
        places: impl AsRef<[usize]>,
    ) -> Result<Operator> {
        let (input, at) = (input.into(), places.as_ref());
        let range = Space::of(Self::NAME, input.shape(), input.dtype())?;
        range.computable(Self::NAME)?;
        let &[extent] = range.shape() else {
            return Error::parameter(Self::NAME, format!("an input of {range}, not of one axis"));
        };
        let places = Places::new(Self::NAME, &range, 0, at, taps)?;
        let domain = Space::of(Self::NAME, [at.len(), taps], range.dtype())?;
        let numbers = expected(Self::NAME, "the input", &input.view(), &[extent], &range)?;
        let reach = taps / 2;
        let each = taps.saturating_mul(2);
        let mut rows = Rows::new(Self::NAME, domain.shape(), domain.dtype(), extent, each)?;
        for row in 0..extent {
            let samples = numbers.iter().enumerate().take(row + reach + 1);
            for (sample, number) in samples.skip(row.saturating_sub(reach)) {
                let tap = row + reach - sample;
                for (own, part) in places.around(sample) {
                    rows.add(own * taps + tap, number * part);
                }
            }
            rows.end();
        }
        rows.operator(Self::NAME, [domain, range], 0, &[at.len(), taps])
    }
}
