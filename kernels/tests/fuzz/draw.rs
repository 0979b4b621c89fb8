//! What is drawn: the same seed gives the same.

use arrayspan_kernels::Update;
use num_complex::Complex64;

use crate::cell::Cell;
use crate::sample::Random;

pub struct Draw(pub Random);

impl Draw {
    pub fn new(seed: u64) -> Self {
        Self(Random(seed))
    }

    pub fn bits(&mut self) -> u64 {
        self.0.bits()
    }

    /// A number that every dtype holds, and none near zero.
    pub fn value(&mut self) -> f64 {
        self.0.next()
    }

    /// A number below `count`, which counts as one if it is zero.
    pub fn below(&mut self, count: usize) -> usize {
        (self.bits() >> 20) as usize % count.max(1)
    }

    pub fn once_in(&mut self, count: usize) -> bool {
        self.below(count) == 0
    }

    pub fn pick<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())]
    }

    /// All numbers below `count`, in any order.
    pub fn order(&mut self, count: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..count).collect();
        for last in (1..count).rev() {
            let other = self.below(last + 1);
            order.swap(last, other);
        }
        order
    }

    /// Of up to five axes and about `most` elements, their extents around those at which kernels change, some of them 0 or 1.
    pub fn shape(&mut self, most: usize) -> Vec<usize> {
        let rank = self.pick(&[1, 1, 2, 2, 2, 3, 3, 4, 5]);
        let mut left = most;
        let mut shape = Vec::new();
        for _ in 0..rank {
            let extent = match self.below(10) {
                0 => 1,
                1 => self.below(4),
                2 | 3 => 1 + self.below(9),
                4 | 5 => self.pick(&[7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65]),
                6 => self.pick(&[127, 128, 129, 255, 256, 257, 511, 513]),
                7 => 1 + self.below(100),
                8 => 1 + self.below(1000),
                _ => self.pick(&[1023, 1024, 1025, 2047, 2049, 4095, 4097, 8191, 16_385, 33_000]),
            };
            let extent = if extent > left { 1 + self.below(left.min(9)) } else { extent };
            left = (left / extent.max(1)).max(1);
            shape.push(extent);
        }
        self.order(rank).into_iter().map(|axis| shape[axis]).collect()
    }

    pub fn update(&mut self, cell: &Cell) -> Update<'static> {
        match self.below(6) {
            0 | 1 => Update::set(),
            2 => Update::add(),
            3 => Update::new(self.pick(&[0.5, -2.0, 1.0, 0.0]), self.pick(&[0.0, 1.0, -1.5])),
            4 => Update::new(cell.number(0.5, 0.25), cell.number(-2.0, 1.5)),
            _ => Update::new(cell.number(0.5, 0.25), 0.0),
        }
    }

    pub fn weight(&mut self, cell: &Cell, complex: bool) -> Complex64 {
        let re = self.value();
        if complex { cell.number(re, self.value()) } else { re.into() }
    }
}

/// Whether an update reads what was there.
pub fn reads(update: &Update<'_>) -> bool {
    update.known().unwrap()[1] != Complex64::ZERO
}
