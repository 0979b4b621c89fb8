//! Numbers of a wider dtype beside elements, and quotients.

use arrayspan_kernels::bridge::DType;
use arrayspan_kernels::{constant, input, previous};
use num_complex::Complex64;

use crate::cell::Cell;
use crate::reference::{self, Tensor};
use crate::sample::{Form, Random, Sample};

/// Single numbers of a wider real dtype: what is computed of them alone is computed in theirs.
pub fn numbers_of_a_wider_dtype(cell: &Cell) {
    let device = cell.executor.device();
    let float64 = device.is_cpu() || device.info().float64;
    for dtype in [DType::Float32, DType::Float64] {
        if dtype.bits() < cell.dtype.real().bits() || (dtype == DType::Float64 && !float64) {
            continue;
        }
        let numbers = Cell { executor: cell.executor.clone(), dtype };
        // Far apart in Float64: the quotient is what elements can hold, the numbers are not.
        let far = if dtype == DType::Float64 { 2.0_f64.powi(400) } else { 1.0 };
        let shape_of_b: &[usize] = if dtype == cell.dtype { &[] } else { &[1, 1] };
        let (a, b) = (numbers.filled(&[], 3.0 * far), numbers.filled(shape_of_b, 8.0 * far));
        for (shape, form) in [
            (&[6, 7][..], Form::Mixed),
            (&[5000], Form::Plain),
            (&[1, 1], Form::Plain),
            (&[0, 3], Form::Plain),
        ] {
            let x = cell.random(shape, form, 70);
            let mut y = cell.random(shape, form, 71);
            let ratio = input(0).div_or_zero(input(2)) * constant(4.0);
            let expression = ratio * input(1) - input(2) / input(0) * previous();
            let expected = reference::map(
                &(constant(1.5) * input(0) - constant(8.0 / 3.0) * previous()),
                &[&x.tensor],
                &y.tensor,
            );
            let views = [a.view(), x.view(), b.view()];
            cell.executor.map(&expression, &views, y.view_mut()).unwrap();
            cell.check(&y, &expected, &format!("{dtype} {shape:?}"));
            // Alone: the number itself, and an order where elements have none.
            let smaller = (input(0) / input(1)).min(constant(2.0)).max(input(0) / input(0));
            let mut y = cell.unreadable(shape, form);
            let expected = reference::map(&constant(1.0), &[], &y.tensor);
            cell.executor.map(&smaller, &[a.view(), b.view()], y.view_mut()).unwrap();
            cell.check(&y, &expected, &format!("{dtype} {shape:?} of numbers alone"));
        }
    }
}

/// Quotients near both ends of the range, against 64-bit arithmetic with exponents apart.
pub fn quotients_of_every_size(cell: &Cell) {
    let (least, most) = match cell.dtype.real() {
        DType::Float32 => (-149, 127),
        _ => (-1074, 1023),
    };
    let mut random = Random(80);
    let exponents: Vec<i32> =
        [least, least + 3, least + 30, least / 2, -3, 0, 5, most / 2, most - 1, most]
            .into_iter()
            .collect();
    let power = |e: i32| 2.0_f64.powi(e / 2) * 2.0_f64.powi(e - e / 2);
    // Mantissas in ±[1, 2) with few bits, so that products of two are exact; each part may be far smaller.
    let mut part = |e: i32| {
        let mantissa = (1.0 + random.next().abs() / 2.0).clamp(1.0, 1.5);
        let mantissa = (mantissa * 256.0).round() / 256.0;
        if e < least + 10 { power(e) } else { mantissa.copysign(random.next()) * power(e) }
    };
    let mut pairs: Vec<[Complex64; 2]> = Vec::new();
    for &of_a in &exponents {
        for &of_b in &exponents {
            for apart in [0, 1, 40] {
                let low = |e: i32| (e - apart).max(least);
                let (a, b) = (
                    cell.number(part(of_a), part(low(of_a))),
                    cell.number(part(of_b), part(low(of_b))),
                );
                pairs.push([a, b]);
                if cell.is_complex() {
                    pairs.push([Complex64::new(a.im, a.re), Complex64::new(b.im, b.re)]);
                    pairs.push([a, Complex64::new(b.re, 0.0)]);
                    pairs.push([a, Complex64::new(0.0, b.re)]);
                }
            }
        }
    }
    let epsilon =
        if cell.dtype.real() == DType::Float32 { f64::from(f32::EPSILON) } else { f64::EPSILON };
    let (tiny, huge) = (power(least), power(most) * (2.0 - epsilon));
    for (function, expression) in
        [("/", input(0) / input(1)), ("div_or_zero", input(0).div_or_zero(input(1)))]
    {
        let column =
            |at: usize| Tensor::new(&[pairs.len()], pairs.iter().map(|pair| pair[at]).collect());
        let [a, b] = [0, 1].map(|at| Sample::new(cell, &column(at), Form::Plain));
        let mut out = cell.unreadable(&[pairs.len()], Form::Plain);
        cell.executor.map(&expression, &[a.view(), b.view()], out.view_mut()).unwrap();
        for ([a, b], found) in pairs.iter().zip(out.read(cell).values) {
            // Scaled to near 1, where nothing overflows; the exponent apart.
            let exponent = |z: &Complex64| z.re.abs().max(z.im.abs()).log2().floor() as i32;
            let near = |z: &Complex64, e: i32| *z * power((-e) / 2) * power(-e - (-e) / 2);
            let (ea, eb) = (exponent(a), exponent(b));
            let quotient = near(a, ea) / near(b, eb);
            let size = quotient.norm().log2() + f64::from(ea - eb);
            if size > f64::from(most) - 1.0 {
                continue;
            }
            let e = ea - eb;
            let expected = quotient * power(e / 2) * power(e - e / 2);
            assert!(expected.norm() <= huge);
            let bound = 16.0 * epsilon * expected.norm() + 4.0 * tiny;
            assert!(
                (found - expected).norm() <= bound,
                "{a:e} {function} {b:e} is {found:e}, expected {expected:e}"
            );
        }
    }
}
