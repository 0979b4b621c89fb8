//! `Kronecker`: of matrices and derivatives, of stacks, sums, opaque operators, and with one row or column.

use std::sync::Arc;

use arrayspan_bridge::DType;
use arrayspan_operators::{
    Edge, FirstDerivative, Kronecker, LinearRegression, MatrixMult, Operator, Result, Scheme, vstack,
};

use super::regression::real;
use super::{golden_array, parts, space};
use crate::suite::{Case, Cell, Moves, Values};

/// Makes one of both operators.
type Make = Arc<dyn Fn(&Cell) -> Result<Operator> + Send + Sync>;

/// What it costs to go from so many values to so many by an operator that has so many of its own.
type Step = [usize; 3];

/// The step with fewer multiplications comes first; what is between both is written and read.
#[must_use]
pub fn cases(_: DType) -> Vec<Case> {
    let golden = |key: &str, a: &dyn Fn(&str) -> Make, b: &dyn Fn(&str) -> Make, steps| {
        let key = format!("kronecker/{key}");
        case(&key, a(&key), b(&key), steps).golden(&*key)
    };
    let (a, b) = (|key: &str| stored(key, "a"), |key: &str| stored(key, "b"));
    // A stack is two passes, its adjoint one that reads both of its parts.
    let once = Moves::one(42, 42);
    let (above, below) =
        (Moves::one(69, 42).then(once).then(once), Moves::one(84, 42).then(Moves::one(48, 63)));
    // Both columns at once, of five positions and two coefficients each.
    let lines = Moves::one(12, 4).then(Moves::one(9, 10));
    let sums = Moves::one(15, 4).then(Moves::one(10, 6));
    vec![
        golden("matrices", &a, &b, [[10, 6, 15], [6, 12, 8]]),
        golden("derivative_matrix", &|_| derivative(7), &b, [[14, 14, 0], [14, 28, 8]]),
        golden("matrix_derivative", &a, &|_| derivative(7), [[35, 21, 15], [21, 21, 0]]),
        golden("derivatives", &|_| derivative(5), &|_| derivative(7), [[35, 35, 0], [35, 35, 0]]),
        golden("row_column", &a, &b, [[7, 1, 7], [1, 5, 5]]),
        golden("column_row", &a, &b, [[11, 1, 11], [1, 3, 3]]),
        case("one row", matrix([1, 13]), matrix([3, 1]), [[13, 1, 13], [1, 3, 3]]),
        case("one column", matrix([3, 1]), matrix([1, 11]), [[11, 1, 11], [1, 3, 3]]),
        // Axis 0 of a matrix of derivatives, behind the other's axes and before them.
        case("sum", sum(), matrix([2, 3]), [[63, 42, 6], [42, 42, 0]]),
        case("before a sum", matrix([2, 3]), sum(), [[63, 42, 6], [42, 42, 0]]),
        loose("stack", stack(), matrix([2, 3])).moves(above, below),
        loose("before a stack", matrix([2, 3]), stack()).moves(above, below),
        loose("opaque", line(), matrix([2, 3])).moves(lines, sums),
        loose("before an opaque one", matrix([2, 3]), line()).moves(lines, sums),
    ]
}

fn stored(key: &str, name: &'static str) -> Make {
    let key = key.to_owned();
    Arc::new(move |cell| {
        MatrixMult::new(cell.array(&golden_array(cell, &key, name)?)?.into_shared(), &[])
    })
}

fn matrix(shape: [usize; 2]) -> Make {
    Arc::new(move |cell| {
        let values = Values::random(&space(cell, &shape)?, 24);
        MatrixMult::new(cell.array(&values)?.into_shared(), &[])
    })
}

fn derivative(len: usize) -> Make {
    Arc::new(move |cell| {
        FirstDerivative::new(space(cell, &[len])?, 0, 1.0, Scheme::Forward, Edge::Zero)
    })
}

/// One pass along both axes of a `[7, 3]` model.
fn sum() -> Make {
    Arc::new(|cell| (-2.5 * parts::first(cell)? + parts::second(cell)?).build())
}

fn stack() -> Make {
    Arc::new(|cell| vstack([parts::first(cell)?, parts::second(cell)?]))
}

fn line() -> Make {
    Arc::new(|cell| {
        let values = Values::random(&space(&real(cell), &[5])?, 25);
        let positions = real(cell).array(&values)?.into_shared();
        LinearRegression::along(space(cell, &[5])?, 0, positions)
    })
}

fn loose(name: &str, a: Make, b: Make) -> Case {
    Case::new(name, move |cell: &Cell| Kronecker::new(a(cell)?, b(cell)?))
}

fn case(name: &str, a: Make, b: Make, steps: [Step; 2]) -> Case {
    let moved = |[from, to, own]: Step| Moves::one(from + own, to);
    let back = |[from, to, own]: Step| Moves::one(to + own, from);
    let [first, second] = steps;
    loose(name, a, b).moves(moved(first).then(moved(second)), back(second).then(back(first)))
}
