//! The laws every operator obeys, on every device and in every dtype, and the cases they are tried on.
//!
//! [`suite`] holds the laws, one a file; [`cases`] the operators they are tried on, one a file. A new operator
//! needs a file of cases and a name in the list of [`cases`]; the tests are stamped from that list.
#![forbid(unsafe_code)]

pub mod cases;
pub mod suite;
