//! The recurrence of [`IterativeThresholding`].
//!
//! Models and gradients of two iterations are kept side by side. An iteration writes over the older ones, so that those of even
//! number find the present model in the run's, and those of odd number in the other one.

use arrayspan_bridge::DType;
use arrayspan_kernels::{Expression, Update, Vector, VectorMut, constant, input, previous};
use arrayspan_operators::LinearOperator;

use super::backtracking;
use super::rows::{BETA, LAST, OBJECTIVE, T, WAY};
use super::thresholded::{Level, Tools, parts, sum_penalty, threshold};
use super::vectors::Vectors;
use crate::engine::history::{GRADIENT, RESIDUAL, STEP, State};
use crate::engine::run::{Run, above};
use crate::engine::scale::{epsilon, power, times};
use crate::engine::system::Parts;
use crate::{IterativeThresholding, Result};

/// The first column from its third row on. Inputs are the residual and the gradient.
pub(super) fn begin<const ACCELERATED: bool>(way: Expression, scalars: DType) -> Vec<Expression> {
    let most = if scalars == DType::Float32 { f64::from(f32::MAX) } else { f64::MAX };
    let mut state = vec![constant(1.0), input(1), way];
    if ACCELERATED {
        state.extend([constant(0.0), constant(0.0), constant(most)]);
    }
    state
}

/// Makes ready what the first iteration looks back at.
pub(super) fn turn<const ACCELERATED: bool>(
    run: &mut Run<'_, IterativeThresholding<ACCELERATED>>,
) -> Result<()> {
    let method = run.method;
    run.next = Some(if method.backtracking { backtracking::scalars(run) } else { scalars(run) });
    if method.backtracking {
        backtracking::turn(run)?;
    }
    let started = run.started;
    let Parts { vectors, x, on, .. } = run.parts();
    let Vectors { other, gradients, coefficients, work, penalty, .. } = vectors;
    on.copy(x.view(), other.view_mut(), Update::set())?;
    if let [now, before] = &mut gradients[..] {
        on.copy(now.view(), before.view_mut(), Update::set())?;
    }
    if !method.restarts() {
        return Ok(());
    }
    if !started {
        return Ok(penalty.assign_on(on, 0.0)?);
    }
    match &method.sparsity.basis {
        None => sum_penalty(method, on, x, penalty),
        Some(basis) => {
            let (of, work) = parts(method, coefficients.as_mut(), work.as_mut())?;
            basis.apply_adjoint_with(work, on, x.view(), of.view_mut(), Update::set())?;
            sum_penalty(method, on, of, penalty)
        }
    }
}

/// One step. All of it is enqueued; nothing comes to the host.
pub(super) fn iterate<const ACCELERATED: bool>(
    run: &mut Run<'_, IterativeThresholding<ACCELERATED>>,
    step: usize,
) -> Result<()> {
    if run.method.backtracking {
        return backtracking::iterate(run, step);
    }
    let (method, y, scale) = (run.method, run.y.clone(), run.scale);
    let length = run.w.vectors.step;
    // The method's own step, for the operator as it is.
    let own = unscaled(length, scale.operator);
    let level = method.sparsity.level(own, run.done + step, scale.model());
    let y = times(scale.data, y.dtype(), y);

    let Parts { mut system, vectors, history, x, next, on } = run.parts();
    let Vectors { residual, other, gradients, coefficients, work, percentile, penalty, .. } =
        vectors;
    let (now, other) = if step.is_multiple_of(2) { (x, other) } else { (other, x) };
    let [at, before] = [step, step + 1].map(|step| step % gradients.len());

    let known = [RESIDUAL, GRADIENT, LAST, WAY, T, OBJECTIVE];
    let known = if ACCELERATED { &known[..] } else { &known[..4] };
    let others = [penalty.view()];
    history.advance(on, step, known, &others[..usize::from(method.restarts())], next)?;

    let go = history.get(STEP, step + 1)?;
    let mut inputs = vec![now.view(), gradients[at].view(), go];
    let mut moved = input(0) + constant(length) * input(1);
    if ACCELERATED {
        inputs.extend([gradients[before].view(), history.get(BETA, step + 1)?]);
        let ahead = input(0) - previous() + constant(length) * (input(1) - input(3));
        moved = moved + input(4) * ahead;
    }
    let mut tools = Tools {
        coefficients: coefficients.as_mut(),
        work: work.as_mut(),
        percentile: percentile.as_mut(),
    };
    threshold(method, on, &mut tools, (moved, inputs), &Level::Host(level), other)?;
    if method.restarts() {
        let of = coefficients.as_ref().filter(|_| method.sparsity.basis.is_some()).unwrap_or(other);
        sum_penalty(method, on, of, penalty)?;
    }
    let change = &*other - &*now;
    ((1.0 / length) * change).norm_squared_into(on, history.get_mut(GRADIENT, step + 1)?)?;
    system.forward(other, residual)?;
    residual.update_on(on, |image| y - image)?;
    residual.norm_squared_into(on, history.get_mut(RESIDUAL, step + 1)?)?;
    system.adjoint(residual, &mut gradients[before])
}

/// The next column, of the residual, the gradient now and before, the way, `t`, the objective before, and the penalty.
fn scalars<const ACCELERATED: bool>(run: &Run<'_, IterativeThresholding<ACCELERATED>>) -> State {
    let [residual, gradient, last, way, t, before, penalty] = [0, 1, 2, 3, 4, 5, 6].map(input);
    let (method, length, exponent) = (run.method, run.w.vectors.step, run.scale.model());
    let way = way + constant(length) * gradient.clone().sqrt();
    // One short step may be where the momentum turns; two are none.
    let reach = constant(length) * gradient.clone().max(last).sqrt();
    let epsilon = epsilon(run.a.domain().dtype());
    let go = above(reach, constant(epsilon) * way.clone());
    let mut state = vec![go, gradient, way];
    if !ACCELERATED {
        return state;
    }
    let (mut t, mut objective) = (t, before.clone());
    if method.restarts() {
        let own = unscaled(length, run.scale.operator);
        let weight = method.sparsity.scaled_weight(own, exponent, length);
        objective = residual + constant(weight).mul_or_zero(penalty);
        t = t * (constant(1.0) - above(objective.clone(), before));
    }
    let one = || constant(1.0);
    let next = constant(0.5) * (one() + (one() + constant(4.0) * t.clone().abs2()).sqrt());
    state.extend([(t - one()).max(constant(0.0)) / next.clone(), next, objective]);
    state
}

/// A step for the operator as it is, of one for the operator times `2^exponent`. By two factors, whose square may be beyond all numbers.
fn unscaled(step: f64, exponent: i32) -> f64 {
    power(exponent, power(exponent, step))
}
