//! `project`, against sparse matrices whose entries are those of the formulas.

use arrayspan_kernels::{Beam, Gather, Projection, Rays, Update};

use crate::cell::{Cell, compiles_slowly};
use crate::reference::{self, Expected};
use crate::sample::{FORMS, Form};

/// A projection and the matrix that it is.
struct Known {
    projection: Projection,
    matrix: Gather,
    /// Of ones where the matrix has weights: these are rounded as positions are, far more where they are small.
    ones: Gather,
}

impl Known {
    /// Of what `position` says of a row of rays, a line, and a ray of the row; out of the line if it is not on it, or beside it if `beside`.
    fn new(
        projection: Projection,
        beside: bool,
        position: impl Fn(usize, usize, usize) -> Option<(f64, f64)>,
    ) -> Self {
        let (rows, columns) = (projection.rows().to_vec(), projection.columns().to_vec());
        let (points, samples) = (rows[rows.len() - 1], columns[columns.len() - 1]);
        let lines = columns.iter().rev().skip(1).product::<usize>();
        let (mut starts, mut indices, mut weights) = (vec![0], Vec::new(), Vec::new());
        for ray in 0..rows.iter().product() {
            for line in 0..lines {
                let Some((place, weight)) = position(ray / points, line, ray % points) else {
                    continue;
                };
                if !beside && !(0.0..=samples as f64 - 1.0).contains(&place) {
                    continue;
                }
                for sample in [place.floor(), place.floor() + 1.0] {
                    let share = weight * (1.0 - (place - sample).abs());
                    if share != 0.0 && (0.0..samples as f64).contains(&sample) {
                        indices.push(line * samples + sample as usize);
                        weights.push(share.into());
                    }
                }
            }
            starts.push(indices.len());
        }
        let ones = vec![((1 + samples) as f64).into(); weights.len()];
        let table = |weights| {
            Gather::new(0, &rows, &columns, starts.clone(), indices.clone(), Some(weights)).unwrap()
        };
        Self { projection, matrix: table(weights), ones: table(ones) }
    }

    fn turned(&self) -> Self {
        let (matrix, ones) = (self.matrix.transpose(), self.ones.transpose());
        Self { projection: self.projection.transpose(), matrix, ones }
    }

    fn at_axis(&self, axis: usize) -> Self {
        let (matrix, ones) = (self.matrix.at_axis(axis), self.ones.at_axis(axis));
        Self { projection: self.projection.at_axis(axis), matrix, ones }
    }

    /// From arrays with these axes before and behind those of the projection.
    #[track_caller]
    fn check(&self, cell: &Cell, around: [&[usize]; 2], forms: [Form; 2], update: Update) {
        for (number, known) in [self.turned(), self.at_axis(0)].into_iter().enumerate() {
            let known = known.at_axis(around[0].len());
            let shape = [around[0], known.projection.columns(), around[1]].concat();
            let range = known.projection.range_of(&shape).unwrap();
            let x = cell.random(&shape, forms[0], 41 + number as u64);
            let mut y = if update.reads() {
                cell.random(&range, forms[1], 43)
            } else {
                cell.unreadable(&range, forms[1])
            };
            let expected = Expected {
                scale: reference::gather(&known.ones, &x.tensor, &y.tensor, update).scale,
                ..reference::gather(&known.matrix, &x.tensor, &y.tensor, update)
            };
            cell.executor.project(&known.projection, x.view(), y.view_mut(), update).unwrap();
            let what = format!("{:?} of {shape:?} to {range:?}, {update:?}", known.projection);
            cell.check(&y, &expected, &what);
            x.check_unchanged(cell);
        }
    }
}

fn shifts(rows: &[usize], lines: &[usize], samples: usize, nearest: bool) -> Known {
    let shift = |row: usize, line: usize| (row as f64 - 1.25) * 0.8 * line as f64;
    let projection = Projection::shifts(rows, lines, samples, shift, nearest).unwrap();
    Known::new(projection, false, |row, line, s| {
        let position = s as f64 + shift(row, line);
        Some((if nearest { (position + 0.5).floor() } else { position }, 1.0))
    })
}

fn hyperbolas(rows: &[usize], lines: &[usize], samples: usize, nearest: bool) -> Known {
    // Of a row that is not a number nothing is there.
    let square = |row: usize, line: usize| {
        if row == 2 { f64::NAN } else { (row as f64 + 0.3) * (line * line) as f64 }
    };
    let projection = Projection::hyperbolas(rows, lines, samples, square, nearest).unwrap();
    Known::new(projection, false, |row, line, s| {
        let position = ((s * s) as f64 + square(row, line)).sqrt();
        Some((if nearest { (position + 0.5).floor() } else { position }, 1.0))
    })
}

/// Parallel rays and fans, of which those along lines are left out.
fn beams([lines, samples]: [usize; 2], detectors: usize) -> Known {
    let middle = [lines as f64 / 2.0, samples as f64 / 2.0];
    let beams: Vec<Beam> = (0..6)
        .map(|number| {
            let (sine, cosine) = (f64::from(number) * 0.6).sin_cos();
            let away = 2.0 * (lines + samples) as f64;
            let place = |along: f64, across: f64| {
                [
                    middle[0] + along * cosine - across * sine,
                    middle[1] + along * sine + across * cosine,
                ]
            };
            let step = [-0.7 * sine, 0.7 * cosine];
            let rays = match number % 2 {
                0 => Rays::Parallel([cosine, sine]),
                _ => Rays::From(place(away, 0.3)),
            };
            Beam { first: place(-away, -0.35 * detectors as f64), step, rays }
        })
        .collect();
    let projection = Projection::beams([lines, samples], detectors, &beams, true).unwrap();
    Known::new(projection, true, move |row, line, detector| {
        let Beam { first, step, rays } = beams[row];
        let place = [0, 1].map(|axis| first[axis] + detector as f64 * step[axis]);
        let [u, v] = match rays {
            Rays::Parallel(direction) => direction,
            Rays::From(source) => [place[0] - source[0], place[1] - source[1]],
        };
        let slope = v / u;
        (u.abs() >= v.abs())
            .then(|| (place[1] + (line as f64 - place[0]) * slope, slope.hypot(1.0)))
    })
}

fn kinds() -> [Known; 6] {
    [
        shifts(&[3], &[5], 11, false),
        hyperbolas(&[3], &[4], 13, false),
        beams([7, 11], 9),
        shifts(&[2, 2], &[3, 2], 7, true),
        hyperbolas(&[2, 2], &[2, 3], 9, true),
        beams([11, 7], 13),
    ]
}

pub fn curves_of_every_kind(cell: &Cell) {
    let few = compiles_slowly(cell.executor.device());
    for known in kinds().iter().take(if few { 3 } else { 6 }) {
        known.check(cell, [&[], &[]], [Form::Plain; 2], Update::set());
    }
}

pub fn sizes_around_those_of_groups(cell: &Cell) {
    for samples in [1, 2, 127, 128, 129, 300] {
        shifts(&[3], &[2], samples, false).check(cell, [&[], &[]], [Form::Plain; 2], Update::set());
        hyperbolas(&[2], &[4], samples, false).check(
            cell,
            [&[], &[]],
            [Form::Plain; 2],
            Update::set(),
        );
        beams([3, samples], 140).check(cell, [&[], &[]], [Form::Plain; 2], Update::set());
    }
}

pub fn layouts_and_further_axes_do_not_matter(cell: &Cell) {
    let few = compiles_slowly(cell.executor.device());
    for known in kinds().iter().take(if few { 1 } else { 4 }) {
        for around in [[&[][..], &[]], [&[3], &[2]], [&[2, 3], &[]]] {
            for forms in FORMS.windows(2) {
                known.check(cell, around, [forms[0], forms[1]], Update::set());
            }
        }
    }
}

pub fn what_was_there_is_scaled_and_added(cell: &Cell) {
    let updates = [Update::new(cell.number(0.5, 0.25), cell.number(-2.0, 1.5)), Update::add()];
    let few = compiles_slowly(cell.executor.device());
    for known in kinds().iter().take(if few { 1 } else { 3 }) {
        for update in updates {
            known.check(cell, [&[], &[2]], [Form::Plain, Form::Mixed], update);
        }
    }
}

pub fn nothing_to_sum(cell: &Cell) {
    // No line, and no samples.
    shifts(&[2], &[0], 3, false).check(cell, [&[], &[]], [Form::Plain; 2], Update::new(2.0, 0.5));
    shifts(&[2], &[3], 0, false).check(cell, [&[], &[]], [Form::Plain; 2], Update::set());
    shifts(&[0], &[3], 4, false).check(cell, [&[], &[]], [Form::Plain; 2], Update::set());
}
