//! What a call launches when it is planned, for the next one like it.

use std::cell::RefCell;
use std::sync::{Arc, Weak};
use std::thread;

use arrayspan_bridge::Array;
use arrayspan_bridge::devices::{Access, Argument, Grid, Kernel, Memory, WeakKernel};
use smallvec::SmallVec;

use super::tables::Uploaded;

/// The arguments of a launch of a few axes, without a block on the heap.
pub(super) type Few<T> = SmallVec<[T; 16]>;

thread_local! {
    /// What the call under way on this thread has launched, if that is to be noted.
    static NOTED: RefCell<Option<Noted>> = const { RefCell::new(None) };
}

/// What a call has launched.
#[derive(Debug, Default)]
pub(super) struct Noted {
    pub(super) first: Option<Launch>,
    /// Whether there was more than one launch.
    pub(super) more: bool,
    /// What is no operand of the call, and was asked for.
    pub(super) rooms: SmallVec<[Room; 2]>,
}

/// A launch.
#[derive(Debug)]
pub(super) struct Launch {
    pub(super) kernel: WeakKernel,
    pub(super) grid: Grid,
    pub(super) arguments: Few<Given>,
}

/// An argument of a launch.
#[derive(Clone, Copy, Debug)]
pub(super) enum Given {
    /// Compared with those of operands and rooms while the call is under way, and never followed.
    Memory(*const Memory, Access),
    Number(Argument<'static>),
    /// What is not launched again.
    Other,
}

/// Memory of the executor or of all executors of its device. It is not kept alive here: recovery may take it.
#[derive(Clone, Debug)]
pub(super) enum Room {
    Tables(Weak<(Array, Array)>),
    Array(Weak<Array>),
}

/// The same, alive.
pub(super) enum Living {
    Tables(Uploaded),
    Array(Arc<Array>),
}

impl Room {
    pub(super) fn living(&self) -> Option<Living> {
        Some(match self {
            Self::Tables(tables) => Living::Tables(tables.upgrade()?),
            Self::Array(array) => Living::Array(array.upgrade()?),
        })
    }
}

impl Living {
    /// Its blocks.
    pub(super) fn blocks(&self) -> SmallVec<[&Memory; 2]> {
        match self {
            Self::Tables(tables) => SmallVec::from([tables.0.memory(), tables.1.memory()]),
            Self::Array(array) => SmallVec::from_iter([array.memory()]),
        }
    }
}

/// Runs a call, and what it launched. One within another is one that launches more than one kernel.
pub(super) fn noting<T>(run: impl FnOnce() -> T) -> (T, Noted) {
    let outer = Outer(exchanged(Some(Noted::default())));
    let result = run();
    (result, outer.ended())
}

/// What was noted for a call around the one under way, which comes back even if that panics.
struct Outer(Option<Noted>);

impl Outer {
    /// What was noted since.
    fn ended(mut self) -> Noted {
        let outer = self.0.take().map(|noted| Noted { more: true, ..noted });
        exchanged(outer).unwrap_or_default()
    }
}

impl Drop for Outer {
    fn drop(&mut self) {
        if thread::panicking() {
            exchanged(self.0.take());
        }
    }
}

/// A kernel is queued.
pub(super) fn launched(kernel: &Kernel, grid: Grid, arguments: &[Argument<'_>]) {
    note(|noted| {
        if noted.first.is_some() {
            noted.more = true;
            return;
        }
        let arguments = arguments.iter().map(given).collect();
        noted.first = Some(Launch { kernel: kernel.downgrade(), grid, arguments });
    });
}

/// Tables are asked for.
pub(super) fn tables(tables: &Uploaded) {
    note(|noted| noted.rooms.push(Room::Tables(Arc::downgrade(tables))));
}

/// An array is asked for that calls leave something in.
pub(super) fn array(array: &Arc<Array>) {
    note(|noted| noted.rooms.push(Room::Array(Arc::downgrade(array))));
}

/// Puts other notes in the place of those there are. A thread that ends has none: what it still calls is planned each time.
fn exchanged(notes: Option<Noted>) -> Option<Noted> {
    NOTED.try_with(|noted| noted.replace(notes)).ok().flatten()
}

/// Does that to the notes, if there are some.
fn note(with: impl FnOnce(&mut Noted)) {
    // Only a thread that ends has no place for notes.
    let _ = NOTED.try_with(|noted| {
        if let Some(noted) = &mut *noted.borrow_mut() {
            with(noted);
        }
    });
}

fn given(argument: &Argument<'_>) -> Given {
    match *argument {
        Argument::Read(memory) => Given::Memory(memory, Access::Read),
        Argument::Write(memory) => Given::Memory(memory, Access::Write),
        Argument::I32(value) => Given::Number(Argument::I32(value)),
        Argument::I64(value) => Given::Number(Argument::I64(value)),
        Argument::F32(value) => Given::Number(Argument::F32(value)),
        Argument::F64(value) => Given::Number(Argument::F64(value)),
        Argument::Struct(_) => Given::Other,
    }
}
