//! One application of an operator to numbers from the host, in arrays of any arrangement.

use arrayspan_bridge::devices::Device;
use arrayspan_bridge::devices::retry::OutOfMemory;
use arrayspan_bridge::{Array, Relayout, View, ViewMut};
use arrayspan_kernels::{Executor, Update};
use num_complex::Complex64;

use super::values::{self, NAN};
use crate::{Devices, Error, LinearMap, LinearOperator, Result, Space, Workspace};

/// Forward or adjoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Direction {
    Forward,
    Adjoint,
}

impl Direction {
    pub(crate) const BOTH: [Self; 2] = [Self::Forward, Self::Adjoint];

    /// What reports call it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Forward => "A",
            Self::Adjoint => "Aᴴ",
        }
    }

    /// The space of the input and that of the output.
    pub(crate) fn spaces(self, operator: &dyn LinearMap) -> [&Space; 2] {
        match self {
            Self::Forward => [operator.domain(), operator.range()],
            Self::Adjoint => [operator.range(), operator.domain()],
        }
    }
}

/// How an array lies in its memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Arrangement {
    /// Without gaps, the last axis fastest.
    RowMajor,
    /// Without gaps, the first axis fastest.
    ColumnMajor,
    /// Every second element along the last axis.
    Stepped,
    /// From the last index of the first axis to the first, with gaps before and behind.
    Reversed,
}

impl Arrangement {
    /// The shape of the row-major array around one of `shape`.
    fn around(self, shape: &[usize]) -> Vec<usize> {
        let mut around = shape.to_vec();
        match self {
            Self::RowMajor => {}
            Self::ColumnMajor => around.reverse(),
            Self::Stepped => around.iter_mut().rev().take(1).for_each(|extent| *extent *= 2),
            Self::Reversed => around.iter_mut().take(1).for_each(|extent| *extent += 3),
        }
        around
    }

    /// The array of `shape` in the one around it.
    fn inside<V: Relayout>(self, around: V, shape: &[usize]) -> Result<V> {
        let rank = shape.len();
        Ok(match self {
            Self::ColumnMajor => around.permuted(&(0..rank).rev().collect::<Vec<_>>())?,
            Self::Stepped if rank > 0 => around.stepped(rank - 1, 2)?,
            Self::Reversed if rank > 0 => around.sliced(0, 2, shape[0])?.reversed(0)?,
            _ => around,
        })
    }
}

/// An array whose elements are arranged; what lies between them is not a number.
pub(crate) struct Placed {
    around: Array,
    shape: Vec<usize>,
    arrangement: Arrangement,
}

impl Placed {
    pub(crate) fn new(
        device: Device,
        space: &Space,
        numbers: &[Complex64],
        arrangement: Arrangement,
    ) -> Result<Self> {
        let (shape, dtype) = (space.shape().to_vec(), space.dtype());
        let given = values::array(&shape, dtype, numbers)?;
        if arrangement == Arrangement::RowMajor {
            let (around, _) = given.into_device(device)?;
            return Ok(Self { around, shape, arrangement });
        }
        let around = Space::new(arrangement.around(&shape), dtype)?;
        let around = values::array(around.shape(), dtype, &vec![NAN; around.len()])?;
        let (mut around, _) = around.into_device(device)?;
        arrangement
            .inside(around.view_mut(), &shape)?
            .copy_from(&given.view(), &device.stream()?)?;
        Ok(Self { around, shape, arrangement })
    }

    pub(crate) fn view(&self) -> Result<View<'_>> {
        self.arrangement.inside(self.around.view(), &self.shape)
    }

    pub(crate) fn view_mut(&mut self) -> Result<ViewMut<'_>> {
        self.arrangement.inside(self.around.view_mut(), &self.shape)
    }

    /// The elements; and whether nothing was written between them.
    pub(crate) fn read(&self) -> Result<(Vec<Complex64>, bool)> {
        let found = values::numbers(&self.view()?)?;
        if self.arrangement == Arrangement::RowMajor {
            return Ok((found, true));
        }
        let written = |numbers: &[Complex64]| {
            numbers.iter().filter(|v| !(v.re.is_nan() && (v.im.is_nan() || v.im == 0.0))).count()
        };
        let untouched = written(&values::numbers(&self.around.view())?) == written(&found);
        Ok((found, untouched))
    }
}

/// Why a trial gave no numbers to compare.
#[derive(Debug)]
pub(crate) enum Stop {
    /// A law does not hold, and why.
    Broken(String),
    /// The operator refused to be applied.
    Refused(String, Error),
    /// Memory or a device failed, which says nothing of the operator.
    Failed(Error),
}

impl<E: Into<Error>> From<E> for Stop {
    fn from(error: E) -> Self {
        Self::Failed(error.into())
    }
}

/// An operator, and where it is tried.
#[derive(Clone, Copy)]
pub(crate) struct Trial<'a> {
    pub(crate) operator: &'a dyn LinearMap,
    pub(crate) on: &'a dyn Executor,
    pub(crate) seed: u64,
}

impl Trial<'_> {
    /// Where the input of a direction lives, and where its output.
    pub(crate) fn devices(&self, direction: Direction) -> [Device; 2] {
        let devices = self.operator.devices().unwrap_or(Devices::both(self.on.device()));
        match direction {
            Direction::Forward => [devices.domain, devices.range],
            Direction::Adjoint => [devices.range, devices.domain],
        }
    }

    /// Random numbers for a space; others for another `number`.
    pub(crate) fn random(&self, space: &Space, number: u64) -> Vec<Complex64> {
        values::random(space, self.seed.wrapping_mul(1 << 8).wrapping_add(number))
    }

    /// `A x`, or `Aᴴ x`, of finite numbers, so that a result that has others breaks a law.
    pub(crate) fn result(
        &self,
        direction: Direction,
        x: &[Complex64],
    ) -> Result<Vec<Complex64>, Stop> {
        let found = self.plain(direction, x)?;
        self.finite(direction, &found, "")?;
        Ok(found)
    }

    /// `A x`, or `Aᴴ x`, whatever it is. Written over numbers: what becomes of others is the law of updates.
    pub(crate) fn plain(
        &self,
        direction: Direction,
        x: &[Complex64],
    ) -> Result<Vec<Complex64>, Stop> {
        let before = self.random(direction.spaces(self.operator)[1], 0);
        self.update(direction, x, &before, Update::set(), [Arrangement::RowMajor; 2])
    }

    /// Fails unless all elements of a result are finite; `how` it was found may be told.
    pub(crate) fn finite(
        &self,
        direction: Direction,
        result: &[Complex64],
        how: &str,
    ) -> Result<(), Stop> {
        let Some((at, value)) = values::not_finite(result) else { return Ok(()) };
        let index = values::index_of(direction.spaces(self.operator)[1].shape(), at);
        let (name, value) = (direction.name(), values::text(value));
        Err(Stop::Broken(format!("{name} x{how} is {value} at {index:?}")))
    }

    /// `alpha · A x + beta · y`, with input and output arranged.
    pub(crate) fn update(
        &self,
        direction: Direction,
        x: &[Complex64],
        y: &[Complex64],
        update: Update,
        arrangements: [Arrangement; 2],
    ) -> Result<Vec<Complex64>, Stop> {
        let mut workspace = Workspace::of(self.operator, self.on)?;
        self.update_with(&mut workspace, direction, x, y, update, arrangements)
    }

    /// As [`update`](Self::update), in a given workspace.
    pub(crate) fn update_with(
        &self,
        workspace: &mut Workspace,
        direction: Direction,
        x: &[Complex64],
        y: &[Complex64],
        update: Update,
        arrangements: [Arrangement; 2],
    ) -> Result<Vec<Complex64>, Stop> {
        let ([from, to], devices) = (direction.spaces(self.operator), self.devices(direction));
        let x = Placed::new(devices[0], from, x, arrangements[0])?;
        let mut y = Placed::new(devices[1], to, y, arrangements[1])?;
        let applied = self.apply(workspace, direction, x.view()?, y.view_mut()?, update);
        applied.map_err(|error| match error.shortage() {
            Some(_) => Stop::Failed(error),
            None => Stop::Refused(format!("{} fails", direction.name()), error),
        })?;
        let (found, untouched) = y.read()?;
        if untouched {
            return Ok(found);
        }
        let (name, [_, to]) = (direction.name(), arrangements);
        Err(Stop::Broken(format!("{name} writes between the elements of its output ({to:?})")))
    }

    /// What a user calls.
    pub(crate) fn apply(
        &self,
        workspace: &mut Workspace,
        direction: Direction,
        x: View<'_>,
        y: ViewMut<'_>,
        update: Update,
    ) -> Result<()> {
        match direction {
            Direction::Forward => self.operator.apply_with(workspace, self.on, x, y, update),
            Direction::Adjoint => {
                self.operator.apply_adjoint_with(workspace, self.on, x, y, update)
            }
        }
    }
}
