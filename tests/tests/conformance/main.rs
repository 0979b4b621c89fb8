//! Every law on every operator, on every device and in every dtype.
//!
//! A test is called `cuda::float32::first_derivative::dot_test`. Where there is no such device it passes and
//! prints `skipped: no CUDA device`; `ARRAYSPAN_REQUIRE=cuda,opencl` makes it fail instead. On PoCL a sample runs that
//! `ARRAYSPAN_TEST_SEED` chooses, with `ARRAYSPAN_TEST_FULL=1` everything.

use arrayspan_bridge::DType;
use arrayspan_conformance::{cases, for_each_operator, suite};
use arrayspan_devices::DeviceKind;

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
