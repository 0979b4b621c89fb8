//! What the host's loops do beyond single elements: rows computed together, vectors and their ends, parts for threads,
//! results written past the caches.
#![allow(clippy::unwrap_used, reason = "an unexpected error fails the test")]

use arrayspan_kernels::bridge::devices::Device;
use arrayspan_kernels::bridge::{Array, DType, Relayout, View, ViewMut};
use arrayspan_kernels::{
    Band, Executor, Stencil, StencilTerm, Tap, Update, Vector, constant, input, on,
};

/// Scattered numbers between -1 and 1.
fn scattered(shape: &[usize], seed: usize) -> Array {
    let value = |i: usize| ((i * 7919 + seed * 104_729) % 2003) as f32 / 1001.5 - 1.0;
    Array::from_vec((0..shape.iter().product()).map(value).collect(), shape).unwrap()
}

fn values(array: &Array) -> Vec<f32> {
    array.view().to_vec().unwrap()
}

/// Taps from `first` on, all weights different.
fn band(len: usize, first: isize, taps: usize) -> Band {
    Band::uniform(len, (0..taps).map(|k| (first + k as isize, 0.25 + 0.125 * k as f64)))
}

/// Bands along axes, and what they are applied to.
type Bands<'a> = (&'a [(usize, Band)], &'a [f32]);

/// `Σ stencil(x) + beta · y` of a matrix, element by element in 64 bits.
fn expected(terms: &[Bands<'_>], y: &[f32], shape: [usize; 2], beta: f64) -> Vec<f64> {
    let one = |i: usize, j: usize| {
        let of_term = |(bands, x): &Bands<'_>| {
            let along = |(axis, band): &(usize, Band)| {
                let row = [i, j][*axis];
                let tap = |tap: &arrayspan_kernels::Tap| {
                    let other = row.wrapping_add_signed(tap.offset);
                    let place =
                        if *axis == 0 { other * shape[1] + j } else { i * shape[1] + other };
                    tap.weight.re * f64::from(x[place])
                };
                band.row(row).iter().map(tap).sum::<f64>()
            };
            bands.iter().map(along).sum::<f64>()
        };
        let old = if beta == 0.0 { 0.0 } else { beta * f64::from(y[i * shape[1] + j]) };
        terms.iter().map(of_term).sum::<f64>() + old
    };
    (0..shape[0]).flat_map(|i| (0..shape[1]).map(move |j| (i, j))).map(|(i, j)| one(i, j)).collect()
}

#[test]
fn rows_together_and_rows_left_over_are_those_of_the_matrix() {
    let host = on(Device::cpu()).unwrap();
    for (rows, columns) in [(1, 1), (2, 7), (3, 16), (4, 17), (5, 33), (7, 64), (9, 65), (13, 131)]
    {
        for (first, taps) in [(0, 1), (-1, 3), (-3, 4), (2, 5), (-20, 41), (-30, 5)] {
            for beta in [0.0, 1.0, -0.5] {
                let shape = [rows, columns];
                let bands = [(0, band(rows, first, taps)), (1, band(columns, -1, 3))];
                for used in [&bands[..1], &bands[1..], &bands[..]] {
                    let stencil = Stencil::new(used.iter().cloned()).unwrap();
                    let (x, mut y) = (scattered(&shape, 1), scattered(&shape, 2));
                    let terms = [(used, &values(&x)[..])];
                    let expected = expected(&terms, &values(&y), shape, beta);
                    let update = Update::new(1.0, beta);
                    host.stencil(&stencil, x.view(), y.view_mut(), update).unwrap();
                    for (found, expected) in values(&y).iter().zip(expected) {
                        let off = (f64::from(*found) - expected).abs();
                        assert!(off < 1e-4, "{shape:?} {first} {taps} {beta}: {found} {expected}");
                    }
                }
            }
        }
    }
}

#[test]
fn several_inputs_are_summed_in_one_pass() {
    let host = on(Device::cpu()).unwrap();
    let shape = [11, 37];
    let first = [(0, band(11, -2, 5))];
    let second = [(0, band(11, -1, 2)), (1, band(37, -4, 9))];
    let (a, b, mut y) = (scattered(&shape, 1), scattered(&shape, 2), scattered(&shape, 3));
    let terms = [(&first[..], &values(&a)[..]), (&second[..], &values(&b)[..])];
    let expected = expected(&terms, &values(&y), shape, 2.0);
    let stencils = [&first[..], &second].map(|bands| Stencil::new(bands.iter().cloned()).unwrap());
    let terms =
        [StencilTerm::new(&stencils[0], a.view()), StencilTerm::new(&stencils[1], b.view())];
    host.stencil_sum(&terms, y.view_mut(), Update::new(1.0, 2.0)).unwrap();
    for (found, expected) in values(&y).iter().zip(expected) {
        assert!((f64::from(*found) - expected).abs() < 1e-4, "{found} {expected}");
    }
}

/// Rows that are computed together do not meet each other's inputs, not even multiplied by zero.
#[test]
fn an_infinite_element_reaches_the_rows_that_take_it_and_no_others() {
    let host = on(Device::cpu()).unwrap();
    let (rows, columns) = (23, 40);
    for (first, taps) in [(-1, 3), (0, 1), (2, 2), (-5, 11)] {
        let stencil = Stencil::along(0, band(rows, first, taps)).unwrap();
        for place in 0..rows {
            let mut x = scattered(&[rows, columns], 4);
            x.view_mut().as_mut_slice::<f32>().unwrap()[place * columns + 3] = f32::INFINITY;
            let mut y = scattered(&[rows, columns], 5);
            host.stencil(&stencil, x.view(), y.view_mut(), Update::set()).unwrap();
            for (i, found) in values(&y).iter().enumerate() {
                let reach = first..first + taps as isize;
                let takes = reach.contains(&(place as isize - (i / columns) as isize));
                assert_eq!(found.is_finite(), !(takes && i % columns == 3), "{place} {i}");
            }
        }
    }
}

/// Rows a power of two apart are copied together before groups of rows take them; others are taken where they are. Each
/// element is the same either way, at the ends of the axis, too.
#[test]
fn rows_a_power_of_two_apart_give_what_others_give() {
    let host = on(Device::cpu()).unwrap();
    for (rows, columns, wider) in [(257, 2048, 2064), (61, 2045, 2064), (9, 4096, 4112)] {
        let (x, mut y) = (scattered(&[rows, columns], 1), scattered(&[rows, columns], 2));
        let mut other_x = scattered(&[rows, wider], 3);
        let mut other_y = scattered(&[rows, wider], 4);
        let part = |view: ViewMut<'_>, of: &Array| {
            host.copy(of.view(), view.sliced(1, 0, columns).unwrap(), Update::set()).unwrap();
        };
        part(other_x.view_mut(), &x);
        part(other_y.view_mut(), &y);
        let of_row = |i: usize| if (3..rows - 3).contains(&i) { 1.0 } else { 2.0 + i as f64 };
        let ends = Band::from_rows(rows, 3, |i| [Tap { offset: 0, weight: of_row(i).into() }]);
        let middle = band(rows, -20, 41);
        for band in [middle.clone(), ends.after(&middle).unwrap()] {
            let stencil = Stencil::along(0, band).unwrap();
            for beta in [0.0, 0.5] {
                let update = Update::new(0.75, beta);
                host.stencil(&stencil, x.view(), y.view_mut(), update).unwrap();
                let x = other_x.view().sliced(1, 0, columns).unwrap();
                let mut y = other_y.view_mut().sliced(1, 0, columns).unwrap();
                host.stencil(&stencil, x, y.reborrow(), update).unwrap();
            }
        }
        let other = other_y.view().sliced(1, 0, columns).unwrap();
        assert!(values(&y) == other.to_vec::<f32>().unwrap(), "{rows} rows of {columns}");
    }
}

fn stencils(shape: [usize; 2]) -> [Stencil; 3] {
    let [rows, columns] = shape;
    let three = |len| band(len, -1, 3);
    [
        Stencil::along(0, band(rows, -20, 41)).unwrap(),
        Stencil::along(1, band(columns, -20, 41)).unwrap(),
        Stencil::new([(0, three(rows)), (1, three(columns))]).unwrap(),
    ]
}

#[test]
fn stencils_maps_and_copies_do_not_depend_on_the_number_of_threads() {
    let shape = [311, 1409];
    let work = || {
        let host = on(Device::cpu()).unwrap();
        let x = scattered(&shape, 6);
        let mut results = Vec::new();
        for stencil in stencils(shape) {
            let mut y = scattered(&shape, 7);
            host.stencil(&stencil, x.view(), y.view_mut(), Update::new(0.3, 0.7)).unwrap();
            results.push(values(&y));
        }
        let mut y = scattered(&[1409, 311], 8);
        let turned = x.view().permuted(&[1, 0]).unwrap();
        host.copy(turned, y.view_mut(), Update::new(0.5, 0.25)).unwrap();
        results.push(values(&y));
        results
    };
    let results = [1, 2, 5].map(|threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(work)
    });
    assert!(results[0] == results[1]);
    assert!(results[0] == results[2]);
}

/// What a stencil writes to a view of an array, and the bits of its squared norm.
fn with_norm(stencil: &Stencil, x: View<'_>, y: ViewMut<'_>) -> u64 {
    let host = on(Device::cpu()).unwrap();
    let mut norm = Array::from_slice(&[f64::NAN], []).unwrap();
    host.stencil_with_norm_squared(stencil, x, y, Update::new(0.3, 0.7), norm.view_mut()).unwrap();
    norm.item::<f64>().unwrap().to_bits()
}

/// The sum of their squares, of a few of them first: of all, one after the other, it would be less exact.
fn squares(values: &[f32]) -> f64 {
    let few = |few: &[f32]| few.iter().map(|y| f64::from(*y) * f64::from(*y)).sum::<f64>();
    values.chunks(1000).map(few).sum()
}

#[test]
fn norms_of_stencils_do_not_depend_on_the_number_of_threads() {
    for shape in [[311, 1409], [67, 34_001], [3, 300_000], [30_001, 11], [1, 400_000]] {
        for (number, stencil) in stencils(shape).into_iter().enumerate() {
            for turned in [false, true] {
                let work = || {
                    let (x, mut y) = (scattered(&shape, 6), scattered(&shape, 7));
                    let bits = if turned {
                        let back = [shape[1], shape[0]];
                        let mut other = scattered(&back, 8);
                        let to = other.view_mut().permuted(&[1, 0]).unwrap();
                        on(Device::cpu()).unwrap().copy(y.view(), to, Update::set()).unwrap();
                        let bits = with_norm(
                            &stencil,
                            x.view(),
                            other.view_mut().permuted(&[1, 0]).unwrap(),
                        );
                        let from = other.view().permuted(&[1, 0]).unwrap();
                        on(Device::cpu()).unwrap().copy(from, y.view_mut(), Update::set()).unwrap();
                        bits
                    } else {
                        with_norm(&stencil, x.view(), y.view_mut())
                    };
                    (bits, values(&y))
                };
                let [(bits, y), others @ ..] = [1, 2, 5].map(|threads| {
                    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
                    pool.unwrap().install(work)
                });
                let what = format!("stencil {number} of {shape:?}, turned: {turned}");
                assert!(others.iter().all(|other| other.0 == bits && other.1 == y), "{what}");
                let exact = squares(&y);
                let found = f64::from_bits(bits);
                assert!((found - exact).abs() <= 1e-12 * exact, "{what}: {found}, not {exact}");
            }
        }
    }
}

/// One array of so many bytes that results go past the caches, which those of its parts do not.
#[test]
fn large_results_are_those_of_their_parts() {
    let host = on(Device::cpu()).unwrap();
    let shape = [4099, 4099];
    let x = scattered(&shape, 9);
    let (mut whole, mut parts) = (scattered(&shape, 10), scattered(&shape, 11));
    let run = |run: &dyn Fn(&dyn Executor, View<'_>, ViewMut<'_>),
               axis,
               whole: &mut Array,
               parts: &mut Array| {
        run(&*host, x.view(), whole.view_mut());
        for (from, len) in [(0, 2000), (2000, 2099)] {
            let x = x.view().sliced(axis, from, len).unwrap();
            run(&*host, x, parts.view_mut().sliced(axis, from, len).unwrap());
        }
        assert!(values(whole) == values(parts));
    };
    let [down, right, _] = stencils(shape);
    let stencil = |stencil: Stencil| {
        move |host: &dyn Executor, x: View<'_>, y: ViewMut<'_>| {
            host.stencil(&stencil, x, y, Update::set()).unwrap();
        }
    };
    run(&stencil(down), 1, &mut whole, &mut parts);
    run(&stencil(right), 0, &mut whole, &mut parts);
    let mut norm = Array::from_slice(&[0.0], []).unwrap();
    host.stencil_with_norm_squared(
        &stencils(shape)[0],
        x.view(),
        parts.view_mut(),
        Update::set(),
        norm.view_mut(),
    )
    .unwrap();
    let exact = squares(&values(&parts));
    assert!((norm.item::<f64>().unwrap() - exact).abs() <= 1e-12 * exact);
    let expression = constant(2.0) * input(0) + constant(1.0);
    let map = |host: &dyn Executor, x: View<'_>, y: ViewMut<'_>| {
        host.map(&expression, &[x], y).unwrap();
    };
    run(&map, 0, &mut whole, &mut parts);
    let copy = |host: &dyn Executor, x: View<'_>, y: ViewMut<'_>| {
        host.copy(x, y, Update::set()).unwrap();
    };
    run(&copy, 0, &mut whole, &mut parts);
    assert_eq!(whole.dtype(), DType::Float32);
}

#[test]
fn scaling_changes_no_bit_of_a_mean() {
    for len in [1, 2, 3, 64, 1009] {
        let numbers: Vec<f64> = (0..len).map(|i| f64::from(i).cos() * 1e-290).collect();
        let x = Array::from_vec(numbers, [len as usize]).unwrap();
        let plain = (x.sum().unwrap() / f64::from(len)).compute().unwrap();
        let [plain, found] = [plain, x.mean().unwrap()].map(|x| x.item::<f64>().unwrap());
        assert_eq!(plain.to_bits(), found.to_bits(), "{len}: {found:e}, not {plain:e}");
    }
}
