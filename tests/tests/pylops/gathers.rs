//! Synthetic events are those of PyLops.

use arrayspan_operators::events::{Moveout, RegularAxis, SeismicEvent, dip, dip_azimuth, events};

use crate::values::{self, near};

const TIME: RegularAxis = RegularAxis { origin: 0.125, step: 0.0625, len: 37 };
const X: RegularAxis = RegularAxis { origin: -31.0, step: 7.0, len: 7 };
const Y: RegularAxis = RegularAxis { origin: 3.0, step: -5.0, len: 5 };

fn golden(case: &str, name: &str) -> Vec<f64> {
    values::golden(&format!("events/{case}"), name)
}

#[test]
fn axes_are_those_of_makeaxis() {
    let cases = [("t", TIME.positions()), ("x", X.positions()), ("y", Y.positions())];
    for (name, found) in cases.into_iter().chain([("t2", TIME.lags())]) {
        near(&found.unwrap(), &golden("makeaxis", name), name);
    }
}

/// Gathers of `name` with wavelets of odd and of even length.
fn gathers<const N: usize>(
    name: &str,
    space: [&[f64]; N],
    moveout: impl Fn(&str, usize) -> Moveout<N>,
) {
    for wavelet in ["odd", "even"] {
        let case = format!("{name}_{wavelet}");
        let amplitudes = golden(&case, "amp");
        let parts = amplitudes.iter().enumerate();
        let parts: Vec<_> = parts
            .map(|(at, &amplitude)| SeismicEvent { amplitude, moveout: moveout(&case, at) })
            .collect();
        let wavelet = golden(&format!("wavelet_{wavelet}"), "wavelet");
        let found = events(space, TIME, &parts, &wavelet).unwrap();
        let shape: Vec<usize> = space.iter().map(|axis| axis.len()).chain([TIME.len]).collect();
        for (found, name) in [(found.spikes, "spikes"), (found.data, "data")] {
            let expected = golden(&case, name);
            assert!(expected.iter().filter(|sample| **sample != 0.0).count() > 40, "{case}");
            assert_eq!(found.shape(), shape);
            near(&found.to_vec::<f64>().unwrap(), &expected, &format!("{case}/{name}"));
        }
    }
}

#[test]
fn sections_are_those_of_pylops() {
    let x = X.positions().unwrap();
    let number = |case: &str, name: &str, at: usize| golden(case, name)[at];
    gathers("linear2d", [&x], |case, at| {
        let slowness = dip(number(case, "v", 0), number(case, "theta", at)).unwrap();
        Moveout::Linear { intercept: number(case, "t0", at), slowness }
    });
    gathers("parabolic2d", [&x], |case, at| {
        let [intercept, slope, bend] = ["t0", "px", "pxx"].map(|name| number(case, name, at));
        Moveout::Parabolic { intercept, slowness: [slope], curvature: [bend] }
    });
    gathers("hyperbolic2d", [&x], |case, at| {
        let [intercept, velocity] = ["t0", "vx"].map(|name| number(case, name, at));
        Moveout::Hyperbolic { intercept, velocity: [velocity] }
    });
}

#[test]
fn volumes_are_those_of_pylops() {
    let (x, y) = (X.positions().unwrap(), Y.positions().unwrap());
    let number = |case: &str, name: &str, at: usize| golden(case, name)[at];
    gathers("linear3d", [&y, &x], |case, at| {
        let [theta, phi] = ["theta", "phi"].map(|name| number(case, name, at));
        let slowness = dip_azimuth(number(case, "v", 0), theta, phi).unwrap();
        Moveout::Linear { intercept: number(case, "t0", at), slowness }
    });
    gathers("parabolic3d", [&y, &x], |case, at| {
        let slowness = ["py", "px"].map(|name| number(case, name, at));
        let curvature = ["pyy", "pxx"].map(|name| number(case, name, at));
        Moveout::Parabolic { intercept: number(case, "t0", at), slowness, curvature }
    });
    gathers("hyperbolic3d", [&y, &x], |case, at| {
        let velocity = ["vy", "vx"].map(|name| number(case, name, at));
        Moveout::Hyperbolic { intercept: number(case, "t0", at), velocity }
    });
}
