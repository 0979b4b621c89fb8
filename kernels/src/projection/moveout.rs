//! Curves whose positions differ by a number for each row of rays and line: Radon transforms.

use arrayspan_bridge::devices::vectors::reserve;

use super::curves::{Curves, Paths};
use super::{Projection, checked};
use crate::Result;

/// Samples of lines whose places, and twice as many, fit 32 bits.
const MOST_SHIFTED: usize = 1 << 30;

/// Samples whose squares have roots that 32-bit floats tell within one.
const MOST_SQUARED: usize = 1 << 20;

impl Projection {
    /// Along `s + shift(r, k)`: from lines `[lines…, samples]`, one axis or two of them, to rays `[rows…, samples]`, with as many
    /// axes. `r` and `k` count rows of rays and lines along their axes, the last one fastest. Positions that are not on a line, from the first
    /// sample to the last, are left out, and so are those that are not a number. With `nearest` that sample is taken alone (halves go up).
    ///
    /// # Errors
    /// [`Error::Argument`](crate::Error::Argument) unless there are one or two axes of rows and as many of lines, and at most 2³⁰ samples; out of
    /// memory.
    pub fn shifts(
        rows: &[usize],
        lines: &[usize],
        samples: usize,
        shift: impl Fn(usize, usize) -> f64,
        nearest: bool,
    ) -> Result<Self> {
        let (shapes, [count, width]) = shapes(rows, lines, samples, MOST_SHIFTED)?;
        let (mut whole, mut fraction) = (Vec::new(), Vec::new());
        reserve(&mut whole, count * width).map_err(arrayspan_bridge::Error::from)?;
        reserve(&mut fraction, count * width).map_err(arrayspan_bridge::Error::from)?;
        for (row, line) in pairs([count, width]) {
            let shift = shift(row, line);
            let shift =
                if nearest { (shift + 0.5).floor() } else { snapped(shift, samples as f64) };
            let there = shift.abs() < samples as f64;
            // Behind the end of the line, from every sample.
            whole.push(if there { shift.floor() as i32 } else { samples as i32 });
            fraction.push(if there { shift - shift.floor() } else { 0.0 });
        }
        let [rays, lines] = shapes;
        Ok(Self::of(Curves { rays, lines, paths: Paths::Shifts { whole, fraction } }))
    }

    /// As [`shifts`](Self::shifts), along `√(s² + square(r, k))`.
    ///
    /// # Errors
    /// As there, and for more than 2²⁰ samples, or a square below zero.
    pub fn hyperbolas(
        rows: &[usize],
        lines: &[usize],
        samples: usize,
        square: impl Fn(usize, usize) -> f64,
        nearest: bool,
    ) -> Result<Self> {
        let (shapes, [count, width]) = shapes(rows, lines, samples, MOST_SQUARED)?;
        let (mut whole, mut fraction) = (Vec::new(), Vec::new());
        reserve(&mut whole, count * width).map_err(arrayspan_bridge::Error::from)?;
        reserve(&mut fraction, count * width).map_err(arrayspan_bridge::Error::from)?;
        let beyond = (samples * samples) as f64;
        for (row, line) in pairs([count, width]) {
            let square = square(row, line);
            if square < 0.0 {
                let why = format!("√(s² + {square}) of row {row} and line {line}");
                return crate::verb::check::argument("project", why);
            }
            let square = snapped(square, 1.0);
            let there = square < beyond;
            whole.push(if there { square.floor() as i64 } else { beyond as i64 });
            fraction.push(if there { square - square.floor() } else { 0.0 });
        }
        let [rays, lines] = shapes;
        Ok(Self::of(Curves { rays, lines, paths: Paths::Hyperbolas { whole, fraction, nearest } }))
    }
}

/// The shapes of rays and lines, and how many rows and lines there are.
fn shapes(
    rows: &[usize],
    lines: &[usize],
    samples: usize,
    most: usize,
) -> Result<([Vec<usize>; 2], [usize; 2])> {
    if rows.len() != lines.len() || !(1..=2).contains(&rows.len()) {
        let why = format!("rows {rows:?} and lines {lines:?}, not one or two axes of each");
        return crate::verb::check::argument("project", why);
    }
    let shapes = [rows, lines].map(|outer| [outer, &[samples]].concat());
    let counts = checked([&shapes[0], &shapes[1]], most)?;
    Ok((shapes, counts))
}

fn pairs([rows, lines]: [usize; 2]) -> impl Iterator<Item = (usize, usize)> {
    (0..rows).flat_map(move |row| (0..lines).map(move |line| (row, line)))
}

/// A number that differs from a whole one by no more than rounding is that one: what is on a sample is not behind it.
fn snapped(number: f64, about: f64) -> f64 {
    let whole = number.round();
    let rounding = 4.0 * f64::EPSILON * number.abs().max(about);
    if (number - whole).abs() <= rounding { whole } else { number }
}
