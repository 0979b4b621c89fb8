//! `FunctionOperator`: a short filter, and rows that are cut off.

use arrayspan_bridge::{DType, Relayout};
use arrayspan_kernels::{Band, Stencil, Update, constant};
use arrayspan_operators::{FunctionOperator, Result};

use super::space;
use crate::suite::{Case, Cell, Moves};

/// What its functions cost; an update that adds is one launch more.
#[must_use]
pub fn cases(_: DType) -> Vec<Case> {
    let filter = |len| echo(&[len]).moves(once(len), once(len)).moves_adding(twice(len), twice(len));
    let cut = Moves::one(7, 7);
    let back = Moves::one(0, 11).then(cut);
    vec![
        filter(11).golden("function_operator/echo"),
        filter(1),
        Case::new("cut", |cell: &Cell| {
            FunctionOperator::new(
                space(cell, &[11])?,
                space(cell, &[7])?,
                |on, x, y| Ok(on.copy(x.sliced(0, 0, 7)?, y, Update::new(2.0, 0.0))?),
                |on, y, mut x| {
                    on.map(&constant(0.0), &[], x.reborrow())?;
                    Ok(on.copy(y, x.sliced(0, 0, 7)?, Update::new(2.0, 0.0))?)
                },
            )
        })
        .moves(cut, back)
        .moves_adding(twice(7), back.then(Moves::one(22, 11)))
        .golden("function_operator/cut"),
    ]
}

fn once(len: usize) -> Moves {
    Moves::one(len, len)
}

fn twice(len: usize) -> Moves {
    once(len).then(once(len).reading(len))
}

/// `y[i] = x[i] + 0.5 x[i-1]`
fn echo(shape: &[usize]) -> Case {
    let shape = shape.to_vec();
    Case::new(format!("echo {shape:?}"), move |cell: &Cell| {
        let space = space(cell, &shape)?;
        let len = space.extent("echo", 0)?;
        let forward = Stencil::along(0, Band::uniform(len, [(0, 1.0), (-1, 0.5)]))?;
        let adjoint = forward.adjoint();
        let run = |stencil: Stencil| {
            move |on: arrayspan_operators::Context<'_>,
                  x: arrayspan_bridge::View<'_>,
                  y: arrayspan_bridge::ViewMut<'_>|
                  -> Result<()> { Ok(on.stencil(&stencil, x, y, Update::set())?) }
        };
        FunctionOperator::new(space.clone(), space, run(forward), run(adjoint))
    })
}
