//! How a profiler attaches itself to a program that uses NVTX 3.
//!
//! The interface is fixed by the published headers of NVTX 3 (`nvtxTypes.h`, `nvtxInit.h`): the program loads the
//! profiler's library and calls its `InitializeInjectionNvtx2` with a function that hands out tables; the profiler
//! writes the functions it wants called into the places that the tables point to.

use std::env;
use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::mem::transmute;
use std::ptr::{self, null_mut};
use std::sync::atomic::{AtomicPtr, Ordering::SeqCst};
use std::sync::{LazyLock, OnceLock};

use libloading::Library;

/// Functions in each of the modules 1 to 6, plus the unused number 0.
const SIZES: [usize; 6] = [16, 9, 15, 7, 16, 7];
/// The number of the module of plain functions, and of two functions in it.
const CORE: usize = 1;
const PUSH: usize = 9;
const POP: usize = 11;
/// The numbers of the tables that a profiler may ask for.
const CALLBACKS: u32 = 1;
const VERSION: u32 = 3;

/// A place for a function of the profiler.
type Slot = AtomicPtr<c_void>;
/// What a profiler's library exports, and what it is called with.
type ExportTable = extern "C" fn(u32) -> *const c_void;
type Initialize = unsafe extern "C" fn(ExportTable) -> c_int;

#[repr(C)]
struct Callbacks {
    size: usize,
    module: extern "C" fn(c_int, *mut *const AtomicPtr<Slot>, *mut c_uint) -> c_int,
}

#[repr(C)]
struct Version {
    size: usize,
    number: u32,
    reserved: u32,
    set: extern "C" fn(u32),
}

static CALLBACKS_TABLE: Callbacks = Callbacks { size: size_of::<Callbacks>(), module };
static VERSION_TABLE: Version =
    Version { size: size_of::<Version>(), number: 3, reserved: 0, set: set_version };

struct Module {
    /// Places for its functions.
    slots: &'static [Slot],
    /// Their addresses, and a null at the end.
    table: Vec<AtomicPtr<Slot>>,
}

/// Never freed: a profiler keeps the addresses.
static MODULES: LazyLock<Vec<Module>> = LazyLock::new(|| {
    let module = |size: &usize| {
        let slots: &'static [Slot] = Box::leak((0..*size).map(|_| Slot::default()).collect());
        let address = |slot: &'static Slot| ptr::from_ref(slot).cast_mut();
        // The number 0 is no function.
        let numbered = slots.iter().skip(1).map(address);
        let all = [null_mut()].into_iter().chain(numbered).chain([null_mut()]);
        Module { slots, table: all.map(AtomicPtr::new).collect() }
    };
    SIZES.iter().map(module).collect()
});

extern "C" fn export_table(number: u32) -> *const c_void {
    match number {
        CALLBACKS => ptr::from_ref(&CALLBACKS_TABLE).cast(),
        VERSION => ptr::from_ref(&VERSION_TABLE).cast(),
        _ => ptr::null(),
    }
}

extern "C" fn module(
    number: c_int,
    table: *mut *const AtomicPtr<Slot>,
    size: *mut c_uint,
) -> c_int {
    let at = usize::try_from(number).ok().and_then(|number| number.checked_sub(1));
    let Some(found) = at.and_then(|at| MODULES.get(at)) else { return 0 };
    // SAFETY: by the interface each of the two is null or a place for the answer, ours during the call.
    unsafe {
        if let Some(table) = table.as_mut() {
            *table = found.table.as_ptr();
        }
        if let Some(size) = size.as_mut() {
            *size = found.slots.len() as c_uint;
        }
    }
    1
}

extern "C" fn set_version(_: u32) {}

/// A profiler that listens.
#[derive(Debug)]
pub(super) struct Tool {
    push: unsafe extern "C" fn(*const c_char) -> c_int,
    pop: unsafe extern "C" fn() -> c_int,
}

impl Tool {
    /// Whether a range was begun.
    pub(super) fn push(&self, name: &CStr) -> bool {
        // SAFETY: the profiler's function of this type; the name is read during the call only.
        unsafe { (self.push)(name.as_ptr()) };
        true
    }

    pub(super) fn pop(&self) {
        // SAFETY: the profiler's function of this type.
        unsafe { (self.pop)() };
    }
}

/// The profiler that this process was started under, if any.
pub(super) fn tool() -> Option<&'static Tool> {
    static TOOL: OnceLock<Option<Tool>> = OnceLock::new();
    TOOL.get_or_init(load).as_ref()
}

fn load() -> Option<Tool> {
    let bits = if cfg!(target_pointer_width = "64") { 64 } else { 32 };
    let path = env::var_os(format!("NVTX_INJECTION{bits}_PATH"))?;
    // SAFETY: the library that the user's profiler names, whose initialisers have no conditions.
    let library = match unsafe { Library::new(&path) } {
        Ok(library) => library,
        Err(error) => {
            tracing::warn!(%error, "NVTX: the profiler's library cannot be opened");
            return None;
        }
    };
    // SAFETY: NVTX fixes the function's type.
    let initialize =
        unsafe { library.get::<Initialize>("InitializeInjectionNvtx2") }.map(|found| *found);
    // A profiler stays: it has started threads and given out functions.
    std::mem::forget(library);
    attach(initialize.ok()?)
}

/// Has a profiler fill the tables, and takes from them what is used here.
fn attach(initialize: Initialize) -> Option<Tool> {
    // SAFETY: the profiler's function; the tables it is handed live as long as the process.
    if unsafe { initialize(export_table) } == 0 {
        return None;
    }
    let slots = MODULES.get(CORE - 1)?.slots;
    let (push, pop) = (slots[PUSH].load(SeqCst), slots[POP].load(SeqCst));
    if push.is_null() || pop.is_null() {
        return None;
    }
    // SAFETY: the profiler has put its functions of these types into these places; the library stays loaded.
    Some(unsafe {
        Tool {
            push: transmute::<*mut c_void, unsafe extern "C" fn(*const c_char) -> c_int>(push),
            pop: transmute::<*mut c_void, unsafe extern "C" fn() -> c_int>(pop),
        }
    })
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicUsize;

    use parking_lot::Mutex;

    use super::*;

    static SEEN: Mutex<Vec<String>> = Mutex::new(Vec::new());
    static MODULES_SEEN: AtomicUsize = AtomicUsize::new(0);

    unsafe extern "C" fn pushed(name: *const c_char) -> c_int {
        // SAFETY: a name that the caller holds during the call.
        SEEN.lock().push(unsafe { CStr::from_ptr(name) }.to_string_lossy().into_owned());
        0
    }

    unsafe extern "C" fn popped() -> c_int {
        SEEN.lock().push("end".into());
        0
    }

    /// A profiler as the headers describe it: it asks for each module and writes to two places.
    unsafe extern "C" fn profiler(export: ExportTable) -> c_int {
        assert!(export(2).is_null());
        // SAFETY: the table of this number has this type.
        let version = unsafe { &*export(VERSION).cast::<Version>() };
        assert_eq!((version.size, version.number), (24, 3));
        (version.set)(3);
        // SAFETY: as above.
        let callbacks = unsafe { &*export(CALLBACKS).cast::<Callbacks>() };
        assert_eq!(callbacks.size, 16);
        for number in 0..8 {
            let (mut table, mut size) = (ptr::null(), 0);
            let found = (callbacks.module)(number, &raw mut table, &raw mut size);
            assert_eq!(found == 1, (1..=6).contains(&number), "module {number}");
            if found == 0 {
                continue;
            }
            MODULES_SEEN.fetch_add(1, SeqCst);
            for at in 1..size as usize {
                // SAFETY: the table has `size` entries, each but the first a place for a function.
                let slot = unsafe { &*(*table.add(at)).load(SeqCst) };
                match (number, at) {
                    (1, PUSH) => slot.store(pushed as *mut c_void, SeqCst),
                    (1, POP) => slot.store(popped as *mut c_void, SeqCst),
                    _ => slot.store(null_mut(), SeqCst),
                }
            }
            // SAFETY: one more entry ends the table.
            assert!(unsafe { &*table.add(size as usize) }.load(SeqCst).is_null());
        }
        1
    }

    unsafe extern "C" fn unwilling(_: ExportTable) -> c_int {
        0
    }

    #[test]
    fn a_profiler_that_attaches_itself_is_told_of_ranges() {
        assert!(attach(unwilling).is_none());
        let tool = attach(profiler).expect("a profiler that is willing");
        assert_eq!(MODULES_SEEN.load(SeqCst), 6);
        assert!(tool.push(c"outer"));
        assert!(tool.push(c"inner"));
        tool.pop();
        tool.pop();
        assert_eq!(*SEEN.lock(), ["outer", "inner", "end", "end"]);
    }
}
