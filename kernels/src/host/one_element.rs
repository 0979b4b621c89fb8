//! Several outputs of one element each, as the scalars of solvers are: step by step, without a look at axes, lanes and chunks,
//! which would take ten times as long as what is computed.

use arrayspan_bridge::{Operand, OperandMut};
use num_complex::Complex64;
use smallvec::SmallVec;

use super::constants::{of_one, of_two};
use super::line::first;
use super::operands::number;
use super::scalar::Scalar;
use crate::Result;
use crate::program::{Kind, Op};
use crate::verb::MapManyCall;

/// The result of a step.
#[derive(Clone, Copy)]
enum Value<R, C> {
    Number(f64),
    Real(R),
    Element(C),
}

impl<R: Scalar, C: Scalar> Value<R, C> {
    /// In that kind, which is none before its own.
    fn converted(self, kind: Kind) -> Self {
        match (self, kind) {
            (Self::Number(value), kind) => Self::rounded(value.into(), kind),
            (Self::Real(value), Kind::Element) => Self::Element(value.converted()),
            (same, _) => same,
        }
    }

    fn rounded(value: Complex64, kind: Kind) -> Self {
        match kind {
            Kind::Number => Self::Number(value.re),
            Kind::Real => Self::Real(R::rounded(value)),
            Kind::Element => Self::Element(C::rounded(value)),
        }
    }
}

/// Runs a call whose outputs have one element each; whether it is one. Elements are `C`, real arrays beside complex ones `R`.
pub(super) fn run<R: Scalar, C: Scalar>(call: &mut MapManyCall<'_>) -> Result<bool> {
    if call.outs.first().is_none_or(|out| out.layout().len() != 1) {
        return Ok(false);
    }
    let mut values = SmallVec::<[Value<R, C>; 32]>::with_capacity(call.program.steps.len());
    for step in &call.program.steps {
        let value = match step.op {
            Op::Input(at) => read(&call.inputs[at], step.kind)?,
            Op::Previous(out) if step.kind == Kind::Real => Value::Real(held(&mut call.outs[out])?),
            Op::Previous(out) => Value::Element(held(&mut call.outs[out])?),
            Op::Constant(at) => Value::rounded(call.constants[at], step.kind),
            Op::Convert(a) => values[a].converted(step.kind),
            Op::Unary(function, a) => match values[a] {
                Value::Number(a) => Value::Number(of_one(function, a)),
                Value::Real(a) => Value::Real(of_one(function, a)),
                Value::Element(a) if step.kind == Kind::Real => {
                    Value::Real(of_one(function, a).converted())
                }
                Value::Element(a) => Value::Element(of_one(function, a)),
            },
            Op::Binary(function, a, b) => match (values[a], values[b]) {
                (Value::Number(a), Value::Number(b)) => Value::Number(of_two(function, a, b)),
                (Value::Real(a), Value::Real(b)) => Value::Real(of_two(function, a, b)),
                (Value::Element(a), Value::Element(b)) => Value::Element(of_two(function, a, b)),
                _ => unreachable!("converted before it is used"),
            },
        };
        values.push(value);
    }
    let real = call.element.real();
    for (out, result) in call.outs.iter_mut().zip(&call.program.results) {
        let is_real = out.dtype() == real && call.element != real;
        let mut out = out.view_mut();
        match values[*result] {
            Value::Real(value) if is_real => out.as_mut_slice()?.fill(value),
            Value::Element(value) => out.as_mut_slice()?.fill(value),
            _ => unreachable!("converted before it is written"),
        }
    }
    Ok(true)
}

fn read<R: Scalar, C: Scalar>(input: &Operand<'_>, kind: Kind) -> Result<Value<R, C>> {
    let view = input.view();
    Ok(match kind {
        Kind::Number => Value::Number(number(&view)?),
        Kind::Real => Value::Real(first(&view)?),
        Kind::Element => Value::Element(first(&view)?),
    })
}

fn held<T: Scalar>(out: &mut OperandMut<'_>) -> Result<T> {
    Ok(out.view_mut().as_mut_slice::<T>()?[0])
}

#[cfg(test)]
mod tests {
    use arrayspan_bridge::devices::Device;
    use arrayspan_bridge::{Array, DType, View};
    use num_complex::{Complex32, Complex64};

    use crate::Result;
    use crate::host::scalar::{Scalar, with_scalar};
    use crate::{constant, input, on, previous};

    fn filled(shape: &[usize], value: f64, dtype: DType) -> Array {
        let (on, value) = (Device::cpu(), Complex64::new(value, 0.5 * value));
        let narrow = Complex32::new(value.re as f32, value.im as f32);
        match dtype {
            DType::Float32 => Array::full(shape, narrow.re, on),
            DType::Float64 => Array::full(shape, value.re, on),
            DType::Complex64 => Array::full(shape, narrow, on),
            _ => Array::full(shape, value, on),
        }
        .unwrap()
    }

    fn read(array: &Array) -> Result<Vec<Complex64>> {
        with_scalar!("map", array.dtype(), T => {
            Ok(array.to_vec::<T>()?.into_iter().map(Scalar::converted).collect())
        })
    }

    /// The values of both outputs, which are the same in all elements.
    fn values(shape: &[usize], dtypes: [DType; 3], of: [f64; 3]) -> [Vec<Complex64>; 2] {
        let [element, real, number] = dtypes;
        let [a, b, c] = of;
        let inputs = [filled(shape, a, element), filled(shape, b, real), filled(&[], c, number)];
        let mut outs = [filled(shape, b, element), filled(shape, c, real)];
        let [x, y, z] = [0, 1, 2].map(input);
        let share = (y.clone() * z.clone()).div_or_zero(y.clone() - constant(b));
        let ordered = y.clone().max(z.clone()).min(constant(3.0)).sqrt();
        let first = x.clone() * y + z.clone() * previous() + share;
        let second = (x.clone().conj() * x).re() / ordered + previous() - z.abs().sqrt();
        let views: Vec<View<'_>> = inputs.iter().map(Array::view).collect();
        let [one, other] = &mut outs;
        let on = on(Device::cpu()).unwrap();
        on.map_many(&views, [(first, one.view_mut()), (second, other.view_mut())]).unwrap();
        outs.each_ref().map(|out| read(out).unwrap())
    }

    #[test]
    fn one_element_has_the_value_that_each_of_several_has() {
        use DType::{Complex64 as C64, Complex128, Float32, Float64};
        let dtypes = [
            [Float32, Float32, Float32],
            [Float32, Float32, Float64],
            [Float64, Float64, Float64],
            [C64, Float32, Float32],
            [C64, Float32, Float64],
            [Complex128, Float64, Float64],
        ];
        let numbers = [[1.3, 0.7, 2.9], [-1e20, 3e-19, 4.0], [0.0, 0.0, 0.0], [f64::NAN, 1.0, 2.0]];
        let bits = |value: Complex64| [value.re, value.im].map(|v| (v.to_bits(), v.is_nan()));
        let same = |a: Complex64, b: Complex64| {
            bits(a).iter().zip(bits(b)).all(|(a, b)| a.0 == b.0 || (a.1 && b.1))
        };
        for dtypes in dtypes {
            for numbers in numbers {
                let several = values(&[5], dtypes, numbers);
                for shape in [&[][..], &[1], &[1, 1]] {
                    let one = values(shape, dtypes, numbers);
                    for (one, several) in one.iter().zip(&several) {
                        let each = several.iter().all(|each| same(one[0], *each));
                        assert!(each, "{dtypes:?} {numbers:?}: {one:?}, {several:?}");
                    }
                }
            }
        }
    }
}
