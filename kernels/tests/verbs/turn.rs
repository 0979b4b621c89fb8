//! Whether a case of a verb runs, and in which dtype, where all cases in all four would cost too much.

use std::env::var;
use std::time::{SystemTime, UNIX_EPOCH};

use arrayspan_kernels::bridge::DType;

const DTYPES: [DType; 4] = [DType::Complex64, DType::Complex128, DType::Float32, DType::Float64];

/// One case in so many runs with a seed: a number that has no factor in common with that of dtypes, so that every case comes to
/// every dtype.
const CASES: u64 = 9;

/// Whether the case, `stencil::long_filters`, runs in that dtype: always with `ARRAYSPAN_TEST_FULL=1`, else as
/// `ARRAYSPAN_TEST_SEED` says, the day if nobody does.
pub fn is_of(dtype: DType, case: &str) -> bool {
    is_full() || chosen(case, seed()) == Some(dtype)
}

/// Whether everything runs.
pub fn is_full() -> bool {
    set("ARRAYSPAN_TEST_FULL").is_some_and(|full| full != "0")
}

/// What decides about what runs, if not everything does.
pub fn seed() -> u64 {
    let seed = set("ARRAYSPAN_TEST_SEED").map(|seed| seed.parse().expect("a seed is a number"));
    seed.unwrap_or_else(today)
}

fn set(name: &str) -> Option<String> {
    var(name).ok().filter(|value| !value.is_empty())
}

/// The same of a 16-bit float, which takes the turns of two dtypes.
pub fn is_of_half(dtype: DType, case: &str) -> bool {
    let turns = match dtype {
        DType::Float16 => [DType::Float32, DType::Complex64],
        _ => [DType::Float64, DType::Complex128],
    };
    turns.into_iter().any(|turn| is_of(turn, case))
}

/// The number of the day.
fn today() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs() / 86_400
}

/// The dtype of a case, if it runs with that seed; a complex one if it is about complex numbers.
fn chosen(case: &str, seed: u64) -> Option<DType> {
    let about_complex = case.contains("complex") || case.contains("conjugat");
    let dtypes = &DTYPES[..if about_complex { 2 } else { 4 }];
    // FNV-1a (Fowler, Noll, Vo) over the name, then on by the seed: neighbouring seeds give other dtypes.
    let name = case.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
    });
    // Names that differ in the last letter only differ in the low bits; a product brings those up (Knuth).
    let mixed = (name ^ (name >> 32)).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
    let runs = (mixed >> 8).wrapping_add(seed) % CASES == 0;
    runs.then(|| dtypes[(mixed.wrapping_add(seed) % dtypes.len() as u64) as usize])
}

#[test]
fn every_case_comes_to_every_dtype() {
    for case in ["map::any_layout", "stencil::long_filters"] {
        let found: Vec<DType> = (7..43).filter_map(|seed| chosen(case, seed)).collect();
        assert_eq!(found.len(), 4);
        assert!(DTYPES.iter().all(|dtype| found.contains(dtype)), "{found:?}");
        assert_eq!(chosen(case, 7), chosen(case, 7));
    }
    for case in ["stencil::complex_weights", "gemm::conjugated_factors"] {
        let found: Vec<DType> = (0..27).filter_map(|seed| chosen(case, seed)).collect();
        assert!(found.len() == 3 && found.iter().all(|dtype| dtype.is_complex()), "{found:?}");
    }
    let spread: Vec<DType> =
        (0..120).filter_map(|case| chosen(&format!("copy::case{case}"), 3)).collect();
    assert!((6..26).contains(&spread.len()), "{spread:?}");
    assert!(spread.iter().any(|dtype| *dtype != spread[0]), "{spread:?}");
}
