//! A device launches as many kernels as the calls cost.

#![allow(clippy::unwrap_used, reason = "an unexpected error fails the test")]

mod devices;

use std::sync::Arc;

use arrayspan_kernels::bridge::devices::fault::{self, Fault, FaultKind};
use arrayspan_kernels::bridge::devices::retry::OutOfMemory;
use arrayspan_kernels::bridge::devices::{Device, DeviceKind};
use arrayspan_kernels::bridge::{Array, DType, Relayout};
use arrayspan_kernels::verb::{Dot, DotOf};
use arrayspan_kernels::{
    Band, Error, Executor, Fourier, Gather, Gpu, Reduction, Scan, Stencil, StencilTerm, Trace,
    Update, constant, input, previous,
};

use devices::devices;

/// An executor of every device that runs kernels.
fn each() -> Vec<Arc<Gpu>> {
    let gpu = |device: Device| Arc::new(Gpu::new(device.stream().unwrap()).unwrap());
    devices().into_iter().map(gpu).collect()
}

/// Runs on every device that runs kernels.
fn on_each(test: impl Fn(&Gpu, &dyn Executor)) {
    for gpu in each() {
        let trace = Trace::of(gpu.clone());
        test(&gpu, &trace);
        assert_eq!(gpu.launches(), trace.take().launches, "{}", gpu.stream().device());
        gpu.stream().synchronize().unwrap();
    }
}

fn array(executor: &dyn Executor, shape: &[usize]) -> Array {
    executor.empty(shape, DType::Float32).unwrap()
}

#[test]
fn elementwise_verbs_launch_once() {
    on_each(|_, executor| {
        let x = array(executor, &[30, 40]);
        let mut y = array(executor, &[30, 40]);
        let mut turned = array(executor, &[40, 30]);
        let expression = constant(2.0) * input(0) + previous();
        executor.map(&expression, &[x.view()], y.view_mut()).unwrap();
        let mut z = array(executor, &[30, 40]);
        let outputs = [(expression, y.view_mut()), (-input(0), z.view_mut())];
        executor.map_many(&[x.view()], outputs).unwrap();
        executor.copy(x.view(), y.view_mut(), Update::add()).unwrap();
        executor
            .copy(x.view().permuted(&[1, 0]).unwrap(), turned.view_mut(), Update::set())
            .unwrap();
        let bands =
            [(0, Band::uniform(30, [(-1, 1.0), (1, 1.0)])), (1, Band::uniform(40, [(0, 2.0)]))];
        let stencil = Stencil::new(bands).unwrap();
        executor.stencil(&stencil, x.view(), y.view_mut(), Update::set()).unwrap();
        let terms = [0; 2].map(|_| StencilTerm::new(&stencil, x.view()));
        executor.stencil_sum(&terms, y.view_mut(), Update::set()).unwrap();
        executor
            .gemm(
                x.view(),
                false,
                turned.view(),
                array(executor, &[30, 30]).view_mut(),
                Update::set(),
            )
            .unwrap();
    });
}

#[test]
fn a_reduction_launches_once_however_long_it_is() {
    on_each(|gpu, executor| {
        let mut number = array(executor, &[]);
        // Where groups cannot read what others have written, their parts are joined by a second kernel.
        let shared = if gpu.stream().device().info().device_fence { 1 } else { 2 };
        for (len, launches) in [(1, 1), (4096, 1), (4097, shared), (100_000, shared)] {
            let x = array(executor, &[len]);
            let before = gpu.launches();
            executor.sum(&input(0).abs2(), &[x.view()], number.view_mut()).unwrap();
            assert_eq!(gpu.launches() - before, launches, "{len} elements");
        }
        let x = array(executor, &[100, 100]);
        let mut rows = array(executor, &[100]);
        executor.reduce(Reduction::Maximum, &input(0), &[x.view()], &[1], rows.view_mut()).unwrap();
    });
}

#[test]
fn dots_of_arrays_without_gaps_are_part_of_the_launch_that_fills_them() {
    on_each(|gpu, executor| {
        let joins = usize::from(!gpu.stream().device().info().device_fence);
        for (len, gap, launches) in
            [(100, 0, 1), (4096, 0, 1), (4097, 0, 1 + 2 * joins), (100, 1, 3)]
        {
            let x = array(executor, &[len]);
            let mut block = array(executor, &[len, 1 + gap]);
            let y = block.view_mut().sliced(1, 0, 1).unwrap().selected(1, 0).unwrap();
            let mut sums = [0; 2].map(|_| array(executor, &[]));
            let [norm, both] = &mut sums;
            let dots = [
                Dot::norm_squared(DotOf::Output(0), norm.view_mut()),
                Dot { a: DotOf::Input(0), b: DotOf::Output(0), out: both.view_mut() },
            ];
            let before = gpu.launches();
            executor.map_dots(&[x.view()], [(previous() - input(0), y)], dots).unwrap();
            assert_eq!(gpu.launches() - before, launches, "{len} elements");
        }
    });
}

#[test]
fn a_sparse_matrix_launches_once_and_once_more_for_long_rows() {
    on_each(|gpu, executor| {
        let lengths = |lengths: &[usize]| {
            let mut starts = vec![0];
            for len in lengths {
                starts.push(starts[starts.len() - 1] + len);
            }
            let indices = vec![7; starts[lengths.len()]];
            Gather::new(0, &[lengths.len()], &[30], starts, indices, None).unwrap()
        };
        let x = array(executor, &[30, 20]);
        for (gather, launches) in [
            (lengths(&[1, 1]), 1),
            (lengths(&[3, 0, 40]), 1),
            (lengths(&[500, 3]), 2),
            (lengths(&[500, 501]), 1),
            (lengths(&[0, 0]), 1),
            (lengths(&[]), 0),
        ] {
            let mut y = array(executor, &[gather.rows()[0], 20]);
            let before = gpu.launches();
            executor.gather(&gather, x.view(), y.view_mut(), Update::set()).unwrap();
            assert_eq!(gpu.launches() - before, launches);
        }
    });
}

#[test]
fn a_fourier_transform_launches_once_where_lines_fit_local_memory() {
    // What several columns of 4096 numbers take together, of eight bytes.
    const LARGE: usize = 128 << 10;
    // What a transform costs is told without a look at the vendor's library, which CUDA has for some of them.
    for gpu in each() {
        let executor: &dyn Executor = &*gpu;
        let device = gpu.stream().device();
        let cuda = device.kind() == DeviceKind::Cuda;
        let large = cuda && device.info().most_local_bytes >= LARGE;
        // Along the last axis and the first; too long, and with large prime factors.
        for (axis, shape, launches) in [
            (1, [3, 360], 1),
            (0, [360, 3], 1),
            (1, [2, 4096], 1),
            (0, [4096, 3], if large { 1 } else { 2 }),
            (1, [3, 17], 2),
            (1, [2, 4099], if cuda { 2 } else { 4 }),
        ] {
            let x = executor.empty(&shape, DType::Complex64).unwrap();
            let mut y = executor.empty(&shape, DType::Complex64).unwrap();
            let fourier = Fourier::new(axis, shape[axis]).unwrap();
            let before = gpu.launches();
            executor.fft(&fourier, x.view(), y.view_mut(), Update::set()).unwrap();
            assert_eq!(gpu.launches() - before, launches, "{shape:?} along {axis}");
        }
        let x = array(executor, &[3, 0]);
        let mut y = executor.empty(&[3, 5], DType::Complex64).unwrap();
        let nothing = Fourier::new(1, 8).unwrap().half().of_extent(0);
        executor.fft(&nothing, x.view(), y.view_mut(), Update::add()).unwrap();
    }
}

/// Short and long rows are one kernel's where columns go through local memory, and places that stay empty name nothing.
#[test]
fn a_vector_of_columns_far_apart_takes_one_launch_and_its_nans_stay_in_their_rows() {
    let (rows, columns) = (4099, 4111);
    let (mut starts, mut indices) = (vec![0_usize], Vec::new());
    for row in 0..rows {
        let len = if row % 2 == 0 { 7 } else { 301 };
        indices.extend((0..len).map(|at| (row * 977 + at * 1237) % columns));
        starts.push(indices.len());
    }
    let numbers: Vec<f32> =
        (0..columns).map(|at| if at % 1000 == 999 { f32::NAN } else { 1.0 }).collect();
    for weight in [None, Some(0.5)] {
        let weights = weight.map(|weight: f32| vec![f64::from(weight).into(); indices.len()]);
        let gather =
            Gather::new(0, &[rows], &[columns], starts.clone(), indices.clone(), weights).unwrap();
        on_each(|gpu, executor| {
            let x = Array::from_slice(&numbers, [columns]).unwrap();
            let x = x.into_device(executor.device()).unwrap().0;
            let mut y = array(executor, &[rows]);
            let before = gpu.launches();
            executor.gather(&gather, x.view(), y.view_mut(), Update::set()).unwrap();
            assert_eq!(gpu.launches() - before, 1);
            let y = y.view().to(Device::cpu()).unwrap().0.view().to_vec::<f32>().unwrap();
            for (row, y) in y.into_iter().enumerate() {
                let named = gather.row(row).unwrap().map(|(column, _)| numbers[column]);
                let expected = named.sum::<f32>() * weight.unwrap_or(1.0);
                // Halves of whole numbers.
                let doubled = |y: f32| if y.is_nan() { None } else { Some((2.0 * y) as i64) };
                assert_eq!(doubled(y), doubled(expected), "row {row}");
            }
        });
    }
}

#[test]
fn running_sums_launch_once_however_long_they_are() {
    on_each(|gpu, executor| {
        for (axis, shape) in [(0, [40_000, 1]), (1, [2, 20_000]), (0, [9, 300]), (0, [0, 4])] {
            let (x, mut y) = (array(executor, &shape), array(executor, &shape));
            let before = gpu.launches();
            let sums = Scan::inclusive(axis, shape[axis]);
            executor.scan(&sums, x.view(), y.view_mut(), Update::set()).unwrap();
            assert_eq!(gpu.launches() - before, usize::from(shape[axis] > 0), "{shape:?}");
        }
    });
}

#[test]
fn empty_arrays_launch_nothing() {
    on_each(|gpu, executor| {
        let x = array(executor, &[0, 4]);
        let mut y = array(executor, &[0, 4]);
        executor.map(&input(0), &[x.view()], y.view_mut()).unwrap();
        executor.copy(x.view(), y.view_mut(), Update::set()).unwrap();
        let stencil = Stencil::along(1, Band::uniform(4, [(1, 1.0)])).unwrap();
        executor.stencil(&stencil, x.view(), y.view_mut(), Update::set()).unwrap();
        let mut none = array(executor, &[0]);
        executor.reduce(Reduction::Sum, &input(0), &[x.view()], &[1], none.view_mut()).unwrap();
        assert_eq!(gpu.launches(), 0);
    });
}

/// Rows with few entries are one kernel's, those with many another's.
#[test]
fn a_refused_second_kernel_of_an_update_is_an_error_that_nobody_tries_again() {
    let entries = [3, 100];
    let indices = (0..103).map(|at| at % 7).collect();
    let gather = Gather::new(0, &[2], &[7], vec![0, 3, 103], indices, None).unwrap();
    for gpu in each() {
        let executor: &dyn Executor = &*gpu;
        let x = Array::from_vec(vec![1.0_f32; 7], [7]).unwrap();
        let x = x.into_device(executor.device()).unwrap().0;
        let filled = || Array::from_vec(vec![10.0_f32; 2], [2]).unwrap();
        let numbers = |y: &Array| -> Vec<usize> {
            let host = y.view().to(Device::cpu()).unwrap().0;
            host.view().to_vec::<f32>().unwrap().into_iter().map(|x| x as usize).collect()
        };
        // Of both kernels the device has what it takes.
        let mut warm = filled().into_device(executor.device()).unwrap().0;
        executor.gather(&gather, x.view(), warm.view_mut(), Update::add()).unwrap();
        assert_eq!(numbers(&warm), [13, 110]);
        let launches = gpu.launches();
        for (update, skip) in [(Update::add(), 0), (Update::add(), 1), (Update::set(), 1)] {
            let mut y = filled().into_device(executor.device()).unwrap().0;
            let refused = Fault { skip, count: usize::MAX, ..Fault::new(FaultKind::Launch) };
            let refused = fault::inject(refused);
            let error = executor.gather(&gather, x.view(), y.view_mut(), update).unwrap_err();
            drop(refused);
            let again = error.shortage().is_some();
            let [short, long] = numbers(&y)[..] else { panic!("two rows") };
            assert_eq!(long, 10, "{error}");
            match &error {
                Error::Partial { verb, written, cause } => {
                    assert_eq!((*verb, *written), ("gather", "rows with at most 64 entries"));
                    assert!(!again && cause.shortage().is_some() && skip == 1, "{error}");
                    assert_eq!((short, update), (13, Update::add()));
                }
                Error::Bridge(_) if skip == 0 => assert!(again && short == 10, "{error}"),
                Error::Bridge(_) => {
                    assert!(again && update == Update::set(), "{error}");
                    executor.gather(&gather, x.view(), y.view_mut(), update).unwrap();
                    assert_eq!(numbers(&y), entries);
                }
                _ => panic!("{error}"),
            }
        }
        assert_eq!(gpu.launches() - launches, 2 + 2, "what was refused was not counted");
    }
}
