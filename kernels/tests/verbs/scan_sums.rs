//! How exact running sums are, and what becomes of numbers that are not finite.

use std::sync::Arc;
use std::thread;

use arrayspan_kernels::bridge::DType;
use arrayspan_kernels::{Gpu, Scan, Update};
use num_complex::Complex64;

use super::scan::{check, kinds};
use crate::cell::Cell;
use crate::reference::Tensor;
use crate::sample::{Form, Sample};

/// A million times a number that no binary one is: added one by one in 32 bits, the last sum is off by a thousandth.
pub fn sums_of_many_numbers_are_rounded_as_those_of_few(cell: &Cell) {
    if cell.is_complex()
        || !(cell.executor.device().is_cpu() || cell.executor.device().info().float64)
    {
        return;
    }
    let (tenth, epsilon) = match cell.dtype {
        DType::Float32 => (f64::from(0.1_f32), f64::from(f32::EPSILON)),
        _ => (0.1, f64::EPSILON),
    };
    let extent = 1_000_003;
    for (axis, shape) in [(0, [extent, 1]), (1, [1, extent]), (0, [extent / 4, 2])] {
        let count = shape[axis];
        for scan in [Scan::inclusive(axis, count), Scan::inclusive(axis, count).transpose()] {
            let x = cell.filled(&shape, tenth);
            let mut y = cell.unreadable(&shape, Form::Plain);
            cell.executor.scan(&scan, x.view(), y.view_mut(), Update::set()).unwrap();
            let found = y.read(cell);
            // Up to 32 neighbours are added by halves in 32 bits: an element passes through 7 additions, each rounding by half
            // an epsilon at most, then the sum before and its rest are added. Where all numbers are equal these errors are,
            // too, and stay a share of the sum. Sums of 64 bits have no wider ones.
            let most = if cell.dtype == DType::Float32 { 3.5 + 1.0 } else { 4016.0 } * epsilon;
            for row in 0..count {
                let terms = if scan.is_backward() { count - row } else { row + 1 };
                let index = if axis == 0 { [row, 0] } else { [0, row] };
                let (sum, exact) = (found.at(&index).re, terms as f64 * tenth);
                let wrong = (sum - exact).abs();
                assert!(wrong <= most * exact, "{scan:?}, row {row}: {sum}, {exact}");
            }
        }
    }
}

/// Groups of a device come in any order; what they add up does not.
pub fn the_same_call_gives_the_same_bits(cell: &Cell) {
    for (axis, shape) in [(0, vec![400_001]), (0, vec![90_001, 5]), (1, vec![5, 90_001])] {
        let x = cell.random(&shape, Form::Plain, 50);
        let scan = Scan::inclusive(axis, shape[axis]);
        let run = || {
            let mut y = cell.unreadable(&shape, Form::Plain);
            cell.executor.scan(&scan, x.view(), y.view_mut(), Update::set()).unwrap();
            y.read(cell)
        };
        let first = run();
        for _ in 0..5 {
            assert!(run() == first, "{shape:?}");
        }
    }
}

/// Groups of several kernels wait for each other's, each for its own's alone.
pub fn several_streams_at_once(cell: &Cell) {
    let (device, dtype) = (cell.executor.device(), cell.dtype);
    if device.is_cpu() {
        return;
    }
    let run = || {
        let executor = Arc::new(Gpu::new(device.new_stream().unwrap()).unwrap());
        let (cell, shape) = (Cell { executor, dtype }, [3, 90_001]);
        let x = cell.random(&shape, Form::Plain, 54);
        let once = |_| {
            let mut y = cell.unreadable(&shape, Form::Plain);
            let scan = Scan::inclusive(1, shape[1]);
            cell.executor.scan(&scan, x.view(), y.view_mut(), Update::set()).unwrap();
            y.read(&cell)
        };
        (0..4).map(once).collect::<Vec<Tensor>>()
    };
    let expected = &run()[0];
    thread::scope(|scope| {
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(run)).collect();
        for thread in threads {
            assert!(thread.join().unwrap().iter().all(|found| found == expected));
        }
    });
}

pub fn infinities_stay_behind_where_they_are(cell: &Cell) {
    let extent = 9000;
    for (axis, shape) in [(1, [2, extent]), (0, [extent, 2])] {
        let plain = cell.random(&shape, Form::Plain, 51);
        for special in [f64::INFINITY, f64::NAN] {
            let mut tensor = plain.tensor.clone();
            let middle = extent / 2;
            let place = if axis == 1 { middle } else { 2 * middle };
            tensor.values[place] = cell.number(special, special);
            let x = Sample::new(cell, &tensor, Form::Plain);
            for backward in [false, true] {
                let scan = Scan::exclusive(axis, extent);
                let scan = if backward { scan.transpose() } else { scan };
                let mut y = cell.unreadable(&shape, Form::Plain);
                cell.executor.scan(&scan, x.view(), y.view_mut(), Update::set()).unwrap();
                let found = y.read(cell);
                for row in 0..extent {
                    let at = |line: usize| if axis == 1 { [line, row] } else { [row, line] };
                    let reached = if backward { row < middle } else { row > middle };
                    let [struck, other] = [0, 1].map(|line| found.at(&at(line)).re);
                    assert!(other.is_finite(), "{scan:?}: {other} in row {row} of the other line");
                    let same = if special.is_nan() {
                        struck.is_nan()
                    } else {
                        struck.total_cmp(&special).is_eq()
                    };
                    assert!(
                        if reached { same } else { struck.is_finite() },
                        "{scan:?}: {struck} in row {row}"
                    );
                }
            }
        }
    }
}

pub fn a_weight_of_zero_takes_nothing(cell: &Cell) {
    let infinite = cell.number(f64::INFINITY, f64::INFINITY);
    for (axis, shape) in [(0, [5, 3]), (1, [3, 5]), (1, [1, 5000])] {
        let extent = shape[axis];
        // Of the first element alone, which nothing takes: neither its own sum nor others.
        let scan = Scan::weighted(axis, extent, 1.0, 0.0, 0.0).unwrap();
        let mut tensor = cell.random(&shape, Form::Plain, 52).tensor;
        for line in 0..shape[1 - axis] {
            tensor.values[if axis == 1 { line * extent } else { line }] = infinite;
        }
        let x = Sample::new(cell, &tensor, Form::Plain);
        check(cell, &scan, &x, &mut cell.unreadable(&shape, Form::Plain), Update::set());
        // Nothing is left of what stands before the first row of the transpose.
        let mut tensor = cell.random(&shape, Form::Plain, 53).tensor;
        for line in 0..shape[1 - axis] {
            let last = extent - 1;
            tensor.values[if axis == 1 { line * extent + last } else { last * shape[1] + line }] =
                infinite;
        }
        let x = Sample::new(cell, &tensor, Form::Plain);
        let mut y = cell.unreadable(&shape, Form::Plain);
        cell.executor.scan(&scan.transpose(), x.view(), y.view_mut(), Update::set()).unwrap();
        let found = y.read(cell);
        for line in 0..shape[1 - axis] {
            let first = if axis == 1 { [line, 0] } else { [0, line] };
            assert_eq!(found.at(&first), Complex64::default(), "{scan:?}");
        }
    }
}

/// Numbers of Float32 whose squares are none.
pub fn sizes_far_from_one(cell: &Cell) {
    for size in [1e-20, 1e20] {
        for (axis, shape) in [(0, [700, 3]), (1, [3, 700])] {
            let plain = cell.random(&shape, Form::Plain, 54);
            let narrow = |part: f64| f64::from((part * size) as f32);
            let values = plain.tensor.values.iter();
            let values = values.map(|v| Complex64::new(narrow(v.re), narrow(v.im))).collect();
            let x = Sample::new(cell, &Tensor::new(&shape, values), Form::Plain);
            for scan in kinds(axis, shape[axis]) {
                let update = Update::new(1.0 / size, 0.0);
                check(cell, &scan, &x, &mut cell.unreadable(&shape, Form::Plain), update);
            }
        }
    }
}
