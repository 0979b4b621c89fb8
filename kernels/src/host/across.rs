//! A band along another axis than the lanes, and what groups of its rows take.

use std::sync::{Arc, OnceLock};

use num_complex::Complex64;

use super::pieces::Pieces;
use super::scalar::Scalar;
use super::window::{ROWS, Window};
use crate::{Band, Stencil};

/// A band along another axis than the lanes, and what groups of its rows take.
#[derive(Debug)]
pub(super) struct Across<L> {
    pub(super) pieces: Pieces<L>,
    pub(super) window: Window<L, ROWS>,
}

impl<L: Scalar> Across<L> {
    /// For many calls, if `many`: with the groups whose rows have other taps.
    fn new(band: &Band, alpha: Complex64, many: bool) -> Self {
        let pieces = Pieces::new(band, alpha);
        let window = if many { Window::whole(&pieces) } else { Window::new(&pieces) };
        Self { pieces, window }
    }

    /// The taps of most rows.
    pub(super) fn taps(&self) -> usize {
        self.pieces.longest().1.len()
    }
}

/// What is kept of a band of a stencil: by itself, and multiplied by the first other factor.
struct Kept<L> {
    plain: OnceLock<Arc<Across<L>>>,
    scaled: OnceLock<(Complex64, Arc<Across<L>>)>,
}

/// What rows of a band take, one of the stencil's, which are multiplied by a factor. It is kept with the stencil, unless factors
/// differ from call to call.
pub(super) fn of_stencil<L: Scalar>(
    stencil: &Stencil,
    band: &Band,
    alpha: Complex64,
) -> Arc<Across<L>> {
    let bands = || stencil.terms().iter().map(|(_, band)| band);
    let make = |many| Arc::new(Across::new(band, alpha, many));
    let Some(at) = bands().position(|of| std::ptr::eq(of, band)) else {
        return make(false);
    };
    let none = |_| Kept { plain: OnceLock::new(), scaled: OnceLock::new() };
    let kept: Arc<Box<[Kept<L>]>> = stencil.on_host().get(|| bands().map(none).collect());
    if alpha == Complex64::ONE {
        return Arc::clone(kept[at].plain.get_or_init(|| make(true)));
    }
    let (factor, across) = kept[at].scaled.get_or_init(|| (alpha, make(true)));
    if *factor == alpha { Arc::clone(across) } else { make(false) }
}
