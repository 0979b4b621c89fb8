//! A weighted sum of second derivatives along several axes.

use arrayspan_bridge::DType;
use arrayspan_kernels::Stencil;

use super::{Edge, Scheme, SecondDerivative};
use crate::{Error, Form, Operator, Result, Space, number};

/// One term of a [`Laplacian`]: `weight · ∂²/∂s²` along `axis`, whose samples lie `step` apart.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Along {
    /// The axis, which counts from the end if it is negative: -1 is the last one.
    pub axis: isize,
    /// From one sample to the next.
    pub step: f64,
    /// Multiplies the derivative.
    pub weight: f64,
}

/// `y = Σ weight · ∂²x/∂s²` over some axes; domain and range are both `space`.
///
/// Rows whose neighbours lie outside an axis follow [`Edge`], for each axis by itself, as in
/// [`SecondDerivative`]. Units: those of `weight · x` per unit of `step` squared. Complex: linear. Cost: 1
/// launch for all axes together, 2 values moved per element (test `bytes::laplacian`).
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use arrayspan_operators::kernels::bridge::DType;
/// use arrayspan_operators::prelude::*;
/// let time = Along { axis: 0, step: 0.004, weight: 1.0 };
/// let offset = Along { axis: 1, step: 25.0, weight: 2.0 };
/// let space = Space::new([501, 120], DType::Float32)?;
/// let laplacian = Laplacian::new(space, &[time, offset], Scheme::Centered3, Edge::Zero)?;
/// # Ok(()) }
/// ```
///
/// Golden: PyLops 2.8.0 `Laplacian`.
#[derive(Debug)]
pub struct Laplacian(());

impl Laplacian {
    const NAME: &str = "Laplacian";

    /// The sum of the terms; several along one axis add up.
    ///
    /// # Errors
    /// [`Error::Parameter`] when there is no term; a term names an axis that does not exist, a step of zero, a number
    /// that is not finite, or numbers whose `weight / step²` does not fit the dtype; or the dtype is not one to compute
    /// with.
    pub fn new(space: Space, terms: &[Along], scheme: Scheme, edge: Edge) -> Result<Operator> {
        space.stored(Self::NAME)?;
        if terms.is_empty() {
            return Error::parameter(Self::NAME, format!("no terms are given for {space}"));
        }
        let band = |&Along { axis, step, weight }: &Along| {
            let axis = space.axis(Self::NAME, axis)?;
            let (len, dtype) = (space.shape()[axis], space.dtype());
            number::check(
                Self::NAME,
                || format!("a weight of {}", number::text(weight)),
                weight,
                dtype,
            )?;
            // Entries have to fit the dtype only after multiplication by the weight.
            let band = || SecondDerivative::band(len, step, scheme, edge);
            let band = super::checked(Self::NAME, (step, 2), DType::Float64, band)?.scaled(weight);
            if weight != 0.0 {
                let [step, weight] = [step, weight].map(number::text);
                let what = format!("a step of {step} and a weight of {weight} along axis {axis}");
                number::entries(Self::NAME, &what, &band, dtype)?;
            }
            Ok((axis, band))
        };
        let forward = Stencil::new(terms.iter().map(band).collect::<Result<Vec<_>>>()?)?;
        for (axis, sum) in forward.terms() {
            let what = format!("the sum of the terms along axis {axis}");
            number::taps(Self::NAME, &what, sum, space.dtype())?;
        }
        Operator::of(Self::NAME, space.clone(), space, Form::Stencil(forward))
    }
}
