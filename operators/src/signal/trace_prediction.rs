//! Prediction of traces from their neighbours, along slopes.

use crate::{Error, Result};

/// Numbers this far below 1 are nothing beside those of other samples.
const NOTHING: f64 = 1e-20;

/// The matrices that predict each of some traces from others, by one trace after the other.
///
/// Those of `level` take a trace `2^level` traces further: `forward[j]` from trace `j 2^level` to the one behind, `backward[j]`
/// from that to the one before.
pub(super) struct Predictions {
    samples: usize,
    forward: Matrices,
    backward: Matrices,
}

/// Square matrices, one behind the other.
type Matrices = Vec<f64>;

impl Predictions {
    /// Those of the next trace: `new[t] = Σₛ sinc(t - p(t) - s) old[s]`, `p` in samples for each trace and sample, those of the trace
    /// that a step begins at.
    pub(super) fn new(operator: &str, [traces, samples]: [usize; 2], p: &[f64]) -> Result<Self> {
        let steps = traces.saturating_sub(1);
        let mut forward = matrices(operator, steps, samples)?;
        let mut backward = matrices(operator, steps, samples)?;
        for step in 0..steps {
            for time in 0..samples {
                let row = (step * samples + time) * samples;
                let (from, to) = (step * samples + time, (step + 1) * samples + time);
                let (from, to) = (p.get(from), p.get(to));
                delay(&mut forward[row..row + samples], time, from.copied().unwrap_or(0.0));
                delay(&mut backward[row..row + samples], time, -to.copied().unwrap_or(0.0));
            }
        }
        Ok(Self { samples, forward, backward })
    }

    /// Those twice as far: of two steps each.
    pub(super) fn next(&self, operator: &str) -> Result<Self> {
        let (samples, size) = (self.samples, self.samples * self.samples);
        let steps = (self.forward.len() / size.max(1)).saturating_sub(1) / 2;
        let mut forward = matrices(operator, steps, samples)?;
        let mut backward = matrices(operator, steps, samples)?;
        let at = |matrices: &'_ [f64], step: usize| {
            step * size..(step * size + size).min(matrices.len())
        };
        for step in 0..steps {
            let [first, second] = [2 * step, 2 * step + 1];
            let pair =
                [&self.forward[at(&self.forward, second)], &self.forward[at(&self.forward, first)]];
            multiply(&mut forward[step * size..][..size], pair, samples);
            let pair = [
                &self.backward[at(&self.backward, first)],
                &self.backward[at(&self.backward, second)],
            ];
            multiply(&mut backward[step * size..][..size], pair, samples);
        }
        Ok(Self { samples, forward, backward })
    }

    /// The weights of all samples of the trace before, for a sample of the one behind step `step`.
    pub(super) fn forward(&self, step: usize, time: usize) -> &[f64] {
        self.row(&self.forward, step, time)
    }

    /// The weights of all samples of the trace behind, for a sample of the one before step `step`.
    pub(super) fn backward(&self, step: usize, time: usize) -> &[f64] {
        self.row(&self.backward, step, time)
    }

    fn row<'a>(&self, matrices: &'a Matrices, step: usize, time: usize) -> &'a [f64] {
        &matrices[(step * self.samples + time) * self.samples..][..self.samples]
    }
}

/// What of a row of weights is not nothing.
pub(super) fn entries(row: &[f64]) -> impl Iterator<Item = (usize, f64)> {
    let all = row.iter().copied().enumerate();
    all.filter(|(_, weight)| weight.abs() > NOTHING)
}

fn matrices(operator: &str, count: usize, samples: usize) -> Result<Matrices> {
    let mut all = Vec::new();
    let len = count.checked_mul(samples).and_then(|len| len.checked_mul(samples));
    let Some(len) = len.filter(|&len| all.try_reserve_exact(len).is_ok()) else {
        let why = format!("{count} matrices of {samples} samples do not fit the memory");
        return Error::parameter(operator, why);
    };
    all.resize(len, 0.0);
    Ok(all)
}

/// `sinc(time - p - s)` for each `s`: exactly one sample where `p` is whole.
fn delay(row: &mut [f64], time: usize, p: f64) {
    let whole = p.round();
    let part = p - whole;
    let middle = time as f64 - whole;
    let sine = (std::f64::consts::PI * part).sin() / std::f64::consts::PI;
    for (sample, weight) in row.iter_mut().enumerate() {
        let distance = middle - sample as f64;
        *weight = if part == 0.0 {
            f64::from(u8::from(distance == 0.0))
        } else {
            // sin π(d - q) = -(-1)ᵈ sin πq, for a whole number d.
            let sign = if distance.rem_euclid(2.0) == 0.0 { -1.0 } else { 1.0 };
            sign * sine / (distance - part)
        };
    }
}

/// `product = a b`.
fn multiply(product: &mut [f64], [a, b]: [&[f64]; 2], samples: usize) {
    for (row, weights) in product.chunks_exact_mut(samples).zip(a.chunks_exact(samples)) {
        row.fill(0.0);
        for (weight, other) in weights.iter().zip(b.chunks_exact(samples)) {
            if *weight == 0.0 {
                continue;
            }
            for (sum, number) in row.iter_mut().zip(other) {
                *sum += weight * number;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_delays_move_samples_and_others_interpolate() {
        let mut row = [0.0; 5];
        delay(&mut row, 3, 1.0);
        let entries: Vec<usize> = entries(&row).map(|entry| entry.0).collect();
        assert!(entries == [2] && row[2] > 0.999);
        for p in [0.3, -1.75, 2.5, 1e-9] {
            delay(&mut row, 2, p);
            for (sample, weight) in row.iter().enumerate() {
                let at = std::f64::consts::PI * (2.0 - p - sample as f64);
                assert!((weight - at.sin() / at).abs() < 1e-12, "{p} {sample} {weight}");
            }
        }
    }

    #[test]
    fn steps_become_one() {
        let p: Vec<f64> = (0..24).map(|at| f64::from(at % 7) / 3.0 - 1.0).collect();
        let one = Predictions::new("test", [8, 3], &p).unwrap();
        let two = one.next("test").unwrap();
        // Steps 2 and 3, as one.
        for time in 0..3 {
            for sample in 0..3 {
                let way =
                    |middle: usize| one.forward(3, time)[middle] * one.forward(2, middle)[sample];
                let expected: f64 = (0..3).map(way).sum();
                assert!((two.forward(1, time)[sample] - expected).abs() < 1e-14);
                let way =
                    |middle: usize| one.backward(2, time)[middle] * one.backward(3, middle)[sample];
                let expected: f64 = (0..3).map(way).sum();
                assert!((two.backward(1, time)[sample] - expected).abs() < 1e-14);
            }
        }
        assert!(Predictions::new("test", [usize::MAX, 3], &p).is_err());
    }
}
