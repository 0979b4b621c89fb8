//! Named parts of a program that memory is counted for, and held to a limit.

use std::cell::{Cell, RefCell};
use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use super::level::Level;
use super::nvtx;
use crate::{Device, Error, Result, Statistics};

thread_local! {
    /// The scopes this thread is in, the innermost last.
    static ENTERED: RefCell<Vec<(u64, Arc<Level>)>> = const { RefCell::new(Vec::new()) };
    static NEXT: Cell<u64> = const { Cell::new(0) };
}

/// A named part of a program, before it is entered.
///
/// What a thread allocates while it is in a scope counts to the scope, and to those around it, until it is
/// freed, wherever that happens. A limit refuses what would exceed it, on each device by itself.
///
/// ```
/// use arrayspan_devices::{Device, Memory, Scope};
///
/// let stream = Device::cpu().stream()?;
/// let scope = Scope::new("inversion").limit(1 << 20).enter()?;
/// let block = Memory::allocate(1000, &stream)?;
/// assert_eq!(scope.statistics(Device::cpu()).live_bytes, 1000);
/// assert!(Memory::allocate(1 << 20, &stream).is_err(), "the block and this are more than a MiB");
/// drop(scope);
/// assert!(Memory::allocate(1 << 20, &stream).is_ok());
/// # drop(block);
/// # Ok::<(), arrayspan_devices::Error>(())
/// ```
#[derive(Clone, Debug)]
#[must_use = "a scope counts nothing until it is entered"]
pub struct Scope {
    name: String,
    each: Option<usize>,
    on: Vec<(Device, usize)>,
}

impl Scope {
    /// A scope without a limit. Names are for people: two scopes of one name are two.
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), each: None, on: Vec::new() }
    }

    /// Allows so many live bytes on each device that has no limit of its own by [`limit_on`](Self::limit_on).
    /// A surrounding scope's smaller limit still holds.
    pub fn limit(mut self, bytes: usize) -> Self {
        self.each = Some(bytes);
        self
    }

    /// Allows so many live bytes on that device.
    pub fn limit_on(mut self, device: Device, bytes: usize) -> Self {
        self.on.retain(|(known, _)| *known != device);
        self.on.push((device, bytes));
        self
    }

    /// Enters the scope on this thread, inside the scope the thread is in, until the guard is dropped.
    ///
    /// # Errors
    /// [`Error::ZeroLimit`] for a limit of 0, which would refuse everything.
    pub fn enter(self) -> Result<Entered> {
        if self.each == Some(0) || self.on.iter().any(|(_, bytes)| *bytes == 0) {
            return Err(Error::ZeroLimit { scope: self.name });
        }
        Ok(Entered::push(Level::new(self.name, self.each, self.on, current())))
    }
}

/// While it lives, its thread is in the scope. Stays on its thread; [`handle`](Self::handle) takes the scope
/// to others.
#[must_use = "the thread is in the scope only while the guard lives"]
pub struct Entered {
    id: u64,
    level: Arc<Level>,
    /// The same stretch of time in NVIDIA's profilers, where that is on.
    _range: nvtx::Range,
    not_send: PhantomData<*const ()>,
}

impl Entered {
    fn push(level: Arc<Level>) -> Self {
        let id = NEXT.with(|next| next.replace(next.get().wrapping_add(1)));
        ENTERED.with_borrow_mut(|entered| entered.push((id, level.clone())));
        let range = nvtx::range(level.name());
        Self { id, level, _range: range, not_send: PhantomData }
    }

    /// The scope's name.
    #[must_use]
    pub fn name(&self) -> &str {
        self.level.name()
    }

    /// What was allocated in the scope, and in those inside it, on a device.
    #[must_use]
    pub fn statistics(&self, device: Device) -> Statistics {
        self.level.statistics(device)
    }

    /// What takes the scope to other threads.
    #[must_use]
    pub fn handle(&self) -> ScopeHandle {
        ScopeHandle(self.level.clone())
    }
}

impl Drop for Entered {
    fn drop(&mut self) {
        let take = |entered: &RefCell<Vec<(u64, Arc<Level>)>>| {
            let mut entered = entered.try_borrow_mut().ok()?;
            let at = entered.iter().position(|(id, _)| *id == self.id)?;
            Some(entered.remove(at))
        };
        // A thread that is ending is in no scope any more.
        drop(ENTERED.try_with(take));
    }
}

impl fmt::Debug for Entered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Entered({:?})", self.name())
    }
}

/// A scope that any thread may enter. It keeps its own surroundings: those of the thread that made it.
#[derive(Clone)]
pub struct ScopeHandle(Arc<Level>);

impl ScopeHandle {
    /// Enters the scope on this thread until the guard is dropped.
    pub fn enter(&self) -> Entered {
        Entered::push(self.0.clone())
    }

    /// The scope's name.
    #[must_use]
    pub fn name(&self) -> &str {
        self.0.name()
    }

    /// What was allocated in the scope, and in those inside it, on a device.
    #[must_use]
    pub fn statistics(&self, device: Device) -> Statistics {
        self.0.statistics(device)
    }
}

impl fmt::Debug for ScopeHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ScopeHandle({:?})", self.name())
    }
}

/// The innermost scope this thread is in.
pub(super) fn current() -> Option<Arc<Level>> {
    let last = |entered: &RefCell<Vec<(u64, Arc<Level>)>>| {
        Some(entered.try_borrow().ok()?.last()?.1.clone())
    };
    ENTERED.try_with(last).ok().flatten()
}
