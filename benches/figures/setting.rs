//! Where operators are timed, on what, and how.

use std::time::Instant;

use arrayspan::num_complex::Complex32;
use arrayspan::prelude::*;

use crate::Failure;

/// Where, how large, how often.
pub(crate) struct Setting {
    pub(crate) device: Device,
    pub(crate) size: String,
    pub(crate) shape: Vec<usize>,
    pub(crate) repetitions: usize,
}

impl Setting {
    pub(crate) fn space(&self) -> Result<Space, Failure> {
        Ok(Space::new(self.shape.clone(), DType::Float32)?)
    }

    pub(crate) fn reversed_axes(&self) -> Vec<isize> {
        (0..self.shape.len() as isize).rev().collect()
    }

    /// Whether a row of this name goes along an axis that is there.
    pub(crate) fn has_axis(&self, name: &str) -> bool {
        let axis = name.rsplit_once("_ax").and_then(|(_, axis)| axis.parse().ok());
        axis.unwrap_or(0) < self.shape.len()
    }

    /// All indices of an axis, each once, in another order.
    pub(crate) fn scattered(&self, axis: usize) -> Vec<usize> {
        let n = self.shape[axis];
        let mut indices: Vec<usize> = (0..n).collect();
        let mut state = 1_u64;
        for at in (1..n).rev() {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            indices.swap(at, (state >> 33) as usize % (at + 1));
        }
        indices
    }

    /// As many positions as samples, between the samples.
    pub(crate) fn between(&self, axis: usize) -> Vec<f64> {
        let n = self.shape[axis];
        (0..n).map(|at| at as f64 * (n as f64 - 1.5) / n as f64 + 0.25).collect()
    }

    /// As many positions as elements.
    pub(crate) fn positions(&self) -> Result<SharedArray, Failure> {
        self.random(&[self.shape.iter().product()], 1)
    }

    /// Scattered numbers between -1 and 1.
    pub(crate) fn random(&self, shape: &[usize], seed: u32) -> Result<SharedArray, Failure> {
        Ok(self.array(shape, seed)?.into_shared())
    }

    pub(crate) fn array(&self, shape: &[usize], seed: u32) -> Result<Array, Failure> {
        let len = fewest(shape);
        let values: Vec<f32> = scattered(seed).take(len).collect();
        self.repeated(Array::from_vec(values, [len])?, shape)
    }

    /// Scattered numbers of a space, which is of Float32 or of Complex64.
    pub(crate) fn vector(&self, space: &Space, seed: u32) -> Result<Array, Failure> {
        let shape = space.shape();
        if !space.dtype().is_complex() {
            return self.array(shape, seed);
        }
        let mut parts = scattered(seed);
        let mut part = || parts.next().unwrap_or_default();
        let len = fewest(shape);
        let values: Vec<Complex32> = (0..len).map(|_| Complex32::new(part(), part())).collect();
        self.repeated(Array::from_vec(values, [len])?, shape)
    }

    /// An array filled with these numbers, again and again.
    fn repeated(&self, numbers: Array, shape: &[usize]) -> Result<Array, Failure> {
        let numbers = numbers.into_device(self.device)?.0;
        let mut array = Array::empty(shape, numbers.dtype(), self.device)?;
        let len = array.layout().len();
        let mut line = array.view_mut().reshaped(&[len])?;
        for start in (0..len).step_by(numbers.layout().len().max(1)) {
            let few = numbers.layout().len().min(len - start);
            line.slice_mut(start..start + few)?.assign(&numbers.slice(..few)?)?;
        }
        Ok(array)
    }

    /// Milliseconds of one `work`, the median over batches.
    pub(crate) fn time(
        &self,
        repetitions: usize,
        mut work: impl FnMut() -> Result<(), Failure>,
    ) -> Result<f64, Failure> {
        let stream = self.device.stream()?;
        for _ in 0..2 {
            work()?;
        }
        stream.synchronize()?;
        // Fewer of what takes long: a batch takes a quarter of a second.
        let begin = Instant::now();
        work()?;
        stream.synchronize()?;
        let most = (0.25 / begin.elapsed().as_secs_f64()).clamp(1.0, 1e6) as usize;
        let repetitions = repetitions.min(most);
        let mut batches = Vec::new();
        for _ in 0..5 {
            let begin = Instant::now();
            for _ in 0..repetitions {
                work()?;
            }
            stream.synchronize()?;
            batches.push(begin.elapsed().as_secs_f64() * 1e3 / repetitions as f64);
        }
        batches.sort_by(f64::total_cmp);
        Ok(batches[batches.len() / 2])
    }

    pub(crate) fn row(&self, name: &str, times: [f64; 2], bytes: [usize; 2]) {
        let ([forward, adjoint], [read, back]) = (times, bytes);
        println!("{name},{},{forward:.5},{adjoint:.5},{read},{back}", self.size);
    }
}

/// Numbers between -1 and 1, the same for the same seed.
pub(crate) fn scattered(seed: u32) -> impl Iterator<Item = f32> {
    let mut state = seed.wrapping_mul(747_796_405).wrapping_add(1);
    std::iter::repeat_with(move || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) as f32 / 8_388_608.0 - 1.0
    })
}

/// Half of `n` indices, in order.
pub(crate) fn half(n: usize) -> Vec<usize> {
    let values = scattered(8).take(n);
    (0..n).zip(values).filter(|(_, value)| *value < 0.0).map(|(at, _)| at).collect()
}

/// How many of an array's numbers are new: making all of them would take longer than the rest. A prime number, lest rows repeat.
fn fewest(shape: &[usize]) -> usize {
    shape.iter().product::<usize>().min(1_000_003)
}
