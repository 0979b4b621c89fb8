//! Sums of two operands that are multiplied by numbers, in one pass: what solvers update their vectors by.

use pulp::{Arch, Simd, WithSimd};

use super::elementwise::{Operand, two};
use super::scalar::Scalar;

/// `of_a · a + of_b · b`, or `a + of_b · b`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Combination<T, S> {
    pub(super) of_a: Option<T>,
    pub(super) a: S,
    pub(super) of_b: T,
    pub(super) b: S,
}

/// Fills `out` with the sum; each product and the sum are rounded as by themselves.
pub(super) fn combine<T: Scalar>(sum: Combination<T, Operand<'_, T>>, out: &mut [T]) {
    Arch::new().dispatch(Combine { sum, out });
}

/// A type, not a closure: closures are not always inlined where vector instructions are enabled.
struct Combine<'a, T> {
    sum: Combination<T, Operand<'a, T>>,
    out: &'a mut [T],
}

impl<T: Scalar> WithSimd for Combine<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let Self { sum: Combination { of_a, a, of_b, b }, out } = self;
        match of_a {
            Some(of_a) => two(a, b, out, |a, b| of_a * a + of_b * b),
            None => two(a, b, out, |a, b| a + of_b * b),
        }
    }
}

#[cfg(test)]
mod tests {
    use arrayspan_bridge::expression::{Expression, constant, input, previous};
    use num_complex::{Complex32, Complex64, ComplexFloat as _};

    use super::super::evaluate::{Given, Program};
    use super::*;

    const LEN: usize = 37;

    /// What a program of two inputs makes of each element.
    fn evaluated<T: Scalar>(expression: &Expression, inputs: [&[T]; 2], held: &[T]) -> Vec<T> {
        let program = Program::new(expression, &[Given::Elements(0), Given::Elements(1)]);
        let (mut out, mut registers) = (held.to_vec(), program.registers(held.len()));
        program.run(|at| Operand::Slice(inputs[at]), &mut registers, &mut out);
        out
    }

    /// An expression, and what it is of two inputs and what was held.
    type Case<T> = (Expression, Box<dyn Fn([T; 3]) -> T>);

    /// Sums and differences, and what each is, rounded step by step.
    fn cases<T: Scalar>(p: f64, q: f64) -> Vec<Case<T>> {
        let number = |value: f64| T::rounded(Complex64::new(value, 0.0));
        let (u, v) = (number(p), number(q));
        let (a, b, c) = (|| input(0), || input(1), previous);
        let (p, q) = (|| constant(p), || constant(q));
        vec![
            (p() * a() + q() * b(), Box::new(move |[a, b, _]| u * a + v * b)),
            (a() * p() - b() * q(), Box::new(move |[a, b, _]| a * u - b * v)),
            (a() + q() * c(), Box::new(move |[a, _, c]| a + v * c)),
            (c() - q() * a(), Box::new(move |[a, _, c]| c - v * a)),
            (q() * c() + a(), Box::new(move |[a, _, c]| v * c + a)),
            (q() * c() - a(), Box::new(move |[a, _, c]| v * c - a)),
            (p() * c() + q() * c(), Box::new(move |[_, _, c]| u * c + v * c)),
            (p() - q() * a(), Box::new(move |[a, ..]| u - v * a)),
            (
                p() * (a() * b()) + q() * (c() * c()),
                Box::new(move |[a, b, c]| u * (a * b) + v * (c * c)),
            ),
            (
                (p() * a() + b()) - q() * (c() - p() * b()),
                Box::new(move |[a, b, c]| (u * a + b) - v * (c - u * b)),
            ),
            (
                (p() * a() + q() * b()) * (q() * a() - p() * c()),
                Box::new(move |[a, b, c]| (u * a + v * b) * (v * a - u * c)),
            ),
        ]
    }

    fn check<T: Scalar>(element: impl Fn(usize) -> T) {
        let row = |seed: usize| (0..LEN).map(|at| element(at * 7 + seed)).collect::<Vec<T>>();
        let (a, b, c) = (row(1), row(2), row(3));
        for (p, q) in [(2.5, -0.3), (1e-3, 7.0), (-1.0, 0.0)] {
            for (number, (expression, exact)) in cases::<T>(p, q).into_iter().enumerate() {
                let found = evaluated(&expression, [&a, &b], &c);
                for at in 0..LEN {
                    let exact = exact([a[at], b[at], c[at]]);
                    let parts = |value: T| [value.wide().re(), value.wide().im()];
                    let same = |(a, b): (f64, f64)| {
                        (a - b).abs() <= 0.0
                            || a.to_bits() == b.to_bits()
                            || a.is_nan() && b.is_nan()
                    };
                    let same = parts(found[at]).into_iter().zip(parts(exact)).all(same);
                    assert!(same, "case {number}, {p}, {q}: {:?}, not {exact:?}", found[at]);
                }
            }
        }
    }

    #[test]
    fn sums_of_multiples_are_rounded_as_step_by_step() {
        let number = |at: usize| match at % 29 {
            3 => f64::INFINITY,
            5 => f64::NAN,
            7 => -0.0,
            11 => 1e-42,
            at => (at * 37 % 23) as f64 / 7.0 - 1.5,
        };
        check::<f64>(number);
        check::<f32>(|at| number(at) as f32);
        check::<Complex64>(|at| Complex64::new(number(at), number(at + 1)));
        check::<Complex32>(|at| Complex32::new(number(at) as f32, number(at + 4) as f32));
    }
}
