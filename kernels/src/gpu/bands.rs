//! Bands as source.

use std::fmt::Write as _;

use arrayspan_bridge::DType;
use num_complex::Complex64;

use super::tables::{FEW, Tables, is_long};
use crate::{Band, Stencil, Tap};

const AXIS: &str = include_str!("../source/band.cl.h");
const AXIS_0: &str = include_str!("../source/band0.cl.h");
const WEIGHT: &str = include_str!("../source/weight.cl.h");

/// How far the common taps of a band reach to the left and to the right.
pub(super) fn reach(band: &Band) -> (usize, usize) {
    let offsets = || band.interior().iter().map(|tap| tap.offset);
    let left = offsets().map(|offset| offset.min(0).unsigned_abs()).max().unwrap_or(0);
    (left, offsets().max().unwrap_or(0).max(0).unsigned_abs())
}

/// The source of all bands: weights, tables (unless they are `in_memory`), and for each term the function that
/// adds it; `axes` are the axes of the terms in the kernel, `run` its elements at once.
pub(super) fn define(
    stencil: &Stencil,
    axes: &[usize],
    dtype: DType,
    run: usize,
    in_memory: bool,
) -> String {
    let complex = dtype.is_complex() && !stencil.is_real();
    let write = |weight: Complex64| literal(weight, dtype, complex);
    let tables = Tables::new(stencil);
    let mut text = format!("#define COMPLEX_WEIGHTS {}\n{WEIGHT}\n", u8::from(complex));
    if in_memory {
        text +=
            "#define TABLE_PARAMETERS , const GLOBAL int* places, const GLOBAL weight* factors\n";
        text += "#define TABLE_ARGUMENTS , places, factors\n";
    } else {
        text += "#define TABLE_PARAMETERS\n#define TABLE_ARGUMENTS\n";
        if stencil.terms().iter().any(|(_, band)| is_long(band) || has_special(band)) {
            let places: Vec<_> = tables.places.iter().map(ToString::to_string).collect();
            // Special rows may all be empty, but arrays may not.
            let unused = tables.factors.is_empty().then_some(Complex64::ZERO);
            let factors = tables.factors.iter().copied().chain(unused).map(write);
            let factors: Vec<_> = factors.collect();
            let _ = writeln!(text, "CONSTANT int places[] = {{{}}};", places.join(", "));
            let _ = writeln!(text, "CONSTANT weight factors[] = {{{}}};", factors.join(", "));
        }
    }
    for (term, ((_, band), axis)) in stencil.terms().iter().zip(axes).enumerate() {
        let (line, offsets) = (tables.lines[term], tables.offsets);
        let (taps, head, tail) = (band.interior().len(), band.head().len(), band.tail().len());
        let unroll = if is_long(band) { "" } else { "UNROLL" };
        text += &format!(
            "#define BAND{axis}_TAPS {taps}\n#define BAND{axis}_HEAD {head}\n\
             #define BAND{axis}_TAIL {tail}\n#define BAND{axis}_UNROLL {unroll}\n\
             #define band{axis}_start(line) places[{line} + (line)]\n\
             #define band{axis}_offsets(k) places[{offsets} + (k)]\n\
             #define band{axis}_weights(k) factors[k]\n"
        );
        if is_long(band) {
            text += &format!(
                "#define band{axis}_offset(t) band{axis}_offsets(band{axis}_start(0) + (t))\n\
                 #define band{axis}_weight(t) band{axis}_weights(band{axis}_start(0) + (t))\n"
            );
        } else {
            let offset = |tap: &Tap| tap.offset.to_string();
            text += &switch("int", &format!("band{axis}_offset"), band, offset, "0");
            let weight = |tap: &Tap| {
                if complex { constructor(tap.weight, dtype) } else { write(tap.weight) }
            };
            let zero = if complex { "e_zero()" } else { "R(0.0)" };
            text += &switch("weight", &format!("band{axis}_weight"), band, weight, zero);
        }
        if *axis == 0 {
            text += &near(band, run);
            text += AXIS_0;
        } else {
            let (left, right) = reach(band);
            text += &format!("#define BAND{axis}_LEFT {left}\n#define BAND{axis}_RIGHT {right}\n");
            let named = AXIS.replace("band_", &format!("band{axis}_"));
            text += &named.replace("BAND_", &format!("BAND{axis}_"));
        }
    }
    text
}

fn has_special(band: &Band) -> bool {
    !(band.head().is_empty() && band.tail().is_empty())
}

/// Whether and how a run's taps along axis 0 lie in few runs around it.
fn near(band: &Band, run: usize) -> String {
    let (left, right) = reach(band);
    let near = !is_long(band) && left + right < 2 * FEW;
    let (left, right) = (left.div_ceil(run), right.div_ceil(run));
    let near = u8::from(near);
    format!("#define BAND0_NEAR {near}\n#define BAND0_LEFT {left}\n#define BAND0_RIGHT {right}\n")
}

/// A function of the number of a tap that vanishes where the number is known.
fn switch(
    kind: &str,
    name: &str,
    band: &Band,
    value: impl Fn(&Tap) -> String,
    other: &str,
) -> String {
    let cases = band.interior().iter().enumerate();
    let cases = cases.fold(String::new(), |text, (t, tap)| {
        format!("{text}    case {t}: return {};\n", value(tap))
    });
    format!("FN {kind} {name}(int t) {{\n  switch (t) {{\n{cases}  }}\n  return {other};\n}}\n")
}

/// A weight as the kernel language writes it in a table.
fn literal(weight: Complex64, dtype: DType, complex: bool) -> String {
    let real = |value: f64| match dtype.real() {
        DType::Float32 => format!("R({:e})", value as f32),
        _ => format!("R({value:e})"),
    };
    if complex { format!("{{{}, {}}}", real(weight.re), real(weight.im)) } else { real(weight.re) }
}

fn constructor(weight: Complex64, dtype: DType) -> String {
    let part = |value: f64| literal(value.into(), dtype, false);
    format!("e_make({}, {})", part(weight.re), part(weight.im))
}
