//! How near operators come to the copy rate at any size, along every axis, in every dtype, beside the goal of each.
//!
//! ```text
//! cargo bench --bench sizes -- cuda:0 [7919x8191 257x389x641 ...] [--float32] [--only PART|PART ...]
//! ```
//!
//! A cell is the time that copying the operator's values (domain and range once, weights once) would take, by the copy
//! rate measured at that size, over the time of the operator: median over 5 batches of back-to-back applications, the host
//! waiting once at the end of a batch. The last line counts the cells below their goal; the goals are those of one H200, of arrays of
//! at least 16 million elements whose axes are 64 or longer.

use std::time::Instant;

use arrayspan::bridge::{Conversion, Overflow};
use arrayspan::operators::{LinearMap, Workspace};
use arrayspan::prelude::*;

type Failure = Box<dyn std::error::Error>;

/// Sizes that no power of two divides.
const SIZES: [&[usize]; 3] = [&[7919, 8191], &[4096, 16385], &[257, 389, 641]];

type Make = dyn Fn(&Setting) -> Result<Operator, Failure>;

/// An operator along an axis, or along all, and the share of the copy rate it is to reach.
struct Row {
    name: String,
    make: Box<Make>,
    /// Of forward and of adjoint; `None` has no goal.
    goals: [Option<f64>; 2],
    /// Elements of weights.
    weights: usize,
}

/// Where, how large, of what.
struct Setting {
    device: Device,
    shape: Vec<usize>,
    dtype: DType,
}

impl Setting {
    fn space(&self) -> Result<Space, Failure> {
        Ok(Space::new(self.shape.clone(), self.dtype)?)
    }

    /// Scattered numbers between -1 and 1, the same again after a million: making them would take longer than the rest.
    fn random(&self, shape: &[usize], seed: u32) -> Result<Array, Failure> {
        let mut state = seed.wrapping_mul(747_796_405).wrapping_add(1);
        let mut next = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) as f32 / 8_388_608.0 - 1.0
        };
        let mut array = Array::empty(shape, self.dtype, self.device)?;
        let len = array.layout().len();
        let values: Vec<f32> = (0..len.min(1_000_003)).map(|_| next()).collect();
        let count = values.len().max(1);
        let numbers = Array::from_vec(values, [count])?.to(self.device)?.0;
        let conversion = Conversion::new(Overflow::Saturate);
        let numbers = numbers.view().convert(self.dtype, &conversion, &self.device.stream()?)?;
        let mut line = array.view_mut().reshaped(&[len])?;
        for start in (0..len).step_by(count) {
            let few = count.min(len - start);
            line.slice_mut(start..start + few)?.assign(&numbers.slice(..few)?)?;
        }
        Ok(array)
    }

    /// Milliseconds of one `work`, the median over batches.
    fn time(&self, mut work: impl FnMut() -> Result<(), Failure>) -> Result<f64, Failure> {
        let stream = self.device.stream()?;
        let repetitions = if self.device.is_cpu() { 2 } else { 20 };
        for _ in 0..2 {
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
            batches.push(begin.elapsed().as_secs_f64() * 1e3 / f64::from(repetitions));
        }
        batches.sort_by(f64::total_cmp);
        Ok(batches[2])
    }
}

/// A filter of so many taps, none of them zero.
fn filter(taps: usize) -> Vec<f64> {
    (0..taps).map(|k| (0.3 * k as f64).cos() / (1.0 + 0.01 * k as f64)).collect()
}

fn first(s: &Setting, axis: isize) -> Result<Operator, Failure> {
    Ok(FirstDerivative::new(s.space()?, axis, 1.0, Scheme::Centered3, Edge::Reduced)?)
}

fn laplacian(s: &Setting) -> Result<Operator, Failure> {
    let along = |axis| Along { axis: axis as isize, step: 1.0, weight: 1.0 };
    let terms: Vec<Along> = (0..s.shape.len()).map(along).collect();
    Ok(Laplacian::new(s.space()?, &terms, Scheme::Centered3, Edge::Zero)?)
}

fn rows(shape: &[usize]) -> Vec<Row> {
    type Along = fn(&Setting, isize, usize) -> Result<Operator, Failure>;
    let (rank, last) = (shape.len(), shape.len() - 1);
    let mut rows = Vec::new();
    let mut along = |name: &str, taps: usize, goals: [f64; 2], make: Along| {
        for (axis, extent) in shape.iter().enumerate() {
            let goal = Some(if axis == last { goals[0] } else { goals[1] });
            let weights = if name == "Diagonal" { *extent } else { 0 };
            rows.push(Row {
                name: format!("{name}, axis {axis}"),
                make: Box::new(move |s| make(s, axis as isize, taps)),
                goals: [goal; 2],
                weights,
            });
        }
    };
    along("FirstDerivative", 0, [0.9; 2], |s, axis, _| first(s, axis));
    along("SecondDerivative", 0, [0.9; 2], |s, axis, _| {
        Ok(SecondDerivative::new(s.space()?, axis, 1.0, Scheme::Centered3, Edge::Zero)?)
    });
    along("Diagonal", 0, [0.9; 2], |s, axis, _| {
        let weights = s.random(&[s.shape[axis as usize]], 1)?;
        Ok(Diagonal::along(s.space()?, axis, weights)?)
    });
    let convolve: Along =
        |s, axis, taps| Ok(Convolve1D::new(s.space()?, axis, &filter(taps), taps / 2)?);
    along("Convolve1D, 21 taps", 21, [0.8, 0.62], convolve);
    along("Convolve1D, 41 taps", 41, [0.45, 0.55], convolve);
    along("Convolve1D, 101 taps", 101, [0.25, 0.32], convolve);
    if shape.iter().all(|extent| *extent >= 401) {
        along("Convolve1D, 401 taps", 401, [0.0; 2], convolve);
    }
    let other = |name: &str, goals, make: fn(&Setting) -> Result<Operator, Failure>| Row {
        name: name.to_owned(),
        make: Box::new(make),
        goals,
        weights: 0,
    };
    let star = if rank == 2 { 0.8 } else { 0.68 };
    rows.push(other("Laplacian", [Some(star); 2], laplacian));
    rows.push(other("PoststackLinearModelling, 41 taps", [Some(0.5); 2], |s| {
        Ok(PoststackLinearModelling::new(s.space()?, &filter(41), Scheme::Centered3)?)
    }));
    rows.push(other("vstack of FirstDerivative and Laplacian", [None, Some(0.6)], |s| {
        Ok(vstack([first(s, 0)?, laplacian(s)?])?)
    }));
    rows
}

/// The times of forward and adjoint.
fn times(s: &Setting, a: &Operator) -> Result<[f64; 2], Failure> {
    let on = on(s.device)?;
    let mut x = s.random(a.domain().shape(), 3)?;
    let mut y = s.random(a.range().shape(), 4)?;
    let mut workspace = Workspace::of(a, &*on)?;
    let set = Update::set();
    let forward =
        s.time(|| Ok(a.apply_with(&mut workspace, &*on, x.view(), y.view_mut(), set)?))?;
    let adjoint =
        s.time(|| Ok(a.apply_adjoint_with(&mut workspace, &*on, y.view(), x.view_mut(), set)?))?;
    Ok([forward, adjoint])
}

/// GB/s of a copy of that size, read and written.
fn copy_rate(s: &Setting) -> Result<f64, Failure> {
    let (from, mut to) = (s.random(&s.shape, 6)?, s.random(&s.shape, 7)?);
    let executor = on(s.device)?;
    let time = s.time(|| Ok(executor.copy(from.view(), to.view_mut(), Update::set())?))?;
    Ok(2.0 * (from.layout().len() * s.dtype.bytes()) as f64 / time * 1e-6)
}

/// What was asked for.
struct Asked {
    device: Device,
    shapes: Vec<Vec<usize>>,
    dtypes: Vec<DType>,
    /// Parts of the names of rows, of which one is to be in each.
    only: String,
}

impl Asked {
    /// # Errors
    /// A device that is not there, a word that is no size, parts of names that no row has.
    fn of(words: impl Iterator<Item = String>) -> Result<Self, Failure> {
        let mut dtypes = vec![DType::Float32, DType::Float64, DType::Complex64];
        let (mut device, mut shapes, mut only) = (None, Vec::new(), String::new());
        let mut words = words.filter(|word| word != "--bench");
        while let Some(word) = words.next() {
            match &word[..] {
                "--float32" => dtypes.truncate(1),
                "--only" => only = words.next().ok_or("--only takes parts of names: A|B")?,
                name if device.is_none() => device = Some(name.parse::<Device>()?),
                size => {
                    let extents =
                        size.split('x').map(str::parse).collect::<Result<Vec<usize>, _>>();
                    let shape = extents.ok().filter(|shape| !shape.contains(&0));
                    shapes
                        .push(shape.ok_or_else(|| format!("{size:?} is not a size as 7919x8191"))?);
                }
            }
        }
        if shapes.is_empty() {
            shapes.extend(SIZES.map(<[usize]>::to_vec));
        }
        let asked = Self { device: device.unwrap_or(Device::cpu()), shapes, dtypes, only };
        if asked.shapes.iter().all(|shape| asked.rows(shape).next().is_none()) {
            return Err(format!("no row has {:?} in its name", asked.only).into());
        }
        Ok(asked)
    }

    /// The rows of arrays of that shape.
    fn rows(&self, shape: &[usize]) -> impl Iterator<Item = Row> {
        let named = |row: &Row| self.only.split('|').any(|part| row.name.contains(part));
        rows(shape).into_iter().filter(named)
    }
}

fn main() -> Result<(), Failure> {
    let asked = Asked::of(std::env::args().skip(1))?;
    let device = asked.device;
    let (mut below, mut judged) = (0, 0);
    for shape in &asked.shapes {
        let size = shape.iter().map(usize::to_string).collect::<Vec<_>>().join("x");
        // What the goals are of.
        let large = shape.iter().product::<usize>() >= 16_000_000;
        let has_goals = !device.is_cpu() && large && shape.iter().all(|extent| *extent >= 64);
        for &dtype in &asked.dtypes {
            let s = Setting { device, shape: shape.clone(), dtype };
            let rate = copy_rate(&s)?;
            println!("{size} {dtype}: copy {rate:.0} GB/s");
            println!(
                "  {:44} {:>8} {:>8}  {:>5} {:>5}  {:>5}",
                "", "forward", "adjoint", "share", "", "goal"
            );
            for row in asked.rows(shape) {
                let a = match (row.make)(&s) {
                    Ok(a) => a,
                    Err(error) => {
                        println!("  {:44} {error}", row.name);
                        continue;
                    }
                };
                let values: usize = [a.domain(), a.range()]
                    .map(|space| space.shape().iter().product::<usize>())
                    .iter()
                    .sum();
                let bytes = ((values + row.weights) * dtype.bytes()) as f64;
                let times = times(&s, &a)?;
                let shares = times.map(|time| bytes / time * 1e-6 / rate);
                let goals = row.goals.map(|goal| goal.filter(|goal| has_goals && *goal > 0.0));
                judged += goals.iter().flatten().count();
                let missed = shares.iter().zip(goals).filter(|(share, goal)| Some(**share) < *goal);
                let missed = missed.count();
                below += missed;
                let shown =
                    |goal: Option<f64>| goal.map_or("-".into(), |goal| format!("{goal:.2}"));
                println!(
                    "  {:44} {:8.4} {:8.4}  {:5.2} {:5.2}  {:>5} {:>5}{}",
                    row.name,
                    times[0],
                    times[1],
                    shares[0],
                    shares[1],
                    shown(goals[0]),
                    shown(goals[1]),
                    if missed > 0 { " below" } else { "" }
                );
            }
        }
    }
    println!("{below} of {judged} cells below their goal");
    if judged == 0 {
        println!("Goals are those of a GPU, of 16 million elements and axes of 64 at least.");
    }
    Ok(())
}
