//! A lock for calls that a platform does not bear from two threads at once.

use parking_lot::{Mutex, MutexGuard};

/// Keeps other threads of arrayspan from building, queueing, releasing and asking while the guard lives. For
/// those who call `OpenCL` themselves beside it, too; not for calls that wait.
///
/// By the standard every call but `clSetKernelArg` is thread-safe, yet NVIDIA's library (driver 580) corrupts its
/// heap when several threads queue and release at once, and crashes in threads of its own when several build
/// at once. Waiting for work is not kept from anything.
pub fn serial() -> MutexGuard<'static, ()> {
    static CALLS: Mutex<()> = Mutex::new(());
    CALLS.lock()
}
