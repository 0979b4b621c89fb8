//! The factors of an update, as a call has them.

use arrayspan_bridge::devices::{Access, Device};
use arrayspan_bridge::{DType, Operand, OperandMut, View, ViewMut};
use num_complex::Complex64;

use crate::plan::Moved;
use crate::update::{Factor, Update};
use crate::verb::{MapCall, OperandName, check};
use crate::{Cost, Error, Expression, Fit, Result, constant, cost, fit, input, previous};

/// The factors of a call's update, checked.
#[derive(Debug)]
pub(crate) struct Factors<'a> {
    /// Those of the host: the factors, or what multiplies the numbers that are `loaded`.
    known: Known,
    /// What lives on the device. Boxed, because hardly any call has it.
    loaded: Option<Box<Loaded<'a>>>,
}

/// Numbers on the device, that of alpha and that of beta.
type Loaded<'a> = [Option<Operand<'a>>; 2];

/// Factors whose values the host knows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Known {
    pub(crate) alpha: Complex64,
    pub(crate) beta: Complex64,
}

/// One factor: a number, times another on the device if there is one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FactorOf<'f> {
    pub(crate) number: Complex64,
    pub(crate) loaded: Option<&'f Operand<'f>>,
}

const NAMES: [&str; 2] = ["alpha", "beta"];

impl<'a> Factors<'a> {
    /// Those of an update of arrays of a dtype.
    ///
    /// # Errors
    /// When a number is complex and the dtype is not, or is no finite number of it; when an array on the device has not one
    /// element, or a dtype that is not allowed beside `dtype`.
    pub(crate) fn new(verb: &'static str, update: Update<'a>, dtype: DType) -> Result<Self> {
        let Update { alpha, beta } = update;
        let known = Known { alpha: alpha.number(), beta: beta.number() };
        for (what, factor) in NAMES.into_iter().zip([known.alpha, known.beta]) {
            if matches!(fit(factor, dtype), Fit::NotFinite | Fit::TooLarge) {
                let why = format!("{what} {factor:e} is not a finite number of {dtype}");
                return check::argument(verb, why);
            }
        }
        if !dtype.is_complex() && !known.is_real() {
            let Known { alpha, beta } = known;
            let why = format!("alpha {alpha} and beta {beta} must be real for {dtype}");
            return check::argument(verb, why);
        }
        let loaded =
            if update.known().is_some() { None } else { Some(loaded(verb, update, dtype)?) };
        Ok(Self { known, loaded })
    }

    /// `y ← result`.
    pub(crate) fn set() -> Self {
        Self { known: Known::SET, loaded: None }
    }

    /// With handles of its own on what lives on the device.
    pub(crate) fn held(&self) -> Factors<'_> {
        let loaded = self.loaded.as_deref().map(|[alpha, beta]| {
            Box::new([alpha.as_ref().map(Operand::held), beta.as_ref().map(Operand::held)])
        });
        Factors { known: self.known, loaded }
    }

    /// Has the numbers on the device turn to other memory, if they are among what moves.
    pub(crate) fn move_operands(&mut self, moved: &Moved) {
        let loaded = self.loaded.iter_mut().flat_map(|two| &mut **two);
        loaded.flatten().for_each(|operand| moved.read(operand));
    }

    /// Alpha, then beta.
    pub(crate) fn each(&self) -> [FactorOf<'_>; 2] {
        let [alpha, beta] = match self.loaded.as_deref() {
            Some(loaded) => loaded.each_ref().map(Option::as_ref),
            None => [None; 2],
        };
        let Known { alpha: a, beta: b } = self.known;
        [FactorOf { number: a, loaded: alpha }, FactorOf { number: b, loaded: beta }]
    }

    /// Their values, if the host knows them.
    pub(crate) fn known(&self) -> Option<Known> {
        self.loaded.is_none().then_some(self.known)
    }

    /// Whether it is known that the result is just written.
    pub(crate) fn is_set(&self) -> bool {
        self.loaded.is_none() && self.known == Known::SET
    }

    /// Whether the old content is read, if only to be multiplied by a zero that the host does not know.
    pub(crate) fn reads(&self) -> bool {
        self.each()[1].is_there()
    }

    /// What is left of an update where the result is zero, `beta · y`, and the array that beta is read from if it is on the device.
    pub(crate) fn cleared(&self) -> (Expression, Option<&Operand<'_>>) {
        let [_, beta] = self.each();
        if !beta.is_there() {
            return (constant(0.0), None);
        }
        let Some(loaded) = beta.loaded else {
            return (constant(beta.number) * previous(), None);
        };
        let known = beta.number != Complex64::ONE;
        let factor = if known { constant(beta.number) * input(0) } else { input(0) };
        (previous().mul_or_zero(factor), Some(loaded))
    }

    /// That, as a call that updates `y`.
    pub(crate) fn clearing<'c>(&'c self, y: ViewMut<'c>) -> Result<MapCall<'c>> {
        let (nothing, factor) = self.cleared();
        let inputs: Vec<View<'_>> = factor.iter().map(|factor| factor.view()).collect();
        MapCall::new(&nothing, &inputs, y)
    }

    /// The numbers on the device, as a call shows its arrays.
    pub(crate) fn visit(&self, visit: &mut dyn FnMut(OperandName, Access, &Operand<'_>)) {
        for (name, operand) in NAMES.into_iter().zip(self.loaded.iter().flat_map(|two| &**two)) {
            if let Some(operand) = operand {
                visit(OperandName::Named(name), Access::Read, operand);
            }
        }
    }

    /// A call of one input and one output, which these factors update: `x`, the numbers on the device, `y`.
    pub(crate) fn visit_between(
        &self,
        x: &Operand<'_>,
        y: &OperandMut<'_>,
        visit: &mut dyn FnMut(OperandName, Access, &Operand<'_>),
    ) {
        visit(OperandName::Named("x"), Access::Read, x);
        self.visit(visit);
        visit(OperandName::Named("y"), Access::Write, y.as_operand());
    }

    /// Fails unless the numbers are on `device`, if they are on one.
    pub(crate) fn expect_device(&self, verb: &'static str, device: Device) -> Result<()> {
        let mut wrong = None;
        self.visit(&mut |argument, _, operand| {
            if operand.device() != device {
                wrong.get_or_insert_with(|| (argument.to_string(), operand.device()));
            }
        });
        let Some((argument, found)) = wrong else { return Ok(()) };
        Err(Error::WrongDevice { verb, argument, expected: device, found })
    }

    /// The bytes of the numbers on the device.
    pub(crate) fn bytes(&self) -> usize {
        self.loaded().map(|operand| operand.dtype().bytes()).sum()
    }

    /// What one kernel costs that makes `y` of `x`, and reads both but where there is nothing to be made.
    pub(crate) fn cost(&self, x: &Operand<'_>, y: &OperandMut<'_>) -> Cost {
        let mut cost = cost::of_output(y, self.reads());
        if !y.layout().is_empty() {
            cost.bytes_read += cost::read([x]) + self.bytes();
        }
        cost
    }

    /// The numbers on the device.
    pub(crate) fn loaded(&self) -> impl Iterator<Item = &Operand<'_>> {
        self.loaded.iter().flat_map(|two| two.iter().flatten())
    }

    /// What `read` makes of the numbers on the device, and the others.
    pub(crate) fn values(&self, read: impl Fn(&Operand<'_>) -> Result<Complex64>) -> Result<Known> {
        let Some(loaded) = self.loaded.as_deref() else { return Ok(self.known) };
        let value = |number: Complex64, operand: &Option<Operand<'_>>| match operand {
            None => Ok(number),
            // Without a product by one: that of a complex infinity is not a number.
            Some(operand) if number == Complex64::ONE => read(operand),
            Some(operand) if number.im == 0.0 => Ok(read(operand)?.scale(number.re)),
            Some(operand) => Ok(read(operand)? * number),
        };
        let [alpha, beta] = loaded;
        Ok(Known { alpha: value(self.known.alpha, alpha)?, beta: value(self.known.beta, beta)? })
    }
}

impl Known {
    /// `y ← result`.
    pub(crate) const SET: Self = Self { alpha: Complex64::ONE, beta: Complex64::ZERO };

    /// Whether the old content is read.
    pub(crate) fn reads(self) -> bool {
        self.beta != Complex64::ZERO
    }

    /// Whether a real dtype can hold both.
    pub(crate) fn is_real(self) -> bool {
        self.alpha.im == 0.0 && self.beta.im == 0.0
    }
}

impl FactorOf<'_> {
    /// Whether it is not known to be zero.
    pub(crate) fn is_there(self) -> bool {
        self.number != Complex64::ZERO
    }

    /// Whether it is known to be one.
    pub(crate) fn is_one(self) -> bool {
        self.loaded.is_none() && self.number == Complex64::ONE
    }
}

/// The numbers on the device, each of the elements' dtype or of a real one at least as wide as their parts, the same for
/// both: what [`MapCall`](crate::verb::MapCall) takes for single numbers, too.
fn loaded<'a>(verb: &'static str, update: Update<'a>, dtype: DType) -> Result<Box<Loaded<'a>>> {
    let mut wide = None;
    let mut operand = |name: &'static str, factor: Factor<'a>| -> Result<Option<Operand<'a>>> {
        let Some(array) = factor.on_device() else { return Ok(None) };
        let scalar = match array {
            Ok(scalar) => scalar,
            Err(elements) => {
                let why = format!("{name} is an array of {elements} elements, expected one");
                return check::argument(verb, why);
            }
        };
        let found = scalar.dtype();
        if found != dtype {
            let fits =
                found.is_computable() && !found.is_complex() && found.bits() >= dtype.real().bits();
            let expected = wide.unwrap_or(if fits { found } else { dtype });
            check::dtype(verb, name, expected, found)?;
            wide = Some(found);
        }
        Ok(Some(scalar.view().into()))
    };
    Ok(Box::new([operand(NAMES[0], update.alpha)?, operand(NAMES[1], update.beta)?]))
}
