//! The sum of singular values.

use arrayspan_bridge::devices::Device;
use arrayspan_bridge::{Array, Relayout, View, ViewMut};
use arrayspan_kernels::{Executor, Update, VectorMut};
use arrayspan_operators::Space;
use num_complex::Complex64;

use super::functional::NUMBER;
use super::{Proximal, Scratch};
use crate::dense::{Small, download, eigenvectors, upload};
use crate::engine::read::{largest, reals};
use crate::engine::scale::epsilon;
use crate::engine::scale::{exponent, power, times};
use crate::parameters::{not_negative, wrong};
use crate::{Result, bytes};

/// `f(x) = w Σ σᵢ(x)`, the nuclear norm of a matrix, `w ≥ 0`: the sum of its singular values, which is small for matrices of low rank.
///
/// `prox` makes each singular value less by `step w`, and at least 0. The singular vectors of the shorter side come from products of
/// the matrix with itself, `n × n` for a shorter side of `n`: the product is made on the device, crosses to the host, is
/// diagonalised there in Float64 by Jacobi's method, and what it turns the columns by crosses back; a second or third time, until
/// the columns are orthogonal to rounding, so that no digits are lost to the square. So the host waits 2 or 3 times for `n²` numbers
/// and computes some `10 n³`: it is for shorter sides of up to a few hundred. No square leaves the dtype.
///
/// Reference: Cai, Candès and Shen, SIAM J. Optim. 20 (2010) 1956. Golden: pyproximal 0.13 `Nuclear`.
///
/// ```
/// use arrayspan_bridge::Array;
/// use arrayspan_solvers::proximal::{Nuclear, Proximal};
///
/// let x = Array::from_slice(&[3.0, 0.0, 0.0, -1.0], [2, 2])?;
/// let f = Nuclear::new(1.0)?;
/// assert!((f.at(&x)? - 4.0).abs() < 1e-14);
/// let low = f.proximal(&x, 2.0)?.to_vec::<f64>()?;
/// assert!((low[0] - 1.0).abs() < 1e-14 && low[1..].iter().all(|element| element.abs() < 1e-14));
/// # Ok::<(), arrayspan_solvers::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Nuclear {
    weight: f64,
}

/// Products of the matrix with itself, at most.
const ROUNDS: usize = 4;

/// A matrix as orthogonal columns times a unitary matrix.
struct Turned {
    /// `Y = 2^-exponent X W`, taller than wide.
    columns: Array,
    /// `W`
    turn: Small<Complex64>,
    /// The lengths of the columns.
    lengths: Vec<f64>,
    exponent: i32,
}

impl Nuclear {
    const NAME: &'static str = "Nuclear";

    /// With this weight.
    ///
    /// # Errors
    /// A weight that is not a finite number of at least 0.
    pub fn new(weight: f64) -> Result<Self> {
        Ok(Self { weight: not_negative(Self::NAME, "weight", weight)? })
    }

    /// Turns the columns of a matrix that is taller than wide until they are orthogonal. `None` if it is not finite, or has no elements.
    fn turn(on: &dyn Executor, scratch: &mut Scratch, x: &View<'_>) -> Result<Option<Turned>> {
        if on.records() {
            let why = "singular values are computed on the host, and the executor keeps calls";
            return wrong(Self::NAME, why);
        }
        let (dtype, width) = (x.dtype(), x.shape()[1]);
        if width == 0 {
            return Ok(None);
        }
        let mut number = scratch.number(on, 0.0)?;
        let size = largest(on, &mut number, x)?;
        scratch.give(number);
        let Some(exponent) = exponent(size) else { return Ok(None) };
        let mut columns = scratch.take(on, x.shape(), dtype)?;
        let mut turned = scratch.take(on, x.shape(), dtype)?;
        let mut product = scratch.take(on, &[width, width], dtype)?;
        columns.assign_on(on, times(-exponent, dtype, x))?;
        let mut turn = Small::identity(width, width);
        let level = 4.0 * epsilon(dtype) * (width as f64).sqrt();
        let mut gram = None;
        for _ in 0..ROUNDS {
            let transposed = columns.view().permuted(&[1, 0])?;
            on.gemm(transposed, true, columns.view(), product.view_mut(), Update::set())?;
            let found = gram.insert(download(&product.view())?);
            if !found.iter().all(|z| z.is_finite()) || is_diagonal(found, level) {
                break;
            }
            let vectors = eigenvectors(found.clone());
            turn = &turn * &vectors;
            let vectors = upload(on, &vectors, dtype)?;
            on.gemm(columns.view(), false, vectors.view(), turned.view_mut(), Update::set())?;
            std::mem::swap(&mut columns, &mut turned);
        }
        scratch.give(turned);
        scratch.give(product);
        let lengths = gram.as_ref().map(lengths).unwrap_or_default();
        Ok(Some(Turned { columns, turn, lengths, exponent }))
    }
}

/// Taller than wide.
fn tall<V: Relayout>(x: V) -> Result<V> {
    let wide = x.layout().shape()[0] < x.layout().shape()[1];
    Ok(if wide { x.permuted(&[1, 0])? } else { x })
}

/// Whether the columns whose products these are are orthogonal, as far as the largest one can tell.
fn is_diagonal(gram: &Small<Complex64>, level: f64) -> bool {
    let lengths = lengths(gram);
    let most = lengths.iter().copied().fold(0.0, f64::max);
    let orthogonal =
        |(i, j): (usize, usize)| gram[(i, j)].norm() <= level * most * lengths[i].max(lengths[j]);
    (0..lengths.len()).flat_map(|i| (0..i).map(move |j| (i, j))).all(orthogonal)
}

/// The lengths of columns whose products these are.
fn lengths(gram: &Small<Complex64>) -> Vec<f64> {
    gram.diagonal().iter().map(|square| square.re.max(0.0).sqrt()).collect()
}

impl Proximal for Nuclear {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn check(&self, space: &Space, _: Device) -> Result<()> {
        if space.shape().len() != 2 {
            return wrong(Self::NAME, format!("{space} is no matrix: it has not two axes"));
        }
        Ok(())
    }

    fn value(
        &self,
        on: &dyn Executor,
        scratch: &mut Scratch,
        x: View<'_>,
        mut out: ViewMut<'_>,
    ) -> Result<()> {
        let x = tall(x)?;
        let Some(turned) = Self::turn(on, scratch, &x)? else {
            // Zero of nothing and of zero, and else what is not finite.
            let mut number = scratch.number(on, 0.0)?;
            let size = if x.layout().is_empty() { 0.0 } else { largest(on, &mut number, &x)? };
            scratch.give(number);
            return Ok(out.assign_on(on, self.weight * size)?);
        };
        let sum: f64 = turned.lengths.iter().sum();
        scratch.give(turned.columns);
        Ok(out.assign_on(on, self.weight * power(turned.exponent, sum))?)
    }

    fn prox(
        &self,
        on: &dyn Executor,
        scratch: &mut Scratch,
        x: View<'_>,
        step: View<'_>,
        out: ViewMut<'_>,
    ) -> Result<()> {
        let (x, mut out) = (tall(x)?, tall(out)?);
        let Some(turned) = Self::turn(on, scratch, &x)? else {
            // Zero stays what it is; what is not finite has no singular values.
            return Ok(out.assign_on(on, 0.0 * &x)?);
        };
        let level = self.weight * power(-turned.exponent, reals(&step)?[0]);
        let share = |length: &f64| if *length > level { 1.0 - level / length } else { 0.0 };
        let shares: Vec<f64> = turned.lengths.iter().map(share).collect();
        let part = |part: f64, share: f64| power(turned.exponent, part * share);
        let back = Small::from_fn(shares.len(), shares.len(), |row, column| {
            let (z, share) = (turned.turn[(column, row)].conj(), shares[row]);
            Complex64::new(part(z.re, share), part(z.im, share))
        });
        let back = upload(on, &back, x.dtype())?;
        on.gemm(turned.columns.view(), false, back.view(), out, Update::set())?;
        scratch.give(turned.columns);
        Ok(())
    }

    fn memory(&self, space: &Space) -> usize {
        let least = space.shape().iter().copied().min().unwrap_or(0);
        let square = least.saturating_mul(least).saturating_mul(space.dtype().bytes());
        bytes::of(space).saturating_mul(2).saturating_add(square).saturating_add(NUMBER)
    }
}
