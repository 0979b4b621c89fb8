//! What is measured, and what is asked of it.

use arrayspan::bridge::parallel;
use arrayspan::kernels::{Reduction, input};
use arrayspan::prelude::*;

use crate::data::{array, lent};
use crate::measure::{Failure, Way, apply, time, wavelet};

/// What is asked of a row on 16 cores.
#[derive(Clone, Copy)]
pub(crate) enum Goal {
    /// At most so many milliseconds.
    Milliseconds(f64),
    /// At least this part of the rate at which memory is copied.
    Share(f64),
    None,
}

/// One measurement.
pub(crate) struct Row {
    pub(crate) name: String,
    /// Bytes that must move, and floating-point operations, of one run.
    pub(crate) bytes: f64,
    pub(crate) flops: f64,
    pub(crate) goal: Goal,
    pub(crate) run: Box<dyn Fn() -> Result<f64, Failure>>,
}

fn bytes(space: &Space) -> f64 {
    (space.shape().iter().product::<usize>() * space.dtype().bytes()) as f64
}

pub(crate) fn named(shape: &[usize], dtype: DType) -> String {
    let shape: Vec<String> = shape.iter().map(usize::to_string).collect();
    format!("{} {dtype}", shape.join("x"))
}

/// An operator, applied; `taps` products and sums for each element of the output.
pub(crate) fn operator(
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

/// A filter along an axis.
pub(crate) fn convolution(space: &Space, taps: i32, axis: isize, goal: Goal) -> Row {
    let name = format!("convolve1d_{taps} axis {axis} {}", named(space.shape(), space.dtype()));
    let of = space.clone();
    let make = move || {
        let wavelet = wavelet(taps);
        Ok(Convolve1D::new(of.clone(), axis, &wavelet, wavelet.len() / 2)?)
    };
    operator(name, space, (2.0, taps as usize), goal, Way::Forward, make)
}

/// The rows that have a goal in milliseconds, and behind them what these are made of.
pub(crate) fn goals(rows: &mut Vec<Row>) -> Result<(), Failure> {
    rows.push(cgls([1000, 1000], 25.0)?);
    rows.push(cgls([100, 100], 2.0)?);
    let large = Space::new([7919, 8191], DType::Float32)?;
    rows.push(copy(&large, Goal::Milliseconds(6.0)));
    for (taps, most) in [(41, 10.0), (101, 22.0)] {
        for axis in [0, 1] {
            rows.push(convolution(&large, taps, axis, Goal::Milliseconds(most)));
        }
    }
    rows.push(to_owned(&large));
    rows.push(nothing());
    for shape in [[1000, 1000], [100, 100]] {
        let space = Space::new(shape, DType::Float32)?;
        let (of, at) = (space.clone(), named(&shape, DType::Float32));
        let make =
            move || Ok(PoststackLinearModelling::new(of.clone(), &wavelet(41), Scheme::Centered3)?);
        for (name, way) in [("poststack41", Way::Forward), ("poststack41_adjoint", Way::Adjoint)] {
            let name = format!("{name} {at}");
            rows.push(operator(name, &space, (2.0, 43), Goal::None, way, make.clone()));
        }
        rows.push(copy(&space, Goal::None));
        rows.push(update(&space));
        rows.push(squares(&space));
    }
    Ok(())
}

fn cgls(shape: [usize; 2], most: f64) -> Result<Row, Failure> {
    let space = Space::new(shape, DType::Float32)?;
    let of = space.clone();
    let run = move || {
        let a = PoststackLinearModelling::new(of.clone(), &wavelet(41), Scheme::Centered3)?;
        let solver = Cgls { stop: Stop::after(50), check_every: 50, ..Cgls::default() };
        let (on, y) = (on(Device::cpu())?, a.forward(&array(&shape, DType::Float32)?)?);
        let mut workspace = solver.workspace(&a, &*on)?;
        time(|| {
            solver.solve_in(&mut workspace, &*on, &a, y.view(), None, &mut ())?;
            Ok(())
        })
    };
    // Both directions, then what is read and written by the recurrence at best.
    let (elements, steps) = (shape.iter().product::<usize>() as f64, 50.0);
    Ok(Row {
        name: format!("cgls50_poststack41 {}", named(&shape, DType::Float32)),
        bytes: steps * 13.0 * 4.0 * elements,
        flops: steps * elements * (2.0 * 2.0 * 43.0 + 12.0),
        goal: Goal::Milliseconds(most),
        run: Box::new(run),
    })
}

/// What it takes to call all threads and to wait for them.
fn nothing() -> Row {
    let run = || {
        let threads = parallel::threads(usize::MAX);
        time(|| {
            parallel::share(threads, 0..threads, &|part| {
                std::hint::black_box(part);
            });
            Ok(())
        })
    };
    let name = "nothing, shared by all threads".to_owned();
    Row { name, bytes: 0.0, flops: 0.0, goal: Goal::None, run: Box::new(run) }
}

/// From one array into another.
fn copy(space: &Space, goal: Goal) -> Row {
    let of = space.clone();
    let run = move || {
        let on = on(Device::cpu())?;
        let (x, mut y) = (lent(of.shape(), of.dtype())?, lent(of.shape(), of.dtype())?);
        time(|| Ok(on.copy(x.view(), y.view_mut(), Update::set())?))
    };
    let name = format!("copy {}", named(space.shape(), space.dtype()));
    Row { name, bytes: 2.0 * bytes(space), flops: 0.0, goal, run: Box::new(run) }
}

/// Into a new array.
fn to_owned(space: &Space) -> Row {
    let of = space.clone();
    let run = move || {
        let (on, x) = (on(Device::cpu())?, lent(of.shape(), of.dtype())?);
        time(|| {
            let mut y = on.empty(of.shape(), of.dtype())?;
            Ok(on.copy(x.view(), y.view_mut(), Update::set())?)
        })
    };
    let name = format!("to_owned {}", named(space.shape(), space.dtype()));
    Row { name, bytes: 2.0 * bytes(space), flops: 0.0, goal: Goal::None, run: Box::new(run) }
}

/// A vector added to another.
fn update(space: &Space) -> Row {
    let of = space.clone();
    let run = move || {
        let on = on(Device::cpu())?;
        let (x, mut y) = (lent(of.shape(), of.dtype())?, lent(of.shape(), of.dtype())?);
        time(|| Ok(on.copy(x.view(), y.view_mut(), Update::new(0.5, 0.5))?))
    };
    let name = format!("update {}", named(space.shape(), space.dtype()));
    Row { name, bytes: 3.0 * bytes(space), flops: 0.0, goal: Goal::None, run: Box::new(run) }
}

/// The sum of squares.
fn squares(space: &Space) -> Row {
    let of = space.clone();
    let run = move || {
        let (on, x) = (on(Device::cpu())?, lent(of.shape(), of.dtype())?);
        let mut sum = on.empty(&[], DType::Float64)?;
        let square = input(0).abs2();
        time(|| {
            let inputs = [x.view()];
            Ok(on.reduce(Reduction::Sum, &square, &inputs, &[0, 1], sum.view_mut())?)
        })
    };
    let name = format!("sum_of_squares {}", named(space.shape(), space.dtype()));
    Row { name, bytes: bytes(space), flops: 0.0, goal: Goal::None, run: Box::new(run) }
}
