//! How a conversion went.

use std::fmt;

use arrayspan_devices::Device;

use super::ArrayKind;
use crate::{Crossing, DType};

/// A part of a conversion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ConvertStep {
    /// Out of the library it came from.
    Import,
    /// To another dtype.
    Conversion,
    /// To another device.
    Transfer,
    /// Into the library it goes to.
    Export,
}

/// The steps taken and how the array crossed in each. A step is taken once or not at all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ConvertSteps([Option<Crossing>; 4]);

/// How a conversion went: from where to where, and every copy on the way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConvertReport {
    /// The library the array came from.
    pub from: ArrayKind,
    /// The library it went to.
    pub to: ArrayKind,
    /// The device it was on.
    pub from_device: Device,
    /// The device it is on.
    pub to_device: Device,
    /// The dtype it had.
    pub from_dtype: DType,
    /// The dtype it has.
    pub to_dtype: DType,
    /// What was done.
    pub steps: ConvertSteps,
}

impl ConvertStep {
    const ALL: [Self; 4] = [Self::Import, Self::Conversion, Self::Transfer, Self::Export];
}

impl ConvertSteps {
    /// Adds a step, in place of an earlier one of the same name.
    pub fn record(&mut self, step: ConvertStep, crossing: Crossing) {
        self.0[step as usize] = Some(crossing);
    }

    /// The steps taken, in order.
    pub fn iter(&self) -> impl Iterator<Item = (ConvertStep, Crossing)> {
        ConvertStep::ALL.into_iter().filter_map(|step| Some((step, self.get(step)?)))
    }

    /// How the array crossed in one step, if it was taken.
    #[must_use]
    pub fn get(&self, step: ConvertStep) -> Option<Crossing> {
        self.0[step as usize]
    }

    /// Bytes copied in all steps.
    #[must_use]
    pub fn bytes_copied(&self) -> usize {
        let bytes = |(_, crossing)| match crossing {
            Crossing::Copied { bytes, .. } => bytes,
            Crossing::ZeroCopy => 0,
        };
        self.iter().map(bytes).sum()
    }

    /// Whether nothing was copied.
    #[must_use]
    pub fn is_zero_copy(&self) -> bool {
        self.iter().all(|(_, crossing)| crossing == Crossing::ZeroCopy)
    }
}

impl ConvertReport {
    /// Whether both sides use the same memory.
    #[must_use]
    pub fn is_zero_copy(&self) -> bool {
        self.steps.is_zero_copy()
    }

    /// Bytes copied in all steps.
    #[must_use]
    pub fn bytes_copied(&self) -> usize {
        self.steps.bytes_copied()
    }

    /// The dtypes before and after, if they differ.
    #[must_use]
    pub fn dtype_change(&self) -> Option<(DType, DType)> {
        (self.from_dtype != self.to_dtype).then_some((self.from_dtype, self.to_dtype))
    }
}

impl fmt::Display for ConvertStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Import => "import",
            Self::Conversion => "conversion",
            Self::Transfer => "transfer",
            Self::Export => "export",
        })
    }
}

/// In one line: `ndarray Float32 on cpu to cudarc Float32 on cuda:0: import zero-copy, transfer copied 24
/// bytes (other device), export zero-copy`.
impl fmt::Display for ConvertReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} on {} to ", self.from, self.from_dtype, self.from_device)?;
        write!(f, "{} {} on {}", self.to, self.to_dtype, self.to_device)?;
        for (at, (step, crossing)) in self.steps.iter().enumerate() {
            write!(f, "{} {step} {crossing}", if at == 0 { ":" } else { "," })?;
        }
        Ok(())
    }
}
