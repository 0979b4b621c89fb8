//! What a solver works in: allocated once, for many right-hand sides.

use arrayspan_bridge::{Array, DType};
use arrayspan_kernels::{Arrays as _, Executor, widest_real};
use arrayspan_operators::{LinearMap, Operator, Space, Workspace};

use super::fit::Fit;
use super::history::History;
use super::recorded::Kept;
use crate::{Error, Result, bytes};

/// The vectors and scalars of a solver, for one operator on one device; usable for many right-hand sides.
///
/// On CUDA it keeps the iterations that the last two runs of 8 or more have recorded, and the operator with them (4 or more with checks every 2 or
/// 3 iterations; with checks after each none are recorded). A run that is like one of them (the same operator, with no part that the user has
/// written; the same parameters; data and models of the same layout, wherever their arrays are) begins with them, which saves a tenth of a
/// millisecond or more. The first run records up to 4 iterations, a later one like it up to 10 ([`Minres`](crate::Minres) two). [`Solution::launched`](crate::Solution::launched)
/// tells how many were launched so. [`forget_last_run`](Self::forget_last_run)
/// gives them up; they are not freed when the device runs out of memory.
#[derive(Debug)]
pub struct SolverWorkspace<V> {
    pub(crate) vectors: V,
    pub(crate) history: History,
    /// A number that the host is about to read.
    pub(crate) number: Array,
    /// Without elements: what stands where the model does while iterations are recorded.
    pub(crate) nothing: Option<Array>,
    pub(crate) operator: Workspace,
    /// Iterations that the last runs have recorded.
    pub(crate) kept: Vec<Kept>,
    /// That of the preconditioner, or nothing.
    pub(crate) inner: Option<Workspace>,
    /// What checks say of a workspace that does not fit: names of a vector of data and one of models.
    names: [&'static str; 2],
    spaces: [Space; 2],
    /// The bytes of each part of the vectors, in the order in which they were made.
    pub(crate) sizes: Vec<usize>,
    /// For which runs the kernels are known to be built: with damping or without, from a start vector or from zero.
    pub(crate) built_for: Option<[bool; 2]>,
}

/// What the scalars of a recurrence are.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scalars {
    pub(crate) dtype: DType,
    /// The right-hand sides, where several are solved at once.
    pub(crate) columns: Option<usize>,
}

/// Makes the vectors of a method, and adds up what they take.
#[derive(Debug)]
pub struct Make<'a> {
    on: &'a dyn Executor,
    a: &'a dyn LinearMap,
    scalars: DType,
    /// The right-hand sides, where several are solved at once.
    columns: Option<usize>,
    /// Of the first vector of data and the first one of models.
    names: [Option<&'static str>; 2],
    /// Whether nothing is made: only the bytes are wanted.
    counts: bool,
    /// Of each part.
    sizes: Vec<usize>,
}

impl<'a> Make<'a> {
    /// For `a` on `on`, with scalars of that dtype.
    pub(crate) fn new(a: &'a dyn LinearMap, on: &'a dyn Executor, scalars: Scalars) -> Self {
        let Scalars { dtype: scalars, columns } = scalars;
        Self { on, a, scalars, columns, names: [None; 2], counts: false, sizes: Vec::new() }
    }

    /// The bytes that each part of a method's vectors takes; nothing is allocated.
    pub(crate) fn count<V>(
        a: &'a dyn LinearMap,
        on: &'a dyn Executor,
        make: impl FnOnce(&mut Self) -> Result<V>,
    ) -> Result<Vec<usize>> {
        let scalars = Scalars { dtype: widest_real(on.device()), columns: None };
        let mut counter = Self { counts: true, ..Self::new(a, on, scalars) };
        make(&mut counter)?;
        Ok(counter.sizes)
    }

    fn array(&mut self, shape: &[usize], dtype: DType) -> Result<Array> {
        let len = shape.iter().fold(dtype.bytes(), |len, &extent| len.saturating_mul(extent));
        self.sizes.push(len);
        Ok(self.on.empty(if self.counts { &[0] } else { shape }, dtype)?)
    }

    /// A vector of the data's space.
    pub(crate) fn data(&mut self, name: &'static str) -> Result<Array> {
        self.names[0].get_or_insert(name);
        self.of(self.a.range())
    }

    /// A vector of the models' space.
    pub(crate) fn model(&mut self, name: &'static str) -> Result<Array> {
        self.names[1].get_or_insert(name);
        self.of(self.a.domain())
    }

    /// A vector of a space that may be neither of both.
    pub(crate) fn of(&mut self, space: &Space) -> Result<Array> {
        self.array(space.shape(), space.dtype())
    }

    /// Where a preconditioner writes, if there is one.
    pub(crate) fn preconditioned(
        &mut self,
        preconditioner: Option<&Operator>,
    ) -> Result<Option<Array>> {
        preconditioner.map(|_| self.model("the workspace's preconditioned")).transpose()
    }

    /// What another operator needs between its parts.
    pub(crate) fn workspace(&mut self, operator: &Operator) -> Result<Option<Workspace>> {
        let bytes = operator.workspace();
        self.made(bytes, |on| Ok(Workspace::of(operator, on)?))
    }

    /// What takes so many bytes, unless nothing is made.
    pub(crate) fn made<T>(
        &mut self,
        bytes: usize,
        make: impl FnOnce(&dyn Executor) -> Result<T>,
    ) -> Result<Option<T>> {
        self.sizes.push(bytes);
        if self.counts { Ok(None) } else { make(self.on).map(Some) }
    }

    /// The operator.
    pub(crate) fn operator(&self) -> &'a dyn LinearMap {
        self.a
    }

    /// Where vectors are made.
    pub(crate) fn on(&self) -> &'a dyn Executor {
        self.on
    }

    /// As many vectors of the data as there may be independent ones, and at most `most`: one a row.
    pub(crate) fn rows(&mut self, most: usize) -> Result<Array> {
        let (len, dtype) = (self.a.range().len(), self.a.range().dtype());
        self.array(&[self.independent(most), len], dtype)
    }

    /// A number for each of [`rows`](Self::rows), in the dtype of the data.
    pub(crate) fn column(&mut self, most: usize) -> Result<Array> {
        self.array(&[self.independent(most), 1], self.a.range().dtype())
    }

    /// How many rows [`rows`](Self::rows) has, at least one.
    pub(crate) fn independent(&self, most: usize) -> usize {
        most.min(self.a.range().len()).max(1)
    }

    /// Numbers as precise as scalars, which may be complex where the data are.
    pub(crate) fn numbers(&mut self, shape: &[usize], complex: bool) -> Result<Array> {
        let dtype = match self.scalars {
            scalars if !(complex && self.a.range().dtype().is_complex()) => scalars,
            DType::Float32 => DType::Complex64,
            _ => DType::Complex128,
        };
        self.array(shape, dtype)
    }

    /// A number of any dtype.
    pub(crate) fn number(&mut self, dtype: DType) -> Result<Array> {
        self.array(&[], dtype)
    }

    /// A real number that stays on the device: of several right-hand sides one for each.
    pub(crate) fn scalar(&mut self) -> Result<Array> {
        let columns = self.columns;
        self.array(columns.as_slice(), self.scalars)
    }
}

impl<V> SolverWorkspace<V> {
    /// Gives up what it keeps of the last runs for the next one: recorded iterations, the operator that they are of, and memory that their kernels
    /// use.
    pub fn forget_last_run(&mut self) {
        self.kept.clear();
    }

    /// The vectors that `vectors` makes and a history of `rows`, for `a` on `on`, `check_every` iterations from one check
    /// to the next.
    pub(crate) fn new(
        a: &dyn LinearMap,
        on: &dyn Executor,
        [check_every, rows, state]: [usize; 3],
        scalars: Scalars,
        inner: Option<&dyn LinearMap>,
        vectors: impl FnOnce(&mut Make<'_>) -> Result<V>,
    ) -> Result<Self> {
        let mut make = Make::new(a, on, scalars);
        let vectors = vectors(&mut make)?;
        let Make { names: [data, model], sizes, .. } = make;
        Ok(Self {
            vectors,
            history: {
                let Scalars { dtype, columns } = scalars;
                History::new(on, dtype, check_every, rows, state, columns)?
            },
            number: on.empty(&[], scalars.dtype)?,
            nothing: Some(on.empty(&[0], scalars.dtype)?),
            operator: Workspace::of(a, on)?,
            kept: Vec::new(),
            inner: inner.map(|inner| Workspace::of(inner, on)).transpose()?,
            names: [
                data.unwrap_or("the workspace's data"),
                model.unwrap_or("the workspace's model"),
            ],
            spaces: [a.range().clone(), a.domain().clone()],
            sizes,
            built_for: None,
        })
    }

    /// Shows all arrays, those among the vectors by `vectors`.
    pub(crate) fn show<'s>(
        &'s mut self,
        vectors: impl FnOnce(&'s mut V) -> Vec<&'s mut Array>,
        show: &mut dyn FnMut(&'s mut Array),
    ) {
        vectors(&mut self.vectors).into_iter().for_each(&mut *show);
        self.history.show(show);
        show(&mut self.number);
        self.operator.show(show);
        self.inner.show(show);
    }

    /// Fails unless it is one for `a` on the device.
    pub(crate) fn check(
        &self,
        fit: Fit,
        a: &dyn LinearMap,
        inner: Option<&dyn LinearMap>,
        on: &dyn Executor,
    ) -> Result<()> {
        for (at, space) in [a.range(), a.domain()].into_iter().enumerate() {
            fit.space(self.names[at], space, &self.spaces[at])?;
        }
        fit.device("the workspace's history", self.history.view().device())?;
        Self::enough(fit, &self.operator, a, on)?;
        match (inner, &self.inner) {
            (Some(inner), Some(workspace)) => Self::enough(fit, workspace, inner, on),
            (Some(inner), None) => {
                let (solver, operator) = (fit.solver, inner.name().to_owned());
                // Its result has no place, either.
                let (len, bytes) = (inner.range().len(), inner.range().dtype().bytes());
                let expected = inner.workspace().saturating_add(len.saturating_mul(bytes));
                Err(Error::Workspace { solver, operator, expected, found: 0 })
            }
            _ => Ok(()),
        }
    }

    /// Fails unless `workspace` is enough for `a`, and on the devices where it is needed.
    pub(crate) fn enough(
        fit: Fit,
        workspace: &Workspace,
        a: &dyn LinearMap,
        on: &dyn Executor,
    ) -> Result<()> {
        let elsewhere = a.elsewhere().into_iter().map(|(_, bytes)| bytes);
        let expected = bytes::total(elsewhere.chain([a.workspace()]));
        let found = workspace.bytes();
        if found < expected {
            let (solver, operator) = (fit.solver, a.name().to_owned());
            return Err(Error::Workspace { solver, operator, expected, found });
        }
        Ok(workspace.check(a, on)?)
    }
}
