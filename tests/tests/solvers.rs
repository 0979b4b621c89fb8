//! Every solver, on every device and in every dtype: `cuda::float32::cgls::golden_data`.

use arrayspan_bridge::DType;
use arrayspan_conformance::suite::{self, eigen, krylov, least_squares, sparse};
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

            mod cgls {
                use super::*;

                #[test]
                fn golden_data() {
                    let law = least_squares::golden_steps;
                    least_squares::hold(DeviceKind::$kind, DType::$dtype, law);
                }
            }

            mod eigen_values {
                use super::*;

                #[test]
                fn golden_data() {
                    least_squares::hold(DeviceKind::$kind, DType::$dtype, eigen::values);
                }
            }

            mod cg {
                use super::*;

                #[test]
                fn golden_data() {
                    least_squares::hold(DeviceKind::$kind, DType::$dtype, krylov::cg);
                }
            }

            mod single_reduction {
                use super::*;

                #[test]
                fn golden_data() {
                    least_squares::hold(DeviceKind::$kind, DType::$dtype, krylov::single_reduction);
                }
            }

            mod bicgstab {
                use super::*;

                #[test]
                fn golden_data() {
                    least_squares::hold(DeviceKind::$kind, DType::$dtype, krylov::bicgstab);
                }
            }

            mod gmres {
                use super::*;

                #[test]
                fn golden_data() {
                    least_squares::hold(DeviceKind::$kind, DType::$dtype, krylov::gmres);
                }
            }

            mod minres {
                use super::*;

                #[test]
                fn golden_data() {
                    least_squares::hold(DeviceKind::$kind, DType::$dtype, krylov::minres);
                }
            }

            mod lsmr {
                use super::*;

                #[test]
                fn golden_data() {
                    least_squares::hold(DeviceKind::$kind, DType::$dtype, krylov::lsmr);
                }
            }

            mod fista {
                use super::*;

                #[test]
                fn golden_data() {
                    let law = sparse::proximal_gradients::<true>;
                    least_squares::hold(DeviceKind::$kind, DType::$dtype, law);
                }
            }

            mod ista {
                use super::*;

                #[test]
                fn golden_data() {
                    let law = sparse::proximal_gradients::<false>;
                    least_squares::hold(DeviceKind::$kind, DType::$dtype, law);
                }
            }

            mod irls {
                use super::*;

                #[test]
                fn golden_data() {
                    least_squares::hold(DeviceKind::$kind, DType::$dtype, sparse::irls);
                }
            }

            mod pursuits {
                use super::*;

                #[test]
                fn golden_data() {
                    least_squares::hold(DeviceKind::$kind, DType::$dtype, sparse::pursuits);
                }
            }

            mod split_bregman {
                use super::*;

                #[test]
                fn golden_data() {
                    least_squares::hold(DeviceKind::$kind, DType::$dtype, sparse::split_bregman);
                }
            }

            mod threshold {
                use super::*;

                #[test]
                fn golden_data() {
                    least_squares::hold(DeviceKind::$kind, DType::$dtype, sparse::thresholds);
                }
            }

            mod lsqr {
                use super::*;

                #[test]
                fn golden_data() {
                    least_squares::hold(DeviceKind::$kind, DType::$dtype, krylov::lsqr);
                }
            }

            mod proximal {
                use super::*;

                #[test]
                fn golden_operators() {
                    least_squares::hold(DeviceKind::$kind, DType::$dtype, suite::proximal::operators);
                }

                #[test]
                fn golden_methods() {
                    least_squares::hold(DeviceKind::$kind, DType::$dtype, suite::proximal::methods);
                }
            }
        }
    )* };
}

mod bytes {
    use super::*;

    #[test]
    fn cgls() {
        for dtype in [DType::Float32, DType::Complex128] {
            least_squares::hold(DeviceKind::Cpu, dtype, least_squares::cgls_bytes);
        }
    }
}

devices!(cpu: Cpu, opencl: OpenCl, cuda: Cuda);
