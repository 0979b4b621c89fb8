//! What verbs, operators and a solver cost on the host, by the number of cores: the section
//! "By the number of cores" of `docs/benchmarks.md`.
//!
//! ```text
//! cargo bench --bench host -- [CORES,CORES,...] [NAME-PART]
//! ```
//!
//! Each number of cores is a process of its own, limited by `RAYON_NUM_THREADS` and, where `taskset` is installed, by its
//! affinity; the program starts itself again and needs no files. Prints a table: milliseconds (the median) for each number
//! of cores, then, at the largest one, GB/s of the bytes that must move, what part that is of the rate at which the same
//! cores copy memory, GFLOP/s, and the goal on 16 cores. Calls are made on a thread that is not one of rayon's, as by users.

use std::collections::BTreeMap;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use arrayspan::num_complex::Complex32;
use arrayspan::operators::{LinearMap, Workspace};
use arrayspan::prelude::*;

type Failure = Box<dyn std::error::Error>;

/// Sizes of real data: odd, long rows, three axes.
const SHAPES: [&[usize]; 3] = [&[7919, 8191], &[4096, 16385], &[257, 389, 641]];

const DTYPES: [DType; 3] = [DType::Float32, DType::Float64, DType::Complex64];

/// What is asked of a row on 16 cores.
#[derive(Clone, Copy)]
enum Goal {
    /// At most so many milliseconds.
    Milliseconds(f64),
    /// At least this part of the rate at which memory is copied.
    Share(f64),
    None,
}

/// One measurement.
struct Row {
    name: String,
    /// Bytes that must move, and floating-point operations, of one run.
    bytes: f64,
    flops: f64,
    goal: Goal,
    run: Box<dyn Fn() -> Result<f64, Failure>>,
}

/// Median milliseconds of one `work`, over at least three runs and half a second.
fn time(mut work: impl FnMut() -> Result<(), Failure>) -> Result<f64, Failure> {
    work()?;
    let begin = Instant::now();
    work()?;
    // Short calls are timed many at a time.
    let batch = (Duration::from_millis(2).as_secs_f64() / begin.elapsed().as_secs_f64()).max(1.0);
    let batch = batch as usize;
    let (begin, mut times) = (Instant::now(), Vec::new());
    while times.len() < 3 || begin.elapsed() < Duration::from_millis(500) {
        let begin = Instant::now();
        for _ in 0..batch {
            work()?;
        }
        times.push(begin.elapsed().as_secs_f64() * 1e3 / batch as f64);
    }
    times.sort_by(f64::total_cmp);
    Ok(times[times.len() / 2])
}

/// Scattered numbers between -1 and 1.
fn array(shape: &[usize], dtype: DType, seed: u32) -> Result<Array, Failure> {
    let len = shape.iter().product();
    let mut state = seed.wrapping_mul(747_796_405).wrapping_add(1);
    let mut numbers = std::iter::repeat_with(|| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) as f32 / 8_388_608.0 - 1.0
    });
    Ok(match dtype {
        DType::Float64 => Array::from_vec(numbers.map(f64::from).take(len).collect(), shape)?,
        DType::Complex64 => {
            let complex = |_| Complex32::new(numbers.next().unwrap_or(0.0), 0.5);
            Array::from_vec((0..len).map(complex).collect(), shape)?
        }
        _ => Array::from_vec(numbers.take(len).collect::<Vec<f32>>(), shape)?,
    })
}

/// A Ricker wavelet of so many samples.
fn wavelet(taps: i32) -> Vec<f64> {
    let value = |i: i32| {
        let a = (std::f64::consts::PI * 0.08 * f64::from(i) * 41.0 / f64::from(taps)).powi(2);
        (1.0 - 2.0 * a) * (-a).exp()
    };
    (-taps / 2..taps - taps / 2).map(value).collect()
}

fn bytes(space: &Space) -> f64 {
    (space.shape().iter().product::<usize>() * space.dtype().bytes()) as f64
}

/// Which way an operator is applied.
#[derive(Clone, Copy, PartialEq)]
enum Way {
    Forward,
    Adjoint,
}

fn apply(make: &dyn Fn() -> Result<Operator, Failure>, way: Way) -> Result<f64, Failure> {
    let on = on(Device::cpu())?;
    let a = make()?;
    let (domain, range) = (a.domain(), a.range());
    let mut x = array(domain.shape(), domain.dtype(), 3)?;
    let mut y = array(range.shape(), range.dtype(), 4)?;
    let (mut workspace, set) = (Workspace::of(&a, &*on)?, Update::set());
    time(|| {
        match way {
            Way::Forward => a.apply_with(&mut workspace, &*on, x.view(), y.view_mut(), set)?,
            Way::Adjoint => {
                a.apply_adjoint_with(&mut workspace, &*on, y.view(), x.view_mut(), set)?;
            }
        }
        Ok(())
    })
}

fn named(shape: &[usize], dtype: DType) -> String {
    let shape: Vec<String> = shape.iter().map(usize::to_string).collect();
    format!("{} {dtype}", shape.join("x"))
}

/// An operator, applied; `taps` products and sums for each element of the output.
fn operator(
    name: String,
    space: &Space,
    (arrays, taps): (f64, usize),
    goal: Goal,
    way: Way,
    make: impl Fn() -> Result<Operator, Failure> + 'static,
) -> Row {
    let elements: usize = space.shape().iter().product();
    let parts = if space.dtype() == DType::Complex64 { 2 } else { 1 };
    let run = Box::new(move || apply(&make, way));
    let flops = (2 * taps * elements * parts) as f64;
    Row { name, bytes: arrays * bytes(space), flops, goal, run }
}

/// The rows that have a goal in milliseconds.
fn goals(rows: &mut Vec<Row>) -> Result<(), Failure> {
    for (shape, most) in [([1000, 1000], 25.0), ([100, 100], 2.0)] {
        let run = move || {
            let space = Space::new(shape, DType::Float32)?;
            let a = PoststackLinearModelling::new(space, &wavelet(41), Scheme::Centered3)?;
            let solver = Cgls { stop: Stop::after(50), check_every: 50, ..Cgls::default() };
            let (on, y) = (on(Device::cpu())?, a.forward(&array(&shape, DType::Float32, 5)?)?);
            let mut workspace = solver.workspace(&a, &*on)?;
            time(|| {
                solver.solve_in(&mut workspace, &*on, &a, y.view(), None, &mut ())?;
                Ok(())
            })
        };
        // Both directions, then what is read and written by the recurrence at best.
        let (elements, steps) = (shape.iter().product::<usize>() as f64, 50.0);
        rows.push(Row {
            name: format!("cgls50_poststack41 {}", named(&shape, DType::Float32)),
            bytes: steps * 13.0 * 4.0 * elements,
            flops: steps * elements * (2.0 * 2.0 * 43.0 + 12.0),
            goal: Goal::Milliseconds(most),
            run: Box::new(run),
        });
    }
    let shape = [7919, 8191];
    let space = Space::new(shape, DType::Float32)?;
    let copied = move |dtype| {
        let (on, x) = (on(Device::cpu())?, array(&shape, dtype, 1)?);
        let mut y = array(&shape, dtype, 2)?;
        time(|| Ok(on.copy(x.view(), y.view_mut(), Update::set())?))
    };
    rows.push(Row {
        name: format!("copy {}", named(&shape, DType::Float32)),
        bytes: 2.0 * bytes(&space),
        flops: 0.0,
        goal: Goal::Milliseconds(6.0),
        run: Box::new(move || copied(DType::Float32)),
    });
    rows.push(Row {
        name: format!("to_owned {}", named(&shape, DType::Float32)),
        bytes: 2.0 * bytes(&space),
        flops: 0.0,
        goal: Goal::None,
        run: Box::new(move || {
            let x = array(&shape, DType::Float32, 1)?;
            let on = on(Device::cpu())?;
            time(|| {
                let mut y = on.empty(&shape, DType::Float32)?;
                Ok(on.copy(x.view(), y.view_mut(), Update::set())?)
            })
        }),
    });
    for (taps, most) in
        [(21, None), (41, Some(10.0)), (65, None), (101, Some(22.0)), (301, None), (1001, None)]
    {
        for axis in [0, 1] {
            let name = format!("convolve1d_{taps} axis {axis} {}", named(&shape, DType::Float32));
            let goal = most.map_or(Goal::None, Goal::Milliseconds);
            let of = space.clone();
            let make = move || {
                let wavelet = wavelet(taps);
                Ok(Convolve1D::new(of.clone(), axis, &wavelet, wavelet.len() / 2)?)
            };
            let cost = (2.0, taps as usize);
            rows.push(operator(name, &space, cost, goal, Way::Forward, make));
        }
    }
    Ok(())
}

/// The rows whose goal is the rate of memory.
fn rates(rows: &mut Vec<Row>) -> Result<(), Failure> {
    let goal = Goal::Share(0.8);
    for shape in SHAPES {
        for dtype in DTYPES {
            let (space, at) = (Space::new(shape, dtype)?, named(shape, dtype));
            let axes = 0..shape.len() as isize;
            for axis in axes.clone() {
                let of = space.clone();
                let first = move || {
                    let (scheme, edge) = (Scheme::Centered3, Edge::Reduced);
                    Ok(FirstDerivative::new(of.clone(), axis, 1.0, scheme, edge)?)
                };
                let name = format!("first_derivative axis {axis} {at}");
                rows.push(operator(name, &space, (2.0, 2), goal, Way::Forward, first.clone()));
                let name = format!("first_derivative_adjoint axis {axis} {at}");
                rows.push(operator(name, &space, (2.0, 2), goal, Way::Adjoint, first));
                let of = space.clone();
                let convolve = move || {
                    let wavelet = wavelet(21);
                    Ok(Convolve1D::new(of.clone(), axis, &wavelet, wavelet.len() / 2)?)
                };
                let name = format!("convolve1d_21 axis {axis} {at}");
                rows.push(operator(name, &space, (2.0, 21), Goal::None, Way::Forward, convolve));
                let of = space.clone();
                let diagonal = move || {
                    let mut shape = vec![1; of.shape().len()];
                    shape[axis as usize] = of.shape()[axis as usize];
                    let weights = array(&shape, of.dtype(), 1)?.into_shared();
                    Ok(Diagonal::new(of.clone(), weights)?)
                };
                let name = format!("diagonal_along axis {axis} {at}");
                rows.push(operator(name, &space, (2.0, 0), goal, Way::Forward, diagonal));
            }
            let of = space.clone();
            let diagonal = move || {
                let weights = array(of.shape(), of.dtype(), 1)?.into_shared();
                Ok(Diagonal::new(of.clone(), weights)?)
            };
            rows.push(operator(
                format!("diagonal {at}"),
                &space,
                (3.0, 0),
                goal,
                Way::Forward,
                diagonal,
            ));
            let of = space.clone();
            let laplacian = move || {
                let along = |axis| Along { axis, step: 1.0, weight: 1.0 };
                let terms: Vec<Along> = axes.clone().map(along).collect();
                Ok(Laplacian::new(of.clone(), &terms, Scheme::Centered3, Edge::Zero)?)
            };
            let taps = 2 * shape.len() + 1;
            let name = format!("laplacian {at}");
            rows.push(operator(name, &space, (2.0, taps), goal, Way::Forward, laplacian.clone()));
            let of = space.clone();
            let stacked = move || {
                let (scheme, edge) = (Scheme::Centered3, Edge::Reduced);
                let first = FirstDerivative::new(of.clone(), 0, 1.0, scheme, edge)?;
                Ok(vstack([first, laplacian()?])?)
            };
            let name = format!("vstack_derivative_laplacian_adjoint {at}");
            rows.push(operator(name, &space, (3.0, taps + 2), goal, Way::Adjoint, stacked));
            let of = space.clone();
            let poststack = move || {
                Ok(PoststackLinearModelling::new(of.clone(), &wavelet(41), Scheme::Centered3)?)
            };
            let name = format!("poststack41 {at}");
            rows.push(operator(name, &space, (2.0, 43), Goal::None, Way::Forward, poststack));
        }
    }
    Ok(())
}

/// GB/s at which so many threads copy memory, reading and writing counted.
fn memory_rate(threads: usize) -> f64 {
    const LEN: usize = 1 << 25;
    let from = vec![1.0f64; LEN];
    let mut to = vec![2.0f64; LEN];
    let share = LEN.div_ceil(threads);
    let mut best = f64::INFINITY;
    for _ in 0..7 {
        let begin = Instant::now();
        std::thread::scope(|scope| {
            for (from, to) in from.chunks(share).zip(to.chunks_mut(share)) {
                scope.spawn(|| to.copy_from_slice(from));
            }
        });
        best = best.min(begin.elapsed().as_secs_f64());
    }
    2.0 * (LEN * size_of::<f64>()) as f64 / best / 1e9
}

fn rows() -> Result<Vec<Row>, Failure> {
    let mut rows = Vec::new();
    goals(&mut rows)?;
    rates(&mut rows)?;
    Ok(rows)
}

/// Measures the rows whose names have `part` in them, in this process.
fn measure(part: &str, cores: usize) -> Result<(), Failure> {
    println!("{:.6}\tmemory", memory_rate(cores));
    for row in rows()?.iter().filter(|row| row.name.contains(part)) {
        println!("{:.6}\t{}", (row.run)()?, row.name);
    }
    Ok(())
}

/// What another process measures on so many cores.
fn measured(part: &str, cores: usize) -> Result<BTreeMap<String, f64>, Failure> {
    let program = std::env::current_exe()?;
    let pins = Command::new("taskset").arg("--version").stdout(Stdio::null()).status().is_ok();
    let mut command = if pins {
        let mut command = Command::new("taskset");
        command.arg("-c").arg(format!("0-{}", cores - 1)).arg(program);
        command
    } else {
        Command::new(program)
    };
    let cores = cores.to_string();
    command.args(["--measure", &cores, part]).env("RAYON_NUM_THREADS", &cores);
    let output = command.stderr(Stdio::inherit()).output()?;
    if !output.status.success() {
        return Err(format!("the measurement on {cores} cores failed: {}", output.status).into());
    }
    let text = String::from_utf8(output.stdout)?;
    let parsed = text.lines().filter_map(|line| {
        let (time, name) = line.split_once('\t')?;
        Some((name.to_owned(), time.parse().ok()?))
    });
    Ok(parsed.collect())
}

fn main() -> Result<(), Failure> {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    if let [flag, cores, part] = &words[..]
        && flag == "--measure"
    {
        return measure(part, cores.parse()?);
    }
    let available = std::thread::available_parallelism()?.get();
    let counted = |word: &String| word.starts_with(|letter: char| letter.is_ascii_digit());
    let cores: Vec<usize> = match words.first().filter(|word| counted(word)) {
        Some(list) => list.split(',').map(str::parse).collect::<Result<_, _>>()?,
        None => [1, 2, 4, 8, 16].into_iter().filter(|cores| *cores <= available).collect(),
    };
    let part = words.last().filter(|word| !counted(word)).map_or("", String::as_str);
    let figures = cores.iter().map(|cores| measured(part, *cores));
    let figures = figures.collect::<Result<Vec<_>, _>>()?;
    let Some(last) = figures.last() else { return Ok(()) };
    let memory = last.get("memory").copied().unwrap_or(f64::NAN);

    let heads: Vec<String> = cores.iter().map(|cores| format!("{cores:>9}")).collect();
    println!(
        "{:58}{}{:>9}{:>7}{:>9}  goal on 16",
        "ms on cores",
        heads.concat(),
        "GB/s",
        "share",
        "GFLOP/s"
    );
    let rates: Vec<String> = figures
        .iter()
        .map(|of| format!("{:>9.1}", of.get("memory").unwrap_or(&f64::NAN)))
        .collect();
    println!("{:58}{}", "GB/s at which memory is copied", rates.concat());
    for row in rows()?.iter().filter(|row| row.name.contains(part)) {
        let times = figures.iter().map(|of| of.get(&row.name).copied().unwrap_or(f64::NAN));
        let times: Vec<f64> = times.collect();
        let columns: Vec<String> = times.iter().map(|time| format!("{time:>9.3}")).collect();
        let seconds = times.last().unwrap_or(&f64::NAN) / 1e3;
        let (rate, work) = (row.bytes / seconds / 1e9, row.flops / seconds / 1e9);
        let share = rate / memory;
        let (goal, kept) = match row.goal {
            Goal::Milliseconds(most) => (format!("<= {most} ms"), seconds * 1e3 <= most),
            Goal::Share(least) => (format!("share >= {least}"), share >= least),
            Goal::None => (String::new(), true),
        };
        let missed = if kept { "" } else { "  MISSED" };
        let columns = columns.concat();
        println!("{:58}{columns}{rate:>9.1}{share:>7.2}{work:>9.1}  {goal}{missed}", row.name);
    }
    Ok(())
}
