//! What runs where compiling a kernel takes a quarter of a second: a few cases, others from seed to seed.
//!
//! On the host and on accelerators every case runs in every dtype. On a processor behind a device API (`PoCL`) that
//! would be hundreds of kernels an operator, so an operator takes part in it by [`GOLDEN`] cases with golden data and
//! one more case in one arrangement, each in one dtype. Which ones these are the seed decides.
//! `ARRAYSPAN_TEST_FULL=1` runs everything there, too.

use std::time::{SystemTime, UNIX_EPOCH};

use arrayspan_bridge::DType;

use super::{Case, Cell, Operator};

/// Cases an operator compares with golden data.
pub(super) const GOLDEN: usize = 4;
/// Operators that are made of several others, so that each case meets kernels of all parts: they take part by one case, with golden
/// data or arranged, as the seed decides.
const COMPOSED: [&str; 18] = [
    "chirp_radon2d",
    "chirp_radon3d",
    "dct",
    "fourier_radon2d",
    "fourier_radon3d",
    "convolve2d",
    "convolve_nd",
    "non_stationary_convolve2d",
    "non_stationary_convolve3d",
    "non_stationary_filters2d",
    "dwt2d",
    "dwtnd",
    "mri2d",
    "patch2d",
    "patch3d",
    "sliding2d",
    "sliding3d",
    "udct",
];
/// Kernels an operator may need for both, over all dtypes. A test fails an operator that needs more.
pub const MOST_KERNELS: usize = 24;

/// Everything an operator is computed in.
pub(super) const DTYPES: [DType; 4] =
    [DType::Float32, DType::Float64, DType::Complex64, DType::Complex128];

/// What arrays may hold beside it, for some operators.
const HALVES: [DType; 2] = [DType::Float16, DType::BFloat16];

/// What the law is about, as far as it matters for the choice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum About {
    /// Golden data.
    Golden,
    /// Anything else.
    Others,
}

/// Which part of the suite runs where kernels are compiled slowly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sample {
    /// Everything.
    pub full: bool,
    /// What decides about the rest.
    pub seed: u64,
}

/// One case in one dtype.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Pick {
    dtype: DType,
    number: usize,
    turn: usize,
}

impl Sample {
    /// As the environment says: `ARRAYSPAN_TEST_FULL=1`, `ARRAYSPAN_TEST_SEED=17`. Without a seed it is the day.
    ///
    /// # Panics
    /// When the seed is no number.
    #[must_use]
    pub fn from_environment() -> Self {
        let set = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
        let today = || {
            let since = SystemTime::now().duration_since(UNIX_EPOCH);
            since.map_or(0, |since| since.as_secs() / 86_400)
        };
        let seed = set("ARRAYSPAN_TEST_SEED").map(|seed| seed.parse());
        let Ok(seed) = seed.unwrap_or_else(|| Ok(today())) else {
            panic!("ARRAYSPAN_TEST_SEED is a number from 0 to 2^64 - 1");
        };
        Self { full: set("ARRAYSPAN_TEST_FULL").is_some_and(|full| full != "0"), seed }
    }

    /// Whether only a part of an operator's cases runs on the cell's device.
    #[must_use]
    pub fn applies(self, cell: Cell) -> bool {
        !self.full && !cell.device.is_cpu() && !cell.device.info().accelerator
    }

    /// Whether it has this dtype, where there is one for all: that of the solvers' own tests.
    pub(super) fn has(self, dtype: DType) -> bool {
        DTYPES[(self.seed % DTYPES.len() as u64) as usize] == dtype
    }

    /// The cases that run in a cell, each with its turn.
    pub(super) fn cases(self, cell: Cell, operator: &Operator, about: About) -> Vec<Case> {
        let all = (operator.1)(cell.dtype);
        if !self.applies(cell) {
            return all
                .into_iter()
                .enumerate()
                .map(|(turn, case)| case.taking_turn(turn))
                .collect();
        }
        let mut all: Vec<Option<Case>> = all.into_iter().map(Some).collect();
        if HALVES.contains(&cell.dtype) {
            let pick = self.half(operator.0, all.len()).filter(|pick| pick.dtype == cell.dtype);
            let case = pick.and_then(|pick| Some((all.get_mut(pick.number)?.take()?, pick.turn)));
            return case.into_iter().map(|(case, turn)| case.taking_turn(turn)).collect();
        }
        let here = self.picks(operator, about).into_iter().filter(|pick| pick.dtype == cell.dtype);
        let case = |pick: Pick| Some(all.get_mut(pick.number)?.take()?.taking_turn(pick.turn));
        here.filter_map(case).collect()
    }

    /// What was chosen of an operator's `cases` for 16-bit floats: one, in one of both dtypes, from every second seed. Their kernels are
    /// like those of `Float32` but for loads and stores.
    fn half(self, name: &str, cases: usize) -> Option<Pick> {
        let random = |place: usize| self.random(name, place);
        let dtype = *HALVES.get(random(4) % (2 * HALVES.len()))?;
        Some(Pick { dtype, number: random(5) % cases.max(1), turn: random(6) })
    }

    /// All that was chosen for an operator.
    fn picks(self, operator: &Operator, about: About) -> Vec<Pick> {
        let (name, cases) = operator;
        let random = |place: usize| self.random(name, place);
        let first = random(0) % DTYPES.len();
        // How many cases with golden data, and whether an arranged one.
        let (golden, arranged) = match (COMPOSED.contains(name), random(7) % 2) {
            (false, _) => (GOLDEN, true),
            (true, 0) => (1, false),
            (true, _) => (0, true),
        };
        let choose = |(dtype, start, turn): (DType, usize, usize)| {
            let wanted = |case: &Case| about == About::Others || case.golden_key().is_some();
            let all = cases(dtype).into_iter().enumerate();
            let numbers: Vec<usize> =
                all.filter(|(_, case)| wanted(case)).map(|(number, _)| number).collect();
            let number = *numbers.get(start % numbers.len().max(1))?;
            Some(Pick { dtype, number, turn })
        };
        match about {
            About::Golden => {
                let known =
                    |dtype| cases(dtype).iter().filter(|case| case.golden_key().is_some()).count();
                let count = DTYPES.into_iter().map(known).min().unwrap_or(0).min(golden);
                // Neighbours, so that no two are the same case, in one dtype after the other, without gaps.
                let pick = |n| (DTYPES[(first + n) % DTYPES.len()], random(1) + n, 0);
                (0..count).map(pick).filter_map(choose).collect()
            }
            About::Others if !arranged => Vec::new(),
            About::Others => choose((DTYPES[first], random(2), random(3))).into_iter().collect(),
        }
    }

    /// A number for the seed, the operator and a place, up to 2^31: `SplitMix64` over them.
    fn random(self, operator: &str, place: usize) -> usize {
        let words = operator.bytes().map(u64::from).chain([place as u64]);
        let mixed = words.fold(mix(self.seed), |state, word| mix(state ^ word));
        (mixed >> 33) as usize
    }
}

/// Steele, Lea, Flood, OOPSLA 2014.
fn mix(state: u64) -> u64 {
    let z = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use arrayspan_operators::{Identity, Space};

    use super::*;

    fn cases(dtype: DType) -> Vec<Case> {
        let count = if dtype.is_complex() { 12 } else { 11 };
        let case = |number: usize| {
            let make = |cell: &Cell| Identity::new(Space::new([5], cell.dtype)?);
            let case = Case::new(format!("{number}"), make);
            if number < 7 { case.golden(format!("file/{number}")) } else { case }
        };
        (0..count).map(case).collect()
    }

    fn few(_: DType) -> Vec<Case> {
        cases(DType::Float32).into_iter().skip(6).collect()
    }

    const MANY: Operator = ("many", cases);

    fn sample(seed: u64) -> Sample {
        Sample { full: false, seed }
    }

    #[test]
    fn the_same_seed_chooses_the_same_and_another_one_does_not() {
        for about in [About::Golden, About::Others] {
            let picks = |seed| sample(seed).picks(&MANY, about);
            assert_eq!(picks(7), picks(7));
            assert!((0..20).any(|seed| picks(seed) != picks(7)), "{about:?}");
        }
    }

    #[test]
    fn golden_picks_are_golden_distinct_and_in_every_dtype() {
        for seed in 0..200 {
            let picks = sample(seed).picks(&MANY, About::Golden);
            let numbers: HashSet<usize> = picks.iter().map(|pick| pick.number).collect();
            let dtypes: HashSet<DType> = picks.iter().map(|pick| pick.dtype).collect();
            assert_eq!((picks.len(), numbers.len(), dtypes.len()), (GOLDEN, GOLDEN, 4));
            assert!(picks.iter().all(|pick| pick.number < 7 && pick.turn == 0));
        }
        let picks = sample(3).picks(&("few", few), About::Golden);
        assert_eq!(picks.iter().map(|pick| pick.number).collect::<Vec<_>>(), [0]);
    }

    #[test]
    fn seeds_lead_to_every_case_dtype_and_arrangement() {
        let mut seen = HashSet::new();
        for seed in 0..4000 {
            for Pick { dtype, number, turn } in sample(seed).picks(&MANY, About::Others) {
                seen.insert((dtype, number, turn % 4));
            }
        }
        assert_eq!(seen.len(), (2 * 11 + 2 * 12) * 4);
    }

    #[test]
    fn other_laws_are_tried_on_one_case_and_from_seed_to_seed_in_every_dtype() {
        let picks = (0..50).map(|seed| sample(seed).picks(&MANY, About::Others));
        let picks: Vec<Vec<Pick>> = picks.collect();
        assert!(picks.iter().all(|picks| picks.len() == 1));
        let dtypes: HashSet<DType> = picks.iter().flatten().map(|pick| pick.dtype).collect();
        assert_eq!(dtypes.len(), DTYPES.len());
    }

    #[test]
    fn seeds_lead_to_every_case_in_16_bits_and_half_of_them_to_none() {
        let picks: Vec<_> = (0..2000).map(|seed| sample(seed).half("many", 11)).collect();
        let seen: HashSet<_> =
            picks.iter().flatten().map(|pick| (pick.dtype, pick.number)).collect();
        assert_eq!(seen.len(), 2 * 11);
        let none = picks.iter().filter(|pick| pick.is_none()).count();
        assert!((800..1200).contains(&none), "{none}");
    }

    #[test]
    fn the_host_leaves_nothing_out() {
        let device = arrayspan_devices::Device::cpu();
        for dtype in DTYPES {
            let cell = Cell { device, dtype };
            for about in [About::Golden, About::Others] {
                let all = sample(1).cases(cell, &MANY, about);
                assert_eq!(all.len(), cases(dtype).len());
                assert!(all.iter().enumerate().all(|(turn, case)| case.turn() == turn));
            }
        }
    }
}
