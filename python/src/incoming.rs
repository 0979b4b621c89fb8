//! Arrays that Python programs hand in, of whatever library.

use arrayspan::bridge::{Array, DType, Layout, LentArray, SharedArray, View, ViewMut};
use arrayspan::devices::{Device, Memory};
use pyo3::prelude::*;

use crate::array::PyArray;
use crate::error::{Class, Failure, Result, refuse};
use crate::kind::Kind;
use crate::owner::Owner;
use crate::placed::placed;
use crate::{buffer, interface, numpy, protocol};

/// An argument that is read, as long as the call lasts.
pub(crate) struct Given {
    array: LentArray,
    pub(crate) kind: Kind,
    owner: Owner,
}

impl Given {
    pub(crate) fn view(&self) -> View<'_> {
        self.array.view()
    }

    pub(crate) fn device(&self) -> Device {
        self.array.device()
    }

    /// Orders what its owner does to it from now on, without asking anybody, after what reads it here.
    pub(crate) fn settle(&self) -> Result<()> {
        self.owner.settle(self.array.memory())
    }
}

/// An argument that results are written to, as long as the call lasts.
pub(crate) struct Target {
    array: Array,
    owner: Owner,
}

impl Target {
    pub(crate) fn view_mut(&mut self) -> ViewMut<'_> {
        self.array.view_mut()
    }

    /// Orders what its owner does with it from now on, without asking anybody, after what writes it here.
    pub(crate) fn settle(&self) -> Result<()> {
        self.owner.settle(self.array.memory())
    }

    /// Fails where it shares bytes with what is read: results would depend on the order in which elements are computed.
    pub(crate) fn apart_from(&self, given: &Given) -> PyResult<()> {
        let overlap = match (reach(&self.array.view()), reach(&given.view())) {
            (Some(a), Some(b)) => a.0 == b.0 && a.1 < b.2 && b.1 < a.2,
            _ => false,
        };
        if overlap {
            return refuse(Class::Parameter, "out: it shares memory with the argument");
        }
        Ok(())
    }
}

/// Whose bytes a view is of (a device, or a block without an address), and from which to which it reaches.
fn reach(view: &View<'_>) -> Option<((Device, usize), usize, usize)> {
    let (low, high) = view.layout().extent()?;
    let (bytes, address) = (view.dtype().bytes(), view.memory().address());
    let (block, start) = if view.device().has_pointers() { (0, address) } else { (address, 0) };
    Some(((view.device(), block), start + low * bytes, start + (high + 1) * bytes))
}

/// Whether it is an array of `NumPy`, or one of ours.
pub(crate) fn is_near(given: &Bound<'_, PyAny>) -> bool {
    numpy::is_array(given) || given.is_instance_of::<PyArray>()
}

/// Reads an argument, which errors call `what`.
pub(crate) fn read(given: &Bound<'_, PyAny>, what: &str) -> Result<Given> {
    if numpy::is_array(given) {
        let kind = Kind::NumPy;
        let array = match Parts::of_numpy(given, what)? {
            Some(parts) => parts.lent()?,
            None => protocol::import(given, what)?.into(),
        };
        return Ok(Given { array, kind, owner: Owner::Nobody });
    }
    if let Ok(ours) = given.cast::<PyArray>() {
        let (shared, owner) = ours.get().owned();
        return Ok(Given { array: shared.into(), kind: Kind::Ours, owner });
    }
    if protocol::is_spoken_by(given)? {
        let kind = Kind::of(given)?;
        let shared = protocol::import(given, what)?;
        let owner = Owner::of(given, shared.device())?;
        return Ok(Given { array: shared.into(), kind, owner });
    }
    match other(given, what)? {
        Some(shared) => {
            let owner = Owner::unknown(shared.device());
            Ok(Given { array: shared.into(), kind: Kind::Ours, owner })
        }
        None => Err(not_an_array(given, what)),
    }
}

/// An array by one of the protocols that know less than `DLPack`.
pub(crate) fn other(given: &Bound<'_, PyAny>, what: &str) -> Result<Option<SharedArray>> {
    match interface::import(given, what)? {
        None => buffer::import(given, what),
        found => Ok(found),
    }
}

/// The place for results that an argument is.
pub(crate) fn write(given: &Bound<'_, PyAny>) -> Result<Target> {
    let what = "out";
    let (shared, owner) = if numpy::is_array(given) {
        match Parts::of_numpy(given, what)? {
            Some(parts) if !parts.writable => return read_only(),
            Some(parts) => return Ok(Target { array: parts.written()?, owner: Owner::Nobody }),
            None => (protocol::import(given, what)?, Owner::Nobody),
        }
    } else if let Ok(ours) = given.cast::<PyArray>() {
        ours.get().owned()
    } else if protocol::is_spoken_by(given)? {
        let shared = protocol::import(given, what)?;
        let owner = Owner::of(given, shared.device())?;
        (shared, owner)
    } else {
        let shared = other(given, what)?.ok_or_else(|| not_an_array(given, what))?;
        let owner = Owner::unknown(shared.device());
        (shared, owner)
    };
    // SAFETY: what the call reads is compared with it (`apart_from`). That other threads keep away from what is written is
    // what Python programs see to, as with every library.
    match unsafe { shared.alias() } {
        Some(array) => Ok(Target { array, owner }),
        None => read_only(),
    }
}

/// An array of `NumPy` that is kept as long as the result, which is over its memory.
pub(crate) fn taken(given: &Bound<'_, PyAny>, what: &str) -> Result<SharedArray> {
    match Parts::of_numpy(given, what)? {
        Some(parts) => parts.kept(given),
        None => protocol::import(given, what),
    }
}

/// An array of its own with the elements of an argument, on the device where they are: for what is kept.
pub(crate) fn copied(given: &Bound<'_, PyAny>, what: &str) -> Result<Array> {
    let py = given.py();
    let given = read(given, what)?;
    py.detach(|| {
        let (copy, _) = given.view().to(given.device())?;
        given.settle()?;
        Ok(copy)
    })
}

fn read_only<T>() -> Result<T> {
    let why = "out: it cannot be written: it is read-only, or some of its elements share a place";
    Ok(refuse(Class::Parameter, why)?)
}

/// What is said of what is no array.
pub(crate) fn not_an_array(given: &Bound<'_, PyAny>, what: &str) -> Failure {
    let class = given.get_type().name().map_or_else(|_| "?".into(), |name| name.to_string());
    let why = format!(
        "{what}: expected an array (of NumPy, or of any library that speaks DLPack), not {class}"
    );
    Class::DType.raise(given.py(), why).into()
}

/// Where the elements of an array of `NumPy` are.
struct Parts {
    address: usize,
    bytes: usize,
    layout: Layout,
    dtype: DType,
    writable: bool,
}

impl Parts {
    /// `None` of truth values, each of which has to be looked at: the protocol does.
    fn of_numpy(given: &Bound<'_, PyAny>, what: &str) -> Result<Option<Self>> {
        if !numpy::is_exactly_array(given) && given.hasattr("mask")? {
            let class = given.get_type().name()?;
            return Ok(refuse(
                Class::DType,
                format!("{what}: a {class}, whose mask would be lost"),
            )?);
        }
        let numpy::Fields { data, shape, strides, dtype, writable } = numpy::fields(given, what)?;
        if dtype == DType::Bool {
            return Ok(None);
        }
        let (address, bytes, layout) = placed(data as usize, shape, &strides, dtype)?;
        Ok(Some(Self { address, bytes, layout, dtype, writable }))
    }

    /// To be read.
    fn lent(self) -> Result<LentArray> {
        // SAFETY: the elements of an array that the caller holds for as long as the call lasts, and with it what is made here.
        // That no other thread writes them meanwhile is what Python programs see to, as with every library.
        let shared = unsafe {
            let memory = Memory::borrowed(self.address, self.bytes);
            SharedArray::from_memory(memory, self.layout, self.dtype)?
        };
        Ok(shared.into())
    }

    /// To be kept, with the array.
    fn kept(self, array: &Bound<'_, PyAny>) -> Result<SharedArray> {
        let keep = array.clone().unbind();
        // SAFETY: the elements of an array that the release function lets go of, which nobody gives another size while it is kept. Who
        // reads and writes them when is what Python programs see to, as with every library.
        unsafe {
            // With the interpreter's lock: without it the array would be let go of some time later.
            let release = Box::new(move || {
                Python::try_attach(move |_| drop(keep));
            });
            let memory = Memory::from_foreign(Device::cpu(), self.address, self.bytes, release);
            if self.writable && !self.layout.may_overlap_itself() {
                Ok(Array::from_memory(memory, self.layout, self.dtype)?.into_shared())
            } else {
                Ok(SharedArray::from_memory(memory, self.layout, self.dtype)?)
            }
        }
    }

    /// To be written.
    fn written(self) -> Result<Array> {
        if self.layout.may_overlap_itself() {
            return read_only();
        }
        // SAFETY: as in `lent`; the array may be written, and what the call reads is compared with it (`apart_from`).
        unsafe {
            let memory = Memory::borrowed(self.address, self.bytes);
            Ok(Array::from_memory(memory, self.layout, self.dtype)?)
        }
    }
}
