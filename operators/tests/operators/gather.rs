//! Sparse matrices along an axis: how they are rewritten, and the operators made of them.

use arrayspan_bridge::devices::Device;
use arrayspan_bridge::devices::retry::OutOfMemory;
use arrayspan_bridge::{Array, DType};
use arrayspan_operators::form::IndexMap;
use arrayspan_operators::kernels::Gather;
use arrayspan_operators::prelude::*;
use arrayspan_operators::{Error, Result};
use num_complex::Complex64;

use crate::support::dense;

fn space(shape: &[usize]) -> Space {
    Space::new(shape, DType::Float64).unwrap()
}

/// Scattered indices along an axis of a `[41, 300]` model.
fn picked(axis: isize, count: usize) -> Operator {
    let extent = [41, 300][axis as usize];
    let indices: Vec<usize> = (0..count).map(|at| (at * 17 + at * at) % extent).collect();
    Restriction::new(space(&[41, 300]), axis, indices).unwrap()
}

fn index(map: Result<IndexMap>) -> Operator {
    let map = map.unwrap();
    let (domain, range) = (space(map.domain()), space(map.range()));
    Operator::of("index", domain, range, Form::Index(map)).unwrap()
}

/// The steps of `A x`.
fn steps(operator: &Operator) -> Vec<String> {
    let [forward, _] = crate::support::steps(operator);
    forward
}

/// Fails unless a product is one step and has the matrix of its factors one after the other.
#[track_caller]
fn fused(outer: &Operator, inner: &Operator, step: &str) {
    let product = outer.after(inner).build().unwrap();
    assert_eq!(steps(&product), [step]);
    let (found, a, b) = (dense(&product), dense(outer), dense(inner));
    for (column, found) in found.iter().enumerate() {
        for (row, found) in found.iter().enumerate() {
            let terms = b[column].iter().enumerate().map(|(k, b)| a[k][row] * b);
            let expected: Complex64 = terms.sum();
            assert!((found - expected).norm() < 1e-13, "({row}, {column})");
        }
    }
}

#[test]
fn restrictions_of_restrictions_are_one() {
    let inner = Restriction::new(space(&[7, 60]), 1, [5, 0, 17, 5, 44, 2]).unwrap();
    let outer = Restriction::new(inner.range().clone(), -1, [3, 3, 0]).unwrap();
    fused(&outer, &inner, "gather of 3 entries along axis 1");
    let back = adjoint(&inner);
    fused(&inner, &back, "gather of 8 entries along axis 1");
}

#[test]
fn index_maps_on_its_axis_go_into_the_table() {
    let inner = Restriction::new(space(&[7, 60]), 1, [5, 0, 17, 5, 44, 2]).unwrap();
    let shape = [7, 6];
    let maps = [
        (IndexMap::flip("flip", &shape, &[1]), 6),
        (IndexMap::slice("slice", &shape, 1, 1, 3, 2), 3),
        (IndexMap::pad("pad", &shape, 1, 2, 1), 6),
        (IndexMap::roll("roll", &shape, 1, 2), 6),
        (IndexMap::tile("tile", &shape, 1, 2), 12),
    ];
    for (map, entries) in maps {
        let step = format!("gather of {entries} entries along axis 1");
        fused(&index(map), &inner, &step);
    }
    let padded = index(IndexMap::pad("pad", &[7, 50], 1, 5, 5));
    fused(&inner, &padded, "gather of 4 entries along axis 1");
    // On another axis nothing of it is the table's.
    let other = index(IndexMap::flip("flip", &shape, &[0]));
    assert_eq!(steps(&other.after(&inner).build().unwrap()).len(), 2);
}

#[test]
fn sums_along_one_axis_are_one_and_what_cancels_is_gone() {
    let space = space(&[9, 40]);
    let at = |positions: [f64; 3]| {
        Interp::new(space.clone(), 1, positions, Interpolation::Linear).unwrap()
    };
    let (a, b) = (at([0.5, 30.25, 7.0]), at([3.5, 30.75, 8.0]));
    let sum = (&a + 2.0 * &b).build().unwrap();
    assert_eq!(steps(&sum), ["gather of 8 entries along axis 1"]);
    let (found, a_dense, b_dense) = (dense(&sum), dense(&a), dense(&b));
    for (column, found) in found.iter().enumerate() {
        for (row, found) in found.iter().enumerate() {
            assert_eq!(*found, a_dense[column][row] + 2.0 * b_dense[column][row]);
        }
    }
    let nothing = (&a - at([0.5, 30.25, 7.0])).build().unwrap();
    assert_eq!(steps(&nothing), ["zero"]);
}

#[test]
fn a_restriction_of_few_rows_of_a_band_computes_no_others() {
    let model = space(&[41, 300]);
    let slope = FirstDerivative::new(model.clone(), 0, 1.0, Scheme::Centered3, Edge::Zero).unwrap();
    let few: Vec<usize> = (0..41).step_by(4).collect();
    let stepped = Restriction::new(model.clone(), 0, few).unwrap();
    let product = stepped.after(&slope).build().unwrap();
    // 11 rows, of which the first and the last are zero.
    assert_eq!(steps(&product), ["gather of 18 entries along axis 0"]);
    let (fused, apart) = (product.cost(false).unwrap(), [slope.cost(false), stepped.cost(false)]);
    let apart: usize = apart.into_iter().map(|cost| cost.unwrap().bytes()).sum();
    assert!(fused.bytes() < apart / 2, "{fused:?}");
    let narrow = FirstDerivative::new(space(&[9, 3]), 0, 1.0, Scheme::Forward, Edge::Zero).unwrap();
    let rows = Restriction::new(space(&[9, 3]), 0, [7, 0, 2]).unwrap();
    let (found, a, b) =
        (dense(&rows.after(&narrow).build().unwrap()), dense(&rows), dense(&narrow));
    for (column, found) in found.iter().enumerate() {
        for (row, found) in found.iter().enumerate() {
            let expected: Complex64 = (0..27).map(|k| a[k][row] * b[column][k]).sum();
            assert_eq!(*found, expected);
        }
    }
    // Most rows are wanted: the band shares what it loads.
    let most = Restriction::new(model, 0, (0..40).collect::<Vec<_>>()).unwrap();
    assert_eq!(steps(&most.after(&slope).build().unwrap()).len(), 2);
}

#[test]
fn neighbouring_indices_need_no_table() {
    let space = space(&[7, 5]);
    for (indices, table) in [
        (&[1, 2, 3][..], false),
        (&[6, 5, 4], false),
        (&[6, 3, 0], true),
        (&[4], false),
        (&[], false),
        (&[0, 1, 3], true),
        (&[2, 2], true),
    ] {
        let picked = Restriction::new(space.clone(), 0, indices).unwrap();
        let step = steps(&picked);
        assert_eq!(step[0].starts_with("gather"), table, "{indices:?}: {step:?}");
        let found = dense(&picked);
        for (column, found) in found.iter().enumerate() {
            for (row, found) in found.iter().enumerate() {
                let one = indices[row / 5] * 5 + row % 5 == column;
                assert_eq!(*found, Complex64::from(f64::from(u8::from(one))));
            }
        }
    }
}

#[test]
fn a_mask_keeps_what_is_picked_and_is_positive_work_done_once() {
    let space = space(&[3, 6]);
    let mask = Restriction::mask(space.clone(), 1, [4, 1, 4]).unwrap();
    assert!(mask.is_self_adjoint());
    let found = dense(&mask);
    for (column, found) in found.iter().enumerate() {
        let kept = [1, 4].contains(&(column % 6));
        for (row, found) in found.iter().enumerate() {
            let expected = f64::from(u8::from(kept && row == column));
            assert_eq!(*found, Complex64::from(expected));
        }
    }
}

#[test]
fn sparse_matrices_are_what_the_tables_say() {
    let starts = vec![0, 2, 2, 3];
    let weights = [1.0, 2.0, -1.0].map(Complex64::from).to_vec();
    let gather = Gather::new(1, &[3], &[2], starts, vec![1, 1, 0], Some(weights)).unwrap();
    let [domain, range] = [[2, 2, 2], [2, 3, 2]].map(|shape| space(&shape));
    let operator = Operator::of("gather", domain, range, Form::Gather(gather)).unwrap();
    let sparse = operator.to_sparse().unwrap();
    let rows: Vec<_> = (0..12).map(|row| sparse.row(row).collect::<Vec<_>>()).collect();
    assert_eq!(rows[1], [(3, Complex64::from(3.0))]);
    assert!(rows[2].is_empty());
    assert_eq!(rows[11], [(5, Complex64::from(-1.0))]);
    let back = adjoint(&operator).to_sparse().unwrap();
    assert_eq!(back.row(3).collect::<Vec<_>>(), [(1, Complex64::from(3.0))]);
}

#[test]
fn what_does_not_fit_is_refused() {
    let refused = |result: Result<Operator>, words: &[&str]| match result {
        Err(Error::Parameter { operator, why }) => {
            let text = format!("{operator}: {why}");
            assert!(words.iter().all(|word| text.contains(word)), "{text}");
        }
        other => panic!("{other:?}"),
    };
    let model = || space(&[4, 5]);
    refused(Restriction::new(model(), 1, [0, 5]), &["Restriction", "index 5, number 1", "axis 1"]);
    refused(Restriction::new(model(), 2, [0]), &["Restriction", "axis 2"]);
    refused(Restriction::mask(model(), 0, [4]), &["Restriction", "index 4"]);
    refused(SumAlong::new(model(), -3), &["SumAlong", "axis -3"]);
    let at = |positions: &[f64]| Interp::new(model(), 1, positions, Interpolation::Linear);
    refused(at(&[0.0, 4.5]), &["Interp", "position 4.5, number 1, is not among the"]);
    refused(at(&[-0.1]), &["Interp", "position -0.1"]);
    refused(at(&[f64::NAN]), &["Interp", "NaN"]);
    let spline = |positions: &[f64]| InterpCubicSpline::new(model(), 0, positions);
    refused(spline(&[0.0, 3.5]), &["InterpCubicSpline", "position 3.5, number 1", "4 samples"]);
    refused(InterpCubicSpline::new(model(), 2, []), &["InterpCubicSpline", "axis 2"]);
    refused(Interp::sinc(model(), 1, [4.5], 0.1), &["Interp", "position 4.5", "5 samples"]);
    refused(Interp::sinc(model(), 1, [0.5], f64::NAN), &["Interp", "NaN as the least weight"]);
    refused(Interp::sinc(model(), 1, [0.5], -0.1), &["Interp", "-0.1 as the least weight"]);
    let plane = |position: [f64; 2]| Bilinear::new(model(), [[0.0; 2], position]);
    refused(plane([3.5, 1.0]), &["Bilinear", "position 3.5, number 1", "axis 0 of", "[4, 5]"]);
    refused(plane([3.0, 4.5]), &["Bilinear", "position 4.5, number 1", "axis 1 of"]);
    refused(plane([f64::NAN, 0.0]), &["Bilinear", "NaN"]);
    refused(plane([0.0, -1e-9]), &["Bilinear", "position -"]);
    refused(Bilinear::new(space(&[5]), [[0.0; 2]]), &["Bilinear", "[5]", "two axes"]);
    let gather = Gather::pick(0, 5, [1]).unwrap();
    let form = Operator::of("picked", model(), space(&[1, 5]), Form::Gather(gather));
    refused(form, &["picked", "does not map", "[4, 5]"]);
    let weights = Some(vec![Complex64::i()]);
    let gather = Gather::new(0, &[1], &[4], vec![0, 1], vec![2], weights).unwrap();
    let form = Operator::of("picked", model(), space(&[1, 5]), Form::Gather(gather));
    refused(form, &["picked", "complex weights"]);
    let weights = Some(vec![Complex64::from(1e-60)]);
    let gather = Gather::new(0, &[1], &[4], vec![0, 1], vec![2], weights).unwrap();
    let [domain, range] = [[4, 5], [1, 5]].map(|shape| Space::new(shape, DType::Float32).unwrap());
    let form = Operator::of("picked", domain, range, Form::Gather(gather));
    refused(form, &["picked", "1e-60", "Float32"]);
}

#[test]
fn adjoints_add_what_was_picked_twice() {
    let picked = picked(1, 90);
    let product = adjoint(&picked).after(&picked).build().unwrap();
    assert!(product.is_self_adjoint());
    let check = arrayspan_operators::check_adjoint(&picked).unwrap();
    assert!(check.holds(), "{check}");
}

/// Fails unless there is no memory for what is tried, and that is said.
#[track_caller]
fn no_memory<T>(tried: Result<T>) {
    let Err(error) = tried else { panic!("there was memory") };
    assert!(error.shortage().is_some(), "{error}");
}

#[test]
fn extents_without_number_take_memory_only_in_the_direction_that_is_applied() {
    const WIDE: usize = 1 << 50;
    let model = || Space::new([WIDE], DType::Float32).unwrap();
    let picked = Restriction::new(model(), 0, [WIDE - 1, 0, 1 << 49]).unwrap();
    let between = [0.5, (1_u64 << 49) as f64, 7.25];
    let between = Interp::new(model(), 0, between, Interpolation::Linear).unwrap();
    let wide = [0.5, (1_u64 << 49) as f64 + 0.25];
    let spline = InterpCubicSpline::new(model(), 0, wide).unwrap();
    let sinc = Interp::sinc(model(), 0, wide, 0.1).unwrap();
    assert_eq!(spline.range().shape(), sinc.range().shape());
    let dense = Interp::sinc(model(), 0, vec![0.5; 1 << 10], 0.0);
    assert!(matches!(dense, Err(Error::TooLarge { operation, .. }) if operation == "Interp"));
    let plane = Space::new([1 << 25, 1 << 25], DType::Float32).unwrap();
    Bilinear::new(plane, [[16_777_216.5, 33_554_431.0]]).unwrap();
    let sum = (&picked + 2.0 * &between).build().unwrap();
    let back = adjoint(&picked);
    let normal = back.after(&picked).build().unwrap();
    let summed = SumAlong::new(Space::new([WIDE, 3], DType::Float32).unwrap(), 0).unwrap();
    for device in Device::all() {
        let one = Array::from_slice(&[3.0_f32], [1]).unwrap().into_device(device).unwrap().0;
        for (operator, factor) in [(&picked, 1.0), (&between, 1.0), (&sum, 3.0)] {
            let y = operator.forward(one.view().broadcast(&[WIDE]).unwrap()).unwrap();
            let found = y.view().to(Device::cpu()).unwrap().0.view().to_vec::<f32>().unwrap();
            assert_eq!(found, [3.0 * factor; 3], "{device}: {operator:?}");
            no_memory(operator.adjoint(&y));
        }
    }
    for operator in [&picked, &between, &sum, &back, &normal, &summed] {
        let text = operator.describe();
        assert!(text.contains("adjoint"), "{text}");
        assert!(operator.cost(false).is_some() && operator.cost(true).is_some());
        assert!(operator.workspace() < usize::MAX);
        assert_eq!(operator.is_self_adjoint(), std::ptr::eq(operator, &raw const normal));
    }
    assert!(steps(&sum).len() > 1, "too wide to be put together on the host: {sum:?}");
    assert_eq!(picked.to_sparse().unwrap().row(0).collect::<Vec<_>>(), [(WIDE - 1, 1.0.into())]);
    no_memory(back.to_sparse());
    no_memory(Restriction::mask(model(), 0, [5]));
    no_memory(
        picked
            .warm_up(&*arrayspan_operators::kernels::on(Device::cpu()).unwrap())
            .and_then(|_| summed.to_sparse()),
    );
}

#[test]
fn sums_are_put_together_as_long_as_that_is_little_work() {
    const MANY: usize = 1 << 20;
    let picked = |turn: usize| {
        let indices: Vec<usize> = (0..MANY).map(|at| (at * 7 % MANY) ^ turn).collect();
        Restriction::new(space(&[MANY]), 0, indices).unwrap()
    };
    let both = (picked(0) + picked(1)).build().unwrap();
    assert_eq!(steps(&both), ["gather of 2097152 entries along axis 0"]);
    let all = (1..=4).map(|bit| picked(1 << bit));
    let all = all.fold(both, |sum, term| (&sum + &term).build().unwrap());
    assert!(steps(&all).len() > 1, "{:?}", steps(&all));
}

#[test]
fn products_of_matrices_with_rows_without_number_are_not_planned() {
    // Rows of the data are counted along two axes, none of which is long.
    let space = |shape: &[usize]| Space::new(shape, DType::Float32).unwrap();
    let curve = |_: usize, _: usize, row: usize| (row == 5).then_some(7.0);
    let model = space(&[1, 1]);
    let spread = Spread::new(model, space(&[16_384, 16_384]), curve, Interpolation::Nearest);
    let spread = spread.unwrap();
    let both = spread.after(adjoint(&spread)).build().unwrap();
    assert!(both.cost(false).is_some_and(|cost| cost.launches >= 2), "{}", both.describe());
}
