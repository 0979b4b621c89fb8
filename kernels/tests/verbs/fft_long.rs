//! `fft` of lines that are too long for local memory: in registers, or in several passes.

use arrayspan_kernels::{Fourier, Update};
use num_complex::Complex64;

use crate::cell::Cell;
use crate::fft::{check, directions, kinds, set, sides, slowly};
use crate::reference;
use crate::sample::Form;

/// Lines that are too long for local memory, which threads hold in registers: some with turns, zeros behind them and results that are
/// updated, near each other and apart.
pub fn lines_in_registers(cell: &Cell) {
    let mut all = vec![(1, [2, 4125]), (1, [2, 4096]), (1, [3, 12_288]), (0, [1536, 5])];
    if !slowly(cell) {
        let along = [4500, 5040, 6144, 8000, 8192, 10_000, 15_360, 16_000, 16_384, 20_000];
        // Half of the threads exchange numbers at a time, where local memory is small.
        let by_halves = [11_907, 12_500, 13_500, 14_580, 15_625, 16_875, 18_225, 19_683];
        all.extend(along.into_iter().chain(by_halves).map(|points| (1, [2, points])));
        all.extend([2048, 2079, 2800, 3072, 6000].map(|points| (0, [points, 9])));
    }
    for (axis, shape) in all {
        let points = shape[axis];
        for (number, fourier) in kinds(cell, axis, points).into_iter().enumerate() {
            let fourier = fourier.scaled(0.3).unwrap();
            let turned = fourier.turned([points / 3, points / 5]);
            let short = fourier.of_extent(points - 3).turned([5, 0]);
            let padded = fourier.of_extent(points + 7).adjoint();
            let all = [fourier, fourier.adjoint(), turned.conj(), turned.adjoint(), short, padded];
            let tried = if slowly(cell) {
                let at = (points + number + crate::turn::seed() as usize) % all.len();
                at..at + 1
            } else {
                0..all.len()
            };
            for fourier in &all[tried] {
                set(cell, fourier, &shape, 8);
                let mut domain = shape;
                domain[axis] = fourier.extents()[0];
                let range = fourier.range_of(&domain).unwrap();
                let [of_x, of_y] = sides(cell, fourier);
                let x = of_x.random(&domain, Form::Mixed, 5);
                let update = Update::new(-0.5, 2.0);
                check(cell, fourier, &x, &mut of_y.random(&range, Form::Mixed, 7), update);
            }
        }
    }
}

/// Lines of several passes, of lengths with every radix and with large factors, near each other and apart.
pub fn long_lines(cell: &Cell) {
    let mut all = vec![(1, [2, 4100]), (0, [8000, 3]), (1, [2, 2053]), (0, [1031, 20])];
    if !slowly(cell) {
        all.extend([
            (1, [1, 45_045]),
            (0, [10_007, 2]),
            (1, [1, 1 << 18]),
            (0, [4096, 17]),
            (1, [1, 262_147]),
        ]);
    }
    for (axis, shape) in all {
        let large = shape[axis] > 200_000;
        let kinds = kinds(cell, axis, shape[axis]);
        let turn = shape[axis] % kinds.len().max(2);
        for (number, fourier) in kinds.into_iter().enumerate() {
            if large && shape[axis] % 2 == 1 {
                there_and_back(cell, &fourier, &shape);
                continue;
            }
            if slowly(cell) && number != turn {
                continue;
            }
            let directions = directions(fourier);
            let tried = if slowly(cell) || large { 1 } else { 2 };
            directions[..tried].iter().for_each(|fourier| set(cell, fourier, &shape, 8));
        }
    }
}

/// Of spectra of real samples that take several passes half is computed: lengths that are even and odd, of two passes and of three, with
/// an odd number of points in the first.
pub fn half_spectra_in_several_passes(cell: &Cell) {
    if cell.is_complex() {
        return;
    }
    let all = if slowly(cell) {
        vec![(0, [2079, 2]), (1, [1, 18_000])]
    } else {
        vec![(0, [15_015, 2]), (0, [20_000, 2]), (1, [1, 40_000]), (1, [1, 45_045])]
    };
    for (axis, shape) in &all {
        let points = shape[*axis];
        let half = Fourier::new(*axis, points).unwrap().half();
        let weighted = half.weighted(2.0_f64.sqrt()).unwrap().scaled(0.3).unwrap();
        let tried = if *axis == 0 { 4 } else { 2 };
        for (number, fourier) in directions(weighted).into_iter().take(tried).enumerate() {
            set(cell, &fourier, shape, number as u64);
        }
        let short = half.of_extent(points - 3).turned([points / 3, points / 5]);
        let padded = half.of_extent(points + 7).turned([3, 0]);
        for fourier in [short, padded.adjoint()] {
            set(cell, &fourier, shape, 8);
        }
        // What was there, and elements that are no neighbours.
        let back = half.adjoint();
        let [of_x, of_y] = sides(cell, &back);
        let mut domain = *shape;
        domain[*axis] = back.extents()[0];
        let x = of_x.random(&domain, Form::Plain, 3);
        let mut y = of_y.random(shape, Form::Stepped, 4);
        check(cell, &back, &x, &mut y, Update::new(-0.5, 2.0));
    }
    let three = Fourier::new(1, 1 << 21).unwrap().half();
    there_and_back(cell, &three, &[1, 1 << 21]);
    if !slowly(cell) {
        there_and_back(cell, &three.conj(), &[1, 1 << 21]);
        let bins = Fourier::new(1, 3 << 20).unwrap().half();
        there_and_back(cell, &bins, &[2, 3 << 20]);
    }
}

/// Where the reference would take too long.
fn there_and_back(cell: &Cell, fourier: &Fourier, shape: &[usize]) {
    let fourier = fourier.scaled(1.0 / (fourier.points() as f64).sqrt()).unwrap();
    let fourier = fourier.weighted(2.0_f64.sqrt()).unwrap_or(fourier);
    let [of_x, of_y] = sides(cell, &fourier);
    let x = of_x.random(shape, Form::Plain, 9);
    let range = fourier.range_of(shape).unwrap();
    let mut y = of_y.unreadable(&range, Form::Plain);
    cell.executor.fft(&fourier, x.view(), y.view_mut(), Update::set()).unwrap();
    let mut back = of_x.unreadable(shape, Form::Plain);
    cell.executor.fft(&fourier.adjoint(), y.view(), back.view_mut(), Update::set()).unwrap();
    let size = x.tensor.values.iter().map(Complex64::norm_sqr).sum::<f64>().sqrt();
    let len = x.tensor.values.len();
    // Errors are spread over all elements.
    let scale = vec![8.0 * size / (len as f64).sqrt(); len];
    let expected = reference::Expected { result: x.tensor.clone(), scale, terms: 40 };
    of_x.check(&back, &expected, &format!("there and back: {fourier:?}"));
}

/// More lines than are transformed at a time, in several passes.
pub fn many_long_lines(cell: &Cell) {
    if slowly(cell) {
        return;
    }
    let points = 32_768;
    let fourier = kinds(cell, 1, points)[0];
    let [of_x, of_y] = sides(cell, &fourier);
    // 256 MiB of lines are under way.
    let at_once = (256 << 20) / (points * of_y.dtype.bytes());
    let lines = at_once + 76;
    let x = of_x.filled(&[lines, points], 1.0);
    let mut y = of_y.unreadable(&[lines, points], Form::Plain);
    cell.executor.fft(&fourier, x.view(), y.view_mut(), Update::set()).unwrap();
    let found = y.read(&of_y);
    // They are shared out evenly.
    let half = lines.div_ceil(2);
    for line in [0, 1, half - 1, half, half + 1, lines - 1] {
        for bin in [0, 1, 16_384, 32_767] {
            let expected = if bin == 0 { points as f64 } else { 0.0 };
            let wrong = (found.at(&[line, bin]) - expected).norm();
            assert!(wrong < 1e-2, "line {line}, bin {bin}: {wrong}");
        }
    }
}
