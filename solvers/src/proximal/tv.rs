//! Total variation.

use arrayspan_bridge::devices::Device;
use arrayspan_bridge::{Array, Elementwise, View, ViewMut};
use arrayspan_kernels::{Executor, Update, Vector, VectorMut, widest_real};
use arrayspan_operators::{Edge, Gradient, LinearMap, LinearOperator, Operator, Scheme, Space};

use super::functional::NUMBER;
use super::radial::{Level, Radial};
use super::{L1, L21, Proximal, Scratch};
use crate::engine::read::reals;
use crate::engine::system::real_dot;
use crate::parameters::{not_negative, wrong};
use crate::{Result, bytes};

/// `f(x) = w Σ ‖(D x)ᵢ‖`, the total variation, `w ≥ 0`: `D x` are the differences of neighbours along all axes, and at each place their
/// length counts (isotropic) or the sum of their absolute values (anisotropic).
///
/// `prox` is total variation denoising. It is computed by fast gradient projection on the dual problem, up to
/// [`iterations`](field@Self::iterations), or until the duality gap proves that the result is within
/// [`tolerance`](field@Self::tolerance) times `‖x‖` of the exact one. The host looks at the gap every 10 iterations, and waits then.
///
/// Storage: `(3 d + 1) n` elements for `n` elements along `d` axes. Where a total variation is one of several terms, a method with
/// [`Gradient`] for the operator and [`L21`] or [`L1`] behind it needs no inner iterations.
///
/// Reference: Beck and Teboulle, IEEE Trans. Image Process. 18 (2009) 2419; Chambolle, J. Math. Imaging Vis. 20 (2004) 89.
/// Golden: pyproximal 0.13 `TV` (isotropic, which stops by the change of the objective).
///
/// ```
/// use arrayspan_bridge::{Array, DType};
/// use arrayspan_operators::Space;
/// use arrayspan_solvers::proximal::{Proximal, Tv};
///
/// let f = Tv::new(Space::new([4], DType::Float64)?, 1.0)?;
/// let step = Array::from_slice(&[0.0, 0.0, 4.0, 4.0], [4])?;
/// assert_eq!(f.at(&step)?, 4.0);
/// // Each side of the step is drawn by half the weight.
/// for (found, expected) in f.proximal(&step, 1.0)?.to_vec::<f64>()?.iter().zip([0.5, 0.5, 3.5, 3.5]) {
///     assert!((found - expected).abs() < 1e-3);
/// }
/// # Ok::<(), arrayspan_solvers::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Tv {
    weight: f64,
    space: Space,
    differences: Operator,
    /// Whether the length of a difference along all axes counts, and not the sum of its parts. It does unless it is said.
    pub isotropic: bool,
    /// The most iterations of a proximal operator: 200 unless it is said.
    pub iterations: usize,
    /// The distance to the exact result in `‖x‖`, at which iterations end: 1e-5 unless it is said. Sums of Float32 arrays prove no
    /// less than about 1e-3. Zero: all iterations are done, and nothing waits.
    pub tolerance: f64,
}

/// Iterations between two looks of the host.
const LOOK: usize = 10;

impl Tv {
    const NAME: &'static str = "Tv";

    /// Of arrays of `space`.
    ///
    /// # Errors
    /// A weight that is not a finite number of at least 0; a space without axes or elements.
    pub fn new(space: Space, weight: f64) -> Result<Self> {
        let weight = not_negative(Self::NAME, "weight", weight)?;
        if space.len() == 0 {
            return wrong(Self::NAME, format!("{space} has no elements"));
        }
        let steps = vec![1.0; space.shape().len()];
        let differences = Gradient::new(space.clone(), &steps, Scheme::Forward, Edge::Zero)?;
        let (isotropic, iterations, tolerance) = (true, 200, 1e-5);
        Ok(Self { weight, space, differences, isotropic, iterations, tolerance })
    }

    /// `Σ ‖(D x)ᵢ‖`, of differences.
    fn variation(
        &self,
        on: &dyn Executor,
        scratch: &mut Scratch,
        differences: View<'_>,
        out: ViewMut<'_>,
    ) -> Result<()> {
        if self.isotropic {
            L21::new(1.0, 0)?.value(on, scratch, differences, out)
        } else {
            L1::new(1.0)?.value(on, scratch, differences, out)
        }
    }

    /// Dual variables no longer than a number on the device.
    fn project(
        &self,
        on: &dyn Executor,
        scratch: &mut Scratch,
        (from, level): (View<'_>, View<'_>),
        to: ViewMut<'_>,
    ) -> Result<()> {
        let level = [level];
        let level = Level::alone(&level);
        if self.isotropic {
            Radial::Clip.groups(on, scratch, (from, 0), &level, to)
        } else {
            Radial::Clip.each(on, from, &level, to)
        }
    }
}

impl Proximal for Tv {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn check(&self, space: &Space, _: Device) -> Result<()> {
        if *space != self.space {
            let own = &self.space;
            return wrong(Self::NAME, format!("it is a function of {own}, the arrays are {space}"));
        }
        not_negative(Self::NAME, "tolerance", self.tolerance)?;
        Ok(())
    }

    fn value(
        &self,
        on: &dyn Executor,
        scratch: &mut Scratch,
        x: View<'_>,
        mut out: ViewMut<'_>,
    ) -> Result<()> {
        let range = self.differences.range();
        let mut differences = scratch.take(on, range.shape(), range.dtype())?;
        let mut workspace = scratch.workspace(&self.differences, on)?;
        let update = Update::set();
        self.differences.apply_with(&mut workspace, on, x, differences.view_mut(), update)?;
        self.variation(on, scratch, differences.view(), out.reborrow())?;
        out.update_on(on, |variation| self.weight * variation)?;
        scratch.give(differences);
        scratch.give_workspace(workspace);
        Ok(())
    }

    fn prox(
        &self,
        on: &dyn Executor,
        scratch: &mut Scratch,
        x: View<'_>,
        step: View<'_>,
        mut out: ViewMut<'_>,
    ) -> Result<()> {
        let (a, range) = (&self.differences, self.differences.range());
        let mut workspace = scratch.workspace(a, on)?;
        let take = |scratch: &mut Scratch| scratch.take(on, range.shape(), range.dtype());
        let (mut dual, mut last) = (take(scratch)?, take(scratch)?);
        // Where the gradient is taken, and what is projected.
        let mut ahead = take(scratch)?;
        let mut level = scratch.take(on, &[], widest_real(on.device()))?;
        level.assign_on(on, self.weight * &step)?;
        dual.assign_on(on, 0.0)?;
        last.assign_on(on, 0.0)?;
        ahead.assign_on(on, 0.0)?;
        // 1 / ‖D‖²
        let length = 1.0 / (4.0 * x.shape().len() as f64);
        let (mut momentum, mut last_gap) = (1.0_f64, f64::INFINITY);
        for iteration in 1..=self.iterations {
            // dual ← project(ahead + length D (x - Dᴴ ahead))
            on.copy(x.clone(), out.reborrow(), Update::set())?;
            let subtract = Update::new(-1.0, 1.0);
            a.apply_adjoint_with(&mut workspace, on, ahead.view(), out.reborrow(), subtract)?;
            let ascend = Update::new(length, 1.0);
            a.apply_with(&mut workspace, on, out.view(), ahead.view_mut(), ascend)?;
            std::mem::swap(&mut dual, &mut last);
            self.project(on, scratch, (ahead.view(), level.view()), dual.view_mut())?;
            let next = 0.5 * (1.0 + (1.0 + 4.0 * momentum * momentum).sqrt());
            let carried = (momentum - 1.0) / next;
            ahead.assign_on(on, &dual + carried * (&dual - &last))?;
            momentum = next;
            let looks = self.tolerance > 0.0 && !on.records() && iteration % LOOK == 0;
            if looks {
                let gap = Gap { x: &x, dual: &dual, level: &level };
                // Nobody reads the last dual variables any more: the next ones take their place.
                let gap = self.gap(on, scratch, &gap, (&mut last, &mut out), &mut workspace)?;
                // NaN is no reason to go on.
                if gap.is_nan() || gap <= self.tolerance * self.tolerance {
                    break;
                }
                if gap > last_gap {
                    // Momentum leads past the solution: without it, it is found linearly.
                    momentum = 1.0;
                    ahead.assign_on(on, &dual)?;
                }
                last_gap = gap;
            }
        }
        on.copy(x, out.reborrow(), Update::set())?;
        let subtract = Update::new(-1.0, 1.0);
        a.apply_adjoint_with(&mut workspace, on, dual.view(), out, subtract)?;
        scratch.give_all([dual, last, ahead, level]);
        scratch.give_workspace(workspace);
        Ok(())
    }

    fn memory(&self, space: &Space) -> usize {
        let range = self.differences.range();
        let own = bytes::of(range).saturating_mul(3).saturating_add(4 * NUMBER);
        let lengths = bytes::of_real(range).saturating_add(bytes::of_real(space).saturating_mul(2));
        own.saturating_add(lengths).saturating_add(self.differences.workspace())
    }
}

/// What the duality gap is computed of.
struct Gap<'a> {
    x: &'a View<'a>,
    dual: &'a Array,
    level: &'a Array,
}

impl Tv {
    /// Twice the duality gap of `z = x - Dᴴ dual`, which `z` holds after, over `‖x‖²`: `½ ‖z - exact‖² ≤ gap`, and
    /// `gap = level Σ ‖(D z)ᵢ‖ - <dual, D z>`. Waits for it.
    fn gap(
        &self,
        on: &dyn Executor,
        scratch: &mut Scratch,
        gap: &Gap<'_>,
        (differences, z): (&mut Array, &mut ViewMut<'_>),
        workspace: &mut arrayspan_operators::Workspace,
    ) -> Result<f64> {
        let a = &self.differences;
        on.copy(gap.x.clone(), z.reborrow(), Update::set())?;
        let subtract = Update::new(-1.0, 1.0);
        a.apply_adjoint_with(workspace, on, gap.dual.view(), z.reborrow(), subtract)?;
        a.apply_with(workspace, on, z.view(), differences.view_mut(), Update::set())?;
        let wide = widest_real(on.device());
        let (mut numbers, mut one) = (scratch.take(on, &[], wide)?, scratch.take(on, &[], wide)?);
        self.variation(on, scratch, differences.view(), numbers.view_mut())?;
        numbers.update_on(on, |variation| gap.level * variation)?;
        real_dot(on, gap.dual, differences, &mut one)?;
        numbers.update_on(on, |bound| bound - &one)?;
        gap.x.norm_squared_into(on, &mut one)?;
        numbers.update_on(on, |gap: Elementwise<'_>| 2.0 * gap.div_or_zero(&one))?;
        let relative = reals(&numbers.view())?[0];
        scratch.give(numbers);
        scratch.give(one);
        Ok(relative)
    }
}
