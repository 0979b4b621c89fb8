//! The sum of the squares of all elements of an array without gaps, and of the products or squared differences of those of two: what
//! each iteration of a solver asks several times. For small arrays a look at axes and lanes would take longer than their elements do.

use super::fold::{differences, products, squares};
use super::halves::{by_halves, middle};
use super::reduce_parts::{GRAIN, MOST_PARTS, SQUARES};
use super::scalar::Scalar;

/// `Σ |x|²`, in the order in which other reductions add up: in halves, of which those that are small are added up by one
/// thread each. It depends on the number of elements only.
pub(super) fn squares_of_all<T: Scalar>(elements: &[T]) -> f64 {
    let grain = GRAIN.max(elements.len() / MOST_PARTS);
    let halve = |part: &_| halves(part, grain);
    by_halves(elements, &halve, &leaf::<T>, &|first, second| first + second)
}

/// The halves of a part of more than `grain` elements.
fn halves<'x, T>(part: &&'x [T], grain: usize) -> Option<[&'x [T]; 2]> {
    let elements: &'x [T] = part;
    (elements.len() > grain).then(|| elements.split_at(middle(elements.len())).into())
}

/// The sum of few.
fn leaf<T: Scalar>(elements: &[T]) -> f64 {
    elements.chunks(SQUARES).fold(0.0, |sum, elements| sum + squares(elements))
}

/// The same of two parts as long as each other.
fn pairs<'x, T>(part: &Pair<'x, T>, grain: usize) -> Option<[Pair<'x, T>; 2]> {
    let ([a, a_rest], [b, b_rest]) = (halves(&part.0, grain)?, halves(&part.1, grain)?);
    Some([(a, b), (a_rest, b_rest)])
}

type Pair<'x, T> = (&'x [T], &'x [T]);

/// `Re Σ conj(a) b`, in the same order.
pub(super) fn products_of_all<T: Scalar>(a: &[T], b: &[T]) -> f64 {
    sum_of_all(a, b, &products)
}

/// `Σ |factor (a - b)|²`, in the same order.
pub(super) fn differences_of_all<T: Scalar>(a: &[T], b: &[T], factor: f64) -> f64 {
    sum_of_all(a, b, &|a, b| differences(a, b, factor))
}

/// The sum of what a few elements of both come to.
fn sum_of_all<T: Scalar>(a: &[T], b: &[T], few: &(impl Fn(&[T], &[T]) -> f64 + Sync)) -> f64 {
    let grain = GRAIN.max(a.len() / MOST_PARTS);
    let halve = |part: &_| pairs(part, grain);
    let leaf = |(a, b): Pair<'_, T>| {
        let chunks = a.chunks(SQUARES).zip(b.chunks(SQUARES));
        chunks.fold(0.0, |sum, (a, b)| sum + few(a, b))
    };
    by_halves((a, b), &halve, &leaf, &|first, second| first + second)
}

#[cfg(test)]
mod tests {
    use num_complex::Complex32;

    use super::*;

    #[test]
    fn sums_of_squares_are_right_and_do_not_depend_on_the_number_of_threads() {
        for len in [0, 1, 15, 16, 17, 4096, 4097, GRAIN, GRAIN + 1, 3 * GRAIN + 7, 300 * GRAIN + 1]
        {
            // Whole numbers, times 2^66: their squares add up without rounding.
            let whole = |i: usize| (i * 37 % 1001) as f32 - 500.0;
            let x: Vec<f32> = (0..len).map(|i| whole(i) * 2.0_f32.powi(66)).collect();
            let exact: f64 = x.iter().map(|x| f64::from(*x) * f64::from(*x)).sum();
            let on = |threads: usize| {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                pool.install(|| squares_of_all(&x))
            };
            let sums = [1, 2, 5].map(on);
            assert_eq!(products_of_all(&x, &x).to_bits(), sums[0].to_bits(), "{len}");
            assert!((sums[0] - exact).abs() <= 0.0, "{len}: {} of {exact}", sums[0]);
            assert!(sums.iter().all(|sum| sum.to_bits() == sums[0].to_bits()), "{len}: {sums:?}");
        }
        let complex = vec![Complex32::new(3e-20, -4e-20); 1001];
        let (sum, exact) = (squares_of_all(&complex), 1001.0 * 25e-40);
        assert!((sum - exact).abs() <= 1e-6 * exact);
        assert!(squares_of_all(&[1.0, f64::NAN]).is_nan());
    }
}
