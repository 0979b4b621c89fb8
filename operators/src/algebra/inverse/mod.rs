//! Inverses that are operators again.

mod matrix;
mod weights;

use std::cmp::Ordering;

use super::blocks::facts;
use super::node::{Kind, Node};
use super::rebuild::{Rebuild, rebuilt};
use crate::form::{Form, IndexMap};
use crate::{Devices, Error, Formula, LinearMap, Operator, Result, Space, adjoint};

impl Operator {
    /// `A⁻¹`, where that is an operator: of [`Identity`](crate::Identity), [`Diagonal`](crate::Diagonal),
    /// [`Transpose`](crate::Transpose), [`Flip`](crate::Flip), [`Roll`](crate::Roll), a [`Restriction`](crate::Restriction) that puts
    /// all indices into another order, [`Conj`](crate::Conj), [`ToDevice`](crate::ToDevice) and a dense square
    /// [`MatrixMult`](crate::MatrixMult), [`FFT`](crate::FFT), [`FFT2D`](crate::FFT2D) and [`FFTND`](crate::FFTND), [`DCT`](crate::DCT), and [`DWT`](crate::DWT),
    /// [`DWT2D`](crate::DWT2D) and [`DWTND`](crate::DWTND) with an orthogonal wavelet; and of multiples, adjoints, products,
    /// Kronecker products and block diagonals of those. A Fourier transform that has more bins than samples (of real numbers, or with zeros
    /// behind them) and a wavelet transform with zeros behind its samples have a pseudo-inverse, which is given: `F⁺ F = 1`, and of their adjoints
    /// `Fᴴ (Fᴴ)⁺ = 1`; a product or stack of both kinds has none. Inverses of wavelet transforms are as exact as the
    /// tables of their filters, those of symlets to 1e-11.
    ///
    /// Weights become their reciprocals and a matrix its inverse, which takes its memory once more; both are looked at, so that the
    /// device is waited for. A matrix is inverted on the host, in double precision: a thousand rows take about a second. All else
    /// is solved with iteratively: `arrayspan_solvers::Cgls`.
    ///
    /// ```
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use arrayspan_operators::kernels::bridge::{Array, DType};
    /// use arrayspan_operators::prelude::*;
    /// let space = Space::new([3], DType::Float64)?;
    /// let weights = Diagonal::new(space.clone(), Array::from_slice(&[1.0, 2.0, 4.0], [3])?)?;
    /// let a = Roll::new(space, 0, 1)?.after(2.0 * weights).build()?;
    /// let y = a.forward(Array::from_slice(&[3.0, 5.0, 7.0], [3])?)?;
    /// assert_eq!(y.view().as_slice::<f64>()?, [56.0, 6.0, 20.0]);
    /// assert_eq!(a.inverse()?.forward(&y)?.view().as_slice::<f64>()?, [3.0, 5.0, 7.0]);
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// [`Error::NoInverse`] for any other operator, and for weights or a matrix without an inverse in their dtype;
    /// [`Error::Parameter`] for a factor whose reciprocal is not a number of it; out of memory; the device's failure.
    ///
    /// Golden: PyLops 2.8.0 `MatrixMult.inv`.
    pub fn inverse(&self) -> Result<Self> {
        rebuilt(self, &Inverting).map_err(|error| match error {
            // Of a part that the caller has not named.
            Error::NoInverse { operator, why }
                if operator != self.name() && matches!(self.node().kind(), Kind::Named) =>
            {
                let why = format!("as to {operator}: {why}");
                Error::NoInverse { operator: self.name().into(), why }
            }
            other => other,
        })
    }
}

struct Inverting;

impl Rebuild for Inverting {
    fn at_once(&self, own: &Operator) -> Option<Operator> {
        let node = own.node();
        node.isometry.then(|| adjoint(own).named(format!("inverse of {}", node.name())))
    }

    fn part(&self, new: &Operator, old: &Operator) -> Result<Operator> {
        let factor = old.factor();
        if factor == 0.0.into() {
            return Error::no_inverse(old.name(), "it is multiplied by zero");
        }
        // Of the adjoint it is the adjoint of the inverse, and so on.
        new.turned(old.orientation()).times(factor.finv())
    }

    fn whole(&self, own: &Operator, mut parts: Vec<Operator>) -> Result<Operator> {
        let node = own.node();
        let (domain, range) = (node.domain.clone(), node.range.clone());
        let name = || format!("inverse of {}", node.name());
        match node.kind() {
            Kind::Form(form) => {
                let form = inverse_form(node.name(), form)?;
                Operator::of(name(), range, domain, form)
            }
            Kind::Product | Kind::Blocks { .. } if are_mixed(node.parts()) => Error::no_inverse(
                node.name(),
                "some parts have only a left inverse, others only a right one",
            ),
            Kind::Named if parts.len() == 1 => Ok(parts.remove(0).named(name())),
            Kind::Product => {
                let mut parts = parts.into_iter().map(Formula::from);
                let Some(first) = parts.next() else {
                    return Error::no_inverse(node.name(), "it is empty");
                };
                parts.fold(first, |outer, inner| inner.after(outer)).build()
            }
            Kind::Blocks { domains: Some(domains), ranges: Some(ranges) } => {
                let kind =
                    Kind::Blocks { domains: Some(ranges.clone()), ranges: Some(domains.clone()) };
                let facts = facts(node.name(), &parts)?;
                let devices = node.devices.map(Devices::swapped);
                let inverse = Node::new(kind, parts, (range, domain), devices, facts);
                Ok(Operator::with(inverse.named(name().into())))
            }
            Kind::Blocks { .. } | Kind::Named => {
                Error::no_inverse(node.name(), "a stack has parts that share a model or data")
            }
            Kind::Sum => {
                Error::no_inverse(node.name(), "that of a sum is not made of those of its terms")
            }
        }
    }
}

/// Whether some parts have more data than models, and others fewer: what is one's inverse on the left and the other's on the right
/// is none of both.
fn are_mixed(parts: &[Operator]) -> bool {
    let numbers =
        |space: &Space| space.len() as u128 * (1 + u128::from(space.dtype().is_complex()));
    let order = |part: &Operator| numbers(part.range()).cmp(&numbers(part.domain()));
    let has = |sought| parts.iter().any(|part| order(part) == sought);
    has(Ordering::Less) && has(Ordering::Greater)
}

const NO_PERMUTATION: &str = "it is no permutation; where a transform has an inverse all the same, that is a function of its own, as DWT::inverse is";

fn inverse_form(name: &str, form: &Form) -> Result<Form> {
    Ok(match form {
        Form::Identity | Form::Conjugate => form.clone(),
        &Form::ToDevice { from, to } => Form::ToDevice { from: to, to: from },
        Form::Diagonal(weights) => Form::Diagonal(weights::reciprocal(name, weights)?),
        Form::Matrix { matrix, axis } => {
            Form::Matrix { matrix: matrix::inverse(name, matrix)?, axis: *axis }
        }
        Form::Index(map) => match permutation(map) {
            Some(back) => Form::Index(back),
            None => return Error::no_inverse(name, NO_PERMUTATION),
        },
        Form::Gather(gather) => {
            let back = gather.adjoint();
            let most = gather.entries();
            let unitary = [(gather, &back), (&back, gather)].into_iter().all(|(outer, inner)| {
                outer.after(inner, most).is_some_and(|both| both.is_identity())
            });
            if !unitary {
                return Error::no_inverse(name, NO_PERMUTATION);
            }
            Form::Gather(back)
        }
        Form::Fourier(fourier) => match fourier.inverse() {
            Some(back) => Form::Fourier(back),
            None => return Error::no_inverse(name, "it loses a part of its models"),
        },
        Form::Zero => return Error::no_inverse(name, "it is zero"),
        Form::Stencil(_) | Form::Projection(_) | Form::Scan(_) => {
            return Error::no_inverse(name, "its inverse is dense");
        }
        Form::Real | Form::Imaginary => {
            return Error::no_inverse(name, "it loses a part of its models");
        }
        Form::Opaque(_) => return Error::no_inverse(name, "it is opaque"),
    })
}

/// The map back, of one that reads each element once.
fn permutation(map: &IndexMap) -> Option<IndexMap> {
    let back = map.adjoint()?;
    let same = [(map, &back), (&back, map)]
        .into_iter()
        .all(|(outer, inner)| outer.after(inner).is_some_and(|both| both.is_identity()));
    same.then_some(back)
}
