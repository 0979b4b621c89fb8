//! Work on arrays that is larger than one device or its memory.
//!
//! [`batch`] runs batches over several devices, with transfers and computing overlapped; [`retry`] goes on when memory runs
//! out, in smaller pieces or on another device; [`spill`] lets arrays wait on the host while others need their memory. Each module
//! begins with an example.

pub mod batch;
pub mod retry;
pub mod spill;
