//! `PoststackLinearModelling`: one trace, sections, volumes; wavelets short enough for one pass and longer.

use arrayspan_bridge::DType;
use arrayspan_operators::{PoststackLinearModelling, Scheme};

use super::{golden_array, space};
use crate::suite::{Case, Cell, Moves};

/// One launch that reads and writes each value once; with a long wavelet two, through a workspace.
#[must_use]
pub fn cases(_: DType) -> Vec<Case> {
    use Scheme::{Backward, Centered3, Centered5, Forward};
    vec![
        golden(&[13], Centered3, "centered"),
        golden(&[13], Forward, "forward"),
        golden(&[13], Centered3, "even"),
        golden(&[11, 3], Centered3, "section"),
        golden(&[11, 2, 3], Forward, "volume"),
        golden_in_two_passes(&[71, 2], Centered3, "long"),
        given(&[17, 13], Centered5, &[0.25, -1.0, 0.5]),
        given(&[5, 1], Backward, &[0.25, -1.0, 0.5, 2.0, -0.125]),
        // There is no difference along one sample, so nothing is read.
        given(&[1, 5], Centered3, &[-2.0]).moves(ZERO, ZERO).moves_adding(NOTHING, NOTHING),
    ]
}

const NOTHING: Moves = Moves { launches: 0, read: 0, written: 0, table: 0 };
const ZERO: Moves = Moves { launches: 1, written: 5, ..NOTHING };

fn golden(shape: &[usize], scheme: Scheme, key: &str) -> Case {
    let len: usize = shape.iter().product();
    let once = Moves::one(len, len);
    golden_wavelet(shape, scheme, key).moves(once, once)
}

fn golden_in_two_passes(shape: &[usize], scheme: Scheme, key: &str) -> Case {
    let len: usize = shape.iter().product();
    let twice = Moves::one(len, len).then(Moves::one(len, len));
    golden_wavelet(shape, scheme, key).moves(twice, twice)
}

fn golden_wavelet(shape: &[usize], scheme: Scheme, key: &str) -> Case {
    let key = format!("poststack_linear_modelling/{key}");
    let (shape, golden) = (shape.to_vec(), key.clone());
    let make = move |cell: &Cell| {
        let wavelet = golden_array(cell, &golden, "wavelet")?.numbers;
        PoststackLinearModelling::new(space(cell, &shape)?, &wavelet, scheme)
    };
    Case::new(key.clone(), make).golden(key)
}

fn given(shape: &[usize], scheme: Scheme, wavelet: &[f64]) -> Case {
    let len: usize = shape.iter().product();
    let name = format!("{} taps, {scheme:?}, {shape:?}", wavelet.len());
    let (shape, wavelet) = (shape.to_vec(), wavelet.to_vec());
    let make =
        move |cell: &Cell| PoststackLinearModelling::new(space(cell, &shape)?, &wavelet, scheme);
    Case::new(name, make).moves(Moves::one(len, len), Moves::one(len, len))
}
