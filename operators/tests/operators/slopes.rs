//! What goes along slopes: seislet transforms, sprayed waves.

use arrayspan_bridge::{Array, DType};
use arrayspan_operators::prelude::*;
use arrayspan_operators::{Error, Result};

use crate::support::{numbers, random};

fn space(shape: &[usize], dtype: DType) -> Space {
    Space::new(shape, dtype).unwrap()
}

/// Fails unless `inverse` undoes `operator`.
fn undone(operator: &Operator, inverse: &Operator, tolerance: f64) {
    let x = random(operator.domain(), 7);
    let back = inverse.forward(operator.forward(&x).unwrap()).unwrap();
    for (found, expected) in numbers(&back).iter().zip(numbers(&x)) {
        assert!((found - expected).norm() < tolerance, "{operator:?}: {found} for {expected}");
    }
}

/// Slopes of which none moves whole samples.
fn sloping(traces: usize, samples: usize) -> Vec<f64> {
    let slope = |at: usize| {
        let (trace, sample) = (at / samples, at % samples);
        ((7 * trace + 3 * sample) % 11) as f64 / 4.0 - 1.1
    };
    (0..traces * samples).map(slope).collect()
}

#[test]
fn seislets_are_undone_by_their_inverses() {
    for (shape, levels) in [([8, 5], 3), ([13, 4], 2), ([13, 4], 4), ([1, 3], 0), ([2, 7], 1)] {
        for basis in [SeisletBasis::Haar, SeisletBasis::Linear] {
            let (model, slopes) = (space(&shape, DType::Float64), sloping(shape[0], shape[1]));
            let steps = [10.0, 8.0];
            let there = Seislet::new(model.clone(), &slopes, steps, levels, basis).unwrap();
            let back = Seislet::inverse(model, &slopes, steps, levels, basis).unwrap();
            undone(&there, &back, 1e-11);
        }
    }
}

#[test]
fn events_along_slopes_are_predicted_by_both_bases() {
    // A line that is two samples later in each trace, within all of them.
    let section: Vec<f64> =
        (0..8 * 32).map(|at| f64::from(u8::from(at % 32 == 5 + 2 * (at / 32)))).collect();
    let model = space(&[8, 32], DType::Float64);
    let x = Array::from_vec(section, [8, 32]).unwrap();
    for basis in [SeisletBasis::Haar, SeisletBasis::Linear] {
        let seislet = Seislet::new(model.clone(), [2.0; 256], [1.0, 1.0], 3, basis).unwrap();
        let y = numbers(&seislet.forward(&x).unwrap());
        assert!(y[..7 * 32].iter().all(|residual| residual.norm() < 1e-14));
        assert_eq!(y.iter().skip(7 * 32).filter(|coarse| coarse.re > 0.5).count(), 1);
    }
}

#[test]
fn sprayed_waves_follow_the_slope_where_they_are() {
    // Slopes of 1 above, 0 from the third row on.
    let slopes: Vec<f64> = (0..25).map(|at| if at < 10 { 1.0 } else { 0.0 }).collect();
    let sprayer = PWSprayer2D::new(space(&[5, 5], DType::Float64), slopes, 9, 1.0).unwrap();
    let mut spike = vec![0.0; 25];
    spike[0] = 1.0;
    let y = numbers(&sprayer.forward(Array::from_vec(spike, [5, 5]).unwrap()).unwrap());
    let met: Vec<usize> = (0..25).filter(|at| y[*at].re != 0.0).collect();
    // PyLops goes on to the last row: it takes the slopes of the first.
    assert_eq!(met, [0, 6, 12, 13, 14]);
}

#[test]
fn slopes_that_lead_nowhere_are_refused() {
    let refused = |made: Result<Operator>, words: &[&str]| match made {
        Err(Error::Parameter { operator, why }) => {
            let text = format!("{operator} {why}");
            assert!(words.iter().all(|word| text.contains(word)), "{text}");
        }
        other => panic!("{other:?}"),
    };
    let (model, haar) = (|| space(&[4, 5], DType::Float64), SeisletBasis::Haar);
    let seislet =
        |slopes: &[f64], steps, levels| Seislet::new(model(), slopes, steps, levels, haar);
    refused(seislet(&[0.0; 19], [1.0, 1.0], 1), &["Seislet", "19 slopes", "[4, 5]"]);
    refused(seislet(&[0.0; 20], [1.0, 1.0], 3), &["3 levels", "4 traces"]);
    refused(seislet(&[0.0; 20], [1.0, 0.0], 1), &["steps of [1.0, 0.0]"]);
    let mut slopes = [0.5; 20];
    slopes[7] = f64::NAN;
    refused(seislet(&slopes, [1.0, 1.0], 1), &["slope NaN, number 7"]);
    let deep = space(&[4, 5, 2], DType::Float64);
    refused(Seislet::new(deep.clone(), [0.0; 40], [1.0; 2], 1, haar), &["two axes"]);
    refused(PWSprayer2D::new(deep, [0.0; 40], 1, 0.5), &["PWSprayer2D", "two axes"]);
    refused(PWSprayer2D::new(model(), slopes, 1, 0.5), &["slope NaN, number 7"]);
    refused(PWSmoother2D::new(model(), [0.0; 20], 1, 1.5), &["PWSmoother2D", "decay of 1.5"]);
    refused(PWSmoother2D::new(model(), [0.0; 20], 1, f64::NAN), &["decay of NaN"]);
    refused(PWSmoother2D::new(model(), [0.0; 3], 1, 0.5), &["3 slopes"]);
}

#[test]
fn an_axis_without_samples_costs_nothing_however_long_the_other_is() {
    let empty = space(&[1 << 40, 0], DType::Float32);
    let seislet = Seislet::new(empty.clone(), [], [1.0; 2], 3, SeisletBasis::Linear).unwrap();
    assert_eq!(seislet.range().len(), 0);
    let steps = [1.0, 0.0];
    let told = Seislet::new(empty.clone(), [], steps, 3, SeisletBasis::Linear).unwrap_err();
    assert!(told.to_string().starts_with("Seislet: steps of"), "{told}");
    assert_eq!(PWSprayer2D::new(empty.clone(), [], 2, 1.0).unwrap().range().len(), 0);
    assert_eq!(PWSmoother2D::new(empty, [], 2, 1.0).unwrap().range().len(), 0);
}
