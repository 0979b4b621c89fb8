//! The inputs of an expression, a line at a time.

use arrayspan_bridge::{Line, Lines};

use super::elementwise::Operand;
use super::scalar::Scalar;

/// The value of each input that repeats a single number.
pub(super) fn numbers<T: Scalar>(inputs: &[Lines<'_, T>]) -> Vec<Option<T>> {
    let number = |lines: &Lines<'_, T>| {
        let single = lines.shape().iter().zip(lines.strides()).all(|(&n, &s)| n == 1 || s == 0);
        let index = vec![0; lines.shape().len()];
        let line = single.then(|| lines.line(&index, 0, 1));
        line.and_then(|line| line.as_slice().map(|slice| slice[0]))
    };
    inputs.iter().map(number).collect()
}

/// The inputs of an expression along one line: slices where they are, copies where they have strides.
pub(super) struct Operands<'a, T> {
    lines: Vec<Line<'a, T>>,
    gathered: Vec<Vec<T>>,
    chunk: usize,
}

impl<'a, T: Scalar> Operands<'a, T> {
    /// For `inputs` inputs, in chunks of up to `chunk` elements.
    pub(super) fn new(chunk: usize, inputs: usize) -> Self {
        Self { lines: Vec::with_capacity(inputs), gathered: vec![Vec::new(); inputs], chunk }
    }

    /// Turns to the line of `len` elements from `index` along `axis`.
    pub(super) fn start(
        &mut self,
        inputs: &[Lines<'a, T>],
        index: &[usize],
        axis: usize,
        len: usize,
    ) {
        self.lines.clear();
        self.lines.extend(inputs.iter().map(|lines| lines.line(index, axis, len)));
    }

    /// Copies together what `n` elements from `from` on need.
    pub(super) fn load(&mut self, from: usize, n: usize) {
        for (line, gathered) in self.lines.iter().zip(&mut self.gathered) {
            if line.as_slice().is_none() && line.as_repeated().is_none() {
                gathered.resize(self.chunk, T::default());
                line.gather(from, &mut gathered[..n]);
            }
        }
    }

    /// Input `number`, `n` elements from `from` on.
    pub(super) fn get(&self, number: usize, from: usize, n: usize) -> Operand<'_, T> {
        let line = &self.lines[number];
        match (line.as_slice(), line.as_repeated()) {
            (Some(slice), _) => Operand::Slice(&slice[from..from + n]),
            (None, Some(number)) => Operand::Number(number),
            (None, None) => Operand::Slice(&self.gathered[number][..n]),
        }
    }
    /// As [`get`](Self::get), if it is a slice.
    pub(super) fn slice(&self, number: usize, from: usize, n: usize) -> Option<&[T]> {
        match self.get(number, from, n) {
            Operand::Slice(slice) => Some(slice),
            _ => None,
        }
    }
}
