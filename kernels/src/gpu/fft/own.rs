//! Fourier transforms by kernels of our own: in one launch where a line fits local memory, else in several passes, with room for
//! what goes from one to the next.

use arrayspan_bridge::DType;
use arrayspan_bridge::devices::{Grid, Memory};
use arrayspan_bridge::iteration::{Arguments, WIDEST, address};
use num_complex::Complex64;

use super::super::element::Element;
use super::super::formula::Formula;
use super::super::line_arrays::numbers;
use super::super::table_key::Key;
use super::super::{Gpu, constants};
use super::kernel::{Common, Variant};
use super::rooms::Rooms;
use super::tables::{Pass, Table};
use crate::Result;
use crate::factors::{FactorOf, Factors};
use crate::fourier::{Lines, Schedule};
use crate::{Fourier, Signals};

/// The lines of a call: those of `y`, and those of `x`.
pub(super) struct Own<'a> {
    pub(super) fourier: &'a Fourier,
    /// That of complex numbers of the precision.
    pub(super) dtype: DType,
    pub(super) lines: &'a Lines,
    pub(super) schedule: &'a Schedule,
    pub(super) users: [&'a Memory; 2],
}

impl Own<'_> {
    /// The bytes of both arrays.
    pub(super) fn user_bytes(&self) -> usize {
        let [from, to] = self.fourier.extents();
        let [of_x, of_y] = self.fourier.dtypes(self.dtype).map(DType::bytes);
        let line = from.saturating_mul(of_x).saturating_add(to.saturating_mul(of_y));
        self.lines.count().saturating_mul(line)
    }
}

/// Transforms them; the last pass updates `y`.
pub(super) fn run(gpu: &Gpu, own: &Own<'_>, factors: &Factors<'_>) -> Result<()> {
    let Own { fourier, dtype, lines, schedule, users } = *own;
    let table = Table::new(schedule, fourier);
    let constants = Formula::update(factors, Element(dtype)).1;
    let total = schedule.count();
    let places = table.places();
    let align = alignment(own);
    let in_pairs = |operand: usize| {
        let aligned = address(users[operand]).is_multiple_of(dtype.bytes());
        aligned && lines.are_in_pairs(operand)
    };
    let pairs = [in_pairs(0), in_pairs(1)];
    let common = Common { fourier, dtype, lines, schedule, align, pairs };
    let variants = variants(&common, &places, factors);
    let mut kernels = Vec::with_capacity(total);
    for variant in &variants {
        kernels.extend(gpu.built(variant)?);
    }
    if kernels.len() < total {
        // Nothing is launched.
        return Ok(());
    }
    let uploaded = gpu.tables(Key::Fourier(table, dtype))?;
    let bytes = schedule.at_once.saturating_mul(schedule.room()).saturating_mul(dtype.bytes());
    let rooms = Rooms::of(gpu, &vec![bytes; schedule.rooms()])?;
    let between = |pass: usize| rooms.get(pass % schedule.rooms().max(1));
    for first in (0..schedule.lines).step_by(schedule.at_once) {
        let count = schedule.at_once.min(schedule.lines - first);
        for (number, (variant, kernel)) in variants.iter().zip(&kernels).enumerate() {
            let last = number + 1 == total;
            let mut arguments = Arguments::new(variant.arrays.is_wide());
            match between(number) {
                Some(room) if !last => arguments.write(room.memory(), 0),
                _ => arguments.write(users[0], lines.starts[0]),
            }
            match number.checked_sub(1).and_then(between) {
                Some(room) => arguments.read(room.memory(), 0),
                None => arguments.read(users[1], lines.starts[1]),
            }
            arguments.read(uploaded.1.memory(), 0);
            arguments.indices([first, count].map(|number| number as isize));
            arguments.indices(ends(fourier));
            if variant.arrays.takes_numbers() {
                arguments.indices(numbers(lines));
            }
            let constants: &[FactorOf<'_>] = if last { &constants } else { &[] };
            arguments.numbers(&scales(fourier), dtype.real());
            constants::push(&mut arguments, constants, Element(dtype));
            let [groups, threads] = variant.groups(count);
            let grid = Grid { groups: [groups, 1, 1], threads: [threads, 1, 1] };
            // SAFETY: the arguments are those of `Variant::define`, in its order. Layouts lie within their memories, and the kernel
            // stays within the extents of the transform and of the other axes; lines from `first` on are `count` of them. The rooms
            // hold what passes leave of as many lines, and no other kernels under way use them; the table is that of the
            // schedule.
            unsafe { gpu.enqueue(kernel, grid, &arguments)? };
        }
    }
    rooms.keep(gpu);
    Ok(())
}

/// The kernels of all passes; the last one updates the output.
pub(in crate::gpu) fn variants(
    common: &Common<'_>,
    places: &[Pass],
    factors: &Factors<'_>,
) -> Vec<Variant> {
    let element = Element(common.dtype);
    let (formula, constants) = Formula::update(factors, element);
    let plain = Factors::set();
    let (between, _) = Formula::update(&plain, element);
    let total = common.schedule.count();
    let variant = |number: usize| {
        let formula = if number + 1 == total { &formula } else { &between };
        Variant::new(common, number, places, (formula, constants::count(&constants)))
    };
    (0..total).map(variant).collect()
}

/// How many elements there are along the axis of `y`, the place of its first one, and the same of `x`.
pub(super) fn ends(fourier: &Fourier) -> [isize; 4] {
    let (bins, extent, [signal, spectrum]) = (fourier.bins(), fourier.extent(), fourier.turns());
    let spectra = [bins, (bins - spectrum) % bins];
    let signals = [extent, signal];
    let [y, x] = if fourier.is_inverse() { [signals, spectra] } else { [spectra, signals] };
    [y[0], y[1], x[0], x[1]].map(|number| number as isize)
}

/// The scale, and that of bins that stand for two: theirs together where results are bins, else half their weight.
pub(super) fn scales(fourier: &Fourier) -> [Complex64; 2] {
    let (scale, inner) = (fourier.scale(), fourier.inner());
    let inner = match (fourier.signals(), fourier.is_inverse()) {
        (Signals::Half | Signals::Cosines, false) => inner * scale,
        (Signals::Half | Signals::Cosines, true) => inner / 2.0,
        _ => 1.0,
    };
    [scale, inner].map(Complex64::from)
}

/// How the elements of `y` and `x` are aligned, at most as they are large.
pub(super) fn alignment(own: &Own<'_>) -> [usize; 2] {
    let Own { fourier, dtype, lines, users, .. } = *own;
    let [of_x, of_y] = fourier.dtypes(dtype);
    let aligned = |operand: usize, dtype: DType| {
        aligned(address(users[operand]), lines.starts[operand], dtype.bytes())
    };
    [aligned(0, of_y), aligned(1, of_x)]
}

/// How elements of so many bytes are aligned, of which the first has that place in a block at that address.
pub(in crate::gpu) fn aligned(address: usize, place: usize, bytes: usize) -> usize {
    let (first, most) = (address | (place * bytes), bytes.min(WIDEST));
    if first == 0 { most } else { most.min(1 << first.trailing_zeros()) }
}
