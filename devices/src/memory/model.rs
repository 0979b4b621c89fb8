//! Random work on one block, against a model of the order that is required.

use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::SeqCst;

use parking_lot::Mutex;
use proptest::prelude::*;

use super::model_device::{Ordered, Queue, Work};
use super::stand_in::{Bare, enter};
use super::{Access, Memory, drain};
use crate::{DeviceKind, Result, Stream};

/// What may happen to a block.
#[derive(Clone, Copy, Debug)]
enum Step {
    /// Work of ours on a stream.
    Use(usize, Access),
    /// Work of another library on a stream, which reads the block and of which the block is told.
    Theirs(usize),
    /// Work that has nothing to do with the block.
    Other(usize),
    /// The host reads or writes the block.
    Host(Access),
    /// A stream is made to wait for another by somebody else.
    Wait(usize, usize),
    /// A stream is made to wait for the last write by somebody else, who says so.
    Ordered(usize),
    /// The host waits for a stream, and says so.
    Done(usize),
}

const STREAMS: usize = 4;

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let stream = || 0..STREAMS;
    let access = || prop_oneof![Just(Access::Read), Just(Access::Write)];
    let step = prop_oneof![
        4 => (stream(), access()).prop_map(|(at, access)| Step::Use(at, access)),
        3 => stream().prop_map(Step::Theirs),
        1 => stream().prop_map(Step::Other),
        1 => access().prop_map(Step::Host),
        1 => (stream(), stream()).prop_map(|(at, of)| Step::Wait(at, of)),
        1 => stream().prop_map(Step::Ordered),
        1 => stream().prop_map(Step::Done),
    ];
    proptest::collection::vec(step, 0..24)
}

/// The streams, and all work so far.
struct World {
    streams: Vec<Stream>,
    done: Arc<Mutex<Work>>,
    count: usize,
}

impl World {
    fn new() -> Self {
        let done = Arc::<Mutex<Work>>::default();
        let device = enter(DeviceKind::Cuda, Bare(Ordered { done: done.clone() }));
        let streams = (0..STREAMS).map(|_| device.new_stream().expect("a queue")).collect();
        Self { streams, done, count: 0 }
    }

    fn queue(&self, at: usize) -> &Queue {
        let queue = self.streams[at].driver().as_any().downcast_ref();
        queue.expect("one of this device")
    }

    /// Queues a piece of work, and returns its number and what comes before it.
    fn push(&mut self, at: usize) -> (usize, Work) {
        let number = self.count;
        self.count += 1;
        let before = self.queue(at).before();
        self.queue(at).before.lock().insert(number);
        (number, before)
    }
}

/// The uses of the block, as sets of pieces of work.
#[derive(Default)]
struct Model {
    /// All that has written it, the owner's own work included.
    writes: Work,
    /// All that has read it.
    reads: Work,
    /// Of these, what the owner knows of.
    owners: Work,
}

impl Model {
    /// What must come before a use.
    fn before(&self, access: Access) -> Work {
        match access {
            Access::Read => self.writes.clone(),
            Access::Write => &self.writes | &self.reads,
        }
    }

    fn add(&mut self, number: usize, access: Access) {
        match access {
            Access::Read => self.reads.insert(number),
            Access::Write => self.writes.insert(number),
        };
    }
}

/// Does the steps, and checks each use of the block; then drops it, and checks the release.
fn run(ready: Option<usize>, steps: &[Step]) -> Result<(), TestCaseError> {
    let (mut world, mut model) = (World::new(), Model::default());
    let (done, released) = (world.done.clone(), Arc::new(Mutex::new(None)));
    let told = released.clone();
    let release = Box::new(move || *told.lock() = Some(done.lock().clone()));
    // SAFETY: never used as memory.
    let memory = unsafe {
        match ready {
            Some(at) => {
                let (owners, _) = world.push(at);
                model.writes.insert(owners);
                model.owners.insert(owners);
                Memory::from_foreign_on(&world.streams[at], 0x1000, 16, release)
            }
            None => Memory::from_foreign(world.streams[0].device(), 0x1000, 16, release),
        }
    };
    for step in steps {
        match *step {
            Step::Use(at, access) => {
                memory.acquire(&world.streams[at], access).expect("nothing fails");
                let (number, before) = world.push(at);
                let needed = model.before(access);
                prop_assert!(before.is_superset(&needed), "{step:?}: {before:?} of {needed:?}");
                model.add(number, access);
            }
            Step::Theirs(at) => {
                let (number, _) = world.push(at);
                memory.remember(&world.streams[at]);
                model.add(number, Access::Read);
            }
            Step::Other(at) => {
                world.push(at);
            }
            Step::Host(access) => {
                memory.wait(access).expect("nothing fails");
                let (done, needed) = (world.done.lock(), model.before(access));
                prop_assert!(done.is_superset(&needed), "{step:?}: {done:?} of {needed:?}");
            }
            Step::Wait(at, of) => {
                world.streams[at].wait_for(&world.streams[of]).expect("nothing fails");
            }
            Step::Ordered(at) => {
                world.queue(at).before.lock().extend(&model.writes);
                // SAFETY: as just done.
                unsafe { memory.ordered_on(&world.streams[at]) };
            }
            Step::Done(at) => {
                world.streams[at].synchronize().expect("nothing fails");
                // SAFETY: as just done.
                unsafe { memory.done_on(&world.streams[at]) };
            }
        }
    }
    drop(memory);
    drain();
    let uses = &(&model.writes | &model.reads) - &model.owners;
    let released = released.lock().take().expect("released once the work is done");
    prop_assert!(released.is_superset(&uses), "released after {released:?} of {uses:?}");
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: if cfg!(miri) { 4 } else { 2000 },
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn every_use_comes_after_what_it_must(
        ready in proptest::option::of(0..STREAMS),
        steps in steps(),
    ) {
        run(ready, &steps)?;
    }
}

/// The owner's work is waited for by whoever uses the block, and by nobody who does not.
#[test]
fn the_release_does_not_wait_for_the_owners_work() {
    let mut world = World::new();
    world.push(0);
    let released = Arc::new(AtomicUsize::new(0));
    let told = released.clone();
    let release = Box::new(move || {
        told.fetch_add(1, SeqCst);
    });
    // SAFETY: never used as memory.
    drop(unsafe { Memory::from_foreign_on(&world.streams[0], 0x1000, 16, release) });
    assert_eq!(released.load(SeqCst), 1);
    assert!(world.done.lock().is_empty(), "nobody has waited");
}

/// A stream that has waited by itself is not made to wait again for what was queued since.
#[test]
fn a_stream_that_is_ordered_already_waits_for_nothing_more() {
    let mut world = World::new();
    let (written, _) = world.push(0);
    // SAFETY: never used as memory.
    let memory = unsafe { Memory::from_foreign_on(&world.streams[0], 0x1000, 16, Box::new(|| ())) };
    world.streams[1].wait_for(&world.streams[0]).expect("nothing fails");
    // SAFETY: as just done.
    unsafe { memory.ordered_on(&world.streams[1]) };
    let (later, _) = world.push(0);
    memory.acquire(&world.streams[1], Access::Read).expect("nothing fails");
    let (_, before) = world.push(1);
    assert!(before.contains(&written) && !before.contains(&later));
    memory.acquire(&world.streams[2], Access::Read).expect("nothing fails");
    assert!(world.push(2).1.contains(&later), "others wait for all the writer's stream holds");
}
