//! Copies on the host: large arrays on all cores.

use std::mem::MaybeUninit;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::past;
use super::plan::plan;
use super::turn::{self, TILE, sides};
use crate::iteration::{Axes, IterationSpace};
use crate::{View, ViewMut, parallel};

/// What is done to each element.
pub(crate) trait Work<S, T>: Sync {
    /// The element to write for `x`. Adds to `failed` if it is not what was asked for.
    fn one(&self, x: S, failed: &mut usize) -> T;

    /// As [`one`](Self::one), for consecutive elements.
    fn many(&self, x: &[S], y: &mut [MaybeUninit<T>], failed: &mut usize);

    /// As [`many`](Self::many), for some cache lines that are in a cache; a fence follows.
    fn lines(&self, x: &[S], y: &mut [MaybeUninit<T>], failed: &mut usize) {
        self.many(x, y, failed);
    }
}

/// Nothing.
pub(crate) struct Same {
    /// Whether neighbours are written past the caches.
    pub(crate) past_caches: bool,
}

impl<T: Copy> Work<T, T> for Same {
    #[inline]
    fn one(&self, x: T, _: &mut usize) -> T {
        x
    }

    #[inline]
    fn many(&self, x: &[T], y: &mut [MaybeUninit<T>], _: &mut usize) {
        // SAFETY: `MaybeUninit<T>` is laid out as `T`, and a `T` is a valid one.
        let x = unsafe { &*(std::ptr::from_ref(x) as *const [MaybeUninit<T>]) };
        if self.past_caches && size_of_val(x) >= LONG {
            assert_eq!(x.len(), y.len(), "neighbours for neighbours");
            // SAFETY: two slices of one length, of which one is borrowed exclusively.
            return unsafe { past::copy(x.as_ptr().cast(), y.as_mut_ptr().cast(), size_of_val(x)) };
        }
        y.copy_from_slice(x);
    }

    #[inline]
    fn lines(&self, x: &[T], y: &mut [MaybeUninit<T>], failed: &mut usize) {
        if !self.past_caches {
            return self.many(x, y, failed);
        }
        assert_eq!(x.len(), y.len(), "neighbours for neighbours");
        // SAFETY: two slices of one length, of which one is borrowed exclusively; `Walk::plane` has a fence.
        unsafe { past::stream(x.as_ptr().cast(), y.as_mut_ptr().cast(), size_of_val(x)) };
    }
}

/// Bytes of neighbours from which on going past the caches pays.
const LONG: usize = 4096;

/// Bytes of a cache line.
const LINE: usize = 64;

/// The most parts: they need not be smaller where there is much to do.
const MOST_PARTS: usize = 512;

/// Writes what becomes of the elements of `from` over those of `to`, which has the same shape and has elements, and returns how
/// many failed.
///
/// # Safety
/// Both are on the host, which may access them now; their elements have the sizes of `S` and `T`, are aligned for
/// them, and every pattern of bits is an `S`.
pub(crate) unsafe fn run<S, T>(
    from: &View<'_>,
    to: &mut ViewMut<'_>,
    work: &impl Work<S, T>,
) -> usize
where
    S: Copy + Send + Sync,
    T: Copy + Send + Sync,
{
    let (space, tiles) = plan(to.layout(), from.layout());
    let y = std::ptr::with_exposed_provenance_mut::<T>(to.memory().address());
    let x = std::ptr::with_exposed_provenance::<S>(from.memory().address());
    let (y, x) = (y.wrapping_add(space.offsets[0]), x.wrapping_add(space.offsets[1]));
    let walk = Walk { space: &space, tiles, work };
    walk.all(x, y)
}

/// Part of a space: extents, and where source and target begin in it.
struct Part<S, T> {
    extents: Axes<usize>,
    x: *const S,
    y: *mut T,
}

// SAFETY: parts of one space share no element of the target, and nobody writes the source meanwhile.
unsafe impl<S: Sync, T: Send> Send for Part<S, T> {}

struct Walk<'w, W> {
    space: &'w IterationSpace,
    tiles: bool,
    work: &'w W,
}

impl<W> Walk<'_, W> {
    /// All of the space, which begins at `x` and `y`, in parts for the cores; how many elements failed.
    fn all<S, T>(&self, x: *const S, y: *mut T) -> usize
    where
        S: Copy + Send + Sync,
        T: Copy + Send + Sync,
        W: Work<S, T>,
    {
        let extents = &self.space.extents;
        let len = extents.iter().product();
        let grain = parallel::even_grain(len, size_of::<S>() + size_of::<T>(), 0);
        if grain == usize::MAX {
            return self.serial(&Part { extents: extents.clone(), x, y });
        }
        let block = self.block(grain.max(len / MOST_PARTS));
        let counts: Vec<usize> =
            extents.iter().zip(&block).map(|(extent, block)| extent.div_ceil(*block)).collect();
        let begin = Part { extents: block, x, y };
        let count: usize = counts.iter().product();
        let failed = AtomicUsize::new(0);
        let parts = (0..count).map(|number| self.nth(&begin, &counts, number));
        let parts: Vec<Part<S, T>> = parts.collect();
        parallel::share_all(parts, &|part: Part<S, T>| {
            failed.fetch_add(self.serial(&part), Ordering::Relaxed);
        });
        failed.into_inner()
    }

    /// The extents of parts of about `grain` elements: whole rows, or about square.
    fn block(&self, grain: usize) -> Axes<usize> {
        let mut block = self.space.extents.clone();
        if self.tiles {
            while block.iter().product::<usize>() > grain.max(TILE) {
                let Some(longest) = block.iter_mut().max() else { break };
                *longest = longest.div_ceil(2);
            }
            return block;
        }
        let mut left = grain;
        for extent in &mut block {
            *extent = extent.div_ceil(extent.div_ceil(left.max(1)));
            left /= *extent;
        }
        block
    }

    /// Part `number` of those with the extents of the first, `begin`, of which there are so many along each axis.
    fn nth<S, T>(&self, begin: &Part<S, T>, counts: &[usize], mut number: usize) -> Part<S, T> {
        let Part { mut extents, mut x, mut y } =
            Part { extents: begin.extents.clone(), x: begin.x, y: begin.y };
        for (axis, count) in counts.iter().enumerate() {
            let from = number % count * extents[axis];
            number /= count;
            let [to, source] = self.steps(axis).map(|step| step.wrapping_mul(from as isize));
            (x, y) = (x.wrapping_offset(source), y.wrapping_offset(to));
            extents[axis] = extents[axis].min(self.space.extents[axis] - from);
        }
        Part { extents, x, y }
    }

    /// The strides of target and source along an axis.
    fn steps(&self, axis: usize) -> [isize; 2] {
        [self.space.strides[0][axis], self.space.strides[1][axis]]
    }

    /// Walks the rows of a part, or its planes of tiles.
    fn serial<S: Copy, T: Copy>(&self, part: &Part<S, T>) -> usize
    where
        W: Work<S, T>,
    {
        let inner = 1 + usize::from(self.tiles);
        let mut index = vec![0; part.extents.len() - inner];
        let mut failed = 0;
        loop {
            let (mut x, mut y) = (part.x, part.y);
            for (axis, &at) in index.iter().enumerate() {
                let [to, from] = self.steps(axis + inner);
                x = x.wrapping_offset(from.wrapping_mul(at as isize));
                y = y.wrapping_offset(to.wrapping_mul(at as isize));
            }
            let (first, second) = (part.extents[0], part.extents.get(1).copied().unwrap_or(1));
            // SAFETY: `x` and `y` lie at an index of the part, and the extents are its own.
            unsafe {
                if self.tiles {
                    self.plane(x, y, [first, second], &mut failed);
                } else {
                    self.row(x, y, first, &mut failed);
                }
            }
            if !advance(&mut index, &part.extents[inner..]) {
                return failed;
            }
        }
    }

    /// # Safety
    /// A row of `len` elements begins at `x` and at `y`.
    unsafe fn row<S: Copy, T: Copy>(&self, x: *const S, y: *mut T, len: usize, failed: &mut usize)
    where
        W: Work<S, T>,
    {
        let [to, from] = self.steps(0);
        // SAFETY: the caller's; rows of neighbours are slices, and no element of `y` is one of `x`.
        unsafe {
            if to == 1 && from == 1 {
                let x = std::slice::from_raw_parts(x, len);
                let y = std::slice::from_raw_parts_mut(y.cast::<MaybeUninit<T>>(), len);
                return self.work.many(x, y, failed);
            }
            if to == 1 && from == 0 {
                // One element that is repeated along the row.
                let mut once = 0;
                let element = self.work.one(x.read(), &mut once);
                *failed += once * len;
                let y = std::slice::from_raw_parts_mut(y.cast::<MaybeUninit<T>>(), len);
                return y.fill(MaybeUninit::new(element));
            }
            for i in 0..len as isize {
                let element = self.work.one(x.offset(i * from).read(), failed);
                y.offset(i * to).write(element);
            }
        }
    }

    /// Turns a plane tile by tile: whole cache lines of the source go into a tile, and out as whole lines of the
    /// target.
    ///
    /// # Safety
    /// A plane of these extents begins at `x` and at `y`; its rows are contiguous in the target.
    unsafe fn plane<S: Copy, T: Copy>(
        &self,
        x: *const S,
        y: *mut T,
        extents: [usize; 2],
        failed: &mut usize,
    ) where
        W: Work<S, T>,
    {
        let [rows, columns] = const {
            sides(if size_of::<S>() > size_of::<T>() { size_of::<S>() } else { size_of::<T>() })
        };
        let ([_, from0], [to1, from1]) = (self.steps(0), self.steps(1));
        let mut tile = [MaybeUninit::<S>::uninit(); TILE];
        // Rows of tiles end where cache lines do, as far as the target's rows begin alike.
        let head = (y.align_offset(LINE) % columns).min(extents[0]);
        let fence = past::Fence;
        let mut first0 = 0;
        while first0 < extents[0] {
            let end = if first0 < head { head } else { extents[0].min(first0 + columns) };
            let wide = end - first0;
            for first1 in (0..extents[1]).step_by(rows) {
                let high = rows.min(extents[1] - first1);
                let x = x.wrapping_offset(first0 as isize * from0 + first1 as isize * from1);
                if from1 == 1 {
                    // SAFETY: indices of the plane.
                    unsafe { turn::gather(x, from0, [wide, high], columns, &mut tile) };
                } else {
                    for (i, k) in (0..wide).flat_map(|i| (0..high).map(move |k| (i, k))) {
                        let place = i as isize * from0 + k as isize * from1;
                        // SAFETY: an index of the plane.
                        tile[k * columns + i].write(unsafe { x.offset(place).read() });
                    }
                }
                for k in 0..high {
                    // SAFETY: `wide` elements of the tile's row `k` were just written; the target's row is part of
                    // the plane.
                    unsafe {
                        let taken = tile.as_ptr().add(k * columns).cast::<S>();
                        let taken = std::slice::from_raw_parts(taken, wide);
                        let place = first0 as isize + (first1 + k) as isize * to1;
                        let given = std::slice::from_raw_parts_mut(y.offset(place).cast(), wide);
                        self.work.lines(taken, given, failed);
                    }
                }
            }
            first0 = end;
        }
        drop(fence);
    }
}

/// Moves `index` to the next one below `shape`, the first axis fastest. `false` after the last.
fn advance(index: &mut [usize], shape: &[usize]) -> bool {
    for (at, &extent) in index.iter_mut().zip(shape) {
        *at += 1;
        if *at < extent {
            return true;
        }
        *at = 0;
    }
    false
}
