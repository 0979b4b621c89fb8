//! Multiplications by weights, and sums and products of them, as one elementwise expression.

use arrayspan_bridge::{SharedArray, View, ViewMut};
use arrayspan_kernels::expression::Node;
use arrayspan_kernels::{Expression, Update, constant, input};
use num_complex::Complex64;

use super::same::same_array;
use crate::{Context, Result};

/// The most arrays of weights that one pass reads: more take a second pass.
const MOST_WEIGHTS: usize = 6;
/// The most operations of one pass.
const MOST_OPERATIONS: usize = 24;

/// `y = c ⊙ x`, where `c` is made of arrays of weights: an expression that is linear in `x`.
///
/// Products are written one into the other and keep the order in which they were applied, so a product that would
/// overflow only if the weights were multiplied with each other first does not.
#[derive(Clone, Debug)]
pub(crate) struct Pointwise {
    /// Inputs are the weights, then `x`.
    expression: Expression,
    weights: Vec<SharedArray>,
    /// Whether complex factors commute with it.
    linear: bool,
}

impl Pointwise {
    /// `d ⊙ x`, or with the conjugate of `d`.
    pub(crate) fn weights(weights: &SharedArray, conjugated: bool) -> Self {
        let factor = if conjugated { input(0).conj() } else { input(0) };
        Self { expression: factor * input(1), weights: vec![weights.clone()], linear: true }
    }

    /// `c x`
    pub(crate) fn constant(value: Complex64) -> Self {
        Self { expression: constant(value) * input(0), weights: Vec::new(), linear: true }
    }

    /// `x`
    pub(crate) fn identity() -> Self {
        Self { expression: input(0), weights: Vec::new(), linear: true }
    }

    /// `conj(x)`
    pub(crate) fn conjugate() -> Self {
        Self { expression: input(0).conj(), weights: Vec::new(), linear: false }
    }

    /// `Re x`, of complex numbers in a real space.
    pub(crate) fn real() -> Self {
        Self { expression: input(0).re(), weights: Vec::new(), linear: false }
    }

    /// `Im x`, of complex numbers in a real space.
    pub(crate) fn imaginary() -> Self {
        Self { expression: input(0).im(), weights: Vec::new(), linear: false }
    }

    /// `c x`, of real numbers in a complex space.
    pub(crate) fn of_real(factor: Complex64) -> Self {
        Self { linear: false, ..Self::identity() }.scaled(factor)
    }

    /// Whether this is the real or imaginary part of `x + 0i` or `0 + i x`, made by `inner` of real numbers: `Some(true)` if that
    /// is `x`, `Some(false)` if it is zero.
    pub(crate) fn part_of(&self, inner: &Self) -> Option<bool> {
        let parts = [Self::real(), Self::imaginary()];
        let made = [Complex64::ONE, Complex64::I].map(Self::of_real);
        let part = parts.iter().position(|part| part.same(self))?;
        made.iter().position(|made| made.same(inner)).map(|made| made == part)
    }

    /// Whether it is `conj(x)` and nothing else.
    pub(crate) fn is_conjugation(&self) -> bool {
        !self.linear && self.same(&Self::conjugate())
    }

    /// Whether complex factors commute with it.
    pub(crate) fn is_complex_linear(&self) -> bool {
        self.linear
    }

    /// The same times `factor`, which is applied last.
    pub(crate) fn scaled(self, factor: Complex64) -> Self {
        if factor == Complex64::from(1.0) {
            return self;
        }
        Self { expression: constant(factor) * self.expression, ..self }
    }

    /// First `inner`, then this, if one pass can do it.
    pub(crate) fn after(&self, inner: &Self) -> Option<Self> {
        let (weights, [outer, inside]) = Self::together(self, inner)?;
        let whole = substitute(&outer, &|number| match number {
            number if number == weights.len() => inside.clone(),
            number => input(number),
        });
        let linear = self.linear && inner.linear;
        Self { expression: whole, weights, linear }.allowed()
    }

    /// The sum of both, if one pass can do it.
    pub(crate) fn plus(&self, other: &Self) -> Option<Self> {
        let (weights, [a, b]) = Self::together(self, other)?;
        let linear = self.linear && other.linear;
        Self { expression: a + b, weights, linear }.allowed()
    }

    fn allowed(self) -> Option<Self> {
        (self.expression.operations() <= MOST_OPERATIONS).then_some(self)
    }

    /// The weights of both, and both expressions in their numbers.
    fn together(a: &Self, b: &Self) -> Option<(Vec<SharedArray>, [Expression; 2])> {
        let mut weights = a.weights.clone();
        let mut number = |array: &SharedArray| {
            let there = weights.iter().position(|weight| same_array(weight, array));
            there.unwrap_or_else(|| {
                weights.push(array.clone());
                weights.len() - 1
            })
        };
        let places: Vec<usize> = b.weights.iter().map(&mut number).collect();
        if weights.len() > MOST_WEIGHTS {
            return None;
        }
        let x = weights.len();
        let from_a = |number: usize| input(if number < a.weights.len() { number } else { x });
        let from_b = |number: usize| input(places.get(number).copied().unwrap_or(x));
        let both = [substitute(&a.expression, &from_a), substitute(&b.expression, &from_b)];
        Some((weights, both))
    }

    pub(crate) fn same(&self, other: &Self) -> bool {
        let arrays = self.weights.iter().zip(&other.weights);
        self.expression == other.expression
            && self.weights.len() == other.weights.len()
            && arrays.into_iter().all(|(a, b)| same_array(a, b))
    }

    /// Whether it has a matrix that is real: all weights and constants are.
    pub(crate) fn is_real(&self) -> bool {
        self.linear
            && self.weights.iter().all(|weights| !weights.dtype().is_complex())
            && self.expression.has_real_constants()
    }

    /// Whether one pass can do it from real numbers to real ones: constants are complex only where weights are, too.
    pub(crate) fn is_of_real_arrays(&self) -> bool {
        let complex = self.weights.iter().any(|weights| weights.dtype().is_complex());
        complex || self.expression.has_real_constants()
    }

    /// How many arrays of weights it reads, and their bytes.
    pub(crate) fn read(&self) -> (usize, usize) {
        let bytes = |array: &SharedArray| array.layout().len() * array.dtype().bytes();
        (self.weights.len(), self.weights.iter().map(bytes).sum())
    }

    /// The expression, whose inputs are the weights, then `x`.
    pub(crate) fn parts(&self) -> (&Expression, &[SharedArray]) {
        (&self.expression, &self.weights)
    }

    /// The expression of other inputs: `weights`, among which its own are, and `x` by its number.
    pub(super) fn of_inputs(&self, weights: &[SharedArray], x: usize) -> Expression {
        let place = |own: &SharedArray| weights.iter().position(|array| same_array(array, own));
        let places: Vec<usize> = self.weights.iter().map(|own| place(own).unwrap_or(x)).collect();
        substitute(&self.expression, &|number| input(places.get(number).copied().unwrap_or(x)))
    }

    pub(super) fn run(
        &self,
        on: &Context<'_>,
        x: View<'_>,
        y: ViewMut<'_>,
        update: Update,
    ) -> Result<()> {
        let mut inputs: Vec<View<'_>> = self.weights.iter().map(SharedArray::view).collect();
        inputs.push(x);
        Ok(on.map_updated(&self.expression, &inputs, y, update)?)
    }
}

/// `alpha · conj(x) + beta · y`
pub(super) fn conjugate(
    on: &Context<'_>,
    x: View<'_>,
    y: ViewMut<'_>,
    update: Update,
) -> Result<()> {
    Ok(on.map_updated(&input(0).conj(), &[x], y, update)?)
}

/// The expression with its inputs replaced. Expressions here have few operations, so this may recurse.
fn substitute(expression: &Expression, by: &impl Fn(usize) -> Expression) -> Expression {
    match expression.node() {
        Node::Input(number) => by(*number),
        Node::Previous | Node::Constant(_) => expression.clone(),
        Node::Unary(function, a) => Node::Unary(*function, substitute(a, by)).into(),
        Node::Binary(function, a, b) => {
            Node::Binary(*function, substitute(a, by), substitute(b, by)).into()
        }
    }
}
