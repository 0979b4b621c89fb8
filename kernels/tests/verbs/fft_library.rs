//! `fft` by the vendor's library, wherever it takes a call; where there is none by a stand-in for it, so that what is around it is tried.

use std::sync::Arc;
use std::thread;

use arrayspan_kernels::bridge::DType;
use arrayspan_kernels::bridge::devices::vendor::{LineSteps, Transform, TransformKind, fft_plan};
use arrayspan_kernels::bridge::devices::{Device, DeviceKind, Error, Stream, caches};
use arrayspan_kernels::{Fourier, Gpu, Transforms, Update, on};
use num_complex::Complex64;

use crate::cell::{Cell, compiles_slowly, say};
use crate::fft::{sides, spectra};
use crate::sample::Form;

/// An executor on that stream by which the library does all it can; none on the host, and where there is no library.
fn by_library(stream: Stream) -> Option<Gpu> {
    let device = stream.device();
    if device.is_cpu() {
        return None;
    }
    if device.kind() != DeviceKind::Cuda {
        return Some(Gpu::new(stream).unwrap().transforming(Transforms::StandIn));
    }
    let steps = LineSteps { element: 1, line: 16 };
    let kind = TransformKind::Complex;
    let (float64, outer) = (false, [1; 2]);
    let small =
        Transform { kind, float64, points: 16, lines: 2, input: steps, output: steps, outer };
    match fft_plan(&stream, &small) {
        Err(Error::Unavailable { what, why }) => {
            say(&format!("skipped: {what}: {why}"));
            None
        }
        _ => Some(Gpu::new(stream).unwrap().transforming(Transforms::Library)),
    }
}

pub fn with_library(cell: &Cell, case: fn(&Cell)) {
    if let Some(gpu) = by_library(cell.executor.stream().clone()) {
        case(&Cell { executor: Arc::new(gpu), dtype: cell.dtype });
    }
}

macro_rules! cases_of_our_own_kernels {
    ($($case:ident)*) => {
        $(pub fn $case(cell: &Cell) {
            with_library(cell, crate::fft::$case);
        })*
    };
}

cases_of_our_own_kernels! {
    every_length_along_the_last_axis
    every_axis_of_every_rank
    ends_are_taken_along
    layouts_do_not_matter
    what_was_there_is_scaled_and_added
    nothing_to_transform
    sizes_far_from_one
    errors_are_a_few_roundings
    any_transform
}

pub fn long_lines(cell: &Cell) {
    with_library(cell, crate::fft_long::long_lines);
}

/// What a call gives, of numbers that are the same on every device.
fn result(cell: &Cell, fourier: &Fourier, shape: &[usize], update: Update) -> Vec<Complex64> {
    let mut domain = shape.to_vec();
    domain[fourier.axis()] = fourier.extents()[0];
    let range = fourier.range_of(&domain).unwrap();
    let [of_x, of_y] = sides(cell, fourier);
    let x = of_x.random(&domain, Form::Plain, 20);
    let mut y = of_y.random(&range, Form::Plain, 21);
    cell.executor.fft(fourier, x.view(), y.view_mut(), update).unwrap();
    y.read(&of_y).values
}

/// How far results are from those of the host, for whose `cell` they are.
pub fn error(host: &[Complex64], found: &[Complex64]) -> f64 {
    let size = |of: &dyn Fn(usize) -> Complex64| {
        (0..host.len()).map(|k| of(k).norm_sqr()).sum::<f64>().sqrt()
    };
    size(&|k| found[k] - host[k]) / size(&|k| host[k])
}

fn host(dtype: DType) -> Cell {
    Cell { executor: on(Device::cpu()).unwrap(), dtype }
}

/// The largest error.
pub fn most(dtype: DType) -> f64 {
    if dtype.real() == DType::Float32 { 2e-6 } else { 4e-15 }
}

#[track_caller]
fn compare(cell: &Cell, fourier: &Fourier, shape: &[usize], update: Update) {
    let expected = result(&host(cell.dtype), fourier, shape, update);
    let wrong = error(&expected, &result(cell, fourier, shape, update));
    assert!(wrong < most(cell.dtype), "{fourier:?} of {shape:?}, {update:?}: {wrong:e}");
}

/// More lines than the library takes at a time, along every axis: whole, with zeros behind them, cut off, with weights, scales and
/// updates.
pub fn lines_in_several_parts(cell: &Cell) {
    with_library(cell, |cell| {
        let slowly = compiles_slowly(cell.executor.device());
        let all: [(&[usize], usize); 6] = [
            (&[1501, 4000], 1),
            (&[4000, 1501], 0),
            (&[5, 600, 1201], 1),
            (&[1001, 3, 2000], 2),
            (&[700, 8191], 1),
            (&[7919, 701], 0),
        ];
        let mut turn = 0;
        for (shape, axis) in all.into_iter().take(if slowly { 3 } else { 6 }) {
            for fourier in spectra(cell, axis, shape[axis]) {
                let orthonormal = fourier.scaled(1.0 / (shape[axis] as f64).sqrt()).unwrap();
                let weighted = orthonormal.weighted(2.0_f64.sqrt()).unwrap_or(orthonormal);
                let all = [
                    weighted,
                    fourier.of_extent(shape[axis] - 99),
                    fourier.of_extent(shape[axis] + 33),
                ];
                for fourier in &all[..if slowly { 1 } else { 3 }] {
                    for fourier in [*fourier, fourier.adjoint()] {
                        turn += 1;
                        let updates = [Update::set(), Update::new(0.5, -2.0), Update::add()];
                        compare(cell, &fourier, shape, updates[turn % 3]);
                    }
                }
            }
        }
    });
}

/// The sizes from which on the library is chosen without being asked for.
pub fn large_arrays(cell: &Cell) {
    if cell.executor.device().kind() != DeviceKind::Cuda {
        return;
    }
    for (axis, shape) in [(1, [3001, 4000]), (0, [4000, 3001]), (1, [1201, 8191])] {
        for fourier in spectra(cell, axis, shape[axis]) {
            for fourier in [fourier, fourier.adjoint()] {
                compare(cell, &fourier, &shape, Update::set());
            }
        }
    }
}

/// Two threads, each with a stream and room of its own, by the same plans, which are let go meanwhile.
pub fn two_streams_and_caches_that_are_cleared(cell: &Cell) {
    let device = cell.executor.device();
    if device.is_cpu() || compiles_slowly(device) {
        return;
    }
    let shape = [301, 1500];
    let fourier = spectra(cell, 1, shape[1])[0].scaled(0.5).unwrap();
    let expected = result(&host(cell.dtype), &fourier, &shape, Update::set());
    let dtype = cell.dtype;
    thread::scope(|scope| {
        for _ in 0..2 {
            let (expected, fourier) = (&expected, &fourier);
            scope.spawn(move || {
                let Some(gpu) = by_library(device.new_stream().unwrap()) else { return };
                let cell = Cell { executor: Arc::new(gpu), dtype };
                for call in 0..20 {
                    let found = result(&cell, fourier, &shape, Update::set());
                    let wrong = error(expected, &found);
                    assert!(wrong < most(dtype), "call {call}: {wrong:e}");
                }
            });
        }
        for _ in 0..5 {
            let cleared = caches::clear(device);
            assert_eq!(cleared.failures().count(), 0, "{cleared}");
        }
    });
}
