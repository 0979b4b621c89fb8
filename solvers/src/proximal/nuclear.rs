//! The sum of singular values.

use arrayspan_bridge::devices::Device;
use arrayspan_bridge::{Array, DType, Relayout, View, ViewMut};
use arrayspan_kernels::{Executor, Update, VectorMut};
use arrayspan_operators::Space;
use num_complex::{Complex32, Complex64};

use super::arithmetic::{bytes, weight, wrong};
use super::functional::NUMBER;
use super::jacobi::{Matrix, eigenvectors};
use super::{Proximal, Scratch};
use crate::Result;
use crate::engine::read::{largest, reals};
use crate::engine::scale::epsilon;
use crate::engine::scale::{exponent, power, times};

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
    turn: Matrix,
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
        Ok(Self { weight: self::weight(Self::NAME, weight)? })
    }

    /// Turns the columns of a matrix that is taller than wide until they are orthogonal. `None` if it is not finite, or has no elements.
    fn turn(on: &dyn Executor, scratch: &mut Scratch, x: &View<'_>) -> Result<Option<Turned>> {
        if on.records() {
            let why = "singular values are computed on the host, and the executor keeps calls";
            return wrong(Self::NAME, why.into());
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
        let mut turn = Matrix::identity(width);
        let level = 4.0 * epsilon(dtype) * (width as f64).sqrt();
        let mut gram = None;
        for _ in 0..ROUNDS {
            let transposed = columns.view().permuted(&[1, 0])?;
            on.gemm(transposed, true, columns.view(), product.view_mut(), Update::set())?;
            let found = gram.insert(Matrix { n: width, entries: numbers(&product.view())? });
            if !found.is_finite() || found.is_diagonal(level) {
                break;
            }
            let vectors = eigenvectors(found.clone());
            turn = turn.times(&vectors);
            let vectors = upload(&vectors.entries, [width, width], dtype, on.device())?;
            on.gemm(columns.view(), false, vectors.view(), turned.view_mut(), Update::set())?;
            std::mem::swap(&mut columns, &mut turned);
        }
        scratch.give(turned);
        scratch.give(product);
        let diagonal =
            |gram: Matrix| (0..width).map(|i| gram.at(i, i).re.max(0.0).sqrt()).collect();
        let lengths: Vec<f64> = gram.map(diagonal).unwrap_or_default();
        Ok(Some(Turned { columns, turn, lengths, exponent }))
    }
}

/// Taller than wide.
fn tall<V: Relayout>(x: V) -> Result<V> {
    let wide = x.layout().shape()[0] < x.layout().shape()[1];
    Ok(if wide { x.permuted(&[1, 0])? } else { x })
}

/// A small array, on the host. Waits for it.
fn numbers(view: &View<'_>) -> Result<Vec<Complex64>> {
    Ok(match view.dtype() {
        DType::Complex64 => {
            let wide = |z: Complex32| Complex64::new(z.re.into(), z.im.into());
            view.to_vec::<Complex32>()?.into_iter().map(wide).collect()
        }
        DType::Complex128 => view.to_vec::<Complex64>()?,
        _ => reals(view)?.into_iter().map(Complex64::from).collect(),
    })
}

/// A small array, from the host.
fn upload(values: &[Complex64], shape: [usize; 2], dtype: DType, device: Device) -> Result<Array> {
    let single = |z: &Complex64| Complex32::new(z.re as f32, z.im as f32);
    let array = match dtype {
        DType::Float32 => Array::from_vec(values.iter().map(|z| z.re as f32).collect(), shape),
        DType::Float64 => Array::from_vec(values.iter().map(|z| z.re).collect(), shape),
        DType::Complex64 => Array::from_vec(values.iter().map(single).collect::<Vec<_>>(), shape),
        _ => Array::from_vec(values.to_vec(), shape),
    };
    Ok(array?.to(device)?.0)
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
        let back = turned.turn.adjoint_scaled(&shares, |z| power(turned.exponent, z));
        let width = shares.len();
        let back = upload(&back.entries, [width, width], x.dtype(), on.device())?;
        on.gemm(turned.columns.view(), false, back.view(), out, Update::set())?;
        scratch.give(turned.columns);
        Ok(())
    }

    fn memory(&self, space: &Space) -> usize {
        let least = space.shape().iter().copied().min().unwrap_or(0);
        let square = least.saturating_mul(least).saturating_mul(space.dtype().bytes());
        bytes(space).saturating_mul(2).saturating_add(square).saturating_add(NUMBER)
    }
}
