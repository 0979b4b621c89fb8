//! The functions of cuFFT. They are declared here, with codes that are numbers: releases differ in those they return.

use std::ffi::{c_int, c_void};
use std::mem;

use libloading::Library;

use super::transform::TransformKind;
use crate::cuda::library::{absent, candidates};
use crate::opened::Opened;
use crate::{Error, Result};

/// Set to 0, it has programs do without cuFFT.
const VARIABLE: &str = "ARRAYSPAN_CUFFT";

/// The library's name of a plan.
pub(super) type Plan = c_int;

/// What its functions return; 0 where they have done what they were asked.
pub(super) type Status = c_int;

type Create = unsafe extern "C" fn(*mut Plan) -> Status;
type Destroy = unsafe extern "C" fn(Plan) -> Status;
type SetNumber = unsafe extern "C" fn(Plan, c_int) -> Status;
type SetPointer = unsafe extern "C" fn(Plan, *mut c_void) -> Status;
type MakeMany = unsafe extern "C" fn(
    Plan,
    c_int,
    *mut c_int,
    *mut c_int,
    c_int,
    c_int,
    *mut c_int,
    c_int,
    c_int,
    c_int,
    c_int,
    *mut usize,
) -> Status;
type Turn = unsafe extern "C" fn(Plan, *mut c_void, *mut c_void, c_int) -> Status;
type Straight = unsafe extern "C" fn(Plan, *mut c_void, *mut c_void) -> Status;

/// The exponents' signs.
const FORWARD: c_int = -1;
const INVERSE: c_int = 1;

/// The functions of one library, which is never closed.
#[derive(Debug)]
pub(super) struct Functions {
    /// `cufftCreate(&plan)`.
    pub(super) create: Create,
    /// `cufftDestroy(plan)`.
    pub(super) destroy: Destroy,
    /// `cufftSetAutoAllocation(plan, 0 or 1)`.
    pub(super) set_allocation: SetNumber,
    /// `cufftSetWorkArea(plan, area)`.
    pub(super) set_area: SetPointer,
    /// `cufftSetStream(plan, stream)`.
    pub(super) set_stream: SetPointer,
    /// `cufftMakePlanMany(plan, rank, n, inembed, istride, idist, onembed, ostride, odist, type, batch, &bytes)`.
    pub(super) make_many: MakeMany,
    /// `cufftExecC2C` and `cufftExecZ2Z(plan, input, output, direction)`.
    complex: [Turn; 2],
    /// `cufftExecR2C` and `cufftExecD2Z(plan, input, output)`.
    from_real: [Straight; 2],
    /// `cufftExecC2R` and `cufftExecZ2D(plan, input, output)`.
    to_real: [Straight; 2],
}

/// The library, opened at first use.
///
/// # Errors
/// [`Error::Unavailable`] if it is not there, lacks a function, or is not wanted.
pub(super) fn functions() -> Result<&'static Functions> {
    static READY: Opened<Functions> = Opened::new();
    READY.get_or_open(open)
}

fn open() -> Result<Functions> {
    let unavailable = |why| Error::Unavailable { what: "cuFFT".into(), why };
    if std::env::var(VARIABLE).is_ok_and(|value| value.trim() == "0") {
        return Err(unavailable(format!("disabled by {VARIABLE}=0")));
    }
    // SAFETY: opens the vendor's library by the name the vendor gives it, whose initialisers have no conditions.
    let opened = candidates("cufft").iter().find_map(|name| unsafe { Library::new(name) }.ok());
    let library =
        opened.ok_or_else(|| unavailable(absent("cufft", "libcufft.so.12 or libcufft.so.11")))?;
    let lacks = |name: &str| unavailable(format!("the installed library lacks {name}"));
    macro_rules! function {
        ($name:literal) => {
            // SAFETY: the vendor declares the function with the signature of the field that it becomes (enums are numbers, and
            // pointers to elements go as such to bytes); the library stays open, which is seen to below.
            *unsafe { library.get($name) }.map_err(|_| lacks($name))?
        };
    }
    let functions = Functions {
        create: function!("cufftCreate"),
        destroy: function!("cufftDestroy"),
        set_allocation: function!("cufftSetAutoAllocation"),
        set_area: function!("cufftSetWorkArea"),
        set_stream: function!("cufftSetStream"),
        make_many: function!("cufftMakePlanMany"),
        complex: [function!("cufftExecC2C"), function!("cufftExecZ2Z")],
        from_real: [function!("cufftExecR2C"), function!("cufftExecD2Z")],
        to_real: [function!("cufftExecC2R"), function!("cufftExecZ2D")],
    };
    // Functions are called as long as the process lives, and the library does not bear being closed.
    mem::forget(library);
    Ok(functions)
}

impl Functions {
    /// Runs a plan, by the function for its kind of transform; `positive` is the exponent's sign where both are possible.
    ///
    /// # Safety
    /// The plan is alive and of that kind, its stream and work area are set, and memory is what it expects.
    pub(super) unsafe fn execute(
        &self,
        plan: Plan,
        (kind, float64): (TransformKind, bool),
        [input, output]: [*mut c_void; 2],
        positive: bool,
    ) -> Status {
        let wide = usize::from(float64);
        // SAFETY: passed on to the caller.
        unsafe {
            match kind {
                TransformKind::Complex => {
                    let direction = if positive { INVERSE } else { FORWARD };
                    self.complex[wide](plan, input, output, direction)
                }
                TransformKind::FromReal => self.from_real[wide](plan, input, output),
                TransformKind::ToReal => self.to_real[wide](plan, input, output),
            }
        }
    }
}

/// The library's number of a kind of transform: `cufftType`.
pub(super) fn number(kind: TransformKind, float64: bool) -> c_int {
    match (kind, float64) {
        (TransformKind::FromReal, false) => 0x2a,
        (TransformKind::ToReal, false) => 0x2c,
        (TransformKind::Complex, false) => 0x29,
        (TransformKind::FromReal, true) => 0x6a,
        (TransformKind::ToReal, true) => 0x6c,
        (TransformKind::Complex, true) => 0x69,
    }
}

/// The library's name of a code: `cufftResult`.
pub(super) fn name(status: Status) -> String {
    let known = match status {
        0 => "CUFFT_SUCCESS",
        1 => "CUFFT_INVALID_PLAN",
        2 => "CUFFT_ALLOC_FAILED",
        3 => "CUFFT_INVALID_TYPE",
        4 => "CUFFT_INVALID_VALUE",
        5 => "CUFFT_INTERNAL_ERROR",
        6 => "CUFFT_EXEC_FAILED",
        7 => "CUFFT_SETUP_FAILED",
        8 => "CUFFT_INVALID_SIZE",
        9 => "CUFFT_UNALIGNED_DATA",
        10 => "CUFFT_INCOMPLETE_PARAMETER_LIST",
        11 => "CUFFT_INVALID_DEVICE",
        12 => "CUFFT_PARSE_ERROR",
        13 => "CUFFT_NO_WORKSPACE",
        14 => "CUFFT_NOT_IMPLEMENTED",
        15 => "CUFFT_LICENSE_ERROR",
        16 => "CUFFT_NOT_SUPPORTED",
        17 => "CUFFT_MISSING_DEPENDENCY",
        18 => "CUFFT_NVRTC_FAILURE",
        19 => "CUFFT_NVJITLINK_FAILURE",
        20 => "CUFFT_NVSHMEM_FAILURE",
        _ => return format!("cuFFT's code {status}"),
    };
    known.into()
}
