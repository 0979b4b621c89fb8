//! What makes vectors sparse: thresholds.

use arrayspan_bridge::{Array, AsView, View, ViewMut};
use arrayspan_kernels::{Executor, Expression, constant, input};

use super::percentile::Percentile;
use crate::Result;
use crate::parameters::{not_negative, wrong};

/// Sets small elements to zero, and says what becomes of the others. Complex numbers keep their phase.
///
/// With a threshold `τ`, each element of the result is the proximity operator of `τ |x|ᵖ`, up to a factor for `p = 1/2`:
///
/// | kind | `p` | zero where `\|x\| ≤ ℓ` | elsewhere |
/// |---|---|---|---|
/// | [`Soft`](Self::Soft) | 1 | `ℓ = τ` | `(\|x\| - τ) x/\|x\|` |
/// | [`Hard`](Self::Hard) | 0 | `ℓ = √(2 τ)` | `x` |
/// | [`Half`](Self::Half) | 1/2 | `ℓ = ∛54/4 · τ^⅔` | `⅔ x (1 + cos(⅔π - ⅔ acos(τ/8 (\|x\|/3)^(-3/2))))` |
///
/// [`SoftKeeping`](Self::SoftKeeping), [`HardKeeping`](Self::HardKeeping) and [`HalfKeeping`](Self::HalfKeeping) take no `τ`: with them
/// `ℓ` is the percentile of all `|x|` above which that share of the elements lies, in percent (with 0 nothing but zero is left, with 100
/// the smallest element alone is set to zero). Between two elements it is interpolated, as `numpy.percentile` does.
///
/// Cost: one pass. Keeping a share takes [more](crate::sparse#percentiles), and nothing waits for the host.
///
/// Reference: Donoho, IEEE Trans. Inf. Theory 41 (1995) 613; Xu, Chang, Xu and Zhang, IEEE Trans. Neural Netw. 23 (2012) 1013,
/// whose cosine is the root of a cubic equation and is computed as that, by Newton's method.
/// Golden: PyLops 2.8.0 `_softthreshold` and its like.
///
/// ```
/// use arrayspan_bridge::Array;
/// use arrayspan_solvers::sparse::Threshold;
///
/// let x = Array::from_slice(&[3.0, -2.0, 1.0, 0.5], [4])?;
/// assert_eq!(Threshold::Soft.apply(&x, 1.0)?.to_vec::<f64>()?, [2.0, -1.0, 0.0, 0.0]);
/// assert_eq!(Threshold::Hard.apply(&x, 0.5)?.to_vec::<f64>()?, [3.0, -2.0, 0.0, 0.0]);
/// // Half of the elements are above 1.5.
/// assert_eq!(Threshold::SoftKeeping(50.0).apply(&x, 0.0)?.to_vec::<f64>()?, [1.5, -0.5, 0.0, 0.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub enum Threshold {
    /// All are pulled towards zero: for `‖x‖₁`.
    #[default]
    Soft,
    /// Large ones are left as they are: for the number of elements that are not zero.
    Hard,
    /// Large ones are nearly left as they are: for `Σ √|x|`.
    Half,
    /// Soft, keeping so many percent.
    SoftKeeping(f64),
    /// Hard, keeping so many percent.
    HardKeeping(f64),
    /// Half, keeping so many percent.
    HalfKeeping(f64),
}

/// What becomes of elements above the level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    Soft,
    Hard,
    Half,
}

/// `∛54/4`: the level of the half threshold for `τ = 1`.
const HALF: f64 = 0.944_940_787_421_154_8;

impl Threshold {
    /// A thresholded copy. Kinds that keep a share do not look at `tau`.
    ///
    /// # Errors
    /// A `tau` that is negative or not finite, or a share that is not in 0 ≤ … ≤ 100; a dtype that is not computed with; out of
    /// memory.
    pub fn apply(self, x: impl AsView, tau: f64) -> Result<Array> {
        let x = x.as_view();
        let on = arrayspan_kernels::on(x.device())?;
        let mut out = on.empty(x.shape(), x.dtype())?;
        self.apply_on(&*on, x, tau, out.view_mut())?;
        Ok(out)
    }

    /// `out ← T(x)`, on `on`. Enqueued; does not wait. Kinds that keep a share take memory for a few numbers.
    ///
    /// # Errors
    /// As [`apply`](Self::apply); an `out` of another shape or dtype; arrays on another device than `on`.
    pub fn apply_on(
        self,
        on: &dyn Executor,
        x: View<'_>,
        tau: f64,
        out: ViewMut<'_>,
    ) -> Result<()> {
        let solver = "Threshold";
        self.check(solver)?;
        not_negative(solver, "tau", tau)?;
        let complex = x.dtype().is_complex();
        match self.kept() {
            None => {
                let value = self.shape().of(input(0), constant(self.level(tau)), complex);
                Ok(write(on, &value, &[x], out)?)
            }
            Some(kept) => {
                let mut percentile = Percentile::new(on, x.dtype(), x.layout().len())?;
                percentile.find(on, &x, 100.0 - kept)?;
                let level = percentile.value();
                let value = self.shape().of(input(0), input(1).re(), complex);
                Ok(write(on, &value, &[x, level], out)?)
            }
        }
    }

    /// Fails unless it makes sense.
    pub(super) fn check(self, solver: &'static str) -> Result<()> {
        match self.kept() {
            Some(kept) if !(0.0..=100.0).contains(&kept) => {
                wrong(solver, format!("the share to keep, {kept} %, is not in 0 ≤ … ≤ 100"))
            }
            _ => Ok(()),
        }
    }

    /// What becomes of elements above the level.
    pub(super) fn shape(self) -> Shape {
        match self {
            Self::Soft | Self::SoftKeeping(_) => Shape::Soft,
            Self::Hard | Self::HardKeeping(_) => Shape::Hard,
            Self::Half | Self::HalfKeeping(_) => Shape::Half,
        }
    }

    /// The share that it keeps, in percent, where that makes its level.
    pub(super) fn kept(self) -> Option<f64> {
        match self {
            Self::Soft | Self::Hard | Self::Half => None,
            Self::SoftKeeping(kept) | Self::HardKeeping(kept) | Self::HalfKeeping(kept) => {
                Some(kept)
            }
        }
    }

    /// The level up to which elements become zero, which has their unit.
    pub(super) fn level(self, tau: f64) -> f64 {
        match self.shape() {
            Shape::Soft => tau,
            Shape::Hard => (2.0 * tau).sqrt(),
            Shape::Half => HALF * tau.powf(2.0 / 3.0),
        }
    }

    /// The `τ` of a level.
    pub(super) fn tau(self, level: f64) -> f64 {
        match self.shape() {
            Shape::Soft => level,
            Shape::Hard => 0.5 * level * level,
            Shape::Half => (level / HALF).powf(1.5),
        }
    }

    /// `|x|ᵖ`, whose sum belongs to it. Of complex elements where `complex`.
    pub(super) fn penalty(self, x: Expression) -> Expression {
        match self.shape() {
            Shape::Soft => x.abs(),
            Shape::Hard => x.clone().abs2().div_or_zero(x.abs2()),
            // Of what is real and not negative.
            Shape::Half => x.abs().sqrt().abs(),
        }
    }
}

impl Shape {
    /// The threshold of `x`, in arrays that are complex or not, at a level that is real and not negative.
    pub(super) fn of(self, x: Expression, level: Expression, complex: bool) -> Expression {
        let size = x.clone().abs();
        match self {
            // Without a quotient: what is subtracted is the element, where that is smaller than the level.
            Self::Soft if !complex => x.clone() - x.min(level.clone()).max(-level),
            Self::Soft => x * (size.clone() - level).max(constant(0.0)).div_or_zero(size),
            Self::Hard => x * above(size, level),
            Self::Half => {
                let root = root(level.clone().div_or_zero(size.clone()).min(constant(1.0)));
                x * (above(size, level) * root.clone() * root)
            }
        }
    }
}

/// 1 where `a > b`, else 0; for numbers that may be infinite and whose quotients may be rounded.
fn above(a: Expression, b: Expression) -> Expression {
    // What is left is its own quotient, however small it is; twice that is more than 1, whatever rounding makes of it.
    let excess = (a - b).max(constant(0.0)).min(constant(1.0));
    (constant(2.0) * excess.clone().div_or_zero(excess)).min(constant(1.0))
}

/// The largest root of `t³ - t + c = 0`, with `c = 2/√54 · (ℓ/|x|)^(3/2)`, of `ℓ/|x|` between 0 and 1: the half threshold
/// multiplies by its square.
fn root(ratio: Expression) -> Expression {
    // Off by at most 6e-5, with errors that two steps of Newton's method square twice.
    const FIRST: [f64; 5] =
        [0.999_963_97, -0.134_405_98, -0.039_771_87, 0.018_024_25, -0.027_256_98];
    const MOST: f64 = 0.272_165_526_975_908_7;
    let power = ratio.clone() * ratio.sqrt();
    let mut t = constant(FIRST[4]);
    for coefficient in FIRST.into_iter().rev().skip(1) {
        t = t * power.clone() + constant(coefficient);
    }
    let c = constant(MOST) * power;
    for _ in 0..2 {
        let square = t.clone().abs2();
        t = (constant(2.0) * t * square.clone() - c.clone())
            / (constant(3.0) * square - constant(1.0));
    }
    t
}

/// Of more operations than these, parts that come several times are found and computed once.
const FEW: usize = 64;

/// `out ← value(inputs)`, where values of complex arrays may compare what is real of them.
pub(super) fn write<'a>(
    on: &dyn Executor,
    value: &Expression,
    inputs: &[View<'a>],
    out: ViewMut<'a>,
) -> Result<()> {
    if out.dtype().is_complex() || value.operations() > FEW {
        return Ok(on.map_many(inputs, [(value.clone(), out)])?);
    }
    Ok(on.map(value, inputs, out)?)
}
