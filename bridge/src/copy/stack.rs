//! Several arrays into one, with a launch for several of them.

use arrayspan_devices::{Argument, Stream};

use super::across::Across;
use super::variant::{Variant, Work};
use crate::iteration::{Arguments, IterationSpace, address};
use crate::{Layout, Relayout, Result, View, ViewMut};

/// Sources of a launch: as many as leave room for their strides among the arguments.
const MOST: usize = 16;

/// Copies slices over those of `whole` along `axis`, from the first on, where they are all on the device of `whole` and that
/// runs kernels; `false`, having done nothing, elsewhere. Shapes and dtypes agree. Enqueued on `stream`, one of the
/// device; does not wait.
pub(crate) fn stack(
    slices: &[View<'_>],
    mut whole: ViewMut<'_>,
    axis: usize,
    stream: &Stream,
) -> Result<bool> {
    let device = whole.device();
    let here = |slice: &View<'_>| slice.device() == device;
    if device.is_cpu() || stream.device() != device || !slices.iter().all(here) {
        return Ok(false);
    }
    if whole.layout().is_empty() {
        return Ok(true);
    }
    let Some(&step) = whole.layout().strides().get(axis) else { return Ok(false) };
    for (part, sources) in slices.chunks(MOST).enumerate() {
        let first = whole.reborrow().selected(axis, part * MOST)?;
        launch(sources, &first, step, stream)?;
    }
    Ok(true)
}

/// Copies a few; `first` is where the first one goes, the others follow `step` elements apart.
fn launch(sources: &[View<'_>], first: &ViewMut<'_>, step: isize, stream: &Stream) -> Result<()> {
    let bytes = first.dtype().bytes();
    let layouts = sources.iter().map(View::layout);
    let layouts: Vec<&Layout> = std::iter::once(first.layout()).chain(layouts).collect();
    let addresses: Vec<usize> = std::iter::once(address(first.memory()))
        .chain(sources.iter().map(|source| address(source.memory())))
        .collect();
    let (space, variant) = variant(&layouts, &addresses, step, bytes);
    let mut arguments = Arguments::new(variant.form.is_wide());
    arguments.write(first.memory(), space.offsets[0]);
    for (source, offset) in sources.iter().zip(&space.offsets[1..]) {
        arguments.read(source.memory(), *offset);
    }
    space.push(&variant.form, &mut arguments);
    arguments.push(Argument::I64(step as i64));
    let grid = variant.grid(space.items(&variant.form));
    let kernel = stream.device().kernel(&variant)?;
    // SAFETY: the arguments are those of `Variant::source`, in its order. The layouts lie within their memories, and the
    // kernel stays within the extents of the space and as many slices as there are sources. The borrows of the
    // arrays keep other threads from queueing work on them meanwhile.
    unsafe { stream.launch(&kernel, grid, arguments.list())? };
    Ok(())
}

/// The space, and the kernel, for elements of `bytes` bytes: operand 0 is the place of the first slice, the others are the
/// sources; the slices lie `step` elements apart.
pub(super) fn variant(
    layouts: &[&Layout],
    addresses: &[usize],
    step: isize,
    bytes: usize,
) -> (IterationSpace, Variant) {
    let (space, sources) = (IterationSpace::new(layouts), layouts.len() - 1);
    let work = match Across::new(&space, addresses[0], step, bytes, sources) {
        Some(across) => Work::Interleave(across),
        None => Work::Stack { bytes, sources },
    };
    let variant = Variant::stacking(work, &space, addresses, step);
    (space, variant)
}
