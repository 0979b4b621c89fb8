//! Saved runs of proximal methods as bytes.

use std::io::{Read, Result, Write};

use super::SavedMinimizing;
use crate::encoded::{
    arrays, flags, list, name, numbers, read, time, write_arrays, write_list, write_name, wrong,
};
use crate::proximal::minimizing::ROWS;

/// What such bytes begin with; the number is that of the format.
const MAGIC: &[u8; 16] = b"arrayspan min 1\n";

impl SavedMinimizing {
    /// Writes it as bytes that [`read_from`](Self::read_from) understands, also on another machine. The run is best moved to
    /// the host before; from elsewhere each array is copied there. Waits for it.
    ///
    /// # Errors
    /// What `out` fails with; when the device fails.
    pub fn write_to(&self, mut out: impl Write) -> Result<()> {
        let Self { solver, fixed, numbers, residuals, seen, elapsed, over, arrays } = self;
        out.write_all(MAGIC)?;
        write_name(solver, &mut out)?;
        out.write_all(&[u8::from(*over)])?;
        for number in seen.iter().chain([&elapsed.as_secs_f64()]) {
            out.write_all(&number.to_le_bytes())?;
        }
        for list in [fixed, numbers, residuals] {
            write_list(list, &mut out)?;
        }
        write_arrays(&arrays.iter().collect::<Vec<_>>(), &mut out)
    }

    /// Reads what [`write_to`](Self::write_to) wrote, onto the host. It takes no more memory than twice what there is to read.
    ///
    /// # Errors
    /// What `from` fails with; [`ErrorKind::InvalidData`](std::io::ErrorKind::InvalidData) for bytes that are no saved run.
    pub fn read_from(mut from: impl Read) -> Result<Self> {
        let from = &mut from;
        if read::<16>(from)? != *MAGIC {
            return wrong("they do not begin as a saved run of a proximal method does");
        }
        let solver = name(from, "method")?;
        let [over] = flags(from)?;
        let [seen @ .., elapsed] = numbers::<{ ROWS + 1 }>(from)?;
        let elapsed = time(elapsed)?;
        let [fixed, numbers, residuals] = [list(from)?, list(from)?, list(from)?];
        if residuals.is_empty() {
            return wrong("there are no residuals");
        }
        let arrays = arrays(from)?;
        if arrays.is_empty() {
            return wrong("there is no solution");
        }
        Ok(Self { solver, fixed, numbers, residuals, seen, elapsed, over, arrays })
    }
}
