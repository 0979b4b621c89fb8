//! What the cases of filters that change from place to place share: which filters a sample has, and windows of models.

use arrayspan_bridge::DType;

use super::table;
use crate::suite::Moves;

/// Places along an axis of so many samples, of filters of so many taps.
#[derive(Clone, Copy, Debug)]
pub(super) struct Axis {
    pub(super) extent: usize,
    pub(super) places: &'static [usize],
    pub(super) taps: usize,
    /// The points of the transforms of windows.
    pub(super) points: usize,
}

impl Axis {
    /// The places around a sample that have a part of its filter.
    pub(super) fn around(&self, sample: usize) -> Vec<usize> {
        let of = |place: &usize| self.places.iter().position(|other| other == place);
        let before = self.places.iter().rfind(|place| **place <= sample).and_then(of);
        let behind = self.places.iter().find(|place| **place >= sample).and_then(of);
        let mut both: Vec<usize> = before.into_iter().chain(behind).collect();
        both.dedup();
        both
    }

    /// The samples that a sample of data has a part of, by taps.
    pub(super) fn reached(&self, row: usize) -> impl Iterator<Item = (usize, usize)> {
        let reach = self.taps / 2;
        let samples = row.saturating_sub(reach)..(row + reach + 1).min(self.extent);
        samples.map(move |sample| (sample, row + reach - sample))
    }

    fn window(&self, place: usize) -> (usize, usize) {
        let start = if place == 0 { 0 } else { self.places[place - 1] + 1 };
        (start, self.places.get(place + 1).copied().unwrap_or(self.extent))
    }

    fn samples_of_windows(&self) -> Vec<Vec<usize>> {
        let all = (0..self.places.len()).flat_map(|place| {
            let (start, end) = self.window(place);
            (0..self.points).map(move |at| (start + at..end).take(1).collect())
        });
        all.collect()
    }

    fn points_of_samples(&self) -> Vec<Vec<usize>> {
        let of = |sample: usize| {
            let points = (0..self.places.len()).filter_map(move |place| {
                let (start, end) = self.window(place);
                let at = (sample + self.taps / 2).checked_sub(start)?;
                (at < end - start + self.taps - 1).then_some(place * self.points + at)
            });
            points.collect()
        };
        (0..self.extent).map(of).collect()
    }
}

/// Taking windows along all axes and adding them up again, each there and back.
pub(super) fn windows(dtype: DType, axes: &[Axis]) -> [[Moves; 2]; 2] {
    let nothing = Moves { launches: 0, read: 0, written: 0, table: 0 };
    let (mut taken, mut folded) = ([nothing; 2], [nothing; 2]);
    for (number, axis) in axes.iter().enumerate() {
        let before: usize =
            axes[..number].iter().map(|axis| axis.places.len() * axis.points).product();
        let behind: usize = axes[number + 1..].iter().map(|axis| axis.extent).product();
        let (others, windows) = (before * behind, axis.places.len() * axis.points);
        // Samples between neighbouring places have filters of their own.
        let between = (0..axis.extent).any(|sample| axis.around(sample).len() > 1);
        let weights = between.then_some(dtype.real());
        let take = table::moves(&axis.samples_of_windows(), axis.extent, others, weights);
        let fold = table::moves(&axis.points_of_samples(), windows, others, None);
        for direction in 0..2 {
            taken[direction] = taken[direction].then(take[direction]);
            folded[direction] = folded[direction].then(fold[direction]);
        }
    }
    [taken, folded]
}
