//! The element type of a kernel.

use arrayspan_bridge::DType;
use arrayspan_bridge::devices::KernelSource;
use arrayspan_bridge::iteration::{IterationForm, Runs, Text};

use super::cells;
use crate::number::computed;

/// The functions of elements and runs, for the macros of [`Element::define`] and of runs.
pub(super) const PRELUDE: &str = include_str!("../source/prelude.cl.h");

/// The type of what arrays hold, where that is elements, and where it is not.
const IN_MEMORY: &str = "GLOBAL elem*";
const CELLS: &str = "GLOBAL cell*";

/// A number of a computable dtype, as a kernel takes it; or a 16-bit float, which arrays hold and `Float32` is computed of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Element(pub(super) DType);

impl Element {
    /// Its size in bytes, in arrays.
    pub(super) fn bytes(self) -> usize {
        self.0.bytes()
    }

    /// The dtype that it is computed in.
    pub(super) fn computed(self) -> DType {
        computed(self.0)
    }

    /// Whether arrays hold 16 bits of it.
    pub(super) fn is_half(self) -> bool {
        self.computed() != self.0
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
        self.prelude(&mut text);
        text.add(own);
        self.kernel(entry, text)
    }

    /// The functions of elements and of runs, whose loads and stores are those of what arrays hold.
    pub(super) fn prelude(self, text: &mut Text) {
        text.add(PRELUDE);
        if self.is_half() {
            text.add(cells::TEXT);
        }
    }

    /// A kernel for these elements, named after its entry and their dtype: `map_float32`.
    pub(super) fn kernel(self, entry: &str, text: Text) -> KernelSource {
        let (dtype, text) = (self.0.to_string().to_lowercase(), text.finish());
        // Elements are in registers; what lies in memory is cells.
        let text = if self.is_half() { text.replace(IN_MEMORY, CELLS) } else { text };
        KernelSource::new(format!("{entry}_{dtype}"), entry, text)
    }

    /// Defines the macros of the prelude.
    pub(super) fn define(self, text: &mut Text) {
        text.define("ELEMENT", 1 + u8::from(self.is_complex()));
        text.define("BITS", self.computed().real().bits());
    }

    /// The runs of arrays of these elements, as a kernel is told of them.
    pub(super) fn define_runs(self, form: &IterationForm, text: &mut Text) {
        if !self.is_half() {
            return form.define(text);
        }
        cells::hold(self.0, form.runs().align(), text);
        // Runs of elements lie in registers.
        let aligned = |runs: Runs| cells::in_registers(self.0, runs);
        form.clone().with_runs(aligned).define(text);
    }
}
