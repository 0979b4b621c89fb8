//! Arrays that do not fit are refused by name, and nothing is written.

use arrayspan_bridge::DType;
use arrayspan_kernels::Update;

use super::trial::{Arrangement, Direction, Placed, Stop, Trial};
use crate::{Error, Space, Workspace};

/// One argument of a direction given wrong.
struct Attempt<'a> {
    trial: Trial<'a>,
    direction: Direction,
    /// 0: the input, 1: the output.
    side: usize,
}

pub(super) fn hold(trial: Trial<'_>) -> Result<(), Stop> {
    for direction in Direction::BOTH {
        for side in 0..2 {
            let attempt = Attempt { trial, direction, side };
            attempt.shapes()?;
            attempt.dtypes()?;
        }
    }
    Ok(())
}

impl Attempt<'_> {
    fn shapes(&self) -> Result<(), Stop> {
        let right = self.space();
        let mut longer = right.shape().to_vec();
        longer.iter_mut().take(1).for_each(|extent| *extent += 1);
        let deeper = [right.shape(), &[1]].concat();
        for wrong in [longer, deeper].into_iter().filter(|wrong| *wrong != right.shape()) {
            let error = self.refused(&Space::new(wrong.clone(), right.dtype())?)?;
            match &error {
                Error::Shape { argument, expected, found, .. }
                    if *argument == self.argument()
                        && expected == right.shape()
                        && *found == wrong => {}
                _ => return self.unexpected("shape", &error),
            }
        }
        Ok(())
    }

    fn dtypes(&self) -> Result<(), Stop> {
        let right = self.space();
        // Not all devices have numbers of 64 bits.
        let all = [DType::Float32, DType::Complex64, right.dtype().real()];
        for wrong in all.into_iter().filter(|dtype| *dtype != right.dtype()) {
            let error = self.refused(&Space::new(right.shape(), wrong)?)?;
            match &error {
                Error::DType { argument, expected, found, .. }
                    if *argument == self.argument()
                        && *expected == right.dtype()
                        && *found == wrong => {}
                _ => return self.unexpected("dtype", &error),
            }
        }
        Ok(())
    }

    /// The error of the operator, applied with the argument in another space.
    fn refused(&self, wrong: &Space) -> Result<Error, Stop> {
        let Trial { operator, on, .. } = self.trial;
        let mut spaces = self.direction.spaces(operator);
        spaces[self.side] = wrong;
        let devices = self.trial.devices(self.direction);
        let place = |side: usize, number| {
            let numbers = self.trial.random(spaces[side], number);
            Placed::new(devices[side], spaces[side], &numbers, Arrangement::RowMajor)
        };
        let (x, mut y) = (place(0, 9)?, place(1, 10)?);
        let before = y.read()?.0;
        let mut workspace = Workspace::of(operator, on)?;
        let outcome = self.trial.apply(
            &mut workspace,
            self.direction,
            x.view()?,
            y.view_mut()?,
            Update::set(),
        );
        let (name, argument) = (self.direction.name(), self.argument());
        if y.read()?.0 != before {
            return Err(Stop::Broken(format!("{name} writes although its {argument} is {wrong}")));
        }
        outcome.err().ok_or_else(|| Stop::Broken(format!("{name} takes {argument} of {wrong}")))
    }

    fn space(&self) -> &Space {
        self.direction.spaces(self.trial.operator)[self.side]
    }

    fn argument(&self) -> &'static str {
        if (self.direction == Direction::Forward) == (self.side == 0) { "model" } else { "data" }
    }

    fn unexpected(&self, wrong: &str, error: &Error) -> Result<(), Stop> {
        let (name, argument) = (self.direction.name(), self.argument());
        Err(Stop::Broken(format!("{name} with {argument} of another {wrong} says: {error}")))
    }
}
