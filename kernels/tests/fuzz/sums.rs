//! Calls of reductions.

use arrayspan_kernels::bridge::View;
use arrayspan_kernels::{Expression, Reduction, constant, input};

use crate::array::{Drawn, Held};
use crate::cell::Cell;
use crate::draw::Draw;
use crate::judge::{Judged, judge};
use crate::reference::{self, Expected, Tensor};

/// Some axes of an array, and one that broadcasts to its shape.
struct Reduced {
    axes: Vec<usize>,
    arrays: [Drawn; 2],
    what: String,
}

impl Reduced {
    fn draw(cell: &Cell, draw: &mut Draw, most: usize) -> Self {
        let shape = draw.shape(most);
        let set = draw.below(1 << shape.len());
        let mut axes: Vec<usize> = (0..shape.len()).filter(|axis| set >> axis & 1 == 1).collect();
        if draw.once_in(2) {
            axes.reverse();
        }
        let x = Drawn::input(cell, draw, &shape, Held::Any);
        let mut other = shape.clone();
        for extent in &mut other {
            if draw.once_in(4) {
                *extent = 1.min(*extent);
            }
        }
        if draw.once_in(3) {
            other.drain(..draw.below(other.len() + 1));
        }
        let other = Drawn::input(cell, draw, &other, Held::Any);
        let what = format!(
            "{axes:?} of {shape:?} {:?} and {:?} {:?}",
            x.placement, other.tensor.shape, other.placement
        );
        Self { axes, arrays: [x, other], what }
    }

    fn tensors(&self) -> [&Tensor; 2] {
        self.arrays.each_ref().map(|array| &array.tensor)
    }
}

fn expression(draw: &mut Draw) -> Expression {
    let first = match draw.below(4) {
        0 => input(0),
        1 => input(0) * input(0),
        2 => input(0).abs(),
        _ => input(0) + constant(0.5),
    };
    if draw.once_in(3) { first * input(1) } else { first }
}

pub fn reduce(cell: &Cell, draw: &mut Draw, most: usize, what: &mut String) -> Judged {
    let reduced = Reduced::draw(cell, draw, most);
    let expression = expression(draw);
    let all = [Reduction::Sum, Reduction::Sum, Reduction::Maximum, Reduction::Minimum];
    let reduction = draw.pick(&all[..if cell.is_complex() { 1 } else { 4 }]);
    let expected = reference::reduce(reduction, &expression, &reduced.tensors(), &reduced.axes);
    let mut y = [Drawn::output(cell, draw, &expected.result.shape, false)];
    *what = format!("{reduction:?} {expression:?} {} to {:?}", reduced.what, y[0].placement);
    judge(cell, &mut y, &reduced.arrays.each_ref(), &[expected], 4.0, |y| {
        let views = reduced.arrays.each_ref().map(Drawn::view);
        cell.executor.reduce(reduction, &expression, &views, &reduced.axes, y[0].view_mut())
    })
}

pub fn moments(cell: &Cell, draw: &mut Draw, most: usize, what: &mut String) -> Judged {
    let reduced = Reduced::draw(cell, draw, most);
    let (expression, count) = (expression(draw), 1 + draw.below(4));
    let mut power = expression.clone();
    let mut all: Option<Expected> = None;
    for _ in 0..count {
        let one = reference::reduce(Reduction::Sum, &power, &reduced.tensors(), &reduced.axes);
        power = power * input(1);
        all = Some(match all {
            None => one,
            Some(mut all) => {
                all.result.values.extend(one.result.values);
                all.scale.extend(one.scale);
                Expected { terms: one.terms, ..all }
            }
        });
    }
    let mut expected = all.unwrap();
    expected.result.shape.insert(0, count);
    let mut y = [Drawn::output(cell, draw, &expected.result.shape, false)];
    *what = format!("{count} of {expression:?} {} to {:?}", reduced.what, y[0].placement);
    judge(cell, &mut y, &reduced.arrays.each_ref(), &[expected], 4.0, |y| {
        let views: [View<'_>; 2] = reduced.arrays.each_ref().map(Drawn::view);
        cell.executor.moments(&expression, &views, &reduced.axes, y[0].view_mut())
    })
}
