//! One application of an operator to values from the host.

use arrayspan_bridge::{View, ViewMut};
use arrayspan_kernels::{Executor, Update};
use arrayspan_operators::{LinearMap, LinearOperator, Result, Space};
use num_complex::Complex64;

use super::{Arrangement, Cell, Values, devices};

/// Forward or adjoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// `A`
    Forward,
    /// `Aᴴ`
    Adjoint,
}

impl Direction {
    /// Both.
    pub const BOTH: [Self; 2] = [Self::Forward, Self::Adjoint];

    /// The space of the input and that of the output.
    #[must_use]
    pub fn spaces(self, operator: &dyn LinearMap) -> (&Space, &Space) {
        match self {
            Self::Forward => (operator.domain(), operator.range()),
            Self::Adjoint => (operator.range(), operator.domain()),
        }
    }

    /// Applies the operator in this direction.
    ///
    /// # Errors
    /// Those of [`LinearOperator::apply`].
    pub fn apply(
        self,
        operator: &dyn LinearMap,
        on: &dyn Executor,
        x: View<'_>,
        y: ViewMut<'_>,
        update: Update,
    ) -> Result<()> {
        match self {
            Self::Forward => operator.apply(on, x, y, update),
            Self::Adjoint => operator.apply_adjoint(on, x, y, update),
        }
    }
}

/// One application of an operator to values from the host.
#[derive(Clone, Copy, Debug)]
pub struct Run<'a> {
    cell: Cell,
    operator: &'a dyn LinearMap,
    direction: Direction,
    arrangements: (Arrangement, Arrangement),
}

impl<'a> Run<'a> {
    /// Both arrays without gaps.
    #[must_use]
    pub fn new(cell: &Cell, operator: &'a dyn LinearMap, direction: Direction) -> Self {
        Self { cell: *cell, operator, direction, arrangements: Arrangement::PAIRS[0] }
    }

    /// Input and output arranged like this.
    #[must_use]
    pub fn arranged(self, arrangements: (Arrangement, Arrangement)) -> Self {
        Self { arrangements, ..self }
    }

    /// The result on `x`, written over NaN.
    ///
    /// # Errors
    /// Those of the operator or the device.
    pub fn of(&self, x: &Values) -> Result<Values, Box<dyn std::error::Error + Send + Sync>> {
        let nan = Complex64::new(f64::NAN, f64::NAN);
        let (_, to) = self.direction.spaces(self.operator);
        self.update(x, &Values::filled(to, nan), Update::set())
    }

    /// What `y` is after the update by the result on `x`.
    ///
    /// # Errors
    /// Those of the operator or the device.
    pub fn update(
        &self,
        x: &Values,
        y: &Values,
        update: Update,
    ) -> Result<Values, Box<dyn std::error::Error + Send + Sync>> {
        let device = self.cell.device;
        let on = self.cell.executor()?;
        let (from, to) = self.direction.spaces(self.operator);
        let x = devices::place(x, from.dtype(), device, self.arrangements.0)?;
        let mut y = devices::place(y, to.dtype(), device, self.arrangements.1)?;
        self.direction.apply(self.operator, &*on, x.view(), y.view_mut(), update)?;
        devices::read(&y)
    }
}
