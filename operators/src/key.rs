//! By what an operator is known again.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

/// By what an operator is known again: two that are equal enqueue the same for arguments that lie alike, today and later. What was
/// [recorded](arrayspan_kernels::Graph) of one is true of the other.
///
/// It holds what it knows an operator by, so that no other can come to be known by the same.
#[derive(Clone)]
pub struct OperatorKey {
    held: Arc<dyn Any + Send + Sync>,
    numbers: [u64; 3],
}

impl OperatorKey {
    /// That of what `held` says together with these numbers.
    pub fn new(held: Arc<dyn Any + Send + Sync>, numbers: [u64; 3]) -> Self {
        Self { held, numbers }
    }
}

impl PartialEq for OperatorKey {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::addr_eq(Arc::as_ptr(&self.held), Arc::as_ptr(&other.held))
            && self.numbers == other.numbers
    }
}

impl Eq for OperatorKey {}

impl fmt::Debug for OperatorKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "OperatorKey({:p}, {:?})", Arc::as_ptr(&self.held), self.numbers)
    }
}
