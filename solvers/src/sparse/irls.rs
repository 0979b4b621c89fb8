//! Iteratively reweighted least squares.

use arrayspan_bridge::{Array, AsView, View};
use arrayspan_kernels::{Executor, Vector, VectorMut, constant, input};
use arrayspan_operators::{Diagonal, Identity, LinearMap, LinearOperator, Operator, Space};

use super::read::{copy, fit, judge, norm};
use super::watched::{UNKNOWN, Watched};
use crate::least_squares::regularized;
use crate::parameters::{not_negative, wrong};
use crate::{Cgls, Observer, Result, Solution, Solver, Stopped};

/// Where [`Irls`] takes the norm 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reweighted {
    /// Of the residual: data with outliers.
    #[default]
    Data,
    /// Of the model: one that is sparse.
    Model,
    /// Of the residual and of the damped model, together.
    DataModel,
}

/// Norms 1 by a sequence of least-squares problems, each with weights made of the solution before.
///
/// | kind | minimises | by |
/// |---|---|---|
/// | [`Data`](Reweighted::Data) | `‖y - A x‖₁ + …` | `‖√w (y - A x)‖² + damping² ‖x‖²`, `w = 1/(\|r\| + ε)` of the residual `r` before, divided by the largest |
/// | [`Model`](Reweighted::Model) | `‖x‖₁ + …` | `‖y - A √w p‖² + damping² ‖p‖²`, `x = √w p`, `w = \|x\|` of the model before, divided by the largest |
/// | [`DataModel`](Reweighted::DataModel) | both | as `Data`, for `damping I` below `A`, and zeros below the data |
///
/// The first problem has no weights. (For `Model`, PyLops solves `(A w Aᴴ + damping²) z = y` by LSQR, whose condition is the square of the one here;
/// `x = w Aᴴ z` is the same.)
///
/// Ends when a model differs from the one before by at most `tolerance` times its norm ([`Stopped::Stagnation`]), and with
/// [`Stopped::NotFinite`] when a norm is NaN or infinite. Takes no start. Waits for the device in each iteration. Storage: beside that of [`Cgls`], two models, and
/// three vectors of data, or for `Model` one of weights.
///
/// Reference: Scales, Gersztenkorn and Treitel, J. Comput. Phys. 75 (1988) 313; Daubechies et al., Comm. Pure Appl. Math. 63 (2010) 1. Golden: PyLops 2.8.0
/// `irls`.
///
/// ```
/// use arrayspan_bridge::Array;
/// use arrayspan_operators::LinearRegression;
/// use arrayspan_solvers::sparse::Irls;
///
/// // A line, and one value that is none of it.
/// let places = Array::from_slice(&[0.0, 1.0, 2.0, 3.0, 4.0, 5.0], [6])?;
/// let line = LinearRegression::new(places.into_shared())?;
/// let y = Array::from_slice(&[1.0, 3.0, 5.0, 70.0, 9.0, 11.0], [6])?;
/// let x = Irls { iterations: 60, ..Irls::default() }.solve(&line, &y)?.x.to_vec::<f64>()?;
/// assert!((x[0] - 1.0).abs() < 1e-3 && (x[1] - 2.0).abs() < 1e-3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Irls {
    /// Where the norm 1 is taken.
    pub kind: Reweighted,
    /// At most this many least-squares problems (PyLops: `nouter`).
    pub iterations: usize,
    /// A change of the model that is at most this times its norm ends the run (PyLops: `tolIRLS`, which is absolute).
    pub tolerance: f64,
    /// `ε`, in the units of the data (PyLops: `epsR`). Above 0.
    pub epsilon: f64,
    /// Whether weights of data are `1/max(|r|, ε)`, and not `1/(|r| + ε)` (PyLops: `threshR`).
    pub clipped: bool,
    /// The damping (PyLops: `epsI`).
    pub damping: f64,
    /// Whether problems for data begin at the model before, and not at zero.
    pub warm: bool,
    /// What solves the least-squares problems. Its own damping is not looked at.
    pub least_squares: Cgls,
}

impl Default for Irls {
    /// Of the data, 10 problems, changes of 1e-10, `ε` and damping of 1e-10, weights that are not clipped, from zero, the default [`Cgls`].
    fn default() -> Self {
        let (kind, tolerance, epsilon, damping) = (Reweighted::Data, 1e-10, 1e-10, 1e-10);
        let (clipped, warm, least_squares) = (false, false, Cgls::default());
        Self { kind, iterations: 10, tolerance, epsilon, clipped, damping, warm, least_squares }
    }
}

const NAME: &str = "Irls";

impl Irls {
    /// Solves from zero.
    ///
    /// # Errors
    /// A parameter that is out of its range; data that do not fit the operator; when the device fails or is out of memory.
    pub fn solve(&self, a: &Operator, y: impl AsView) -> Result<Solution> {
        self.solve_with(a, y, &mut ())
    }

    /// Solves from zero; `observer` is called before the first least-squares problem and after each. To it, the *gradient* is the change of the model,
    /// which is infinite until there are two.
    ///
    /// # Errors
    /// As [`solve`](Self::solve).
    pub fn solve_with(
        &self,
        a: &Operator,
        y: impl AsView,
        observer: &mut dyn Observer,
    ) -> Result<Solution> {
        let y = y.as_view();
        fit(NAME, a, &y, None)?;
        self.check()?;
        match self.kind {
            Reweighted::Data | Reweighted::Model => self.run(a, &y, self.damping, observer),
            Reweighted::DataModel => {
                let damped = Identity::new(a.domain().clone())?;
                let both = regularized(a, &y, &[(self.damping, &damped, None)])?;
                self.run(&both.operator, &both.data.view(), 0.0, observer)
            }
        }
    }

    pub(super) fn check(&self) -> Result<()> {
        not_negative(NAME, "tolerance", self.tolerance)?;
        not_negative(NAME, "damping", self.damping)?;
        not_negative(NAME, "epsilon", self.epsilon)?;
        if self.epsilon == 0.0 && self.kind != Reweighted::Model {
            let why = "epsilon is 0: data that are explained would have no weight";
            return wrong(NAME, why);
        }
        Ok(())
    }

    fn run(
        &self,
        a: &Operator,
        y: &View<'_>,
        damping: f64,
        observer: &mut dyn Observer,
    ) -> Result<Solution> {
        let mut watched = Watched::new(NAME, self.iterations, observer)?;
        let on = &*arrayspan_kernels::on(y.device())?;
        let solver = Cgls { damping, ..self.least_squares };
        let of_model = self.kind == Reweighted::Model;
        let data = norm(on, y)?;
        watched.begin(data, data);
        let mut weights: Option<Operator> = None;
        let mut x = on.empty(a.domain().shape(), a.domain().dtype())?;
        x.assign_on(on, 0.0)?;
        let over = |done: usize| (done >= self.iterations).then_some(Stopped::Iterations);
        let mut stopped = watched.show(&x, UNKNOWN, over(0));
        while stopped.is_none() {
            let first = weights.is_none();
            let warm = self.warm && !of_model && !first;
            let from = if warm { Some(copy(on, &x.view())?) } else { None };
            let new = match &weights {
                None => solver.solve_from(a, y, from, &mut ())?.x,
                Some(weights) if of_model => {
                    let solution = solver.solve(&a.after(weights).build()?, y)?;
                    weights.forward(&solution.x)?
                }
                Some(weights) => {
                    let data = weights.forward(y)?;
                    solver.solve_from(&weights.after(a).build()?, &data, from, &mut ())?.x
                }
            };
            let image = a.forward(&new)?;
            let residual = (y - &image).compute_on(on)?;
            watched.residuals.push(norm(on, &residual)?);
            let change = if first { f64::MAX } else { norm(on, &(&new - &x))? };
            let change = [change, norm(on, &new)?];
            weights = Some(if of_model {
                shares(on, &new, a.domain())?
            } else {
                self.weights(on, &residual, a.range())?
            });
            x = new;
            let end = judge(watched.residual(), change, self.tolerance);
            let shown = if first { UNKNOWN } else { change };
            stopped = watched.show(&x, shown, end.or(over(watched.iterations())));
        }
        Ok(watched.solution(x, stopped))
    }

    /// `√w` of a residual.
    fn weights(&self, on: &dyn Executor, residual: &Array, space: &Space) -> Result<Operator> {
        let mut least = on.empty(&[], residual.dtype().real())?;
        residual.abs().min_into(on, &mut least)?;
        let epsilon = || constant(self.epsilon);
        let [size, least_size] = [input(0).abs(), input(1)]
            .map(|size| if self.clipped { size.max(epsilon()) } else { size + epsilon() });
        let mut weights = on.empty(residual.shape(), residual.dtype())?;
        let value = least_size.div_or_zero(size).sqrt();
        on.map_many(&[residual.view(), least.view()], [(value, weights.view_mut())])?;
        Ok(Diagonal::new(space.clone(), weights)?)
    }
}

/// `√w` of a model.
fn shares(on: &dyn Executor, x: &Array, space: &Space) -> Result<Operator> {
    let mut most = on.empty(&[], x.dtype().real())?;
    x.abs().max_into(on, &mut most)?;
    let mut weights = on.empty(x.shape(), x.dtype())?;
    let value = input(0).abs().div_or_zero(input(1)).sqrt();
    on.map_many(&[x.view(), most.view()], [(value, weights.view_mut())])?;
    Ok(Diagonal::new(space.clone(), weights)?)
}
