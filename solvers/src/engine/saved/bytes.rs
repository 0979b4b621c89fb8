//! Saved runs as bytes.

use std::io::{Read, Result, Write};

use super::{Facts, Saved};
use crate::encoded::{
    arrays, flags, list, name, numbers, read, time, write_arrays, write_list, write_name, wrong,
};
use crate::engine::history::Norms;
use crate::engine::scale::Scale;

/// What such bytes begin with; the number is that of the format.
const MAGIC: &[u8; 16] = b"arrayspan run 2\n";
/// The largest exponent of a scale: more than those of any `f64` apart.
const EXPONENT: i32 = 8192;

impl Saved {
    /// Writes it as bytes that [`read_from`](Self::read_from) understands, also on another machine. The run is best moved to
    /// the host before; from elsewhere each array is copied there. Waits for it.
    ///
    /// # Errors
    /// What `out` fails with; when the device fails.
    pub fn write_to(&self, mut out: impl Write) -> Result<()> {
        let Facts { solver, preconditioned, started, lost, damped_alone, cycle, scale, .. } =
            &self.facts;
        let flags = [preconditioned, started, lost, damped_alone, &self.seen.frozen];
        out.write_all(MAGIC)?;
        write_name(solver, &mut out)?;
        out.write_all(&flags.map(|flag| u8::from(*flag)))?;
        // No cycle has no iterations.
        out.write_all(&(cycle.unwrap_or(0) as u64).to_le_bytes())?;
        for exponent in [scale.data, scale.operator, self.seen.scale] {
            out.write_all(&exponent.to_le_bytes())?;
        }
        let Facts { damping, scaled_damping, data, whole, elapsed, .. } = self.facts;
        let elapsed = elapsed.as_secs_f64();
        let residual = self.seen.scaled_residual;
        for number in [damping, scaled_damping, data, whole, elapsed, residual] {
            out.write_all(&number.to_le_bytes())?;
        }
        for list in [&self.seen.residuals, &self.seen.gradients, &self.seen.column] {
            write_list(list, &mut out)?;
        }
        let arrays: Vec<_> = [&self.x, &self.column].into_iter().chain(&self.vectors).collect();
        write_arrays(&arrays, &mut out)
    }

    /// Reads what [`write_to`](Self::write_to) wrote, onto the host. It takes no more memory than twice what there is to read.
    ///
    /// # Errors
    /// What `from` fails with; [`ErrorKind::InvalidData`](std::io::ErrorKind::InvalidData) for bytes that are no saved run.
    pub fn read_from(mut from: impl Read) -> Result<Self> {
        let from = &mut from;
        if read::<16>(from)? != *MAGIC {
            return wrong("they do not begin as a saved run does");
        }
        let solver = name(from, "solver")?;
        let [preconditioned, started, lost, damped_alone, frozen] = flags(from)?;
        let Ok(cycle) = usize::try_from(u64::from_le_bytes(read(from)?)) else {
            return wrong("its cycles are too long");
        };
        let mut exponents = [0; 3];
        for exponent in &mut exponents {
            *exponent = i32::from_le_bytes(read(from)?);
            if !(-EXPONENT..=EXPONENT).contains(exponent) {
                return wrong("a scale is beyond all numbers");
            }
        }
        let [damping, scaled_damping, data, whole, elapsed, scaled_residual] = numbers(from)?;
        let elapsed = time(elapsed)?;
        let [residuals, gradients, column] = [list(from)?, list(from)?, list(from)?];
        if residuals.is_empty() || residuals.len() != gradients.len() {
            return wrong("there is not a residual and a gradient for each iteration");
        }
        let mut arrays = arrays(from)?;
        if arrays.len() < 2 {
            return wrong("there is no model");
        }
        let vectors = arrays.split_off(2);
        let (Some(state), Some(x)) = (arrays.pop(), arrays.pop()) else {
            return wrong("there is no model");
        };
        let [data_scale, operator, gradient_scale] = exponents;
        let scale = Scale { data: data_scale, operator };
        let facts = Facts {
            solver,
            preconditioned,
            started,
            lost,
            damped_alone,
            cycle: (cycle > 0).then_some(cycle),
            scale,
            damping,
            scaled_damping,
            data,
            whole,
            elapsed,
        };
        let seen = Norms {
            residuals,
            scaled_residual,
            gradients,
            scale: gradient_scale,
            frozen,
            column,
            ..Norms::default()
        };
        Ok(Self { facts, seen, x, column: state, vectors })
    }
}
