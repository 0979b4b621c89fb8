//! Discrete Fourier transforms along several axes.

use arrayspan_bridge::devices::Access;
use arrayspan_bridge::{DType, Operand, OperandMut, View, ViewMut};

use super::{FftCall, OperandName, Verb, check};
use crate::factors::Factors;
use crate::fourier::Limits;
use crate::plan::{Moved, Operands};
use crate::{Cost, Fourier, Result, Update};

const NAME: &str = "fft_axes";

/// `y ← alpha · Fₙ … F₁ x + beta · y`, where each `F` is a discrete Fourier transform along an axis of its own, a [`Fourier`], two or
/// three of them.
///
/// That is one [`fft`](FftCall) after the other, with an array for the result of each but the last. On CUDA devices cuFFT does all of
/// them at once, without these arrays, where they are along the last axes of arrays without gaps, all but that of the last axis from
/// complex numbers to as many in the order they are in, and our own passes would read and write 48 MiB or more; with room for as much as
/// is transformed where scales, weights, turns or updates take a pass of their own, up to 4 GiB. The arrays between then hold nothing of use,
/// and scales come behind all sums: what a dtype does not hold without them is infinite.
///
/// ```
/// use arrayspan_kernels::bridge::{Array, devices::Device};
/// use arrayspan_kernels::{Fourier, Update, on};
///
/// let x = Array::from_slice(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], [2, 3])?;
/// let rows = Fourier::new(1, 3)?.half();
/// let columns = Fourier::new(0, 2)?;
/// let on = on(Device::cpu())?;
/// // What comes out of the first: its shape, and its dtype.
/// let shape = rows.range_of(x.shape()).expect("as many elements along the axis");
/// let [_, dtype] = rows.dtypes(x.dtype());
/// let (mut between, mut y) = (on.empty(&shape, dtype)?, on.empty(&shape, dtype)?);
/// on.fft_axes(&[rows, columns], x.view(), [between.view_mut()], y.view_mut(), Update::set())?;
/// let y = y.to_vec::<num_complex::Complex64>()?;
/// assert!((y[0].re - 21.0).abs() < 1e-12 && (y[2].re + 9.0).abs() < 1e-12);
/// # Ok::<(), arrayspan_kernels::Error>(())
/// ```
#[derive(Debug)]
pub struct FftAxesCall<'a> {
    pub(crate) transforms: Vec<Fourier>,
    pub(crate) x: Operand<'a>,
    pub(crate) between: Vec<OperandMut<'a>>,
    pub(crate) y: OperandMut<'a>,
    pub(crate) factors: Factors<'a>,
}

impl<'a> FftAxesCall<'a> {
    /// Checks the arguments. `between` are arrays for what comes out of each transform but the last, whose content is lost: their shapes
    /// and dtypes are those of [`Fourier::range_of`] and [`Fourier::dtypes`].
    ///
    /// # Errors
    /// When there are less than two transforms or more than three, or two along one axis; there is not one array between each two; shapes
    /// or dtypes are not those of the transforms; or a scale, weight or factor does not fit them.
    pub fn new(
        transforms: &[Fourier],
        x: View<'a>,
        between: impl IntoIterator<Item = ViewMut<'a>>,
        y: ViewMut<'a>,
        update: Update<'a>,
    ) -> Result<Self> {
        let between: Vec<OperandMut<'a>> = between.into_iter().map(OperandMut::from).collect();
        let count = transforms.len();
        if !(2..=Fourier::MOST_JOINT).contains(&count) || between.len() + 1 != count {
            let why = format!(
                "{count} transforms with {} arrays between them, expected 2 to {} with one array less",
                between.len(),
                Fourier::MOST_JOINT
            );
            return check::argument(NAME, why);
        }
        for (number, fourier) in transforms.iter().enumerate() {
            let axis = fourier.axis();
            if transforms[..number].iter().any(|other| other.axis() == axis) {
                return check::argument(NAME, format!("two transforms along axis {axis}"));
            }
        }
        check::computable(NAME, y.dtype())?;
        let (mut shape, mut dtype) = (x.shape().to_vec(), x.dtype());
        if dtype.real() != y.dtype().real() {
            let why = format!("x is {dtype}, y {}: of one precision", y.dtype());
            return check::argument(NAME, why);
        }
        for (number, fourier) in transforms.iter().enumerate() {
            let source = if number == 0 { "x" } else { "between" };
            let Some(range) = fourier.range_of(&shape) else {
                let (axis, [extent, _]) = (fourier.axis(), fourier.extents());
                let why = if axis < shape.len() {
                    format!("{source} has shape {shape:?}, expected {extent} along axis {axis}")
                } else {
                    format!("{source} has shape {shape:?}, which has no axis {axis}")
                };
                return check::argument(NAME, why);
            };
            let [from, to] = fourier.dtypes(y.dtype());
            let (name, found): (_, (&[usize], DType)) = match between.get(number) {
                Some(array) => ("between", (array.shape(), array.dtype())),
                None => ("y", (y.shape(), y.dtype())),
            };
            check::dtype(NAME, source, from, dtype)?;
            check::dtype(NAME, name, to, found.1)?;
            check::shape(NAME, name, &range, found.0)?;
            fourier.check(NAME, y.dtype())?;
            (shape, dtype) = (range, to);
        }
        let factors = Factors::new(NAME, update, y.dtype())?;
        let transforms = transforms.to_vec();
        Ok(Self { transforms, x: x.into(), between, y: y.into(), factors })
    }

    pub(super) fn held(&mut self) -> FftAxesCall<'_> {
        FftAxesCall {
            transforms: self.transforms.clone(),
            x: self.x.held(),
            between: self.between.iter_mut().map(OperandMut::held).collect(),
            y: self.y.held(),
            factors: self.factors.held(),
        }
    }

    /// Has `run` do one transform after the other.
    pub(crate) fn each(
        &mut self,
        mut run: impl FnMut(&mut FftCall<'_>) -> Result<()>,
    ) -> Result<()> {
        let last = self.transforms.len() - 1;
        for (number, fourier) in self.transforms.iter().enumerate() {
            let (before, behind) = self.between.split_at_mut(number);
            let x = before.last().map_or(&self.x, OperandMut::as_operand).held();
            let y = behind.first_mut().unwrap_or(&mut self.y).held();
            let factors = if number == last { self.factors.held() } else { Factors::set() };
            run(&mut FftCall { fourier: *fourier, x, y, factors })?;
        }
        Ok(())
    }

    /// What it costs to transform along one axis after the other on a device whose groups have so much local memory.
    pub(crate) fn passes(&self, limits: Limits) -> Cost {
        let (mut cost, mut shape) = (Cost::default(), self.x.shape().to_vec());
        for fourier in &self.transforms {
            // Shapes are those of arrays, which there are.
            if let (Some(range), Ok(one)) =
                (fourier.range_of(&shape), fourier.cost_within(limits, &shape, self.y.dtype()))
            {
                cost += one;
                shape = range;
            }
        }
        cost
    }
}

impl Verb for FftAxesCall<'_> {
    fn name(&self) -> &'static str {
        NAME
    }

    fn for_each_operand(&self, visit: &mut dyn FnMut(OperandName, Access, &Operand<'_>)) {
        visit(OperandName::Named("x"), Access::Read, &self.x);
        self.factors.visit(visit);
        for array in &self.between {
            visit(OperandName::Named("between"), Access::Write, array.as_operand());
        }
        visit(OperandName::Named("y"), Access::Write, self.y.as_operand());
    }

    fn cost(&self) -> Cost {
        let updated = self.factors.cost(&self.x, &self.y);
        let mut cost = self.passes(Limits::LEAST);
        // What of `y` and of factors on the device is read.
        cost.bytes_read += updated.bytes_read.saturating_sub(crate::cost::read([&self.x]));
        cost
    }
}

impl Operands for FftAxesCall<'_> {
    fn move_operands(&mut self, moved: &Moved) {
        moved.read(&mut self.x);
        self.between.iter_mut().for_each(|array| moved.written(array));
        moved.written(&mut self.y);
        self.factors.move_operands(moved);
    }
}
