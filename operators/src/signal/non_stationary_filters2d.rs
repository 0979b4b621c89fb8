//! Filters of two axes that change from place to place, as models.

use arrayspan_bridge::SharedArray;

use super::bank::{Bank, Places};
use crate::{Operator, Result, Space};

/// `y[i] = Σⱼ hⱼ[i - j + c] u[j]` along two axes of a given input `u`, `c` the middle of filters `hⱼ`, which are interpolated linearly along
/// each axis between those of the model on a grid of places; domain `[places, places, taps, taps]`, range that of the input.
///
/// What [`NonStationaryConvolve2D`](crate::NonStationaryConvolve2D) with filters gives of an input, as an operator on the filters: to
/// estimate them. The spectra of the input's windows are kept where the input lives, and there the operator is. Units: those of `u h`.
/// Complex: linear. Cost: a launch to turn the filters' axes, 4 to transform them and back, 1 over spectra and 2 to add windows up
/// (test `bytes::non_stationary_filters2d`).
///
/// Golden: PyLops 2.8.0 `NonStationaryFilters2D`, whose adjoint does not conjugate a complex input; this one does.
#[derive(Debug)]
pub struct NonStationaryFilters2D(());

impl NonStationaryFilters2D {
    const NAME: &str = "NonStationaryFilters2D";

    /// Filters of so many taps along each axis, odd numbers, at `places` of `input`, which has two axes. Waits for it.
    ///
    /// # Errors
    /// [`Error::Parameter`](crate::Error::Parameter) when the input has another number of axes or a dtype that is not one to compute with; a
    /// number of taps is not odd; there are no places along an axis, they do not rise or one is no sample of it; or a sample of the
    /// input is not finite. [`Error::TooLarge`](crate::Error::TooLarge) when windows cannot be addressed; out of memory; the
    /// device's failure.
    pub fn new(
        input: impl Into<SharedArray>,
        taps: [usize; 2],
        places: [&[usize]; 2],
    ) -> Result<Operator> {
        let input = input.into();
        let range = Space::of(Self::NAME, input.shape(), input.dtype())?;
        let places = Places::of(Self::NAME, &range, &places, &taps)?;
        Bank::new(Self::NAME, range, places)?.filters(&input)
    }
}
