//! Matrix products by the vendor's library.

use std::ffi::{c_longlong, c_void};
use std::fmt;
use std::sync::Arc;

use super::blas_handle::Handle;
use super::product::{Factors, Matrices, Operation, Product, Scalar};
use crate::cuda::library::absent;
use crate::memory::{or_recover, queue_on};
use crate::opened::Opened;
use crate::{Access, DeviceKind, Error, Result, Stream, fault};
use cudarc::cublas::sys::{
    self, cublasHandle_t, cublasOperation_t, cublasPointerMode_t, cublasStatus_t,
};

/// cuBLAS, working on one stream of a CUDA device.
pub struct Blas {
    /// Dropped before the stream, which it works on.
    handle: Arc<Handle>,
    stream: Stream,
}

/// A number of the host as the library reads it, as aligned as any of its types.
#[repr(C, align(16))]
union Factor {
    single: [f32; 2],
    double: [f64; 2],
}

impl Factor {
    fn of([re, im]: [f64; 2], scalar: Scalar) -> Self {
        match scalar {
            Scalar::Float32 | Scalar::Complex64 => Self { single: [re as f32, im as f32] },
            Scalar::Float64 | Scalar::Complex128 => Self { double: [re, im] },
        }
    }

    fn address(&self) -> *const c_void {
        (&raw const *self).cast()
    }
}

/// Has the library take factors from the device while `work` calls it. Products of others expect it to take them from the
/// host.
fn by_device(handle: cublasHandle_t, work: impl FnOnce() -> cublasStatus_t) -> cublasStatus_t {
    let set = |mode| {
        // SAFETY: the handle is alive, and this thread's for as long as it is lent.
        unsafe { sys::cublasSetPointerMode_v2(handle, mode) }
    };
    let failed = |status: &cublasStatus_t| *status != cublasStatus_t::CUBLAS_STATUS_SUCCESS;
    let begun = set(cublasPointerMode_t::CUBLAS_POINTER_MODE_DEVICE);
    if failed(&begun) {
        return begun;
    }
    let done = work();
    let ended = set(cublasPointerMode_t::CUBLAS_POINTER_MODE_HOST);
    if failed(&done) { done } else { ended }
}

/// Every function of cuBLAS this crate calls.
const FUNCTIONS: [&str; 12] = [
    "cublasCreate_v2",
    "cublasDestroy_v2",
    "cublasSetStream_v2",
    "cublasSetPointerMode_v2",
    "cublasSgemm_v2",
    "cublasDgemm_v2",
    "cublasCgemm_v2",
    "cublasZgemm_v2",
    "cublasSgemmStridedBatched",
    "cublasDgemmStridedBatched",
    "cublasCgemmStridedBatched",
    "cublasZgemmStridedBatched",
];

/// Opens cuBLAS.
fn open() -> Result<()> {
    static READY: Opened<()> = Opened::new();
    let open = || {
        let unavailable = |why| Err(Error::Unavailable { what: "cuBLAS".into(), why });
        // SAFETY: opens the vendor's library, whose initialisers have no conditions.
        if !unsafe { sys::is_culib_present() } {
            return unavailable(absent("cublas", "libcublas.so.13 or libcublas.so.12"));
        }
        for name in FUNCTIONS {
            // SAFETY: the symbol is looked up and never called through this type.
            if unsafe { sys::culib().get::<unsafe extern "C" fn()>(name.as_bytes()).is_err() } {
                return unavailable(format!("the installed library lacks {name}"));
            }
        }
        Ok(())
    };
    READY.get_or_open(open).copied()
}

impl Blas {
    /// The library, working on `stream`. Takes some milliseconds and device memory the first time on a stream, which
    /// keeps the handle for the next time.
    ///
    /// # Errors
    /// [`Error::Unavailable`] without cuBLAS; [`Error::Unsupported`] for a stream of another kind of
    /// device; the library's refusal.
    pub fn new(stream: &Stream) -> Result<Self> {
        if stream.device().kind() != DeviceKind::Cuda {
            let device = stream.device().to_string();
            return Err(Error::Unsupported { device, what: "cuBLAS".into() });
        }
        open()?;
        Ok(Self { handle: Handle::of(stream)?, stream: stream.clone() })
    }

    /// Enqueues a product after all earlier work on the memory it uses; does not wait. 32-bit floats are
    /// multiplied as such, never as shorter ones.
    ///
    /// # Errors
    /// [`Error::WrongDevice`] for memory of another device; the library's refusal.
    ///
    /// # Safety
    /// All matrices lie inside their memory, which holds elements of that type; so do factors on the device, aligned to it.
    pub unsafe fn multiply(&self, product: &Product<'_>, factors: Factors<'_>) -> Result<()> {
        let address = |matrices: &Matrices<'_>| {
            self.stream.expect("gemm", matrices.memory.device())?;
            Ok(matrices.memory.address() + matrices.start)
        };
        let Product { m, n, k, batch, c, .. } = *product;
        let ((op_a, a), (op_b, b)) = (product.a, product.b);
        let at_a = address(&a)?;
        let at_b = address(&b)?;
        let at_c = address(&c)?;
        // One matrix goes to the function for one, which has less to look at than that for batches.
        macro_rules! call {
            ($handle:expr, $one:ident, $several:ident, $alpha:expr, $beta:expr) => {{
                let (alpha, beta) = (($alpha).cast(), ($beta).cast());
                let (op_a, op_b) = (operation(op_a), operation(op_b));
                let (at_a, at_b, at_c) = (at_a as *const _, at_b as *const _, at_c as *mut _);
                // SAFETY: the handle's stream comes after all that uses the memory; the caller vouches for
                // the matrices; factors of the host are read during the call, those of the device as matrices are.
                unsafe {
                    if batch == 1 {
                        sys::$one(
                            $handle, op_a, op_b, m, n, k, alpha, at_a, a.column, at_b, b.column, beta,
                            at_c, c.column,
                        )
                    } else {
                        sys::$several(
                            $handle, op_a, op_b, m, n, k, alpha, at_a, a.column,
                            a.next as c_longlong, at_b, b.column, b.next as c_longlong, beta, at_c,
                            c.column, c.next as c_longlong, batch,
                        )
                    }
                }
            }};
        }
        let queue_by = |handle: cublasHandle_t, alpha: *const c_void, beta: *const c_void| {
            match product.scalar {
                Scalar::Float32 => {
                    call!(handle, cublasSgemm_v2, cublasSgemmStridedBatched, alpha, beta)
                }
                Scalar::Float64 => {
                    call!(handle, cublasDgemm_v2, cublasDgemmStridedBatched, alpha, beta)
                }
                Scalar::Complex64 => {
                    call!(handle, cublasCgemm_v2, cublasCgemmStridedBatched, alpha, beta)
                }
                Scalar::Complex128 => {
                    call!(handle, cublasZgemm_v2, cublasZgemmStridedBatched, alpha, beta)
                }
            }
        };
        let of_device = match factors {
            Factors::Host { .. } => None,
            Factors::Device { memory, .. } => Some(memory),
        };
        if let Some(memory) = of_device {
            self.stream.expect("gemm", memory.device())?;
        }
        let queue = |handle: cublasHandle_t| match factors {
            Factors::Host { alpha, beta } => {
                let (alpha, beta) =
                    (Factor::of(alpha, product.scalar), Factor::of(beta, product.scalar));
                queue_by(handle, alpha.address(), beta.address())
            }
            Factors::Device { memory, starts } => {
                let [alpha, beta] = starts.map(|start| (memory.address() + start) as *const c_void);
                by_device(handle, || queue_by(handle, alpha, beta))
            }
        };
        // A product that is refused for lack of workspace has queued nothing.
        or_recover(self.stream.device(), || {
            fault::check(fault::FaultKind::Launch, self.stream.device(), 0)?;
            let read = [a, b].map(|matrices| (matrices.memory, Access::Read));
            let factors = of_device.map(|memory| (memory, Access::Read));
            let used = read.into_iter().chain(factors).chain([(c.memory, Access::Write)]);
            queue_on(&self.stream, used, || {
                self.handle.run(
                    &self.stream,
                    if batch == 1 { "cublasGemm" } else { "cublasGemmStridedBatched" },
                    queue,
                )
            })
        })
    }
}

impl fmt::Debug for Blas {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Blas({})", self.handle.context())
    }
}

fn operation(operation: Operation) -> cublasOperation_t {
    match operation {
        Operation::Plain => cublasOperation_t::CUBLAS_OP_N,
        Operation::Transpose => cublasOperation_t::CUBLAS_OP_T,
        Operation::Adjoint => cublasOperation_t::CUBLAS_OP_C,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Device;

    #[test]
    fn a_stream_keeps_its_handle_and_no_other_gets_it() -> Result<()> {
        let (Ok(device), Ok(())) = (Device::cuda(0), open()) else {
            eprintln!("skipped: no CUDA device with cuBLAS");
            return Ok(());
        };
        let (stream, other) = (device.new_stream()?, device.new_stream()?);
        let first = Blas::new(&stream)?;
        let handle = Arc::downgrade(&first.handle);
        drop(first);
        let again = Blas::new(&stream)?;
        assert!(handle.upgrade().is_some_and(|handle| Arc::ptr_eq(&handle, &again.handle)));
        assert!(!Arc::ptr_eq(&Blas::new(&other)?.handle, &again.handle));
        drop((again, stream));
        assert!(handle.upgrade().is_none(), "it ends with its stream");
        Ok(())
    }

    #[test]
    fn streams_without_cublas_are_told_so() -> Result<()> {
        let refused = Blas::new(&Device::cpu().stream()?);
        assert!(matches!(refused, Err(Error::Unsupported { .. })));
        Ok(())
    }
}
