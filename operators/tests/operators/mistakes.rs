//! Operators that break laws, one each.

use arrayspan_operators::author::*;
use num_complex::Complex64;

/// `y = c x`, c = 2 or 2i, with something wrong.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Wrong {
    Nothing,
    /// The adjoint multiplies by something else.
    Adjoint,
    /// Both directions give absolute values.
    Linear,
    /// The update is ignored.
    Update,
    /// The old output is multiplied by `beta`, even by 0.
    Reads,
    /// Only contiguous arrays are taken.
    Strides,
    /// Factors on the device are not taken for what they are.
    Loaded,
    /// Less workspace is asked for than is taken.
    Little,
    /// The workspace is taken for zeros.
    Dirty,
    /// The result is not a number.
    NaN,
}

#[derive(Debug)]
pub(crate) struct Scaled {
    pub(crate) space: Space,
    pub(crate) wrong: Wrong,
}

impl Scaled {
    fn factor(&self) -> Complex64 {
        Complex64::new(0.0, 2.0) + if self.space.dtype().is_complex() { 0.0 } else { 2.0 }
    }

    fn run(
        &self,
        on: Context<'_>,
        factor: Complex64,
        x: View<'_>,
        mut y: ViewMut<'_>,
        update: Update,
    ) -> Result<()> {
        let real = !self.space.dtype().is_complex();
        let factor = if real { factor.re.into() } else { factor };
        let (mut scratch, on) = match self.wrong {
            Wrong::Little | Wrong::Dirty => {
                let (scratch, on) = on.scratch(&self.space)?;
                (Some(scratch), on)
            }
            _ => (None, on),
        };
        let result = constant(factor) * input(0);
        let result = match self.wrong {
            Wrong::Linear => result.abs(),
            Wrong::NaN => result * constant(f64::NAN),
            _ => result,
        };
        if self.wrong == Wrong::Strides {
            x.as_slice::<f64>()?;
            y.as_mut_slice::<f64>()?;
        }
        if let Some(scratch) = scratch.as_mut() {
            let sum = if self.wrong == Wrong::Dirty { input(0) + previous() } else { input(0) };
            on.map(&sum, std::slice::from_ref(&x), scratch.reborrow())?;
        }
        let x = scratch.as_ref().map_or(x, |scratch| scratch.view());
        match (self.wrong, update.known()) {
            (Wrong::Update, _) | (Wrong::Loaded, None) => Ok(on.map(&result, &[x], y)?),
            (Wrong::Reads, Some([alpha, beta])) => {
                let whole = constant(alpha) * result + constant(beta) * previous();
                Ok(on.map(&whole, &[x], y)?)
            }
            _ => Ok(on.map_updated(&result, &[x], y, update)?),
        }
    }
}

impl LinearMap for Scaled {
    fn name(&self) -> &'static str {
        "Scaled"
    }

    fn domain(&self) -> &Space {
        &self.space
    }

    fn range(&self) -> &Space {
        &self.space
    }

    fn enqueue(&self, on: Context<'_>, x: View<'_>, y: ViewMut<'_>, update: Update) -> Result<()> {
        self.run(on, self.factor(), x, y, update)
    }

    fn enqueue_adjoint(
        &self,
        on: Context<'_>,
        y: View<'_>,
        x: ViewMut<'_>,
        update: Update,
    ) -> Result<()> {
        let wrong = self.wrong == Wrong::Adjoint;
        let factor = if wrong { self.factor() * 1.001 } else { self.factor().conj() };
        self.run(on, factor, y, x, update)
    }

    fn workspace(&self) -> usize {
        match self.wrong {
            Wrong::Little => 1,
            Wrong::Dirty => scratch_bytes(&self.space),
            _ => 0,
        }
    }
}

/// An operator whose adjoint does what it does itself.
#[derive(Debug)]
pub(crate) struct Same(pub(crate) Operator);

impl LinearMap for Same {
    fn name(&self) -> &'static str {
        "Same"
    }

    fn domain(&self) -> &Space {
        self.0.domain()
    }

    fn range(&self) -> &Space {
        self.0.range()
    }

    fn enqueue(&self, on: Context<'_>, x: View<'_>, y: ViewMut<'_>, update: Update) -> Result<()> {
        self.0.enqueue(on, x, y, update)
    }

    fn enqueue_adjoint(
        &self,
        on: Context<'_>,
        y: View<'_>,
        x: ViewMut<'_>,
        update: Update,
    ) -> Result<()> {
        self.0.enqueue(on, y, x, update)
    }
}
