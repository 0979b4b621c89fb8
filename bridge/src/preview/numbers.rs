//! Elements as text, each as wide as all others.

use arrayspan_devices::Device;
use num_complex::Complex;

use crate::{Array, Conversion, DType, Element, Result};

/// Decimals of floats, unless others are asked for.
const DECIMALS: usize = 4;

/// Where one magnitude is not between these, all have an exponent.
const LARGE: f64 = 1e5;
const SMALL: f64 = 1e-4;

/// The elements of a row-major array of the host, as text of one width.
pub(super) fn format(array: &Array, precision: Option<usize>) -> Result<Vec<String>> {
    let texts: Vec<String> = match array.dtype() {
        DType::OpaqueHandle => {
            let bytes = array.bytes()?.to_vec::<u8>()?;
            let handles = bytes.chunks_exact(8).take(array.layout().len());
            let number = |bytes: &[u8]| bytes.try_into().map_or(0, u64::from_ne_bytes);
            handles.map(|bytes| format!("{:#018x}", number(bytes))).collect()
        }
        // Producers may write other bytes than 0 and 1.
        DType::Bool => {
            let bytes = array.bytes()?.to_vec::<u8>()?;
            bytes.iter().take(array.layout().len()).map(|byte| (*byte != 0).to_string()).collect()
        }
        DType::UInt8 | DType::UInt16 | DType::UInt32 | DType::UInt64 => {
            values::<u64>(array)?.iter().map(u64::to_string).collect()
        }
        DType::Int8 | DType::Int16 | DType::Int32 | DType::Int64 => {
            values::<i64>(array)?.iter().map(i64::to_string).collect()
        }
        dtype if dtype.is_complex() => {
            let values = values::<Complex<f64>>(array)?;
            let style = Style::of(values.iter().flat_map(|z| [z.re, z.im]), precision);
            values.iter().map(|z| style.complex(*z)).collect()
        }
        _ => {
            let values = values::<f64>(array)?;
            let style = Style::of(values.iter().copied(), precision);
            values.iter().map(|x| style.real(*x)).collect()
        }
    };
    let width = texts.iter().map(String::len).max().unwrap_or(0);
    Ok(texts.iter().map(|text| format!("{text:>width$}")).collect())
}

/// The elements as another dtype, which holds them exactly.
fn values<T: Element>(array: &Array) -> Result<Vec<T>> {
    let wide = array.view().convert(T::DTYPE, &Conversion::WRAP, &Device::cpu().stream()?)?;
    wide.to_vec()
}

/// How all floats of an array are written.
#[derive(Clone, Copy, Debug)]
enum Style {
    /// So many decimals.
    Fixed(usize),
    /// So many decimals and an exponent.
    Exponent(usize),
}

impl Style {
    /// Decimals as far as one needs them; an exponent where one is large or small.
    fn of(values: impl Iterator<Item = f64>, precision: Option<usize>) -> Self {
        let finite: Vec<f64> = values.filter(|x| x.is_finite()).collect();
        let far = |x: &f64| *x != 0.0 && !(SMALL..LARGE).contains(&x.abs());
        let exponent = finite.iter().any(far);
        let style =
            |decimals| if exponent { Self::Exponent(decimals) } else { Self::Fixed(decimals) };
        if let Some(precision) = precision {
            return style(precision);
        }
        let needed = finite.iter().map(|x| {
            let text = style(DECIMALS).real(*x);
            let digits = text.split('e').next().unwrap_or_default();
            let decimals = digits.split('.').nth(1).unwrap_or_default();
            decimals.trim_end_matches('0').len()
        });
        style(needed.max().unwrap_or(0).max(1))
    }

    fn real(self, x: f64) -> String {
        match self {
            Self::Fixed(decimals) => format!("{x:.decimals$}"),
            // Neither has digits.
            Self::Exponent(_) if !x.is_finite() => x.to_string(),
            Self::Exponent(decimals) => format!("{x:.decimals$e}"),
        }
    }

    fn complex(self, z: Complex<f64>) -> String {
        let imaginary = self.real(z.im);
        let sign = if imaginary.starts_with('-') { "" } else { "+" };
        format!("{}{sign}{imaginary}i", self.real(z.re))
    }
}
