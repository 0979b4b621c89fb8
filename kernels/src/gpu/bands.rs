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
        text += &format!(
            "#define band{axis}_start(line) places[{line} + (line)]\n\
             #define band{axis}_offsets(k) places[{offsets} + (k)]\n\
             #define band{axis}_weights(k) factors[k]\n"
        );
        text += &Straight { axis: *axis, band, dtype, complex }.define(run);
        if *axis == 0 {
            text += AXIS_0;
        } else {
            let named = AXIS.replace("band_", &format!("band{axis}_"));
            text += &named.replace("BAND_", &format!("BAND{axis}_"));
        }
    }
    text
}

/// What of a band is straight code.
struct Straight<'b> {
    axis: usize,
    band: &'b Band,
    dtype: DType,
    complex: bool,
}

impl Straight<'_> {
    /// The macros and functions that the text of the band takes, for runs of so many elements.
    fn define(&self, run: usize) -> String {
        let Self { axis, band, .. } = *self;
        let (taps, head, tail) = (band.interior().len(), band.head().len(), band.tail().len());
        let special: Vec<&[Tap]> =
            band.head().iter().chain(band.tail()).map(Vec::as_slice).collect();
        let most = special.iter().map(|row| row.len()).max().unwrap_or(0);
        let (common, all) = (reach(band), band.reach());
        // Along axis 0, in runs; along others, in rows.
        let near = !is_long(band) && all.0 + all.1 < 2 * FEW;
        let (left, right) = match axis {
            0 => (all.0.div_ceil(run), all.1.div_ceil(run)),
            _ => common,
        };
        let fits = axis != 0 || (near && head <= run && tail <= run);
        let straight = !special.is_empty() && special.len() * most <= FEW && fits;
        let unroll = if is_long(band) { "" } else { "UNROLL" };
        let mut text = String::new();
        for (name, value) in [
            ("TAPS", taps),
            ("HEAD", head),
            ("TAIL", tail),
            ("MOST", most),
            ("LEFT", left),
            ("RIGHT", right),
            ("NEAR", usize::from(near)),
            ("STRAIGHT", usize::from(straight)),
        ] {
            let _ = writeln!(text, "#define BAND{axis}_{name} {value}");
        }
        let _ = writeln!(text, "#define BAND{axis}_UNROLL {unroll}");
        if is_long(band) {
            text += &format!(
                "#define band{axis}_offset(t) band{axis}_offsets(band{axis}_start(0) + (t))\n\
                 #define band{axis}_weight(t) band{axis}_weights(band{axis}_start(0) + (t))\n"
            );
        } else {
            text += &self.functions("", "int t", "t", &[band.interior()], 0);
        }
        if straight {
            let numbered = format!("line * {most} + t");
            text += &self.functions("special_", "int line, int t", &numbered, &special, most);
            let counts = special.iter().map(|row| row.len().to_string()).enumerate().collect();
            text += &switch(
                "int",
                &format!("band{axis}_special_taps"),
                "int line",
                "line",
                counts,
                "0",
            );
        }
        text
    }

    /// The functions that tell the offset and the weight of a tap; row after row of `width` taps.
    fn functions(
        &self,
        kind: &str,
        of: &str,
        number: &str,
        rows: &[&[Tap]],
        width: usize,
    ) -> String {
        let axis = self.axis;
        let taps = || {
            rows.iter().enumerate().flat_map(|(line, row)| {
                row.iter().enumerate().map(move |(t, tap)| (line * width + t, *tap))
            })
        };
        let offsets = taps().map(|(at, tap)| (at, tap.offset.to_string())).collect();
        let weights = taps().map(|(at, tap)| (at, self.weight(tap.weight))).collect();
        let zero = if self.complex { "e_zero()" } else { "R(0.0)" };
        switch("int", &format!("band{axis}_{kind}offset"), of, number, offsets, "0")
            + &switch("weight", &format!("band{axis}_{kind}weight"), of, number, weights, zero)
    }

    fn weight(&self, weight: Complex64) -> String {
        let part = |value: f64| literal(value.into(), self.dtype, false);
        match self.complex {
            true => format!("e_make({}, {})", part(weight.re), part(weight.im)),
            false => part(weight.re),
        }
    }
}

fn has_special(band: &Band) -> bool {
    !(band.head().is_empty() && band.tail().is_empty())
}

/// A function that vanishes where its arguments are known.
fn switch(
    kind: &str,
    name: &str,
    of: &str,
    number: &str,
    values: Vec<(usize, String)>,
    other: &str,
) -> String {
    let cases = values
        .into_iter()
        .fold(String::new(), |text, (at, value)| format!("{text}    case {at}: return {value};\n"));
    format!(
        "FN {kind} {name}({of}) {{\n  switch ({number}) {{\n{cases}  }}\n  return {other};\n}}\n"
    )
}

/// A weight as the kernel language writes it in a table.
fn literal(weight: Complex64, dtype: DType, complex: bool) -> String {
    let real = |value: f64| match dtype.real() {
        DType::Float32 => format!("R({:e})", value as f32),
        _ => format!("R({value:e})"),
    };
    if complex { format!("{{{}, {}}}", real(weight.re), real(weight.im)) } else { real(weight.re) }
}
