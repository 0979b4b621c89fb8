//! Bands along axes, summed in one pass.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, Weak};

use arrayspan_bridge::devices::Access;
use arrayspan_bridge::{DType, Operand, OperandMut, View, ViewMut};

use super::dot::{Among, DotCall};
use super::{Dot, DotOf, Epilogue, OperandName, ReduceCall, Verb, check};
use crate::factors::Factors;
use crate::kept::Kept;
use crate::plan::{Moved, Operands};
use crate::{Band, Cost, Fit, Result, Update, cost, fit, number};

const NAME: &str = "stencil";

/// A sum of bands, each along one axis: `Σ I ⊗ … ⊗ Bₐ ⊗ … ⊗ I`. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Stencil(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    /// At most one band an axis, axes ascending.
    terms: Vec<(usize, Band)>,
    /// The least and the largest magnitude of a weight's real or imaginary part that is not zero.
    magnitudes: [f64; 2],
    /// Whether all weights are real.
    real: bool,
    fingerprint: u64,
    /// What the host makes of the terms.
    on_host: Kept,
}

impl Stencil {
    /// The sum of the terms; several along one axis become one.
    ///
    /// # Errors
    /// When two bands along one axis differ in length, or a weight is not a finite number.
    pub fn new(terms: impl IntoIterator<Item = (usize, Band)>) -> Result<Self> {
        let mut merged: Vec<(usize, Band)> = Vec::new();
        for (axis, band) in terms {
            if !band.is_finite() {
                return check::argument(NAME, format!("a weight along axis {axis} is not finite"));
            }
            let Some((_, sum)) = merged.iter_mut().find(|(other, _)| *other == axis) else {
                merged.push((axis, band));
                continue;
            };
            let Some(both) = sum.plus(&band) else {
                let (a, b) = (sum.len(), band.len());
                return check::argument(
                    NAME,
                    format!("bands of length {a} and {b} along axis {axis}"),
                );
            };
            *sum = both;
        }
        merged.sort_by_key(|(axis, _)| *axis);
        Ok(Self::of(merged))
    }

    /// One band.
    ///
    /// # Errors
    /// When a weight is not a finite number.
    pub fn along(axis: usize, band: Band) -> Result<Self> {
        Self::new([(axis, band)])
    }

    /// The axes, ascending, and the band along each.
    #[must_use]
    pub fn terms(&self) -> &[(usize, Band)] {
        &self.0.terms
    }

    /// The conjugate transpose.
    #[must_use]
    pub fn adjoint(&self) -> Self {
        self.each(Band::adjoint)
    }

    /// The complex conjugate.
    #[must_use]
    pub fn conj(&self) -> Self {
        self.each(Band::conj)
    }

    fn each(&self, change: impl Fn(&Band) -> Band) -> Self {
        Self::of(self.terms().iter().map(|(axis, band)| (*axis, change(band))).collect())
    }

    fn of(terms: Vec<(usize, Band)>) -> Self {
        let taps = terms.iter().flat_map(|(_, band)| band.pieces()).flat_map(|(_, taps)| taps);
        let parts = taps.flat_map(|tap| [tap.weight.re.abs(), tap.weight.im.abs()]);
        let magnitudes = parts.filter(|part| *part != 0.0).fold(None, |found, part| {
            let [least, largest] = found.unwrap_or([part; 2]);
            Some([part.min(least), part.max(largest)])
        });
        let (magnitudes, fingerprint) = (magnitudes.unwrap_or([0.0; 2]), fingerprint(&terms));
        let real = terms.iter().all(|(_, band)| band.is_real());
        Self(Arc::new(Inner { terms, magnitudes, real, fingerprint, on_host: Kept::default() }))
    }

    pub(crate) fn on_host(&self) -> &Kept {
        &self.0.on_host
    }

    /// Fails unless it can be applied to arrays of that shape and dtype.
    pub(crate) fn check(&self, verb: &'static str, shape: &[usize], dtype: DType) -> Result<()> {
        for (axis, band) in self.terms() {
            if shape.get(*axis) != Some(&band.len()) {
                let len = band.len();
                let why = format!("a band of length {len} along axis {axis} of shape {shape:?}");
                return check::argument(verb, why);
            }
        }
        if !dtype.is_complex() && !self.is_real() {
            return check::argument(verb, format!("weights are complex, arrays {dtype}"));
        }
        let [_, largest] = self.0.magnitudes;
        if fit(largest, dtype) == Fit::TooLarge {
            let why = format!("a weight of {largest:e} is not a finite number of {dtype}");
            return check::argument(verb, why);
        }
        Ok(())
    }

    /// The operations on arrays of `len` elements: a product and a sum for each entry.
    pub(crate) fn flops(&self, len: usize) -> usize {
        let lines = |band: &Band| if band.len() == 0 { 0 } else { len / band.len() };
        let taps = |(_, band): &(usize, Band)| lines(band).saturating_mul(band.entries());
        self.terms().iter().map(taps).fold(0, usize::saturating_add).saturating_mul(2)
    }

    /// The least and the largest magnitude of a weight's real or imaginary part that is not zero; zero where all are.
    pub(crate) fn magnitudes(&self) -> [f64; 2] {
        self.0.magnitudes
    }

    /// Whether all weights are real.
    #[must_use]
    pub fn is_real(&self) -> bool {
        self.0.real
    }
}

/// A stencil that may have gone.
#[derive(Debug)]
pub(crate) struct WeakStencil(Weak<Inner>);

impl Stencil {
    pub(crate) fn downgrade(&self) -> WeakStencil {
        WeakStencil(Arc::downgrade(&self.0))
    }
}

impl WeakStencil {
    /// Whether it is that one, and not merely equal: its place is taken by no other while this is there.
    pub(crate) fn is(&self, other: &Stencil) -> bool {
        std::ptr::eq(self.0.as_ptr(), Arc::as_ptr(&other.0))
    }
}

impl PartialEq for Stencil {
    fn eq(&self, other: &Self) -> bool {
        let (a, b) = (&self.0, &other.0);
        Arc::ptr_eq(a, b) || (a.fingerprint == b.fingerprint && a.terms == b.terms)
    }
}

/// Weights are finite, so equality is an equivalence.
impl Eq for Stencil {}

impl Hash for Stencil {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.0.fingerprint);
    }
}

fn fingerprint(terms: &[(usize, Band)]) -> u64 {
    let mut hasher = DefaultHasher::new();
    for (axis, band) in terms {
        (axis, band.len()).hash(&mut hasher);
        for (rows, taps) in band.pieces() {
            (rows.start, taps.len()).hash(&mut hasher);
            for tap in taps {
                let [re, im] = number::bits(tap.weight);
                (tap.offset, re, im).hash(&mut hasher);
            }
        }
    }
    hasher.finish()
}

/// `y ← alpha · stencil(x) + beta · y`.
///
/// Arrays may hold `Float16` or `BFloat16`: weights, factors and sums are those of `Float32` then, and results are rounded to 16 bits once.
/// On GPUs they take the general kernel, and none of those for one band or for rows at odd places.
///
/// [With a norm](Self::with_norm_squared), `‖y‖²` is added up of what is written: in the same pass on the host, and on GPUs where
/// kernels for one long band do it; else by a reduction behind it, as which it counts.
#[derive(Debug)]
pub struct StencilCall<'a> {
    pub(crate) stencil: Stencil,
    pub(crate) x: Operand<'a>,
    pub(crate) y: OperandMut<'a>,
    pub(crate) factors: Factors<'a>,
    /// `‖y‖²`
    pub(crate) norm: Option<DotCall<'a>>,
    /// What is computed of that.
    pub(crate) epilogue: Epilogue<'a>,
}

impl<'a> StencilCall<'a> {
    /// Checks the arguments.
    ///
    /// # Errors
    /// When shapes or dtypes differ, an axis is missing or has another length than its band, or a weight
    /// or factor is complex and the dtype is not, or is too large for it.
    pub fn new(stencil: &Stencil, x: View<'a>, y: ViewMut<'a>, update: Update<'a>) -> Result<Self> {
        let computed = check::stored(NAME, y.dtype())?;
        check::shape(NAME, "x", y.shape(), x.shape())?;
        check::dtype(NAME, "x", y.dtype(), x.dtype())?;
        let factors = Factors::new(NAME, update, computed)?;
        stencil.check(NAME, y.shape(), y.dtype())?;
        let (stencil, epilogue) = (stencil.clone(), Epilogue::default());
        Ok(Self { stencil, x: x.into(), y: y.into(), factors, norm: None, epilogue })
    }

    /// The same call, and `out ← ‖y‖²` of what it writes, as [`Dot`] says.
    ///
    /// # Errors
    /// When `out` has axes, or is not real and at least as wide as the parts of elements.
    pub fn with_norm_squared(mut self, out: ViewMut<'a>) -> Result<Self> {
        let dot = Dot::norm_squared(DotOf::Output(0), out);
        self.norm = Some(DotCall::new(0, dot, among(&self.y))?);
        Ok(self)
    }

    /// Runs the norm by itself, as a reduction.
    pub(crate) fn norm_alone(
        &mut self,
        run: impl FnOnce(&mut ReduceCall<'_>) -> Result<()>,
    ) -> Result<()> {
        let Self { y, norm, .. } = self;
        norm.as_mut().map_or(Ok(()), |norm| run(&mut norm.reduction(among(y))?))
    }

    pub(super) fn held(&mut self) -> StencilCall<'_> {
        let (stencil, x, factors) = (self.stencil.clone(), self.x.held(), self.factors.held());
        let (norm, epilogue) = (self.norm.as_mut().map(DotCall::held), self.epilogue.held());
        StencilCall { stencil, x, y: self.y.held(), factors, norm, epilogue }
    }
}

/// What norms of a call that writes `y` are of.
fn among<'o, 'a>(y: &'o OperandMut<'a>) -> Among<'o, 'a> {
    Among { verb: NAME, inputs: &[], kinds: &[], outs: std::slice::from_ref(y) }
}

impl Verb for StencilCall<'_> {
    fn name(&self) -> &'static str {
        NAME
    }

    fn for_each_operand(&self, visit: &mut dyn FnMut(OperandName, Access, &Operand<'_>)) {
        self.factors.visit_between(&self.x, &self.y, visit);
        if let Some(norm) = &self.norm {
            visit(OperandName::Dot(0), Access::Write, norm.out.as_operand());
        }
        self.epilogue.visit(visit);
    }

    fn cost(&self) -> Cost {
        let mut cost = cost::of_output(&self.y, self.factors.reads());
        cost.bytes_read += cost::read([&self.x]) + self.factors.bytes();
        cost.flops = self.stencil.flops(self.y.layout().len());
        if let Some(norm) = &self.norm {
            cost += norm.cost(among(&self.y), true);
        }
        cost += self.epilogue.cost();
        cost
    }
}

impl Operands for StencilCall<'_> {
    fn move_operands(&mut self, moved: &Moved) {
        moved.read(&mut self.x);
        moved.written(&mut self.y);
        self.factors.move_operands(moved);
        self.norm.iter_mut().for_each(|norm| moved.written(&mut norm.out));
        self.epilogue.move_operands(moved);
    }
}
