//! `y ← alpha · F x + beta · y` with a long filter along an axis, on the host: parts of lines are gathered, a few lines at a time where
//! they lie side by side, filtered in memory near the core, and written.

mod several;

use arrayspan_bridge::{DType, Lanes, LanesMut};
use bytemuck::Pod;
use num_complex::{Complex, Complex64};

use crate::Result;
use crate::factors::Known;
use crate::filter::{Blocks, Filter};
use crate::host::fft::kind::Kind;
use crate::host::fft::lines::Sample;
use crate::host::fft::plans::{Plan, Planned};
use crate::host::fft::together::{NEAR, fill, width};
use crate::host::fft::{are_shared, arranged, block};
use crate::host::operands::values;
use crate::host::parts::{advance, for_each_block};
use crate::host::scalar::Scalar;
use crate::host::scan_sums::Store;
use crate::host::side_by_side::{self, Span};
use crate::host::stored::Stored;
use crate::host::tile::Blend;
use crate::verb::FilterCall;

/// Bytes of a line's part at most.
const ROOM: usize = 128 << 10;

/// Bytes of lines side by side that are filtered together.
const TILE: usize = 256 << 10;

/// Bytes of a row of samples that lines side by side have: a cache line is read once.
const ROW: usize = 64;

pub(super) fn run(call: &mut FilterCall<'_>) -> Result<()> {
    if call.y.layout().is_empty() {
        return Ok(());
    }
    let known = values(&call.factors)?;
    match call.y.dtype() {
        DType::Float32 => lines::<f32, f32>(call, known),
        DType::Float64 => lines::<f64, f64>(call, known),
        DType::Complex64 if known.is_real() => lines::<Complex<f32>, f32>(call, known),
        DType::Complex64 => lines::<Complex<f32>, Complex<f32>>(call, known),
        _ if known.is_real() => lines::<Complex64, f64>(call, known),
        _ => lines::<Complex64, Complex64>(call, known),
    }
}

/// Filters lines of `S`, times factors of type `L`: that of the results, or their parts.
fn lines<S: Spectral, L: Scalar>(call: &mut FilterCall<'_>, known: Known) -> Result<()> {
    let (extent, dtype) = (call.extent(), call.y.dtype());
    let axis = call.filter.axis();
    let (x, mut y, across) = arranged(axis, call.x.view(), call.y.view_mut())?;
    let y = y.lanes_mut::<S>()?;
    let line = y.shape().len() - 2;
    let (blocks, several) = divided::<S>(&call.filter, extent, (y.shape(), across));
    let response = call.filter.response(blocks.samples, dtype, 1.0 / blocks.samples as f64);
    let plans = S::plans(blocks.samples, several);
    let bytes = blocks.samples * size_of::<S>();
    let tile = match (&plans, across) {
        ([Plan::Together(_), _], false) => width::<S::Precision>(),
        ([Plan::Together(_), _], true) => {
            let most = (TILE / bytes).max(2 * ROW / size_of::<S>());
            most.min(y.shape()[line]).next_multiple_of(width::<S::Precision>())
        }
        (_, true) => (ROW / size_of::<S>()).min(y.shape()[line]),
        (_, false) => 1,
    };
    let parts = Parts {
        x: x.lanes::<S>()?,
        extent,
        before: call.filter.before(),
        overlap: call.filter.overlap(),
        blocks,
        plans,
        response: response.into_iter().map(S::bin).collect(),
        store: Store {
            alpha: L::rounded(known.alpha),
            beta: Blend::new(L::rounded(known.beta)),
            plain: known.alpha == Complex64::ONE && !known.reads(),
        },
        across,
        tile,
    };
    let points = blocks.samples.saturating_mul(2 * blocks.count);
    let block = block(y.shape(), points, 2 * size_of::<S>(), tile);
    for_each_block(y, block, &|origin: &[usize], y: LanesMut<'_, S>| parts.filter(origin, y));
    Ok(())
}

/// The blocks of lines of results of that shape, and whether these are filtered several at once.
fn divided<S: Spectral>(
    filter: &Filter,
    extent: usize,
    (shape, across): (&[usize], bool),
) -> (Blocks, bool) {
    let near = NEAR / (4 * width::<S::Precision>());
    let blocks = filter.blocks(extent, S::DTYPE, (near, false));
    let points = if S::DTYPE.is_complex() { blocks.samples } else { blocks.samples.div_ceil(2) };
    let (width, bytes) = (width::<S::Precision>(), 2 * size_of::<S>());
    let all = blocks.samples.saturating_mul(2 * blocks.count);
    if fill::<S::Precision>(shape[shape.len() - 2], points, across)
        && are_shared(shape, all, bytes, width)
    {
        return (blocks, true);
    }
    (filter.blocks(extent, S::DTYPE, (ROOM, false)), false)
}

/// A sample whose lines are filtered by their spectra.
trait Spectral: Scalar + Stored<Number = Self> + Pod + Sample<Self::Precision> {
    type Precision: Planned + Sample<Self::Precision>;

    /// There and back, for several lines at once if they are to be.
    fn plans(samples: usize, several: bool) -> [Plan<Self::Precision>; 2];
    fn bin(bin: Complex64) -> Complex<Self::Precision>;
    fn filter(
        plans: &[Plan<Self::Precision>; 2],
        response: &[Complex<Self::Precision>],
        samples: &mut [Self],
        room: &mut Room<Self::Precision>,
    );
}

/// Room for the spectrum of a part of a line.
struct Room<T> {
    bins: Vec<Complex<T>>,
    scratch: Vec<Complex<T>>,
}

macro_rules! spectral {
    ($($real:ty)*) => {$(
        impl Spectral for $real {
            type Precision = $real;

            fn plans(samples: usize, several: bool) -> [Plan<$real>; 2] {
                [Kind::ToHalf, Kind::FromHalf].map(|kind| <$real as Planned>::plans().get(kind, several, samples))
            }

            fn bin(bin: Complex64) -> Complex<$real> {
                Complex::new(bin.re as $real, bin.im as $real)
            }

            fn filter(
                plans: &[Plan<$real>; 2],
                response: &[Complex<$real>],
                samples: &mut [Self],
                Room { bins, scratch }: &mut Room<$real>,
            ) {
                let [Plan::ToHalf(there), Plan::FromHalf(back)] = plans else { return };
                // No plan fails: lengths are theirs, and what must be zero is.
                let done = there.process_with_scratch(samples, bins, scratch);
                debug_assert!(done.is_ok(), "{done:?}");
                bins.iter_mut().zip(response).for_each(|(bin, own)| *bin *= own);
                bins[0].im = 0.0;
                if samples.len().is_multiple_of(2) {
                    bins[samples.len() / 2].im = 0.0;
                }
                let done = back.process_with_scratch(bins, samples, scratch);
                debug_assert!(done.is_ok(), "{done:?}");
            }
        }

        impl Spectral for Complex<$real> {
            type Precision = $real;

            fn plans(samples: usize, several: bool) -> [Plan<$real>; 2] {
                [false, true].map(|positive| {
                    <$real as Planned>::plans().get(Kind::Complex { positive }, several, samples)
                })
            }

            fn bin(bin: Complex64) -> Self {
                <$real>::bin(bin)
            }

            fn filter(
                plans: &[Plan<$real>; 2],
                response: &[Self],
                samples: &mut [Self],
                Room { scratch, .. }: &mut Room<$real>,
            ) {
                let [Plan::Complex(there), Plan::Complex(back)] = plans else { return };
                there.process_with_scratch(samples, scratch);
                samples.iter_mut().zip(response).for_each(|(bin, own)| *bin *= own);
                back.process_with_scratch(samples, scratch);
            }
        }
    )*};
}

spectral! { f32 f64 }

/// What is done to parts of lines.
struct Parts<'a, S: Spectral, L> {
    /// The axis of the filter last, lines along the one before.
    x: Lanes<'a, S>,
    extent: usize,
    before: usize,
    overlap: usize,
    blocks: Blocks,
    plans: [Plan<S::Precision>; 2],
    response: Vec<Complex<S::Precision>>,
    store: Store<L>,
    /// Whether neighbours are of several lines, of which so many are gathered together.
    across: bool,
    tile: usize,
}

impl<S: Spectral, L: Scalar> Parts<'_, S, L> {
    /// Filters the lines of an output that begins there.
    fn filter(&self, origin: &[usize], mut y: LanesMut<'_, S>) {
        if let [Plan::Together(there), Plan::Together(back)] = &self.plans {
            return self.several(origin, y, [there, back]);
        }
        let Blocks { samples, results, count } = self.blocks;
        let shape = y.shape().to_vec();
        let line = shape.len() - 2;
        let mut held = vec![S::default(); self.tile * samples];
        let scratch = self.plans.iter().map(Plan::scratch).max().unwrap_or(0);
        let mut room = Room {
            bins: vec![Complex::default(); self.response.len()],
            scratch: vec![Complex::default(); scratch],
        };
        let mut row = Vec::new();
        let mut index = vec![0; shape.len()];
        loop {
            for first in (0..shape[line]).step_by(self.tile) {
                let lines = self.tile.min(shape[line] - first);
                index[line] = first;
                for begin in (0..count).map(|block| block * results) {
                    let at: Vec<usize> = origin.iter().zip(&index).map(|(a, b)| a + b).collect();
                    self.gather(at, lines, begin, &mut held, &mut row);
                    for part in held.chunks_mut(samples).take(lines) {
                        S::filter(&self.plans, &self.response, part, &mut room);
                    }
                    let len = results.min(self.extent - begin);
                    self.scatter((&mut y, &mut index), lines, (begin, len), &held, &mut row);
                }
            }
            index[line] = 0;
            if !advance(&mut index[..line], &shape[..line]) {
                return;
            }
        }
    }

    /// The first sample that there is for results from `begin` on, where it goes, and how many there are.
    fn taken(&self, begin: usize) -> [usize; 3] {
        let samples = self.blocks.samples;
        let first = begin.saturating_sub(self.before);
        let skipped = self.before.saturating_sub(begin).min(samples);
        [first, skipped, (samples - skipped).min(self.extent.saturating_sub(first))]
    }

    /// Fills parts of lines with what results from `begin` on need, zeros beyond the axis.
    fn gather(
        &self,
        mut at: Vec<usize>,
        lines: usize,
        begin: usize,
        held: &mut [S],
        row: &mut Vec<S>,
    ) {
        let (line, axis, samples) = (at.len() - 2, at.len() - 1, self.blocks.samples);
        let [first, skipped, len] = self.taken(begin);
        if len < samples {
            held[..lines * samples].fill(S::default());
        }
        if self.across {
            let span = Span { place: first, at: skipped, len, pitch: samples };
            return side_by_side::gather(&self.x, &mut at, (span, lines), row, held, |x| x);
        }
        let own = at[line];
        for (number, part) in held.chunks_mut(samples).take(lines).enumerate() {
            (at[line], at[axis]) = (own + number, first);
            if len > 0 {
                self.x.lane(&at, axis, len).gather(0, &mut part[skipped..skipped + len]);
            }
        }
    }

    /// Writes results of lines, `len` from `begin` on: what follows the first samples of parts.
    fn scatter(
        &self,
        (y, index): (&mut LanesMut<'_, S>, &mut [usize]),
        lines: usize,
        (begin, len): (usize, usize),
        held: &[S],
        row: &mut Vec<S>,
    ) {
        let (line, axis) = (index.len() - 2, index.len() - 1);
        let samples = self.blocks.samples;
        let (own, beyond) = (index[line], self.overlap);
        if self.across {
            let span = Span { place: begin, at: beyond, len, pitch: samples };
            let store = (&self.store, |part| part);
            side_by_side::scatter((y, &mut *index), (span, lines), row, held, store);
        } else {
            for (number, part) in held.chunks(samples).take(lines).enumerate() {
                (index[line], index[axis]) = (own + number, begin);
                self.store.put(&mut y.lane(index, axis, len), 0, &part[beyond..beyond + len]);
            }
        }
        (index[line], index[axis]) = (own, 0);
    }
}
