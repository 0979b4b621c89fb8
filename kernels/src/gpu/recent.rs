//! The stencils that were launched last. A call like one of them takes its kernel, its grid and its numbers from there:
//! nothing is planned again, and nothing is hashed.

use arrayspan_bridge::devices::{Argument, Grid, Kernel, Memory, Specialisation, WeakKernel};
use arrayspan_bridge::iteration::{Arguments, WIDEST, address};
use arrayspan_bridge::{DType, Layout};
use parking_lot::Mutex;
use smallvec::SmallVec;

use super::Gpu;
use crate::Result;
use crate::factors::Known;
use crate::verb::{StencilCall, WeakStencil};

/// More stencils than most programs apply in turns; so few that they are looked through in no time.
const MOST: usize = 8;

/// The arguments of a launch of a few axes, without a block on the heap.
type Few<T> = SmallVec<[T; 16]>;

/// The launches of stencils that an executor was asked for last. They keep nothing alive: a stencil that has gone is not asked
/// for again, and a kernel that a recovery has unloaded is built anew.
#[derive(Debug, Default)]
pub(super) struct Recent(Mutex<Entries>);

#[derive(Debug, Default)]
struct Entries {
    all: Vec<Entry>,
    /// Which makes room for the next one, once there are as many as are kept.
    oldest: usize,
}

#[derive(Debug)]
struct Entry {
    key: Key,
    kernel: WeakKernel,
    grid: Grid,
    /// Where the first elements of output and input are.
    places: [Argument<'static>; 2],
    /// The arguments behind the arrays.
    numbers: Few<Argument<'static>>,
}

/// All that a launch depends on, beside the device.
#[derive(Debug)]
struct Key {
    stencil: WeakStencil,
    dtype: DType,
    /// Those of output and input.
    layouts: [Layout; 2],
    /// How far the blocks are from where every access is aligned.
    apart: [usize; 2],
    /// Those of the factors: a zero is not one of the other sign.
    bits: [u64; 4],
}

impl Key {
    fn is(&self, call: &StencilCall<'_>, bits: [u64; 4]) -> bool {
        self.stencil.is(&call.stencil)
            && self.dtype == call.y.dtype()
            && self.bits == bits
            && self.apart == blocks(call).map(apart)
            && self.layouts[0] == *call.y.layout()
            && self.layouts[1] == *call.x.layout()
    }
}

fn bits(Known { alpha, beta }: Known) -> [u64; 4] {
    [alpha.re, alpha.im, beta.re, beta.im].map(f64::to_bits)
}

fn blocks<'c>(call: &'c StencilCall<'_>) -> [&'c Memory; 2] {
    [call.y.memory(), call.x.memory()]
}

fn apart(memory: &Memory) -> usize {
    address(memory) % WIDEST
}

impl Gpu {
    /// Enqueues a call as one like it was before; `None` if there was none.
    pub(super) fn stencil_again(&self, call: &StencilCall<'_>) -> Option<Result<()>> {
        if self.planned.is_some() || call.norm.is_some() {
            return None;
        }
        let bits = bits(call.factors.known()?);
        let (kernel, grid, arguments) = {
            // A thread that finds it locked plans its call, which is quicker than to wait for long.
            let entries = self.recent.0.try_lock()?;
            let entry = entries.all.iter().find(|entry| entry.key.is(call, bits))?;
            let kernel = entry.kernel.upgrade()?;
            let [y, x] = blocks(call);
            let [y_at, x_at] = entry.places;
            let mut arguments: Few<Argument<'_>> = SmallVec::new();
            arguments.extend([Argument::Write(y), y_at, Argument::Read(x), x_at]);
            arguments.extend_from_slice(&entry.numbers);
            (kernel, entry.grid, arguments)
        };
        // SAFETY: the arguments are those of the launch before but for the blocks, and these hold the same layouts, as
        // aligned as those did: all that decided on the kernel, the grid and the numbers is the same.
        Some(unsafe { self.queue(&kernel, grid, &arguments) })
    }

    /// Enqueues the kernel of a stencil, as [`launch`](Gpu::launch) does, for the next call like this one to find.
    ///
    /// # Safety
    /// As there; and another call of the same stencil, dtype, layouts, alignment and factors has the same `variant`, `grid`
    /// and `arguments` but for its blocks.
    pub(super) unsafe fn launch_stencil(
        &self,
        call: &StencilCall<'_>,
        variant: &impl Specialisation,
        grid: Grid,
        arguments: &Arguments<'_>,
    ) -> Result<()> {
        let Some(kernel) = self.built(variant)? else { return Ok(()) };
        self.recent.keep(call, &kernel, grid, arguments.list());
        // SAFETY: passed on to the caller.
        unsafe { self.queue(&kernel, grid, arguments.list()) }
    }
}

impl Recent {
    /// Keeps a launch, unless it has other arguments than two arrays and numbers.
    fn keep(
        &self,
        call: &StencilCall<'_>,
        kernel: &Kernel,
        grid: Grid,
        arguments: &[Argument<'_>],
    ) {
        let (Some(known), [Argument::Write(y), y_at, Argument::Read(x), x_at, rest @ ..]) =
            (call.factors.known(), arguments)
        else {
            return;
        };
        let [to, from] = blocks(call);
        let (Some(y_at), Some(x_at)) = (number(y_at), number(x_at)) else { return };
        let numbers: Option<Few<_>> = rest.iter().map(number).collect();
        let Some(numbers) = numbers.filter(|_| std::ptr::eq(*y, to) && std::ptr::eq(*x, from))
        else {
            return;
        };
        let bits = bits(known);
        let key = Key {
            stencil: call.stencil.downgrade(),
            dtype: call.y.dtype(),
            layouts: [call.y.layout().clone(), call.x.layout().clone()],
            apart: [to, from].map(apart),
            bits,
        };
        let places = [y_at, x_at];
        let entry = Entry { key, kernel: kernel.downgrade(), grid, places, numbers };
        let Some(mut entries) = self.0.try_lock() else { return };
        entries.keep(entry, |known| known.key.is(call, bits));
    }
}

impl Entries {
    /// In the place of one like it, whose kernel was unloaded; else, if there are too many, in that of the oldest.
    fn keep(&mut self, entry: Entry, is_like_it: impl Fn(&Entry) -> bool) {
        if let Some(known) = self.all.iter_mut().find(|known| is_like_it(known)) {
            *known = entry;
        } else if self.all.len() < MOST {
            self.all.push(entry);
        } else {
            self.all[self.oldest] = entry;
            self.oldest = (self.oldest + 1) % MOST;
        }
    }
}

/// An argument that is a number.
fn number(argument: &Argument<'_>) -> Option<Argument<'static>> {
    match *argument {
        Argument::Read(_) | Argument::Write(_) | Argument::Struct(_) => None,
        Argument::I32(value) => Some(Argument::I32(value)),
        Argument::I64(value) => Some(Argument::I64(value)),
        Argument::F32(value) => Some(Argument::F32(value)),
        Argument::F64(value) => Some(Argument::F64(value)),
    }
}
