//! The axes of a copy along index maps: in the order in which its output lies, and as few as possible.

use arrayspan_bridge::iteration::{Axes, Each};
use arrayspan_bridge::{Relayout, View, ViewMut};

use super::parts::by_stride;
use crate::Result;
use crate::verb::{Span, Spans};

/// Inputs and what is read of them.
pub(super) type Inputs<'a> = Each<(View<'a>, Axes<Spans>)>;

/// The same with as few axes as possible, at least one: `y` runs forwards and has its smallest stride last.
pub(super) fn arranged<'a>(
    sources: Inputs<'a>,
    y: ViewMut<'a>,
) -> Result<(Inputs<'a>, ViewMut<'a>)> {
    if y.shape().is_empty() {
        let only = || [Span { end: 1, reads: Some((0, 0)) }].into_iter().collect::<Spans>();
        let sources = sources.into_iter();
        let sources = sources.map(|(x, _)| Ok((x.reshaped(&[1])?, [only()].into_iter().collect())));
        return Ok((sources.collect::<Result<_>>()?, y.reshaped(&[1])?));
    }
    let strides = y.layout().strides().to_vec();
    let order = by_stride(&strides);
    let mut y = y.permuted(&order)?;
    for axis in 0..order.len() {
        if y.layout().strides()[axis] < 0 {
            y = y.reversed(axis)?;
        }
    }
    let shape = y.shape().to_vec();
    let turned = |(x, mut axes): (View<'a>, Axes<Spans>)| {
        let spans = order.iter().zip(&shape).map(|(&axis, &extent)| {
            let spans = std::mem::take(&mut axes[axis]);
            if strides[axis] < 0 { mirrored(&spans, extent) } else { spans }
        });
        let spans = spans.collect();
        Ok((x.permuted(&order)?, spans))
    };
    let mut sources = sources.into_iter().map(turned).collect::<Result<Inputs<'a>>>()?;
    // An axis along which everything is read as it is becomes part of the one before it.
    while let Some(merged) = merged(&sources, &y) {
        y = y.reshaped(&merged)?;
        let last = merged.len() - 1;
        for (x, axes) in &mut sources {
            let row = axes.pop().and_then(|spans| spans.last().map(|span| span.end)).unwrap_or(1);
            let mut shape = x.shape()[..=last].to_vec();
            shape[last] *= row;
            *x = x.clone().reshaped(&shape)?;
            for span in &mut axes[last] {
                span.end *= row;
                span.reads = span.reads.map(|(first, _)| (first * row, 1));
            }
        }
    }
    Ok((sources, y))
}

/// The shape of the output with its last two axes as one, if all arrays lie so and the last is read as it is.
fn merged(sources: &Inputs<'_>, y: &ViewMut<'_>) -> Option<Vec<usize>> {
    let last = y.shape().len().checked_sub(1).filter(|last| *last > 0)?;
    let row = y.shape()[last];
    let mut shape = y.shape()[..last].to_vec();
    shape[last - 1] *= row;
    y.layout().reshaped(&shape).ok()?;
    let follows = |(x, axes): &(View<'_>, Axes<Spans>)| {
        let mut own = x.shape()[..last].to_vec();
        own[last - 1] *= row;
        let mut start = 0;
        let rises = axes[last - 1].iter().all(|span| {
            let len = span.end - std::mem::replace(&mut start, span.end);
            span.reads.is_none_or(|(_, step)| step == 1 || len == 1)
        });
        let whole = x.shape()[last] == row && is_whole(&axes[last], row);
        whole && rises && x.layout().reshaped(&own).is_ok()
    };
    sources.iter().all(follows).then_some(shape)
}

/// Whether the spans read all of `extent` indices as they are.
fn is_whole(spans: &Spans, extent: usize) -> bool {
    match spans[..] {
        [Span { reads: Some((0, step)), .. }] => step == 1 || extent == 1,
        _ => false,
    }
}

/// The spans of an axis that is walked from its end.
fn mirrored(spans: &Spans, extent: usize) -> Spans {
    let starts = std::iter::once(0).chain(spans.iter().map(|span| span.end));
    let mut turned: Spans = starts
        .zip(spans)
        .map(|(start, span)| {
            let last = (span.end - start - 1) as isize;
            let reads = span.reads.map(|(first, step)| {
                (first.wrapping_add_signed(step.wrapping_mul(last)), step.wrapping_neg())
            });
            Span { end: extent - start, reads }
        })
        .collect();
    turned.reverse();
    turned
}
