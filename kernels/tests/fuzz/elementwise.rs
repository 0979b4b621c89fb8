//! Calls of verbs that go element by element.

use arrayspan_kernels::bridge::{DType, View};
use arrayspan_kernels::verb::{Mapped, Spans};
use arrayspan_kernels::{Expression, constant, input, previous};

use crate::array::{Drawn, Held};
use crate::cell::Cell;
use crate::draw::{Draw, reads};
use crate::judge::{Judged, judge};
use crate::parts;
use crate::reference::{self, Expected, Tensor};

pub fn copy(cell: &Cell, draw: &mut Draw, most: usize, what: &mut String) -> Judged {
    let (shape, update) = (draw.shape(most), draw.update(cell));
    let x = Drawn::input(cell, draw, &shape, Held::Any);
    let mut y = [Drawn::output(cell, draw, &shape, reads(&update))];
    *what = format!("{shape:?}, {update:?}, {:?} to {:?}", x.placement, y[0].placement);
    let expected = reference::copy(&x.tensor, &y[0].tensor, update);
    judge(cell, &mut y, &[&x], &[expected], 1.0, |y| {
        cell.executor.copy(x.view(), y[0].view_mut(), update)
    })
}

/// The copies of arrays themselves, whatever they hold.
pub fn copies_of_any_dtype(cell: &Cell, draw: &mut Draw, most: usize, what: &mut String) -> Judged {
    let dtype = draw.pick(&[DType::UInt8, DType::UInt16, cell.dtype]);
    let cell = &Cell { executor: cell.executor.clone(), dtype };
    let shape = draw.shape(most);
    let x = Drawn::input(cell, draw, &shape, Held::Finite);
    let mut y = [Drawn::output(cell, draw, &shape, false)];
    *what = format!("{dtype}, {shape:?}, {:?} to {:?}", x.placement, y[0].placement);
    let scale = vec![0.0; x.tensor.values.len()];
    let expected = Expected { result: x.tensor.clone(), scale, terms: 0 };
    judge(cell, &mut y, &[&x], &[expected], 1.0, |y| {
        Ok(y[0].view_mut().copy_from(&x.view(), cell.executor.stream())?)
    })
}

pub fn copy_mapped(cell: &Cell, draw: &mut Draw, most: usize, what: &mut String) -> Judged {
    let (shape, update) = (draw.shape(most), draw.update(cell));
    let mut sources: Vec<(Drawn, Vec<Spans>)> = Vec::new();
    for _ in 0..draw.pick(&[1, 1, 1, 2, 3, 4]) {
        let extent = |&extent: &usize| match draw.below(4) {
            0 => extent,
            1 => (extent + draw.below(5)).saturating_sub(2),
            2 => 1 + extent / 2,
            _ => draw.below(extent + 3),
        };
        let extents: Vec<usize> = shape.iter().map(extent).collect();
        let axes = extents.iter().zip(&shape).map(|(&from, &to)| parts::spans(draw, from, to));
        let axes = axes.collect();
        sources.push((Drawn::input(cell, draw, &extents, Held::Any), axes));
    }
    let mut y = [Drawn::output(cell, draw, &shape, reads(&update))];
    let described: Vec<_> =
        sources.iter().map(|(x, axes)| (&x.tensor.shape, &x.placement, axes)).collect();
    *what = format!("{shape:?}, {update:?}, {described:?} to {:?}", y[0].placement);
    let meant: Vec<_> = sources.iter().map(|(x, axes)| (&x.tensor, &axes[..])).collect();
    let expected = reference::copy_mapped(&meant, &y[0].tensor, update);
    let inputs: Vec<&Drawn> = sources.iter().map(|(x, _)| x).collect();
    judge(cell, &mut y, &inputs, &[expected], 1.0, |y| {
        let mapped: Vec<Mapped<'_>> = sources
            .iter()
            .map(|(x, axes)| Mapped { x: x.view(), axes: axes.iter().cloned().collect() })
            .collect();
        cell.executor.copy_mapped(&mapped, y[0].view_mut(), update)
    })
}

pub fn map(cell: &Cell, draw: &mut Draw, most: usize, what: &mut String) -> Judged {
    let shape = draw.shape(most);
    let kinds: Vec<bool> = (0..draw.below(4)).map(|_| cell.is_complex()).collect();
    let expression = expression(draw, 3, &kinds, !cell.is_complex());
    let inputs = inputs(&kinds, [cell, cell], draw, &shape);
    let mut out = [Drawn::output(cell, draw, &shape, true)];
    *what = format!("{expression:?} of {} to {shape:?} {:?}", text(&inputs), out[0].placement);
    let tensors: Vec<&Tensor> = inputs.iter().map(|input| &input.tensor).collect();
    let expected = reference::map(&expression, &tensors, &out[0].tensor);
    judge(cell, &mut out, &inputs.iter().collect::<Vec<_>>(), &[expected], 8.0, |out| {
        let views: Vec<View<'_>> = inputs.iter().map(Drawn::view).collect();
        cell.executor.map(&expression, &views, out[0].view_mut())
    })
}

/// Several outputs, real and complex.
pub fn map_many(cell: &Cell, draw: &mut Draw, most: usize, what: &mut String) -> Judged {
    let of = |dtype| Cell { executor: cell.executor.clone(), dtype };
    let single = cell.dtype.real() == DType::Float32;
    let (real, complex) = if single {
        (of(DType::Float32), of(DType::Complex64))
    } else {
        (of(DType::Float64), of(DType::Complex128))
    };
    let shape = draw.shape(most);
    let kinds: Vec<bool> = (0..draw.below(4)).map(|_| draw.once_in(2)).collect();
    let inputs = inputs(&kinds, [&real, &complex], draw, &shape);
    let (mut outs, mut expressions) = (Vec::new(), Vec::new());
    for _ in 0..=draw.below(3) {
        let is_complex = draw.once_in(2);
        expressions.push(expression(draw, 3, &kinds, !is_complex));
        let cell = if is_complex { &complex } else { &real };
        outs.push(Drawn::output(cell, draw, &shape, true));
    }
    *what = format!("{expressions:?} of {} to {shape:?} {}", text(&inputs), text(&outs));
    let tensors: Vec<&Tensor> = inputs.iter().map(|input| &input.tensor).collect();
    let each = expressions.iter().zip(&outs);
    let expected: Vec<Expected> =
        each.map(|(expression, out)| reference::map(expression, &tensors, &out.tensor)).collect();
    judge(cell, &mut outs, &inputs.iter().collect::<Vec<_>>(), &expected, 8.0, |outs| {
        let views: Vec<View<'_>> = inputs.iter().map(Drawn::view).collect();
        let outs = outs.iter_mut().map(Drawn::view_mut);
        cell.executor.map_many(&views, expressions.iter().cloned().zip(outs))
    })
}

/// Real and complex arrays that broadcast to a shape: a cell of each, and which of them are complex.
fn inputs(kinds: &[bool], cells: [&Cell; 2], draw: &mut Draw, shape: &[usize]) -> Vec<Drawn> {
    let mut inputs = Vec::new();
    for &complex in kinds {
        let mut own = shape.to_vec();
        if draw.once_in(3) {
            for extent in &mut own {
                *extent = draw.pick(&[1, *extent]);
            }
            own.drain(..draw.below(own.len() + 1));
        }
        inputs.push(Drawn::input(cells[usize::from(complex)], draw, &own, Held::Finite));
    }
    inputs
}

/// An expression of inputs that are complex or not; real if that is asked, of an output that is real then.
fn expression(draw: &mut Draw, depth: usize, kinds: &[bool], real: bool) -> Expression {
    let leaf = |draw: &mut Draw| match draw.below(4) {
        0 => constant(draw.pick(&[0.75, -1.5, 2.0])),
        1 => {
            if real {
                previous().re()
            } else {
                previous()
            }
        }
        _ if kinds.is_empty() => constant(0.5),
        _ => {
            let number = draw.below(kinds.len());
            if real && kinds[number] { input(number).im() } else { input(number) }
        }
    };
    if depth == 0 || draw.once_in(5) {
        return leaf(draw);
    }
    let kind = draw.below(8);
    let mut part = |real| expression(draw, depth - 1, kinds, real);
    let (one, other) = (part(real), part(real));
    match kind {
        0 => one + other,
        1 => one - other,
        2 | 3 => one * other,
        4 if real => part(false).re(),
        4 => one.conj(),
        5 if real => one.max(other),
        6 if real => one.min(other).abs(),
        7 => one.abs2(),
        _ => -one,
    }
}

fn text(arrays: &[Drawn]) -> String {
    let each = arrays.iter().map(|array| (array.dtype(), &array.tensor.shape, &array.placement));
    format!("{:?}", each.collect::<Vec<_>>())
}
