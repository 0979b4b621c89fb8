//! Linear functions as functions of tensors.

use std::any::Any;
use std::ffi::c_void;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use arrayspan_devices::Device;
use arrayspan_devices::retry::OutOfMemory;
use tch::Tensor;

use super::memory::SHORTAGES;
use super::shim::{self, Backward, Failure};
use super::{LinearFunction, TorchOptions, borrowed, export, inspect};
use crate::Result;

const OPERATION: &str = "torch::Differentiable";

/// A linear function of tensors that torch differentiates: the gradient goes back through the adjoint, which is such a
/// function too, so that derivatives may be of any order.
///
/// Tensors are read where they are, whatever their strides and whoever else holds them, and results are tensors over the
/// arrays that the function made: nothing is copied, and everything is queued on torch's current stream. Torch's graph keeps
/// the function and neither its argument nor its result. Where torch records no graph (`tch::no_grad`, a tensor
/// that does not require gradients), none of it is made.
///
/// Cheap to clone: clones share the function.
pub struct Differentiable<F>(Arc<F>);

/// `A`, or `Aᴴ`.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Direction {
    Forward,
    Adjoint,
}

impl Direction {
    fn reversed(self) -> Self {
        match self {
            Self::Forward => Self::Adjoint,
            Self::Adjoint => Self::Forward,
        }
    }
}

impl<F: LinearFunction> Differentiable<F> {
    /// Of a function and its adjoint.
    pub fn new(function: F) -> Self {
        Self(Arc::new(function))
    }

    /// The function.
    #[must_use]
    pub fn function(&self) -> &F {
        &self.0
    }

    /// `A x`.
    ///
    /// # Errors
    /// The function's; [`Error::Foreign`](crate::Error::Foreign) for a tensor that no array can be (sparse, quantised, on
    /// another device); a result that no tensor can be; a failure of torch. What goes wrong on the way back, where the thread may
    /// be one of torch's, is the error of the call that began it (`f_backward`, `f_run_backward`): a message that names the
    /// function, the gradient's shape and dtype, and says what went wrong. Panics of the function on the way back are such
    /// errors, too. [`attempt`](super::attempt) tells a lack of memory from other failures.
    pub fn forward(&self, x: &Tensor) -> Result<Tensor, F::Error> {
        apply(&self.0, Direction::Forward, x)
    }

    /// `Aᴴ y`.
    ///
    /// # Errors
    /// As [`forward`](Self::forward).
    pub fn adjoint(&self, y: &Tensor) -> Result<Tensor, F::Error> {
        apply(&self.0, Direction::Adjoint, y)
    }
}

impl<F> Clone for Differentiable<F> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<F: fmt::Debug> fmt::Debug for Differentiable<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Differentiable").field(&self.0).finish()
    }
}

fn apply<F: LinearFunction>(
    function: &Arc<F>,
    direction: Direction,
    x: &Tensor,
) -> Result<Tensor, F::Error> {
    let y = borrowed::read(OPERATION, x, |x, on| match direction {
        Direction::Forward => function.forward(x, on),
        Direction::Adjoint => function.adjoint(x, on),
    })??;
    let (y, _) = export(y, TorchOptions::default())?;
    // SAFETY: a live tensor, which is looked at only.
    if unsafe { shim::arrayspan_torch_is_recorded(x.as_ptr().cast()) } {
        record(function, direction, x, &y)?;
    }
    Ok(y)
}

/// What a node of torch's graph holds: the function that made its result.
struct Recorded<F> {
    function: Arc<F>,
    direction: Direction,
}

/// Makes `y` the function of `x` in torch's graph.
fn record<F: LinearFunction>(
    function: &Arc<F>,
    direction: Direction,
    x: &Tensor,
    y: &Tensor,
) -> Result<()> {
    let name = function.name();
    let recorded = Box::new(Recorded { function: function.clone(), direction });
    let backward = Backward {
        name: name.as_ptr().cast(),
        name_bytes: name.len(),
        context: Box::into_raw(recorded).cast(),
        apply: go_back::<F>,
        release: release::<F>,
    };
    shim::call("set_history", Device::cpu(), 0, |failure| {
        let (x, y) = (x.as_ptr().cast(), y.as_ptr().cast());
        // SAFETY: live tensors, of which `y` is new and has no history. The name is read during the call only; the context is
        // given back once, by `release`, also if the call fails, and used by `go_back` before. `F` is `Send` and `Sync`.
        unsafe { shim::arrayspan_torch_record_function(x, y, backward, failure) }
    })
}

/// Takes a gradient through a node, on whatever thread torch does that.
unsafe extern "C" fn go_back<F: LinearFunction>(
    context: *const c_void,
    gradient: *const c_void,
    out: *mut *mut c_void,
    failure: *mut Failure,
) -> bool {
    // SAFETY: the box made by `record`, which the node keeps while it runs.
    let recorded = unsafe { &*context.cast::<Recorded<F>>() };
    let went = catch_unwind(AssertUnwindSafe(|| {
        // SAFETY: a live tensor, of which this is a handle of its own.
        let gradient = unsafe { Tensor::clone_from_ptr(gradient.cast_mut().cast()) };
        let result = apply(&recorded.function, recorded.direction.reversed(), &gradient);
        result.map_err(|error| {
            if let Some(shortage) = error.shortage() {
                SHORTAGES.add(&shortage);
            }
            described(&gradient, &error.to_string())
        })
    }));
    let why = match went {
        Ok(Ok(mut result)) => {
            // SAFETY: the caller owns what is written; the handle here is forgotten.
            unsafe { out.write(result.as_mut_ptr().cast()) };
            std::mem::forget(result);
            return true;
        }
        Ok(Err(why)) => why,
        Err(panic) => {
            let said = panicked(&*panic);
            // Dropping what a panic carries may panic again, which must not happen in C++.
            std::mem::forget(panic);
            said
        }
    };
    let message = format!("the way back through {}: {why}", recorded.function.name());
    // SAFETY: room for a failure, which is written once.
    unsafe { failure.write(Failure::of(&message)) };
    false
}

unsafe extern "C" fn release<F>(context: *mut c_void) {
    // SAFETY: called once, with the box made by `record`.
    let recorded = unsafe { Box::from_raw(context.cast::<Recorded<F>>()) };
    if let Err(panic) = catch_unwind(AssertUnwindSafe(|| drop(recorded))) {
        tracing::error!("a panic while torch gave a function back");
        std::mem::forget(panic);
    }
}

/// What went wrong with a gradient.
fn described(gradient: &Tensor, why: &str) -> String {
    let found = inspect::describe(gradient).and_then(|found| inspect::check(&found));
    match found {
        Ok(found) => {
            let (dtype, shape) = (found.dtype, found.layout.shape());
            format!("for a gradient that is {dtype} {shape:?} on {}: {why}", found.device)
        }
        Err(_) => why.to_owned(),
    }
}

fn panicked(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied();
    let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    format!("it panicked: {}", text.unwrap_or("without a message"))
}
