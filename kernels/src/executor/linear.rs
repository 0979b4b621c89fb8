//! Verbs that multiply by a matrix: banded, sparse, triangular, dense, that of Fourier.

use arrayspan_bridge::{View, ViewMut};

use super::Executor;
use crate::verb::{
    Call, ConvolveCall, ConvolveVaryingCall, FftAxesCall, FftCall, FilterCall, GatherCall,
    GemmCall, ProjectCall, ScanCall, Stencil, StencilCall, StencilEachCall, StencilSumCall,
    StencilTerm,
};
use crate::{
    Convolution, Filter, Fourier, Gather, Projection, Result, Scan, Update, VaryingConvolution,
};

impl dyn Executor + '_ {
    /// `y ← alpha · stencil(x) + beta · y`. Enqueued; does not wait.
    ///
    /// # Errors
    /// As [`StencilCall::new`]; arguments on another device; the device's failure.
    pub fn stencil(
        &self,
        stencil: &Stencil,
        x: View<'_>,
        y: ViewMut<'_>,
        update: Update<'_>,
    ) -> Result<()> {
        self.run(Call::Stencil(StencilCall::new(stencil, x, y, update)?))
    }

    /// As [`stencil`](#method.stencil), and `norm ← ‖y‖²` of what it writes. Enqueued; does not wait.
    ///
    /// # Errors
    /// As [`StencilCall::new`] and [`StencilCall::with_norm_squared`]; arguments on another device; the device's failure.
    pub fn stencil_with_norm_squared(
        &self,
        stencil: &Stencil,
        x: View<'_>,
        y: ViewMut<'_>,
        update: Update<'_>,
        norm: ViewMut<'_>,
    ) -> Result<()> {
        self.run(Call::Stencil(StencilCall::new(stencil, x, y, update)?.with_norm_squared(norm)?))
    }

    /// `y[t] ← alpha · termₜ(x) + beta · y[t]`: the terms of a stencil, each by itself, along a new first axis of `y`, in one
    /// pass. Enqueued; does not wait.
    ///
    /// # Errors
    /// As [`StencilEachCall::new`]; arguments on another device; the device's failure.
    pub fn stencil_each(
        &self,
        stencil: &Stencil,
        x: View<'_>,
        y: ViewMut<'_>,
        update: Update<'_>,
    ) -> Result<()> {
        self.run(Call::StencilEach(StencilEachCall::new(stencil, x, y, update)?))
    }

    /// `y ← alpha · Σ after ⊙ stencil(before ⊙ x) + beta · y`, a sum over terms, in one pass. One term without coefficients
    /// is the verb [`stencil`](#method.stencil). Enqueued; does not wait.
    ///
    /// # Errors
    /// As [`StencilSumCall::new`]; arguments on another device; the device's failure.
    pub fn stencil_sum(
        &self,
        terms: &[StencilTerm<'_>],
        y: ViewMut<'_>,
        update: Update<'_>,
    ) -> Result<()> {
        match terms {
            [term] if !term.is_weighted() => self.stencil(&term.stencil, term.x.clone(), y, update),
            _ => self.run(Call::StencilSum(StencilSumCall::new(terms, y, update)?)),
        }
    }

    /// `y ← alpha · F x + beta · y` with a long filter along an axis, in one pass. Enqueued; does not wait.
    ///
    /// # Errors
    /// As [`FilterCall::new`]; arguments on another device; out of memory; the device's failure.
    pub fn filter(
        &self,
        filter: &Filter,
        x: View<'_>,
        y: ViewMut<'_>,
        update: Update<'_>,
    ) -> Result<()> {
        self.run(Call::Filter(FilterCall::new(filter, x, y, update)?))
    }

    /// `y ← alpha · C x + beta · y` with a dense convolution along some axes, in one pass. Enqueued; does not wait.
    ///
    /// # Errors
    /// As [`ConvolveCall::new`]; arguments on another device; out of memory; the device's failure.
    pub fn convolve(
        &self,
        convolution: &Convolution,
        x: View<'_>,
        y: ViewMut<'_>,
        update: Update<'_>,
    ) -> Result<()> {
        self.run(Call::Convolve(ConvolveCall::new(convolution, x, y, update)?))
    }

    /// `y ← alpha · C x + beta · y` with a convolution whose filters change from place to place, in one pass. Enqueued; does not wait.
    ///
    /// # Errors
    /// As [`ConvolveVaryingCall::new`]; arguments on another device; out of memory; the device's failure.
    pub fn convolve_varying(
        &self,
        convolution: &VaryingConvolution,
        x: View<'_>,
        y: ViewMut<'_>,
        update: Update<'_>,
    ) -> Result<()> {
        self.run(Call::ConvolveVarying(ConvolveVaryingCall::new(convolution, x, y, update)?))
    }

    /// `y ← alpha · S x + beta · y` with a sparse matrix along an axis: elements are picked, weighted and added. No two rows
    /// write to one place, so that there is no order but that of the entries of a row. Enqueued; does not wait.
    ///
    /// # Errors
    /// As [`GatherCall::new`]; arguments on another device; the device's failure.
    pub fn gather(
        &self,
        gather: &Gather,
        x: View<'_>,
        y: ViewMut<'_>,
        update: Update,
    ) -> Result<()> {
        self.run(Call::Gather(GatherCall::new(gather, x, y, update)?))
    }

    /// `y ← alpha · S x + beta · y` with running sums along an axis, in one pass. Enqueued; does not wait.
    ///
    /// # Errors
    /// As [`ScanCall::new`]; arguments on another device; out of memory; the device's failure.
    pub fn scan(&self, scan: &Scan, x: View<'_>, y: ViewMut<'_>, update: Update<'_>) -> Result<()> {
        self.run(Call::Scan(ScanCall::new(scan, x, y, update)?))
    }

    /// `y ← alpha · P x + beta · y` with sums along curves that cross the lines of `x`, or their transpose: positions are computed on the
    /// way. Enqueued; does not wait.
    ///
    /// # Errors
    /// As [`ProjectCall::new`]; arguments on another device; out of memory; the device's failure.
    pub fn project(
        &self,
        projection: &Projection,
        x: View<'_>,
        y: ViewMut<'_>,
        update: Update<'_>,
    ) -> Result<()> {
        self.run(Call::Project(ProjectCall::new(projection, x, y, update)?))
    }

    /// `y ← alpha · F x + beta · y` with discrete Fourier transforms along an axis. Enqueued; does not wait.
    ///
    /// # Errors
    /// As [`FftCall::new`]; arguments on another device; out of memory; the device's failure.
    pub fn fft(
        &self,
        fourier: &Fourier,
        x: View<'_>,
        y: ViewMut<'_>,
        update: Update<'_>,
    ) -> Result<()> {
        self.run(Call::Fft(FftCall::new(fourier, x, y, update)?))
    }

    /// `y ← alpha · Fₙ … F₁ x + beta · y` with discrete Fourier transforms along two or three axes, and arrays for what comes out of each
    /// but the last. Enqueued; does not wait.
    ///
    /// # Errors
    /// As [`FftAxesCall::new`]; arguments on another device; out of memory; the device's failure.
    pub fn fft_axes<'a>(
        &self,
        transforms: &[Fourier],
        x: View<'a>,
        between: impl IntoIterator<Item = ViewMut<'a>>,
        y: ViewMut<'a>,
        update: Update<'a>,
    ) -> Result<()> {
        self.run(Call::FftAxes(FftAxesCall::new(transforms, x, between, y, update)?))
    }

    /// `c ← alpha · a b + beta · c`, or with `conj(a)` for `a`. Enqueued; does not wait.
    ///
    /// # Errors
    /// As [`GemmCall::new`]; arguments on another device; the device's failure.
    pub fn gemm(
        &self,
        a: View<'_>,
        conjugate_a: bool,
        b: View<'_>,
        c: ViewMut<'_>,
        update: Update<'_>,
    ) -> Result<()> {
        self.run(Call::Gemm(GemmCall::new(a, conjugate_a, b, c, update)?))
    }
}
