//! Reductions.

use arrayspan_kernels::{Expression, Reduction};
use num_complex::Complex64;

use super::elementwise::map;
use super::tensor::{Expected, Tensor, indices};

/// The reduction of `expression(inputs)`, where inputs broadcast to the shape of the first.
pub fn reduce(
    reduction: Reduction,
    expression: &Expression,
    inputs: &[&Tensor],
    axes: &[usize],
) -> Expected {
    let all = Tensor::filled(&inputs[0].shape, 0.0);
    let elements = map(expression, inputs, &all);
    let kept: Vec<usize> = (0..all.shape.len()).filter(|axis| !axes.contains(axis)).collect();
    let shape: Vec<usize> = kept.iter().map(|&axis| all.shape[axis]).collect();
    let start = match reduction {
        Reduction::Sum => 0.0,
        Reduction::Maximum => f64::NEG_INFINITY,
        Reduction::Minimum => f64::INFINITY,
    };
    let mut result = Tensor::filled(&shape, start);
    let mut scale = vec![0.0; result.values.len()];
    let mut lost = vec![Complex64::ZERO; result.values.len()];
    for (place, index) in indices(&all.shape).enumerate() {
        let to = kept.iter().fold(0, |to, &axis| to * all.shape[axis] + index[axis]);
        let (old, new) = (result.values[to], elements.result.values[place]);
        scale[to] += elements.scale[place];
        result.values[to] = match reduction {
            Reduction::Sum => {
                lost[to] += rounded_off(old, new);
                old + new
            }
            _ if old.re.is_nan() || new.re.is_nan() => f64::NAN.into(),
            Reduction::Maximum => old.re.max(new.re).into(),
            Reduction::Minimum => old.re.min(new.re).into(),
        };
    }
    for (value, lost) in result.values.iter_mut().zip(lost).filter(|(_, lost)| lost.is_finite()) {
        *value += lost;
    }
    Expected { result, scale, terms: expression.operations() + 3 }
}

/// What a sum of two loses by rounding (Knuth's two-sum): equal terms round alike, so that thousands lose more than a reduction may.
fn rounded_off(a: Complex64, b: Complex64) -> Complex64 {
    let sum = a + b;
    let of_b = sum - a;
    (a - (sum - of_b)) + (b - of_b)
}
