//! `‖y‖²` in the kernel that writes `y`.

use arrayspan_bridge::devices::{Grid, Specialisation};
use arrayspan_bridge::iteration::{Arguments, Text};

use super::Gpu;
use super::dots::Dots;
use crate::Result;
use crate::verb::StencilCall;

/// What has been done of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Done {
    Nothing,
    /// All but its norm.
    Stencil,
    /// Its norm, too.
    Norm,
    /// And what is computed of that.
    All,
}

impl Done {
    /// By kernels that add nothing up.
    pub(super) fn without_norm(filled: bool) -> Self {
        if filled { Self::Stencil } else { Self::Nothing }
    }
}

/// Bytes of local memory in which threads join their sums: those of a result for each, and of what tells the last group.
pub(super) fn room(threads: usize) -> usize {
    threads * size_of::<f64>() + size_of::<u64>()
}

/// The macros `DOTS`, `DOTS_BEGIN`, `DOTS_END` and `NOTE`, which a kernel has of each value that it writes; `threads` stands for the
/// number of a thread in its group.
pub(super) fn define(norm: Option<&Dots>, text: &mut Text) {
    if let Some(norm) = norm {
        norm.define(text);
        text.define("NOTE(value)", norm.note("value"));
    } else {
        text.flag("DOTS", false);
        text.define("NOTE(value)", "");
        text.define("DOTS_BEGIN", "");
        text.define("DOTS_END(number, which, count)", "");
    }
}

/// The text of sums behind the prelude, if there is a norm.
pub(super) fn add(norm: Option<&Dots>, text: &mut Text) {
    if norm.is_some() {
        Dots::add(text);
    }
}

/// The parameters of a norm, which stand behind all others.
pub(super) fn declare(norm: Option<&Dots>) -> String {
    norm.map(Dots::declare).unwrap_or_default()
}

impl Gpu {
    /// Enqueues the kernel of a stencil whose variant has that norm, behind whose arguments those of the norm stand.
    ///
    /// # Safety
    /// As [`launch`](Self::launch).
    pub(super) unsafe fn launch_with_norm<'m>(
        &self,
        call: &'m StencilCall<'_>,
        variant: &impl Specialisation,
        norm: Option<&Dots>,
        grid: Grid,
        arguments: Arguments<'m>,
    ) -> Result<Done> {
        let Some(norm) = norm else {
            // SAFETY: passed on to the caller.
            unsafe { self.launch(variant, grid, &arguments)? };
            return Ok(Done::Stencil);
        };
        let room = norm.room(self)?;
        let mut arguments: Arguments<'_> = arguments;
        norm.push(&call.norm, &call.epilogue, &room, &mut arguments);
        // SAFETY: passed on to the caller. The result is one number of its memory. The scratch is the executor's, has room for
        // `MOST_PARTS` parts and as many counts behind them, and is used by one kernel after the other, in the order of the
        // stream. A room of its own has as many parts, and is this call's alone. There are no more groups than parts.
        unsafe { self.launch(variant, grid, &arguments)? };
        drop(arguments);
        room.join(self, &call.norm, grid.groups.iter().product())?;
        Ok(if norm.epilogue.is_some() { Done::All } else { Done::Norm })
    }
}
