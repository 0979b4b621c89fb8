//! Copies on devices that run kernels.

use arrayspan_devices::{Argument, Buildable, Device, Grid, Kernel, Memory, Stream};

use super::cast::spec::CastSpec;
use super::plan::plan;
use super::variant::{Affine, Variant, Work};
use crate::iteration::{Arguments, IterationSpace, THREADS, address, grid};
use crate::{Result, View, ViewMut};

/// As [`super::within::copy`], for elements of `bytes` bytes.
pub(crate) fn copy(
    from: &View<'_>,
    to: &mut ViewMut<'_>,
    bytes: usize,
    stream: &Stream,
) -> Result<()> {
    // SAFETY: the borrows of the arrays keep other threads from queueing work on them meanwhile.
    unsafe { launch_of(from, to, bytes).enqueue(stream) }
}

/// The launch of such a copy.
pub(crate) fn launch_of<'m>(
    from: &'m View<'_>,
    to: &'m ViewMut<'_>,
    bytes: usize,
) -> CopyLaunch<'m> {
    let memories = [to.memory(), from.memory()];
    let (mut space, tiles) = plan(to.layout(), from.layout());
    let bytes = widen(&mut space, memories.map(address), bytes);
    Task { memories, space, tiles, work: Work::Bytes(bytes) }.launch(&[])
}

/// A kernel that copies, and what it is launched with: to be launched by whoever keeps or counts launches. A layout lies within
/// its memory, and the kernel stays within the extents of the arrays, so that their borrows are all that it takes.
#[derive(Debug)]
pub struct CopyLaunch<'m> {
    variant: Variant,
    grid: Grid,
    arguments: Arguments<'m>,
}

impl CopyLaunch<'_> {
    /// The kernel on that device, built if it is new there.
    ///
    /// # Errors
    /// As [`Device::kernel`].
    pub fn kernel(&self, device: Device) -> Result<Kernel> {
        Ok(device.kernel(&self.variant)?)
    }

    /// The kernel, for [`Device::warm_up`].
    #[must_use]
    pub fn buildable(&self) -> Box<dyn Buildable> {
        Box::new(self.variant.clone())
    }

    /// Its threads.
    #[must_use]
    pub fn grid(&self) -> Grid {
        self.grid
    }

    /// Its arguments, in its order.
    #[must_use]
    pub fn arguments(&self) -> &[Argument<'_>] {
        self.arguments.list()
    }

    /// Enqueues the kernel; does not wait.
    ///
    /// # Safety
    /// Nobody else queues work on what it writes, or writes what it reads, meanwhile.
    unsafe fn enqueue(&self, stream: &Stream) -> Result<()> {
        let kernel = self.kernel(stream.device())?;
        // SAFETY: the arguments are those of `Variant::source`, in its order. A layout lies within its memory, and the kernel stays
        // within the extents of the space, which name no other places; the rest is the caller's.
        unsafe { stream.launch(&kernel, self.grid, self.arguments())? };
        Ok(())
    }
}

/// Converts the elements of `from` to those of `to`, on one device. `others` are the arguments beside the arrays.
/// Enqueued; does not wait.
pub(crate) fn convert(
    from: &View<'_>,
    to: &mut ViewMut<'_>,
    spec: CastSpec,
    others: &[Argument<'_>],
    stream: &Stream,
) -> Result<()> {
    let memories = [to.memory(), from.memory()];
    let (space, tiles) = plan(to.layout(), from.layout());
    let task = Task { memories, space, tiles, work: Work::Convert(spec) };
    // SAFETY: as in `copy`; the other arguments are those of the caller, who lends their memory.
    unsafe { task.launch(others).enqueue(stream) }
}

/// A copy that is ready to be launched.
struct Task<'m> {
    /// Those of target and source, whose layouts the space describes.
    memories: [&'m Memory; 2],
    space: IterationSpace,
    tiles: bool,
    work: Work,
}

impl<'m> Task<'m> {
    /// With `others` behind what every copy takes: arguments in the order of `Variant::source`.
    fn launch(&self, others: &[Argument<'m>]) -> CopyLaunch<'m> {
        let Self { memories, space, .. } = self;
        let variant = Variant::new(self.work, space, self.tiles, memories.map(address));
        let form = &variant.form;
        let mut arguments = Arguments::new(form.is_wide());
        arguments.write(memories[0], space.offsets[0]);
        arguments.read(memories[1], space.offsets[1]);
        space.push(form, &mut arguments);
        for other in others {
            arguments.push(*other);
        }
        if let Some(ends) = variant.ends(space) {
            for place in ends {
                arguments.push(Argument::I64(place as i64));
            }
        }
        let grid = variant.grid(space.items(form));
        CopyLaunch { variant, grid, arguments }
    }
}

/// Leaves the least and the largest finite element that each group of threads has seen in `parts`, which has room for
/// `most` groups, and returns how many groups there are. Enqueued; does not wait.
pub(crate) fn range(
    from: &View<'_>,
    spec: CastSpec,
    parts: &Memory,
    most: usize,
    stream: &Stream,
) -> Result<usize> {
    let space = IterationSpace::new(&[from.layout(), from.layout()]);
    let at = address(from.memory());
    let variant = Variant::new(Work::Range(spec), &space, false, [at; 2]);
    let mut arguments = Arguments::new(variant.form.is_wide());
    arguments.push(Argument::Write(parts));
    arguments.read(from.memory(), space.offsets[1]);
    space.push(&variant.form, &mut arguments);
    let mut grid = grid(space.items(&variant.form), THREADS);
    let mut left = most;
    for groups in &mut grid.groups {
        *groups = (*groups).min(left);
        left /= *groups;
    }
    let kernel = stream.device().kernel(&variant)?;
    // SAFETY: the arguments are those of `Variant::source`, in its order; the kernel reads the elements of the array
    // and writes a part for each group. The array's borrow keeps writers away.
    unsafe { stream.launch(&kernel, grid, arguments.list())? };
    Ok(grid.groups.iter().product())
}

/// Threads of the kernel that [`affine`] gives, in one group.
pub(crate) const AFFINE_THREADS: usize = 256;

/// The kernel that makes the affine map of what [`range`] leaves.
pub(crate) fn affine(device: Device) -> Result<Kernel> {
    Ok(device.kernel(&Affine)?)
}

/// Takes consecutive elements together as one wider element, as far as extents, strides and alignment allow. Returns its
/// bytes.
fn widen(space: &mut IterationSpace, addresses: [usize; 2], bytes: usize) -> usize {
    if space.strides.iter().any(|strides| strides[0] != 1) {
        return bytes;
    }
    let mut places = space.extents[0] * bytes;
    for (operand, address) in addresses.into_iter().enumerate() {
        places |= address | ((space.offsets[operand] | space.steps(operand, 1)) * bytes);
    }
    let wide = (1 << places.trailing_zeros().min(4)).max(bytes);
    let factor = wide / bytes;
    space.extents[0] /= factor;
    for offset in &mut space.offsets {
        *offset /= factor;
    }
    for strides in &mut space.strides {
        strides.iter_mut().skip(1).for_each(|stride| *stride /= factor as isize);
    }
    wide
}
