//! Where numbers on their way from one thread to another are in local memory: threads side by side find theirs in different banks.

use std::collections::HashMap;
use std::sync::LazyLock;

use parking_lot::Mutex;

use crate::fourier::{Couples, Packed, unpacked};

/// After how many numbers how many cells are left free: in front of three digits of a number, 0 for none.
pub(super) type Pads = [[usize; 2]; 3];

/// Cells that are left free there, at most.
const MOST: usize = 4;

/// How transforms lie in local memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Apart {
    pub(super) pads: Pads,
    /// From one transform to the next.
    pub(super) pitch: usize,
}

/// What is exchanged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Exchanged {
    pub(super) points: usize,
    pub(super) radices: Packed,
    pub(super) couples: Couples,
    pub(super) lines: usize,
    /// Whether threads side by side take several transforms, where they store and where they load.
    pub(super) across: [bool; 2],
    /// Cells of local memory, and those that threads side by side take at once.
    pub(super) room: usize,
    pub(super) banks: usize,
}

static KNOWN: LazyLock<Mutex<HashMap<Exchanged, Apart>>> = LazyLock::new(Mutex::default);

impl Exchanged {
    /// Where accesses of threads side by side collide least often, of what fits.
    pub(super) fn apart(&self) -> Apart {
        if let Some(known) = KNOWN.lock().get(self) {
            return *known;
        }
        let found = self.found();
        KNOWN.lock().insert(*self, found);
        found
    }

    fn found(&self) -> Apart {
        let accesses = self.accesses();
        let digits: Vec<usize> = self
            .digits()
            .into_iter()
            .rev()
            .filter(|digit| *digit > 1)
            .take(Pads::default().len())
            .collect();
        let each = MOST + 1;
        let all = (0..each.pow(digits.len() as u32)).map(|number| {
            let mut pads = Pads::default();
            let mut rest = number;
            for (pad, digit) in pads.iter_mut().zip(&digits) {
                *pad = [if rest % each > 0 { *digit } else { 0 }, rest % each];
                rest /= each;
            }
            self.with(pads)
        });
        let best = self.best(&accesses, all).unwrap_or(self.with(Pads::default()));
        // Several transforms are apart from each other, too.
        let shifts = if self.lines > 1 { self.banks } else { 1 };
        let Apart { pads, pitch } = best;
        let shifted = (0..shifts).map(|shift| Apart { pads, pitch: pitch + shift });
        self.best(&accesses, shifted).unwrap_or(best)
    }

    /// The first of those that fit whose accesses take the fewest turns.
    fn best(
        &self,
        accesses: &[Vec<[usize; 2]>],
        all: impl Iterator<Item = Apart>,
    ) -> Option<Apart> {
        let (mut best, mut least) = (None, usize::MAX);
        for apart in all.filter(|apart| apart.pitch * self.lines <= self.room) {
            if let Some(turns) = self.collisions(accesses, &apart, least) {
                (best, least) = (Some(apart), turns);
            }
        }
        best
    }

    /// With these free cells.
    fn with(&self, pads: Pads) -> Apart {
        let free = |[of, many]: &[usize; 2]| (self.points - 1).checked_div(*of).unwrap_or(0) * many;
        Apart { pads, pitch: self.points + pads.iter().map(free).sum::<usize>() }
    }

    /// How many numbers each digit but the last counts.
    fn digits(&self) -> Vec<usize> {
        let behind = |behind: &mut usize, radix: &usize| {
            *behind /= radix;
            Some(*behind)
        };
        let mut all: Vec<usize> =
            unpacked(&self.radices).iter().scan(self.points, behind).collect();
        all.pop();
        all
    }

    /// The transforms and the numbers that threads take one after the other, each time: those of the first radix's butterflies, of those of
    /// each other, and of bins. What a thread takes with them is as far from there for all.
    fn accesses(&self) -> Vec<Vec<[usize; 2]>> {
        let Self { points, lines, across, couples, .. } = *self;
        let radices = unpacked(&self.radices);
        let split = |at: usize, of: usize, across: bool| {
            if across { [at % lines, at / lines] } else { [at / of, at % of] }
        };
        let bin = |k: usize| {
            let (mut rest, mut behind, mut number) = (k, points, 0);
            for radix in &radices {
                behind /= radix;
                number += rest % radix * behind;
                rest /= radix;
            }
            number
        };
        // Those of an end: butterflies one by one, or two that are each other's mirror images.
        let ends = |of: usize, across: bool, coupled: bool| -> Vec<Vec<[usize; 2]>> {
            let many = if coupled { of.div_ceil(2) } else { of };
            let near = (0..lines * many).map(|b| split(b, many, across));
            let far = near.clone().map(|[own, low]| [own, (of - low) % of]);
            if coupled { vec![near.collect(), far.collect()] } else { vec![near.collect()] }
        };
        let [.., last] = &radices[..] else { return Vec::new() };
        let mut behind = points / radices[0];
        let mut all = ends(behind, across[1], couples.first);
        for radix in &radices[1..radices.len() - 1] {
            behind /= radix;
            let of = points / radix;
            let step: Vec<_> = (0..lines * of)
                .map(|b| {
                    let [own, j] = split(b, of, false);
                    [own, (j - j % behind) * radix + j % behind]
                })
                .collect();
            // They are taken, and left.
            all.push(step.clone());
            all.push(step);
        }
        let stored = ends(points / last, across[0], couples.last).into_iter();
        all.extend(stored.map(|each| each.into_iter().map(|[own, k]| [own, bin(k)]).collect()));
        all
    }

    /// Turns that all accesses take; `None` if they are not fewer than `most`.
    fn collisions(
        &self,
        accesses: &[Vec<[usize; 2]>],
        apart: &Apart,
        most: usize,
    ) -> Option<usize> {
        let place = |[own, number]: &[usize; 2]| own * apart.pitch + apart.cell(*number);
        let mut all = 0;
        for together in accesses.iter().flat_map(|access| access.chunks(self.banks)) {
            let mut taken = [0_u8; 32];
            for access in together {
                taken[place(access) % self.banks] += 1;
            }
            all += usize::from(taken.into_iter().max().unwrap_or(0));
            if all >= most {
                return None;
            }
        }
        Some(all)
    }
}

impl Apart {
    /// The place of a number among those of its transform.
    fn cell(&self, number: usize) -> usize {
        let free = self.pads.iter().map(|[of, many]| number.checked_div(*of).unwrap_or(0) * many);
        number + free.sum::<usize>()
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "an unexpected error fails the test")]
mod tests {
    use super::*;
    use crate::fourier::{Limits, Registers};

    #[test]
    fn numbers_are_in_different_banks() {
        for points in [5000, 6144, 8000, 8192, 10_000] {
            let limits = Limits { local: 48 << 10, threads: 1024 };
            let couples = Couples::default();
            let held = Registers::new(points, (1, 8), couples, limits).unwrap();
            let of = Exchanged {
                points,
                radices: held.radices,
                couples,
                lines: 1,
                across: [false; 2],
                room: 12 << 10,
                banks: 32,
            };
            let apart = of.apart();
            let accesses = of.accesses();
            let least: usize = accesses.iter().map(|all| all.len().div_ceil(32)).sum();
            let turns = of.collisions(&accesses, &apart, usize::MAX).unwrap();
            assert!(turns < 2 * least, "{points}: {turns} of {least}, {apart:?}");
            // Each has a place of its own.
            let mut places: Vec<_> = (0..points).map(|number| apart.cell(number)).collect();
            places.dedup();
            assert!(places.len() == points && places[points - 1] < apart.pitch);
        }
    }
}
