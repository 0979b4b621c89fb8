//! `Shift`: one delay along every axis, one for each signal, padded, of lengths that local memory holds and of others.

use arrayspan_bridge::DType;
use arrayspan_operators::{FourierAxis, Shift};

use super::fourier::of_points;
use super::{golden_array, space};
use crate::suite::{Case, Cell, Moves};

/// In one pass where local memory holds lines; else to the spectrum, over that with its phases, and back.
#[must_use]
pub fn cases(dtype: DType) -> Vec<Case> {
    let axis = FourierAxis::new;
    let stepped = |axis, step| FourierAxis { step, ..axis };
    vec![
        all(dtype, &[12], axis(0), 2.3).golden("shift/vector"),
        all(dtype, &[11], stepped(axis(-1), 0.25), -1.5).golden("shift/odd"),
        all(dtype, &[7, 4], stepped(axis(0), 0.5), 1.75).golden("shift/axis0"),
        all(dtype, &[3, 9], of_points(1, 16), 4.25).golden("shift/padded"),
        all(dtype, &[1, 2], axis(0), 0.5),
        // Fewer points than samples, and a prime number of them.
        all(dtype, &[2, 9], of_points(1, 6), 1.5),
        all(dtype, &[17, 2], axis(0), 0.75),
        each(dtype, &[3, 8, 2], axis(1), "each_axis1"),
        each(dtype, &[9, 3, 2], stepped(of_points(0, 12), 0.25), "each_axis0"),
        each(dtype, &[3, 2, 7], axis(-1), "each_last"),
    ]
}

/// To the spectrum, over that with its phases, and back: models, bins of all lines, and the phases that are read: one for each of these, or one for each bin.
fn moves(dtype: DType, shape: &[usize], axis: FourierAxis, each: bool) -> Moves {
    let at = axis.axis.rem_euclid(shape.len() as isize) as usize;
    let points = axis.points.unwrap_or(shape[at]);
    let bins = if dtype.is_complex() { points } else { points / 2 + 1 };
    let models: usize = shape.iter().product();
    // The phase of a single bin is one, so that nothing is left between a transform and its inverse.
    if points == 1 {
        return Moves::one(models, models);
    }
    let spectra = models / shape[at] * bins;
    // Bins are complex: of real models they count twice.
    let wide = if dtype.is_complex() { 1 } else { 2 };
    let phases = if each { spectra } else { 0 };
    let moves = Moves::one(models + wide * (2 * spectra + phases), models + wide * 2 * spectra);
    let complex = if dtype.real().bytes() == 4 { 8 } else { 16 };
    // A place, an index and a phase for each bin.
    let table = if each { 0 } else { bins * complex + bins * 4 };
    Moves { launches: 3, table, ..moves }
}

fn all(dtype: DType, shape: &[usize], axis: FourierAxis, delay: f64) -> Case {
    let at = axis.axis.rem_euclid(shape.len() as isize) as usize;
    let (points, len) = (axis.points.unwrap_or(shape[at]), shape.iter().product());
    let one_pass = points >= shape[at];
    let moves =
        if one_pass { Moves::one(len, len) } else { moves(dtype, shape, axis, false) };
    let name = format!("{shape:?} {axis:?} by {delay}");
    let shape = shape.to_vec();
    let make = move |cell: &_| Shift::new(space(cell, &shape)?, axis, delay);
    Case::new(name, make).moves(moves, moves)
}

fn each(dtype: DType, shape: &[usize], axis: FourierAxis, key: &'static str) -> Case {
    let moves = moves(dtype, shape, axis, true);
    let name = format!("{shape:?} {axis:?}, a delay each");
    let shape = shape.to_vec();
    let make = move |cell: &Cell| {
        let delays = golden_array(cell, &format!("shift/{key}"), "delays")?;
        let real = Cell { dtype: cell.dtype.real(), ..*cell };
        Shift::each(space(cell, &shape)?, axis, real.array(&delays)?.into_shared())
    };
    Case::new(name, make).moves(moves, moves).golden(format!("shift/{key}"))
}
