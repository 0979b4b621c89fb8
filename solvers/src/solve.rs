//! `A / y`: systems of equations, directly where that is cheap, otherwise by the iteration that fits.

use arrayspan_bridge::{Array, AsView, DType, Relayout, View};
use arrayspan_kernels::{Executor, Update};
use arrayspan_operators::{LinearMap, Operator};
use num_complex::Complex64;

use crate::dense::{Small, download, near_one, numbers, singular, upload};
use crate::eigen::block::applied;
use crate::engine::fit::Fit;
use crate::engine::scale::{epsilon, power};
use crate::{Cg, Launched, Lsqr, Minres, Result, Singly, Solution, Solver, Stop, Stopped};

/// What errors call it.
const NAME: &str = "Solve";

/// The `x` that explains `y` best, with the default [`Solve`].
///
/// # Errors
/// As [`Solve::of`].
pub fn solve(a: &Operator, y: impl AsView) -> Result<Solved> {
    Solve::default().of(a, y)
}

/// `min ‖y - A x‖` for any `A`, and the shortest such `x` if there are several: PyLops' `A / y`.
///
/// | `A` | by |
/// |---|---|
/// | small, as [`direct`](field@Self::direct) says; positive | [`SolvedBy::Cholesky`] of its matrix, on the host |
/// | small, square and regular | [`SolvedBy::Lu`] |
/// | small, of any other shape or rank | [`SolvedBy::SingularValues`] |
/// | knows itself to be positive | [`Cg`] |
/// | knows itself to be self-adjoint | [`Minres`] |
/// | any other | [`Lsqr`] |
///
/// A matrix is that of the operator applied to all unit vectors ([`Operator::to_dense`]). **Nothing crosses to the host unless [`Direct::ThroughTheHost`]
/// says so**: then the matrix and the data go there, and the solution comes back. What is direct is computed in double precision;
/// a singular value counts as zero below `ε n` of the largest, with the `ε` of the dtype.
///
/// The solution's `residuals` are `‖y‖` and `‖y - A x‖` of direct methods. NaN and infinity end with [`Stopped::NotFinite`].
///
/// PyLops: `LinearOperator.div`, whose iteration on GPUs is `cgls` with a tolerance that is absolute.
///
/// ```
/// use arrayspan_bridge::Array;
/// use arrayspan_operators::prelude::*;
/// use arrayspan_solvers::{SolvedBy, solve};
///
/// let matrix = Array::from_slice(&[2.0, 1.0, 1.0, 3.0], [2, 2])?.into_shared();
/// let solved = solve(&MatrixMult::new(matrix, &[])?, Array::from_slice(&[3.0, 5.0], [2])?)?;
/// assert_eq!(solved.by, SolvedBy::Lu);
/// let x = solved.solution.x.view().to_vec::<f64>()?;
/// assert!((x[0] - 0.8).abs() < 1e-15 && (x[1] - 1.4).abs() < 1e-15);
/// # Ok::<(), arrayspan_solvers::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Solve {
    /// Which operators are solved by their matrix.
    pub direct: Direct,
    /// When an iteration stops.
    pub stop: Stop,
}

impl Default for Solve {
    /// Directly up to 300 elements on the host; iterations stop by the default [`Stop`], after 1000 at the latest.
    fn default() -> Self {
        Self {
            direct: Direct::OnTheHost { most: 300 },
            stop: Stop { iterations: 1000, ..Stop::default() },
        }
    }
}

/// Which operators are solved by their matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Direct {
    /// None.
    Never,
    /// Those whose data are on the host, of at most so many elements of models and of data.
    OnTheHost {
        /// The most elements.
        most: usize,
    },
    /// Those of at most so many elements wherever they are: matrix and data are copied to the host, and the solution back.
    ThroughTheHost {
        /// The most elements.
        most: usize,
    },
}

/// How a system was solved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SolvedBy {
    /// The factors of Cholesky, of a positive matrix.
    Cholesky,
    /// Triangular factors with row pivots, of a regular square matrix.
    Lu,
    /// The singular values of the matrix: least squares, and the shortest solution.
    SingularValues,
    /// [`Cg`](crate::Cg)
    Cg,
    /// [`Minres`](crate::Minres)
    Minres,
    /// [`Lsqr`](crate::Lsqr)
    Lsqr,
}

/// A solution, and how it was found.
#[derive(Debug)]
pub struct Solved {
    /// The solution; of direct methods with two residuals, `‖y‖` and `‖y - A x‖`, and [`Stopped::Precision`].
    pub solution: Solution,
    /// By which method.
    pub by: SolvedBy,
}

impl Solve {
    /// Solves where the data are.
    ///
    /// # Errors
    /// When `y` does not fit `A` (shape, dtype or device); the operator has no matrix though it is small enough (complex, and linear over
    /// the real numbers only: then it is solved by [`Lsqr`]); out of memory; the device's failure.
    pub fn of(&self, a: &Operator, y: impl AsView) -> Result<Solved> {
        let y = y.as_view();
        self.of_on(a, y.clone(), &*arrayspan_kernels::on(y.device())?)
    }

    /// As [`of`](Self::of), where `on` computes.
    ///
    /// # Errors
    /// As [`of`](Self::of).
    pub fn of_on(&self, a: &Operator, y: View<'_>, on: &dyn Executor) -> Result<Solved> {
        let fit = Fit { solver: NAME, device: on.device() };
        fit.array("data", a.range(), &y)?;
        fit.operator(a)?;
        let properties = LinearMap::properties(a);
        let most = match self.direct {
            Direct::Never => None,
            Direct::OnTheHost { most } => on.device().is_cpu().then_some(most),
            Direct::ThroughTheHost { most } => Some(most),
        };
        let complex = a.domain().dtype().is_complex() || a.range().dtype().is_complex();
        let matrix = !complex || properties.complex_linear;
        let longest = a.domain().len().max(a.range().len());
        if matrix && most.is_some_and(|most| longest <= most) {
            return direct(a, &y, on, properties.positive);
        }
        let stop = self.stop;
        let (solution, by) = if properties.positive {
            (Cg { stop, ..Cg::default() }.solve(a, y)?, SolvedBy::Cg)
        } else if properties.self_adjoint {
            (Minres { stop, ..Minres::default() }.solve(a, y)?, SolvedBy::Minres)
        } else {
            (Lsqr { stop, ..Lsqr::default() }.solve(a, y)?, SolvedBy::Lsqr)
        };
        Ok(Solved { solution, by })
    }
}

/// By the matrix of `A`, on the host.
fn direct(a: &Operator, y: &View<'_>, on: &dyn Executor, positive: bool) -> Result<Solved> {
    let (m, n) = (a.range().len(), a.domain().len());
    let matrix = download(&dense(a, on)?.view())?;
    let data = Small::from_iterator(m, 1, numbers(y)?);
    let mut residuals = [data.norm(); 2];
    let (x, by, stopped) = if m == 0 || n == 0 {
        (Small::zeros(n, 1), SolvedBy::SingularValues, Stopped::Precision)
    } else if let (Some((near, of_matrix)), Some((y, of_data))) =
        (near_one(&matrix), near_one(&data))
    {
        // Quotients of complex numbers, and norms, are by squares: those of numbers near 1 are in range.
        let epsilon = epsilon(a.domain().dtype()) * m.max(n) as f64;
        let (x, by) = by_factors(&near, &y, positive, epsilon);
        residuals = [y.norm(), (&y - near * &x).norm()].map(|norm| power(of_data, norm));
        let turned = |part: f64| power(of_data - of_matrix, part);
        let x = x.map(|v| Complex64::new(turned(v.re), turned(v.im)));
        let stopped = representable(&x, a.domain().dtype());
        (x, by, stopped)
    } else {
        let nothing = Small::from_element(n, 1, Complex64::new(f64::NAN, f64::NAN));
        residuals[1] = f64::NAN;
        (nothing, SolvedBy::SingularValues, Stopped::NotFinite)
    };
    let flat = upload(on, &x, a.domain().dtype())?;
    let mut shaped = on.empty(a.domain().shape(), a.domain().dtype())?;
    on.copy(flat.view(), shaped.view_mut().reshaped(&[n, 1])?, Update::set())?;
    let (residuals, launched) = (residuals.to_vec(), Launched::Singly(Singly::Method));
    Ok(Solved { solution: Solution { x: shaped, iterations: 1, residuals, stopped, launched }, by })
}

/// How it ends, by whether the dtype has room for the solution.
fn representable(x: &Small<Complex64>, dtype: DType) -> Stopped {
    let (least, most) = match dtype.real() {
        DType::Float32 => (f32::MIN_POSITIVE.into(), f32::MAX.into()),
        _ => (f64::MIN_POSITIVE, f64::MAX),
    };
    let parts = x.iter().flat_map(|v| [v.re.abs(), v.im.abs()]);
    if !parts.clone().all(|part| part <= most) {
        Stopped::NotFinite
    } else if parts.clone().all(|part| part < least) && parts.clone().any(|part| part > 0.0) {
        Stopped::Underflow
    } else {
        Stopped::Precision
    }
}

/// `A` of all unit vectors, where `on` computes.
fn dense(a: &Operator, on: &dyn Executor) -> Result<Array> {
    let (m, n) = (a.range().len(), a.domain().len());
    let mut all = on.empty(&[n, m], a.range().dtype())?;
    let unit = Small::<Complex64>::identity(n, n);
    let models = upload(on, &unit, a.domain().dtype())?;
    applied(a, on, false, models.view(), all.view_mut())?;
    let mut turned = on.empty(&[m, n], a.range().dtype())?;
    on.copy(all.view().permuted(&[1, 0])?, turned.view_mut(), Update::set())?;
    Ok(turned)
}

/// The best method that the matrix allows: its solution.
fn by_factors(
    matrix: &Small<Complex64>,
    data: &Small<Complex64>,
    positive: bool,
    epsilon: f64,
) -> (Small<Complex64>, SolvedBy) {
    let (m, n) = matrix.shape();
    // Factors tell of a matrix that is nearly singular by their smallest pivot.
    let regular = |pivots: &mut dyn Iterator<Item = f64>, cut: f64| {
        let (least, most) = pivots.fold((f64::INFINITY, 0.0_f64), |(a, b), p| (a.min(p), b.max(p)));
        n == 0 || least > cut * most
    };
    if positive
        && m == n
        && let Some(factors) = matrix.clone().cholesky()
        && regular(&mut factors.l_dirty().diagonal().iter().map(|v| v.norm()), epsilon.sqrt())
    {
        return (factors.solve(data), SolvedBy::Cholesky);
    }
    if m == n {
        let factors = matrix.clone().lu();
        if regular(&mut factors.u().diagonal().iter().map(|v| v.norm()), epsilon)
            && let Some(x) = factors.solve(data)
        {
            return (x, SolvedBy::Lu);
        }
    }
    let Some(found) = singular(matrix) else {
        return (
            Small::from_element(n, 1, Complex64::new(f64::NAN, f64::NAN)),
            SolvedBy::SingularValues,
        );
    };
    let cut = epsilon * found.values.first().copied().unwrap_or(0.0);
    let mut along = found.left.adjoint() * data;
    for (part, value) in along.iter_mut().zip(&found.values) {
        *part = if *value > cut { *part / *value } else { Complex64::ZERO };
    }
    (found.right * along, SolvedBy::SingularValues)
}
