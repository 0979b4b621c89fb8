//! Devices against the host.
