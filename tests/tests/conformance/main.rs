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

    /// Those whose values are the vendors' or the users', are compared, or are complex on the way.
    const REFUSING: [&str; 9] = [
        "matrix_mult",
        "regression",
        "linear_regression",
        "function_operator",
        "memoize_operator",
        "fft",
        "fft2d",
        "fftnd",
        "shift",
    ];

    #[test]
    fn all_but_a_few_operators_take_16_bit_floats() {
        for dtype in [DType::Float16, DType::BFloat16] {
            let cell = suite::Cell { device: Device::cpu(), dtype };
            for (name, cases) in cases::ALL {
                let takes = suite::stored::takes(&cell, &cases(dtype));
                assert_eq!(takes, !REFUSING.contains(name), "{name} in {dtype}");
            }
        }
    }
}
