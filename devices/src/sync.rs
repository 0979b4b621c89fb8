//! Locks and atomics, named once: `tests/gate.rs` compiles the code that uses them over those of a model checker.

pub(crate) use std::sync::atomic::{AtomicU64, Ordering};
pub(crate) use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
pub(crate) use std::time::{Duration, Instant};
