//! Elements between bounds.

use arrayspan_bridge::devices::Device;
use arrayspan_bridge::{Elementwise, SharedArray, View, ViewMut};
use arrayspan_kernels::{Executor, Vector, VectorMut};
use arrayspan_operators::Space;

use super::arithmetic::{fits, indicate, real_only, rounded};
use super::{Proximal, Scratch};
use crate::parameters::wrong;
use crate::{Result, bytes};

/// `f(x) = 0` where `lower ≤ x ≤ upper`, element by element, and infinity elsewhere. Real dtypes.
///
/// `prox` is the projection: each element goes to the nearest number between its bounds, which are rounded to the dtype first. One
/// launch. Golden: pyproximal 0.13 `Box`.
///
/// ```
/// use arrayspan_bridge::Array;
/// use arrayspan_solvers::proximal::{Bounds, Proximal};
///
/// let x = Array::from_slice(&[-1.0, 0.5, 7.0], [3])?;
/// let positive = Bounds::new(0.0, f64::INFINITY)?;
/// assert_eq!(positive.at(&x)?, f64::INFINITY);
/// let inside = positive.proximal(&x, 1.0)?;
/// assert_eq!(inside.to_vec::<f64>()?, [0.0, 0.5, 7.0]);
/// assert_eq!(positive.at(&inside)?, 0.0);
/// # Ok::<(), arrayspan_solvers::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Bounds {
    lower: Bound,
    upper: Bound,
}

#[derive(Clone, Debug)]
enum Bound {
    None,
    Number(f64),
    Each(SharedArray),
}

impl Bound {
    fn value(&self, x: &View<'_>) -> Option<Elementwise<'_>> {
        match self {
            Self::None => None,
            Self::Number(number) => Some(rounded(*number, x.dtype()).into()),
            Self::Each(array) => Some(array.into()),
        }
    }
}

impl Bounds {
    const NAME: &'static str = "Bounds";

    /// The same bounds for all elements; infinities are none.
    ///
    /// # Errors
    /// NaN, or a lower bound above the upper one.
    pub fn new(lower: f64, upper: f64) -> Result<Self> {
        let sensible = lower <= upper && lower < f64::INFINITY && upper > f64::NEG_INFINITY;
        if !sensible {
            return wrong(Self::NAME, format!("nothing is between {lower} and {upper}"));
        }
        let bound = |number: f64| {
            if number.is_finite() { Bound::Number(number) } else { Bound::None }
        };
        Ok(Self { lower: bound(lower), upper: bound(upper) })
    }

    /// Bounds of each element, in arrays that broadcast to those it is a function of, in their dtype. That the lower ones are not
    /// above the upper ones is not checked: where they are, elements go to the upper one.
    pub fn between(lower: impl Into<SharedArray>, upper: impl Into<SharedArray>) -> Self {
        Self { lower: Bound::Each(lower.into()), upper: Bound::Each(upper.into()) }
    }
}

impl Proximal for Bounds {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn check(&self, space: &Space, device: Device) -> Result<()> {
        real_only(Self::NAME, space)?;
        for (name, bound) in [("the lower bound", &self.lower), ("the upper bound", &self.upper)] {
            match bound {
                Bound::Number(number) if !rounded(*number, space.dtype()).is_finite() => {
                    return wrong(Self::NAME, format!("{name} {number:e} is beyond {space}"));
                }
                Bound::Each(array) => {
                    fits(Self::NAME, name, &array.view(), (space, &[space.dtype()]), device)?;
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn value(
        &self,
        on: &dyn Executor,
        scratch: &mut Scratch,
        x: View<'_>,
        mut out: ViewMut<'_>,
    ) -> Result<()> {
        let [below, above] = [self.lower.value(&x), self.upper.value(&x)];
        let below = below.map(|lower| lower - &x);
        let above = above.map(|upper| &x - upper);
        let beyond = match (below, above) {
            (Some(below), Some(above)) => below.maximum(above),
            (Some(one), None) | (None, Some(one)) => one,
            // NaN is nowhere.
            (None, None) => 0.0 * &x,
        };
        let mut beyond_by = scratch.take(on, x.shape(), x.dtype())?;
        beyond_by.assign_on(on, beyond.maximum(0.0))?;
        beyond_by.max_into(on, out.reborrow())?;
        scratch.give(beyond_by);
        // The largest of no elements is less than zero.
        indicate(on, out)
    }

    fn prox(
        &self,
        on: &dyn Executor,
        _: &mut Scratch,
        x: View<'_>,
        _: View<'_>,
        mut out: ViewMut<'_>,
    ) -> Result<()> {
        let mut inside = Elementwise::from(&x);
        if let Some(lower) = self.lower.value(&x) {
            inside = inside.maximum(lower);
        }
        if let Some(upper) = self.upper.value(&x) {
            inside = inside.minimum(upper);
        }
        Ok(out.assign_on(on, inside)?)
    }

    fn memory(&self, space: &Space) -> usize {
        bytes::of_real(space)
    }
}
