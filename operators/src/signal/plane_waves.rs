//! Where plane waves along local slopes go.

use super::positions::Rows;
use crate::{Error, Form, Operator, Result, Space};

/// Numbers this far below 1 are nothing beside those of other samples.
const NOTHING: f64 = 1e-20;

/// Sums along the ways of plane waves, `y[z, x] = Σₖ decay^|k| d(z + ways, x + k)`: the adjoint of spraying.
pub(super) fn gathered(
    name: &'static str,
    space: Space,
    slopes: &[f64],
    radius: usize,
    decay: f64,
) -> Result<Operator> {
    space.stored(name)?;
    let &[depths, columns] = space.shape() else {
        return Error::parameter(name, format!("{space}, which has not two axes"));
    };
    if slopes.len() != space.len() {
        let why = format!("{} slopes for {space}", slopes.len());
        return Error::parameter(name, why);
    }
    if let Some(at) = slopes.iter().position(|slope| !slope.is_finite()) {
        return Error::parameter(name, format!("slope {}, number {at}", slopes[at]));
    }
    if !(decay > 0.0 && decay <= 1.0) {
        let why = format!("a decay of {decay}, which has to be above 0 and at most 1");
        return Error::parameter(name, why);
    }
    // However many depths there are: without columns nothing goes anywhere.
    if columns == 0 {
        return Operator::of(name, space.clone(), space, Form::Zero);
    }
    let field = Field { slopes, depths, columns };
    let reach = radius.min(columns.saturating_sub(1));
    let each = reach.saturating_mul(4).saturating_add(1).min(space.len().saturating_mul(2));
    let mut rows = Rows::new(name, space.shape(), space.dtype(), space.len(), each)?;
    for depth in 0..depths {
        for column in 0..columns {
            rows.add(depth * columns + column, 1.0);
            for forward in [true, false] {
                field.walk(&mut rows, [depth, column], reach, decay, forward);
            }
            rows.end();
        }
    }
    let extents = [depths, columns];
    rows.between(name, [space.clone(), space], 0, [&extents, &extents])
}

/// Slopes at all samples.
struct Field<'a> {
    slopes: &'a [f64],
    depths: usize,
    columns: usize,
}

impl Field<'_> {
    /// Adds what a wave meets on its way to one side.
    fn walk(
        &self,
        rows: &mut Rows,
        [depth, column]: [usize; 2],
        reach: usize,
        decay: f64,
        forward: bool,
    ) {
        let (mut at, mut weight) = (depth as f64, 1.0);
        for step in 1..=reach {
            let Some(next) = (if forward {
                Some(column + step).filter(|next| *next < self.columns)
            } else {
                column.checked_sub(step)
            }) else {
                return;
            };
            // The slope between two columns is that of the first.
            at += if forward { self.slope(at, next - 1) } else { -self.slope(at, next) };
            weight *= decay;
            if weight < NOTHING {
                return;
            }
            let (above, part) = self.around(at);
            rows.add(above * self.columns + next, weight * (1.0 - part));
            if part > 0.0 {
                rows.add((above + 1) * self.columns + next, weight * part);
            }
        }
    }

    /// The slope at a depth within a column.
    fn slope(&self, at: f64, column: usize) -> f64 {
        let (above, part) = self.around(at);
        let own = self.slopes[above * self.columns + column];
        if part == 0.0 {
            return own;
        }
        own + part * (self.slopes[(above + 1) * self.columns + column] - own)
    }

    /// The sample above a depth, and how far it is from there. Beyond the section is its first or last sample.
    fn around(&self, at: f64) -> (usize, f64) {
        let inside = at.clamp(0.0, self.depths as f64 - 1.0);
        let part = inside.fract();
        // Weights far below those of others are none.
        let part = if part < NOTHING { 0.0 } else { part };
        (inside as usize, part)
    }
}
