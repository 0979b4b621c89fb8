//! Tapers, wavelets and metrics are those of PyLops, for every kind of them.

use arrayspan_bridge::{Array, DType};
use arrayspan_conformance::suite::{Cell, golden};
use arrayspan_devices::Device;
use arrayspan_operators::metrics::{Peak, mae, mse, psnr, snr};
use arrayspan_operators::taper::{Ramp, taper, taper_nd};
use arrayspan_operators::wavelet::{gaussian, klauder, ormsby, ricker};

use crate::values::{golden, near};

#[test]
fn every_taper_of_every_length_is_that_of_pylops() {
    for (ramp, name) in [
        (Ramp::Cosine, "hanning"),
        (Ramp::Cosine, "cosine"),
        (Ramp::CosineSquared, "cosinesquare"),
        (Ramp::SquareRootCosine, "cosinesqrt"),
    ] {
        for (len, of) in [(11, 3), (11, 5), (12, 6), (7, 1), (7, 0), (1, 0), (71, 20)] {
            let case = format!("tapers/{name}_{len}_{of}");
            near(&taper(len, of, ramp).unwrap(), &golden(&case, "weights"), &case);
        }
        let products: [(&str, &[(usize, usize)]); 3] = [
            ("2d", &[(11, 4), (5, 0)]),
            ("3d", &[(11, 4), (7, 2), (3, 0)]),
            ("nd", &[(5, 2), (7, 3), (3, 1), (2, 0)]),
        ];
        for (axes, ramps) in products {
            let case = format!("tapers/{name}_{axes}");
            near(&taper_nd(ramps, ramp).unwrap(), &golden(&case, "weights"), &case);
        }
    }
}

#[test]
fn every_wavelet_of_every_length_is_that_of_pylops() {
    let step = 0.004;
    for half in [2, 7, 30] {
        // PyLops wants an odd number of times from zero on.
        let samples = half + half % 2;
        let mut found = Vec::new();
        for frequency in [5.0, 25.0] {
            found.push((format!("ricker_{half}_{frequency}"), ricker(samples, step, frequency)));
        }
        for deviation in ["0.5", "3.0"] {
            let wavelet = gaussian(samples, deviation.parse().unwrap());
            found.push((format!("gaussian_{half}_{deviation}"), wavelet));
        }
        for [first, last] in [[5.0, 20.0], [10.0, 60.0]] {
            let wavelet = klauder(samples, step, [first, last]);
            found.push((format!("klauder_{half}_{first}_{last}"), wavelet));
        }
        for all in [[5.0, 10.0, 45.0, 50.0], [1.0, 5.0, 20.0, 70.0]] {
            let wavelet = ormsby(samples, step, all);
            found.push((format!("ormsby_{half}_{}_{}", all[0], all[3]), wavelet));
        }
        for (case, wavelet) in found {
            near(&wavelet.unwrap(), &golden(&format!("wavelets/{case}"), "wavelet"), &case);
        }
    }
}

#[test]
fn every_metric_of_real_and_complex_arrays_is_that_of_pylops() {
    for (case, shape) in
        [("one", &[1][..]), ("vector", &[71]), ("matrix", &[7, 5]), ("cube", &[3, 1, 5])]
    {
        for dtype in [DType::Float64, DType::Complex128] {
            let cell = Cell { device: Device::cpu(), dtype };
            let key = format!("metrics/{case}");
            let values = |name| golden::array(cell, &key, name).unwrap();
            let array = |name| cell.array(&values(name).reshaped(shape).unwrap()).unwrap();
            let (x, y): (Array, Array) = (array("x"), array("y"));
            let largest = dtype.is_complex().then_some(2.0);
            let between = Peak { least: Some(-1.5), largest: Some(3.0) };
            for (name, found) in [
                ("mae", mae(&x, &y)),
                ("mse", mse(&x, &y)),
                ("snr", snr(&x, &y)),
                ("psnr", psnr(&x, &y, Peak { largest, ..Peak::default() })),
                ("psnr_between", psnr(&x, &y, between)),
            ] {
                let expected = values(name).numbers[0].re;
                near(&[found.unwrap()], &[expected], &format!("{dtype} {key} {name}"));
            }
        }
    }
}
