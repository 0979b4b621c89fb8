//! Verbs element by element: expressions, and copies between any two layouts.

use arrayspan_bridge::{View, ViewMut};
use num_complex::Complex64;

use super::Executor;
use crate::factors::Factors;
use crate::number::computed;
use crate::verb::{
    Call, CopyCall, CopyMappedCall, Dot, MAP, MapCall, MapManyCall, Mapped, TransferCall, check,
};
use crate::{Expression, Result, Update};

impl dyn Executor + '_ {
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
            return self.run(Call::MapMany(MapManyCall::one(expression, inputs, out)?));
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
        Factors::new(MAP, update, computed(y.dtype()))?.expect_device(MAP, self.device())?;
        let mut inputs = inputs.to_vec();
        let expression = update.expression(expression.clone(), &mut inputs);
        self.map(&expression, &inputs, y)
    }

    /// `outₖ ← expressionₖ(inputs, outs)` for several outputs of one shape in one pass, element by element. Inputs
    /// broadcast. Behind `n` inputs, `input(n + k)` is what output `k` held. Enqueued; does not wait.
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

    /// `yₖ ← alpha · scaleₖ · expressionₖ(inputs) + beta · yₖ` for several outputs of one shape in one pass; alpha and each scale are
    /// multiplied first. Expressions read inputs alone. Enqueued; does not wait.
    ///
    /// # Errors
    /// As [`map_many`](#method.map_many); a factor that does not fit the dtype, also times a scale; an expression that reads what
    /// outputs held.
    pub fn map_many_updated<'a>(
        &self,
        inputs: &[View<'a>],
        outputs: impl IntoIterator<Item = (Complex64, Expression, ViewMut<'a>)>,
        update: Update<'a>,
    ) -> Result<()> {
        let (count, mut inputs) = (inputs.len(), inputs.to_vec());
        let pushed = update.pushed(&mut inputs);
        let mut updated = Vec::new();
        for (scale, expression, y) in outputs {
            // Looked at before they become inputs, so that errors name them.
            let factors = Factors::new(MAP, update.scaled(scale), computed(y.dtype()))?;
            factors.expect_device(MAP, self.device())?;
            if expression.inputs() > count || expression.reads_previous() {
                return check::argument(MAP, "an expression reads what an output held");
            }
            updated.push((pushed.of(expression, scale), y));
        }
        self.map_many(&inputs, updated)
    }

    /// As [`map_many`](#method.map_many), and [dots](crate::verb::Dot) of inputs and of what the outputs hold then: where arrays have one
    /// dtype and no gaps, in the same pass. Enqueued; does not wait.
    ///
    /// ```
    /// use arrayspan_kernels::bridge::{Array, devices::Device};
    /// use arrayspan_kernels::verb::{Dot, DotOf};
    /// use arrayspan_kernels::{input, on, previous};
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let (x, mut y) = (Array::from_slice(&[3.0, 4.0], [2])?, Array::from_slice(&[1.0, 1.0], [2])?);
    /// let (mut norm, mut both) = (Array::from_slice(&[0.0], [])?, Array::from_slice(&[0.0], [])?);
    /// let sums = [
    ///     Dot::norm_squared(DotOf::Output(0), norm.view_mut()),
    ///     Dot { a: DotOf::Input(0), b: DotOf::Output(0), out: both.view_mut() },
    /// ];
    /// let outputs = [(previous() - input(0), y.view_mut())];
    /// on(Device::cpu())?.map_dots(&[x.view()], outputs, sums)?;
    /// assert_eq!(y.view().as_slice::<f64>()?, [-2.0, -3.0]);
    /// assert_eq!([norm.item::<f64>()?, both.item::<f64>()?], [13.0, -18.0]);
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// As [`map_many`](#method.map_many) and [`MapManyCall::with_dots`].
    pub fn map_dots<'a>(
        &self,
        inputs: &[View<'a>],
        outputs: impl IntoIterator<Item = (Expression, ViewMut<'a>)>,
        dots: impl IntoIterator<Item = Dot<'a>>,
    ) -> Result<()> {
        self.run(Call::MapMany(MapManyCall::new(inputs, outputs)?.with_dots(dots)?))
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
}
