//! Operators that remember results.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

use arrayspan_bridge::devices::fault::{self, Fault, FaultKind};
use arrayspan_bridge::{DType, Relayout};
use arrayspan_kernels::{Plan, Trace};
use arrayspan_operators::author::*;
use arrayspan_operators::prelude::{Identity, MatrixMult, MemoizeOperator};
use num_complex::Complex64;

use crate::support::{DTYPES, Opaque, array, floats, host, numbers, random, read};

fn space(len: usize, dtype: DType) -> Space {
    Space::new([len], dtype).unwrap()
}

/// `y = 3 x`, from `len` elements to as many, and how often it was applied forward and adjoint.
fn counted(space: &Space) -> (Operator, Arc<[AtomicUsize; 2]>) {
    let counts: Arc<[AtomicUsize; 2]> = Arc::default();
    let own = counts.clone();
    let map = Opaque::new("Counted", [space; 2], move |adjoint, on, x, y, update| {
        own[usize::from(adjoint)].fetch_add(1, SeqCst);
        Ok(on.copy(x, y, update.scaled(3.0.into()))?)
    });
    (Operator::new(map), counts)
}

fn counts(counts: &[AtomicUsize; 2]) -> [usize; 2] {
    counts.each_ref().map(|count| count.load(SeqCst))
}

#[test]
fn what_was_computed_before_is_not_computed_again() {
    for dtype in DTYPES {
        let (operator, applied) = counted(&space(5, dtype));
        let memo = MemoizeOperator::new(&operator, 2).unwrap();
        let [a, b, c] = [1, 2, 3].map(|seed| random(memo.domain(), seed));
        let plain = |x| numbers(&operator.forward(x).unwrap());
        let expected = [plain(&a), plain(&b), plain(&c)];
        let before = counts(&applied)[0];
        let again = |x, which: usize| {
            assert_eq!(numbers(&memo.forward(x).unwrap()), expected[which], "{dtype}");
            counts(&applied)[0] - before
        };
        assert_eq!([again(&a, 0), again(&a, 0), again(&b, 1), again(&a, 0)], [1, 1, 2, 2]);
        // The one used longest ago gives way, not the one that came first.
        assert_eq!([again(&c, 2), again(&a, 0), again(&b, 1), again(&c, 2)], [3, 3, 4, 5]);
        assert_eq!(counts(&applied)[1], 0);
    }
}

#[test]
fn forward_and_adjoint_are_remembered_apart() {
    // PyLops gives x for the adjoint of y = A x: it keeps both together.
    let matrix = array(&[2, 2], &[1.0, 2.0, 3.0, 4.0]);
    let memo = MemoizeOperator::new(MatrixMult::new(matrix, &[]).unwrap(), 10).unwrap();
    let x = floats(&[2], &[1.0, -1.0]);
    let y = memo.forward(&x).unwrap();
    assert_eq!(read(&y), [-1.0, -1.0]);
    for _ in 0..2 {
        assert_eq!(read(&memo.adjoint(&y).unwrap()), [-4.0, -6.0]);
        assert_eq!(read(&memo.forward(&y).unwrap()), [-3.0, -7.0]);
    }
}

#[test]
fn near_arguments_and_those_with_nan_are_computed() {
    for (dtype, near) in
        [(DType::Float32, 1.0 + f64::from(f32::EPSILON)), (DType::Float64, 1.0 + f64::EPSILON)]
    {
        for size in [1.0, 1e-20, 1e20, 2e-38] {
            let (operator, applied) = counted(&space(3, dtype));
            let memo = MemoizeOperator::new(&operator, 4).unwrap();
            let of = |last: f64| {
                crate::support::filled(memo.domain(), &[1.0, -1.0, last].map(|v| (v * size).into()))
            };
            for x in [of(1.0), of(near), of(-1.0)] {
                let y = numbers(&memo.forward(&x).unwrap());
                assert_eq!(y, numbers(&operator.forward(&x).unwrap()));
            }
            assert_eq!(counts(&applied)[0], 6, "{dtype} {size}");
            memo.forward(of(near)).unwrap();
            assert_eq!(counts(&applied)[0], 6, "{dtype} {size}");
            for bad in [f64::NAN, f64::INFINITY] {
                for times in 1..3 {
                    let y = numbers(&memo.forward(of(bad)).unwrap());
                    assert_eq!(y[2].re.is_nan(), bad.is_nan());
                    assert_eq!(y[0], numbers(&of(3.0))[2]);
                    assert!(counts(&applied)[0] >= 6 + times);
                }
            }
        }
    }
}

#[test]
fn imaginary_parts_count() {
    let (operator, applied) = counted(&space(2, DType::Complex128));
    let memo = MemoizeOperator::new(&operator, 4).unwrap();
    let i = Complex64::i();
    for x in [[i, i], [i, -i], [Complex64::ONE, i], [i, i]] {
        assert_eq!(numbers(&memo.forward(array(&[2], &x)).unwrap()), x.map(|v| 3.0 * v));
    }
    assert_eq!(counts(&applied)[0], 3);
}

#[test]
fn results_are_updated_and_views_compared_by_their_elements() {
    let (operator, applied) = counted(&space(3, DType::Float64));
    let memo = MemoizeOperator::new(&operator, 1).unwrap();
    let wide = floats(&[5], &[4.0, f64::NAN, 2.0, f64::NAN, 1.0]);
    let strided = wide.view().stepped(0, 2).unwrap().reversed(0).unwrap();
    let mut y = floats(&[3], &[10.0, 20.0, 30.0]);
    for _ in 0..2 {
        memo.apply(&*host(), strided.clone(), y.view_mut(), Update::new(2.0, -1.0)).unwrap();
    }
    assert_eq!(read(&y), [10.0, 20.0, 30.0]);
    assert_eq!(read(&memo.forward(floats(&[3], &[1.0, 2.0, 4.0])).unwrap()), [3.0, 6.0, 12.0]);
    assert_eq!(counts(&applied), [1, 0]);
    // What is remembered does not follow the caller's arrays.
    let mut x = floats(&[3], &[5.0, 5.0, 5.0]);
    memo.forward(&x).unwrap();
    x.view_mut().as_mut_slice::<f64>().unwrap()[1] = 6.0;
    assert_eq!(read(&memo.forward(&x).unwrap()), [15.0, 18.0, 15.0]);
}

#[test]
fn it_keeps_all_laws_and_says_what_the_operator_says() {
    for dtype in DTYPES {
        for len in [0, 1, 7] {
            let identity = Identity::new(space(len, dtype)).unwrap();
            let memo = MemoizeOperator::new(&identity, 3).unwrap();
            assert!(memo.is_self_adjoint() && memo.is_positive());
            let report = laws::check(&memo).unwrap();
            assert!(report.holds(), "{report}");
        }
    }
}

#[test]
fn an_argument_that_is_remembered_costs_its_comparison_and_a_copy() {
    let (operator, _) = counted(&space(100, DType::Float64));
    let memo = MemoizeOperator::new(&operator, 3).unwrap();
    let (trace, x) = (Trace::of(host()), random(memo.domain(), 1));
    let mut y = random(memo.range(), 2);
    let mut launches = || {
        memo.apply(&trace, x.view(), y.view_mut(), Update::set()).unwrap();
        trace.take().launches
    };
    assert_eq!([launches(), launches()], [3, 2]);
}

#[test]
fn without_memory_for_the_comparison_it_is_computed() {
    let (operator, applied) = counted(&space(64, DType::Float64));
    let memo = MemoizeOperator::new(&operator, 2).unwrap();
    let x = random(memo.domain(), 1);
    let expected = numbers(&memo.forward(&x).unwrap());
    let mut y = random(memo.range(), 2);
    let none = Fault { count: usize::MAX, ..Fault::new(FaultKind::Allocation) };
    let none = fault::inject(none);
    let done = memo.apply(&*host(), x.view(), y.view_mut(), Update::set());
    assert!(none.hits() > 0, "nothing asked for memory");
    drop(none);
    done.unwrap();
    assert_eq!((numbers(&y), counts(&applied)), (expected, [2, 0]));
    // Nothing was forgotten.
    memo.forward(&x).unwrap();
    assert_eq!(counts(&applied), [2, 0]);
}

#[test]
fn threads_share_what_is_remembered() {
    let (operator, applied) = counted(&space(64, DType::Float32));
    let memo = MemoizeOperator::new(&operator, 4).unwrap();
    let given: Vec<_> = (0..4).map(|seed| random(memo.domain(), seed)).collect();
    let expected: Vec<_> = given.iter().map(|x| numbers(&operator.forward(x).unwrap())).collect();
    std::thread::scope(|scope| {
        for first in 0..4 {
            let (memo, given, expected) = (&memo, &given, &expected);
            scope.spawn(move || {
                for round in 0..50 {
                    let at = (first + round) % 4;
                    assert_eq!(numbers(&memo.forward(&given[at]).unwrap()), expected[at]);
                }
            });
        }
    });
    // Two threads may compute the same at once.
    assert!(counts(&applied)[0] >= 8, "{:?}", counts(&applied));
}

#[test]
fn what_makes_no_sense_is_refused() {
    let (operator, _) = counted(&space(3, DType::Float64));
    let error = MemoizeOperator::new(&operator, 0).unwrap_err().to_string();
    assert_eq!(error, "MemoizeOperator: 0 entries remember nothing");
    // Not only when a second argument is to be compared with the first.
    let halves = Identity::new(space(3, DType::BFloat16)).unwrap();
    let error = MemoizeOperator::new(&halves, 1).unwrap_err().to_string();
    assert!(error.starts_with("MemoizeOperator: BFloat16 cannot"), "{error}");
    let memo = MemoizeOperator::new(&operator, 1).unwrap();
    let error = memo.forward(floats(&[2], &[1.0, 2.0])).unwrap_err().to_string();
    assert_eq!(error, "MemoizeOperator: model has shape [2], expected [3]");
    let arrays = (random(memo.domain(), 1), random(memo.range(), 2));
    let planned = Plan::record::<Error>(host(), arrays, |on, (x, y)| {
        memo.apply(on, x.view(), y.view_mut(), Update::set())
    });
    let error = planned.err().unwrap().to_string();
    assert_eq!(error, "MemoizeOperator: it looks at its argument, which a plan cannot");
}
