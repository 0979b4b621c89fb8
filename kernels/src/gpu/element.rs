//! The element type of a kernel.

use arrayspan_bridge::DType;
use arrayspan_bridge::devices::KernelSource;
use arrayspan_bridge::iteration::Text;

/// The functions of elements and runs, for the macros of [`Element::define`] and of runs.
pub(super) const PRELUDE: &str = include_str!("../source/prelude.cl.h");

/// A number of a computable dtype, as a kernel takes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Element(pub(super) DType);

impl Element {
    /// Its size in bytes.
    pub(super) fn bytes(self) -> usize {
        self.0.bytes()
    }

    pub(super) fn is_complex(self) -> bool {
        self.0.is_complex()
    }

    /// The source of a kernel: what `define` says, the prelude, and the kernel's own text.
    pub(super) fn source(
        self,
        entry: &str,
        define: impl FnOnce(&mut Text),
        own: &str,
    ) -> KernelSource {
        let mut text = Text::default();
        define(&mut text);
        text.add(PRELUDE);
        text.add(own);
        self.kernel(entry, text)
    }

    /// A kernel for these elements, named after its entry and their dtype: `map_float32`.
    pub(super) fn kernel(self, entry: &str, text: Text) -> KernelSource {
        let dtype = self.0.to_string().to_lowercase();
        KernelSource::new(format!("{entry}_{dtype}"), entry, text.finish())
    }

    /// Defines the macros of the prelude.
    pub(super) fn define(self, text: &mut Text) {
        text.define("ELEMENT", 1 + u8::from(self.is_complex()));
        text.define("BITS", self.0.real().bits());
    }
}
