//! Named parts of a program that memory is counted for, and held to a limit.

use std::cell::{Cell, RefCell};
use std::fmt;
use std::marker::PhantomData;
use std::panic::Location;
use std::sync::Arc;

use super::level::{Full, Level};
use super::nvtx;
use crate::{Device, Error, Result, Statistics};

thread_local! {
    /// The scopes this thread is in, the innermost last.
    static ENTERED: RefCell<Vec<(u64, Counting)>> = const { RefCell::new(Vec::new()) };
    static NEXT: Cell<u64> = const { Cell::new(0) };
}

/// What blocks are counted for.
#[derive(Clone, Debug, Default)]
pub(super) struct Counting {
    pub(super) scope: Option<Arc<Level>>,
    /// The line, unless it is the caller's.
    pub(super) site: Option<&'static Location<'static>>,
    /// Whether they only wait for room elsewhere: no scope refuses them.
    pub(super) waits: bool,
}

/// What this thread's blocks are counted for from now on; the number by which that is [ended](leave).
pub(super) fn count_for(counting: Counting) -> u64 {
    let id = NEXT.with(|next| next.replace(next.get().wrapping_add(1)));
    ENTERED.with_borrow_mut(|entered| entered.push((id, counting)));
    id
}

pub(super) fn leave(id: u64) {
    let take = |entered: &RefCell<Vec<(u64, Counting)>>| {
        let mut entered = entered.try_borrow_mut().ok()?;
        let at = entered.iter().position(|(known, _)| *known == id)?;
        Some(entered.remove(at))
    };
    // A thread that is ending is in no scope any more.
    drop(ENTERED.try_with(take));
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
        Ok(Entered::push(Level::new(self.name, self.each, self.on, current().scope)))
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
        let id = count_for(Counting { scope: Some(level.clone()), ..Counting::default() });
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
        leave(self.id);
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
    /// That of the innermost scope this thread is in, if it is in one: for a thread that works on its behalf.
    #[must_use]
    pub fn current() -> Option<Self> {
        current().scope.map(Self)
    }

    pub(super) fn of(level: Arc<Level>) -> Self {
        Self(level)
    }

    /// The scope whose limit has refused.
    pub(crate) fn that_is(full: &Full) -> Self {
        Self(full.level.clone())
    }

    /// Whether `other` is this scope or lies inside of it: whether what counts for it counts here.
    #[must_use]
    pub fn contains(&self, other: &Self) -> bool {
        other.0.lies_in(&self.0)
    }

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

/// What this thread's blocks are counted for: the innermost scope it is in.
pub(super) fn current() -> Counting {
    let last = |entered: &RefCell<Vec<(u64, Counting)>>| {
        Some(entered.try_borrow().ok()?.last()?.1.clone())
    };
    ENTERED.try_with(last).ok().flatten().unwrap_or_default()
}
