//! Kernels compiled by NVRTC to binaries of one architecture.
//!
//! Not to PTX, which a driver older than the compiler refuses.

use std::ffi::{CString, c_char};
use std::ptr;

use cudarc::nvrtc::sys::{self, nvrtcResult};

use super::library;
use crate::jit::KernelSource;
use crate::{Error, Result};

/// What every kernel is compiled with. Sums of products are fused (`fmad`), as `OpenCL` does by default and
/// every BLAS does; all else is rounded as on the host. No headers are searched for anywhere.
const OPTIONS: [&str; 6] = [
    "--std=c++17",
    "--fmad=true",
    "--ftz=false",
    "--prec-div=true",
    "--prec-sqrt=true",
    "--no-source-include",
];

/// Compiles a whole translation unit (of [`KernelSource::text`] with the dialect of
/// [`DeviceKind::Cuda`](crate::DeviceKind::Cuda)) to a binary for `arch`, as `sm_90`. Needs NVRTC, but
/// neither a GPU nor a driver.
///
/// # Errors
/// [`Error::Unavailable`] without NVRTC; [`Error::Compile`] with the log and the source line, also for an
/// architecture this NVRTC does not know.
///
/// ```
/// use arrayspan_devices::{DeviceKind, Error, KernelSource, cuda};
///
/// let kernel = KernelSource::new("fill", "fill", "KERNEL fill(GLOBAL float* x) { x[GID(0)] = 1.0f; }");
/// let text = kernel.text(DeviceKind::Cuda.dialect().unwrap_or_default());
/// match cuda::compile_cubin(kernel.name(), &text, "sm_80") {
///     Ok(cubin) => assert!(cubin.starts_with(b"\x7fELF")),
///     Err(Error::Unavailable { .. }) => eprintln!("skipped: no NVRTC"),
///     Err(error) => return Err(error),
/// }
/// # Ok::<(), Error>(())
/// ```
pub fn compile_cubin(kernel: &str, text: &str, arch: &str) -> Result<Vec<u8>> {
    compile(arch, kernel, text, arch)
}

/// As [`compile_cubin`]; errors name `device`.
pub(super) fn compile(device: &str, kernel: &str, text: &str, arch: &str) -> Result<Vec<u8>> {
    library::compiler()?;
    let compile_error = |log: String| Error::Compile {
        device: device.into(),
        kernel: kernel.into(),
        line: KernelSource::complaint(text, kernel, &log).map(Into::into),
        log,
    };
    let zero = |_| compile_error("the source or an option contains a zero byte".into());
    let options =
        OPTIONS.map(String::from).into_iter().chain([format!("--gpu-architecture={arch}")]);
    let options: Vec<CString> =
        options.map(CString::new).collect::<Result<_, _>>().map_err(zero)?;
    let source = CString::new(text).map_err(zero)?;
    let program = Program::new(device, &source)?;
    match program.compile(&options) {
        nvrtcResult::NVRTC_SUCCESS => program.cubin(device),
        code @ (nvrtcResult::NVRTC_ERROR_COMPILATION | nvrtcResult::NVRTC_ERROR_INVALID_OPTION) => {
            let log = program.log(device)?;
            let empty = log.trim().is_empty();
            Err(compile_error(if empty { format!("{code:?} for {options:?}") } else { log }))
        }
        code => Err(failure(device, "nvrtcCompileProgram", code)),
    }
}

/// Compiler and options, for the name of a binary in the cache.
pub(super) fn describe() -> String {
    let (mut major, mut minor) = (0, 0);
    if library::compiler().is_ok() {
        // SAFETY: the function is there; both numbers are written during the call only. On failure they
        // stay zero, which names no compiler.
        let _ = unsafe { sys::nvrtcVersion(&raw mut major, &raw mut minor) };
    }
    format!("nvrtc {major}.{minor} {}", OPTIONS.join(" "))
}

/// One NVRTC program, destroyed on drop.
struct Program(sys::nvrtcProgram);

impl Program {
    /// The name given is that of lines before the first `#line`: the dialect's.
    fn new(device: &str, source: &CString) -> Result<Self> {
        let mut raw = ptr::null_mut();
        // SAFETY: both strings end in zero and are copied; no headers are given.
        let made = unsafe {
            sys::nvrtcCreateProgram(
                &raw mut raw,
                source.as_ptr(),
                c"dialect.h".as_ptr(),
                0,
                ptr::null(),
                ptr::null(),
            )
        };
        check(device, "nvrtcCreateProgram", made)?;
        Ok(Self(raw))
    }

    fn compile(&self, options: &[CString]) -> nvrtcResult {
        let pointers: Vec<*const c_char> = options.iter().map(|option| option.as_ptr()).collect();
        // SAFETY: the program is alive; as many strings as said are given, read during the call only.
        unsafe { sys::nvrtcCompileProgram(self.0, pointers.len() as i32, pointers.as_ptr()) }
    }

    fn cubin(&self, device: &str) -> Result<Vec<u8>> {
        let mut bytes = 0;
        // SAFETY: the program is compiled; `bytes` is written during the call only.
        let asked = unsafe { sys::nvrtcGetCUBINSize(self.0, &raw mut bytes) };
        check(device, "nvrtcGetCUBINSize", asked)?;
        let mut cubin = vec![0_u8; bytes];
        // SAFETY: there is room for as many bytes as NVRTC just said.
        let got = unsafe { sys::nvrtcGetCUBIN(self.0, cubin.as_mut_ptr().cast()) };
        check(device, "nvrtcGetCUBIN", got)?;
        Ok(cubin)
    }

    fn log(&self, device: &str) -> Result<String> {
        let mut bytes = 0;
        // SAFETY: the program is alive; `bytes` is written during the call only.
        let asked = unsafe { sys::nvrtcGetProgramLogSize(self.0, &raw mut bytes) };
        check(device, "nvrtcGetProgramLogSize", asked)?;
        let mut log = vec![0_u8; bytes];
        // SAFETY: there is room for as many bytes as NVRTC just said.
        let got = unsafe { sys::nvrtcGetProgramLog(self.0, log.as_mut_ptr().cast()) };
        check(device, "nvrtcGetProgramLog", got)?;
        Ok(String::from_utf8_lossy(&log).trim_end_matches(['\0', '\n']).into())
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // SAFETY: the only owner gives the program up; the call sets the handle to null.
        let code = unsafe { sys::nvrtcDestroyProgram(&raw mut self.0) };
        if code != nvrtcResult::NVRTC_SUCCESS {
            tracing::error!(?code, "nvrtcDestroyProgram failed");
        }
    }
}

fn check(device: &str, call: &'static str, code: nvrtcResult) -> Result<()> {
    match code {
        nvrtcResult::NVRTC_SUCCESS => Ok(()),
        code => Err(failure(device, call, code)),
    }
}

fn failure(device: &str, call: &'static str, code: nvrtcResult) -> Error {
    Error::Driver { device: device.into(), call, name: format!("{code:?}"), code: code as i32 }
}
