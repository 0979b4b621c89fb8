//! How fast elements are copied and converted on one device: `cargo bench -p arrayspan-bridge --bench copies`. On the host; on
//! every device found with `ARRAYSPAN_BENCH=all`, on one with its name, as `ARRAYSPAN_BENCH=cuda:0`.
//!
//! Throughput counts each element read once and written once. `copy` is the driver's own copy of contiguous arrays of
//! `Float32`: the rate that the others are to be compared with, and which is printed again beside each.

use std::hint::black_box;
use std::time::{Duration, Instant};

use arrayspan_bridge::devices::{Device, Stream};
use arrayspan_bridge::{Array, Conversion, DType, Relayout, Result, Scale, View, ViewMut, stack};
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};

/// Sides of square arrays: on the host 1 and 16 million elements, elsewhere 64 million.
const HOST: [usize; 2] = [1024, 4096];
const DEVICE: [usize; 1] = [8192];

/// Work from an array to another of the same shape.
type Work = Box<dyn Fn(&View<'_>, ViewMut<'_>, &Stream) -> Result<()>>;

struct Case {
    name: String,
    from: DType,
    to: DType,
    work: Work,
}

fn case(
    name: impl Into<String>,
    [from, to]: [DType; 2],
    work: impl Fn(&View<'_>, ViewMut<'_>, &Stream) -> Result<()> + 'static,
) -> Case {
    Case { name: name.into(), from, to, work: Box::new(work) }
}

fn cases(side: usize) -> Vec<Case> {
    use DType::{
        BFloat16, Complex64, Complex128, Float8E4M3Fn, Float16, Float32, Float64, Int32, Int64,
        UInt8, UInt16,
    };
    let mut cases = vec![case("copy", [Float32; 2], |x, mut y, stream| y.copy_from(x, stream))];
    for dtype in [UInt8, Float16, Float32, Float64, Complex128] {
        cases.push(case(format!("transpose {dtype}"), [dtype; 2], |x, mut y, stream| {
            y.copy_from(&x.clone().permuted(&[1, 0])?, stream)
        }));
    }
    cases.push(case("reverse rows", [Float32; 2], |x, mut y, stream| {
        y.copy_from(&x.clone().reversed(0)?, stream)
    }));
    cases.push(case("reverse columns", [Float32; 2], |x, mut y, stream| {
        y.copy_from(&x.clone().reversed(1)?, stream)
    }));
    cases.push(case("an odd part", [Float32; 2], move |x, y, stream| {
        let (x, y) = (x.clone().sliced(1, 1, side - 1)?, y.sliced(1, 0, side - 1));
        y?.copy_from(&x, stream)
    }));
    let pairs = [
        (Float32, Float16),
        (Float16, Float32),
        (Float32, BFloat16),
        (BFloat16, Float32),
        (Float32, Float64),
        (Float64, Float32),
        (Float32, UInt8),
        (UInt8, Float32),
        (Float32, Int32),
        (Int64, Float64),
        (Int64, Int32),
        (UInt16, Float32),
        (Float32, Float8E4M3Fn),
        (Float8E4M3Fn, Float32),
        (Complex128, Complex64),
    ];
    for (from, to) in pairs {
        cases.push(case(format!("{from} to {to}"), [from, to], |x, mut y, stream| {
            y.convert_from(x, &Conversion::SATURATE, stream)
        }));
    }
    let fixed = Conversion::SATURATE.scale(Scale::Range { from: (0.0, 1.0), to: None });
    let found = Conversion::SATURATE.scale(Scale::MinMax { to: None });
    for (name, rules) in [("a range", fixed), ("minimum and maximum", found)] {
        cases.push(case(format!("{name} to UInt8"), [Float32, UInt8], move |x, mut y, stream| {
            y.convert_from(x, &rules, stream)
        }));
    }
    cases.push(case("transpose Float32 to Float16", [Float32, Float16], |x, mut y, stream| {
        y.convert_from(&x.clone().permuted(&[1, 0])?, &Conversion::SATURATE, stream)
    }));
    for axis in 0..3 {
        cases.push(case(format!("stack 16 along {axis}"), [Float32; 2], move |x, _, stream| {
            let shape = [16, x.shape()[0] / 16, x.shape()[1]];
            let slices = x.clone().reshaped(&shape)?.unstack(0)?;
            stack(&slices, axis, x.device(), stream).map(|whole| drop(black_box(whole)))
        }));
    }
    cases
}

/// Numbers from 0 to 1, which no conversion needs its long way for, turned into other dtypes by our own.
fn source(dtype: DType, side: usize, stream: &Stream) -> Result<Array> {
    let values: Vec<f32> = (0..side * side).map(|i| (i % 256) as f32 / 256.0).collect();
    let array = Array::from_vec(values, [side, side])?.into_device(stream.device())?.0;
    array.view().convert(dtype, &Conversion::SATURATE, stream)
}

fn measure(criterion: &mut Criterion, device: Device, side: usize) -> Result<()> {
    let stream = device.stream()?;
    let mut group = criterion.benchmark_group(format!("{device} {side}x{side}"));
    group.sample_size(10).warm_up_time(Duration::from_millis(200));
    group.measurement_time(Duration::from_millis(600));
    let mut copy_rate = None;
    for Case { name, from, to, work } in cases(side) {
        let x = source(from, side, &stream)?;
        let mut y = Array::empty([side, side], to, &stream)?;
        let bytes = side * side * (from.bytes() + to.bytes());
        group.throughput(Throughput::Bytes(bytes as u64));
        let mut best = Duration::MAX;
        group.bench_with_input(BenchmarkId::from_parameter(&name), &work, |bencher, work| {
            // As the peers are timed: the host waits once at the end of a batch.
            bencher.iter_custom(|times| {
                let start = Instant::now();
                let done = (0..times).try_for_each(|_| work(&x.view(), y.view_mut(), &stream));
                black_box(done.and_then(|()| Ok(stream.synchronize()?))).unwrap_or_else(|error| {
                    eprintln!("{name}: {error}");
                });
                let took = start.elapsed();
                best = best.min(took / u32::try_from(times).unwrap_or(u32::MAX).max(1));
                took
            });
        });
        if best < Duration::MAX {
            let rate = bytes as f64 / best.as_secs_f64() / 1e9;
            let copy = *copy_rate.get_or_insert(rate);
            println!(
                "    {name}: {rate:.0} GB/s at best, {:.0} % of copy rate",
                100.0 * rate / copy
            );
        }
    }
    Ok(())
}

fn throughput(criterion: &mut Criterion) {
    let wanted = std::env::var("ARRAYSPAN_BENCH").unwrap_or_default();
    let devices = Device::all().into_iter().filter(|device| match &*wanted {
        "all" => true,
        "" => device.is_cpu(),
        name => device.to_string() == name,
    });
    for device in devices {
        let sides = if device.info().accelerator { &DEVICE[..] } else { &HOST };
        for &side in sides {
            if let Err(error) = measure(criterion, device, side) {
                eprintln!("{device} {side}x{side}: {error}");
            }
        }
    }
}

criterion_group!(benches, throughput);
criterion_main!(benches);
