//! One element of a borrowed array.

use std::fmt;
use std::sync::Arc;

use arrayspan_devices::{Device, Memory};

use crate::view::Lender;
use crate::{DType, Layout, View};

/// One element of a borrowed array, wherever that lives: a number that nobody has read yet. Cheap to copy.
///
/// ```
/// use arrayspan_bridge::{Array, DType, ScalarView};
///
/// let length = Array::from_slice(&[2.5], [])?;
/// let scalar = ScalarView::of(&length.view()).expect("it has one element");
/// assert_eq!(scalar.dtype(), DType::Float64);
/// assert_eq!(scalar.view().shape(), [0_usize; 0]);
/// assert_eq!(scalar.view().to_vec::<f64>()?, [2.5]);
/// # Ok::<(), arrayspan_bridge::Error>(())
/// ```
#[derive(Clone, Copy)]
pub struct ScalarView<'a> {
    memory: &'a Arc<Memory>,
    /// Counted in elements.
    offset: usize,
    dtype: DType,
    lender: Lender,
}

impl<'a> ScalarView<'a> {
    /// The element of an array that has one, along however many axes; `None` of any other.
    #[must_use]
    pub fn of(view: &View<'a>) -> Option<Self> {
        // Every axis has one index, the first.
        let (memory, layout, dtype, lender) = view.clone().into_parts();
        (layout.len() == 1).then(|| Self { memory, offset: layout.offset(), dtype, lender })
    }

    /// Its type.
    #[must_use]
    pub fn dtype(self) -> DType {
        self.dtype
    }

    /// Where it lives.
    #[must_use]
    pub fn device(self) -> Device {
        self.memory.device()
    }

    /// It as an array without axes.
    #[must_use]
    pub fn view(self) -> View<'a> {
        let layout = Layout::scalar(self.offset);
        View::new(self.memory, layout, self.dtype).lent_by(self.lender)
    }
}

/// Whether both are the same element, not whether they are equal.
impl PartialEq for ScalarView<'_> {
    fn eq(&self, other: &Self) -> bool {
        let memory = Arc::ptr_eq(self.memory, other.memory);
        memory && (self.offset, self.dtype) == (other.offset, other.dtype)
    }
}

impl fmt::Debug for ScalarView<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ScalarView({} on {})", self.dtype, self.device())
    }
}
