//! Every law on every operator, on every device and in every dtype.
//!
//! A test is called `cuda::float32::first_derivative::dot_test`. Where there is no such device it passes and
//! prints `skipped: no CUDA device`; `ARRAYSPAN_REQUIRE=cuda,opencl` makes it fail instead. On PoCL a sample runs that
//! `ARRAYSPAN_TEST_SEED` chooses, with `ARRAYSPAN_TEST_FULL=1` everything.

use arrayspan_bridge::DType;
use arrayspan_conformance::{cases, for_each_operator, suite};
use arrayspan_devices::{Device, DeviceKind};

macro_rules! devices {
    ($($device:ident: $kind:ident),*) => { $(
        mod $device {
            use super::*;
            dtypes!($kind, float32: Float32, float64: Float64, complex64: Complex64, complex128: Complex128);
        }
    )* };
}

macro_rules! dtypes {
    ($kind:ident, $($name:ident: $dtype:ident),*) => { $(
        mod $name {
            use super::*;
            for_each_operator!(laws, $kind, $dtype);
        }
    )* };
}

macro_rules! laws {
    ([$kind:ident $dtype:ident] $($operator:ident)*) => { $(
        mod $operator {
            use super::*;

            const OPERATOR: suite::Operator = (stringify!($operator), cases::$operator::cases);

            fn obeys(law: suite::Law) {
                suite::hold(DeviceKind::$kind, DType::$dtype, &OPERATOR, law);
            }

            #[test]
            fn dot_test() {
                obeys(suite::dot_test::law);
            }

            #[test]
            fn is_linear() {
                obeys(suite::linearity::law);
            }

            #[test]
            fn updates_by_alpha_and_beta() {
                obeys(suite::update::law);
            }

            #[test]
            fn refuses_what_does_not_fit() {
                obeys(suite::shapes::law);
            }

            #[test]
            fn golden_data() {
                suite::hold_golden(DeviceKind::$kind, DType::$dtype, &OPERATOR);
            }

            #[test]
            fn agrees_with_the_host() {
                obeys(suite::agreement::law);
            }
        }
    )* };
}

/// Bytes and launches do not depend on the device, so the host is enough.
mod bytes {
    use super::*;

    macro_rules! costs {
        ([] $($operator:ident)*) => { $(
            #[test]
            fn $operator() {
                let operator = (stringify!($operator), cases::$operator::cases as fn(_) -> _);
                for dtype in [DType::Float32, DType::Float64, DType::Complex64, DType::Complex128] {
                    suite::hold(DeviceKind::Cpu, dtype, &operator, suite::cost::law);
                }
            }
        )* };
    }

    for_each_operator!(costs);
}

devices!(cpu: Cpu, opencl: OpenCl, cuda: Cuda);

/// Arrays of 16-bit floats, with a law of their own: `stored::opencl::bfloat16::roll`.
mod stored {
    use super::*;

    macro_rules! stored {
        ($($device:ident: $kind:ident),*) => { $(
            mod $device {
                use super::*;
                mod float16 {
                    use super::*;
                    for_each_operator!(law, $kind, Float16);
                }
                mod bfloat16 {
                    use super::*;
                    for_each_operator!(law, $kind, BFloat16);
                }
            }
        )* };
    }

    macro_rules! law {
        ([$kind:ident $dtype:ident] $($operator:ident)*) => { $(
            #[test]
            fn $operator() {
                let operator = (stringify!($operator), cases::$operator::cases as fn(_) -> _);
                suite::hold(DeviceKind::$kind, DType::$dtype, &operator, suite::stored::law);
            }
        )* };
    }

    stored!(cpu: Cpu, opencl: OpenCl, cuda: Cuda);

    /// Matrices and regressions: products are the vendors', which take no 16-bit floats.
    const OF_PRODUCTS: [&str; 4] = ["matrix_mult", "regression", "linear_regression", "fredholm1"];

    /// What the users pass has the user's dtype, and windows that of the operator within them, which is a matrix in the cases.
    const OF_OTHERS: [&str; 7] = [
        "function_operator",
        "memoize_operator",
        "sliding1d",
        "sliding2d",
        "sliding3d",
        "patch2d",
        "patch3d",
    ];

    /// Numbers are complex on the way.
    const OF_SPECTRA: [&str; 13] = [
        "fft",
        "fft2d",
        "fftnd",
        "shift",
        "dct",
        "convolve2d",
        "convolve_nd",
        "chirp_radon2d",
        "chirp_radon3d",
        "fourier_radon2d",
        "fourier_radon3d",
        "mri2d",
        "udct",
    ];

    /// Filters that differ from place to place: those of planes and volumes are spectra on the way, estimated ones are products of two arrays.
    const OF_FILTERS: [&str; 4] = [
        "non_stationary_convolve2d",
        "non_stationary_convolve3d",
        "non_stationary_filters1d",
        "non_stationary_filters2d",
    ];

    /// Sums along curves are made of numbers as arrays hold them.
    const OF_CURVES: [&str; 3] = ["radon2d", "radon3d", "ct2d"];

    #[test]
    fn all_but_a_few_operators_take_16_bit_floats() {
        let refusing =
            [&OF_PRODUCTS[..], &OF_OTHERS, &OF_SPECTRA, &OF_FILTERS, &OF_CURVES].concat();
        for dtype in [DType::Float16, DType::BFloat16] {
            let cell = suite::Cell { device: Device::cpu(), dtype };
            for (name, cases) in cases::ALL {
                let takes = suite::stored::takes(&cell, &cases(dtype));
                assert_eq!(takes, !refusing.contains(name), "{name} in {dtype}");
            }
        }
    }
}
