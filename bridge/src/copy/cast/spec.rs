//! A conversion without its numbers: what decides which loop, or which kernel, serves it.

use super::format::{Float, Format, Special};
use super::number::Encoded;
use super::rules::{Conversion, Overflow, Rounding, Scale};
use crate::iteration::Text;
use crate::{DType, Error, Result};

/// From which dtype to which, by which rules. Rules that make no difference are the same for all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct CastSpec {
    pub(crate) from: DType,
    pub(crate) to: DType,
    pub(crate) overflow: Overflow,
    pub(crate) rounding: Rounding,
    pub(crate) scaled: Scaled,
}

/// Whether numbers are scaled, and where a kernel finds the affine map.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Scaled {
    No,
    /// In its arguments.
    Fixed,
    /// In the memory of the device.
    Found,
}

const NUMBER: &str = include_str!("../source/number.cl.h");
const QUICK: &str = include_str!("../source/quick.cl.h");
const CONVERT: &str = include_str!("../source/convert.cl.h");

impl CastSpec {
    /// # Errors
    /// [`Error::Conversion`] for dtypes or rules that do not go together.
    pub(crate) fn new(from: DType, to: DType, conversion: &Conversion) -> Result<Self> {
        let fail = |why| Err(Error::Conversion { from, to, why });
        let (Some(source), Some(target)) = (Format::of(from), Format::of(to)) else {
            return fail("handles are no numbers");
        };
        if from.is_complex() && !to.is_complex() && !conversion.drop_imaginary {
            return fail("the imaginary part would be lost, and dropping it was not asked for");
        }
        let scaled = match conversion.scale {
            Scale::None => Scaled::No,
            Scale::Range { .. } => Scaled::Fixed,
            Scale::MinMax { .. } => Scaled::Found,
        };
        if scaled != Scaled::No && (from.is_complex() || to.is_complex()) {
            return fail("complex numbers have no range to scale");
        }
        if scaled != Scaled::No && target == Format::Bool {
            return fail("truth values have no range to scale to");
        }
        let lossless = scaled == Scaled::No && target.holds(source);
        let whole = matches!(target, Format::Int { .. })
            && !matches!((scaled, source), (Scaled::No, Format::Int { .. } | Format::Bool));
        let overflow = if lossless { Overflow::Wrap } else { conversion.overflow };
        let rounding = if whole { conversion.rounding } else { Rounding::NearestEven };
        Ok(Self { from, to, overflow, rounding, scaled })
    }

    /// Bytes of an element of the source and of the target.
    pub(crate) fn bytes(self) -> [usize; 2] {
        [self.from.bytes(), self.to.bytes()]
    }

    /// Whether elements may turn out not to be held exactly, which then is an error.
    pub(crate) fn may_fail(self) -> bool {
        self.overflow == Overflow::Exact
    }

    /// The formats of source and target.
    pub(crate) fn formats(self) -> Option<[Format; 2]> {
        Some([Format::of(self.from)?, Format::of(self.to)?])
    }

    /// The code that stands for another.
    #[inline]
    pub(crate) fn part(self, [from, to]: [Format; 2], bits: u64) -> Encoded {
        let encoded = to.encode(from.decode(bits), self.overflow, self.rounding);
        // A truth value that is neither 0 nor 1 is true, but no producer may write it.
        Encoded { exact: encoded.exact && !(from == Format::Bool && bits > 1), ..encoded }
    }

    /// For the names of kernels: `float32_to_int8_saturate`.
    pub(crate) fn name(self) -> String {
        format!("{}_to_{}_{:?}", self.from, self.to, self.overflow).to_lowercase()
    }

    /// The parameters that come after those of the space, each after a comma.
    pub(crate) fn parameters(self) -> Vec<&'static str> {
        let mut parameters = match self.scaled {
            Scaled::No => vec![],
            Scaled::Fixed => vec![
                ", double affine_prescale",
                ", double affine_offset",
                ", double affine_factor",
                ", double affine_to",
            ],
            Scaled::Found => vec![", const GLOBAL double* RESTRICT affine_found"],
        };
        if self.may_fail() {
            parameters.push(", GLOBAL u32* failures");
        }
        parameters
    }

    /// The macros and functions of the conversion.
    pub(crate) fn define(self, text: &mut Text) {
        let Some([source, target]) = self.formats() else { return };
        source.define("FROM", self.from, text);
        target.define("TO", self.to, text);
        let double = Format::Float(Float::DOUBLE);
        let single = Format::of(DType::Float32).unwrap_or(double);
        let scaled = self.scaled != Scaled::No;
        let held = |format: Format| format.holds(source) || source == Format::Bool;
        let middle = match source {
            _ if scaled => 64,
            Format::Float(Float { special: Special::Scale, .. }) => 0,
            _ if held(single) => 32,
            _ if held(double) => 64,
            _ => 0,
        };
        let wide = |format: Format| match format {
            Format::Bool => false,
            Format::Int { bits, .. } => bits > 32,
            Format::Float(float) => float.mantissa >= 32,
        };
        text.flag("SCALED", scaled);
        text.define("MIDDLE", middle);
        text.flag("WIDE_MAGNITUDE", scaled || wide(source));
        text.define("OVERFLOW", self.overflow as u8);
        text.define("ROUNDING", self.rounding as u8);
        let affine = match self.scaled {
            Scaled::No => "",
            Scaled::Fixed => {
                " affine scale; scale.prescale = affine_prescale; scale.offset = affine_offset; \
                 scale.factor = affine_factor; scale.to = affine_to;"
            }
            Scaled::Found => {
                " affine scale; scale.prescale = affine_found[0]; scale.offset = affine_found[1]; \
                 scale.factor = affine_found[2]; scale.to = affine_found[3];"
            }
        };
        text.define("BEGIN", format_args!("int failed = 0;{affine}"));
        let count = "if (failed) { atomic_add_u32(failures, (u32)failed); failures[1] = 1; }";
        text.define("END", if self.may_fail() { count } else { "" });
        text.define(
            "CONVERT(x)",
            if scaled { "convert(x, scale, &failed)" } else { "convert(x, &failed)" },
        );
        text.add(NUMBER);
        text.add(QUICK);
        text.add(CONVERT);
    }
}

impl Format {
    /// The macros that describe it, each after `side`.
    fn define(self, side: &str, dtype: DType, text: &mut Text) {
        let mut define =
            |name: &str, value: String| text.define(format_args!("{side}_{name}"), value);
        let hexadecimal = |value: u64| {
            let long = if value > u64::from(u32::MAX) { "ul" } else { "" };
            format!("0x{value:x}{long}")
        };
        let flag = |value: bool| u8::from(value).to_string();
        define("PARTS", if dtype.is_complex() { "2".into() } else { "1".into() });
        define("PART", dtype.real().bytes().to_string());
        match self {
            Self::Bool => {
                define("KIND", "0".into());
                define("BITS", "1".into());
            }
            Self::Int { bits, signed } => {
                define("KIND", if signed { "1".into() } else { "2".into() });
                define("BITS", bits.to_string());
                let beyond = 2_f64.powi((bits - u32::from(signed)) as i32);
                let first = if signed { -beyond } else { 0.0 };
                define("FIRST", format!("{first:.1}f"));
                define("BEYOND", format!("{beyond:.1}f"));
            }
            Self::Float(float) => {
                define("KIND", "3".into());
                define("EXPONENT", float.exponent.to_string());
                define("MANTISSA", float.mantissa.to_string());
                define("BIAS", float.bias.to_string());
                define("SIGN", hexadecimal(float.sign()));
                define("MASK", hexadecimal(float.mask()));
                define("LARGEST", hexadecimal(float.largest()));
                define("HAS_INFINITY", flag(float.infinity().is_some()));
                define("INFINITY", hexadecimal(float.infinity().unwrap_or(0)));
                define("HAS_NAN", flag(float.nan().is_some()));
                define("NAN_CODE", hexadecimal(float.nan().unwrap_or(0)));
                define("ONE_ZERO", flag(float.special == Special::NegativeZero));
                define("SCALE", flag(float.special == Special::Scale));
            }
        }
    }
}
