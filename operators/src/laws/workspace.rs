//! Memory for intermediate results: as much as was asked for, of any content, used again and again.

use arrayspan_bridge::CARVE_BYTES;
use arrayspan_kernels::{Update, constant};

use super::near;
use super::trial::{Arrangement, Direction, Placed, Stop, Trial};
use super::values::norm;
use crate::{Error, Identity, Space, Workspace};

pub(super) fn hold(trial: Trial<'_>) -> Result<(), Stop> {
    let Trial { operator, on, .. } = trial;
    let mut workspace = Workspace::of(operator, on)?;
    spoil(trial, &mut workspace)?;
    for round in 0..2 {
        for direction in Direction::BOTH {
            let [from, to] = direction.spaces(operator);
            let (x, before) = (trial.random(from, 11 + round), trial.random(to, 13));
            let (rows, set) = ([Arrangement::RowMajor; 2], Update::set());
            let found = trial.update_with(&mut workspace, direction, &x, &before, set, rows)?;
            let how = match round {
                0 => " in a workspace of NaN",
                _ => " in a workspace that was used before",
            };
            trial.finite(direction, &found, how)?;
            let expected = trial.result(direction, &x)?;
            let what = || format!("{} x{how}", direction.name());
            near(trial, direction, [&found, &expected], norm(&expected), what)?;
        }
    }
    if operator.workspace() == 0 && operator.elsewhere().iter().all(|(_, bytes)| *bytes == 0) {
        return Ok(());
    }
    Direction::BOTH.into_iter().try_for_each(|direction| too_small(trial, direction))
}

/// Fills it with what is not a number in the operator's dtype.
fn spoil(trial: Trial<'_>, workspace: &mut Workspace) -> Result<(), Stop> {
    let Trial { operator, on, .. } = trial;
    let dtype = operator.range().dtype().real();
    let home = operator.devices().map_or(on.device(), |devices| devices.domain);
    let needed = std::iter::once((home, operator.workspace())).chain(operator.elsewhere());
    for (device, bytes) in needed {
        let bytes = bytes / CARVE_BYTES * CARVE_BYTES;
        if bytes > 0 {
            let all = Space::new([bytes / dtype.bytes()], dtype)?;
            let (memory, on) = workspace.context(operator, on)?.at(device)?.scratch(&all)?;
            on.map(&constant(f64::NAN), &[], memory)?;
        }
    }
    Ok(())
}

/// Fails unless a workspace of nothing is refused, and nothing is written.
fn too_small(trial: Trial<'_>, direction: Direction) -> Result<(), Stop> {
    let Trial { operator, on, .. } = trial;
    let (spaces, devices) = (direction.spaces(operator), trial.devices(direction));
    let place = |side: usize, number| {
        let numbers = trial.random(spaces[side], number);
        Placed::new(devices[side], spaces[side], &numbers, Arrangement::RowMajor)
    };
    let (x, mut y) = (place(0, 14)?, place(1, 15)?);
    let before = y.read()?.0;
    let mut none = Workspace::of(&Identity::new(spaces[1].clone())?, on)?;
    let outcome = trial.apply(&mut none, direction, x.view()?, y.view_mut()?, Update::set());
    let name = direction.name();
    if y.read()?.0 != before {
        return Err(Stop::Broken(format!("{name} writes although its workspace is too small")));
    }
    match outcome {
        Err(Error::Parameter { .. }) => Ok(()),
        Err(error) => Err(Stop::Broken(format!("{name} without a workspace says: {error}"))),
        Ok(()) => {
            let elsewhere: usize = operator.elsewhere().iter().map(|(_, bytes)| bytes).sum();
            let bytes = operator.workspace() + elsewhere;
            let why = format!("{name} asks for {bytes} bytes of workspace and takes none");
            Err(Stop::Broken(why))
        }
    }
}
