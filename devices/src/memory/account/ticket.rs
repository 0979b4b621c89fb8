//! A block's entry in the books: made when it is allocated, closed when it is freed.

use std::panic::Location;
use std::sync::Arc;

use super::level::Level;
use super::{events, history, scope, sites};
use crate::memory::retry::OutOfMemory as _;
use crate::memory::{Block, Counters};
use crate::{Device, Result, Stream};

/// What a block is counted for as long as it lives.
#[derive(Debug)]
pub(crate) enum Ticket {
    /// A block of our own.
    Own(Own),
    /// A block that another library lends us.
    Lent,
}

/// A block of our own.
#[derive(Debug)]
pub(crate) struct Own {
    /// Its number among the allocations of its device, from 1.
    sequence: usize,
    /// Whether it is in the list of live blocks.
    listed: bool,
    stream: Arc<Counters>,
    scope: Option<Arc<Level>>,
}

/// Takes a block by `take` and counts it: for the device, the stream, and the scope this thread is in, whose
/// limit may refuse it. The site is the caller's, as far as `#[track_caller]` reaches.
#[track_caller]
pub(crate) fn allocate(
    bytes: usize,
    stream: &Stream,
    take: impl FnOnce() -> Result<Option<Block>>,
) -> Result<(Option<Block>, Ticket)> {
    let site = Location::caller();
    let device = stream.device();
    let scope = scope::current();
    let taken = match &scope {
        None => take(),
        Some(scope) => scope.admit(device, bytes).and_then(|()| {
            let taken = take();
            match taken {
                Ok(_) => scope.commit(device, bytes),
                Err(_) => scope.cancel(device, bytes),
            }
            taken
        }),
    };
    let block = match taken {
        Ok(block) => block,
        Err(error) => {
            if error.shortage().is_some() {
                device.0.counters.refuse();
                stream.counters().refuse();
                if let Some(scope) = &scope {
                    scope.refuse(device);
                }
                events::refused(device, bytes, &error);
                device.0.history.refused(device, bytes, stream.raw(), scope.as_ref(), site);
            }
            return Err(error);
        }
    };
    let address = block.map_or(0, |block| block.address);
    let sequence = device.0.counters.add(bytes);
    let counters = stream.counters().clone();
    counters.add(bytes);
    let listed = sites::watched();
    if listed {
        let block =
            sites::Entry { address, bytes, stream: stream.raw(), scope: scope.clone(), site };
        history::allocated(device, sequence, block);
    }
    events::allocated(device, address, bytes);
    Ok((block, Ticket::Own(Own { sequence, listed, stream: counters, scope })))
}

/// Counts a block that another library lends us.
pub(crate) fn lend(device: Device, bytes: usize) -> Ticket {
    device.0.counters.borrow(bytes);
    Ticket::Lent
}

impl Ticket {
    /// Closes the entry. Called before the block goes back, so that no other block has its address meanwhile.
    pub(crate) fn give_back(&mut self, device: Device, address: usize, bytes: usize) {
        let own = match self {
            Self::Own(own) => own,
            Self::Lent => return device.0.counters.hand_back(bytes),
        };
        device.0.counters.remove(bytes);
        own.stream.remove(bytes);
        if let Some(scope) = &own.scope {
            scope.remove(device, bytes);
        }
        if own.listed || sites::watched() {
            history::freed(device, own.sequence, address, bytes, own.listed);
        }
        events::freed(device, address, bytes);
    }
}
