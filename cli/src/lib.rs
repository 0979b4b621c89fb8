//! What this machine offers to arrayspan, and what is missing: the parts of the command `arrayspan`.
//!
//! [`collect`] asks every driver in a process of its own, which runs [`answer`], and makes one [`MachineReport`] of
//! what they say. [`text::render`] writes it for people, `serde_json` for programs.

#![forbid(unsafe_code)]

mod answer;
mod ask;
mod child;
mod collect;
mod remedy;
mod report;
pub mod text;

pub use answer::{Answer, Seen};
pub use ask::{Ask, answer};
pub use collect::collect;
pub use report::{
    BackendEntry, DeviceEntry, LibraryEntry, LoadEntry, MachineReport, ProcessEntry, ReachEntry,
    SCHEMA, State,
};
