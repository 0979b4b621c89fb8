//! What the windows of curvelets are made of: frequencies, slopes, and steps from 0 to 1.

use std::f64::consts::PI;

use arrayspan_bridge::devices::vectors::collected;

use crate::Result;

/// Of each bin, between `-3π/2` and `π/2`.
pub(super) fn frequencies(extent: usize) -> Result<Vec<f64>> {
    let step = 2.0 * PI / extent as f64;
    let frequency = |bin: usize| {
        let quarters = (4 * bin as u128 + 3 * extent as u128) % (4 * extent as u128);
        quarters as f64 / 4.0 * step - 1.5 * PI
    };
    Ok(collected(extent, (0..extent).map(frequency))?)
}

/// `-towards / along` where that is at most one in magnitude, and beyond it in a way that goes on to two.
pub(super) fn slope(along: f64, towards: f64) -> f64 {
    if towards.abs() <= along.abs() {
        return -towards / along;
    }
    let inverse = along / towards;
    if inverse > 0.0 { inverse - 2.0 } else { inverse + 2.0 }
}

/// The wedges that a slope is in, with the squares of their windows: those up to the middle one, or the others, mirrored.
pub(super) fn steps(
    slope: f64,
    wedges: usize,
    overlap: f64,
    mirrored: bool,
    mut put: impl FnMut(usize, f64),
) {
    let width = 2.0 / wedges as f64;
    let count = if mirrored { wedges / 2 } else { wedges.div_ceil(2) };
    // One more on both sides for rounding.
    let at = (slope + 1.0) / width;
    let first = (at - 2.0 - overlap).max(0.0) as usize;
    let last = (at + 2.0 + overlap).max(0.0) as usize;
    for wedge in first..count.min(last + 1) {
        let start = wedge as f64 * width - 1.0;
        let [rise, top, fall, end] =
            [-overlap, overlap, 1.0 - overlap, 1.0 + overlap].map(|part| start + width * part);
        let square = if end > fall && (fall..=end).contains(&slope) {
            smooth((slope - end) / (fall - end))
        } else if (top..=fall).contains(&slope) {
            1.0
        } else if top > rise && (rise..=top).contains(&slope) {
            smooth((slope - rise) / (top - rise))
        } else {
            continue;
        };
        put(if mirrored { wedges - 1 - wedge } else { wedge }, square);
    }
}

/// 1 up to `first`, 0 from `second` on.
pub(super) fn low_pass(frequency: f64, first: f64, second: f64) -> f64 {
    if frequency <= first {
        1.0
    } else if frequency <= second {
        smooth((frequency - second) / (first - second))
    } else {
        0.0
    }
}

/// From 0 to 1 with three derivatives that are zero at both ends.
fn smooth(x: f64) -> f64 {
    ((((-20.0 * x + 70.0) * x - 84.0) * x + 35.0) * x * x) * x * x
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_of_neighbours_add_up_to_one() {
        for wedges in [3, 6, 12] {
            for number in 0..=1000 {
                let slope = -1.0 + 1e-3 * f64::from(number);
                let (mut sum, mut count) = (0.0, 0);
                steps(slope, wedges, 0.25, false, |_, step| (sum, count) = (sum + step, count + 1));
                assert!(
                    (sum - 1.0).abs() < 1e-12
                        || slope < 0.5 / wedges as f64 - 1.0
                        || slope > -0.5 / wedges as f64
                );
                assert!((1..=2).contains(&count), "{count} at {slope}");
            }
        }
    }

    #[test]
    fn frequencies_of_whole_numbers_of_quarters_have_zero_among_them() {
        for extent in [4, 20, 18, 7] {
            let Ok(found) = frequencies(extent) else { panic!("{extent}") };
            assert!(found[0].abs() < 1e-15 && found[1] < PI / 2.0);
            assert!(found.iter().all(|frequency| (-1.5 * PI..0.5 * PI).contains(frequency)));
        }
    }
}
