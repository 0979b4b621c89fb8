//! The calls of one launch that were made last. One like them takes its kernel, its grid and its numbers from there: nothing is
//! planned again, and nothing is hashed.

use arrayspan_bridge::devices::{Access, Argument, Grid, Kernel, Memory, WeakKernel};
use parking_lot::Mutex;
use smallvec::SmallVec;

use super::Gpu;
use super::asked::{Asked, Key};
use super::noted::{self, Few, Given, Launch, Living, Noted, Room};
use crate::Result;
use crate::verb::Call;

/// More calls than most programs make in turns, those of an iteration that is recorded among them; so few that they are looked through
/// in no time.
const MOST: usize = 64;

/// The calls that an executor was asked for last. They keep nothing alive: a kernel that a recovery has unloaded is built anew.
#[derive(Debug, Default)]
pub(super) struct Recent(Mutex<Entries>);

#[derive(Debug, Default)]
struct Entries {
    all: Vec<Entry>,
    /// Which makes room for the next one, once there are as many as are kept.
    oldest: usize,
}

#[derive(Debug)]
struct Entry {
    key: Key,
    kernel: WeakKernel,
    grid: Grid,
    arguments: Few<Source>,
    rooms: SmallVec<[Room; 2]>,
}

/// Where an argument is from.
#[derive(Clone, Copy, Debug)]
enum Source {
    /// The block of an operand of the call, by its number.
    Operand(usize, Access),
    /// A block of a room.
    Room([usize; 2], Access),
    Number(Argument<'static>),
}

impl Gpu {
    /// Runs a call as one like it was run before, or else as `plan` does, which the next one like it will find.
    pub(super) fn again_or(
        &self,
        call: &mut Call<'_>,
        plan: impl FnOnce(&mut Call<'_>) -> Result<()>,
    ) -> Result<()> {
        if self.planned.is_some() {
            return plan(call);
        }
        let found = Asked::of(call).map(|asked| self.again(&asked));
        match found {
            None => return plan(call),
            Some(Some(done)) => return done,
            Some(None) => {}
        }
        let (done, noted) = noted::noting(|| plan(call));
        if done.is_ok()
            && let Some(asked) = Asked::of(call)
        {
            self.recent.keep(&asked, noted);
        }
        done
    }

    /// Enqueues a call as one like it was; `None` if there was none.
    fn again(&self, asked: &Asked<'_>) -> Option<Result<()>> {
        let rooms: SmallVec<[Living; 2]>;
        let (kernel, grid, arguments): (Kernel, Grid, Few<Argument<'_>>) = {
            // A thread that finds it locked plans its call, which is quicker than to wait for long.
            let entries = self.recent.0.try_lock()?;
            let entry = entries.all.iter().find(|entry| entry.key.is(asked))?;
            rooms = entry.rooms.iter().map(Room::living).collect::<Option<_>>()?;
            if let Some(captured) = &self.captured {
                rooms.iter().for_each(|room| captured.hold(room));
            }
            let arguments = entry.arguments.iter().map(|source| source.argument(asked, &rooms));
            (entry.kernel.upgrade()?, entry.grid, arguments.collect::<Option<_>>()?)
        };
        // SAFETY: the arguments are those of the launch before but for the blocks of operands, and these hold the same layouts, as
        // aligned as those did, two of them in one block or at one address only if they were then: all that decided on the
        // kernel, the grid and the numbers is the same. Rooms are those of that launch; `rooms` has them until this one is
        // queued, and they are freed in the order of the stream.
        Some(unsafe { self.queue(&kernel, grid, &arguments) })
    }
}

impl Source {
    fn of(given: Given, asked: &Asked<'_>, rooms: &[Living]) -> Option<Self> {
        let (block, access) = match given {
            Given::Memory(block, access) => (block, access),
            Given::Number(number) => return Some(Self::Number(number)),
            Given::Other => return None,
        };
        if let Some(operand) = asked.operand(block) {
            return Some(Self::Operand(operand, access));
        }
        let own = |room: &Living| room.blocks().iter().position(|own| std::ptr::eq(*own, block));
        let mut found = rooms.iter().enumerate().filter_map(|(at, room)| Some([at, own(room)?]));
        Some(Self::Room(found.next()?, access))
    }

    fn argument<'m>(self, asked: &'m Asked<'_>, rooms: &'m [Living]) -> Option<Argument<'m>> {
        let (memory, access): (&'m Memory, Access) = match self {
            Self::Operand(number, access) => (asked.block(number)?, access),
            Self::Room([room, block], access) => (rooms.get(room)?.blocks().get(block)?, access),
            Self::Number(number) => return Some(number),
        };
        Some(match access {
            Access::Read => Argument::Read(memory),
            Access::Write => Argument::Write(memory),
        })
    }
}

impl Recent {
    /// Keeps what a call has launched, if that is one kernel on nothing but its operands, what was asked for, and numbers.
    fn keep(&self, asked: &Asked<'_>, noted: Noted) {
        let Noted { first: Some(launch), more: false, rooms } = noted else { return };
        let Launch { kernel, grid, arguments } = launch;
        let Some(living) = rooms.iter().map(Room::living).collect::<Option<Vec<_>>>() else {
            return;
        };
        let sources = arguments.iter().map(|given| Source::of(*given, asked, &living));
        let (Some(arguments), Some(key)) = (sources.collect::<Option<_>>(), asked.key()) else {
            return;
        };
        let entry = Entry { key, kernel, grid, arguments, rooms };
        if let Some(mut entries) = self.0.try_lock() {
            entries.keep(entry, asked);
        }
    }
}

impl Entries {
    /// In the place of one like it, whose kernel or rooms have gone; else, if there are too many, in that of the oldest.
    fn keep(&mut self, entry: Entry, asked: &Asked<'_>) {
        if let Some(known) = self.all.iter_mut().find(|known| known.key.is(asked)) {
            *known = entry;
        } else if self.all.len() < MOST {
            self.all.push(entry);
        } else {
            self.all[self.oldest] = entry;
            self.oldest = (self.oldest + 1) % MOST;
        }
    }
}
