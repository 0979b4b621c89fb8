//! The shared libraries of CUDA, and whether they are there.
//!
//! `cudarc` panics when a library or a function in it is missing. So both are looked for here, before the
//! first call, and what is missing becomes an [`Error::Unavailable`].

use cudarc::driver::sys::CUresult;
use cudarc::{driver, get_lib_name_candidates, nvrtc};

use crate::opened::{Opened, patiently};
use crate::{Error, Result};

/// Every function of the driver this crate calls without asking [`has`].
const DRIVER: [&str; 52] = [
    "cuInit",
    "cuDriverGetVersion",
    "cuGetErrorName",
    "cuDeviceGet",
    "cuDeviceGetCount",
    "cuDeviceGetName",
    "cuDeviceGetAttribute",
    "cuDeviceGetUuid_v2",
    "cuDeviceTotalMem_v2",
    "cuDeviceCanAccessPeer",
    "cuDevicePrimaryCtxRetain",
    "cuDevicePrimaryCtxRelease_v2",
    "cuCtxGetCurrent",
    "cuCtxPushCurrent_v2",
    "cuCtxPopCurrent_v2",
    "cuCtxEnablePeerAccess",
    "cuMemGetInfo_v2",
    "cuMemAlloc_v2",
    "cuMemFree_v2",
    "cuMemAllocFromPoolAsync",
    "cuMemFreeAsync",
    "cuMemPoolCreate",
    "cuMemPoolDestroy",
    "cuMemPoolSetAttribute",
    "cuMemPoolSetAccess",
    "cuMemPoolTrimTo",
    "cuMemHostAlloc",
    "cuMemFreeHost",
    "cuMemHostRegister_v2",
    "cuMemHostUnregister",
    "cuPointerGetAttribute",
    "cuMemcpyHtoDAsync_v2",
    "cuMemcpyDtoHAsync_v2",
    "cuMemcpyDtoDAsync_v2",
    "cuMemcpyPeerAsync",
    "cuStreamCreate",
    "cuStreamCreateWithPriority",
    "cuCtxGetStreamPriorityRange",
    "cuStreamGetCtx",
    "cuStreamQuery",
    "cuStreamSynchronize",
    "cuStreamWaitEvent",
    "cuStreamDestroy_v2",
    "cuEventCreate",
    "cuEventRecord",
    "cuEventQuery",
    "cuEventSynchronize",
    "cuEventDestroy_v2",
    "cuModuleLoadData",
    "cuModuleGetFunction",
    "cuModuleUnload",
    "cuLaunchKernel",
];

/// Every function of NVRTC this crate calls.
const COMPILER: [&str; 8] = [
    "nvrtcVersion",
    "nvrtcCreateProgram",
    "nvrtcCompileProgram",
    "nvrtcGetCUBINSize",
    "nvrtcGetCUBIN",
    "nvrtcGetProgramLogSize",
    "nvrtcGetProgramLog",
    "nvrtcDestroyProgram",
];

/// Opens the driver and initialises it.
pub(super) fn driver() -> Result<()> {
    static READY: Opened<()> = Opened::new();
    READY.get_or_open(open_driver).copied()
}

fn open_driver() -> Result<()> {
    let unavailable = |why| Err(Error::Unavailable { what: "CUDA".into(), why });
    // SAFETY: opens the vendor's library, whose initialisers have no conditions.
    if !unsafe { driver::sys::is_culib_present() } {
        return unavailable(absent("cuda", "libcuda.so.1, part of the NVIDIA driver,"));
    }
    if let Some(name) = DRIVER.iter().find(|name| !has(name)) {
        return unavailable(format!("the installed driver is too old: it lacks {name}"));
    }
    // SAFETY: the function is there (checked above) and takes no pointer.
    let init = || match unsafe { driver::sys::cuInit(0) } {
        CUresult::CUDA_SUCCESS => Ok(()),
        code => Err(code),
    };
    match patiently(|code| may_pass(*code), init) {
        Ok(()) => Ok(()),
        Err(code) if may_pass(code) => {
            let (device, name) = ("cuda".into(), name(code));
            Err(Error::Driver { device, call: "cuInit", name, code: code as i32 })
        }
        Err(code) => unavailable(format!("cuInit returned {} ({})", name(code), code as i32)),
    }
}

/// Whether initialisation may succeed later: memory is short, or another process has the device.
pub(super) fn may_pass(code: CUresult) -> bool {
    let passing = [
        CUresult::CUDA_ERROR_OUT_OF_MEMORY,
        CUresult::CUDA_ERROR_DEVICE_UNAVAILABLE,
        CUresult::CUDA_ERROR_SYSTEM_NOT_READY,
        CUresult::CUDA_ERROR_MPS_SERVER_NOT_READY,
        CUresult::CUDA_ERROR_MPS_MAX_CLIENTS_REACHED,
        CUresult::CUDA_ERROR_MPS_MAX_CONNECTIONS_REACHED,
    ];
    passing.contains(&code)
}

/// Whether the driver, which is there, has a function by this name.
pub(super) fn has(name: &str) -> bool {
    // SAFETY: the symbol is looked up and never called through this type.
    unsafe { driver::sys::culib().get::<unsafe extern "C" fn()>(name).is_ok() }
}

/// Opens NVRTC.
pub(super) fn compiler() -> Result<()> {
    static READY: Opened<()> = Opened::new();
    READY.get_or_open(open_compiler).copied()
}

fn open_compiler() -> Result<()> {
    let unavailable = |why| Err(Error::Unavailable { what: "NVRTC".into(), why });
    // SAFETY: as for the driver.
    if !unsafe { nvrtc::sys::is_culib_present() } {
        return unavailable(absent("nvrtc", "libnvrtc.so.13 or libnvrtc.so.12"));
    }
    for name in COMPILER {
        // SAFETY: the symbol is looked up and never called through this type.
        if unsafe { nvrtc::sys::culib().get::<unsafe extern "C" fn()>(name).is_err() } {
            return unavailable(format!("the installed library is too old: it lacks {name}"));
        }
    }
    Ok(())
}

/// The names under which CUDA's libraries are looked for, in that order.
pub(crate) fn candidates(stem: &str) -> Vec<String> {
    let mut names = get_lib_name_candidates(stem);
    // Names with the size of a pointer in them are those of Windows.
    names.retain(|name| cfg!(windows) || !name.contains("64"));
    if stem == "nccl" {
        names.push("libnccl.so.2".into());
    }
    names
}

/// Why a library is unavailable that was not found.
pub(crate) fn absent(library: &str, usual: &str) -> String {
    let tried = candidates(library).join(", ");
    format!("{usual} could not be opened (tried {tried}; LD_LIBRARY_PATH is searched)")
}

/// The driver's name for a code.
pub(super) fn name(code: driver::sys::CUresult) -> String {
    let mut text = std::ptr::null();
    // SAFETY: the function is there; on success it sets `text` to a string that lives as long as the
    // library.
    let known = unsafe { driver::sys::cuGetErrorName(code, &raw mut text) };
    if known != driver::sys::CUresult::CUDA_SUCCESS || text.is_null() {
        return "an unknown error".into();
    }
    // SAFETY: as above.
    unsafe { std::ffi::CStr::from_ptr(text) }.to_string_lossy().into_owned()
}
