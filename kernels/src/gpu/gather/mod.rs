//! `y ← alpha · S x + beta · y` with a sparse matrix along an axis: a thread for a run of a few rows; a group for a few runs of
//! a row with many entries.

mod kernel;
mod segments;
mod spaces;
mod tables;
mod work;

use arrayspan_bridge::devices::{Argument, DeviceKind, Grid, Kernel};
use arrayspan_bridge::iteration::{Arguments, address};
use arrayspan_bridge::{DType, View};

pub(super) use kernel::Variant;
pub(super) use segments::{Place, upload_tiles};
pub(super) use spaces::Spaces;
pub(super) use tables::{upload, upload_marks};

use super::element::Element;
use super::formula::Formula;
use super::stencil_tile_width::room;
use super::table_key::Key;
use super::tables::Uploaded;
use super::{Gpu, constants, map};
use crate::factors::Factors;
use crate::number::computed;
use crate::verb::{GatherCall, MapCall};
use crate::{Error, Gather, Result};
use tables::Parts;
use work::Work;

/// A kernel that is built, and all that it is launched with.
struct Launch<'c> {
    kernel: Kernel,
    grid: Grid,
    arguments: Arguments<'c>,
}

/// Rows with few entries are one kernel's and those with many another's, each of which writes its rows. Whatever can be refused
/// before the first is queued is.
pub(super) fn run(gpu: &Gpu, call: &mut GatherCall<'_>) -> Result<()> {
    let dtype = call.y.dtype();
    let computed = computed(dtype);
    gpu.expect_float64("gather", computed)?;
    if call.y.layout().is_empty() {
        return Ok(());
    }
    gpu.expect_factors("gather", &call.factors)?;
    if let Some((scale, factor)) = GatherCall::without_entries(&call.gather, dtype, &call.factors) {
        let inputs: Vec<View<'_>> = factor.iter().map(|factor| factor.view()).collect();
        return map::run(gpu, &MapCall::new(&scale, &inputs, call.y.view_mut())?);
    }
    let memories = [call.y.memory(), call.x.memory()];
    let layouts = [call.y.layout(), call.x.layout()];
    let spaces = Spaces::new(&call.gather, layouts, memories.map(address), dtype)?;
    let device = gpu.stream.device();
    let (room, most) = (room(device.kind()), device.info().most_local_bytes);
    // OpenCL's compilers give what their devices have without being asked, but groups of fewer threads.
    let most = if device.kind() == DeviceKind::Cuda { most } else { room };
    let place = Place { units: gpu.units(), room, most };
    let variants = variants(&spaces, &call.gather, dtype, &call.factors, place);
    let key = match variants[..] {
        [Variant { work: Work::Segments { tiling, .. }, .. }] => {
            Key::Tiles(call.gather.clone(), dtype, tiling)
        }
        [Variant { work: Work::Marked { marks, .. }, .. }] => {
            Key::Marks(call.gather.clone(), marks)
        }
        _ => Key::Gather(call.gather.clone(), computed),
    };
    let uploaded = gpu.tables(key)?;
    let mut launches: [Option<Launch<'_>>; 2] = [None, None];
    for (variant, launch) in variants.iter().zip(&mut launches) {
        let Some(kernel) = gpu.built(variant)? else { continue };
        let grid = spaces.grid(call.gather.facts(), variant.work, gpu.units(), dtype.bytes());
        let arguments = arguments(call, variant, &spaces, &uploaded);
        *launch = Some(Launch { kernel, grid, arguments });
    }
    for (number, Launch { kernel, grid, arguments }) in launches.iter().flatten().enumerate() {
        // SAFETY: the arguments are those of `Variant::define`, in its order; layouts lie within their memories and the
        // kernel stays within their extents, which are those of the table. Its columns are below theirs, its rows begin and
        // end within its entries (`Table`), and it is kept by `uploaded` until the launch is queued; it is freed in the order
        // of the stream.
        unsafe { gpu.enqueue(kernel, *grid, arguments) }.map_err(|refused| {
            // A call that does not read its result may be made again: it writes all rows anew.
            let partial = number > 0 && call.factors.reads();
            let written = "rows with at most 64 entries";
            if partial {
                Error::Partial { verb: "gather", written, cause: refused.into() }
            } else {
                refused
            }
        })?;
    }
    Ok(())
}

/// The arguments of a kernel, in the order of [`Variant::define`].
fn arguments<'c>(
    call: &'c GatherCall<'_>,
    variant: &Variant,
    spaces: &Spaces,
    uploaded: &'c Uploaded,
) -> Arguments<'c> {
    let element = Element(computed(call.y.dtype()));
    let facts = call.gather.facts();
    let mut arguments = Arguments::new(variant.wide);
    arguments.write(call.y.memory(), spaces.others.offsets[0]);
    arguments.read(call.x.memory(), spaces.others.offsets[1]);
    if variant.baked.is_empty() {
        arguments.indices(spaces.numbers());
    }
    constants::push(&mut arguments, &Formula::update(&call.factors, element).1, element);
    arguments.read(uploaded.0.memory(), 0);
    if let Work::Segments { tiling, .. } = variant.work {
        for place in segments::parts(&uploaded.0, facts, tiling) {
            arguments.read(uploaded.0.memory(), place);
        }
        if variant.weights.is_some() {
            arguments.read(uploaded.1.memory(), 0);
        }
        return arguments;
    }
    if let Work::Marked { .. } = variant.work {
        return arguments;
    }
    let parts = Parts::of(facts);
    if facts.places().is_none() {
        arguments.read(uploaded.0.memory(), parts.starts);
    }
    if let Work::Long { .. } = variant.work {
        arguments.read(uploaded.0.memory(), parts.long);
        arguments.push(Argument::I64(facts.long as i64));
    }
    if variant.weights.is_some() {
        arguments.read(uploaded.1.memory(), 0);
    }
    arguments
}

/// The kernels that it takes, one after the other.
pub(super) fn variants(
    spaces: &Spaces,
    gather: &Gather,
    dtype: DType,
    factors: &Factors<'_>,
    place: Place,
) -> Vec<Variant> {
    let (facts, shares) = (gather.facts(), spaces.shares);
    let few =
        (!shares || facts.long < facts.rows).then(|| spaces.rows_work(facts, dtype.bytes(), place));
    let long = shares.then(|| spaces.long_work());
    let (formula, constants) = Formula::update(factors, Element(computed(dtype)));
    let count = constants::count(&constants);
    let variant = |work| Variant::new(dtype, &formula, spaces, facts, work, count);
    few.into_iter().chain(long).map(variant).collect()
}
