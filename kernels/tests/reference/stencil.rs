//! Bands along axes.

use arrayspan_kernels::{Band, Stencil, Update};
use num_complex::Complex64;

use super::tensor::{Expected, Tensor, indices};
use super::updated;

pub fn stencil(stencil: &Stencil, x: &Tensor, y: &Tensor, update: Update) -> Expected {
    stencil_sum(&[Summand { stencil, x, before: None, after: None }], y, update)
}

pub fn stencil_each(stencils: &Stencil, x: &Tensor, y: &Tensor, update: Update) -> Expected {
    let len = x.values.len();
    let parts = stencils.terms().iter().enumerate().map(|(at, (axis, band))| {
        let one = Stencil::along(*axis, band.clone()).unwrap();
        let y = Tensor::new(&x.shape, y.values[at * len..][..len].to_vec());
        stencil(&one, x, &y, update)
    });
    let parts: Vec<Expected> = parts.collect();
    let values = parts.iter().flat_map(|part| part.result.values.clone()).collect();
    let scale = parts.iter().flat_map(|part| part.scale.clone()).collect();
    let terms = parts.iter().map(|part| part.terms).max().unwrap_or(0);
    Expected { result: Tensor::new(&y.shape, values), scale, terms }
}

/// `after ⊙ stencil(before ⊙ x)`, coefficients of the shape of `x` and as they multiply.
pub struct Summand<'a> {
    pub stencil: &'a Stencil,
    pub x: &'a Tensor,
    pub before: Option<Tensor>,
    pub after: Option<Tensor>,
}

pub fn stencil_sum(summands: &[Summand<'_>], y: &Tensor, update: Update) -> Expected {
    let factor = |of: &Option<Tensor>, index: &[usize]| {
        of.as_ref().map_or(Complex64::new(1.0, 0.0), |of| of.at(index))
    };
    let element = |index: Vec<usize>| {
        let mut sum = (Complex64::default(), 0.0);
        for Summand { stencil, x, before, after } in summands {
            for (axis, band) in stencil.terms() {
                for tap in band.row(index[*axis]) {
                    let mut column = index.clone();
                    column[*axis] = index[*axis].checked_add_signed(tap.offset).unwrap();
                    let term = tap.weight * factor(before, &column) * x.at(&column);
                    let term = factor(after, &index) * term;
                    sum = (sum.0 + term, sum.1 + term.norm());
                }
            }
        }
        updated(update, sum, y.at(&index))
    };
    let (values, scale) = indices(&y.shape).map(element).unzip();
    let taps = |band: &Band| (0..band.len()).map(|i| band.row(i).len()).max().unwrap_or(0);
    let bands = summands.iter().flat_map(|summand| summand.stencil.terms());
    // A product with coefficients rounds once more.
    let factors = |summand: &Summand<'_>| {
        usize::from(summand.before.is_some()) + usize::from(summand.after.is_some())
    };
    let terms = bands.map(|(_, band)| taps(band)).sum::<usize>()
        + summands.iter().map(factors).sum::<usize>()
        + 3;
    Expected { result: Tensor::new(&y.shape, values), scale, terms }
}
