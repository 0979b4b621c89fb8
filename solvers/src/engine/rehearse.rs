//! The kernels of a run, built side by side before it begins.
//!
//! A run meets a dozen kernels, one after the other, and would wait for the compiler at each. So its calls are planned once,
//! by an executor that launches nothing, and what they would have launched is built on all cores.

use arrayspan_bridge::{Array, View};
use arrayspan_kernels::{Executor, Vector, VectorMut, warm_up};
use arrayspan_operators::LinearMap;

use super::replay::only_here;
use super::run::{Method, Run};
use super::workspace::SolverWorkspace;
use crate::Result;

/// As [`run`], where that saves time and nobody sees that the operator is applied: its model.
///
/// Once for a workspace and runs of a kind. Where all kernels are there it takes about ten microseconds.
pub(crate) fn if_worth_while<M: Method>(
    method: &M,
    workspace: &mut SolverWorkspace<M::Vectors>,
    on: &dyn Executor,
    a: &dyn LinearMap,
    y: &View<'_>,
    (x, started): (Array, bool),
) -> Result<Array> {
    let kind = Some([method.damping() != 0.0, started]);
    let known = workspace.built_for == kind;
    let device = on.device();
    // What runs elsewhere would not be planned, but done.
    let plain = |a: &dyn LinearMap| only_here(a, on) && a.only_enqueues();
    let others = [method.preconditioner(), method.beside()];
    let inner = others.into_iter().flatten().all(|inner| plain(inner));
    if known || on.records() || !device.builds_side_by_side() || !inner || !plain(a) {
        return Ok(x);
    }
    let (_, x) = run(method, workspace, on, a, y, (x, started))?;
    workspace.built_for = kind;
    Ok(x)
}

/// Builds what a run launches, with arrays as these: how many kernels were not there yet, and its model.
pub(crate) fn run<M: Method>(
    method: &M,
    workspace: &mut SolverWorkspace<M::Vectors>,
    on: &dyn Executor,
    a: &dyn LinearMap,
    y: &View<'_>,
    (x, started): (Array, bool),
) -> Result<(usize, Array)> {
    let mut model = x;
    let built = warm_up(on.stream(), |on| -> Result<()> {
        let nothing = on.empty(&[0], model.dtype())?;
        let x = std::mem::replace(&mut model, nothing);
        let mut run = Run::new(method, workspace, on, a, y.clone(), (x, started));
        let rehearsed = run.rehearse();
        model = run.x;
        rehearsed
    })?;
    Ok((built, model))
}

impl<M: Method> Run<'_, M> {
    /// Enqueues one of each call that a run makes, where most of its kernels are met: nothing is scaled, and nothing comes
    /// to the host. For an executor that plans: the numbers make no sense.
    fn rehearse(&mut self) -> Result<()> {
        let (on, damped) = (self.on, self.damping != 0.0);
        if !self.started {
            self.x.assign_on(on, 0.0)?;
        }
        self.fill_residual()?;
        let measures_data = self.measures_data();
        let scalar = &mut self.w.number;
        if measures_data {
            self.y.abs().max_into(on, &mut *scalar)?;
        }
        if self.started {
            M::residual(&mut self.w.vectors).abs().max_into(on, &mut *scalar)?;
            self.y.norm_squared_into(on, &mut *scalar)?;
            if damped {
                self.x.abs().max_into(on, &mut *scalar)?;
            }
        }
        M::first(self)?;
        // Not zero, with which the scalars could be another expression.
        self.whole = 1.0;
        self.w.history.explain(on, &vec![1.0; self.w.history.columns().unwrap_or(1)])?;
        M::turn(self)?;
        // Two, where there is room: the second one begins where the first one ends. What one alone launches is among what they do.
        // And two of those that are alike, where the first ones are not.
        let (two, alone) = (self.w.history.room().min(2), self.method.alone(0));
        for done in if alone > 0 { vec![0, alone] } else { vec![0] } {
            self.done = done;
            if !(self.fuses() && self.iterate_fused(0..two).is_ok()) {
                M::iterate(self, 0)?;
            }
        }
        self.w.history.restart(on, 1)
    }
}

#[cfg(test)]
mod tests {
    use arrayspan_bridge::devices::{Device, caches};
    use arrayspan_bridge::{Array, DType};
    use arrayspan_operators::{
        Diagonal, Edge, FirstDerivative, MatrixMult, Operator, Scheme, Space, vstack,
    };

    use num_complex::Complex32;

    use super::*;
    use crate::{Cgls, Solver, Stop};

    fn array(shape: &[usize], dtype: DType, device: Device) -> Result<Array> {
        let len = shape.iter().product::<usize>();
        let values = (0..len).map(|i| ((i * 37 + 11) % 23) as f64 / 23.0 - 0.4);
        let array = match dtype {
            DType::Float32 => {
                Array::from_vec(values.map(|value| value as f32).collect::<Vec<_>>(), shape)
            }
            DType::Complex64 => {
                let number = |value| Complex32::new(value as f32, 0.5 - value as f32);
                Array::from_vec(values.map(number).collect::<Vec<_>>(), shape)
            }
            _ => Array::from_vec(values.collect::<Vec<_>>(), shape),
        };
        Ok(array?.to(device)?.0)
    }

    fn problems(device: Device, dtype: DType) -> Result<Vec<Operator>> {
        let space = Space::new([37, 19], dtype)?;
        let slope = FirstDerivative::new(space.clone(), 0, 1.0, Scheme::Centered3, Edge::Zero)?;
        let weights = array(&[37, 19], dtype, device)?.into_shared();
        let weights = Diagonal::new(space, weights)?;
        let matrix = array(&[40, 37], dtype, device)?.into_shared();
        let stacked = vstack![&slope, 0.5 * &weights]?;
        Ok(vec![slope, stacked, MatrixMult::new(matrix, &[19])?])
    }

    /// What is rehearsed is what runs: no kernel is built any more once a run has begun, whatever its dtype, damping
    /// and start, and however often the host checks.
    #[test]
    fn a_run_builds_no_kernel_that_was_not_rehearsed() -> Result<()> {
        let devices = Device::all().into_iter().filter(|device| device.kind().dialect().is_some());
        for device in devices {
            let on = arrayspan_kernels::on(device)?;
            let dtypes = [DType::Float32, DType::Complex64, DType::Float64];
            let dtypes = dtypes.into_iter().take(if device.info().float64 { 3 } else { 2 });
            // Each problem in one dtype: kernels are compiled slowly here and there.
            for (number, dtype) in dtypes.enumerate() {
                let a = problems(device, dtype)?.swap_remove(number);
                let damping = [0.0, 0.3, 0.3][number];
                let started = number == 2;
                let solver = Cgls { damping, stop: Stop::after(20), check_every: 7 };
                let y = array(a.range().shape(), dtype, device)?;
                let x = array(a.domain().shape(), dtype, device)?;
                let _ = caches::clear(device);
                let mut workspace = solver.workspace(&a, &*on)?;
                let (built, x) = run(&solver, &mut workspace, &*on, &a, &y.view(), (x, started))?;
                let kernels = caches::kernels(device);
                assert!(built > 5 && kernels > 5, "{device} {a:?}: {built} kernels");
                let start = started.then_some(x);
                let solution =
                    solver.solve_in(&mut workspace, &*on, &a, y.view(), start, &mut ())?;
                assert!(solution.iterations > 8, "{device} {a:?}: {:?}", solution.stopped);
                assert_eq!(caches::kernels(device), kernels, "{device} {dtype} {a:?}");
                println!("{device} {dtype} {a:?}: {kernels} kernels");
                if !started {
                    assert_eq!(solver.warm_up(&a, &*on)?, 0, "{device} {dtype} {a:?}");
                }
            }
        }
        Ok(())
    }

    #[test]
    fn where_no_kernels_run_there_is_nothing_to_rehearse() -> Result<()> {
        let cpu = Device::cpu();
        for a in problems(cpu, DType::Float64)? {
            assert_eq!(Cgls::default().warm_up(&a, &*arrayspan_kernels::on(cpu)?)?, 0);
        }
        Ok(())
    }
}
