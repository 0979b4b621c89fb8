//! The trait of what runs the verbs.

use std::fmt::Debug;
use std::sync::Arc;

use arrayspan_bridge::devices::{Device, Stream};
use arrayspan_bridge::{Array, DType, View, ViewMut};

use crate::factors::Factors;
use crate::verb::{
    Call, CopyCall, CopyMappedCall, GatherCall, GemmCall, MAP, MapCall, MapManyCall, Mapped,
    ReduceCall, Reduction, ScanCall, Stencil, StencilCall, StencilEachCall, StencilSumCall,
    StencilTerm, TransferCall,
};
use crate::{Expression, Gather, Result, Scan, Update};

/// Runs the verbs: on the host, on a GPU, or by passing them on and counting ([`Trace`](crate::Trace)). One per device and
/// stream.
///
/// Implementors are given checked calls. Callers use the methods of `dyn Executor`, one for each verb.
pub trait Executor: Debug + Send + Sync {
    /// The queue its work goes to.
    fn stream(&self) -> &Stream;

    /// Runs a checked call whose arguments live on this executor's device: enqueues it on
    /// [`stream`](Self::stream) and does not wait.
    ///
    /// # Errors
    /// When the device fails.
    fn execute(&self, call: &mut Call<'_>) -> Result<()>;

    /// Whether it keeps calls to be run later, as in [`Plan::record`](crate::Plan::record). Then work that is queued on
    /// the stream past it is not where its caller thinks it is, and no part of the plan.
    fn records(&self) -> bool {
        false
    }

    /// What does for `other`, an executor of another device or stream, what this does: beside one that records, one that
    /// records for `other`, into the same plan. `None` beside all that run what they are given: there `other` itself is
    /// used.
    fn beside(&self, other: &Arc<dyn Executor>) -> Option<&dyn Executor> {
        let _ = other;
        None
    }
}

impl dyn Executor + '_ {
    /// Where its work runs.
    #[must_use]
    pub fn device(&self) -> Device {
        self.stream().device()
    }

    /// A row-major array on this executor's device, with unspecified content.
    ///
    /// # Errors
    /// Out of memory.
    #[track_caller]
    pub fn empty(&self, shape: &[usize], dtype: DType) -> Result<Array> {
        Ok(Array::empty(shape, dtype, self.stream())?)
    }

    /// `out ← expression(inputs, out)`, element by element. Inputs broadcast, and are real or complex as they please (see
    /// [`MapManyCall`]). Enqueued; does not wait.
    ///
    /// # Errors
    /// As [`MapCall::new`]; arguments on another device; the device's failure.
    pub fn map(
        &self,
        expression: &Expression,
        inputs: &[View<'_>],
        out: ViewMut<'_>,
    ) -> Result<()> {
        if MapManyCall::is_mixed(inputs, &out) {
            return self.map_many(inputs, [(expression.clone(), out)]);
        }
        self.run(Call::Map(MapCall::new(expression, inputs, out)?))
    }

    /// `y ← alpha · expression(inputs) + beta · y`, element by element: [`map`](#method.map) with an update. Enqueued; does not
    /// wait.
    ///
    /// ```
    /// use arrayspan_kernels::bridge::{Array, devices::Device};
    /// use arrayspan_kernels::{Update, Vector, input, on};
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let (x, on) = (Array::from_slice(&[3.0, 4.0], [2])?, on(Device::cpu())?);
    /// let (mut y, sum) = (Array::from_slice(&[1.0, -1.0], [2])?, x.sum()?);
    /// on.map_updated(&input(0).abs2(), &[x.view()], y.view_mut(), Update::new(2.0, &sum))?;
    /// assert_eq!(y.view().as_slice::<f64>()?, [25.0, 25.0]);
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// As [`map`](#method.map); a factor that does not fit the dtype.
    pub fn map_updated(
        &self,
        expression: &Expression,
        inputs: &[View<'_>],
        y: ViewMut<'_>,
        update: Update<'_>,
    ) -> Result<()> {
        if update.known().is_some() {
            let expression = update.expression(expression.clone(), &mut Vec::new());
            return self.map(&expression, inputs, y);
        }
        // Looked at before they become inputs, so that errors name them.
        Factors::new(MAP, update, y.dtype())?.expect_device(MAP, self.device())?;
        let mut inputs = inputs.to_vec();
        let expression = update.expression(expression.clone(), &mut inputs);
        self.map(&expression, &inputs, y)
    }

    /// `outₖ ← expressionₖ(inputs, outₖ)` for several outputs of one shape in one pass, element by element. Inputs
    /// broadcast. Enqueued; does not wait.
    ///
    /// A launch on a GPU takes 64 arguments: 2 for each array, input or output, 1 for each real constant and 2 for each complex
    /// one. So it takes 32 arrays without constants, and more are refused; the host takes any number.
    ///
    /// ```
    /// use arrayspan_kernels::bridge::{Array, devices::Device};
    /// use arrayspan_kernels::{constant, input, on, previous};
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let x = Array::from_slice(&[3.0, 4.0], [2])?;
    /// let (mut y, mut z) = (Array::from_slice(&[1.0, 1.0], [2])?, Array::from_slice(&[0.0; 2], [2])?);
    /// let both = [(previous() + input(0), y.view_mut()), (constant(2.0) * input(0), z.view_mut())];
    /// on(Device::cpu())?.map_many(&[x.view()], both)?;
    /// assert_eq!(y.view().as_slice::<f64>()?, [4.0, 5.0]);
    /// assert_eq!(z.view().as_slice::<f64>()?, [6.0, 8.0]);
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// As [`MapManyCall::new`]; arguments on another device; [`Unsupported`](arrayspan_bridge::devices::Error::Unsupported) for
    /// more arguments than a launch takes, of which nothing is run; the device's failure.
    pub fn map_many<'a>(
        &self,
        inputs: &[View<'a>],
        outputs: impl IntoIterator<Item = (Expression, ViewMut<'a>)>,
    ) -> Result<()> {
        self.run(Call::MapMany(MapManyCall::new(inputs, outputs)?))
    }

    /// `y ← alpha · x + beta · y` between any two layouts. Enqueued; does not wait.
    ///
    /// # Errors
    /// As [`CopyCall::new`]; arguments on another device; the device's failure.
    pub fn copy(&self, x: View<'_>, y: ViewMut<'_>, update: Update<'_>) -> Result<()> {
        self.run(Call::Copy(CopyCall::new(x, y, update)?))
    }

    /// `y ← alpha · Σ xₛ[mₛ] + beta · y`: along each axis the elements of an input are read span by span, forwards or backwards, or
    /// not at all, as in zeros around and mirror images. One pass over `y`. Enqueued; does not wait.
    ///
    /// ```
    /// use arrayspan_kernels::bridge::{Array, devices::Device};
    /// use arrayspan_kernels::verb::{Mapped, Span};
    /// use arrayspan_kernels::{Update, on};
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let x = Array::from_slice(&[3.0, 4.0], [2])?;
    /// let mut y = Array::from_slice(&[1.0; 5], [5])?;
    /// // Its mirror image, itself, and a zero.
    /// let spans = [(2, Some((1, -1))), (4, Some((0, 1))), (5, None)];
    /// let spans = spans.into_iter().map(|(end, reads)| Span { end, reads }).collect();
    /// let mapped = Mapped { x: x.view(), axes: [spans].into_iter().collect() };
    /// on(Device::cpu())?.copy_mapped(&[mapped], y.view_mut(), Update::set())?;
    /// assert_eq!(y.view().as_slice::<f64>()?, [4.0, 3.0, 3.0, 4.0, 0.0]);
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// As [`CopyMappedCall::new`]; arguments on another device; the device's failure.
    pub fn copy_mapped<'a>(
        &self,
        sources: &[Mapped<'a>],
        y: ViewMut<'a>,
        update: Update<'a>,
    ) -> Result<()> {
        self.run(Call::CopyMapped(CopyMappedCall::new(sources, y, update)?))
    }

    /// `y ← x` between any two layouts, where one of both may be on another device than this executor. Enqueued; the host
    /// waits where [`ViewMut::copy_from`] must.
    ///
    /// A plan keeps it, which it does not keep what is copied past its executors. Between a device with streams and the
    /// host it is best asked of the former's executor; between two of them, of that of `y`.
    ///
    /// # Errors
    /// As [`TransferCall::new`]; both arguments on other devices; out of memory; the device's failure.
    pub fn transfer(&self, x: View<'_>, y: ViewMut<'_>) -> Result<()> {
        self.run(Call::Transfer(TransferCall::new(x, y)?))
    }

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

    /// `out ← reduction over axes of expression(inputs)`. Enqueued; does not wait.
    ///
    /// # Errors
    /// As [`ReduceCall::new`]; arguments on another device; the device's failure.
    pub fn reduce(
        &self,
        reduction: Reduction,
        expression: &Expression,
        inputs: &[View<'_>],
        axes: &[usize],
        out: ViewMut<'_>,
    ) -> Result<()> {
        self.run(Call::Reduce(ReduceCall::new(reduction, expression, inputs, axes, out)?))
    }

    /// `out[k, …] ← Σ over axes of expression(inputs) · wᵏ` in one pass, where `w` is the last input and `k` counts the first axis
    /// of `out`, which has 1 to 8 elements. Sums are kept as those of [`reduce`](#method.reduce); on GPUs, up to four
    /// neighbours are added first. Enqueued; does not wait.
    ///
    /// ```
    /// use arrayspan_kernels::bridge::{Array, devices::Device};
    /// use arrayspan_kernels::{input, on};
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let y = Array::from_slice(&[1.0, 2.0, 4.0], [3])?;
    /// let t = Array::from_slice(&[0.0, 1.0, 2.0], [3])?;
    /// let on = on(Device::cpu())?;
    /// let mut sums = Array::from_slice(&[0.0; 3], [3])?;
    /// on.moments(&input(0), &[y.view(), t.view()], &[0], sums.view_mut())?;
    /// assert_eq!(sums.view().as_slice::<f64>()?, [7.0, 10.0, 18.0]);
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// As [`ReduceCall::moments`]; arguments on another device; the device's failure.
    pub fn moments(
        &self,
        expression: &Expression,
        inputs: &[View<'_>],
        axes: &[usize],
        out: ViewMut<'_>,
    ) -> Result<()> {
        self.run(Call::Reduce(ReduceCall::moments(expression, inputs, axes, out)?))
    }

    /// `out ← Σ expression(inputs)` over all elements, into a 0-d array. Enqueued; does not wait.
    ///
    /// # Errors
    /// As [`reduce`](#method.reduce).
    pub fn sum(
        &self,
        expression: &Expression,
        inputs: &[View<'_>],
        out: ViewMut<'_>,
    ) -> Result<()> {
        let rank = inputs.first().map_or(0, |view| view.shape().len());
        let axes: Vec<usize> = (0..rank).collect();
        self.reduce(Reduction::Sum, expression, inputs, &axes, out)
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

    pub(crate) fn run(&self, mut call: Call<'_>) -> Result<()> {
        call.expect_device(self.device())?;
        tracing::trace!(verb = call.name(), device = %self.device());
        self.execute(&mut call)
    }
}
