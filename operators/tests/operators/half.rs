//! Numbers of 16 bits: moved as they are, or widened, computed in `Float32` and rounded.

use arrayspan_bridge::devices::Device;
use arrayspan_bridge::{Array, Conversion, DType, Relayout, ViewMut};
use arrayspan_kernels::Trace;
use arrayspan_operators::TraceEstimator;
use arrayspan_operators::author::*;
use arrayspan_operators::prelude::*;

use crate::devices::other;
use crate::support::chosen;

const HALVES: [DType; 2] = [DType::Float16, DType::BFloat16];

/// Devices, each with both dtypes, or one of them where kernels are compiled slowly.
fn devices() -> impl Iterator<Item = (Device, DType)> {
    let devices = std::iter::once(Device::cpu()).chain(other());
    devices.flat_map(|device| chosen(&HALVES, device).into_iter().map(move |dtype| (device, dtype)))
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
    for (device, dtype) in devices() {
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
    for (device, dtype) in devices() {
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
        Interp::sinc(space.clone(), 2, [0.5, 2.25], 0.1).unwrap(),
        InterpCubicSpline::new(space.clone(), 0, [0.5, 3.25, 4.0, 0.0]).unwrap(),
        Bilinear::new(space.clone(), [[0.5, 3.25], [5.0, 4.0], [0.5, 0.0]]).unwrap(),
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
    for (device, dtype) in devices() {
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
fn a_factor_goes_to_what_is_applied_last_be_it_only_moved() {
    for (device, dtype) in cells() {
        let made = |dtype| {
            let space = Space::new([4, 3], dtype).unwrap();
            let flip = Flip::new(space.clone(), &[0]).unwrap();
            let scaled = CausalIntegration::new(space, 0, 0.5, Integral::Full).unwrap();
            vec![
                flip.after(&scaled).build().unwrap(),
                scaled.after(&flip).build().unwrap(),
                (0.25 * flip).build().unwrap(),
            ]
        };
        check(&made(dtype), &made(DType::Float32), device, dtype, 1.0);
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

/// Half of the last digit of a number near 1.
fn rounding(dtype: DType) -> f32 {
    if dtype == DType::Float16 { 0.5_f32.powi(11) } else { 0.5_f32.powi(8) }
}

fn cells() -> impl Iterator<Item = (Device, DType)> {
    devices()
}

/// Both directions of operators of 16-bit floats give what those of `Float32` do, but for so many roundings to 16 bits of results of
/// that size, and but for the order in which `Float32` is added up.
#[track_caller]
fn check(halves: &[Operator], singles: &[Operator], device: Device, dtype: DType, roundings: f32) {
    for (half, single) in halves.iter().zip(singles) {
        for (half, single) in [(adjoint(half), adjoint(single)), (half.clone(), single.clone())] {
            let [x, of] =
                [dtype, DType::Float32].map(|dtype| counting(single.domain(), dtype, device));
            let found = half.forward(&x).unwrap();
            assert_eq!(found.dtype(), dtype);
            let expected = read(single.forward(&of).unwrap());
            let largest = expected.iter().fold(0.0_f32, |most, value| most.max(value.abs()));
            // One rounding is one of the result; of several, some are of parts of it.
            let size = |value: f32| if roundings > 1.0 { largest } else { value.abs() };
            for (at, (found, expected)) in read(found).into_iter().zip(expected).enumerate() {
                let bound = roundings * rounding(dtype) * size(expected) + 1e-6 * largest;
                assert!(
                    (found - expected).abs() <= bound,
                    "{device} {half:?} at {at}: {found}, not {expected}"
                );
            }
        }
    }
}

/// What one pass computes.
fn computing(dtype: DType, device: Device) -> Vec<Operator> {
    let space = || Space::new([9, 1, 12], dtype).unwrap();
    let weights =
        |shape: &[usize]| counting(&Space::new(shape, dtype).unwrap(), dtype, device).into_shared();
    let along = [0, 2].map(|axis| Along { axis, step: 0.5, weight: 1.0 });
    let mut all = vec![
        Symmetrize::new(space(), 2).unwrap(),
        SumAlong::new(space(), 0).unwrap(),
        SumAlong::new(space(), 2).unwrap(),
        Conj::new(space()).unwrap(),
        Diagonal::new(space(), weights(&[9, 1, 12])).unwrap(),
        Diagonal::along(space(), -1, weights(&[12])).unwrap(),
        Laplacian::new(space(), &along, Scheme::Centered3, Edge::Reduced).unwrap(),
        Gradient::new(space(), &[1.0, 1.0, 0.5], Scheme::Centered3, Edge::Zero).unwrap(),
        Smoothing::new(space(), &[(0, 3)]).unwrap(),
        Convolve1D::new(space(), -1, &[0.3, 1.0, -0.2, 0.1], 1).unwrap(),
        FirstDirectionalDerivative::new(
            Space::new([9, 12], dtype).unwrap(),
            &Direction::fields([weights(&[9, 12]), weights(&[9, 12])]),
            &[1.0, 1.0],
            Scheme::Centered3,
            Edge::Zero,
        )
        .unwrap(),
    ];
    for (scheme, edge) in [(Scheme::Forward, Edge::Zero), (Scheme::Centered3, Edge::Reduced)] {
        for axis in [0, 2] {
            let first = FirstDerivative::new(space(), axis, 0.25, scheme, edge).unwrap();
            all.push((-3.0 * &first).build().unwrap());
            all.push(first);
            all.push(SecondDerivative::new(space(), axis, 0.5, scheme, edge).unwrap());
        }
    }
    all
}

#[test]
fn what_computes_takes_numbers_of_16_bits_for_those_of_32_and_rounds_what_it_writes() {
    for (device, dtype) in cells() {
        let [halves, singles] = [dtype, DType::Float32].map(|dtype| computing(dtype, device));
        check(&halves, &singles, device, dtype, 1.0);
    }
}

/// What takes several passes, each of which rounds what it writes; and stacks of such.
fn combined(dtype: DType, device: Device) -> Vec<Operator> {
    let space = || Space::new([9, 12], dtype).unwrap();
    let weights = counting(&space(), dtype, device).into_shared();
    let diagonal = Diagonal::new(space(), weights).unwrap();
    let slope = FirstDerivative::new(space(), 1, 0.5, Scheme::Centered3, Edge::Zero).unwrap();
    let sums = CausalIntegration::new(space(), 0, 0.5, Integral::Full).unwrap();
    let flip = Flip::new(space(), &[0]).unwrap();
    vec![
        (&flip + 0.5 * &slope).build().unwrap(),
        (&slope - &diagonal).build().unwrap(),
        (2.0 * &sums + &flip).build().unwrap(),
        slope.after(&diagonal).after(&flip).build().unwrap(),
        Smoothing::new(space(), &[(0, 3), (1, 5)]).unwrap(),
        vstack([&slope, &flip, &sums]).unwrap(),
        hstack([&diagonal, &slope]).unwrap(),
        block_diagonal([&flip, &sums]).unwrap(),
        stack([&slope, &flip]).unwrap(),
    ]
}

#[test]
fn sums_products_and_stacks_round_once_for_each_pass() {
    for (device, dtype) in cells() {
        let [halves, singles] = [dtype, DType::Float32].map(|dtype| combined(dtype, device));
        check(&halves, &singles, device, dtype, 3.0);
    }
}

#[test]
fn updates_are_computed_in_float32_and_rounded_once() {
    let (alpha, beta) = (1.0_f32 / 3.0, -1.0_f32 / 7.0);
    for (device, dtype) in cells() {
        let on = arrayspan_kernels::on(device).unwrap();
        let scalar =
            |value: f32| Array::from_slice(&[value], []).unwrap().into_device(device).unwrap().0;
        let [on_device_alpha, on_device_beta] = [alpha, beta].map(scalar);
        let zero = |dtype| {
            let space = Space::new([9, 1, 12], dtype).unwrap();
            Zero::new(space.clone(), space).unwrap()
        };
        let all = |dtype| {
            let mut all = computing(dtype, device);
            all.extend(operators(dtype));
            all.push(zero(dtype));
            all
        };
        for (half, single) in all(dtype).into_iter().zip(all(DType::Float32)) {
            let updates = [
                Update::new(f64::from(alpha), f64::from(beta)),
                Update::new(&on_device_alpha, &on_device_beta),
                Update::add(),
            ];
            for update in chosen(&updates, device) {
                let apply = |operator: &Operator| {
                    let [domain, range] = [operator.domain(), operator.range()];
                    let x = counting(domain, domain.dtype(), device);
                    let mut y = counting(range, range.dtype(), device);
                    operator.apply(&*on, x.view(), y.view_mut(), update).unwrap();
                    read(y)
                };
                let (found, expected) = (apply(&half), apply(&single));
                let largest = expected.iter().fold(0.0_f32, |most, value| most.max(value.abs()));
                // Sums are written beside what they are added to.
                let twice = half.name() == "SumAlong" && update.reads();
                for (found, expected) in found.into_iter().zip(expected) {
                    let size = if twice { 2.0 * largest } else { expected.abs() };
                    let bound = rounding(dtype) * size + 1e-6 * largest;
                    assert!(
                        (found - expected).abs() <= bound,
                        "{device} {half:?}: {found}, not {expected}"
                    );
                }
            }
        }
    }
}

#[test]
fn what_it_costs_to_compute_is_what_is_launched() {
    let here = Device::cpu();
    for operator in
        computing(DType::BFloat16, here).into_iter().chain(combined(DType::Float16, here))
    {
        for operator in [adjoint(&operator), operator] {
            let trace = Trace::of(arrayspan_kernels::on(here).unwrap());
            let [x, mut y] = [operator.domain(), operator.range()]
                .map(|space| counting(space, space.dtype(), here));
            operator.apply(&trace, x.view(), y.view_mut(), Update::set()).unwrap();
            let (found, expected) = (trace.take(), operator.cost(false).unwrap());
            assert_eq!(found.launches, expected.launches, "{operator:?}");
            assert_eq!(found.bytes_written, expected.bytes_written, "{operator:?}");
            assert_eq!(found.bytes_read, expected.bytes_read, "{operator:?}");
        }
    }
}

#[test]
fn what_does_not_take_numbers_of_16_bits_is_refused_when_it_is_made() {
    for dtype in HALVES {
        let space = Space::new([4, 3], dtype).unwrap();
        let matrix = counting(&Space::new([5, 4], dtype).unwrap(), dtype, Device::cpu());
        let error = MatrixMult::along(space.clone(), 0, matrix).unwrap_err().to_string();
        assert!(error.contains(&format!("{dtype} cannot be computed with")), "{error}");
        // A factor that is an array is as wide as what is computed.
        let flip = Flip::new(space.clone(), &[0]).unwrap();
        let narrow = counting(&Space::new([], dtype).unwrap(), dtype, Device::cpu());
        let (x, mut y) =
            (counting(&space, dtype, Device::cpu()), counting(&space, dtype, Device::cpu()));
        let on = arrayspan_kernels::on(Device::cpu()).unwrap();
        let update = Update::new(&narrow, 0.0);
        let error = flip.apply(&*on, x.view(), y.view_mut(), update).unwrap_err();
        assert!(matches!(error, Error::DType { expected: DType::Float32, .. }), "{error}");
        assert_eq!(read(y), read(x));
    }
    // Nor is anything else moved that is no number of its own.
    assert!(Flip::new(Space::new([3], DType::Int32).unwrap(), &[0]).is_err());
}
