//! What a thread takes and releases while it runs an operation again and again.

use std::cell::Cell;

use super::gate::LetGo;
use crate::Device;

thread_local! {
    /// The device in whose queue this thread is.
    static PLACED: Cell<Option<Device>> = const { Cell::new(None) };
    /// What its attempt has done with blocks of that device so far.
    static ATTEMPT: Cell<Blocks> = const { Cell::new(Blocks { released: 0, net: 0 }) };
}

/// What an attempt has done with blocks of its device.
#[derive(Clone, Copy)]
struct Blocks {
    /// How many it has released.
    released: usize,
    /// Bytes taken less bytes released.
    net: isize,
}

/// Whether this thread is in an attempt on the device, whose allocations and releases are counted.
fn within(device: Device, change: impl FnOnce(&mut Blocks)) -> bool {
    // A thread that is ending does not wait.
    let own = PLACED.try_with(|placed| placed.get() == Some(device)).unwrap_or(false);
    if own {
        let mut blocks = ATTEMPT.get();
        change(&mut blocks);
        ATTEMPT.set(blocks);
    }
    own
}

/// A block of the device was taken by this thread.
pub(super) fn taken(device: Device, bytes: usize) {
    within(device, |blocks| blocks.net = blocks.net.saturating_add_unsigned(bytes));
}

/// A block of the device was released by this thread.
pub(super) fn released(device: Device, bytes: usize) {
    let release = |blocks: &mut Blocks| {
        blocks.released += 1;
        blocks.net = blocks.net.saturating_sub_unsigned(bytes);
    };
    if within(device, release) {
        device.0.gate.released_within();
    } else {
        device.0.gate.released();
    }
}

/// Enters this thread in the queue of `device`; `false` if it is in one already.
pub(super) fn place(device: Device) -> bool {
    let free = PLACED.get().is_none();
    if free {
        PLACED.set(Some(device));
    }
    free
}

/// Removes this thread from its queue.
pub(super) fn unplace() {
    PLACED.set(None);
}

/// An attempt of this thread begins.
pub(super) fn begin() {
    ATTEMPT.set(Blocks { released: 0, net: 0 });
}

/// What the attempt of this thread has released.
pub(super) fn let_go() -> LetGo {
    match ATTEMPT.get() {
        Blocks { net: ..0, .. } => LetGo::More,
        Blocks { released: 0, .. } => LetGo::Nothing,
        Blocks { .. } => LetGo::Taken,
    }
}
