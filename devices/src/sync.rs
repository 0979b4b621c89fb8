//! What blocking logic is built of, named once: `tests/gate.rs` compiles the same logic over a model checker's.

pub(crate) use std::sync::atomic::{AtomicU64, Ordering};
pub(crate) use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
pub(crate) use std::time::{Duration, Instant};
