//! The windows of curvelets, as a sparse matrix from spectra to those of coefficients.
//!
//! Frequencies of an axis lie between `-3π/2` and `π/2`, so that a wedge around its negative ones is in one piece. A window is the square root
//! of a ring, what one low pass has and the next one has not, times a step along the slope towards each other axis. The half of the slopes
//! that leads to negative frequencies is computed, and mirrored for the other half. All are divided by the root of the sum of squares over
//! windows at a frequency and at the opposite one, so that these are one.

use std::f64::consts::PI;

use arrayspan_bridge::devices::vectors::collected;

use super::positions::Rows;
use super::udct_steps::{frequencies, low_pass, slope, steps};
use super::{CurveletBand, CurveletKind, Curvelets};
use crate::{Error, Operator, Result, Space};

/// A frequency that a window has.
struct Entry {
    band: u32,
    wedge: usize,
    bin: usize,
    weight: f64,
}

/// Room for the wedges of a frequency.
#[derive(Default)]
struct Scratch {
    mirrored: Vec<usize>,
    found: Vec<(usize, f64)>,
    next: Vec<(usize, f64)>,
}

/// Windows of arrays of a shape.
pub(super) struct CurveletWindows<'a> {
    name: &'static str,
    curvelets: &'a Curvelets,
    shape: &'a [usize],
    bands: &'a [CurveletBand],
    /// The angular frequency of each bin along each axis.
    frequencies: Vec<Vec<f64>>,
    /// What the low passes below each scale from the second one on, and that of all, have of it.
    low_passes: Vec<Vec<Vec<f64>>>,
}

impl<'a> CurveletWindows<'a> {
    pub(super) fn new(
        name: &'static str,
        curvelets: &'a Curvelets,
        shape: &'a [usize],
        bands: &'a [CurveletBand],
    ) -> Result<Self> {
        let each = shape.iter().map(|extent| frequencies(*extent));
        let frequencies = each.collect::<Result<Vec<Vec<f64>>>>()?;
        let scales = curvelets.scales;
        let [first, second, third, fourth] = curvelets.radii;
        let pass = |scale: usize| {
            let divisor =
                (1..scales.saturating_sub(scale)).fold(1.0, |divisor: f64, _| 2.0 * divisor);
            let own = |frequency: &f64| {
                if scale == scales {
                    return low_pass(frequency.abs(), third, fourth);
                }
                let (first, second) = (first / divisor, second / divisor);
                let below = low_pass(frequency.abs(), first, second);
                // With two scales it reaches beyond `π/2`.
                let around = if scales == 2 {
                    low_pass((frequency + 2.0 * PI).abs(), first, second)
                } else {
                    0.0
                };
                below + around
            };
            let each =
                frequencies.iter().map(|axis| Ok(collected(axis.len(), axis.iter().map(own))?));
            each.collect::<Result<Vec<Vec<f64>>>>()
        };
        let low_passes = (1..=scales).map(pass).collect::<Result<_>>()?;
        Ok(Self { name, curvelets, shape, bands, frequencies, low_passes })
    }

    /// `fold` of windows times spectra of `space`: the spectra of all coefficients, band after band. Those of wavelets, one for each direction,
    /// are multiplied by `wavelets(direction)`, those of curvelets by `root`.
    pub(super) fn operator(
        &self,
        space: &Space,
        root: f64,
        wavelets: impl Fn(usize) -> f64,
    ) -> Result<Operator> {
        // First, so that what does not fit the memory fails before all windows are computed.
        let mut power = self.room(space.len(), 0.0)?;
        let mut entries = self.entries()?;
        let alone =
            |entry: &Entry| self.curvelets.is_ring(self.band(entry).scale) || entry.band == 0;
        for entry in &entries {
            let square = entry.weight * entry.weight;
            power[entry.bin] += square;
            if !alone(entry) {
                power[self.opposite(entry.bin)] += square;
            }
        }
        for entry in &mut entries {
            entry.weight /= power[entry.bin].sqrt();
        }
        drop(power);
        self.folded(space, &entries, root, wavelets)
    }

    fn band(&self, entry: &Entry) -> &CurveletBand {
        &self.bands[entry.band as usize]
    }

    /// Sorted by the coefficients whose spectrum they are of.
    fn folded(
        &self,
        space: &Space,
        entries: &[Entry],
        root: f64,
        wavelets: impl Fn(usize) -> f64,
    ) -> Result<Operator> {
        let mut firsts = Vec::with_capacity(self.bands.len());
        let mut len = 0_u128;
        for band in self.bands {
            firsts.push(len as usize);
            len += band.len() as u128;
        }
        let range = Space::of_wide(self.name, vec![len], space.dtype())?;
        // Each direction has the windows of the real kind, and the opposite one those of the opposite frequencies.
        let rank = self.shape.len();
        let complex = self.curvelets.kind == CurveletKind::Complex;
        let placed = |entry: &Entry, put: &mut dyn FnMut(usize, usize, f64)| {
            let band = self.band(entry);
            let ring = self.curvelets.is_ring(band.scale);
            let mut one = |number: usize, bin: usize, weight: f64| {
                let band = &self.bands[number];
                let row = firsts[number] + entry.wedge * (band.len() / band.wedges);
                put(row + self.fold(bin, &band.shape), bin, weight);
            };
            let number = entry.band as usize;
            if number == 0 {
                one(0, entry.bin, entry.weight);
            } else if ring {
                let directions = if complex { 2 * rank } else { 1 };
                for direction in 0..directions {
                    let weight = entry.weight * wavelets(direction);
                    let far = direction >= rank;
                    let bin = if far { self.opposite(entry.bin) } else { entry.bin };
                    one(number + direction, bin, weight);
                }
            } else {
                one(number, entry.bin, root * entry.weight);
                if complex {
                    one(number + rank, self.opposite(entry.bin), root * entry.weight);
                }
            }
        };
        let rows = range.len();
        let mut ends = self.room(rows + 1, 0_usize)?;
        for entry in entries {
            placed(entry, &mut |row, _, _| ends[row + 1] += 1);
        }
        for row in 0..rows {
            ends[row + 1] += ends[row];
        }
        let count = ends[rows];
        let mut sorted = self.room(count, (0, 0.0))?;
        // Each row's start becomes its end.
        for entry in entries {
            placed(entry, &mut |row, bin, weight| {
                sorted[ends[row]] = (bin, weight);
                ends[row] += 1;
            });
        }
        let mut table = Rows::of(self.name, range.shape(), range.dtype(), rows, count)?;
        let mut start = 0;
        for end in &ends[..rows] {
            for (bin, weight) in &sorted[start..*end] {
                table.add(*bin, *weight);
            }
            table.end();
            start = *end;
        }
        table.between("Curvelets", [space.clone(), range], 0, [&[rows], self.shape])
    }

    /// All windows, one frequency after the other, of bands in the first half of directions; one band of wavelets.
    fn entries(&self) -> Result<Vec<Entry>> {
        let (rank, scales) = (self.shape.len(), self.curvelets.scales);
        let threshold = self.curvelets.threshold;
        let overlap = self.curvelets.overlap();
        let (mut entries, mut full) = (Vec::new(), false);
        let (mut places, mut scratch) = (vec![0; rank], Scratch::default());
        let bins = self.shape.iter().product();
        for bin in 0..bins {
            self.places(bin, &mut places);
            let mut put = |band: usize, wedge: usize, square: f64| {
                let weight = square.sqrt();
                if weight > threshold {
                    full |= entries.try_reserve(1).is_err();
                    if !full {
                        entries.push(Entry { band: band as u32, wedge, bin, weight });
                    }
                }
            };
            let coarsest = self.low_pass(1, &places);
            put(0, 0, coarsest);
            let mut band = 1;
            for scale in 1..scales {
                if self.curvelets.is_ring(scale) {
                    put(band, 0, (1.0 - coarsest).max(0.0));
                    continue;
                }
                for direction in 0..rank {
                    let of = (scale, direction);
                    self.wedges(of, &places, overlap, &mut scratch, |wedge, square| {
                        put(band + direction, wedge, square);
                    });
                }
                band += if self.curvelets.kind == CurveletKind::Complex { 2 * rank } else { rank };
            }
            if full {
                return self.too_large();
            }
        }
        Ok(entries)
    }

    /// The squares of the windows that a frequency is in, around the negative ones of the axis `direction`.
    fn wedges(
        &self,
        (scale, direction): (usize, usize),
        places: &[usize],
        overlap: f64,
        Scratch { mirrored, found, next }: &mut Scratch,
        mut put: impl FnMut(usize, f64),
    ) {
        let along = self.frequencies[direction][places[direction]];
        if along >= 0.0 {
            return;
        }
        let rank = places.len();
        let wedges = self.curvelets.wedges_at(scale);
        mirrored.clear();
        mirrored.extend_from_slice(places);
        // Which of the other axes are mirrored.
        for pattern in 0..1_usize << (rank - 1) {
            let others = (0..rank).filter(|axis| *axis != direction).enumerate();
            let is_mirrored = |number: usize| pattern >> number & 1 == 1;
            for (number, axis) in others.clone() {
                let place = places[axis];
                let opposite = (self.shape[axis] - place) % self.shape[axis];
                mirrored[axis] = if is_mirrored(number) { opposite } else { place };
            }
            let ring = self.low_pass(scale + 1, mirrored) - self.low_pass(scale, mirrored);
            if ring <= 0.0 {
                continue;
            }
            found.clear();
            found.push((0, 1.0));
            for (number, axis) in others {
                let slope = slope(along, self.frequencies[axis][mirrored[axis]]);
                next.clear();
                steps(slope, wedges, overlap, is_mirrored(number), |wedge, step| {
                    let one =
                        |(before, square): &(usize, f64)| (before * wedges + wedge, square * step);
                    next.extend(found.iter().map(one));
                });
                std::mem::swap(found, next);
            }
            for (wedge, square) in &*found {
                put(*wedge, square * ring);
            }
        }
    }

    /// What the low pass below a scale has of a frequency.
    fn low_pass(&self, scale: usize, places: &[usize]) -> f64 {
        let axes = self.low_passes[scale - 1].iter().zip(places);
        axes.rev().fold(1.0, |pass, (axis, place)| axis[*place] * pass)
    }

    /// The place along each axis of a bin.
    fn places(&self, mut bin: usize, places: &mut [usize]) {
        for (place, extent) in places.iter_mut().zip(self.shape).rev() {
            *place = bin % extent;
            bin /= extent;
        }
    }

    /// The bin of the opposite frequency.
    fn opposite(&self, mut bin: usize) -> usize {
        let (mut found, mut stride) = (0, 1);
        for extent in self.shape.iter().rev() {
            found += (extent - bin % extent) % extent * stride;
            stride *= extent;
            bin /= extent;
        }
        found
    }

    /// Where a bin is found where only every so many samples are left.
    fn fold(&self, mut bin: usize, kept: &[usize]) -> usize {
        let (mut found, mut stride) = (0, 1);
        for (extent, kept) in self.shape.iter().zip(kept).rev() {
            found += bin % extent % kept * stride;
            stride *= kept;
            bin /= extent;
        }
        found
    }

    fn room<T: Clone>(&self, len: usize, value: T) -> Result<Vec<T>> {
        let mut room = Vec::new();
        if room.try_reserve_exact(len).is_err() {
            return self.too_large();
        }
        room.resize(len, value);
        Ok(room)
    }

    fn too_large<T>(&self) -> Result<T> {
        Error::parameter(self.name, format!("windows of {:?} do not fit the memory", self.shape))
    }
}
