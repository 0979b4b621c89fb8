//! What is measured, and what is asked of it.

use arrayspan::prelude::*;

use crate::measure::{Failure, Way, apply, array, time, wavelet};

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

/// The rows that have a goal in milliseconds.
pub(crate) fn goals(rows: &mut Vec<Row>) -> Result<(), Failure> {
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
