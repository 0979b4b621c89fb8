//! `NumPy`'s arrays, by the binary interface of `NumPy` 1 and 2, without linking it.
//!
//! `NumPy` is looked for only where it is loaded already, or where an array of it is wanted. What is read of an array are
//! the fields that every extension module compiled against `NumPy` reads by macros, whose places are a part of that interface.

use std::ffi::{c_char, c_int, c_long, c_uint, c_void};
use std::ptr::{NonNull, null_mut};

use arrayspan::bridge::DType;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyCapsule;
use smallvec::SmallVec;

use crate::error::{Class, refuse};

/// The beginning of `PyArrayObject`.
#[repr(C)]
struct ArrayFields {
    head: ffi::PyObject,
    data: *mut c_char,
    rank: c_int,
    shape: *mut isize,
    strides: *mut isize,
    base: *mut ffi::PyObject,
    descr: *mut DescrFields,
    flags: c_int,
}

/// The beginning of `PyArray_Descr`.
#[repr(C)]
struct DescrFields {
    head: ffi::PyObject,
    class: *mut ffi::PyTypeObject,
    kind: c_char,
    letter: c_char,
    byte_order: c_char,
    flags: c_char,
    number: c_int,
}

const ALIGNED: c_int = 0x0100;
const WRITEABLE: c_int = 0x0400;
/// The numbers from which on types are not `NumPy`'s own.
const OTHERS: c_int = 256;

type DescrFromType = unsafe extern "C" fn(c_int) -> *mut DescrFields;
type NewFromDescr = unsafe extern "C" fn(
    *mut ffi::PyTypeObject,
    *mut DescrFields,
    c_int,
    *const isize,
    *const isize,
    *mut c_void,
    c_int,
    *mut ffi::PyObject,
) -> *mut ffi::PyObject;
type SetBaseObject = unsafe extern "C" fn(*mut ffi::PyObject, *mut ffi::PyObject) -> c_int;

/// What is needed of `NumPy`'s table of functions.
pub(crate) struct Api {
    array: *mut ffi::PyTypeObject,
    descr: *mut ffi::PyTypeObject,
    descr_from_type: DescrFromType,
    new_from_descr: NewFromDescr,
    set_base_object: SetBaseObject,
}

// SAFETY: addresses of a type and of functions that stay where they are as long as the process lives, as modules are never
// unloaded. They are called with the interpreter's lock.
unsafe impl Send for Api {}
// SAFETY: as above.
unsafe impl Sync for Api {}

static API: PyOnceLock<Api> = PyOnceLock::new();

/// `NumPy`'s interface, which is imported if it was not.
fn api(py: Python<'_>) -> PyResult<&'static Api> {
    API.get_or_try_init(py, || {
        let module = py
            .import("numpy._core._multiarray_umath")
            .or_else(|_| py.import("numpy.core._multiarray_umath"))?;
        let capsule = module.getattr("_ARRAY_API")?.cast_into::<PyCapsule>()?;
        let table: *const *mut c_void = capsule.pointer_checked(None)?.as_ptr().cast();
        // SAFETY: the capsule holds the table of functions of the binary interface, in which these entries have had their
        // places since NumPy 1.7; the version is asked before anything else is trusted.
        unsafe {
            let version: unsafe extern "C" fn() -> c_uint = std::mem::transmute(*table);
            let major = version() >> 24;
            if !(1..=2).contains(&major) {
                let why = format!("the binary interface of NumPy is {major}, known are 1 and 2");
                return refuse(Class::Unavailable, why);
            }
            Ok(Api {
                array: (*table.add(2)).cast(),
                descr: (*table.add(3)).cast(),
                descr_from_type: std::mem::transmute::<*mut c_void, DescrFromType>(*table.add(45)),
                new_from_descr: std::mem::transmute::<*mut c_void, NewFromDescr>(*table.add(94)),
                set_base_object: std::mem::transmute::<*mut c_void, SetBaseObject>(*table.add(282)),
            })
        }
    })
}

static MODULES: PyOnceLock<Py<PyAny>> = PyOnceLock::new();

/// `NumPy`'s interface, if the program has imported it.
fn loaded(py: Python<'_>) -> Option<&'static Api> {
    if let Some(api) = API.get(py) {
        return Some(api);
    }
    let modules = MODULES
        .get_or_try_init(py, || Ok::<_, PyErr>(py.import("sys")?.getattr("modules")?.unbind()));
    let there = modules.ok()?.bind(py).contains("numpy").unwrap_or(false);
    there.then(|| api(py).ok()).flatten()
}

/// An array of `NumPy`, read or written in place.
pub(crate) struct Fields<'a> {
    /// Of the element at index zero.
    pub(crate) data: *mut c_char,
    pub(crate) shape: &'a [usize],
    /// In elements.
    pub(crate) strides: SmallVec<[isize; 4]>,
    pub(crate) dtype: DType,
    pub(crate) writable: bool,
}

/// Whether it is an array of `NumPy`.
pub(crate) fn is_array(given: &Bound<'_, PyAny>) -> bool {
    let Some(api) = loaded(given.py()) else { return false };
    // SAFETY: a live object, and a type that lives for good.
    unsafe { ffi::PyObject_TypeCheck(given.as_ptr(), api.array) != 0 }
}

/// Whether it is an array of `NumPy` itself, of no derived class.
pub(crate) fn is_exactly_array(given: &Bound<'_, PyAny>) -> bool {
    let Some(api) = loaded(given.py()) else { return false };
    given.get_type_ptr() == api.array
}

/// The dtype that an object of `NumPy`'s class `dtype` is, if it is a plain one of this machine.
pub(crate) fn plain_dtype_of(object: &Bound<'_, PyAny>) -> Option<DType> {
    let api = loaded(object.py())?;
    // SAFETY: a live object, and a type that lives for good.
    if unsafe { ffi::PyObject_TypeCheck(object.as_ptr(), api.descr) } == 0 {
        return None;
    }
    // SAFETY: an object of this class begins with these fields.
    let descr = unsafe { &*object.as_ptr().cast::<DescrFields>() };
    if descr.byte_order as u8 == FOREIGN { None } else { by_number(descr.number) }
}

/// `NumPy`'s object for a dtype.
pub(crate) fn dtype_object(py: Python<'_>, dtype: DType) -> PyResult<Bound<'_, PyAny>> {
    let descr = description(py, api(py)?, dtype)?;
    // SAFETY: a reference that is given up here.
    Ok(unsafe { Bound::from_owned_ptr(py, descr.as_ptr().cast()) })
}

/// What an array that [`is_array`] has seen is made of.
pub(crate) fn fields<'a>(array: &'a Bound<'_, PyAny>, what: &str) -> PyResult<Fields<'a>> {
    // SAFETY: an array of NumPy begins with these fields. They are read with the interpreter's lock, and the array lives,
    // and with it its shape, as long as this borrow; nobody changes them meanwhile but a caller who gives arrays other shapes in place
    // on another thread, which NumPy itself does not bear.
    let fields = unsafe { &*array.as_ptr().cast::<ArrayFields>() };
    let dtype = dtype(fields.descr, array, what)?;
    let rank = fields.rank as usize;
    let (shape, steps): (&[usize], &[isize]) = if rank == 0 {
        (&[], &[])
    } else {
        // SAFETY: as many numbers as there are axes; extents are not negative.
        unsafe {
            (
                std::slice::from_raw_parts(fields.shape.cast(), rank),
                std::slice::from_raw_parts(fields.strides, rank),
            )
        }
    };
    let bytes = dtype.bytes() as isize;
    let mut strides = SmallVec::with_capacity(rank);
    for (&step, &extent) in steps.iter().zip(shape) {
        if step % bytes != 0 && extent > 1 {
            let why =
                format!("{what}: strides {steps:?} of elements of {bytes} bytes: copy it first");
            return refuse(Class::Foreign, why);
        }
        strides.push(step / bytes);
    }
    if fields.flags & ALIGNED == 0 && !shape.contains(&0) {
        return refuse(Class::Foreign, format!("{what}: elements are not aligned: copy it first"));
    }
    let writable = fields.flags & WRITEABLE != 0;
    Ok(Fields { data: fields.data, shape, strides, dtype, writable })
}

/// The mark of elements whose bytes are in the order of another kind of machine.
const FOREIGN: u8 = if cfg!(target_endian = "little") { b'>' } else { b'<' };

fn dtype(pointer: *mut DescrFields, array: &Bound<'_, PyAny>, what: &str) -> PyResult<DType> {
    // SAFETY: the description that an array keeps as long as it lives, which is this borrow.
    let descr = unsafe { &*pointer };
    let known = by_number(descr.number).or_else(|| {
        if descr.number < OTHERS {
            return None;
        }
        // Not the attribute of the array, which a derived class may have another idea of.
        // SAFETY: a description is an object of Python.
        let own = unsafe { Bound::from_borrowed_ptr(array.py(), pointer.cast()) };
        let name = own.getattr("name").ok()?.extract::<String>().ok()?;
        let bytes = own.getattr("itemsize").ok()?.extract::<usize>().ok()?;
        DType::all().find(|&dtype| crate::dtype::name(dtype) == name && dtype.bytes() == bytes)
    });
    let text = || {
        array
            .getattr("dtype")
            .and_then(|dtype| dtype.str())
            .map_or_else(|_| "?".into(), |t| t.to_string())
    };
    let Some(dtype) = known else {
        return refuse(
            Class::DType,
            format!("{what}: elements of dtype {} cannot be used", text()),
        );
    };
    if descr.byte_order as u8 == FOREIGN {
        let why = format!(
            "{what}: elements of dtype {} are in the byte order of another machine",
            text()
        );
        return refuse(Class::DType, why);
    }
    Ok(dtype)
}

fn by_number(number: c_int) -> Option<DType> {
    let wide = size_of::<c_long>() == 8;
    Some(match number {
        0 => DType::Bool,
        1 => DType::Int8,
        2 => DType::UInt8,
        3 => DType::Int16,
        4 => DType::UInt16,
        7 if wide => DType::Int64,
        8 if wide => DType::UInt64,
        5 | 7 => DType::Int32,
        6 | 8 => DType::UInt32,
        9 => DType::Int64,
        10 => DType::UInt64,
        11 => DType::Float32,
        12 => DType::Float64,
        14 => DType::Complex64,
        15 => DType::Complex128,
        23 => DType::Float16,
        _ => return None,
    })
}

fn number(dtype: DType) -> Option<c_int> {
    (0..24).find(|&number| number != 9 && number != 10 && by_number(number) == Some(dtype)).or(
        match dtype {
            DType::Int64 => Some(9),
            DType::UInt64 => Some(10),
            _ => None,
        },
    )
}

/// A new array of `NumPy` over memory that `base` keeps, whose first element is at `data`.
///
/// # Safety
/// The memory holds elements of `dtype` at all places of shape and strides (in elements), may be written by whoever has the
/// array, unless it is not `writable`, and stays where it is as long as `base` lives.
pub(crate) unsafe fn over<'py>(
    base: Bound<'py, PyAny>,
    data: *mut c_void,
    (shape, strides): (&[usize], &[isize]),
    dtype: DType,
    writable: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let py = base.py();
    let api = api(py)?;
    let descr = description(py, api, dtype)?;
    let bytes = dtype.bytes() as isize;
    let shape: SmallVec<[isize; 4]> = shape.iter().map(|&extent| extent as isize).collect();
    let strides: SmallVec<[isize; 4]> = strides.iter().map(|stride| stride * bytes).collect();
    // Without elements there is no memory; NumPy finds some of its own.
    let data = if shape.contains(&0) { null_mut() } else { data };
    let strides = if data.is_null() { std::ptr::null() } else { strides.as_ptr() };
    let flags = if writable || data.is_null() { WRITEABLE } else { 0 };
    // SAFETY: the table's function, whose arguments are as NumPy wants them: it takes the description over and copies shape and
    // strides. The memory is the caller's.
    unsafe {
        let (rank, shape) = (shape.len() as c_int, shape.as_ptr());
        let made = (api.new_from_descr)(
            api.array,
            descr.as_ptr(),
            rank,
            shape,
            strides,
            data,
            flags,
            null_mut(),
        );
        let made = Bound::from_owned_ptr_or_err(py, made)?;
        if !data.is_null() && (api.set_base_object)(made.as_ptr(), base.into_ptr()) != 0 {
            return Err(PyErr::fetch(py));
        }
        Ok(made)
    }
}

/// `NumPy`'s description of a dtype; a reference that whoever takes it gives up.
fn description(py: Python<'_>, api: &Api, dtype: DType) -> PyResult<NonNull<DescrFields>> {
    let found = if let Some(number) = number(dtype) {
        // SAFETY: a number of NumPy's own types.
        unsafe { (api.descr_from_type)(number) }
    } else {
        let name = crate::dtype::name(dtype);
        let descr = py
            .import("ml_dtypes")
            .and_then(|module| module.getattr(name))
            .and_then(|class| py.import("numpy")?.call_method1("dtype", (class,)));
        let Ok(descr) = descr else {
            let why = format!("NumPy has no dtype {name} without the package ml_dtypes");
            return refuse(Class::DType, why);
        };
        descr.into_ptr().cast()
    };
    NonNull::new(found).ok_or_else(|| PyErr::fetch(py))
}
