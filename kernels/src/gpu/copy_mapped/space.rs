//! Index maps as places: what each axis of the output reads in memory, with as few axes as possible.

use arrayspan_bridge::Layout;
use arrayspan_bridge::iteration::{Axes, Each};

use crate::verb::{Span, Spans};

/// Places from here on need 64 bits, as in `IterationSpace`.
const WIDE: usize = (1 << 30) - (1 << 16);

/// Indices of an axis up to, without, `end`. Index `i` of the axis adds `base + step · i` to the place that is read, modulo 2 to the
/// width of places; where there is none of it, nothing is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stretch {
    pub(super) end: usize,
    pub(super) place: Option<(isize, isize)>,
}

/// The axes of a mapped copy, innermost first, in elements.
#[derive(Debug)]
pub(in super::super) struct Space {
    pub(super) axes: Axes<Axis>,
    /// Where the output begins.
    pub(super) y_offset: usize,
    /// The inputs of which something is read, and where each begins.
    pub(super) sources: Each<(usize, usize)>,
    pub(super) wide: bool,
}

#[derive(Clone, Debug)]
pub(super) struct Axis {
    pub(super) extent: usize,
    pub(super) stride: isize,
    /// For each source what is read.
    pub(super) stretches: Each<Each<Stretch>>,
}

impl Space {
    /// Of an output that is not empty. Axes are sorted and flipped for it to be walked from its start to its end.
    pub(in super::super) fn new(y: &Layout, sources: &[(&Layout, &Axes<Spans>)]) -> Self {
        let reads = |spans: &Spans| spans.iter().any(|span| span.reads.is_some());
        let read: Each<_> =
            sources.iter().enumerate().filter(|(_, source)| source.1.iter().all(reads)).collect();
        let reach = |layout: &Layout| layout.extent().map_or(0, |(first, last)| last - first);
        let far = |layout: &Layout| reach(layout) >= WIDE;
        let wide = y.len() >= WIDE || far(y) || read.iter().any(|(_, (x, _))| far(x));
        let mut axes: Axes<Axis> = (0..y.rank())
            .rev()
            .map(|axis| {
                let each =
                    read.iter().map(|(_, (x, spans))| stretches(&spans[axis], x.strides()[axis]));
                let stretches = each.collect();
                Axis { extent: y.shape()[axis], stride: y.strides()[axis], stretches }
            })
            .collect();
        axes.sort_by_key(|axis| axis.stride.unsigned_abs());
        let sources = read.iter().map(|(number, (x, _))| (*number, x.offset())).collect();
        let mut space = Self { axes: Axes::new(), y_offset: y.offset(), sources, wide };
        for axis in axes {
            space.add(axis);
        }
        if space.axes.is_empty() {
            let only = || Each::from_elem(Stretch { end: 1, place: Some((0, 0)) }, 1);
            let stretches = space.sources.iter().map(|_| only()).collect();
            space.axes.push(Axis { extent: 1, stride: 1, stretches });
        }
        space
    }

    /// Adds the next axis outwards.
    fn add(&mut self, mut axis: Axis) {
        if axis.extent == 1 {
            // Inputs begin where it reads.
            for ((_, offset), stretches) in self.sources.iter_mut().zip(&axis.stretches) {
                let place = stretches.first().and_then(|only| only.place);
                *offset = offset.wrapping_add_signed(place.map_or(0, |(base, _)| base));
            }
            return;
        }
        if axis.stride < 0 {
            let last = (axis.extent - 1) as isize;
            self.y_offset = self.y_offset.wrapping_add_signed(axis.stride * last);
            axis.turn();
        }
        match self.axes.last_mut() {
            Some(inner) if inner.takes(&axis) => inner.merge(&axis),
            _ => self.axes.push(axis),
        }
    }

    /// The number of elements of the output.
    pub(super) fn len(&self) -> usize {
        self.axes.iter().map(|axis| axis.extent).product()
    }

    /// Whether the elements of the output lie one behind the other.
    pub(super) fn is_line(&self) -> bool {
        let mut step = 1;
        self.axes.iter().all(|axis| {
            let follows = axis.stride == step;
            step *= axis.extent as isize;
            follows
        })
    }

    /// Whether what is far apart in the output reads the same: a mirror image along the outermost axis.
    pub(super) fn is_mirrored(&self) -> bool {
        let [_, .., outermost] = &self.axes[..] else { return false };
        outermost.stretches.iter().any(|stretches| {
            let steps =
                || stretches.iter().filter_map(|stretch| stretch.place).map(|place| place.1);
            steps().any(|step| step < 0) && steps().any(|step| step > 0)
        })
    }
}

impl Axis {
    /// Walks it from its end.
    fn turn(&mut self) {
        self.stride = -self.stride;
        let last = (self.extent - 1) as isize;
        for stretches in &mut self.stretches {
            let mut start = 0;
            for stretch in stretches.iter_mut() {
                let end = std::mem::replace(&mut start, stretch.end);
                stretch.end = self.extent - end;
                stretch.place = stretch.place.map(|(base, step)| {
                    (base.wrapping_add(step.wrapping_mul(last)), step.wrapping_neg())
                });
            }
            stretches.reverse();
        }
    }

    /// Whether `outer` goes on where this ends, in the output and in all that is read.
    fn takes(&self, outer: &Self) -> bool {
        let extent = self.extent as isize;
        let follows = |(own, outer): (&Each<Stretch>, &Each<Stretch>)| {
            let [Stretch { place: Some((_, step)), .. }] = own[..] else { return false };
            let mut start = 0;
            outer.iter().all(|stretch| {
                let len = stretch.end - std::mem::replace(&mut start, stretch.end);
                let next = step.wrapping_mul(extent);
                len == 1 || stretch.place.is_none_or(|(_, step)| step == next)
            })
        };
        self.stride.wrapping_mul(extent) == outer.stride
            && self.stretches.iter().zip(&outer.stretches).all(follows)
    }

    /// Becomes one with an axis that it [takes](Self::takes).
    fn merge(&mut self, outer: &Self) {
        let extent = self.extent;
        for (own, outer) in self.stretches.iter_mut().zip(&outer.stretches) {
            let Some((base, step)) = own.first().and_then(|only| only.place) else { continue };
            let next = step.wrapping_mul(extent as isize);
            let mut start = 0;
            let merged = outer.iter().map(|stretch| {
                let first = std::mem::replace(&mut start, stretch.end) as isize;
                let place = stretch.place.map(|(of_outer, by)| {
                    // That of the stretch's first index, less what the merged step makes of it.
                    let at = of_outer.wrapping_add(by.wrapping_mul(first));
                    (at.wrapping_sub(next.wrapping_mul(first)).wrapping_add(base), step)
                });
                Stretch { end: stretch.end * extent, place }
            });
            *own = merged.collect();
        }
        self.extent *= outer.extent;
    }
}

/// What spans read along an axis of this stride.
fn stretches(spans: &Spans, stride: isize) -> Each<Stretch> {
    let mut start = 0;
    let each = spans.iter().map(|&Span { end, reads }| {
        let begin = std::mem::replace(&mut start, end) as isize;
        let place = reads.map(|(first, step)| {
            let base = (first as isize).wrapping_sub(step.wrapping_mul(begin));
            (stride.wrapping_mul(base), stride.wrapping_mul(step))
        });
        Stretch { end, place }
    });
    each.collect()
}
