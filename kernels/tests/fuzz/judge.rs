//! Whether a call has done what the reference says, and nothing else.

use arrayspan_kernels::bridge::DType;
use num_complex::Complex64;

use crate::array::Drawn;
use crate::cell::Cell;
use crate::reference::Expected;
use crate::sample::places;

/// What went wrong.
pub type Judged = Result<(), String>;

/// Makes the call twice, from the same outputs: fails unless results are those expected, up to 4 `loose` roundings for each term,
/// what lies around them and all inputs stay as they were, and the second time gives the same bits.
pub fn judge(
    cell: &Cell,
    outputs: &mut [Drawn],
    inputs: &[&Drawn],
    expected: &[Expected],
    loose: f64,
    mut call: impl FnMut(&mut [Drawn]) -> arrayspan_kernels::Result<()>,
) -> Judged {
    let mut twice = Vec::new();
    for _ in 0..2 {
        for output in outputs.iter_mut() {
            output.reset(cell);
        }
        call(outputs).map_err(|error| format!("refused: {error}"))?;
        twice.push(outputs.iter().map(|output| output.read(cell)).collect::<Vec<_>>());
    }
    for ((output, expected), found) in outputs.iter().zip(expected).zip(&twice[0]) {
        results(output, expected, found, loose)?;
    }
    for (number, input) in inputs.iter().enumerate() {
        let now = input.read(cell);
        if !now.iter().zip(&input.host).all(|(a, b)| same(*a, *b)) {
            return Err(format!("input {number} has changed"));
        }
    }
    for (once, again) in twice[0].iter().zip(&twice[1]) {
        if let Some(place) = (0..once.len()).find(|&at| !same(once[at], again[at])) {
            return Err(format!("{} once, then {} at {place}", once[place], again[place]));
        }
    }
    Ok(())
}

fn results(output: &Drawn, expected: &Expected, found: &[Complex64], loose: f64) -> Judged {
    let shape = &output.tensor.shape;
    if *shape != expected.result.shape {
        return Err(format!("shape {shape:?}, expected {:?}", expected.result.shape));
    }
    let (dtype, complex) = (output.dtype(), output.dtype().is_complex());
    let epsilon = if dtype.real() == DType::Float32 { f32::EPSILON.into() } else { f64::EPSILON };
    let unit = 4.0 * (expected.terms + 1) as f64 * epsilon * loose;
    let mut written = vec![false; found.len()];
    for (number, place) in places(&output.layout()).enumerate() {
        written[place] = true;
        let (is, should) = (found[place], expected.result.values[number]);
        // The reference computes with complex numbers, of which an infinite one has parts that are none.
        let infinite = !(is.re.is_finite() || should.re.is_finite() && should.im.is_finite());
        let should = Complex64::new(should.re, if complex { should.im } else { 0.0 });
        for (is, should) in [(is.re, should.re), (is.im, should.im)] {
            let equal = is.to_bits() == should.to_bits() || is.is_nan() && should.is_nan();
            let near = (is - should).abs() <= unit * expected.scale[number];
            if !(equal || near || !complex && infinite) {
                let scale = expected.scale[number];
                return Err(format!("element {number} is {is}, expected {should} of {scale}"));
            }
        }
    }
    match (0..found.len()).find(|&at| !written[at] && !same(found[at], output.host[at])) {
        Some(place) => Err(format!("wrote beside it, at {place} of {}", found.len())),
        None => Ok(()),
    }
}

fn same(a: Complex64, b: Complex64) -> bool {
    let same = |a: f64, b: f64| a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan();
    same(a.re, b.re) && same(a.im, b.im)
}
