//! How a result is combined with the old content of its output.

use std::ops::{Mul, Neg};

use arrayspan_bridge::{Array, ScalarView, SharedArray, View};
use num_complex::Complex64;

use crate::{Expression, constant, input, previous};

/// `y ← alpha · result + beta · y`. With `beta = 0` the old `y` counts for nothing, so it may be anything.
///
/// Factors are numbers of the host, or arrays of one element where the output lives, such as the results of reductions.
/// These are read when the call runs, not when it is made, so nothing waits for them; a [`Plan`](crate::Plan) finds new values
/// at each replay.
///
/// ```
/// use arrayspan_kernels::bridge::Array;
/// use arrayspan_kernels::{Factor, Update, Vector, on};
///
/// let x = Array::from_slice(&[3.0, 4.0], [2])?;
/// let mut y = Array::from_slice(&[1.0, 1.0], [2])?;
/// let length = x.norm()?; // stays on the device
/// let on = on(x.device())?;
/// on.copy(x.view(), y.view_mut(), Update::new(1.0, -Factor::from(&length)))?; // y ← x - ‖x‖ y
/// assert_eq!(y.to_vec::<f64>()?, [-2.0, -1.0]);
/// # Ok::<(), arrayspan_kernels::Error>(())
/// ```
///
/// What a factor is read from is borrowed, so it is no part of the output:
///
/// ```compile_fail,E0502
/// # use arrayspan_kernels::{Executor, Result, Update, bridge::Array};
/// # fn f(on: &dyn Executor, x: &Array, mut y: Array) -> Result<()> {
/// on.copy(x.view(), y.view_mut(), Update::new(&y, 0.0))
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Update<'a> {
    /// Multiplies the result. Real for real dtypes.
    pub alpha: Factor<'a>,
    /// Multiplies what was there. Real for real dtypes.
    pub beta: Factor<'a>,
}

/// A number that multiplies arrays: one of the host, an array of one element on the device, or the product of both.
///
/// One on the device is of the dtype of the elements, or of a real one at least as wide as their parts (if both factors of an
/// update are of dtypes other than the elements', these are the same), and is rounded to it. Where it is 0, what it multiplies
/// in an update's old content counts for nothing; where it is not finite, results are what arithmetic makes of it. (A number of
/// the host must be finite in that dtype.)
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Factor<'a> {
    number: Complex64,
    array: Source<'a>,
}

/// What stands beside the number.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Source<'a> {
    Nothing,
    Scalar(ScalarView<'a>),
    /// An array of so many elements, which every verb refuses.
    Elements(usize),
}

impl<'a> Update<'a> {
    /// `y ← result`.
    #[must_use]
    pub fn set() -> Self {
        Self { alpha: Factor::ONE, beta: Factor::ZERO }
    }

    /// `y ← y + result`.
    #[must_use]
    pub fn add() -> Self {
        Self { alpha: Factor::ONE, beta: Factor::ONE }
    }

    /// `y ← alpha · result + beta · y`.
    pub fn new(alpha: impl Into<Factor<'a>>, beta: impl Into<Factor<'a>>) -> Self {
        Self { alpha: alpha.into(), beta: beta.into() }
    }

    /// The same with the result multiplied by `factor` first.
    #[must_use]
    pub fn scaled(self, factor: Complex64) -> Self {
        Self { alpha: self.alpha * factor, ..self }
    }

    /// The update for a further term of a sum whose first term used `self`.
    #[must_use]
    pub fn then_add(self) -> Self {
        Self { beta: Factor::ONE, ..self }
    }

    /// Whether the old content is read, if only to be multiplied by a zero on the device.
    #[must_use]
    pub fn reads(self) -> bool {
        self.beta != Factor::ZERO
    }

    /// Whether a real dtype can hold both factors.
    #[must_use]
    pub fn is_real(self) -> bool {
        self.alpha.is_real() && self.beta.is_real()
    }

    /// Alpha and beta, if both are numbers of the host.
    #[must_use]
    pub fn known(self) -> Option<[Complex64; 2]> {
        Some([self.alpha.known()?, self.beta.known()?])
    }

    /// `alpha · result + beta · previous` as an expression, which reads nothing where `beta` is known to be 0. Numbers on the
    /// device are pushed behind its inputs. Factors known to be 1 are left out: multiplying a complex infinity by them would
    /// give NaN.
    #[must_use]
    pub fn expression(self, result: Expression, inputs: &mut Vec<View<'a>>) -> Expression {
        self.pushed(inputs).of(result, Complex64::ONE)
    }

    /// For [`expression`](Self::expression) of several results: numbers on the device are pushed once.
    pub(crate) fn pushed(self, inputs: &mut Vec<View<'a>>) -> Pushed {
        let alpha = Factor { number: Complex64::ONE, ..self.alpha };
        let alpha = alpha.known().is_none().then(|| alpha.expression(inputs));
        let old = match self.beta {
            beta if beta == Factor::ZERO => None,
            beta if beta == Factor::ONE => Some(previous()),
            beta if beta.known().is_some() => Some(beta.expression(inputs) * previous()),
            beta => Some(previous().mul_or_zero(beta.expression(inputs))),
        };
        Pushed { number: self.alpha.number, alpha, old }
    }
}

/// An update whose numbers on the device are inputs of expressions.
pub(crate) struct Pushed {
    /// Alpha is this number, times one on the device if there is one.
    number: Complex64,
    alpha: Option<Expression>,
    /// What comes of the old content.
    old: Option<Expression>,
}

impl Pushed {
    /// `alpha · scale · result + beta · previous`, where alpha and the scale are one number.
    pub(crate) fn of(&self, result: Expression, scale: Complex64) -> Expression {
        let number = self.number * scale;
        let alpha = match (&self.alpha, number == Complex64::ONE) {
            (None, true) => None,
            (None, false) => Some(constant(number)),
            (Some(alpha), true) => Some(alpha.clone()),
            (Some(alpha), false) => Some(constant(number) * alpha.clone()),
        };
        let new = match alpha {
            None => result,
            Some(alpha) => alpha * result,
        };
        match &self.old {
            None => new,
            Some(old) => new + old.clone(),
        }
    }
}

impl<'a> Factor<'a> {
    /// 0
    pub const ZERO: Self = Self { number: Complex64::ZERO, array: Source::Nothing };
    /// 1
    pub const ONE: Self = Self { number: Complex64::ONE, array: Source::Nothing };

    /// Its value, if it is a number of the host.
    #[must_use]
    pub fn known(self) -> Option<Complex64> {
        (self.array == Source::Nothing).then_some(self.number)
    }

    /// The number of the host: the factor, or what multiplies that on the device.
    #[must_use]
    pub fn number(self) -> Complex64 {
        self.number
    }

    /// The number on the device, if there is one; or how many elements the array has that was given for it.
    #[must_use]
    pub fn on_device(self) -> Option<Result<ScalarView<'a>, usize>> {
        match self.array {
            Source::Nothing => None,
            Source::Scalar(scalar) => Some(Ok(scalar)),
            Source::Elements(count) => Some(Err(count)),
        }
    }

    /// It as an expression; a number on the device is a further input.
    fn expression(self, inputs: &mut Vec<View<'a>>) -> Expression {
        let Source::Scalar(scalar) = self.array else { return constant(self.number) };
        inputs.push(scalar.view());
        let scalar = input(inputs.len() - 1);
        if self.number == Complex64::ONE { scalar } else { constant(self.number) * scalar }
    }

    /// Whether it has no imaginary part, of whatever value a complex one on the device is.
    #[must_use]
    pub fn is_real(self) -> bool {
        let complex = |scalar: ScalarView<'_>| scalar.dtype().is_complex();
        self.number.im == 0.0 && !matches!(self.array, Source::Scalar(scalar) if complex(scalar))
    }
}

impl From<f64> for Factor<'_> {
    fn from(number: f64) -> Self {
        Complex64::from(number).into()
    }
}

impl From<Complex64> for Factor<'_> {
    fn from(number: Complex64) -> Self {
        Self { number, array: Source::Nothing }
    }
}

impl<'a> From<View<'a>> for Factor<'a> {
    fn from(view: View<'a>) -> Self {
        let elements = Source::Elements(view.layout().len());
        let array = ScalarView::of(&view).map_or(elements, Source::Scalar);
        Self { number: Complex64::ONE, array }
    }
}

impl<'a> From<&View<'a>> for Factor<'a> {
    fn from(view: &View<'a>) -> Self {
        view.clone().into()
    }
}

impl<'a> From<&'a Array> for Factor<'a> {
    fn from(array: &'a Array) -> Self {
        array.view().into()
    }
}

impl<'a> From<&'a SharedArray> for Factor<'a> {
    fn from(array: &'a SharedArray) -> Self {
        array.view().into()
    }
}

impl<'a> From<ScalarView<'a>> for Factor<'a> {
    fn from(scalar: ScalarView<'a>) -> Self {
        Self { number: Complex64::ONE, array: Source::Scalar(scalar) }
    }
}

impl Mul<Complex64> for Factor<'_> {
    type Output = Self;

    /// A number times 0 is 0, also one that nobody has read.
    fn mul(self, number: Complex64) -> Self {
        if number == Complex64::ZERO {
            Self::ZERO
        } else {
            Self { number: self.number * number, ..self }
        }
    }
}

impl Mul<f64> for Factor<'_> {
    type Output = Self;

    fn mul(self, number: f64) -> Self {
        self * Complex64::from(number)
    }
}

impl Neg for Factor<'_> {
    type Output = Self;

    fn neg(self) -> Self {
        Self { number: -self.number, ..self }
    }
}
