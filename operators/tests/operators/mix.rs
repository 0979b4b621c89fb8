//! Operators that are linear over the real numbers, and not over complex ones.

use arrayspan_bridge::DType;
use arrayspan_bridge::DType::Complex128;
use arrayspan_operators::author::*;
use num_complex::Complex64;

pub(crate) const LEN: usize = 3;

pub(crate) fn space(len: usize, dtype: DType) -> Space {
    Space::new([len], dtype).unwrap()
}

/// `y = a x + b conj(x)`, which any map is that is linear over the real numbers, element by element. Its adjoint is
/// `conj(a) y + b conj(y)`.
#[derive(Debug)]
pub(crate) struct Mix {
    pub(crate) space: Space,
    pub(crate) a: Complex64,
    pub(crate) b: Complex64,
    pub(crate) said: Option<Properties>,
}

impl Mix {
    pub(crate) fn operator(a: Complex64, b: Complex64) -> Operator {
        Operator::new(Self { space: space(LEN, Complex128), a, b, said: None })
    }

    fn run(
        &self,
        on: &Context<'_>,
        a: Complex64,
        x: View<'_>,
        y: ViewMut<'_>,
        update: Update,
    ) -> Result<()> {
        let mixed = constant(a) * input(0) + constant(self.b) * input(0).conj();
        Ok(on.map_updated(&mixed, &[x], y, update)?)
    }
}

impl LinearMap for Mix {
    fn name(&self) -> &'static str {
        "Mix"
    }

    fn domain(&self) -> &Space {
        &self.space
    }

    fn range(&self) -> &Space {
        &self.space
    }

    fn enqueue(&self, on: Context<'_>, x: View<'_>, y: ViewMut<'_>, update: Update) -> Result<()> {
        self.run(&on, self.a, x, y, update)
    }

    fn enqueue_adjoint(
        &self,
        on: Context<'_>,
        y: View<'_>,
        x: ViewMut<'_>,
        update: Update,
    ) -> Result<()> {
        self.run(&on, self.a.conj(), y, x, update)
    }

    fn properties(&self) -> Properties {
        self.said.unwrap_or(Properties::of(self).real_linear())
    }
}
