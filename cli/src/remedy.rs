//! What to install or to set when something is missing.

use arrayspan_devices::Backend;

use crate::report::State;

/// What helps a driver called `name` that cannot be used, where `ARRAYSPAN_DISABLE` holds `disabled`.
pub(crate) fn of(
    name: &str,
    backend: Option<Backend>,
    state: State,
    disabled: &str,
) -> Option<String> {
    let comma = if disabled.is_empty() { "" } else { "," };
    match state {
        State::Ready => None,
        State::Disabled => Some(format!("Remove {name} from ARRAYSPAN_DISABLE.")),
        State::Broken if backend.is_none() => {
            Some("--timeout gives a slow driver more time.".into())
        }
        State::Broken => Some(format!(
            "Set ARRAYSPAN_DISABLE={disabled}{comma}{name} to go on without it; --timeout gives a slow driver more time."
        )),
        State::Missing => Some(backend.map_or(INSTALL, missing).into()),
    }
}

/// What helps where nothing more is known.
const INSTALL: &str = "Install it.";

fn missing(backend: Backend) -> &'static str {
    match backend {
        Backend::Cuda => {
            "For NVIDIA GPUs install NVIDIA's driver (nvidia-smi shows whether it works). In a container, start it \
             with the GPUs (docker run --gpus all). If the driver works and no device is there, look at \
             CUDA_VISIBLE_DEVICES."
        }
        Backend::OpenCl => {
            "Install a loader and a platform: ocl-icd-libopencl1 with your vendor's platform, or with \
             pocl-opencl-icd for the CPU. OPENCL_DYLIB_PATH names a loader elsewhere; OCL_ICD_VENDORS names a \
             folder of .icd files, such as one with the line libnvidia-opencl.so.1."
        }
        Backend::Nvml => {
            "It comes with NVIDIA's driver (libnvidia-ml.so.1). Without it utilisation, temperature and power are \
             unknown; all else works."
        }
        Backend::Torch => {
            "Only exchange with torch needs it. Set LIBTORCH to the folder of libtorch or of the Python package \
             torch, and add its lib to LD_LIBRARY_PATH."
        }
        _ => INSTALL,
    }
}

/// What helps a library that was not found.
pub(crate) fn of_library(name: &str) -> Option<String> {
    let text = match name {
        "NVRTC" => {
            "It compiles kernels for CUDA. Install the CUDA toolkit or the package nvidia-cuda-nvrtc of PyPI, and add \
             its lib to LD_LIBRARY_PATH."
        }
        "cuBLAS" | "cuFFT" | "cuSPARSE" | "cuSOLVER" => {
            "Install the CUDA toolkit or the library's package of PyPI, and add its lib to LD_LIBRARY_PATH."
        }
        "NCCL" => {
            "Only work spread over several GPUs can use it. Install libnccl2 or the package nvidia-nccl-cu13 of PyPI, \
             and add its lib to LD_LIBRARY_PATH."
        }
        _ => return None,
    };
    Some(text.into())
}
