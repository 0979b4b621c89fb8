//! Steps that are tried: taken where the misfit is below the parabola that they stand for, otherwise halved.
//!
//! A step `τ` from `z` leads to the candidate `c`. It is taken where `‖A (c - z)‖² ≤ ‖c - z‖²/τ`, which for a square is
//! `f(c) ≤ f(z) + <∇f(z), c - z> + ‖c - z‖²/(2 τ)` with `f(x) = ½ ‖y - A x‖²` (Beck and Teboulle, SIAM J. Imaging Sci. 2 (2009) 183, equation 2.5).
//! With `z = x + β (x - x₋)` the image `A (c - z)` is `r + β (r - r₋) - r⁺` of the residuals, so that the candidate's, which is needed anyway, is all
//! that is applied for it.
//!
//! Nothing of this comes to the host: a number that is 1 or 0 chooses between candidate and model in each vector, by products that are zero where the number
//! is, whatever the other factor. After a candidate that is not taken, the model before is the model, too, so that `z = x`: momentum begins anew.

use arrayspan_kernels::{Expression, Update, Vector, VectorMut, constant, input, previous};

use super::rows::{BETA, LAST, OBJECTIVE, ROWS, T, WAY};
use super::thresholded::{Level, Tools, lacking, sum_penalty, threshold};
use super::tried::Tried;
use super::vectors::Vectors;
use crate::engine::history::{GRADIENT, RESIDUAL, STEP, State};
use crate::engine::read::squared;
use crate::engine::run::{Run, above};
use crate::engine::scale::{epsilon, power, times};
use crate::engine::system::Parts;
use crate::sparse::threshold::Shape;
use crate::{IterativeThresholding, Result};

/// How many rows backtracking adds.
const MORE: usize = 3;
/// What rounding makes of residuals and steps, in `ε`.
const SLACK: f64 = 10.0;
/// The longest first step beside that along the first gradient: of much longer ones the candidate may be beyond all numbers.
const LONGEST: f64 = 1_048_576.0;

/// The rows of the step, of the threshold's level without decay, and of whether the last candidate was taken (1) or not (0).
const fn added<const ACCELERATED: bool>() -> [usize; MORE] {
    let first = if ACCELERATED { ROWS } else { BETA };
    [first, first + 1, first + 2]
}

/// All rows.
pub(super) const fn rows<const ACCELERATED: bool>() -> usize {
    added::<ACCELERATED>()[0] + MORE
}

/// The first column from the rows on that backtracking adds. [`turn`] writes two of them.
pub(super) fn begin() -> [Expression; MORE] {
    [constant(1.0), constant(0.0), constant(1.0)]
}

/// The first step, for the operator as the run has it: the longest one along the gradient `g` that would be taken, `‖g‖²/‖A g‖²`, which is at least
/// `1/‖A‖²`; or that of the method. Waits for it.
pub(super) fn first<const ACCELERATED: bool>(
    run: &mut Run<'_, IterativeThresholding<ACCELERATED>>,
) -> Result<f64> {
    let (method, scale) = (run.method, run.scale);
    let Parts { mut system, vectors, .. } = run.parts();
    let tried = vectors.tried.as_mut().ok_or_else(|| lacking(method))?;
    system.forward(&vectors.gradients[0], &mut tried.residuals[0])?;
    let (on, w) = (run.on, &mut *run.w);
    let Vectors { gradients, tried, .. } = &w.vectors;
    let image = tried.as_ref().map(|tried| &tried.residuals[0]).ok_or_else(|| lacking(method))?;
    let own = squared(on, &mut w.number, &gradients[0])?;
    let quotient = own / squared(on, &mut w.number, image)?;
    // Nothing is to be done where the gradient is zero.
    let quotient = if quotient.is_finite() && quotient > 0.0 { quotient } else { 1.0 };
    Ok(method.step.map_or(quotient, |step| {
        // Of the scaled operator; by two factors, whose square may be beyond all numbers.
        power(-scale.operator, power(-scale.operator, step)).min(LONGEST * quotient)
    }))
}

/// Makes ready what the first iteration looks back at.
pub(super) fn turn<const ACCELERATED: bool>(
    run: &mut Run<'_, IterativeThresholding<ACCELERATED>>,
) -> Result<()> {
    let (method, step) = (run.method, run.w.vectors.step);
    let weight = method.sparsity.weight_in(run.scale);
    let level = method.sparsity.threshold.level(0.5 * weight * step);
    let Parts { vectors, history, on, .. } = run.parts();
    let Vectors { residual, tried, .. } = vectors;
    let tried = tried.as_mut().ok_or_else(|| lacking(method))?;
    for kept in &mut tried.residuals {
        on.copy(residual.view(), kept.view_mut(), Update::set())?;
    }
    let [length, thresholds, _] = added::<ACCELERATED>();
    history.get_mut(length, 0)?.assign_on(on, step)?;
    Ok(history.get_mut(thresholds, 0)?.assign_on(on, level)?)
}

/// One try. All of it is enqueued; nothing comes to the host.
pub(super) fn iterate<const ACCELERATED: bool>(
    run: &mut Run<'_, IterativeThresholding<ACCELERATED>>,
    step: usize,
) -> Result<()> {
    let (method, y) = (run.method, times(run.scale.data, run.y.dtype(), run.y.clone()));
    let decay = method.sparsity.decayed(run.done + step);
    let rows = decided(run);
    let [length, thresholds, taken] = added::<ACCELERATED>();

    let Parts { mut system, vectors, history, x, next, on } = run.parts();
    let Vectors { residual, other, gradients, coefficients, work, percentile, .. } = vectors;
    let (penalty, tried) = (&mut vectors.penalty, vectors.tried.as_mut());
    let Tried { candidate, residuals, squares, penalty: new_penalty, shares } =
        tried.ok_or_else(|| lacking(method))?;
    let even = step.is_multiple_of(2);
    let (now, other) = if even { (x, other) } else { (other, x) };
    let [first, second] = &mut gradients[..] else { return Err(lacking(method)) };
    let (gradient, before) = if even { (first, second) } else { (second, first) };

    let known = [RESIDUAL, GRADIENT, LAST, WAY, length, thresholds, taken, T, OBJECTIVE];
    let known = if ACCELERATED { &known[..] } else { &known[..7] };
    let others = [penalty.view()];
    history.advance(on, step, known, &others[..usize::from(method.restarts())], next)?;

    // The candidate, and how far it is from where it was tried.
    let scalar = |row: usize| history.get(row, step + 1);
    let mut inputs = vec![now.view(), gradient.view(), scalar(STEP)?, scalar(length)?];
    let mut moved = input(0) + input(3) * input(1);
    if ACCELERATED {
        inputs.extend([other.view(), before.view(), scalar(BETA)?]);
        let ahead = input(0) - input(4) + input(3) * (input(1) - input(5));
        moved = moved + input(6) * ahead;
    }
    let mut tools = Tools {
        coefficients: coefficients.as_mut(),
        work: work.as_mut(),
        percentile: percentile.as_mut(),
    };
    let level = Level::Device(scalar(thresholds)?, decay);
    threshold(method, on, &mut tools, (moved, inputs), &level, candidate)?;
    if method.restarts() {
        let of = coefficients.as_ref().filter(|_| method.sparsity.basis.is_some());
        sum_penalty(method, on, of.unwrap_or(candidate), new_penalty)?;
    }
    let [image, way, change, misfit] = squares;
    (&*candidate - &*now).norm_squared_into(on, &mut *change)?;
    system.forward(&*candidate, residual)?;
    residual.update_on(on, |image| y - image)?;
    residual.norm_squared_into(on, &mut *misfit)?;
    let (here, there) = match &mut residuals[..] {
        [first, second] if even => (&*first, Some(second)),
        [first, second] => (&*second, Some(first)),
        [only] => (&*only, None),
        _ => return Err(lacking(method)),
    };
    if let Some(before) = &there {
        for share in &mut *shares {
            on.map(&input(0), &[scalar(BETA)?], share.view_mut())?;
        }
        let (Some(of_models), Some(of_data)) = (shares.first(), shares.last()) else {
            return Err(lacking(method));
        };
        let ahead = of_models * (&*now - &*other);
        (&*candidate - &*now - ahead).norm_squared_into(on, &mut *way)?;
        let ahead = of_data * (here - &**before);
        (here + ahead - &*residual).norm_squared_into(on, &mut *image)?;
    } else {
        on.copy(change.view(), way.view_mut(), Update::set())?;
        (here - &*residual).norm_squared_into(on, &mut *image)?;
    }
    system.adjoint(residual, before)?;

    let squares = [image.view(), way.view(), change.view(), misfit.view()];
    history.revise(on, step, [&[RESIDUAL, GRADIENT, WAY], &[STEP, length]], &squares, &rows)?;

    // What was tried where it is taken, else what there is.
    let taken = history.get(taken, step + 1)?;
    let other_share = |taken: Expression| constant(1.0) - taken;
    let tried = input(0).mul_or_zero(input(2)) + input(1).mul_or_zero(other_share(input(2)));
    let kept = previous().mul_or_zero(input(1)) + input(0).mul_or_zero(other_share(input(1)));
    let new = input(0).mul_or_zero(input(1)) + previous().mul_or_zero(other_share(input(1)));
    on.map(&tried, &[candidate.view(), now.view(), taken.clone()], other.view_mut())?;
    on.map(&kept, &[gradient.view(), taken.clone()], before.view_mut())?;
    if method.restarts() {
        on.map(&new, &[new_penalty.view(), taken.clone()], penalty.view_mut())?;
    }
    match &mut residuals[..] {
        [first, second] => {
            let (here, there) = if even { (first, second) } else { (second, first) };
            on.map(&tried, &[residual.view(), here.view(), taken], there.view_mut())?;
        }
        [only, ..] => on.map(&new, &[residual.view(), taken], only.view_mut())?,
        [] => {}
    }
    Ok(())
}

/// The rows that are known once a candidate is. Inputs are residual, gradient and way before, whether the iteration goes on, its step, and the four
/// squares of the candidate.
fn decided<const ACCELERATED: bool>(
    run: &Run<'_, IterativeThresholding<ACCELERATED>>,
) -> [(usize, Expression); 4] {
    let [residual, gradient, way, go, step, image, moved, change, misfit] =
        [0, 1, 2, 3, 4, 5, 6, 7, 8].map(input);
    let rounding = SLACK * epsilon(run.a.domain().dtype());
    let slack = rounding.powi(2);
    let one = || constant(1.0);
    // Of the first gradient both sides are the same. The way says how large models are, and with the step how large their images may be, which are rounded.
    let moved = constant(1.0 + rounding) * moved;
    let most = (moved + constant(slack) * way.clone() * way.clone()) / step.clone();
    let allowed = above(most + constant(slack * run.whole), image);
    // A frozen iteration stays what it is.
    let taken = one() - whole(go) * (one() - whole(allowed));
    let chosen = |new: Expression, old: Expression| {
        new.mul_or_zero(taken.clone()) + old.mul_or_zero(one() - taken.clone())
    };
    let length = change.clone().sqrt();
    let slope = length.clone() / step;
    let [_, _, row] = added::<ACCELERATED>();
    [
        (RESIDUAL, chosen(misfit, residual)),
        (GRADIENT, chosen(slope.clone() * slope, gradient)),
        (WAY, way + length.mul_or_zero(taken.clone())),
        (row, taken),
    ]
}

/// The next column, of residual, gradient now and before, way, step, level, whether the last candidate was taken, `t`, the objective before, and the
/// penalty.
pub(super) fn scalars<const ACCELERATED: bool>(
    run: &Run<'_, IterativeThresholding<ACCELERATED>>,
) -> State {
    let [residual, gradient, last, way, step, level, taken, t, before, penalty] =
        [0, 1, 2, 3, 4, 5, 6, 7, 8, 9].map(input);
    let (method, one) = (run.method, || constant(1.0));
    // One short step may be where the momentum turns; two are none. After a step that was not taken there is another one.
    let reach = step.clone() * gradient.clone().max(last).sqrt();
    let epsilon = epsilon(run.a.domain().dtype());
    let far = above(reach, constant(epsilon) * way.clone());
    let go = far.max(one() - taken.clone());
    // A factor of one leaves a number as it is.
    let less = |factor: f64| taken.clone() + (one() - taken.clone()) * constant(factor);
    // Levels are powers of steps.
    let share = match method.sparsity.threshold.shape() {
        Shape::Soft => 0.5,
        Shape::Hard => 0.5_f64.sqrt(),
        Shape::Half => 0.25_f64.cbrt(),
    };
    let mut state = vec![go, gradient, way];
    if ACCELERATED {
        let (mut t, mut objective) = (t * taken.clone(), before.clone());
        if method.restarts() {
            let weight = method.sparsity.weight_in(run.scale);
            objective = residual + constant(weight).mul_or_zero(penalty);
            t = t * (one() - above(objective.clone(), before));
        }
        let next = constant(0.5) * (one() + (one() + constant(4.0) * t.clone().abs2()).sqrt());
        state.extend([(t - one()).max(constant(0.0)) / next.clone(), next, objective]);
    }
    state.extend([step * less(0.5), level * less(share), one()]);
    state
}

/// Exactly one for what is one but for rounding.
fn whole(one_or_zero: Expression) -> Expression {
    (constant(2.0) * one_or_zero).min(constant(1.0))
}
