//! How fast the verbs move memory: `cargo bench -p arrayspan-kernels`. On the host; on every device found with
//! `ARRAYSPAN_BENCH=all`. Throughput counts each input read once and each output written once.

use std::hint::black_box;
use std::time::Duration;

use arrayspan_kernels::bridge::devices::Device;
use arrayspan_kernels::bridge::{DType, Relayout, View, ViewMut};
use arrayspan_kernels::{
    Band, Executor, Gather, Result, Scan, Stencil, Trace, Update, constant, input, on, previous,
};
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};

/// A section that fits the last cache of a large processor only, and one that fits none.
const SHAPES: [[usize; 2]; 2] = [[1000, 1000], [8000, 8000]];

/// A verb from `x` to `y`, both of the shape under test.
type Verb = Box<dyn Fn(&dyn Executor, View<'_>, ViewMut<'_>) -> Result<()>>;

fn verbs(shape: [usize; 2]) -> Result<Vec<(&'static str, Verb)>> {
    let axpy = constant(0.5) * input(0) + previous();
    let square = input(0) * input(0);
    let mut verbs: Vec<(&'static str, Verb)> = vec![
        ("map axpy", Box::new(move |executor, x, y| executor.map(&axpy, &[x], y))),
        ("copy", Box::new(|executor, x, y| executor.copy(x, y, Update::set()))),
        (
            "copy transposed",
            Box::new(|executor, x, y| executor.copy(x.permuted(&[1, 0])?, y, Update::set())),
        ),
        (
            "sum of squares",
            Box::new(move |executor, x, y| {
                let first = y.sliced(0, 0, 1)?.sliced(1, 0, 1)?.reshaped(&[])?;
                executor.sum(&square, &[x], first)
            }),
        ),
    ];
    for (name, gather) in gathers(shape)? {
        let verb: Verb =
            Box::new(move |executor, x, y| executor.gather(&gather, x, y, Update::set()));
        verbs.push((name, verb));
    }
    for (name, axis) in [("scan axis 0", 0), ("scan axis 1", 1)] {
        let scan = Scan::inclusive(axis, shape[axis]);
        let verb: Verb = Box::new(move |executor, x, y| executor.scan(&scan, x, y, Update::set()));
        verbs.push((name, verb));
    }
    for (name, stencil) in stencils(shape)? {
        let verb: Verb =
            Box::new(move |executor, x, y| executor.stencil(&stencil, x, y, Update::set()));
        verbs.push((name, verb));
    }
    Ok(verbs)
}

fn stencils(shape: [usize; 2]) -> Result<Vec<(&'static str, Stencil)>> {
    let difference = |axis: usize| Band::uniform(shape[axis], [(-1, -0.5), (1, 0.5)]);
    let second = |axis: usize| Band::uniform(shape[axis], [(-1, 1.0), (0, -2.0), (1, 1.0)]);
    let filter = |axis: usize| {
        Band::uniform(shape[axis], (-11..11).map(|k| (k, 1.0 / (f64::from(k as i32) + 11.5))))
    };
    Ok(vec![
        ("stencil axis 0, 2 taps", Stencil::along(0, difference(0))?),
        ("stencil axis 1, 2 taps", Stencil::along(1, difference(1))?),
        ("stencil axis 0, 22 taps", Stencil::along(0, filter(0))?),
        ("stencil axis 1, 22 taps", Stencil::along(1, filter(1))?),
        ("laplacian", Stencil::new([(0, second(0)), (1, second(1))])?),
    ])
}

/// Scattered rows of one entry, and of two with weights.
fn gathers(shape: [usize; 2]) -> Result<Vec<(&'static str, Gather)>> {
    let scattered = |axis: usize| (0..shape[axis]).map(move |at| at * 397 % shape[axis]);
    let picked = |axis: usize| Gather::pick(axis, shape[axis], scattered(axis).collect::<Vec<_>>());
    let between = |axis: usize| {
        let n = shape[axis];
        let indices = (0..n).flat_map(|at| [at.min(n - 2), at.min(n - 2) + 1]).collect();
        let weights = (0..n).flat_map(|_| [0.25.into(), 0.75.into()]).collect();
        let starts = (0..=n).map(|row| 2 * row).collect();
        Gather::new(axis, &[n], &[n], starts, indices, Some(weights))
    };
    Ok(vec![
        ("gather axis 0", picked(0)?),
        ("gather axis 1", picked(1)?),
        ("gather axis 0, 2 weights", between(0)?),
        ("gather axis 1, 2 weights", between(1)?),
    ])
}

fn throughput(criterion: &mut Criterion) {
    let all = std::env::var("ARRAYSPAN_BENCH").is_ok_and(|value| value == "all");
    for device in Device::all().into_iter().filter(|device| all || device.is_cpu()) {
        for shape in SHAPES {
            if let Err(error) = measure(criterion, device, shape) {
                eprintln!("{device} {shape:?}: {error}");
            }
        }
    }
}

fn measure(criterion: &mut Criterion, device: Device, shape: [usize; 2]) -> Result<()> {
    let executor = on(device)?;
    let trace = Trace::of(executor.clone());
    let mut x = executor.empty(&shape, DType::Float32)?;
    let mut y = executor.empty(&shape, DType::Float32)?;
    for array in [&mut x, &mut y] {
        executor.map(&constant(0.5), &[], array.view_mut())?;
    }
    let mut group = criterion.benchmark_group(format!("{device} {}x{}", shape[0], shape[1]));
    group.sample_size(20).warm_up_time(Duration::from_millis(300));
    group.measurement_time(Duration::from_secs(1));
    for (name, verb) in verbs(shape)? {
        verb(&trace, x.view(), y.view_mut())?;
        group.throughput(Throughput::Bytes(trace.take().bytes() as u64));
        group.bench_with_input(BenchmarkId::from_parameter(name), &verb, |bencher, verb| {
            bencher.iter(|| {
                let done = verb(&*executor, x.view(), y.view_mut());
                black_box(done.and_then(|()| Ok(executor.stream().synchronize()?)))
            });
        });
    }
    Ok(())
}

criterion_group!(benches, throughput);
criterion_main!(benches);
