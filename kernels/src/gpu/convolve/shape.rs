//! How much of a convolution a thread holds, and how threads are placed: what takes the least time by a simple model of a processor.

use arrayspan_bridge::DType;

use super::numbers::Numbers;
use super::roles::Along;

/// What is the same for all groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Shape {
    /// Results of a thread in a plane.
    pub(super) rows: usize,
    /// Whether they lie along the lanes: in loops as many elements apart as a group has threads, in straight code one beside the other.
    pub(super) along_lanes: bool,
    /// Threads of a group along the lanes, and along the axis of rows.
    pub(super) lanes: usize,
    pub(super) deep: usize,
    /// Taps along the march and the axis of rows.
    pub(super) depth: Blocks,
    pub(super) height: Blocks,
    /// Taps along the lanes.
    pub(super) width: usize,
    /// Whether all products of a sample's plane are straight code, with weights as an argument.
    pub(super) straight: bool,
}

/// What a device allows.
#[derive(Clone, Copy, Debug)]
pub(in crate::gpu) struct Limits {
    /// Processors that work independently.
    pub(in crate::gpu) units: usize,
    /// Bytes of arguments.
    pub(in crate::gpu) argument_bytes: usize,
    /// Products of a thread that may stand in a row in the text: compilers take long for many, those of processors longer.
    pub(in crate::gpu) products: usize,
}

/// What is the same for all shapes of a task.
#[derive(Clone, Copy, Debug)]
pub(super) struct Work<'t> {
    /// See [`Roles::along`](super::roles::Roles::along).
    pub(super) axes: &'t [Along; 3],
    /// How many taps there are along axes beyond these, and places.
    pub(super) extra: usize,
    pub(super) others: usize,
    pub(super) numbers: Numbers,
    pub(super) limits: Limits,
}

/// Taps in blocks of one size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Blocks {
    pub(super) each: usize,
    pub(super) count: usize,
}

/// The numbers of groups.
#[derive(Clone, Copy, Debug)]
pub(super) struct Groups {
    pub(super) tiles: usize,
    pub(super) strips: usize,
    /// Planes of a part of the march, and parts.
    pub(super) planes: usize,
    pub(super) parts: usize,
}

/// Threads of a group, at most.
const THREADS: usize = 128;

/// 32-bit registers of the sums of a thread, at most: those of a thread are few more than twice as many.
const SUMS: usize = 64;

/// Registers of a processor, and of a thread beside sums, samples and weights.
const REGISTERS: usize = 65_536;
const OTHERS: usize = 44;

/// Products of a thread in straight code from which on compilers hold samples of several places of the taps, and registers for these: 7 x 7 x 7 taps
/// for two rows take 1.30 ms instead of 1.35 (H200) where no more groups are to be resident than that leaves.
const MANY: usize = 600;
const AHEAD: usize = 50;

/// Taps of a block along the axis of rows at most: a bit for each sample must fit 32.
const HIGH: usize = 16;

/// Products that stand in a row in the text: more are no faster, but hold more samples and weights than there are registers.
const STRAIGHT: usize = 320;

/// Threads that hardware runs together, how many of these keep a processor busy, and how many it has at most.
const TOGETHER: usize = 32;
const BUSY: usize = 16;
const MOST: usize = 64;

/// What all products cost in loops, in straight code 1: as measured.
const LOOPED: f64 = 1.8;

/// Instructions of a plane in straight code, beside those for samples, sums and results.
const OF_A_PLANE: f64 = 30.0;

/// Samples that a thread loads in a row where it holds those of one place of the taps after the other.
const LOADS: usize = 256;

/// Samples of a row that a thread holds, in 32-bit registers, and bytes of the arguments beside weights.
const WINDOW: usize = 40;
const OTHER_ARGUMENTS: usize = 512;

/// Bytes that memory moves in a cycle of a processor, and how many must be on their way for that.
const BYTES: f64 = 14.0;
const WAITING: f64 = 8192.0;

/// What zeros that are left out cost: so many times the products.
const LEFT_OUT: f64 = 2.0;

/// What it costs that a group has fewer threads than it may: weights are copied for fewer of them, and more samples for several groups.
const SMALL: f64 = 0.1;

impl Blocks {
    /// Equal ones, of at most so many.
    fn even(taps: usize, most: usize) -> Self {
        let count = taps.div_ceil(most.max(1));
        Self { each: taps.div_ceil(count), count }
    }

    /// With the zeros that fill up the last.
    pub(super) fn all(self) -> usize {
        self.each * self.count
    }
}

impl Shape {
    /// The best one, and the groups that take it.
    pub(super) fn best(work: &Work<'_>) -> (Self, Groups) {
        let mut best: Option<(f64, Self, Groups)> = None;
        for shape in Self::all(work) {
            let (cost, groups) = shape.cost(work);
            if best.as_ref().is_none_or(|(least, ..)| cost < *least) {
                best = Some((cost, shape, groups));
            }
        }
        best.map_or_else(
            || {
                let shape = Self::of(work, 1, TOGETHER);
                (shape, shape.groups(work.axes, 1))
            },
            |(_, shape, groups)| (shape, groups),
        )
    }

    fn all<'w>(work: &'w Work<'_>) -> impl Iterator<Item = Self> + 'w {
        let rows = [4, 2, 1].into_iter();
        let shapes = rows.flat_map(move |rows| {
            let lanes = [32, 64, 128, 16, 8, 4].into_iter();
            lanes.map(move |lanes| Self::of(work, rows, lanes))
        });
        shapes.filter(|shape| !shape.along_lanes || shape.lanes >= TOGETHER)
    }

    fn of(work: &Work<'_>, rows: usize, lanes: usize) -> Self {
        let ([march, beside, along], numbers) = (work.axes, work.numbers);
        let along_lanes = beside.taps == 1;
        let shape = Self {
            rows,
            along_lanes,
            lanes,
            deep: if along_lanes { 1 } else { THREADS / lanes },
            depth: Blocks::even(march.taps, SUMS / (rows * numbers.words())),
            height: Blocks::even(beside.taps, HIGH),
            width: along.taps,
            straight: false,
        };
        Self { straight: shape.fits_a_row(work), ..shape }
    }

    /// Whether all products may stand in a row.
    fn fits_a_row(&self, Work { extra, numbers, limits, .. }: &Work<'_>) -> bool {
        let taps = self.taps();
        let whole = self.depth.count == 1 && self.height.count == 1 && *extra == 1;
        let window = (self.rows + self.width - 1) * numbers.words();
        whole
            && self.products(*numbers) <= limits.products
            && taps.saturating_mul(numbers.weight_bytes()) + OTHER_ARGUMENTS
                <= limits.argument_bytes
            && if self.along_lanes { window <= WINDOW } else { self.width * self.reach() <= LOADS }
    }

    /// Taps of a block along all axes.
    fn taps(&self) -> usize {
        self.depth.each.saturating_mul(self.height.each).saturating_mul(self.width)
    }

    /// Products of a thread with these.
    fn products(&self, numbers: Numbers) -> usize {
        self.taps().saturating_mul(self.rows * numbers.parts())
    }

    pub(super) fn threads(&self) -> usize {
        self.lanes * self.deep
    }

    /// Samples that a thread holds at once.
    fn reach(&self) -> usize {
        let lanes = if self.straight && self.along_lanes { self.width } else { self.height.each };
        self.rows + lanes - 1
    }

    /// Weights of a block along the march, with zeros that fill up whole parts of 16 bytes where they are loaded by these.
    pub(super) fn padded(&self, numbers: Numbers) -> usize {
        if self.straight { self.depth.each } else { self.quads(numbers) * numbers.quad() }
    }

    /// Parts of 16 bytes that the weights of a sum fill.
    pub(super) fn quads(&self, numbers: Numbers) -> usize {
        self.depth.each.div_ceil(numbers.quad())
    }

    /// How often there are the weights of a block along the march, for so many taps along other axes.
    pub(super) fn columns(&self, extra: usize) -> usize {
        self.depth.count * extra * self.height.all() * self.width
    }

    /// How many places of the taps along the lanes stand in a row in the text: a divisor of all.
    pub(super) fn unrolled(&self, numbers: Numbers) -> usize {
        let products = self.depth.each * self.height.each * self.rows * numbers.parts();
        let most = (STRAIGHT / products).clamp(1, self.width);
        (1..=most).rev().find(|count| self.width.is_multiple_of(*count)).unwrap_or(1)
    }

    /// Groups that a processor's registers are enough for.
    pub(super) fn resident(&self, numbers: Numbers) -> usize {
        let weights = if self.straight { 0 } else { self.quads(numbers) * 4 };
        let many = self.straight && !self.along_lanes && self.products(numbers) > MANY;
        let ahead = if many { AHEAD } else { 0 };
        let held = (self.depth.each * self.rows + self.reach()) * numbers.words() + weights + ahead;
        // Four units of a processor have as many each.
        let unit = (4 * TOGETHER / self.threads()).max(1);
        let count = REGISTERS / (self.threads() * (held + OTHERS)) / unit * unit;
        count.clamp(unit, MOST * TOGETHER / self.threads()).min(16)
    }

    fn groups(&self, [march, beside, along]: &[Along; 3], parts: usize) -> Groups {
        let wide = if self.along_lanes { self.lanes * self.rows } else { self.lanes };
        let high = if self.along_lanes { 1 } else { self.deep * self.rows };
        let planes = march.extent.div_ceil(parts).max(1);
        Groups {
            tiles: along.extent.div_ceil(wide),
            strips: beside.extent.div_ceil(high),
            planes,
            parts: march.extent.div_ceil(planes),
        }
    }

    /// The cycles that 32 threads take for a plane whose samples are near the processor: products of four units beside accesses of 128
    /// bytes, which meet two lines of the cache.
    fn near(&self, Work { axes, extra, numbers, .. }: &Work<'_>) -> f64 {
        let rate = if numbers.dtype.real() == DType::Float64 { 2.0 } else { 4.0 };
        let access = 1.0 + numbers.words() as f64;
        let products = (self.depth.each * self.height.each * self.rows * numbers.parts()) as f64;
        let stores = self.rows as f64 * access;
        if self.straight && self.along_lanes {
            // A thread's samples are beside each other, so that those of its neighbours are as far apart as it has results.
            let loads = (self.reach() * self.rows) as f64 * access;
            let sums = self.depth.each * self.rows * numbers.words();
            let issued = 1.5 * self.reach() as f64 + (sums + 4 * self.rows) as f64 + OF_A_PLANE;
            return (self.width as f64 * products / rate + issued / 4.0).max(loads) + stores;
        }
        if self.straight {
            // Few rows: tests of more samples near the ends of axes leave no registers.
            let loads = (self.width * self.reach()) as f64 * access;
            return (self.width as f64 * products / rate).max(loads) + stores;
        }
        let filled = self.depth.all() > axes[0].taps || self.height.all() > axes[1].taps;
        let products = if filled { LEFT_OUT * products } else { products };
        let loads = self.reach() as f64 * access + (self.height.each * self.quads(*numbers)) as f64;
        let blocks = (self.depth.count * self.height.count * extra * self.width) as f64;
        LOOPED * blocks * (products / rate).max(loads) + stores
    }

    /// The time that it takes, in cycles, with the best number of parts of the march.
    fn cost(&self, work: &Work<'_>) -> (f64, Groups) {
        let Work { axes, others, numbers, limits, .. } = *work;
        let near = self.near(work);
        let moved = (self.rows * TOGETHER * numbers.dtype.bytes()) as f64;
        let warps = self.threads() / TOGETHER;
        let resident = (self.resident(numbers) * warps) as f64;
        let far = 2.0 * moved / BYTES * (WAITING / (resident * moved)).max(1.0);
        let needed = if far > near { self.resident(numbers) * warps } else { BUSY };
        let small = 1.0 + SMALL * ((THREADS / self.threads()) as f64).log2();
        let cost = |groups: &Groups| {
            let all = groups.tiles * groups.strips * groups.parts * others;
            let busy = (all.div_ceil(limits.units) * warps).max(needed) as f64;
            let first = (self.depth.each - 1) as f64 * near;
            small * busy * (groups.planes as f64 * near.max(far) + first)
        };
        let mut parts = 1;
        let mut best = self.groups(axes, 1);
        let mut least = cost(&best);
        while parts < axes[0].extent {
            parts = (parts + parts / 8 + 1).min(axes[0].extent);
            let groups = self.groups(axes, parts);
            if cost(&groups) < least {
                (least, best) = (cost(&groups), groups);
            }
        }
        (least, best)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn along(extent: usize, taps: usize) -> Along {
        Along { extent, strides: [1, 1], taps, offset: 0 }
    }

    const REAL: Numbers = Numbers { dtype: DType::Float32, complex_weights: false };
    const LIMITS: Limits = Limits { units: 132, argument_bytes: 4096, products: 1500 };

    fn work(axes: &[Along; 3], numbers: Numbers) -> Work<'_> {
        Work { axes, extra: 1, others: 1, numbers, limits: LIMITS }
    }

    #[test]
    fn large_arrays_are_shared_by_rows_of_a_thread() {
        let cube = [along(400, 7); 3];
        let (shape, groups) = Shape::best(&work(&cube, REAL));
        assert_eq!((shape.rows, shape.depth.each, shape.height.each, shape.lanes), (2, 7, 7, 16));
        assert!(shape.straight && groups.planes >= 40, "{groups:?}");
        assert_eq!(shape.resident(REAL), 4);
        let plane = [along(8000, 15), along(1, 1), along(8000, 15)];
        let (shape, groups) = Shape::best(&work(&plane, REAL));
        assert_eq!((shape.rows, shape.depth.each, shape.along_lanes), (4, 15, true));
        assert!(shape.straight && groups.planes >= 100, "{groups:?}");
    }

    #[test]
    fn products_are_straight_code_as_long_as_they_are_few() {
        let straight = |taps: [usize; 3], limits: Limits| {
            let axes = taps.map(|taps| along(100, taps));
            Shape::best(&Work { limits, ..work(&axes, REAL) }).0.straight
        };
        assert!(straight([9, 9, 9], LIMITS));
        assert!(!straight([31, 1, 31], LIMITS));
        // Weights that do not fit the arguments, and a compiler that takes longer.
        assert!(!straight([9, 9, 9], Limits { argument_bytes: 1024, ..LIMITS }));
        assert!(!straight([9, 9, 9], Limits { products: 100, ..LIMITS }));
        assert!(straight([3, 1, 5], Limits { products: 100, argument_bytes: 1024, ..LIMITS }));
        // More samples of a row than a thread holds.
        assert!(!straight([1, 1, 60], LIMITS));
    }

    #[test]
    fn sums_fit_registers_and_masks_their_bits() {
        let complex = Numbers { dtype: DType::Complex128, complex_weights: true };
        for numbers in [REAL, complex] {
            for taps in [1, 2, 15, 16, 17, 31, 64, 65, 1000] {
                let axes = [along(100, taps); 3];
                for shape in Shape::all(&work(&axes, numbers)) {
                    assert!(shape.depth.each * shape.rows * numbers.words() <= SUMS);
                    assert!(shape.reach() <= 32);
                    assert!(shape.depth.all() >= taps && shape.height.all() >= taps);
                    assert!(shape.depth.all() - taps < shape.depth.count);
                    assert!(shape.width.is_multiple_of(shape.unrolled(numbers)));
                }
            }
        }
    }

    #[test]
    fn groups_cover_the_array() {
        let axes = [along(37, 3), along(53, 5), along(101, 2)];
        for shape in Shape::all(&work(&axes, REAL)) {
            for parts in [1, 2, 5, 37] {
                let groups = shape.groups(&axes, parts);
                assert!(
                    groups.planes * groups.parts >= 37 && groups.planes * (groups.parts - 1) < 37
                );
                assert!(
                    groups.tiles * shape.lanes >= 101
                        && groups.strips * shape.deep * shape.rows >= 53
                );
            }
        }
    }
}
