//! Amplitudes of reflections from the properties of rocks.

mod poststack;

pub use poststack::PoststackLinearModelling;
