//! Functions that declare where they run.
//!
//! A function wrapped by [`Declared`] takes arrays of any library and gets them as the kind, on the device, it
//! was declared for; what it returns is converted too, and each conversion is reported.
//!
//! ```
//! use arrayspan_bridge::convert::{ConvertOptions, to};
//! use arrayspan_bridge::declared::Declared;
//! use arrayspan_bridge::{Array, Error};
//! use ndarray::{Array1, Ix1, array};
//!
//! fn double(x: Array1<f32>) -> Result<Array1<f32>, Error> {
//!     Ok(2.0 * x)
//! }
//!
//! let mut double = Declared::new(to::ndarray::<f32, Ix1>(), to::array()).wrap(double);
//! let (y, reports) = double.call(Array::from_vec(vec![1.0_f32, 2.0], [2])?)?;
//! assert_eq!(y.view().as_slice::<f32>()?, [2.0, 4.0]);
//! assert!(reports.inputs[0].is_zero_copy() && reports.outputs[0].is_zero_copy());
//! # Ok::<(), Error>(())
//! ```
//!
//! # Slice by slice
//! A view is taken as any array is, so [`apply_slices`](crate::apply_slices) calls a wrapped function for each:
//!
//! ```
//! use arrayspan_bridge::convert::to;
//! use arrayspan_bridge::declared::Declared;
//! use arrayspan_bridge::{Array, Error, apply_slices};
//! use ndarray::{Array1, Ix1, array};
//!
//! let flip = |x: Array1<f32>| -> Result<Array1<f32>, Error> { Ok(-x) };
//! let mut flip = Declared::new(to::ndarray::<f32, Ix1>(), to::array()).wrap(flip);
//! let section = Array::from(array![[1.0_f32, 2.0], [3.0, 4.0]]);
//! let flipped = apply_slices(&section, 0, |slice| Ok::<_, Error>(flip.call(slice)?.0))?;
//! assert_eq!(flipped.view().as_slice::<f32>()?, [-1.0, -2.0, -3.0, -4.0]);
//! # Ok::<(), Error>(())
//! ```
//!
//! # Out of memory
//! With [`retry`](Declared::retry) the inputs are kept, and the function is called again after memory was
//! got back. What it is given then cannot be its own: a target that may be written
//! ([`to::array`](crate::convert::to::array), an ndarray, cudarc, `OpenCL`) is a copy in each attempt, and the
//! report says so; [`to::shared`](crate::convert::to::shared) and
//! [`to::dlpack`](crate::convert::to::dlpack) share the memory.

mod several;
mod sources;

use arrayspan_devices::retry::{OutOfMemory, RetryPolicy, Unrecovered, with_retry};
use arrayspan_devices::{Device, Stream};

pub use sources::{Kept, Sources};

use crate::Error;
use crate::convert::{ArrayTarget, ConvertOptions, ConvertReport, destination};

/// Where a function runs, and where its results go.
#[derive(Clone, Debug)]
pub struct Declared<I, O> {
    input: I,
    output: O,
    inputs: ConvertOptions,
    outputs: ConvertOptions,
    policy: RetryPolicy,
}

/// A function that declares where it runs. Made by [`Declared::wrap`].
#[derive(Clone, Debug)]
pub struct Wrapped<I, O, F> {
    declared: Declared<I, O>,
    function: F,
}

/// How the arrays of one call crossed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reports {
    /// One for each input, in order.
    pub inputs: Vec<ConvertReport>,
    /// One for each output, in order.
    pub outputs: Vec<ConvertReport>,
    /// How often the function was called.
    pub attempts: usize,
}

impl<I: ArrayTarget, O: ArrayTarget> Declared<I, O> {
    /// Inputs become `input`, outputs `output`. Runs once, by default options.
    pub fn new(input: I, output: O) -> Self {
        let (inputs, outputs) = (ConvertOptions::default(), ConvertOptions::default());
        Self {
            input,
            output,
            inputs,
            outputs,
            policy: RetryPolicy { attempts: 1, ..RetryPolicy::default() },
        }
    }

    /// How inputs are converted: `gpu_id` is where the function runs; its stream is also the thread's
    /// [default](Stream::as_default) while the function runs.
    #[must_use]
    pub fn options(self, inputs: ConvertOptions) -> Self {
        Self { inputs, ..self }
    }

    /// How outputs are converted.
    #[must_use]
    pub fn output_options(self, outputs: ConvertOptions) -> Self {
        Self { outputs, ..self }
    }

    /// Keeps the inputs, and calls the function again when memory ran out and some was got back: see
    /// [`with_retry`].
    #[must_use]
    pub fn retry(self, policy: RetryPolicy) -> Self {
        Self { policy, ..self }
    }

    /// Declares it for `function`, which takes one converted input, or several as a tuple, an array or a
    /// `Vec`, and returns one output or several in the same way.
    pub fn wrap<F>(self, function: F) -> Wrapped<I, O, F> {
        Wrapped { declared: self, function }
    }
}

impl<I: ArrayTarget, O: ArrayTarget, F> Wrapped<I, O, F> {
    /// Converts the inputs, calls the function, converts its outputs.
    ///
    /// # Errors
    /// Those of [`convert`](crate::convert()) and of the function, with what was tried against a lack of
    /// memory. The inputs are dropped then.
    pub fn call<X, R, E>(&mut self, inputs: X) -> Result<(R::Converted, Reports), Unrecovered<E>>
    where
        X: Sources<I>,
        R: Sources<O>,
        F: FnMut(X::Converted) -> Result<R, E>,
        E: From<Error> + OutOfMemory,
    {
        let Self { declared, function } = self;
        let failed = |error: Error| Unrecovered::at_once(E::from(error));
        let kept = X::keep(inputs, &declared.inputs).map_err(failed)?;
        let _default = declared.inputs.stream.as_ref().map(Stream::as_default);
        let mut attempts = 1;
        if declared.policy.attempts <= 1 {
            let mut reports = Vec::new();
            let inputs =
                X::once(kept, &declared.input, &declared.inputs, &mut reports).map_err(failed)?;
            let outputs = function(inputs).map_err(Unrecovered::at_once)?;
            return declared.leave(outputs, reports, attempts).map_err(failed);
        }
        let device = X::device(&kept).unwrap_or_else(Device::cpu);
        let device = destination(&declared.input, &declared.inputs, device).map_err(failed)?;
        attempts = 0;
        with_retry(device, &declared.policy, || {
            attempts += 1;
            let mut reports = Vec::new();
            let inputs = X::again(&kept, &declared.input, &declared.inputs, &mut reports)?;
            let outputs = function(inputs)?;
            Ok(declared.leave(outputs, reports, attempts)?)
        })
    }
}

impl<I, O: ArrayTarget> Declared<I, O> {
    /// Converts what the function has returned.
    fn leave<R: Sources<O>>(
        &self,
        outputs: R,
        inputs: Vec<ConvertReport>,
        attempts: usize,
    ) -> Result<(R::Converted, Reports), Error> {
        let mut reports = Reports { inputs, outputs: Vec::new(), attempts };
        let kept = R::keep(outputs, &self.outputs)?;
        let outputs = R::once(kept, &self.output, &self.outputs, &mut reports.outputs)?;
        Ok((outputs, reports))
    }
}
