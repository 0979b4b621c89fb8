//! Numbers of 16 bits, which are moved and not computed with.

use arrayspan_bridge::devices::Device;
use arrayspan_bridge::{Array, Conversion, DType, Relayout, ViewMut};
use arrayspan_kernels::Trace;
use arrayspan_operators::TraceEstimator;
use arrayspan_operators::author::*;
use arrayspan_operators::prelude::*;

use crate::devices::other;

const HALVES: [DType; 2] = [DType::Float16, DType::BFloat16];

fn devices() -> Vec<Device> {
    std::iter::once(Device::cpu()).chain(other()).collect()
}

/// Small whole numbers, which both dtypes hold.
fn counting(space: &Space, dtype: DType, device: Device) -> Array {
    let all: Vec<f32> = (0..space.len()).map(|at| (at % 200) as f32 - 99.0).collect();
    let array = Array::from_vec(all, space.shape()).unwrap();
    let here = Device::cpu().stream().unwrap();
    let array = array.view().convert(dtype, &Conversion::EXACT, &here).unwrap();
    array.into_device(device).unwrap().0
}

fn read(array: Array) -> Vec<f32> {
    let (array, here) = (array.into_device(Device::cpu()).unwrap().0, Device::cpu().stream());
    let array = array.view().convert(DType::Float32, &Conversion::EXACT, &here.unwrap()).unwrap();
    array.to_vec::<f32>().unwrap()
}

/// What does nothing but move elements and write zeros.
fn operators(dtype: DType) -> Vec<Operator> {
    let space = |shape: &[usize]| Space::new(shape, dtype).unwrap();
    let whole = || space(&[5, 1, 7]);
    let flip = Flip::new(whole(), &[0, -1]).unwrap();
    let pad = Pad::new(whole(), &[(1, 2), (0, 1), (3, 0)]).unwrap();
    let turned = Transpose::new(pad.range().clone(), &[2, 0, 1]).unwrap();
    vec![
        Identity::new(whole()).unwrap(),
        Identity::rectangular(whole(), space(&[3, 2, 11])).unwrap(),
        Transpose::new(whole(), &[2, 0, 1]).unwrap(),
        Roll::new(whole(), -1, -3).unwrap(),
        Restriction::new(whole(), 2, [2, 3, 4]).unwrap(),
        Restriction::new(whole(), 0, []).unwrap(),
        Zero::new(whole(), space(&[3])).unwrap(),
        turned.after(&pad).after(&flip).build().unwrap(),
        flip.lifted(Lift::Trailing(3)).unwrap(),
        flip.pow(2).build().unwrap(),
        Flip::new(space(&[0, 3]), &[1]).unwrap(),
        flip,
        pad,
    ]
}

#[test]
fn what_only_moves_moves_numbers_of_16_bits_in_both_directions_on_every_device() {
    for (device, dtype) in
        devices().into_iter().flat_map(|device| HALVES.map(|dtype| (device, dtype)))
    {
        for (half, single) in operators(dtype).into_iter().zip(operators(DType::Float32)) {
            for (half, single) in [(adjoint(&half), adjoint(&single)), (half, single)] {
                let [x, of] =
                    [dtype, DType::Float32].map(|dtype| counting(single.domain(), dtype, device));
                let (found, expected) = (half.forward(&x).unwrap(), single.forward(&of).unwrap());
                assert_eq!(found.dtype(), dtype);
                assert_eq!(read(found), read(expected), "{device} {half:?}");
            }
        }
    }
}

#[test]
fn views_with_gaps_are_read_and_written_and_nothing_between() {
    for (device, dtype) in
        devices().into_iter().flat_map(|device| HALVES.map(|dtype| (device, dtype)))
    {
        let pad = Pad::new(Space::new([3, 2], dtype).unwrap(), &[(1, 0), (0, 2)]).unwrap();
        let wide = |shape: [usize; 2]| counting(&Space::new(shape, dtype).unwrap(), dtype, device);
        let (x, mut y) = (wide([6, 2]), wide([4, 8]));
        let before = read(wide([4, 8]));
        let x = x.view().stepped(0, 2).unwrap().reversed(0).unwrap();
        let out: ViewMut<'_> = y.view_mut().stepped(1, 2).unwrap();
        pad.apply(&*arrayspan_kernels::on(device).unwrap(), x, out, Update::set()).unwrap();
        let expected = [0., 0., -91., -90., -95., -94., -99., -98.];
        for (at, found) in read(y).into_iter().enumerate() {
            let (row, column) = (at / 8, at % 8);
            let new = match (column % 2, column / 2) {
                (1, _) => before[at],
                (_, 2..) => 0.0,
                (_, column) => expected[2 * row + column],
            };
            assert_eq!(found.to_bits(), f32::to_bits(new), "{at}");
        }
    }
}

/// What sums and picks, of numbers of 16 bits and of `Float32`.
fn summing(dtype: DType) -> Vec<Operator> {
    let space = Space::new([6, 5, 4], dtype).unwrap();
    let mut all = vec![
        Restriction::new(space.clone(), 0, [2, 0, 2]).unwrap(),
        Restriction::mask(space.clone(), 2, [3, 0]).unwrap(),
        Interp::new(space.clone(), 1, [0.5, 3.25, 4.0, 0.0], Interpolation::Linear).unwrap(),
        Spread::new(
            Space::new([3, 4], dtype).unwrap(),
            Space::new([5, 8], dtype).unwrap(),
            |i, k, row| Some((i * row) as f64 / 2.0 + k as f64),
            Interpolation::Linear,
        )
        .unwrap(),
    ];
    for axis in 0..3 {
        for integral in [Integral::Full, Integral::Half, Integral::Trapezoidal] {
            let made = CausalIntegration::new(space.clone(), axis, 0.25, integral).unwrap();
            all.push(CausalIntegration::without_first(space.clone(), axis, 0.5, integral).unwrap());
            all.extend([(-2.0 * &made).build().unwrap(), made]);
        }
    }
    all
}

#[test]
fn what_sums_takes_numbers_of_16_bits_for_those_of_32_and_rounds_what_it_writes() {
    for (device, dtype) in
        devices().into_iter().flat_map(|device| HALVES.map(|dtype| (device, dtype)))
    {
        for (half, single) in summing(dtype).into_iter().zip(summing(DType::Float32)) {
            for (half, single) in [(adjoint(&half), adjoint(&single)), (half, single)] {
                let [x, of] =
                    [dtype, DType::Float32].map(|dtype| counting(single.domain(), dtype, device));
                let found = half.forward(&x).unwrap();
                let expected = single.forward(&of).unwrap();
                let here = Device::cpu().stream().unwrap();
                let expected = expected.into_device(Device::cpu()).unwrap().0;
                let rounded = expected.view().convert(dtype, &Conversion::SATURATE, &here).unwrap();
                assert_eq!(read(found), read(rounded), "{device} {half:?}");
                let cost = (half.cost(false).unwrap(), single.cost(false).unwrap());
                assert_eq!(cost.0.launches, cost.1.launches, "{half:?}");
                assert_eq!(cost.0.bytes_written, cost.1.bytes_written / 2, "{half:?}");
            }
        }
    }
}

#[test]
fn a_factor_that_a_product_would_give_to_what_only_moves_is_refused_when_it_is_made() {
    let space = Space::new([4, 3], DType::BFloat16).unwrap();
    let flip = Flip::new(space.clone(), &[0]).unwrap();
    let sums = CausalIntegration::new(space.clone(), 0, 1.0, Integral::Full).unwrap();
    let scaled = CausalIntegration::new(space, 0, 0.5, Integral::Full).unwrap();
    assert!(flip.after(&sums).build().is_ok());
    for made in [flip.after(&scaled), scaled.after(&flip)] {
        let error = made.build().unwrap_err().to_string();
        assert!(error.contains("BFloat16 cannot be computed with"), "{error}");
    }
}

#[test]
fn what_it_costs_to_move_is_what_is_launched() {
    for operator in operators(DType::Float16) {
        for operator in [adjoint(&operator), operator] {
            let trace = Trace::of(arrayspan_kernels::on(Device::cpu()).unwrap());
            let x = counting(operator.domain(), DType::Float16, Device::cpu());
            let mut y = counting(operator.range(), DType::Float16, Device::cpu());
            operator.apply(&trace, x.view(), y.view_mut(), Update::set()).unwrap();
            assert_eq!(operator.cost(false), Some(trace.take()), "{operator:?}");
        }
    }
}

#[test]
fn what_is_applied_to_unit_vectors_is_refused_by_name() {
    let flip = Flip::new(Space::new([3, 2], DType::Float16).unwrap(), &[0]).unwrap();
    for error in [
        flip.to_dense().unwrap_err(),
        flip.trace().unwrap_err(),
        TraceEstimator::default().of(&flip).unwrap_err(),
    ] {
        assert!(error.to_string().starts_with("Flip: Float16 cannot be computed with"), "{error}");
    }
    assert_eq!(flip.to_sparse().unwrap().indices, [4, 5, 2, 3, 0, 1]);
}

#[test]
fn moving_costs_two_bytes_for_each_element_read_and_written() {
    let space = Space::new([13, 17], DType::Float16).unwrap();
    let a = Flip::new(space.clone(), &[1]).unwrap();
    let on = arrayspan_kernels::on(Device::cpu()).unwrap();
    let trace = Trace::of(on);
    let x = counting(&space, DType::Float16, Device::cpu());
    let mut y = x.try_clone().unwrap();
    a.apply(&trace, x.view(), y.view_mut(), Update::set()).unwrap();
    let cost = trace.take();
    assert_eq!((cost.launches, cost.bytes_read, cost.bytes_written), (1, 2 * 221, 2 * 221));
}

#[test]
fn what_computes_is_refused_when_it_is_made_and_updates_before_anything_is_written() {
    for dtype in HALVES {
        let space = Space::new([4, 3], dtype).unwrap();
        let flip = Flip::new(space.clone(), &[0]).unwrap();
        let said = format!("{dtype} cannot be computed with");
        for made in [
            FirstDerivative::new(space.clone(), 0, 1.0, Scheme::Forward, Edge::Zero),
            Symmetrize::new(space.clone(), 0),
            SumAlong::new(space.clone(), 0),
            Conj::new(space.clone()),
            (&flip + &flip).build(),
            (2.0 * &flip).build(),
            vstack([&flip, &flip]),
            Diagonal::along(
                space.clone(),
                0,
                counting(&Space::new([4], dtype).unwrap(), dtype, Device::cpu()),
            ),
        ] {
            let error = made.unwrap_err().to_string();
            assert!(error.contains(&said), "{error}");
        }
        let (x, mut y) =
            (counting(&space, dtype, Device::cpu()), counting(&space, dtype, Device::cpu()));
        let on = arrayspan_kernels::on(Device::cpu()).unwrap();
        let pad = Pad::new(space.clone(), &[(0, 0), (0, 0)]).unwrap();
        for update in [Update::add(), Update::new(2.0, 0.0)] {
            for a in [&flip, &pad, &Zero::new(space.clone(), space.clone()).unwrap()] {
                let error = a.apply(&*on, x.view(), y.view_mut(), update).unwrap_err();
                assert!(matches!(error, Error::Parameter { .. }), "{error}");
            }
        }
        let error = (-&flip).apply(&*on, x.view(), y.view_mut(), Update::set()).unwrap_err();
        assert!(error.to_string().contains(&said), "{error}");
        assert_eq!(read(y), read(x));
    }
    // Nor is anything else moved that is no number of its own.
    assert!(Flip::new(Space::new([3], DType::Int32).unwrap(), &[0]).is_err());
}
