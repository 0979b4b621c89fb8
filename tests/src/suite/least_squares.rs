//! What solvers of least squares must reach.

use arrayspan_bridge::DType;
use arrayspan_devices::DeviceKind;
use arrayspan_kernels::Trace;
use arrayspan_operators::{PoststackLinearModelling, Scheme, Space};
use arrayspan_solvers::{Cgls, Solver, Stop};

use super::sample::Sample;
use super::{Arrangement, Cell, Values, Verdict, devices, golden};

/// A least-squares law, tried in one cell.
pub type Law = fn(&Cell) -> Verdict;

/// `Cgls` takes the golden steps: without damping, with it, and from a start vector.
///
/// # Errors
/// When solution or residuals differ by more than rounding, or the data are missing.
pub fn golden_steps(cell: &Cell) -> Verdict {
    for (case, damping) in [("plain", 0.0), ("damped", 0.5), ("started", 0.5)] {
        let key = format!("cgls/{case}");
        let array = |name| golden::array(*cell, &key, name);
        let place = |values: &Values| {
            devices::place(values, cell.dtype, cell.device, Arrangement::RowMajor)
        };
        let a = operator(cell, &array("wavelet")?)?;
        let y = array("y")?.reshaped(&[31, 3])?;
        let start = match case {
            "started" => Some(place(&array("start")?.reshaped(&[31, 3])?)?),
            _ => None,
        };
        let residuals = array("residuals")?;
        let iterations = residuals.numbers.len() - 1;
        for check_every in [1, 5, 100] {
            let solver = Cgls { damping, stop: Stop::after(iterations), check_every };
            let start = match &start {
                Some(start) => Some(place(&devices::read(start)?)?),
                None => None,
            };
            let solution = solver.solve_from(&a, &place(&y)?, start, &mut ())?;
            // Rounding grows with the iterations, as directions lose their conjugacy.
            let tolerance = 50.0 * cell.tolerance(y.numbers.len());
            let x = devices::read(&solution.x)?;
            let expected = array("x")?.reshaped(&[31, 3])?;
            let what = format!("{case} checking every {check_every}");
            x.expect_near(&expected, tolerance * expected.norm(), &format!("{what}: solution"))?;
            let numbers = solution.residuals.iter().map(|&norm| norm.into()).collect();
            let found = Values { shape: residuals.shape.clone(), numbers };
            let bound = tolerance * residuals.norm();
            found.expect_near(&residuals, bound, &format!("{what}: residuals"))?;
        }
    }
    Ok(())
}

/// An iteration of `Cgls` moves what its documentation says, and no vector more.
///
/// # Errors
/// When it does not.
pub fn cgls_bytes(cell: &Cell) -> Verdict {
    let space = Space::new([97, 13], cell.dtype)?;
    let len = space.len();
    let wavelet = Values::random(&Space::new([5], DType::Float64)?, 31).numbers;
    let a = PoststackLinearModelling::new(space.clone(), &wavelet, Scheme::Centered3)?;
    let y = Values::random(&space, 32);
    let y = devices::place(&y, cell.dtype, cell.device, Arrangement::RowMajor)?;
    let bytes = |damping, iterations| -> Result<usize, arrayspan_solvers::Error> {
        let trace = Trace::of(cell.executor()?);
        let solver = Cgls { damping, stop: Stop::after(iterations), check_every: 10 };
        let mut workspace = solver.workspace(&a, &trace)?;
        solver.solve_in(&mut workspace, &trace, &a, y.view(), None, &mut ())?;
        Ok(trace.take().bytes())
    };
    for (damping, vectors) in [(0.0, 6 + 4), (0.5, 11 + 4)] {
        let found = bytes(damping, 20)? - bytes(damping, 10)?;
        // Both directions of the operator read and write a vector each.
        let expected = 10 * (vectors + 4) * len * cell.dtype.bytes();
        // Scalars are read and written beside the vectors: less than half a vector an iteration.
        let slack = 5 * len * cell.dtype.bytes();
        if found < expected || found > expected + slack {
            let why =
                format!("damping {damping}: 10 iterations move {found} bytes, not {expected}");
            return Err(why.into());
        }
    }
    Ok(())
}

/// Tries a law on every device of this kind, as [`hold`](super::hold) does; where kernels are compiled slowly in one dtype.
///
/// # Panics
/// When it is broken.
pub fn hold(kind: DeviceKind, dtype: DType, law: Law) {
    let sample = Sample::from_environment();
    for cell in super::cells::all(kind, dtype) {
        if sample.applies(cell) && !sample.has(dtype) {
            println!(
                "skipped: where kernels are compiled slowly, a seed chooses the dtype of solvers"
            );
            continue;
        }
        if let Err(why) = law(&cell) {
            panic!("{} {dtype}: {why}", cell.device);
        }
    }
}

fn operator(
    cell: &Cell,
    wavelet: &Values,
) -> arrayspan_operators::Result<arrayspan_operators::Operator> {
    let space = Space::new([31, 3], cell.dtype)?;
    PoststackLinearModelling::new(space, &wavelet.numbers, Scheme::Centered3)
}
