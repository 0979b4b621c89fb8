//! What one pass adds up: stencils and weights applied to parts of the input.

use arrayspan_bridge::{DType, SharedArray, View};
use arrayspan_kernels::{Band, Coefficients, Expression, Stencil, input};
use num_complex::Complex64;

use super::partition::Slice;
use super::same::same_array;
use crate::Result;
use crate::number::{self, ONE, is_movable};

/// An array of weights, or its conjugate.
#[derive(Clone, Debug)]
pub(crate) struct Weights {
    pub(crate) array: SharedArray,
    pub(crate) conjugated: bool,
}

/// `scale · after ⊙ stencil(before ⊙ x)`, where `x` is a part of the input.
#[derive(Clone, Debug)]
pub(crate) struct Summand {
    pub(super) scale: Complex64,
    /// The part of the input, and the part of that.
    pub(super) path: Vec<Slice>,
    pub(super) before: Option<Weights>,
    /// `None` for the identity. Then there is no `before`, because that is `after`.
    pub(super) stencil: Option<Stencil>,
    pub(super) after: Option<Weights>,
}

/// Bands that span more samples than this stay passes of their own: they are bound by arithmetic, and have kernels that
/// hold more rows.
const MOST_TAPS: usize = 16;

impl Weights {
    pub(super) fn same(&self, other: &Self) -> bool {
        self.conjugated == other.conjugated && same_array(&self.array, &other.array)
    }

    pub(super) fn coefficients(&self) -> Coefficients<'_> {
        Coefficients { array: self.array.view(), conjugated: self.conjugated }
    }

    /// That input of an expression, or its conjugate.
    pub(super) fn input(&self, number: usize) -> Expression {
        if self.conjugated { input(number).conj() } else { input(number) }
    }
}

impl Summand {
    /// All of the input.
    pub(super) fn identity() -> Self {
        Self { scale: ONE, path: Vec::new(), before: None, stencil: None, after: None }
    }

    /// The same, then multiplied by weights; `None` if it cannot be one summand.
    pub(super) fn weighted(self, weights: &Weights) -> Option<Self> {
        self.after.is_none().then(|| Self { after: Some(weights.clone()), ..self })
    }

    /// The same, then bands; `None` if it cannot be one summand, or had better not.
    pub(super) fn banded(self, stencil: &Stencil) -> Option<Self> {
        let near =
            !stencil.terms().is_empty() && stencil.terms().iter().all(|(_, band)| is_near(band));
        (near && self.stencil.is_none()).then(|| Self {
            before: self.after,
            stencil: Some(stencil.clone()),
            after: None,
            ..self
        })
    }

    /// First `inner`, then this, of all of its input; `None` if it cannot be one summand.
    pub(super) fn after(self, inner: &Self, dtype: DType) -> Option<Self> {
        let scale = number::product(self.scale, inner.scale, dtype)?;
        if !self.path.is_empty() {
            return None;
        }
        let Self { before, stencil, after, .. } = self;
        let mut both = Self { scale, ..inner.clone() };
        if let Some(weights) = before {
            both = both.weighted(&weights)?;
        }
        if let Some(stencil) = stencil {
            both = both.banded(&stencil)?;
        }
        match after {
            Some(weights) => both.weighted(&weights),
            None => Some(both),
        }
    }

    /// The same with its scale multiplied into the weights of its stencil, unless a number of the dtype is lost; the
    /// identity and weights keep theirs.
    pub(super) fn folded(mut self, dtype: DType) -> Option<Self> {
        let (Some(stencil), scale) = (&self.stencil, self.scale) else { return Some(self) };
        if scale == ONE {
            return Some(self);
        }
        if self.after.is_some() && !is_movable(scale) {
            return None;
        }
        let scaled = stencil.terms().iter().map(|(axis, band)| (*axis, band.scaled(scale)));
        let scaled: Vec<_> = scaled.collect();
        if !scaled.iter().all(|(_, band)| number::taps("sum", "", band, dtype).is_ok()) {
            return None;
        }
        self.stencil = Some(Stencil::new(scaled).ok()?);
        self.scale = ONE;
        Some(self)
    }

    /// As a stencil: a band of one tap along `axis`, of `len` rows, if it has none. Its scale is in the weights then; `None`
    /// where that would lose numbers.
    pub(super) fn as_stencil(&self, axis: usize, len: usize) -> Option<Stencil> {
        if self.stencil.is_some() {
            return self.stencil.clone();
        }
        if self.after.is_some() && !is_movable(self.scale) {
            return None;
        }
        Stencil::along(axis, Band::uniform_complex(len, [(0, self.scale)])).ok()
    }

    pub(super) fn view<'a>(&self, x: &View<'a>) -> Result<View<'a>> {
        self.path.iter().try_fold(x.clone(), |x, slice| slice.view(x))
    }

    pub(super) fn same(&self, other: &Self) -> bool {
        let weights = |a: &Option<Weights>, b: &Option<Weights>| match (a, b) {
            (Some(a), Some(b)) => a.same(b),
            (a, b) => a.is_none() && b.is_none(),
        };
        self.scale == other.scale
            && self.path == other.path
            && self.stencil == other.stencil
            && weights(&self.before, &other.before)
            && weights(&self.after, &other.after)
    }

    /// Its arrays of weights.
    pub(super) fn weights(&self) -> impl Iterator<Item = &Weights> {
        self.before.iter().chain(&self.after)
    }
}

/// Whether all taps of a band lie near each other, and few rows are special.
fn is_near(band: &Band) -> bool {
    let (left, right) = band.reach();
    left.saturating_add(right) < MOST_TAPS && band.pieces().count() <= 2 * MOST_TAPS
}
