//! Whether the two directions of an operator are each other's adjoint.

use std::fmt::{self, Write as _};

use arrayspan_bridge::DType;
use arrayspan_bridge::devices::Device;
use arrayspan_kernels::Executor;
use num_complex::Complex64;

use crate::laws::trial::{Direction, Stop, Trial};
use crate::laws::values::{dot, index_of, largest, norm, not_finite, text, tolerance};
use crate::{LinearMap, Result};

/// Whether `⟨A x, y⟩ = ⟨x, Aᴴ y⟩` (the dot test) for random `x` and `y`, where the operator's arrays are, or on the CPU if it
/// has none.
///
/// Waits for the device. Takes one application of each direction, and the memory of a few vectors on the host.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use arrayspan_operators::kernels::bridge::DType;
/// use arrayspan_operators::{check_adjoint, prelude::*};
/// let space = Space::new([50, 40], DType::Float32)?;
/// let slope = FirstDerivative::new(space, 0, 0.5, Scheme::Centered3, Edge::Reduced)?;
/// let check = check_adjoint(&slope)?;
/// assert!(check.holds(), "{check}");
/// # Ok(()) }
/// ```
///
/// # Errors
/// Those of applying the operator; out of memory. That products differ, or are not numbers, is no error but what the
/// [`AdjointCheck`] says.
pub fn check_adjoint(operator: &dyn LinearMap) -> Result<AdjointCheck> {
    let on =
        arrayspan_kernels::on(operator.devices().map_or(Device::cpu(), |devices| devices.domain))?;
    check_adjoint_on(operator, &*on, 1)
}

/// As [`check_adjoint`], where `on` computes, for the `x` and `y` of a seed.
///
/// # Errors
/// As [`check_adjoint`].
pub fn check_adjoint_on(
    operator: &dyn LinearMap,
    on: &dyn Executor,
    seed: u64,
) -> Result<AdjointCheck> {
    let (domain, range) = (operator.domain(), operator.range());
    for space in [domain, range] {
        space.computable(operator.name())?;
    }
    let single =
        [domain, range].map(crate::Space::dtype).map(DType::real).contains(&DType::Float32);
    let dtype = if single { DType::Float32 } else { DType::Float64 };
    let trial = Trial { operator, on, seed };
    let (x, y) = (trial.random(domain, 1), trial.random(range, 2));
    let result = |direction, numbers: &[Complex64]| match trial.plain(direction, numbers) {
        Ok(result) => Ok(Ok(result)),
        Err(Stop::Broken(why)) => Ok(Err(why)),
        Err(Stop::Refused(_, error) | Stop::Failed(error)) => Err(error),
    };
    let len = x.len().max(y.len());
    let mut check = AdjointCheck {
        operator: formula(operator),
        products: [Complex64::default(); 2],
        difference: 0.0,
        tolerance: tolerance(dtype, len),
        dtype,
        len,
        seed,
        why: None,
    };
    match (result(Direction::Forward, &x)?, result(Direction::Adjoint, &y)?) {
        (Ok(ax), Ok(ahy)) => {
            let complex = domain.dtype().is_complex() && range.dtype().is_complex();
            let real = !(complex && operator.properties().complex_linear);
            check.compare([&x, &y], [&ax, &ahy], [domain.shape(), range.shape()], real);
        }
        (Err(why), _) | (_, Err(why)) => check.why = Some(why),
    }
    Ok(check)
}

/// What [`check_adjoint`] found. As text it is a report of a few lines.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct AdjointCheck {
    /// The operator as its `Debug` writes it, up to 400 characters: the formula of an [`Operator`](crate::Operator).
    pub operator: String,
    /// `⟨A x, y⟩` and `⟨x, Aᴴ y⟩`, summed on the host in double precision. Of operators that are not
    /// [complex-linear](crate::Properties), as those between a real and a complex space, their real parts.
    pub products: [Complex64; 2],
    /// How far the products are from each other, relative to the size that products with independent random vectors
    /// have: `max(‖A x‖ ‖y‖ / √rows, ‖x‖ ‖Aᴴ y‖ / √columns)`. About 1 where one direction has nothing to do with the other.
    pub difference: f64,
    /// The difference that is allowed: `64 ε √n`, and never more than 0.1. ε is the distance from 1 to the next number of
    /// the dtype; a result may be off by ε for each of a few operations, and by √n as much where n numbers are summed.
    /// An operator that subtracts large numbers with a small difference may lose more, in any dtype: its own rounding is
    /// what is seen then.
    pub tolerance: f64,
    /// Float32 or Float64, whose ε it is: the coarser one of domain and range.
    pub dtype: DType,
    /// The n in it: the elements of domain or range, whichever has more.
    pub len: usize,
    /// What `x` and `y` were made from.
    pub seed: u64,
    /// Why it does not hold.
    pub why: Option<String>,
}

impl AdjointCheck {
    /// Whether the products are numbers, and agree up to rounding.
    #[must_use]
    pub fn holds(&self) -> bool {
        self.why.is_none()
    }

    fn compare(
        &mut self,
        [x, y]: [&[Complex64]; 2],
        [ax, ahy]: [&[Complex64]; 2],
        [model, data]: [&[usize]; 2],
        real: bool,
    ) {
        for (result, shape, what) in [(ax, data, "A x"), (ahy, model, "Aᴴ y")] {
            if let Some((at, value)) = not_finite(result) {
                self.products = [dot(ax, y), dot(x, ahy)];
                self.difference = f64::NAN;
                self.why = Some(format!("{what} is {} at {:?}", text(value), index_of(shape, at)));
                return;
            }
        }
        // Results of any size that the dtype holds: numbers near 1 are compared.
        let scale = match largest(ax).max(largest(ahy)) {
            0.0 => 1.0,
            scale => scale,
        };
        let near_one =
            |numbers: &[Complex64]| numbers.iter().map(|v| v / scale).collect::<Vec<_>>();
        let (ax, ahy) = (near_one(ax), near_one(ahy));
        let mut products = [dot(&ax, y), dot(x, &ahy)];
        if real {
            products = products.map(|product| product.re.into());
        }
        let typical =
            |a: &[Complex64], b: &[Complex64]| norm(a) * norm(b) / (a.len().max(1) as f64).sqrt();
        let size = typical(&ax, y).max(typical(x, &ahy));
        let distance = (products[0] - products[1]).norm();
        self.products = products.map(|product| product * scale);
        self.difference = if distance == 0.0 { 0.0 } else { distance / size };
        // Written so that NaN does not hold.
        if !matches!(self.difference.partial_cmp(&self.tolerance), Some(order) if order.is_le()) {
            self.why = Some("the products differ by more than rounding".into());
        }
    }
}

impl fmt::Display for AdjointCheck {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.why {
            None => writeln!(f, "the adjoint holds: {}", self.operator)?,
            Some(why) => writeln!(f, "the adjoint does not hold, {why}: {}", self.operator)?,
        }
        let [left, right] = self.products.map(text);
        writeln!(f, "  ⟨A x, y⟩   {left}")?;
        writeln!(f, "  ⟨x, Aᴴ y⟩  {right}")?;
        let (difference, tolerance) = (self.difference, self.tolerance);
        writeln!(f, "  difference {difference:.1e} of their usual size, allowed {tolerance:.1e}")?;
        let rule = if tolerance < 0.1 { "64 ε √n" } else { "a tenth at most" };
        let (dtype, len, seed) = (self.dtype, self.len, self.seed);
        write!(f, "  tolerance  {rule} for {dtype} and n = {len}; x and y are those of seed {seed}")
    }
}

/// The operator as its `Debug` writes it, or the beginning of that.
pub(crate) fn formula(operator: &dyn LinearMap) -> String {
    let mut text = Beginning(String::new());
    // Ends with an error where there is more.
    let _ = write!(text, "{operator:?}");
    text.0
}

/// As much as is wanted of a text; the rest is not even written.
struct Beginning(String);

impl fmt::Write for Beginning {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        const MOST: usize = 400;
        let left = MOST.saturating_sub(self.0.chars().count());
        self.0.extend(text.chars().take(left));
        if text.chars().count() <= left {
            return Ok(());
        }
        self.0.push('…');
        Err(fmt::Error)
    }
}
