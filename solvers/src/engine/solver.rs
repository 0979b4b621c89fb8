//! What every solver can be asked.

use arrayspan_bridge::{Array, AsView, View};
use arrayspan_kernels::{Executor, widest_real};
use arrayspan_operators::{LinearMap, Operator};

use super::arguments::{check, check_damping, check_every, empty, fit, workspace_with};
use super::columns::{self, Columns};
use super::fit::Fit;
use super::history::History;
use super::rehearse;
use super::run::{Method, Run};
use super::running::Running;
use super::saved::Saved;
use super::workspace::{Make, Scalars, SolverWorkspace};
use crate::parameters::wrong;
use crate::{Observer, Result, Solution, bytes};

/// A solver: parameters that solve `A x ≈ y`, in the way that the documentation of each says.
///
/// | | who has the vectors | who leads |
/// |---|---|---|
/// | [`solve`](Self::solve), [`solve_from`](Self::solve_from) | made for the run | the solver |
/// | [`solve_in`](Self::solve_in) | a workspace, for many runs: a run allocates nothing but the solution, and on CUDA leaves [recorded iterations](SolverWorkspace) to the next | the solver |
/// | [`start`](Self::start) | a workspace | the caller, iteration by iteration |
///
/// Scalars stay on the device, in Float64 where it has that. The host checks every `check_every` iterations (10 unless told otherwise:
/// [`Cgls::check_every`]); only then can a tolerance end the run, and only then is the [`Observer`] called. How a run ended is in the
/// [`Solution`].
///
/// Runs of all of them can be [saved](Running::save). What not all of them can do:
///
/// | | several right-hand sides ([`solve_columns`](Self::solve_columns)) |
/// |---|---|
/// | [`Cgls`](crate::Cgls), [`Cg`](crate::Cg), [`Lsqr`](crate::Lsqr), [`Lsmr`](crate::Lsmr), [`Minres`](crate::Minres) | yes |
/// | [`BiCgStab`](crate::BiCgStab), [`Gmres`](crate::Gmres), [`SingleReductionCg`](crate::SingleReductionCg), [`SingleReductionCgls`](crate::SingleReductionCgls), [`Ista`](crate::Ista), [`Fista`](crate::Fista) | no |
///
/// Methods that are no `Solver`: [`Minimizer`](crate::proximal::Minimizer)s, which minimise functions and take observers, too; loops around solvers
/// ([`SplitBregman`](crate::sparse::SplitBregman), [`Irls`](crate::sparse::Irls), [`Omp`](crate::sparse::Omp), [`Spgl1`](crate::sparse::Spgl1)), whose `solve_with` takes one;
/// what is of [spectra](crate::eigen).
///
/// [`Cgls::check_every`]: field@crate::Cgls::check_every
pub trait Solver: Method {
    /// Solves from `x = 0`, for the data that `y` lends.
    ///
    /// # Errors
    /// When `y` does not fit `A` (shape, dtype or device), a parameter is out of its range, or the device fails or is out
    /// of memory.
    fn solve(&self, a: &dyn LinearMap, y: impl AsView) -> Result<Solution> {
        self.solve_from(a, y, None, &mut ())
    }

    /// Solves from `start` (`None`: zero); `observer` is called at the start and at every check (`&mut ()` does nothing).
    ///
    /// # Errors
    /// As [`solve`](Self::solve), and when `start` does not fit `A`.
    fn solve_from(
        &self,
        a: &dyn LinearMap,
        y: impl AsView,
        start: Option<Array>,
        observer: &mut dyn Observer,
    ) -> Result<Solution> {
        let y = y.as_view();
        let on = arrayspan_kernels::on(y.device())?;
        // Before anything is made that needs an executor of the operator's, of which the caller knows nothing.
        Fit { solver: Self::NAME, device: y.device() }.operator(a)?;
        let mut workspace = self.workspace(a, &*on)?;
        self.solve_in(&mut workspace, &*on, a, y, start, observer)
    }

    /// The vectors that [`solve_in`](Self::solve_in) needs. Solvers of the same kind with other parameters may use them,
    /// too; a `check_every` larger than the one here counts as the one here.
    ///
    /// # Errors
    /// Out of memory, or a parameter that is out of its range.
    fn workspace(
        &self,
        a: &dyn LinearMap,
        on: &dyn Executor,
    ) -> Result<SolverWorkspace<Self::Vectors>> {
        let scalars = Scalars { dtype: widest_real(on.device()), columns: None };
        workspace_with(self, a, on, scalars)
    }

    /// Whether a run in that workspace is as one in a workspace of its own: it was made for a solver with the same parameters, as far as
    /// they decide on sizes, and for operators of these spaces on the device of `on`, and has room for what `a` needs. (In one that was made
    /// for other parameters a run may have other checks or shorter cycles than it asks for, or be refused.)
    fn fits(
        &self,
        workspace: &SolverWorkspace<Self::Vectors>,
        on: &dyn Executor,
        a: &dyn LinearMap,
    ) -> bool {
        let fit = Fit { solver: Self::NAME, device: on.device() };
        let inner = self.preconditioner().map(|inner| inner as &dyn LinearMap);
        let [rows, state] = self.rows();
        check(self, a).is_ok()
            && workspace.check(fit, a, inner, on).is_ok()
            && workspace.history.is_for([check_every(self), rows, state])
            && Make::count(a, on, |make| self.vectors(make))
                .is_ok_and(|sizes| sizes == workspace.sizes)
    }

    /// The bytes that a run takes beside the data, on the device of `on`: vectors, scalars, what operator and preconditioner
    /// need between their parts, and the solution. Nothing is allocated for it. Data or operators that have to be scaled
    /// take as much as a model and data more; where no iterations are recorded (OpenCL) there are scalars of eleven iterations less, and of fewer where `check_every` is below 10,
    /// than the documentation of each method says.
    ///
    /// # Errors
    /// A parameter that is out of its range.
    fn memory(&self, a: &dyn LinearMap, on: &dyn Executor) -> Result<usize> {
        check(self, a)?;
        let vectors = bytes::total(Make::count(a, on, |make| self.vectors(make))?);
        let [rows, _] = self.rows();
        let recorded = History::recorded(on, check_every(self)).map_or(0, |[_, most]| most + 1);
        let columns = check_every(self).saturating_add(1 + recorded);
        // Beside the columns: a number that the host reads, and the norm of what is to be explained.
        let numbers = rows.saturating_mul(columns).saturating_add(2);
        let inner = self.preconditioner().map_or(0, LinearMap::workspace);
        let numbers = numbers.saturating_mul(widest_real(on.device()).bytes());
        Ok(bytes::total([vectors, numbers, bytes::of(a.domain()), a.workspace(), inner]))
    }

    /// Builds what a run from zero launches on the device of `on`, side by side on all cores where the device's compiler
    /// bears it, so that the run need not wait for one kernel after the other; how many were not there yet. Where that
    /// saves time a run does so itself before it begins, unless parts of the operator are opaque: this is for kernels
    /// that should be there before there are data. Waits for the compiler; on devices that run no kernels it does nothing.
    ///
    /// Data or operators that have to be scaled take kernels beside these. Takes the memory of a run for as long as it
    /// runs.
    ///
    /// # Errors
    /// As [`workspace`](Self::workspace); a kernel that cannot be built.
    fn warm_up(&self, a: &dyn LinearMap, on: &dyn Executor) -> Result<usize> {
        check(self, a)?;
        if on.device().kind().dialect().is_none() {
            return Ok(0);
        }
        let mut workspace = self.workspace(a, on)?;
        let (x, y) = (empty(a.domain(), on)?, empty(a.range(), on)?);
        let (built, _) = rehearse::run(self, &mut workspace, on, a, &y.view(), (x, false))?;
        Ok(built)
    }

    /// Solves on `on` with vectors that are already there.
    ///
    /// # Errors
    /// As [`solve_from`](Self::solve_from), and when the workspace does not fit the operator or is on another device.
    fn solve_in(
        &self,
        workspace: &mut SolverWorkspace<Self::Vectors>,
        on: &dyn Executor,
        a: &dyn LinearMap,
        y: View<'_>,
        start: Option<Array>,
        observer: &mut dyn Observer,
    ) -> Result<Solution> {
        observer.check().or_else(|why| wrong(Self::NAME, why))?;
        self.start(workspace, on, a, y, start)?.drive(observer)
    }

    /// Solves from `x = 0`, or from `start`, for several right-hand sides at once: `y` is `[range…, right-hand sides]`, solutions and
    /// `start` are `[domain…, right-hand sides]`, as the columns of matrices. (Data that are several arrays become one by `arrayspan_bridge::stack(&[&first, &second], -1, …)`.)
    ///
    /// Each has scalars of its own, and ends by itself, by the same [`Stop`](crate::Stop) as if it were solved alone: later
    /// iterations leave its solution as it was. The operator is applied to all at once ([`Operator::lifted`]), until the last one
    /// is done, and an iteration has as many launches as that of one right-hand side, or one more. Scalars are as wide as the parts of vectors.
    ///
    /// Takes, beside what [`memory`](Self::memory) says of the lifted operator, as much as all models once more if they do not all end
    /// together, as all data if any has to be scaled, and, of solvers whose operators add to what is there, as a model and data more.
    ///
    /// ```
    /// use arrayspan_bridge::{Array, DType};
    /// use arrayspan_operators::{Edge, FirstDerivative, Scheme, Space};
    /// use arrayspan_solvers::{Cgls, Solver, Stopped};
    ///
    /// let a = FirstDerivative::new(Space::new([64], DType::Float64)?, 0, 1.0, Scheme::Forward, Edge::Reduced)?;
    /// let y = Array::from_vec((0..64 * 2).map(|i| f64::from(i % 2 * (i / 2 % 9))).collect(), [64, 2])?;
    /// let solutions = Cgls::default().solve_columns(&a, &y, None)?;
    /// assert_eq!(solutions.x.shape(), [64, 2]);
    /// // Data zero end at once; the others go on.
    /// let [zero, other] = &solutions.columns[..] else { unreachable!() };
    /// assert_eq!((zero.iterations, zero.stopped), (0, Stopped::Residual));
    /// assert!(other.iterations > 10);
    /// # Ok::<(), arrayspan_solvers::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`solve_from`](Self::solve_from), and [`Error::Parameter`](crate::Error::Parameter) of [solvers that solve for one right-hand side at a time](Self).
    fn solve_columns(&self, a: &Operator, y: impl AsView, start: Option<Array>) -> Result<Columns> {
        let y = y.as_view();
        self.solve_columns_on(&*arrayspan_kernels::on(y.device())?, a, y, start)
    }

    /// As [`solve_columns`](Self::solve_columns), on `on`.
    ///
    /// # Errors
    /// As there, and when an array is on another device than `on`.
    fn solve_columns_on(
        &self,
        on: &dyn Executor,
        a: &Operator,
        y: View<'_>,
        start: Option<Array>,
    ) -> Result<Columns> {
        columns::solve(self, on, a, y, start)
    }

    /// Begins a run that the caller leads: see [`Running`]. Waits for the first norms.
    ///
    /// # Errors
    /// As [`solve_in`](Self::solve_in).
    fn start<'a>(
        &'a self,
        workspace: &'a mut SolverWorkspace<Self::Vectors>,
        on: &'a dyn Executor,
        a: &'a dyn LinearMap,
        y: View<'a>,
        start: Option<Array>,
    ) -> Result<Running<'a, Self>> {
        check(self, a)?;
        fit(self, workspace, on, a, &y, start.as_ref())?;
        check_damping(self, y.dtype())?;
        let started = start.is_some();
        let x = start.map_or_else(|| empty(a.domain(), on), Ok)?;
        let x = rehearse::if_worth_while(self, workspace, on, a, &y, (x, started))?;
        Running::new(Run::new(self, workspace, on, a, y, (x, started)))
    }

    /// Goes on with a run that was [saved](Running::save), for the same operator and the same data: with the same results bit for
    /// bit as if it had never stopped, on the device where it was saved. The solver may have another [`Stop`](crate::Stop) and
    /// `check_every`. Waits for the norm of the data.
    ///
    /// # Errors
    /// As [`solve_in`](Self::solve_in); [`Error::Saved`](crate::Error::Saved) for a run of another solver or with other damping, or for data of another
    /// norm; when the saved run is on another device or of other shapes. (That an operator or a preconditioner is another one
    /// cannot be told.)
    fn resume<'a>(
        &'a self,
        workspace: &'a mut SolverWorkspace<Self::Vectors>,
        on: &'a dyn Executor,
        a: &'a dyn LinearMap,
        y: View<'a>,
        saved: &Saved,
    ) -> Result<Running<'a, Self>> {
        check(self, a)?;
        fit(self, workspace, on, a, &y, None)?;
        check_damping(self, y.dtype())?;
        saved.check(self, a, (&mut workspace.vectors, &workspace.history), on)?;
        let model = saved.model(on)?;
        let started = model.1;
        let x = rehearse::if_worth_while(self, workspace, on, a, &y, model)?;
        Running::resumed(Run::new(self, workspace, on, a, y, (x, started)), saved)
    }
}

impl<M: Method> Solver for M {}
