//! Models of few columns of an operator, chosen one after the other.

use arrayspan_bridge::{Array, AsView, DType, Relayout, Transfer};
use arrayspan_kernels::{
    Executor, Expression, Reduction, Update, Vector, VectorMut, constant, input, widest_real,
};
use arrayspan_operators::{LinearMap, LinearOperator, Operator};

use super::read::{fit, norm};
use super::watched::{UNKNOWN, Watched};
use crate::engine::read::reals;
use crate::engine::system::real_dot;
use crate::parameters::{not_negative, wrong};
use crate::{Lsqr, Observer, Result, Solution, Solver, Stopped};

/// Orthogonal matching pursuit: the column of `A` that explains most of the residual joins those chosen before, and a least-squares
/// problem of these, solved by [`Lsqr`], gives the next residual.
///
/// The column is that with the largest `|<a, r>|`, or with `normalize` the largest `|<a, r>|/‖a‖`; the first one of several that are equal. (PyLops draws
/// lots.) It is found on the device, and its number comes to the host, once an iteration.
///
/// Breakdowns: a residual to which all columns are orthogonal ends with [`Stopped::Gradient`], a column that has been chosen before, which
/// rounding alone chooses again, with [`Stopped::Precision`]; NaN or infinity with [`Stopped::NotFinite`].
///
/// Storage: the model, three vectors of its space (one more with `normalize`), two of the data, and [`Lsqr`] for the columns. With `normalize` the norms of all
/// columns take as many applications of `A`. In 32 bits, models have at most 2²⁴ elements.
///
/// Reference: Pati, Rezaiifar and Krishnaprasad, Asilomar 1993. Golden: PyLops 2.8.0 `omp`.
///
/// ```
/// use arrayspan_bridge::Array;
/// use arrayspan_operators::MatrixMult;
/// use arrayspan_solvers::sparse::Omp;
///
/// let columns = Array::from_slice(&[1.0, 0.0, 1.0, 0.0, 1.0, 1.0], [2, 3])?;
/// let a = MatrixMult::new(columns.into_shared(), &[])?;
/// let x = Omp { iterations: 1, ..Omp::default() }.solve(&a, Array::from_slice(&[2.0, 2.0], [2])?)?.x.to_vec::<f64>()?;
/// assert!(x[..2] == [0.0; 2] && (x[2] - 2.0).abs() < 1e-9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub type Omp = Pursuit<true>;

/// Matching pursuit: as [`Omp`] without the least-squares problem: of each chosen column, as much goes to the model as makes the residual least.
///
/// A column may be chosen several times. That is what PyLops does with `niter_inner=0` and `optimal_coeff=True`; without the latter it takes
/// `<a, r>` for a coefficient, which is right for columns of norm 1 alone, and with `normalizecols` it divides that by the norm once where twice is
/// right.
///
/// Reference: Mallat and Zhang, IEEE Trans. Signal Process. 41 (1993) 3397. Golden: PyLops 2.8.0 `omp`.
pub type Mp = Pursuit<false>;

/// [`Omp`], or [`Mp`] where not `ORTHOGONAL`.
#[derive(Clone, Debug)]
pub struct Pursuit<const ORTHOGONAL: bool> {
    /// At most this many iterations, each of which chooses a column.
    pub iterations: usize,
    /// `‖y - A x‖ ≤ residual · ‖y‖` ends it. Finite and at least 0; zero turns this off.
    pub residual: f64,
    /// `‖y - A x‖ ≤ absolute` ends it (PyLops: `sigma`). Finite and at least 0; zero turns this off.
    pub absolute: f64,
    /// Whether columns are compared as if their norms were 1.
    pub normalize: bool,
    /// What solves the least-squares problems.
    pub least_squares: Lsqr,
}

impl<const ORTHOGONAL: bool> Default for Pursuit<ORTHOGONAL> {
    /// 10 iterations, a relative residual of 1e-8, columns as they are, the default [`Lsqr`].
    fn default() -> Self {
        let least_squares = Lsqr::default();
        Self { iterations: 10, residual: 1e-8, absolute: 0.0, normalize: false, least_squares }
    }
}

/// What finds a column.
struct Choice {
    /// `Aᴴ r`, its size beside the norms of columns, and the numbers of elements.
    products: Array,
    size: Array,
    numbers: Array,
    norms: Option<Array>,
    most: Array,
    number: Array,
}

impl<const ORTHOGONAL: bool> Pursuit<ORTHOGONAL> {
    const NAME: &'static str = if ORTHOGONAL { "Omp" } else { "Mp" };

    /// Solves from zero.
    ///
    /// # Errors
    /// A parameter that is out of its range; data that do not fit the operator; when the device fails or is out of memory.
    pub fn solve(&self, a: &Operator, y: impl AsView) -> Result<Solution> {
        self.solve_with(a, y, &mut ())
    }

    pub(super) fn check(&self) -> Result<()> {
        not_negative(Self::NAME, "residual", self.residual)?;
        not_negative(Self::NAME, "absolute", self.absolute).map(drop)
    }

    /// Solves from zero; `observer` is called before the first iteration and after each. To it, the *gradient* is the largest `|<a, r>|` of a
    /// column (over its norm, with `normalize`), by which the next one is chosen.
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
        fit(Self::NAME, a, &y, None)?;
        self.check()?;
        let on = &*arrayspan_kernels::on(y.device())?;
        let (len, dtype) = (a.domain().len(), a.domain().dtype());
        if dtype.real() == DType::Float32 && len > 1 << 24 {
            let why = format!("models have {len} elements, whose numbers Float32 does not hold");
            return wrong(Self::NAME, why);
        }
        let mut watched = Watched::new(Self::NAME, self.iterations, observer)?;
        let mut x = on.empty(a.domain().shape(), dtype)?;
        x.assign_on(on, 0.0)?;
        let mut r = super::read::copy(on, &y)?;
        let data = norm(on, &r)?;
        watched.begin(data, data);
        let mut chosen = Vec::new();
        let mut products = UNKNOWN;
        let mut choice =
            if self.iterations > 0 { Some(Choice::new(on, a, self.normalize)?) } else { None };
        let stopped = loop {
            let residual = watched.residual();
            let explained = self.residual > 0.0 && residual <= self.residual * data;
            let mut end = if !residual.is_finite() {
                Some(Stopped::NotFinite)
            } else if explained || self.absolute > 0.0 && residual <= self.absolute {
                Some(Stopped::Residual)
            } else {
                (watched.iterations() >= self.iterations).then_some(Stopped::Iterations)
            };
            let mut column = 0;
            if let Some(choice) = choice.as_mut().filter(|_| end.is_none()) {
                match choice.find(on, a, &r)? {
                    Found::Column(found, _) if chosen.contains(&found) => {
                        end = Some(Stopped::Precision);
                    }
                    Found::Column(found, product) => {
                        let first = if products[1] > 0.0 { products[1] } else { product };
                        (column, products) = (found, [product, first]);
                    }
                    Found::None => end = Some(Stopped::Gradient),
                    Found::NotFinite => end = Some(Stopped::NotFinite),
                }
            }
            if let Some(end) = watched.show(&x, products, end) {
                break end;
            }
            if ORTHOGONAL {
                chosen.push(column);
                let some = a.columns(&chosen)?;
                let solution = self.least_squares.solve(&some, &y)?;
                r = (&y - some.forward(&solution.x)?).compute_on(on)?;
                let mut flat = x.view_mut().reshaped(&[len])?;
                for (at, column) in chosen.iter().enumerate() {
                    let from = solution.x.view().sliced(0, at, 1)?;
                    on.copy(from, flat.reborrow().sliced(0, *column, 1)?, Update::set())?;
                }
            } else {
                let one = a.columns([column])?;
                let mut unit = on.empty(&[1], dtype)?;
                unit.assign_on(on, 1.0)?;
                let atom = one.forward(&unit)?;
                let part = coefficient(on, &atom, &r, dtype)?;
                r.update_on(on, |r| r - &part * &atom)?;
                let flat = x.view_mut().reshaped(&[len])?;
                flat.sliced(0, column, 1)?.update_on(on, |x| x + &part)?;
            }
            watched.residuals.push(norm(on, &r)?);
        };
        Ok(watched.solution(x, Some(stopped)))
    }
}

/// Which column explains most.
enum Found {
    /// Its number, and how much.
    Column(usize, f64),
    /// All are orthogonal to the residual.
    None,
    NotFinite,
}

impl Choice {
    fn new(on: &dyn Executor, a: &Operator, normalize: bool) -> Result<Self> {
        let (domain, real) = (a.domain(), a.domain().dtype().real());
        let empty = |shape: &[usize]| on.empty(shape, real);
        let numbers = match real {
            DType::Float32 => {
                Array::from_vec((0..domain.len()).map(|i| i as f32).collect(), domain.shape())
            }
            _ => Array::from_vec((0..domain.len()).map(|i| i as f64).collect(), domain.shape()),
        };
        let stream = on.stream();
        let numbers = numbers?.into_device_with(stream.device(), Transfer::CopyIfNeeded, stream)?.0;
        let norms = if normalize { Some(norms(on, a)?) } else { None };
        Ok(Self {
            products: on.empty(domain.shape(), domain.dtype())?,
            size: empty(domain.shape())?,
            numbers,
            norms,
            most: empty(&[])?,
            number: empty(&[])?,
        })
    }

    /// The first of those that explain most. Waits for its number.
    fn find(&mut self, on: &dyn Executor, a: &Operator, r: &Array) -> Result<Found> {
        if a.domain().len() == 0 {
            return Ok(Found::None);
        }
        self.products = a.adjoint(r)?;
        let mut inputs = vec![self.products.view()];
        let mut size = input(0).abs();
        if let Some(norms) = &self.norms {
            inputs.push(norms.view());
            size = size.div_or_zero(input(1));
        }
        on.map_many(&inputs, [(size, self.size.view_mut())])?;
        self.size.max_into(on, &mut self.most)?;
        // Numbers of those that are smaller are beyond all.
        let numbers = input(0) + constant(1e30) * smaller(input(1), input(2));
        let inputs = [self.numbers.view(), self.size.view(), self.most.view()];
        let axes: Vec<usize> = (0..self.size.shape().len()).collect();
        on.reduce(Reduction::Minimum, &numbers, &inputs, &axes, self.number.view_mut())?;
        let [most, number] =
            [&self.most, &self.number].map(|number| reals(&number.view()).map(|all| all[0]));
        let (most, number) = (most?, number?);
        Ok(if !(most.is_finite() && number.is_finite()) {
            Found::NotFinite
        } else if most <= 0.0 {
            Found::None
        } else {
            Found::Column(number as usize, most)
        })
    }
}

/// Nearly 1 where `a < b`, else 0.
fn smaller(a: Expression, b: Expression) -> Expression {
    let less = (b - a).max(constant(0.0));
    less.clone().div_or_zero(less)
}

/// The norms of all columns.
fn norms(on: &dyn Executor, a: &Operator) -> Result<Array> {
    let (domain, len) = (a.domain(), a.domain().len());
    let mut unit = on.empty(&[len], domain.dtype())?;
    unit.assign_on(on, 0.0)?;
    let mut norms = on.empty(&[len], domain.dtype().real())?;
    let mut square = on.empty(&[], widest_real(on.device()))?;
    for column in 0..len {
        unit.view_mut().sliced(0, column, 1)?.assign_on(on, 1.0)?;
        let model = unit.view().reshaped(domain.shape())?;
        a.forward(model)?.norm_squared_into(on, &mut square)?;
        norms.view_mut().sliced(0, column, 1)?.assign_on(on, square.sqrt())?;
        unit.view_mut().sliced(0, column, 1)?.assign_on(on, 0.0)?;
    }
    let mut shaped = on.empty(domain.shape(), domain.dtype().real())?;
    on.copy(norms.view().reshaped(domain.shape())?, shaped.view_mut(), Update::set())?;
    Ok(shaped)
}

/// `<a, r>/‖a‖²`, in the dtype of models.
fn coefficient(on: &dyn Executor, atom: &Array, r: &Array, dtype: DType) -> Result<Array> {
    let mut square = on.empty(&[], widest_real(on.device()))?;
    atom.norm_squared_into(on, &mut square)?;
    let mut part = on.empty(&[], dtype)?;
    if dtype.is_complex() {
        atom.dot_into(on, r, &mut part)?;
        part.update_on(on, |part| part.div_or_zero(&square))?;
    } else {
        let mut product = on.empty(&[], widest_real(on.device()))?;
        real_dot(on, atom, r, &mut product)?;
        part.assign_on(on, product.div_or_zero(&square))?;
    }
    Ok(part)
}
