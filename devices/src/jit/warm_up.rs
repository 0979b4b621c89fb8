//! Kernels built before they are needed, side by side.

use std::any::Any;
use std::fmt::Debug;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::thread;

use parking_lot::Mutex;

use super::kernel::Kernel;
use super::specialisation::Specialisation;
use crate::{Device, Error, Result};

/// A [`Specialisation`] of whatever type, to be built beside others: see [`Device::warm_up`].
pub trait Buildable: Debug + Send + Sync {
    /// Its kernel on that device, built if it is new there.
    ///
    /// # Errors
    /// As [`Device::kernel`].
    fn build(&self, device: Device) -> Result<Kernel>;
    /// Whether the device has it.
    fn is_built(&self, device: Device) -> bool;
    /// Whether both are the same value of one type, and mean the same kernel.
    fn is_same(&self, other: &dyn Buildable) -> bool;
    /// The value itself.
    fn as_any(&self) -> &dyn Any;
}

impl<S: Specialisation> Buildable for S {
    fn build(&self, device: Device) -> Result<Kernel> {
        device.kernel(self)
    }

    fn is_built(&self, device: Device) -> bool {
        device.0.kernels.get(self).is_some()
    }

    fn is_same(&self, other: &dyn Buildable) -> bool {
        other.as_any().downcast_ref() == Some(self)
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

impl Device {
    /// Whether it runs kernels and its compiler builds several at once, so that [`warm_up`](Self::warm_up) saves time.
    #[must_use]
    pub fn builds_side_by_side(self) -> bool {
        self.kind().dialect().is_some() && self.0.driver.builds_side_by_side()
    }

    /// Builds those of `kernels` that the device does not have, side by side on all cores where the driver's compiler
    /// can, and keeps them for the first to ask. Waits until all are there; how many had to be built.
    ///
    /// A program that would meet its kernels one after the other, each at first use, has them all in the time of the
    /// slowest, or of their sum shared by the cores. They may be of different types; equal ones are one.
    ///
    /// # Errors
    /// The first failure, as of [`Device::kernel`]; the others are built all the same.
    pub fn warm_up(self, kernels: &[&dyn Buildable]) -> Result<usize> {
        let mut missing: Vec<&dyn Buildable> = Vec::new();
        for kernel in kernels {
            if !kernel.is_built(self) && !missing.iter().any(|other| kernel.is_same(*other)) {
                missing.push(*kernel);
            }
        }
        if missing.is_empty() {
            // Asking for cores takes longer than all else.
            return Ok(0);
        }
        let cores = thread::available_parallelism().map_or(1, NonZeroUsize::get);
        let workers = if self.builds_side_by_side() { cores } else { 1 };
        side_by_side(&missing, workers, |kernel| kernel.build(self).map(drop))?;
        Ok(missing.len())
    }
}

/// Does `work` for each item, on so many threads, of which this is one.
fn side_by_side<T: Copy + Sync>(
    items: &[T],
    workers: usize,
    work: impl Fn(T) -> Result<()> + Sync,
) -> Result<()> {
    let (next, failed) = (AtomicUsize::new(0), Mutex::new(None::<Error>));
    let serve = || {
        while let Some(item) = items.get(next.fetch_add(1, Relaxed)) {
            if let Err(error) = work(*item) {
                failed.lock().get_or_insert(error);
            }
        }
    };
    thread::scope(|scope| {
        for _ in 1..workers.min(items.len()) {
            // Where the system has no thread to give, the others do its share.
            let builder = thread::Builder::new().name("arrayspan-builds".into());
            if builder.spawn_scoped(scope, serve).is_err() {
                break;
            }
        }
        serve();
    });
    failed.into_inner().map_or(Ok(()), Err)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::sync::Barrier;

    use super::*;

    #[test]
    fn each_item_is_done_once_and_the_first_failure_is_told_after_all() {
        for workers in [1, 2, 5, 50] {
            let items: Vec<usize> = (0..17).collect();
            let done = Mutex::new(Vec::new());
            let ended = side_by_side(&items, workers, |item| {
                done.lock().push(item);
                if item % 5 != 3 {
                    return Ok(());
                }
                Err(Error::Unsupported { device: item.to_string(), what: "an odd one".into() })
            });
            let mut done = done.into_inner();
            done.sort_unstable();
            assert_eq!(done, items);
            assert!(matches!(ended, Err(Error::Unsupported { .. })));
        }
    }

    #[test]
    fn as_many_run_at_once_as_there_are_workers() {
        // None of them ends before all have begun.
        let (all, threads) = (Barrier::new(3), Mutex::new(HashSet::new()));
        let ended = side_by_side(&[0, 1, 2], 3, |_| {
            threads.lock().insert(thread::current().id());
            all.wait();
            Ok(())
        });
        assert!(ended.is_ok() && threads.lock().len() == 3);
    }

    #[test]
    fn nothing_is_done_for_nothing() {
        assert!(side_by_side::<usize>(&[], 4, |_| unreachable!("no items")).is_ok());
    }
}
