//! The types that declarations of user kernels name.

use arrayspan_bridge::DType;

/// The type of a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Type {
    /// This one.
    Fixed(DType),
    /// That of the array it is called with, the same wherever the letter stands.
    Letter(char),
    /// That of the parts of what the letter stands for.
    Real(char),
}

/// Every dtype of user kernels, and its name in their source.
const NAMES: [(DType, &str); 12] = [
    (DType::Int8, "i8"),
    (DType::Int16, "i16"),
    (DType::Int32, "i32"),
    (DType::Int64, "i64"),
    (DType::UInt8, "u8"),
    (DType::UInt16, "u16"),
    (DType::UInt32, "u32"),
    (DType::UInt64, "u64"),
    (DType::Float32, "f32"),
    (DType::Float64, "f64"),
    (DType::Complex64, "c64"),
    (DType::Complex128, "c128"),
];

impl Type {
    /// The letter it depends on.
    pub(super) fn letter(self) -> Option<char> {
        match self {
            Self::Fixed(_) => None,
            Self::Letter(letter) | Self::Real(letter) => Some(letter),
        }
    }

    /// `f32`, `c128`, …, one capital letter, or that and `_real`.
    pub(super) fn parse(text: &str) -> Option<Self> {
        if let Some((dtype, _)) = NAMES.iter().find(|(_, name)| *name == text) {
            return Some(Self::Fixed(*dtype));
        }
        let letter = text.chars().next().filter(char::is_ascii_uppercase)?;
        match &text[1..] {
            "" => Some(Self::Letter(letter)),
            "_real" => Some(Self::Real(letter)),
            _ => None,
        }
    }
}

/// What source calls a dtype, if kernels of users can have it.
pub(crate) fn name(dtype: DType) -> Option<&'static str> {
    NAMES.iter().find(|(known, _)| *known == dtype).map(|(_, name)| *name)
}
