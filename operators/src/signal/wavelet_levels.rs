//! Levels of discrete wavelet transforms.

use std::sync::Arc;

use arrayspan_bridge::{Relayout, View, ViewMut};
use arrayspan_kernels::Update;

use super::Wavelet;
use super::positions::Rows;
use crate::{
    Context, Error, Formula, Identity, Lift, LinearMap, Operator, Pad, Result, Space, adjoint,
};

/// `levels` of the transform along some axes, behind zeros up to a power of two.
pub(super) fn analysis(
    name: &'static str,
    space: Space,
    axes: &[isize],
    wavelet: &Wavelet,
    levels: usize,
) -> Result<Operator> {
    space.stored(name)?;
    let mut along = Vec::with_capacity(axes.len());
    for axis in axes {
        let axis = space.axis(name, *axis)?;
        if along.contains(&axis) {
            return Error::parameter(name, format!("axis {axis} twice"));
        }
        along.push(axis);
    }
    let mut wide: Vec<u128> = space.shape().iter().map(|&extent| extent as u128).collect();
    let least = u32::try_from(levels).ok().and_then(|levels| 1_u128.checked_shl(levels));
    let Some(least) = least else {
        return Error::parameter(name, format!("{levels} levels, which no axis has room for"));
    };
    for &axis in &along {
        wide[axis] = wide[axis].next_power_of_two().max(least);
    }
    let padded = Space::of_wide(name, wide, space.dtype())?;
    if along.is_empty() || levels == 0 {
        let extents = space.shape().iter().zip(padded.shape());
        let zeros: Vec<(usize, usize)> = extents.map(|(own, all)| (0, all - own)).collect();
        return Ok(Pad::new(space, &zeros)?.named_isometry(name));
    }
    let whole = pyramid(name, space, &padded, &along, wavelet, levels)?.build()?;
    Ok(if wavelet.is_orthogonal() { whole.named_isometry(name) } else { whole.named(name) })
}

/// The first level, of samples and zeros behind them, and all others of what it has in the corner of low frequencies.
fn pyramid(
    name: &'static str,
    space: Space,
    padded: &Space,
    axes: &[usize],
    wavelet: &Wavelet,
    levels: usize,
) -> Result<Formula> {
    let mut first = Formula::from(Identity::new(space.clone())?);
    let mut from = space;
    for &axis in axes {
        let mut shape = from.shape().to_vec();
        shape[axis] = padded.shape()[axis];
        let to = Space::of(name, shape, from.dtype())?;
        first = level_along(name, [from, to.clone()], axis, wavelet, 0)?.after(first);
        from = to;
    }
    if let [axis] = axes {
        return (1..levels).try_fold(first, |whole, level| {
            let next = level_along(name, [padded.clone(), padded.clone()], *axis, wavelet, level)?;
            Ok(next.after(whole))
        });
    }
    if levels == 1 {
        return Ok(first);
    }
    let mut half = padded.shape().to_vec();
    for &axis in axes {
        half[axis] /= 2;
    }
    let half = Space::of(name, half, padded.dtype())?;
    let inner = pyramid(name, half.clone(), &half, axes, wavelet, levels - 1)?.build()?.named(name);
    let others = Operator::new(Corner { inner, space: padded.clone(), axes: axes.to_vec() });
    Ok(others.after(first))
}

/// A level along an axis: `y[k] = Σⱼ g[j] x[(F/2 + 2k - j) mod n]` of the first `n` samples, low frequencies first; the rest stays.
fn level_along(
    name: &'static str,
    [from, to]: [Space; 2],
    axis: usize,
    wavelet: &Wavelet,
    level: usize,
) -> Result<Operator> {
    let (own, extent) = (from.shape()[axis], to.shape()[axis]);
    let samples = extent >> level;
    let taps = wavelet.len();
    let mut rows = Rows::new(name, to.shape(), to.dtype(), extent, taps.min(samples))?;
    let mut sums = vec![0.0; samples.min(taps)];
    for filter in wavelet.analysis() {
        for k in 0..samples / 2 {
            // Around a short axis several taps meet the same sample.
            sums.fill(0.0);
            let last = (taps / 2 + 2 * k) % samples;
            for (tap, weight) in filter.iter().enumerate() {
                sums[tap % samples] += weight;
            }
            for (back, weight) in sums.iter().enumerate() {
                let sample = (last + samples - back) % samples;
                if sample < own {
                    rows.add(sample, *weight);
                }
            }
            rows.end();
        }
    }
    for sample in samples..extent {
        rows.add(sample, 1.0);
        rows.end();
    }
    rows.between("Wavelets", [from, to], axis, [&[extent], &[own]])
}

/// An operator on the first halves of some axes; all else stays.
#[derive(Debug)]
struct Corner {
    inner: Operator,
    space: Space,
    axes: Vec<usize>,
}

impl Corner {
    fn half(&self, axis: usize) -> usize {
        self.space.shape()[axis] / 2
    }

    /// The second half of an axis, within the first halves of those before it.
    fn beside<V: Relayout>(&self, array: V, number: usize) -> Result<V> {
        let array = self.corner(array, number)?;
        let (axis, half) = (self.axes[number], self.half(self.axes[number]));
        Ok(array.sliced(axis, half, half)?)
    }

    /// The first halves of the first axes.
    fn corner<V: Relayout>(&self, array: V, count: usize) -> Result<V> {
        let mut part = array;
        for &axis in &self.axes[..count] {
            part = part.sliced(axis, 0, self.half(axis))?;
        }
        Ok(part)
    }

    fn run(
        &self,
        inner: &Operator,
        on: Context<'_>,
        x: View<'_>,
        mut y: ViewMut<'_>,
        update: Update,
    ) -> Result<()> {
        for number in 0..self.axes.len() {
            let (from, to) = (self.beside(x.clone(), number)?, self.beside(y.reborrow(), number)?);
            on.copy(from, to, update)?;
        }
        let all = self.axes.len();
        inner.enqueue(on, self.corner(x, all)?, self.corner(y, all)?, update)
    }
}

impl LinearMap for Corner {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn domain(&self) -> &Space {
        &self.space
    }

    fn range(&self) -> &Space {
        &self.space
    }

    fn enqueue(&self, on: Context<'_>, x: View<'_>, y: ViewMut<'_>, update: Update) -> Result<()> {
        self.run(&self.inner, on, x, y, update)
    }

    fn enqueue_adjoint(
        &self,
        on: Context<'_>,
        y: View<'_>,
        x: ViewMut<'_>,
        update: Update,
    ) -> Result<()> {
        self.run(&adjoint(&self.inner), on, y, x, update)
    }

    fn inner(&self) -> Option<&dyn LinearMap> {
        Some(&self.inner)
    }

    fn only_enqueues(&self) -> bool {
        true
    }

    fn batched(&self, before: &[usize], behind: &[usize]) -> Option<Result<Arc<dyn LinearMap>>> {
        Some(self.lifted(before, behind).map(|lifted| Arc::new(lifted) as Arc<dyn LinearMap>))
    }
}

impl Corner {
    fn lifted(&self, before: &[usize], behind: &[usize]) -> Result<Self> {
        let leading = before.iter().rev().map(|&count| Lift::Leading(count));
        let trailing = behind.iter().map(|&count| Lift::Trailing(count));
        let inner = leading
            .chain(trailing)
            .try_fold(self.inner.clone(), |inner, lift| inner.lifted(lift))?;
        let shape = [before, self.space.shape(), behind].concat();
        let space = Space::of(self.name(), shape, self.space.dtype())?;
        let axes = self.axes.iter().map(|axis| axis + before.len()).collect();
        Ok(Self { inner, space, axes })
    }
}
