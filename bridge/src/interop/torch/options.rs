//! What the caller allows.

use crate::Transfer;

/// What the caller allows when a tensor or an array crosses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TorchOptions {
    /// Whether elements may be copied where they cannot be shared.
    pub transfer: Transfer,
    /// What happens to gradients, which an array cannot carry. Has no meaning on export.
    pub gradients: Gradients,
}

/// What happens to a tensor that requires gradients.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Gradients {
    /// It is refused.
    #[default]
    Refuse,
    /// It is detached from its graph, which is dropped if nobody else holds it.
    Detach,
}
