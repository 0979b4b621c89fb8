//! Arguments that do not fit are refused by name, and nothing is written.

use arrayspan_bridge::DType;
use arrayspan_devices::Device;
use arrayspan_kernels::Update;
use arrayspan_operators::{Error, LinearMap, Space};

use super::{Arrangement, Case, Cell, Direction, Values, Verdict, devices};

/// An array of the wrong shape, dtype or device is refused with the error that says so, whichever of the two
/// it is, and the output keeps its values.
///
/// # Errors
/// When a wrong argument is accepted, another error is returned or the output changes.
pub fn law(cell: &Cell, case: &Case) -> Verdict {
    let operator = case.build(cell)?;
    for direction in Direction::BOTH {
        for side in 0..2 {
            let attempt = Attempt { cell, operator: &*operator, direction, side };
            attempt.shapes()?;
            attempt.dtypes()?;
            attempt.devices()?;
        }
    }
    Ok(())
}

/// One argument of one direction given wrong.
struct Attempt<'a> {
    cell: &'a Cell,
    operator: &'a dyn LinearMap,
    direction: Direction,
    /// 0: the input is wrong, 1: the output.
    side: usize,
}

impl Attempt<'_> {
    fn shapes(&self) -> Verdict {
        let right = self.space().shape().to_vec();
        let mut longer = right.clone();
        longer.iter_mut().take(1).for_each(|extent| *extent += 1);
        let mut deeper = right.clone();
        deeper.push(2);
        for wrong in [longer, deeper] {
            if wrong == right {
                continue;
            }
            let space = Space::new(wrong.clone(), self.cell.dtype)?;
            let error = self.refused(&space, self.cell.device)?;
            match &error {
                Error::Shape { operator, argument, expected, found }
                    if *operator == self.operator.name()
                        && *argument == self.argument()
                        && *expected == right
                        && *found == wrong => {}
                _ => return self.unexpected("shape", &error),
            }
        }
        Ok(())
    }

    fn dtypes(&self) -> Verdict {
        let all = [DType::Float32, DType::Float64, DType::Complex64, DType::Complex128];
        for wrong in all.into_iter().filter(|dtype| *dtype != self.space().dtype()) {
            let space = Space::new(self.space().shape(), wrong)?;
            let error = self.refused(&space, self.cell.device)?;
            match &error {
                Error::DType { operator, argument, expected, found }
                    if *operator == self.operator.name()
                        && *argument == self.argument()
                        && *expected == self.space().dtype()
                        && *found == wrong => {}
                _ => return self.unexpected("dtype", &error),
            }
        }
        Ok(())
    }

    fn devices(&self) -> Verdict {
        let Some(elsewhere) = devices::other_than(self.cell.device) else {
            return Ok(());
        };
        let error = self.refused(self.space(), elsewhere)?;
        match &error {
            Error::WrongDevice { operator, argument, expected, found, .. }
                if *operator == self.operator.name()
                    && *argument == self.argument()
                    && *expected == self.cell.device
                    && *found == elsewhere =>
            {
                Ok(())
            }
            _ => self.unexpected("device", &error),
        }
    }

    /// Applies the operator with the argument in `space` on `device`; the error it must return.
    fn refused(
        &self,
        space: &Space,
        device: Device,
    ) -> Result<Error, Box<dyn std::error::Error + Send + Sync>> {
        let (from, to) = self.direction.spaces(self.operator);
        let mut given = [(from, self.cell.device), (to, self.cell.device)];
        given[self.side] = (space, device);
        let place = |(space, device): (&Space, Device), seed| {
            let values = Values::random(space, seed);
            devices::place(&values, space.dtype(), device, Arrangement::RowMajor)
        };
        let (x, mut y) = (place(given[0], 7)?, place(given[1], 8)?);
        let before = devices::read(&y)?;
        let on = self.cell.executor()?;
        let outcome =
            self.direction.apply(self.operator, &*on, x.view(), y.view_mut(), Update::set());
        if devices::read(&y)? != before {
            return Err(format!("{:?}: wrote although an argument is wrong", self.direction).into());
        }
        outcome.err().ok_or_else(|| {
            let (direction, argument) = (self.direction, self.argument());
            format!("{direction:?}: accepts {argument} {space} on {device}").into()
        })
    }

    fn space(&self) -> &Space {
        let (from, to) = self.direction.spaces(self.operator);
        if self.side == 0 { from } else { to }
    }

    fn argument(&self) -> &'static str {
        if (self.direction == Direction::Forward) == (self.side == 0) { "model" } else { "data" }
    }

    fn unexpected(&self, wrong: &str, error: &Error) -> Verdict {
        let (direction, argument) = (self.direction, self.argument());
        Err(format!("{direction:?} with the wrong {wrong} of {argument} says: {error}").into())
    }
}
