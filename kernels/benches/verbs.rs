//! How fast the verbs move memory: `cargo bench -p arrayspan-kernels`. On the host; on every device found with
//! `ARRAYSPAN_BENCH=all`. Throughput counts each input read once and each output written once.

use std::hint::black_box;
use std::sync::Arc;
use std::time::Duration;

use arrayspan_kernels::bridge::devices::Device;
use arrayspan_kernels::bridge::{DType, Relayout};
use arrayspan_kernels::{
    Band, Executor, Result, Stencil, Trace, Update, constant, input, on, previous,
};
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};

/// A section that fits the last cache of a large processor only, and one that fits none.
const SHAPES: [[usize; 2]; 2] = [[1000, 1000], [8000, 8000]];

type Verb = Box<dyn Fn(&dyn Executor) -> Result<()>>;

fn verbs(executor: &dyn Executor, shape: [usize; 2]) -> Result<Vec<(&'static str, Verb)>> {
    let filled = || -> Result<_> {
        let mut array = executor.empty(&shape, DType::Float32)?;
        executor.map(&constant(0.5), &[], array.view_mut())?;
        Ok(array)
    };
    let mut verbs: Vec<(&'static str, Verb)> = Vec::new();

    let (x, y) = (filled()?, std::cell::RefCell::new(filled()?));
    let axpy = constant(0.5) * input(0) + previous();
    verbs.push((
        "map axpy",
        Box::new(move |executor| executor.map(&axpy, &[x.view()], y.borrow_mut().view_mut())),
    ));

    let (x, y) = (filled()?, std::cell::RefCell::new(filled()?));
    verbs.push((
        "copy",
        Box::new(move |executor| executor.copy(x.view(), y.borrow_mut().view_mut(), Update::set())),
    ));

    let (x, y) = (filled()?, std::cell::RefCell::new(filled()?));
    verbs.push((
        "copy transposed",
        Box::new(move |executor| {
            let transposed = x.view().permuted(&[1, 0])?;
            executor.copy(transposed, y.borrow_mut().view_mut(), Update::set())
        }),
    ));

    for (name, stencil) in stencils(shape)? {
        let (x, y) = (filled()?, std::cell::RefCell::new(filled()?));
        verbs.push((
            name,
            Box::new(move |executor| {
                executor.stencil(&stencil, x.view(), y.borrow_mut().view_mut(), Update::set())
            }),
        ));
    }

    let (x, sum) = (filled()?, std::cell::RefCell::new(executor.empty(&[], DType::Float32)?));
    let square = input(0) * input(0);
    verbs.push((
        "sum of squares",
        Box::new(move |executor| executor.sum(&square, &[x.view()], sum.borrow_mut().view_mut())),
    ));
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
    let trace = Arc::new(Trace::of(executor.clone()));
    let mut group = criterion.benchmark_group(format!("{device} {}x{}", shape[0], shape[1]));
    group.sample_size(20).warm_up_time(Duration::from_millis(300));
    group.measurement_time(Duration::from_secs(1));
    for (name, verb) in verbs(&*executor, shape)? {
        verb(&*trace)?;
        group.throughput(Throughput::Bytes(trace.take().bytes() as u64));
        group.bench_with_input(BenchmarkId::from_parameter(name), &verb, |bencher, verb| {
            bencher.iter(|| {
                black_box(verb(&*executor)).and_then(|()| Ok(executor.stream().synchronize()?))
            });
        });
    }
    Ok(())
}

criterion_group!(benches, throughput);
criterion_main!(benches);
