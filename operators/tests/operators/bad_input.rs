//! Bad input, drawn at random, to every operator: a typed error that names it, before anything is written, and never a panic.

use arrayspan_bridge::{Array, DType, SharedArray};
use arrayspan_operators::prelude::*;
use arrayspan_operators::{Error, LinearRegression, Result};
use num_complex::Complex64;
use proptest::prelude::{Just, Strategy, any, prop, prop_oneof, proptest};
use proptest::test_runner::Config;

use crate::devices::other;
use crate::support::{filled, host, random};

const SCHEME: (Scheme, Edge) = (Scheme::Centered3, Edge::Reduced);

/// What makes an operator along an axis of a space.
type Along1 = (&'static str, fn(Space, isize) -> Result<Operator>);

/// Ones of a space's dtype on the host.
fn ones(space: &Space, shape: &[usize]) -> SharedArray {
    let own = Space::new(shape, space.dtype()).unwrap();
    filled(&own, &vec![Complex64::ONE; own.len()]).into_shared()
}

/// The extent along an axis that may not be there.
fn extent(space: &Space, axis: isize) -> usize {
    space.extent("test", axis).unwrap_or(1)
}

const ALONG: [Along1; 23] = [
    ("DWT", |space, axis| DWT::new(space, axis, &Wavelet::named("haar")?, 1)),
    ("DCT", |space, axis| DCT::new(space, &[axis], Cosines::II)),
    ("Flip", |space, axis| Flip::new(space, &[axis])),
    ("Roll", |space, axis| Roll::new(space, axis, 1)),
    ("Symmetrize", Symmetrize::new),
    ("SumAlong", SumAlong::new),
    ("Restriction", |space, axis| Restriction::new(space, axis, [])),
    ("Restriction", |space, axis| Restriction::mask(space, axis, [])),
    ("CausalIntegration", |space, axis| CausalIntegration::new(space, axis, 0.5, Integral::Half)),
    ("FirstDerivative", |space, axis| FirstDerivative::new(space, axis, 0.5, SCHEME.0, SCHEME.1)),
    ("SecondDerivative", |space, axis| SecondDerivative::new(space, axis, 0.5, SCHEME.0, SCHEME.1)),
    ("Laplacian", |space, axis| {
        Laplacian::new(space, &[Along { axis, step: 0.5, weight: 2.0 }], SCHEME.0, SCHEME.1)
    }),
    ("Convolve1D", |space, axis| Convolve1D::new(space, axis, &[1.0], 0)),
    ("ConvolveND", |space, axis| {
        let tap = random(&Space::new([1], DType::Float64).unwrap(), 2);
        ConvolveND::new(space, &[axis], tap, &[0], Convolution::Auto)
    }),
    ("Smoothing", |space, axis| Smoothing::new(space, &[(axis, 1)])),
    ("Interp", |space, axis| Interp::new(space, axis, [], Interpolation::Linear)),
    ("Interp", |space, axis| Interp::sinc(space, axis, [], 0.0)),
    ("InterpCubicSpline", |space, axis| InterpCubicSpline::new(space, axis, [])),
    ("Diagonal", |space, axis| {
        let weights = ones(&space, &[extent(&space, axis)]);
        Diagonal::along(space, axis, weights)
    }),
    ("MatrixMult", |space, axis| {
        let matrix = ones(&space, &[2, extent(&space, axis)]);
        MatrixMult::along(space, axis, matrix)
    }),
    ("MatrixMult", |space, axis| {
        let shape = [2, extent(&space, axis)];
        let nothing = Array::from_vec(Vec::<i64>::new(), [0]).unwrap();
        let starts = Array::from_vec(vec![0_i64; 3], [3]).unwrap();
        let values = filled(&Space::new([0], space.dtype()).unwrap(), &[]);
        MatrixMult::sparse(space, axis, Sparse::from_csr(shape, starts, nothing, values)?)
    }),
    ("Regression", |space, axis| {
        let positions = positions(&space, axis);
        Regression::along(space, axis, positions, 3)
    }),
    ("LinearRegression", |space, axis| {
        let positions = positions(&space, axis);
        LinearRegression::along(space, axis, positions)
    }),
];

fn positions(space: &Space, axis: isize) -> SharedArray {
    let real = Space::new([extent(space, axis)], space.dtype().real()).unwrap();
    random(&real, 3).into_shared()
}

/// Operators of whole spaces.
fn whole(space: &Space) -> Vec<(&'static str, Result<Operator>)> {
    let rank = space.shape().len();
    let (own, steps) = (|| space.clone(), vec![0.5; rank]);
    let reversed: Vec<isize> = (0..rank as isize).rev().collect();
    vec![
        ("Identity", Identity::new(own())),
        ("Zero", Zero::new(own(), own())),
        ("Conj", Conj::new(own())),
        ("Transpose", Transpose::new(own(), &reversed)),
        ("Pad", Pad::new(own(), &vec![(1, 2); rank])),
        ("Diagonal", Diagonal::new(own(), ones(space, space.shape()))),
        ("Gradient", Gradient::new(own(), &steps, SCHEME.0, SCHEME.1)),
        (
            "FirstDirectionalDerivative",
            FirstDirectionalDerivative::new(
                own(),
                &Direction::constant(vec![0.5; rank]),
                &steps,
                SCHEME.0,
                SCHEME.1,
            ),
        ),
        (
            "SecondDirectionalDerivative",
            SecondDirectionalDerivative::new(
                own(),
                &Direction::constant(vec![0.5; rank]),
                &steps,
                SCHEME.0,
                SCHEME.1,
            ),
        ),
        ("Bilinear", Bilinear::new(own(), [])),
        ("PoststackLinearModelling", PoststackLinearModelling::new(own(), &[1.0], Scheme::Forward)),
    ]
}

/// All that can be made along any axis, and of the whole space.
fn every(space: &Space) -> Vec<Operator> {
    let axes = 0..space.shape().len() as isize;
    let along = axes.flat_map(|axis| ALONG.map(|(name, make)| (name, make(space.clone(), axis))));
    let made = whole(space).into_iter().chain(along);
    made.filter_map(|(name, made)| match made {
        Ok(operator) => Some(operator),
        Err(error) => {
            named(name, &error);
            None
        }
    })
    .collect()
}

/// Fails unless an error is about a parameter of that operator, or of one that it is made of.
fn named(name: &str, error: &Error) {
    let said = error.to_string();
    let of = match error {
        Error::Parameter { operator, .. } | Error::TooLarge { operation: operator, .. } => operator,
        Error::Spaces { .. } => return,
        _ => panic!("{name}: {said}"),
    };
    // Derivatives along directions are made of derivatives.
    assert!(of == name || name.contains('D') && of.ends_with("Derivative"), "{name}: {said}");
}

fn config(cases: u32) -> Config {
    Config { cases, failure_persistence: None, ..Config::default() }
}

fn dtypes() -> impl Strategy<Value = DType> {
    prop::sample::select(crate::support::DTYPES.to_vec())
}

proptest! {
    #![proptest_config(config(40))]

    #[test]
    fn an_axis_that_is_not_there_is_refused_by_name(
        shape in prop::collection::vec(1..4_usize, 0..4),
        beyond in prop_oneof![Just(0), 0..3_isize, Just(isize::MAX - 4), any::<isize>()],
        before in any::<bool>(),
        dtype in dtypes(),
    ) {
        let rank = shape.len() as isize;
        let beyond = beyond.checked_abs().unwrap_or(0);
        let axis = if before { (-rank - 1).saturating_sub(beyond) } else { rank.saturating_add(beyond) };
        let space = Space::new(shape, dtype).unwrap();
        for (name, make) in ALONG {
            let error = make(space.clone(), axis).expect_err(name);
            named(name, &error);
            assert!(error.to_string().contains(&format!("axis {axis} ")), "{name}: {error}");
        }
    }

    #[test]
    fn an_index_beyond_its_axis_is_refused_by_name(
        shape in prop::collection::vec(0..5_usize, 1..4),
        mut indices in prop::collection::vec(0..5_usize, 0..6),
        beyond in prop_oneof![0..3_usize, Just(usize::MAX / 2), any::<usize>()],
        at in any::<prop::sample::Index>(),
    ) {
        let axis = shape.len() - 1;
        let extent = shape[axis];
        indices.retain(|index| *index < extent);
        let wrong = extent.saturating_add(beyond);
        indices.insert(at.index(indices.len() + 1), wrong);
        let space = Space::new(shape, DType::Float32).unwrap();
        for made in [
            Restriction::new(space.clone(), axis as isize, &indices),
            Restriction::mask(space.clone(), axis as isize, &indices),
        ] {
            let error = made.unwrap_err();
            named("Restriction", &error);
            assert!(error.to_string().contains(&format!("index {wrong}")), "{error}");
        }
        let positions: Vec<f64> = indices.iter().map(|index| *index as f64).collect();
        let between = Interp::new(space, axis as isize, positions, Interpolation::Linear);
        named("Interp", &between.unwrap_err());
    }

    #[test]
    fn spaces_without_elements_are_refused_by_name_or_taken_whole(
        mut shape in prop::collection::vec(0..4_usize, 0..3),
        at in any::<prop::sample::Index>(),
        dtype in dtypes(),
    ) {
        shape.insert(at.index(shape.len() + 1), 0);
        let space = Space::new(shape, dtype).unwrap();
        for operator in every(&space) {
            let (x, y) = (random(operator.domain(), 1), random(operator.range(), 2));
            let forward = operator.forward(&x).unwrap();
            assert_eq!(forward.shape(), operator.range().shape());
            let adjoint = operator.adjoint(&y).unwrap();
            assert_eq!(adjoint.shape(), operator.domain().shape());
            // What is read of nothing is zero.
            if operator.domain().len() == 0 {
                let sums = crate::support::numbers(&forward);
                assert!(sums.iter().all(|sum| *sum == Complex64::ZERO), "{operator:?}");
            }
        }
    }

    #[test]
    fn extents_beyond_what_can_be_addressed_are_refused_and_take_no_time(
        near in prop::collection::vec(20..40_u32, 2..3),
        dtype in dtypes(),
    ) {
        let shape: Vec<usize> = near.iter().map(|&bits| (1 << bits) + 1).collect();
        let Ok(space) = Space::new(shape.clone(), dtype) else { return Ok(()) };
        let made = [
            Pad::new(space.clone(), &[(usize::MAX / 2, 1), (0, 0)]),
            Pad::new(space.clone(), &[(0, 0), (usize::MAX, usize::MAX)]),
            Identity::new(space.clone()).and_then(|one| Kronecker::new(&one, &one)),
            Identity::new(space.clone()).and_then(|one| one.lifted(Lift::Leading(1 << 40))),
            Identity::new(space.clone()).and_then(|one| vstack(vec![one; 1 << 12])),
        ];
        for made in made {
            match made {
                Ok(operator) => assert!(operator.range().len() < usize::MAX / 2),
                Err(Error::TooLarge { .. } | Error::Parameter { .. }) => {}
                Err(error) => panic!("{error}"),
            }
        }
        // What needs no table is made at once.
        for axis in 0..2 {
            Flip::new(space.clone(), &[axis]).unwrap();
            Roll::new(space.clone(), axis, -5).unwrap();
            SumAlong::new(space.clone(), axis).unwrap();
            CausalIntegration::new(space.clone(), axis, 0.5, Integral::Full).unwrap();
            FirstDerivative::new(space.clone(), axis, 0.5, SCHEME.0, SCHEME.1).unwrap();
            Restriction::new(space.clone(), axis, [0, 1, 0]).unwrap();
        }
    }
}

#[test]
fn dtypes_that_are_not_computed_with_are_refused_by_name() {
    for dtype in [DType::Int32, DType::UInt8, DType::Bool, DType::Int64] {
        let space = Space::new([4, 3], dtype).unwrap();
        let scheme = (SCHEME.0, SCHEME.1);
        let field = Direction::constant(vec![0.5; 2]);
        let made = [
            ("Flip", Flip::new(space.clone(), &[0])),
            ("Roll", Roll::new(space.clone(), 0, 1)),
            ("Identity", Identity::new(space.clone())),
            ("Zero", Zero::new(space.clone(), space.clone())),
            ("Transpose", Transpose::new(space.clone(), &[1, 0])),
            ("Pad", Pad::new(space.clone(), &[(1, 0), (0, 1)])),
            ("Restriction", Restriction::new(space.clone(), 0, [1])),
            ("Interp", Interp::new(space.clone(), 0, [1.5], Interpolation::Linear)),
            ("Interp", Interp::sinc(space.clone(), 0, [1.5], 0.1)),
            ("InterpCubicSpline", InterpCubicSpline::new(space.clone(), 0, [1.5])),
            ("Bilinear", Bilinear::new(space.clone(), [[1.5, 0.5]])),
            ("DCT", DCT::new(space.clone(), &[0], Cosines::II)),
            ("MRI2D", MRI2D::new(space.clone(), &KSpace::Lines(vec![0]))),
            ("DWT", DWT::new(space.clone(), 0, &Wavelet::named("db2").unwrap(), 1)),
            ("SumAlong", SumAlong::new(space.clone(), 0)),
            ("Symmetrize", Symmetrize::new(space.clone(), 0)),
            ("CausalIntegration", CausalIntegration::new(space.clone(), 0, 1.0, Integral::Full)),
            ("Convolve1D", Convolve1D::new(space.clone(), 0, &[1.0], 0)),
            ("Smoothing", Smoothing::new(space.clone(), &[(0, 3)])),
            ("FirstDerivative", FirstDerivative::new(space.clone(), 0, 1.0, scheme.0, scheme.1)),
            ("SecondDerivative", SecondDerivative::new(space.clone(), 0, 1.0, scheme.0, scheme.1)),
            ("Gradient", Gradient::new(space.clone(), &[1.0; 2], scheme.0, scheme.1)),
            (
                "FirstDirectionalDerivative",
                FirstDirectionalDerivative::new(
                    space.clone(),
                    &field,
                    &[1.0; 2],
                    scheme.0,
                    scheme.1,
                ),
            ),
            ("Conj", Conj::new(space.clone())),
        ];
        for (name, made) in made {
            let error = made.unwrap_err();
            named(name, &error);
            assert!(error.to_string().contains(&dtype.to_string()), "{name}: {error}");
        }
    }
}

#[test]
fn arrays_of_two_devices_are_refused_and_nothing_is_written() {
    let Some(device) = other() else {
        println!("skipped: no device but the CPU");
        return;
    };
    let space = Space::new([5, 7], DType::Float32).unwrap();
    for operator in every(&space) {
        for turned in [false, true] {
            let operator = if turned { adjoint(&operator) } else { operator.clone() };
            let x = random(operator.domain(), 1);
            let there = random(operator.range(), 2).into_device(device).unwrap().0;
            let before = random(operator.range(), 2);
            for on in [host(), arrayspan_kernels::on(device).unwrap()] {
                let mut y = there.try_clone().unwrap();
                let error =
                    operator.apply(&*on, x.view(), y.view_mut(), Update::set()).unwrap_err();
                assert!(
                    matches!(error, Error::WrongDevice { .. } | Error::WrongExecutor { .. }),
                    "{operator:?}: {error}"
                );
                let y = y.into_device(arrayspan_bridge::devices::Device::cpu()).unwrap().0;
                assert_eq!(crate::support::numbers(&y), crate::support::numbers(&before));
            }
        }
    }
}
