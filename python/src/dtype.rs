//! Names of element types.

use arrayspan::bridge::DType;
use pyo3::prelude::*;
use pyo3::types::{PyString, PyType};

use crate::error::{Class, refuse};

/// An element type that the caller names: a string, a `dtype` of any library, or one of Python's number types.
pub(crate) struct Named(pub(crate) DType);

impl<'py> FromPyObject<'_, 'py> for Named {
    type Error = PyErr;

    fn extract(given: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let given = given.to_owned();
        if let Ok(name) = given.cast::<PyString>() {
            return by_name(name.to_str()?).map(Self);
        }
        if let Ok(class) = given.cast::<PyType>() {
            // `float`, `numpy.float32`, `ml_dtypes.bfloat16`.
            return by_name(class.name()?.to_str()?).map(Self);
        }
        // `numpy.dtype` has a name; torch writes `torch.float32`.
        let name = match given.getattr("name") {
            Ok(name) => name.str()?,
            Err(_) => given.str()?,
        };
        let name = name.to_str()?;
        if given.getattr("isnative").is_ok_and(|native| native.is_truthy().is_ok_and(|is| !is)) {
            let why =
                format!("dtype {}: elements in the byte order of another machine", given.repr()?);
            return refuse(Class::DType, why);
        }
        by_name(name.rsplit('.').next().unwrap_or(name)).map(Self)
    }
}

fn by_name(text: &str) -> PyResult<DType> {
    let known = match text {
        "float" => Some(DType::Float64),
        "complex" => Some(DType::Complex128),
        "int" => Some(DType::Int64),
        "bool_" => Some(DType::Bool),
        "half" => Some(DType::Float16),
        text => DType::all().find(|&dtype| name(dtype) == text),
    };
    match known {
        Some(dtype) => Ok(dtype),
        None => refuse(Class::DType, format!("'{text}' is no dtype that arrayspan knows")),
    }
}

/// The name of the Python Array API.
pub(crate) fn name(dtype: DType) -> &'static str {
    match dtype {
        DType::Bool => "bool",
        DType::Int8 => "int8",
        DType::Int16 => "int16",
        DType::Int32 => "int32",
        DType::Int64 => "int64",
        DType::UInt8 => "uint8",
        DType::UInt16 => "uint16",
        DType::UInt32 => "uint32",
        DType::UInt64 => "uint64",
        DType::Float16 => "float16",
        DType::BFloat16 => "bfloat16",
        DType::Float32 => "float32",
        DType::Float64 => "float64",
        DType::Complex32 => "complex32",
        DType::Complex64 => "complex64",
        DType::Complex128 => "complex128",
        DType::Float8E3M4 => "float8_e3m4",
        DType::Float8E4M3 => "float8_e4m3",
        DType::Float8E4M3B11Fnuz => "float8_e4m3b11fnuz",
        DType::Float8E4M3Fn => "float8_e4m3fn",
        DType::Float8E4M3Fnuz => "float8_e4m3fnuz",
        DType::Float8E5M2 => "float8_e5m2",
        DType::Float8E5M2Fnuz => "float8_e5m2fnuz",
        DType::Float8E8M0Fnu => "float8_e8m0fnu",
        DType::Float6E2M3Fn => "float6_e2m3fn",
        DType::Float6E3M2Fn => "float6_e3m2fn",
        DType::Float4E2M1Fn => "float4_e2m1fn",
        _ => "opaque",
    }
}
