//! What libraries have in place of arrays while they trace, differentiate or vectorise a function: it has no elements that could be read.

use pyo3::prelude::*;
use pyo3::types::PyType;

use crate::error::{Class, Failure};

/// The error of an object that could not be read: if no object like it can, what takes it instead.
pub(crate) fn instead_of(error: Failure, given: &Bound<'_, PyAny>, what: &str) -> Failure {
    let (library, takes) = if is_of_jax(given) {
        ("JAX", "arrayspan.jax.function(operator)")
    } else if is_of_torch(given) {
        ("torch", "arrayspan.torch.Operator(operator)")
    } else {
        return error;
    };
    let why = format!(
        "{what}: a value that {library} traces, without elements: {takes} takes it; all else is called with arrays, outside of what is traced"
    );
    let py = given.py();
    let refused = Class::DType.raise(py, why);
    if let Failure::Raised(cause) = error {
        refused.set_cause(py, Some(cause));
    }
    refused.into()
}

/// Whether it is a tracer of JAX, of whichever kind.
fn is_of_jax(given: &Bound<'_, PyAny>) -> bool {
    let is_tracer = |class: &Bound<'_, PyType>| -> PyResult<bool> {
        Ok(class.name()? == "Tracer" && root(class) == "jax")
    };
    let classes = given.get_type().mro();
    classes
        .iter()
        .any(|class| class.cast::<PyType>().is_ok_and(|class| is_tracer(class).unwrap_or(false)))
}

/// The package that has a class.
fn root(class: &Bound<'_, PyType>) -> String {
    let module = class.module().map_or_else(|_| String::new(), |module| module.to_string());
    module.split('.').next().unwrap_or_default().to_owned()
}

/// Whether it is a tensor of torch that only looks like one: of `torch.compile`, or of `torch.func`.
fn is_of_torch(given: &Bound<'_, PyAny>) -> bool {
    let class = given.get_type();
    if root(&class) != "torch" {
        return false;
    }
    let looks = || -> PyResult<bool> {
        if class.name()? == "FakeTensor" {
            return Ok(true);
        }
        let functorch = given.py().import("torch._C._functorch")?;
        functorch.call_method1("is_functorch_wrapped_tensor", (given,))?.extract()
    };
    looks().unwrap_or(false)
}
