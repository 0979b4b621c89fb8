//! Fourier transforms by cuFFT, with kernels before and behind it for what it does not know.

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use arrayspan_bridge::devices::vendor::{FftPlan, Transform, TransformKind, fft_plan};
use arrayspan_bridge::devices::{DeviceKind, Kernel, Memory};
use arrayspan_bridge::iteration::{Arguments, address};
use arrayspan_bridge::{Array, DType};

use super::super::element::Element;
use super::super::formula::Formula;
use super::super::line_arrays::numbers;
use super::super::transforms::Transforms;
use super::super::{Gpu, constants};
use super::ends::{Call, Ends};
use super::own::{self, Own};
use super::part::Part;
use super::rooms::Rooms;
use super::stand_in;
use crate::factors::{FactorOf, Factors};
use crate::fourier::{Arrays, Lines, ROOM, Route};
use crate::{Cost, Result};

/// What a library works in has at least so many bytes.
const LEAST_WORK: usize = 512;

/// Bytes of room on one side of the library up to which several axes are transformed at once: as much as is transformed.
const MOST_JOINED: usize = 4 << 30;

/// The room of a stand-in: small, so that lines are taken in several parts.
const STAND_IN_ROOM: usize = 1 << 20;

/// Transforms the lines, or `None` if cuFFT is not there, does not take them, or would not be faster.
pub(super) fn run(gpu: &Gpu, own: &Own<'_>, factors: &Factors<'_>) -> Option<Result<()>> {
    let left = own.schedule.left();
    let bytes = own.user_bytes().saturating_add(left.saturating_mul(2));
    let launches = own.schedule.launches();
    let cost = Cost { launches, bytes_read: bytes, ..Cost::default() };
    run_with(gpu, own, factors, ([1; 2], cost))
}

/// Whether the executor may transform by a library, or what stands in for it.
pub(super) fn is_there(gpu: &Gpu) -> bool {
    match gpu.transforms {
        Transforms::Own => false,
        Transforms::StandIn => true,
        Transforms::Either | Transforms::Library => gpu.stream.device().kind() == DeviceKind::Cuda,
    }
}

/// The same, of lines whose transforms are along axes of these extents, too, where our own passes cost so much.
pub(super) fn run_with(
    gpu: &Gpu,
    own: &Own<'_>,
    factors: &Factors<'_>,
    (outer, cost): ([usize; 2], Cost),
) -> Option<Result<()>> {
    let stands_in = gpu.transforms == Transforms::StandIn;
    if !is_there(gpu) {
        return None;
    }
    let [of_x, of_y] = own.fourier.dtypes(own.dtype);
    let arrays = Arrays {
        lines: own.lines,
        bytes: [of_y, of_x].map(DType::bytes),
        addresses: own.users.map(address),
        plain: factors.is_set(),
    };
    let most = if stands_in { STAND_IN_ROOM } else { ROOM };
    let joined = outer != [1; 2];
    let route = Route::new(own.fourier, own.dtype, &arrays, (outer, most))?;
    if joined && route.room(route.at_once).iter().any(|bytes| *bytes > MOST_JOINED) {
        return None;
    }
    let wanted = gpu.transforms != Transforms::Either;
    if !wanted && !route.is_faster(&cost, own.user_bytes()) {
        return None;
    }
    if let (Some(captured), false) = (&gpu.captured, stands_in) {
        captured.refuse();
        return Some(Ok(()));
    }
    let engine = if stands_in { Engine::StandIn } else { Engine::new(gpu, own.lines, &route)? };
    let rooms = match rooms(gpu, &route, &engine) {
        // One axis at a time they take less.
        Err(error) if joined => {
            tracing::debug!(%error, "axes are transformed one after the other");
            return None;
        }
        rooms => rooms,
    };
    Some(rooms.and_then(|rooms| transform(gpu, own, factors, (&route, &engine, rooms))))
}

/// What lines go through on the way to the library and from it, and what it works in.
fn rooms(gpu: &Gpu, route: &Route, engine: &Engine) -> Result<Rooms> {
    if gpu.planned.is_some() {
        return Rooms::of(gpu, &[]);
    }
    let [before, behind] = route.room(route.at_once);
    Rooms::of(gpu, &[before, behind, engine.work_bytes()])
}

/// What transforms lines to as many points.
enum Engine {
    /// Plans for parts of each size there is.
    Library(Vec<Arc<FftPlan>>),
    /// Our own kernels, one part after the other, as a library would: to look at what stands before and behind it where there is
    /// none.
    StandIn,
}

impl Engine {
    /// The library's plans, if it has them.
    fn new(gpu: &Gpu, lines: &Lines, route: &Route) -> Option<Self> {
        let mut plans: Vec<Arc<FftPlan>> = Vec::new();
        for [_, count] in route.parts() {
            let transform = route.transform(lines, count)?;
            if plans.iter().any(|plan| *plan.transform() == transform) {
                continue;
            }
            match fft_plan(&gpu.stream, &transform) {
                Ok(plan) => plans.push(plan),
                Err(error) => {
                    tracing::debug!(%error, "lines are transformed by our own kernels");
                    return None;
                }
            }
        }
        Some(Self::Library(plans))
    }

    /// The bytes that it works in.
    fn work_bytes(&self) -> usize {
        match self {
            Self::Library(plans) => {
                let most = plans.iter().map(|plan| plan.work_bytes()).max();
                most.unwrap_or(0).max(LEAST_WORK)
            }
            Self::StandIn => 0,
        }
    }

    /// Enqueues the transform of a part.
    ///
    /// # Safety
    /// Its lines lie inside their memory, those of `y` apart from each other.
    unsafe fn run(&self, gpu: &Gpu, part: &Part<'_>, work: Option<&Array>) -> Result<()> {
        let plans = match self {
            Self::Library(plans) => plans,
            Self::StandIn => return stand_in::run(gpu, part),
        };
        let plan = plans.iter().find(|plan| *plan.transform() == part.transform);
        let (Some(plan), Some(work)) = (plan, work) else {
            unreachable!("there is a plan for parts of each size, and room to work in")
        };
        let bytes = sizes(&part.transform);
        let side = |operand: usize| (part.memories[operand], part.starts[operand] * bytes[operand]);
        // SAFETY: the caller's; parts begin where complex numbers can, which the route has seen to; the work area is as
        // large as that of any plan.
        let done = unsafe { plan.run(&gpu.stream, side(1), side(0), work.memory(), part.positive) };
        gpu.launches.fetch_add(1, Relaxed);
        Ok(done?)
    }
}

/// Bytes of the elements of `y` and `x`.
fn sizes(transform: &Transform) -> [usize; 2] {
    let complex = transform.alignment();
    match transform.kind {
        TransformKind::Complex => [complex; 2],
        TransformKind::FromReal => [complex, complex / 2],
        TransformKind::ToReal => [complex / 2, complex],
    }
}

/// Transforms all parts.
fn transform(
    gpu: &Gpu,
    own: &Own<'_>,
    factors: &Factors<'_>,
    (route, engine, rooms): (&Route, &Engine, Rooms),
) -> Result<()> {
    let ends = Both::new(gpu, own, factors, route)?;
    if gpu.planned.is_some() {
        return Ok(());
    }
    for [first, count] in route.parts() {
        let Some(transform) = route.transform(own.lines, count) else { continue };
        let place = |operand: usize| own.lines.place(operand, first);
        let (mut memories, mut starts) = (own.users, [place(0), place(1)]);
        let room = |operand: usize| rooms.get(1 - operand).map(Array::memory);
        let through = [route.ends, route.begins];
        for operand in 0..2 {
            if let Some(room) = room(operand).filter(|_| through[operand]) {
                (memories[operand], starts[operand]) = (room, 0);
            }
        }
        ends.launch(gpu, false, [first, count], [memories[1], own.users[1]])?;
        let part = Part { transform, memories, starts, positive: route.positive };
        // SAFETY: lines of the arrays lie within their memories, as the route has them from the call's layouts; rooms hold as many
        // lines as a part has, and no other kernels under way use them.
        unsafe { engine.run(gpu, &part, rooms.get(2))? };
        ends.launch(gpu, true, [first, count], [own.users[0], memories[0]])?;
    }
    rooms.keep(gpu);
    Ok(())
}

/// The kernels before and behind the library, where they are needed.
struct Both<'a> {
    call: Call<'a>,
    lines: &'a Lines,
    kernels: [Option<(Ends, Kernel)>; 2],
    constants: Vec<FactorOf<'a>>,
}

impl<'a> Both<'a> {
    /// Builds them.
    fn new(gpu: &Gpu, own: &Own<'a>, factors: &'a Factors<'_>, route: &'a Route) -> Result<Self> {
        let Own { fourier, dtype, lines, .. } = *own;
        let call = Call { fourier, dtype, lines, route, align: own::alignment(own) };
        let element = Element(dtype);
        let (formula, constants) = Formula::update(factors, element);
        let plain = Factors::set();
        let variants = [
            route.begins.then(|| Ends::new(&call, false, (&Formula::update(&plain, element).0, 0))),
            route.ends.then(|| Ends::new(&call, true, (&formula, constants::count(&constants)))),
        ];
        let mut kernels = [None, None];
        for (place, variant) in kernels.iter_mut().zip(variants) {
            if let Some(variant) = variant {
                *place = gpu.built(&variant)?.map(|kernel| (variant, kernel));
            }
        }
        Ok(Self { call, lines, kernels, constants })
    }

    /// Enqueues one of them, if it is needed: for so many lines from the first on, into a memory and from another.
    fn launch(
        &self,
        gpu: &Gpu,
        behind: bool,
        [first, count]: [usize; 2],
        [to, from]: [&Memory; 2],
    ) -> Result<()> {
        let Some((variant, kernel)) = &self.kernels[usize::from(behind)] else { return Ok(()) };
        let Call { fourier, dtype, .. } = self.call;
        let starts = self.lines.starts;
        let starts = if behind { [starts[0], 0] } else { [0, starts[1]] };
        let extent = Ends::extent(&self.call, behind);
        let mut arguments = Arguments::new(variant.arrays.is_wide());
        arguments.write(to, starts[0]);
        arguments.read(from, starts[1]);
        arguments.indices([first, count].map(|number| number as isize));
        arguments.indices(own::ends(fourier));
        let [outer_0, outer_1] = self.call.route.outer;
        let numbers_of_lines = [fourier.points(), extent, outer_0, outer_1];
        arguments.indices(numbers_of_lines.map(|number| number as isize));
        if variant.arrays.takes_numbers() {
            arguments.indices(numbers(self.lines));
        }
        arguments.numbers(&own::scales(fourier), dtype.real());
        if behind {
            constants::push(&mut arguments, &self.constants, Element(dtype));
        }
        let grid = variant.grid(count, extent);
        // SAFETY: the arguments are those of `Ends::define`, in its order. Layouts lie within their memories, and the kernel stays
        // within the extents of the transform and of the other axes; lines from `first` on are `count` of them, for which there
        // is room.
        unsafe { gpu.enqueue(kernel, grid, &arguments) }
    }
}
