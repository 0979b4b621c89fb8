//! Discrete Fourier transforms along an axis.

use arrayspan_bridge::devices::Access;
use arrayspan_bridge::{Operand, OperandMut, View, ViewMut};

use super::{OperandName, Verb, check};
use crate::factors::Factors;
use crate::fourier::{Limits, Lines, Schedule};
use crate::plan::{Moved, Operands};
use crate::{Cost, Fourier, Result, Update};

const NAME: &str = "fft";

/// `y ← alpha · F x + beta · y`, where `F` is a discrete Fourier transform of each line along an axis: a [`Fourier`].
///
/// | [`Signals`](crate::Signals) | signals | spectra |
/// |---|---|---|
/// | `Complex` | `Complex64`, `Complex128` | the same |
/// | `Real`, `Half` | `Float32`, `Float64` | `Complex64`, `Complex128` |
/// | `Cosines` | `Float32`, `Float64` | the same |
///
/// `x` has signals and `y` spectra, or the other way round.
///
/// On devices that run kernels, lines that do not fit local memory, and those whose length has prime factors above 13, take several passes. Every
/// device has room for 4096 complex numbers of 32 bits, or twice as many real samples, where lines lie one behind the other; GPUs are
/// asked for up to 48 KiB through OpenCL, and up to 144 KiB on CUDA. Between real samples and half a spectrum passes leave half as much. Room for
/// what goes from one to the next is the executor's, up to 256 MiB, or as much as one line takes: more lines are transformed in
/// parts, one after the other. It is kept for the next call, as the factors of a transform are, until memory is short.
///
/// On CUDA devices with cuFFT that library transforms what is large: where our own passes would read and write 48 MiB or more and
/// the library moves so much less that it is done before them. It gives the same but for rounding, and but for sums that the dtype does not
/// hold before they are scaled. What it does not know (scales, weights, turns, zeros, updates) a kernel before
/// it does, and one behind it, as where lines lie side by side, with up to 256 MiB of room, or as much as one line takes; it works in room of the executor, and its plans are kept, the 32 used last. `ARRAYSPAN_CUFFT=0` does without,
/// and [`Gpu::transforming`](crate::Gpu::transforming) makes an executor that does, or that has the library transform all that it takes. The cost of a call is always that of our own passes with the
/// local memory that every device has.
#[derive(Debug)]
pub struct FftCall<'a> {
    pub(crate) fourier: Fourier,
    pub(crate) x: Operand<'a>,
    pub(crate) y: OperandMut<'a>,
    pub(crate) factors: Factors<'a>,
}

impl<'a> FftCall<'a> {
    /// Checks the arguments.
    ///
    /// # Errors
    /// When `x` has not as many elements along the axis or `y` not as many results, dtypes are not those of the transform, which
    /// are none of 16 bits, or a scale, weight or factor does not fit them.
    pub fn new(fourier: &Fourier, x: View<'a>, y: ViewMut<'a>, update: Update<'a>) -> Result<Self> {
        check::computable(NAME, x.dtype())?;
        check::computable(NAME, y.dtype())?;
        let [of_x, of_y] = fourier.dtypes(y.dtype());
        check::dtype(NAME, "x", of_x, x.dtype())?;
        check::dtype(NAME, "y", of_y, y.dtype())?;
        let Some(range) = fourier.range_of(x.shape()) else {
            let (axis, [extent, _]) = (fourier.axis(), fourier.extents());
            let why = format!("x has shape {:?}, expected {extent} along axis {axis}", x.shape());
            return check::argument(NAME, why);
        };
        check::shape(NAME, "y", &range, y.shape())?;
        let factors = Factors::new(NAME, update, y.dtype())?;
        fourier.check(NAME, y.dtype())?;
        Ok(Self { fourier: *fourier, x: x.into(), y: y.into(), factors })
    }

    pub(super) fn held(&mut self) -> FftCall<'_> {
        let (fourier, x, factors) = (self.fourier, self.x.held(), self.factors.held());
        FftCall { fourier, x, y: self.y.held(), factors }
    }

    /// Its lines.
    pub(crate) fn lines(&self) -> Result<Lines> {
        Lines::new(&self.fourier, [self.y.layout(), self.x.layout()])
    }

    /// The passes over these on a device whose groups have so much local memory.
    pub(crate) fn schedule(&self, lines: &Lines, limits: Limits) -> Schedule {
        let across = lines.across.contains(&true);
        Schedule::new(limits, &self.fourier, self.y.dtype(), lines.count(), across)
    }

    /// Whether signals have no samples, so that `y` is only scaled, which [`Factors::cleared`] says.
    pub(crate) fn is_cleared(&self) -> bool {
        self.x.layout().is_empty()
    }
}

impl Verb for FftCall<'_> {
    fn name(&self) -> &'static str {
        NAME
    }

    fn for_each_operand(&self, visit: &mut dyn FnMut(OperandName, Access, &Operand<'_>)) {
        self.factors.visit_between(&self.x, &self.y, visit);
    }

    fn cost(&self) -> Cost {
        let mut cost = self.factors.cost(&self.x, &self.y);
        if self.y.layout().is_empty() || self.is_cleared() {
            return cost;
        }
        // Layouts of its axes are those of arrays, which there are.
        if let Ok(lines) = self.lines() {
            let schedule = self.schedule(&lines, Limits::LEAST);
            cost.launches = 0;
            cost += self.fourier.work(&schedule);
        }
        cost
    }
}

impl Operands for FftCall<'_> {
    fn move_operands(&mut self, moved: &Moved) {
        moved.read(&mut self.x);
        moved.written(&mut self.y);
        self.factors.move_operands(moved);
    }
}
