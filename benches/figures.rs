//! The figures of `docs/benchmarks.md`: every operator in both directions, and the solvers.
//!
//! ```text
//! cargo bench --bench figures -- cuda:0 64m [NAME-PART|NAME-PART ...]
//! ```
//!
//! Sizes are `64m` (8000 x 8000), `odd` (7919 x 8191), `odd3` (257 x 389 x 641), `1m` (1000 x 1000), `tiny` (64 x 64, which shows
//! what a call costs) and any others (`4096x16385`). Rows along an axis that is not there are left out.
//! Prints CSV with the columns and names of the peers' script, then the bytes that the verbs of each direction read and
//! write: median over 5 batches of back-to-back applications, the host waiting once at the end of a batch. Outputs and
//! workspaces are allocated once. `cargo xtask bench` makes a table of it.

use std::time::Instant;

use arrayspan::num_complex::Complex32;
use arrayspan::operators::{LinearMap, Workspace};
use arrayspan::prelude::*;

type Failure = Box<dyn std::error::Error>;

/// One row: a name and the operator it times.
type Row = (&'static str, fn(&Setting) -> Result<Operator, Failure>);

/// Every operator, under the name of the peers' script where it has one.
const OPERATORS: &[Row] = &[
    ("Identity", |s| Ok(Identity::new(s.space()?)?)),
    ("Zero", |s| Ok(Zero::new(s.space()?, s.space()?)?)),
    ("Diagonal", diagonal),
    ("Conj", |s| Ok(Conj::new(Space::new(s.shape.clone(), DType::Complex64)?)?)),
    ("Real", |s| Ok(Real::new(Space::new(s.shape.clone(), DType::Complex64)?)?)),
    ("Imag", |s| Ok(Imag::new(Space::new(s.shape.clone(), DType::Complex64)?)?)),
    ("MatrixMult", |s| {
        let n = s.shape[0];
        Ok(MatrixMult::new(s.random(&[n, n], 2)?, &s.shape[1..])?)
    }),
    ("MatrixMult_ax1", |s| {
        let n = s.shape[1];
        Ok(MatrixMult::along(s.space()?, -1, s.random(&[n, n], 2)?)?)
    }),
    // Where the adjoint has a conjugate that is no transpose.
    ("MatrixMult_complex_ax1", |s| {
        let n = s.shape[1];
        let matrix = s.vector(&Space::new([n, n], DType::Complex64)?, 2)?;
        let space = Space::new(s.shape.clone(), DType::Complex64)?;
        Ok(MatrixMult::along(space, -1, matrix)?)
    }),
    // A batch of products of one matrix.
    ("MatrixMult_middle", |s| {
        let (batch, n) = (s.shape[0].div_ceil(50), s.shape[1] / 16);
        let space = Space::new([batch, n, s.shape[1] / n * 50], DType::Float32)?;
        Ok(MatrixMult::along(space, 1, s.random(&[n, n], 2)?)?)
    }),
    ("MatrixMult_sparse", |s| sparse(s, 32, 1)),
    ("MatrixMult_sparse_64columns", |s| sparse(s, 32, 64)),
    ("Kronecker", |s| {
        let [m, n] = [s.shape[0], s.shape[1]].map(|n| n.min(4000));
        let of = |n, seed| Ok::<_, Failure>(MatrixMult::new(s.random(&[n, n], seed)?, &[])?);
        Ok(Kronecker::new(of(m, 1)?, of(n, 2)?)?)
    }),
    ("Transpose", |s| Ok(Transpose::new(s.space()?, &s.reversed_axes())?)),
    ("Flip", |s| Ok(Flip::new(s.space()?, &[0])?)),
    ("Flip_ax1", |s| Ok(Flip::new(s.space()?, &[1])?)),
    ("Flip_ax2", |s| Ok(Flip::new(s.space()?, &[2])?)),
    ("Pad", |s| Ok(Pad::new(s.space()?, &vec![(10, 10); s.shape.len()])?)),
    ("Symmetrize", |s| Ok(Symmetrize::new(s.space()?, 0)?)),
    ("Symmetrize_ax1", |s| Ok(Symmetrize::new(s.space()?, 1)?)),
    ("Symmetrize_ax2", |s| Ok(Symmetrize::new(s.space()?, 2)?)),
    ("Roll", |s| Ok(Roll::new(s.space()?, 0, 1000)?)),
    // Half of all elements, in order: the peers' indices.
    ("Restriction", |s| {
        let space = Space::new([s.shape.iter().product()], DType::Float32)?;
        let indices = half(space.len());
        Ok(Restriction::new(space, 0, indices)?)
    }),
    // Every second index of an axis; all, in another order.
    ("Restriction_stepped", |s| {
        let indices: Vec<usize> = (0..s.shape[0]).step_by(2).collect();
        Ok(Restriction::new(s.space()?, 0, indices)?)
    }),
    ("Restriction_ax0", |s| Ok(Restriction::new(s.space()?, 0, s.scattered(0))?)),
    ("Restriction_ax1", |s| Ok(Restriction::new(s.space()?, 1, s.scattered(1))?)),
    ("Sum", |s| Ok(SumAlong::new(s.space()?, 0)?)),
    ("Restriction_ax2", |s| Ok(Restriction::new(s.space()?, 2, s.scattered(2))?)),
    ("Sum_ax1", |s| Ok(SumAlong::new(s.space()?, 1)?)),
    ("Sum_ax2", |s| Ok(SumAlong::new(s.space()?, 2)?)),
    ("CausalIntegration", |s| integral(s, 0, Integral::Full)),
    ("CausalIntegration_ax1", |s| integral(s, 1, Integral::Full)),
    ("CausalIntegration_ax2", |s| integral(s, 2, Integral::Full)),
    ("CausalIntegration_trapezoidal", |s| integral(s, 0, Integral::Trapezoidal)),
    ("Regression", |s| Ok(Regression::new(s.positions()?, 4)?)),
    ("Regression_along", |s| {
        let positions = s.random(&s.shape[..1], 1)?;
        Ok(Regression::along(s.space()?, 0, positions, 4)?)
    }),
    ("LinearRegression", |s| Ok(LinearRegression::new(s.positions()?)?)),
    ("Interp_linear", |s| {
        let positions = s.between(0).into_iter().step_by(2).collect::<Vec<_>>();
        Ok(Interp::new(s.space()?, 0, positions, Interpolation::Linear)?)
    }),
    ("Interp_ax0", |s| Ok(Interp::new(s.space()?, 0, s.between(0), Interpolation::Linear)?)),
    ("Interp_ax1", |s| Ok(Interp::new(s.space()?, 1, s.between(1), Interpolation::Linear)?)),
    ("Interp_ax2", |s| Ok(Interp::new(s.space()?, 2, s.between(2), Interpolation::Linear)?)),
    ("Spread", spread),
    ("ToDevice", |s| Ok(ToDevice::new(s.space()?, s.device, s.device)?)),
    ("FunctionOperator", |s| {
        let doubled = Update::new(2.0, 0.0);
        Ok(FunctionOperator::self_adjoint(s.space()?, move |on, x, y| Ok(on.copy(x, y, doubled)?))?)
    }),
    // The same model again and again: a comparison and a copy, and a wait of the host.
    ("MemoizeOperator", |s| {
        Ok(MemoizeOperator::new(first(s, 0, Scheme::Centered3, Edge::Zero)?, 2)?)
    }),
    ("FirstDerivative_from_host", |s| {
        // Arrays on the host, computed on the device: what moving costs.
        let slope = first(s, 0, Scheme::Centered3, Edge::Reduced)?;
        Ok(slope.on(s.device, Device::cpu())?)
    }),
    ("FirstDerivative", |s| first(s, 0, Scheme::Centered3, Edge::Reduced)),
    ("FirstDerivative_ax1", |s| first(s, 1, Scheme::Centered3, Edge::Reduced)),
    ("FirstDerivative_ax2", |s| first(s, 2, Scheme::Centered3, Edge::Reduced)),
    ("FirstDerivative5_ax1", |s| first(s, 1, Scheme::Centered5, Edge::Zero)),
    ("SecondDerivative", |s| {
        let (scheme, edge) = (Scheme::Centered3, Edge::Zero);
        Ok(SecondDerivative::new(s.space()?, 0, 1.0, scheme, edge)?)
    }),
    ("Laplacian", laplacian),
    ("Gradient", |s| {
        let steps = vec![1.0; s.shape.len()];
        Ok(Gradient::new(s.space()?, &steps, Scheme::Centered3, Edge::Zero)?)
    }),
    ("Gradient3D", |s| {
        let side = (s.shape.iter().product::<usize>() as f64).cbrt() as usize;
        let space = Space::new([side; 3], DType::Float32)?;
        Ok(Gradient::new(space, &[1.0; 3], Scheme::Centered3, Edge::Zero)?)
    }),
    ("FirstDirectionalDerivative", |s| {
        let (scheme, edge) = (Scheme::Centered3, Edge::Zero);
        let (space, along) = (s.space()?, direction(s)?);
        let steps = vec![1.0; s.shape.len()];
        Ok(FirstDirectionalDerivative::new(space, &along, &steps, scheme, edge)?)
    }),
    ("SecondDirectionalDerivative", |s| {
        let (scheme, edge) = (Scheme::Centered3, Edge::Zero);
        let (space, along) = (s.space()?, direction(s)?);
        let steps = vec![1.0; s.shape.len()];
        Ok(SecondDirectionalDerivative::new(space, &along, &steps, scheme, edge)?)
    }),
    ("Convolve1D_short", |s| {
        let wavelet = wavelet();
        Ok(Convolve1D::new(s.space()?, 0, &wavelet, wavelet.len() / 2)?)
    }),
    ("Smoothing1D", |s| Ok(Smoothing::new(s.space()?, &[(0, 11)])?)),
    ("Smoothing1D_ax1", |s| Ok(Smoothing::new(s.space()?, &[(1, 11)])?)),
    ("SmoothingND", |s| {
        let windows: Vec<(isize, usize)> = (0..s.shape.len() as isize).map(|a| (a, 5)).collect();
        Ok(Smoothing::new(s.space()?, &windows)?)
    }),
    ("Smoothing2D", |s| Ok(Smoothing::new(s.space()?, &[(0, 11), (1, 11)])?)),
    ("VStack", |s| Ok(vstack([diagonal(s)?, Identity::new(s.space()?)?])?)),
    ("HStack", |s| Ok(hstack([diagonal(s)?, Identity::new(s.space()?)?])?)),
    ("BlockDiag", |s| Ok(block_diagonal([diagonal(s)?, diagonal(s)?])?)),
    ("Poststack2D", poststack),
    ("VStack_derivative_Laplacian", |s| {
        Ok(vstack([first(s, 0, Scheme::Centered3, Edge::Reduced)?, laplacian(s)?])?)
    }),
];

fn first(s: &Setting, axis: isize, scheme: Scheme, edge: Edge) -> Result<Operator, Failure> {
    Ok(FirstDerivative::new(s.space()?, axis, 1.0, scheme, edge)?)
}

fn integral(s: &Setting, axis: isize, integral: Integral) -> Result<Operator, Failure> {
    Ok(CausalIntegration::new(s.space()?, axis, 0.004, integral)?)
}

/// A direction that changes from place to place.
fn direction(s: &Setting) -> Result<Direction, Failure> {
    let fields = (1..).take(s.shape.len()).map(|seed| s.random(&s.shape, seed));
    Ok(Direction::fields(fields.collect::<Result<Vec<_>, _>>()?))
}

/// A square matrix with so many entries a row, at random, up to 16 million of them, times so many columns.
fn sparse(s: &Setting, row: usize, columns: usize) -> Result<Operator, Failure> {
    let n = (s.shape.iter().product::<usize>().min(16_000_000) / row).max(row);
    let place = |at: usize| (at as u64).wrapping_mul(6_364_136_223_846_793_005) >> 33;
    // Rows are not all as long.
    let starts: Vec<i64> = (0..=n as i64).map(|at| at * row as i64 + at % 5).collect();
    let entries = starts[n] as usize;
    let indices: Vec<i64> = (0..entries).map(|at| (place(at) as usize % n) as i64).collect();
    // Of other values for each: operators of equal tables are compared entry by entry.
    let values: Vec<f32> = scattered(columns as u32).take(entries).collect();
    let (starts, indices) =
        (Array::from_vec(starts, [n + 1])?, Array::from_vec(indices, [entries])?);
    let matrix = Sparse::from_csr([n, n], &starts, &indices, Array::from_vec(values, [entries])?)?;
    Ok(MatrixMult::sparse(Space::new([n, columns], DType::Float32)?, 0, matrix)?)
}

/// Random curves, as many values in each as rows: the peers' table.
fn spread(s: &Setting) -> Result<Operator, Failure> {
    let n = s.shape[0].min(500);
    let space = Space::new([n, n], DType::Float32)?;
    let scattered = |i: usize, k: usize, j: usize| {
        let place = ((i * n + k) * n + j) as u64;
        Some((place.wrapping_mul(6_364_136_223_846_793_005) >> 33) as usize % n)
    };
    let curve = |i, k, j| scattered(i, k, j).map(|at| at as f64);
    Ok(Spread::new(space.clone(), space, curve, Interpolation::Nearest)?)
}

fn laplacian(s: &Setting) -> Result<Operator, Failure> {
    let along = |axis| Along { axis: axis as isize, step: 1.0, weight: 1.0 };
    let terms: Vec<Along> = (0..s.shape.len()).map(along).collect();
    Ok(Laplacian::new(s.space()?, &terms, Scheme::Centered3, Edge::Zero)?)
}

fn diagonal(s: &Setting) -> Result<Operator, Failure> {
    Ok(Diagonal::new(s.space()?, s.random(&s.shape, 1)?)?)
}

fn poststack(s: &Setting) -> Result<Operator, Failure> {
    let wavelet = wavelet();
    Ok(PoststackLinearModelling::new(s.space()?, &wavelet, Scheme::Centered3)?)
}

/// A Ricker wavelet of 20 Hz, 41 samples at 4 ms.
fn wavelet() -> Vec<f64> {
    let value = |i: i32| {
        let a = (std::f64::consts::PI * 20.0 * 0.004 * f64::from(i)).powi(2);
        (1.0 - 2.0 * a) * (-a).exp()
    };
    (-20..=20).map(value).collect()
}

/// Where, how large, how often.
struct Setting {
    device: Device,
    size: String,
    shape: Vec<usize>,
    repetitions: usize,
}

impl Setting {
    fn space(&self) -> Result<Space, Failure> {
        Ok(Space::new(self.shape.clone(), DType::Float32)?)
    }

    fn reversed_axes(&self) -> Vec<isize> {
        (0..self.shape.len() as isize).rev().collect()
    }

    /// Whether a row of this name goes along an axis that is there.
    fn has_axis(&self, name: &str) -> bool {
        let axis = name.rsplit_once("_ax").and_then(|(_, axis)| axis.parse().ok());
        axis.unwrap_or(0) < self.shape.len()
    }

    /// All indices of an axis, each once, in another order.
    fn scattered(&self, axis: usize) -> Vec<usize> {
        let n = self.shape[axis];
        let mut indices: Vec<usize> = (0..n).collect();
        let mut state = 1_u64;
        for at in (1..n).rev() {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            indices.swap(at, (state >> 33) as usize % (at + 1));
        }
        indices
    }

    /// As many positions as samples, between the samples.
    fn between(&self, axis: usize) -> Vec<f64> {
        let n = self.shape[axis];
        (0..n).map(|at| at as f64 * (n as f64 - 1.5) / n as f64 + 0.25).collect()
    }

    /// As many positions as elements.
    fn positions(&self) -> Result<SharedArray, Failure> {
        self.random(&[self.shape.iter().product()], 1)
    }

    /// Scattered numbers between -1 and 1.
    fn random(&self, shape: &[usize], seed: u32) -> Result<SharedArray, Failure> {
        Ok(self.array(shape, seed)?.into_shared())
    }

    fn array(&self, shape: &[usize], seed: u32) -> Result<Array, Failure> {
        let values = repeated(&mut scattered(seed), shape.iter().product());
        Ok(Array::from_slice(&values, shape)?.into_device(self.device)?.0)
    }

    /// Scattered numbers of a space, which is of Float32 or of Complex64.
    fn vector(&self, space: &Space, seed: u32) -> Result<Array, Failure> {
        if !space.dtype().is_complex() {
            return self.array(space.shape(), seed);
        }
        let mut parts = scattered(seed);
        let mut part = || parts.next().unwrap_or_default();
        let mut numbers = std::iter::repeat_with(|| Complex32::new(part(), part()));
        let values = repeated(&mut numbers, space.len());
        Ok(Array::from_slice(&values, space.shape())?.into_device(self.device)?.0)
    }

    /// Milliseconds of one `work`, the median over batches.
    fn time(
        &self,
        repetitions: usize,
        mut work: impl FnMut() -> Result<(), Failure>,
    ) -> Result<f64, Failure> {
        let stream = self.device.stream()?;
        for _ in 0..3 {
            work()?;
        }
        stream.synchronize()?;
        let mut batches = Vec::new();
        for _ in 0..5 {
            let begin = Instant::now();
            for _ in 0..repetitions {
                work()?;
            }
            stream.synchronize()?;
            batches.push(begin.elapsed().as_secs_f64() * 1e3 / repetitions as f64);
        }
        batches.sort_by(f64::total_cmp);
        Ok(batches[batches.len() / 2])
    }

    fn row(&self, name: &str, times: [f64; 2], bytes: [usize; 2]) {
        let ([forward, adjoint], [read, back]) = (times, bytes);
        println!("{name},{},{forward:.5},{adjoint:.5},{read},{back}", self.size);
    }
}

/// Numbers between -1 and 1, the same for the same seed.
fn scattered(seed: u32) -> impl Iterator<Item = f32> {
    let mut state = seed.wrapping_mul(747_796_405).wrapping_add(1);
    std::iter::repeat_with(move || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) as f32 / 8_388_608.0 - 1.0
    })
}

/// Half of `n` indices, in order.
fn half(n: usize) -> Vec<usize> {
    let values = scattered(8).take(n);
    (0..n).zip(values).filter(|(_, value)| *value < 0.0).map(|(at, _)| at).collect()
}

/// `len` values, of which the first million are new: what takes longest is not to make them.
fn repeated<T: Copy>(values: &mut dyn Iterator<Item = T>, len: usize) -> Vec<T> {
    // A prime number, lest rows repeat.
    let new: Vec<T> = values.take(len.min(1_000_003)).collect();
    new.iter().copied().cycle().take(len).collect()
}

/// All rows, also behind one that fails.
fn operators(s: &Setting, part: &str) -> Result<(), Failure> {
    let mut failed = None;
    let named = |name: &str| part.split('|').any(|part| name.contains(part));
    let wanted = |name: &str| named(name) && s.has_axis(name);
    for (name, make) in OPERATORS.iter().filter(|(name, _)| wanted(name)) {
        if let Err(failure) = make(s).and_then(|a| operator(s, name, &a)) {
            eprintln!("{name}: {failure}");
            failed = Some(failure);
        }
    }
    failed.map_or(Ok(()), Err)
}

fn operator(s: &Setting, name: &str, a: &Operator) -> Result<(), Failure> {
    let on = on(s.device)?;
    let devices = a.devices().unwrap_or(Devices::both(s.device));
    let mut x = s.vector(a.domain(), 3)?.into_device(devices.domain)?.0;
    let mut y = s.vector(a.range(), 4)?.into_device(devices.range)?.0;
    let mut workspace = Workspace::of(a, &*on)?;
    let set = Update::set();
    let forward = s.time(s.repetitions, || {
        Ok(a.apply_with(&mut workspace, &*on, x.view(), y.view_mut(), set)?)
    })?;
    let adjoint = s.time(s.repetitions, || {
        Ok(a.apply_adjoint_with(&mut workspace, &*on, y.view(), x.view_mut(), set)?)
    })?;
    // What the verbs move is counted once, apart from the timing.
    let trace = Trace::of(on);
    a.apply_with(&mut workspace, &trace, x.view(), y.view_mut(), set)?;
    let forward_bytes = moved(&trace);
    a.apply_adjoint_with(&mut workspace, &trace, y.view(), x.view_mut(), set)?;
    s.row(name, [forward, adjoint], [forward_bytes, moved(&trace)]);
    Ok(())
}

/// Bytes read and written since the last call of this.
fn moved(trace: &Trace) -> usize {
    let cost = trace.take();
    cost.bytes_read + cost.bytes_written
}

/// 50 iterations of CGLS on post-stack data, alone and stacked with a Laplacian.
fn solvers(s: &Setting, part: &str) -> Result<(), Failure> {
    let on = on(s.device)?;
    let stacked = vstack([poststack(s)?, laplacian(s)?])?;
    let problems = [("cgls50_poststack", poststack(s)?), ("reginv50_poststack", stacked)];
    for (name, a) in problems.into_iter().filter(|(name, _)| name.contains(part)) {
        let solver = Cgls { stop: Stop::after(50), check_every: 50, ..Cgls::default() };
        let y = a.forward(&s.array(&s.shape, 5)?)?;
        let mut workspace = solver.workspace(&a, &*on)?;
        let time = s.time(1, || {
            solver.solve_in(&mut workspace, &*on, &a, y.view(), None, &mut ())?;
            Ok(())
        })?;
        s.row(name, [time, f64::NAN], [0, 0]);
    }
    Ok(())
}

fn main() -> Result<(), Failure> {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    let word = |at: usize, default: &str| words.get(at).map_or(default, String::as_str).to_string();
    let (device, size, part) = (word(0, "cpu").parse::<Device>()?, word(1, "1m"), word(2, ""));
    let shape = match size.as_str() {
        "64m" => vec![8000, 8000],
        "odd" => vec![7919, 8191],
        "odd3" => vec![257, 389, 641],
        "tiny" => vec![64, 64],
        "1m" => vec![1000, 1000],
        other => other.split('x').map(str::parse).collect::<Result<_, _>>()?,
    };
    let repetitions = if device.is_cpu() { 3 } else { 50 };
    let mut setting = Setting { device, size, shape, repetitions };
    println!("name,size,forward_ms,adjoint_ms");
    let (from, mut to) = (setting.array(&setting.shape, 6)?, setting.array(&setting.shape, 7)?);
    let executor = on(device)?;
    let copy = setting
        .time(repetitions, || Ok(executor.copy(from.view(), to.view_mut(), Update::set())?))?;
    let bytes = from.view().layout().len() * 8;
    setting.row("copy", [copy, copy], [bytes, bytes]);
    drop((from, to));
    let operators = operators(&setting, &part);
    if setting.size == "64m" {
        setting.shape = vec![4000, 4000];
    }
    solvers(&setting, &part)?;
    operators
}
