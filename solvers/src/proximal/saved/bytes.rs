//! Saved runs of proximal methods as bytes.

use std::io::{Read, Result, Write};
use std::time::Duration;

use super::SavedMinimizing;
use crate::encoded::{MOST, length, list, read, read_array, take, write_array, write_list, wrong};
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
        out.write_all(&(solver.len() as u64).to_le_bytes())?;
        out.write_all(solver.as_bytes())?;
        out.write_all(&[u8::from(*over)])?;
        for number in seen.iter().chain([&elapsed.as_secs_f64()]) {
            out.write_all(&number.to_le_bytes())?;
        }
        for list in [fixed, numbers, residuals] {
            write_list(list, &mut out)?;
        }
        out.write_all(&(arrays.len() as u64).to_le_bytes())?;
        arrays.iter().try_for_each(|array| write_array(array, &mut out))
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
        let len = length(from, MOST)?;
        let Ok(solver) = String::from_utf8(take(from, len)?) else {
            return wrong("the name of the method is no text");
        };
        let [over] = read::<1>(from)?;
        if over > 1 {
            return wrong("a flag is neither 0 nor 1");
        }
        let mut numbers = [0.0; ROWS + 1];
        for number in &mut numbers {
            *number = f64::from_le_bytes(read(from)?);
        }
        let [seen @ .., elapsed] = numbers;
        let Ok(elapsed) = Duration::try_from_secs_f64(elapsed) else {
            return wrong("its time is none");
        };
        let [fixed, numbers, residuals] = [list(from)?, list(from)?, list(from)?];
        if residuals.is_empty() {
            return wrong("there are no residuals");
        }
        let count = length(from, MOST)?;
        let arrays = (0..count).map(|_| read_array(from)).collect::<Result<Vec<_>>>()?;
        if arrays.is_empty() {
            return wrong("there is no solution");
        }
        let over = over == 1;
        Ok(Self { solver, fixed, numbers, residuals, seen, elapsed, over, arrays })
    }
}
