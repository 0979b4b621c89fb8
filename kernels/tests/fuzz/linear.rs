//! Calls of verbs that multiply by a matrix.

use std::sync::Arc;

use arrayspan_kernels::{Coefficients, Stencil, StencilTerm};

use crate::array::{Drawn, Held};
use crate::cell::Cell;
use crate::draw::{Draw, reads};
use crate::judge::{Judged, judge};
use crate::parts;
use crate::reference::{self, Summand, Tensor};

pub fn gather(cell: &Cell, draw: &mut Draw, most: usize, what: &mut String) -> Judged {
    let (mut shape, update) = (draw.shape(most), draw.update(cell));
    let axis = draw.below(shape.len());
    let others: usize = shape.iter().product::<usize>() / shape[axis].max(1);
    let rows = most / others.max(1);
    let mut gather = parts::gather(cell, draw, axis, shape[axis], rows);
    if draw.once_in(4) {
        shape = gather.range_of(&shape).unwrap();
        gather = gather.adjoint();
    }
    let range = gather.range_of(&shape).unwrap();
    let x = Drawn::input(cell, draw, &shape, Held::Any);
    let mut y = [Drawn::output(cell, draw, &range, reads(&update))];
    let (entries, real, ones) = (gather.entries(), gather.is_real(), gather.is_unweighted());
    *what = format!(
        "{entries} entries (real {real}, ones {ones}) along {axis}, {shape:?} {:?} to {range:?} {:?}, {update:?}",
        x.placement, y[0].placement
    );
    let expected = reference::gather(&gather, &x.tensor, &y[0].tensor, update);
    judge(cell, &mut y, &[&x], &[expected], 2.0, |y| {
        cell.executor.gather(&gather, x.view(), y[0].view_mut(), update)
    })
}

pub fn convolve(cell: &Cell, draw: &mut Draw, most: usize, what: &mut String) -> Judged {
    let (shape, update) = (draw.shape(most), draw.update(cell));
    let convolution = parts::convolution(
        cell,
        draw,
        shape.len(),
        1 + 40 * most / shape.iter().product::<usize>().max(most),
    );
    let held = if cell.is_complex() { Held::Finite } else { Held::Any };
    let x = Drawn::input(cell, draw, &shape, held);
    let mut y = [Drawn::output(cell, draw, &shape, reads(&update))];
    let (axes, extents) = (convolution.axes(), convolution.extents());
    *what = format!(
        "{extents:?} taps along {axes:?} from {:?}, {shape:?} {:?} to {:?}, {update:?}",
        convolution.offsets(),
        x.placement,
        y[0].placement
    );
    let expected = reference::convolve(&convolution, &x.tensor, &y[0].tensor, update);
    judge(cell, &mut y, &[&x], &[expected], 2.0, |y| {
        cell.executor.convolve(&convolution, x.view(), y[0].view_mut(), update)
    })
}

pub fn convolve_varying(cell: &Cell, draw: &mut Draw, most: usize, what: &mut String) -> Judged {
    let (mut shape, update) = (draw.shape(most), draw.update(cell));
    if shape.iter().all(|extent| *extent == 0) {
        shape[0] = 1;
    }
    let products = 1 + 40 * most / shape.iter().product::<usize>().max(most);
    let convolution = parts::varying(cell, draw, &shape, products);
    let x = Drawn::input(cell, draw, &shape, Held::Finite);
    let mut y = [Drawn::output(cell, draw, &shape, reads(&update))];
    *what = format!(
        "{:?} {} of {shape:?} {:?} to {:?}, {update:?}",
        convolution.along(),
        convolution.is_transposed(),
        x.placement,
        y[0].placement
    );
    let expected = reference::convolve_varying(&convolution, &x.tensor, &y[0].tensor, update);
    judge(cell, &mut y, &[&x], &[expected], 2.0, |y| {
        cell.executor.convolve_varying(&convolution, x.view(), y[0].view_mut(), update)
    })
}

pub fn scan(cell: &Cell, draw: &mut Draw, most: usize, what: &mut String) -> Judged {
    let (mut shape, update) = (draw.shape(most), draw.update(cell));
    let axis = draw.below(shape.len());
    let scan = parts::scan(draw, axis, shape[axis]);
    shape[axis] = scan.columns();
    let range = scan.range_of(&shape).unwrap();
    let x = Drawn::input(cell, draw, &shape, Held::Any);
    let mut y = [Drawn::output(cell, draw, &range, reads(&update))];
    *what = format!("{scan:?}, {shape:?} {:?} to {:?}, {update:?}", x.placement, y[0].placement);
    let expected = reference::scan(&scan, &x.tensor, &y[0].tensor, update);
    judge(cell, &mut y, &[&x], &[expected], 1.0, |y| {
        cell.executor.scan(&scan, x.view(), y[0].view_mut(), update)
    })
}

pub fn fft(cell: &Cell, draw: &mut Draw, most: usize, what: &mut String) -> Judged {
    let mut shape = draw.shape(most);
    let axis = draw.below(shape.len());
    let others: usize = shape.iter().product::<usize>() / shape[axis].max(1);
    let fourier = parts::fourier(cell, draw, axis, most / others.max(1));
    let [of_x, of_y] = fourier.dtypes(cell.dtype);
    let of = |dtype| Cell { executor: Arc::clone(&cell.executor), dtype };
    let (of_x, of_y) = (of(of_x), of(of_y));
    shape[axis] = fourier.extents()[0];
    let range = fourier.range_of(&shape).unwrap();
    let update = draw.update(&of_y);
    let x = Drawn::input(&of_x, draw, &shape, Held::Finite);
    let mut y = [Drawn::output(&of_y, draw, &range, reads(&update))];
    *what = format!("{fourier:?}, {shape:?} {:?} to {:?}, {update:?}", x.placement, y[0].placement);
    let expected = reference::fft(&fourier, &x.tensor, &y[0].tensor, update);
    judge(&of_y, &mut y, &[&x], &[expected], 1.0, |y| {
        of_y.executor.fft(&fourier, x.view(), y[0].view_mut(), update)
    })
}

/// Along some axes of a shape, in any order.
fn any_stencil(cell: &Cell, draw: &mut Draw, shape: &[usize]) -> Stencil {
    let mut axes = draw.order(shape.len());
    axes.truncate(1 + draw.below(shape.len()));
    if draw.once_in(2) {
        axes.sort_unstable();
    }
    let terms = axes.into_iter().map(|axis| (axis, parts::band(cell, draw, shape[axis])));
    Stencil::new(terms.collect::<Vec<_>>()).unwrap()
}

fn text(stencil: &Stencil) -> String {
    let term = |(axis, band): &(usize, arrayspan_kernels::Band)| {
        let taps: Vec<_> = band.interior().iter().map(|tap| (tap.offset, tap.weight)).collect();
        let pieces: Vec<_> = band.pieces().map(|(rows, _)| rows).collect();
        format!("along {axis} {taps:?} in {pieces:?}")
    };
    stencil.terms().iter().map(term).collect::<Vec<_>>().join(", ")
}

pub fn stencil(cell: &Cell, draw: &mut Draw, most: usize, what: &mut String) -> Judged {
    let (shape, update) = (draw.shape(most), draw.update(cell));
    let stencil = any_stencil(cell, draw, &shape);
    let x = Drawn::input(cell, draw, &shape, Held::Any);
    let mut y = [Drawn::output(cell, draw, &shape, reads(&update))];
    let (from, to) = (&x.placement, &y[0].placement);
    *what = format!("{}, {shape:?} {from:?} to {to:?}, {update:?}", text(&stencil));
    let expected = reference::stencil(&stencil, &x.tensor, &y[0].tensor, update);
    judge(cell, &mut y, &[&x], &[expected], 2.0, |y| {
        cell.executor.stencil(&stencil, x.view(), y[0].view_mut(), update)
    })
}

pub fn stencil_each(cell: &Cell, draw: &mut Draw, most: usize, what: &mut String) -> Judged {
    let (shape, update) = (draw.shape(most), draw.update(cell));
    let stencil = any_stencil(cell, draw, &shape);
    let range = [&[stencil.terms().len()], &shape[..]].concat();
    let x = Drawn::input(cell, draw, &shape, Held::Any);
    let mut y = [Drawn::output(cell, draw, &range, reads(&update))];
    let (from, to) = (&x.placement, &y[0].placement);
    *what = format!("{}, {shape:?} {from:?} to {to:?}, {update:?}", text(&stencil));
    let expected = reference::stencil_each(&stencil, &x.tensor, &y[0].tensor, update);
    judge(cell, &mut y, &[&x], &[expected], 2.0, |y| {
        cell.executor.stencil_each(&stencil, x.view(), y[0].view_mut(), update)
    })
}

/// A term, and its coefficients before and behind: of what array, conjugated or not.
struct Term {
    stencil: Stencil,
    x: Drawn,
    around: [Option<(Drawn, bool)>; 2],
}

impl Term {
    fn meant(&self, shape: &[usize]) -> Summand<'_> {
        let [before, after] = self.around.each_ref().map(|of| {
            let (array, conjugated) = of.as_ref()?;
            let mut tensor = array.tensor.broadcast(shape);
            if *conjugated {
                tensor.values.iter_mut().for_each(|value| *value = value.conj());
            }
            Some(tensor)
        });
        Summand { stencil: &self.stencil, x: &self.x.tensor, before, after }
    }

    fn given(&self) -> StencilTerm<'_> {
        let [before, after] = self.around.each_ref().map(|of| {
            let (array, conjugated) = of.as_ref()?;
            Some(Coefficients { array: array.view(), conjugated: *conjugated })
        });
        StencilTerm { before, after, ..StencilTerm::new(&self.stencil, self.x.view()) }
    }
}

pub fn stencil_sum(cell: &Cell, draw: &mut Draw, most: usize, what: &mut String) -> Judged {
    let (shape, update) = (draw.shape(most), draw.update(cell));
    let terms: Vec<Term> = (0..=draw.below(StencilTerm::MOST))
        .map(|_| Term {
            stencil: any_stencil(cell, draw, &shape),
            x: Drawn::input(cell, draw, &shape, Held::Finite),
            around: [(); 2].map(|()| coefficients(cell, draw, &shape)),
        })
        .collect();
    let mut y = [Drawn::output(cell, draw, &shape, reads(&update))];
    let described = terms.iter().map(|term| {
        let around = term.around.each_ref().map(|of| {
            of.as_ref().map(|(array, conj)| (&array.tensor.shape, &array.placement, *conj))
        });
        format!("{} of {:?} with {around:?}", text(&term.stencil), term.x.placement)
    });
    let described: Vec<String> = described.collect();
    *what = format!("{described:?}, {shape:?} to {:?}, {update:?}", y[0].placement);
    let summands: Vec<Summand<'_>> = terms.iter().map(|term| term.meant(&shape)).collect();
    let expected = reference::stencil_sum(&summands, &y[0].tensor, update);
    let arrays = terms.iter().flat_map(|term| {
        let around = term.around.iter().flatten().map(|(array, _)| array);
        std::iter::once(&term.x).chain(around)
    });
    judge(cell, &mut y, &arrays.collect::<Vec<_>>(), &[expected], 4.0, |y| {
        let terms = terms.iter().map(Term::given);
        cell.executor.stencil_sum(&terms.collect::<Vec<_>>(), y[0].view_mut(), update)
    })
}

/// An array that broadcasts to the shape, if any.
fn coefficients(cell: &Cell, draw: &mut Draw, shape: &[usize]) -> Option<(Drawn, bool)> {
    if draw.once_in(2) {
        return None;
    }
    let mut own = shape.to_vec();
    if draw.once_in(2) {
        for extent in &mut own {
            *extent = draw.pick(&[1, *extent]);
        }
    }
    Some((Drawn::input(cell, draw, &own, Held::Finite), draw.once_in(2)))
}

pub fn gemm(cell: &Cell, draw: &mut Draw, most: usize, what: &mut String) -> Judged {
    let update = draw.update(cell);
    let mut extent = || draw.pick(&[0, 1, 2, 3, 7, 8, 15, 16, 17, 31, 33, 64, 65, 130, 300]);
    let [m, n, k] = [extent(), extent(), extent()];
    // The reference takes its time.
    let [m, n, k] = [m.min(most), n, k.min(1 + 40 * most / (m * n).max(1))];
    let batch = draw.pick(&[0, 0, 0, 1, 2, 3]);
    let shape = |rows: usize, columns: usize| match batch {
        0 => vec![rows, columns],
        batch => vec![batch, rows, columns],
    };
    let conjugated = draw.once_in(3);
    let a = Drawn::input(cell, draw, &shape(m, k), Held::Finite);
    let b = Drawn::input(cell, draw, &shape(k, n), Held::Finite);
    let mut c = [Drawn::output(cell, draw, &shape(m, n), reads(&update))];
    let placements = [&a.placement, &b.placement, &c[0].placement];
    *what = format!("{batch} of {m} x {k} x {n}, conj {conjugated}, {placements:?}, {update:?}");
    let batched = |tensor: &Tensor| {
        let front = if batch == 0 { &[1][..] } else { &[] };
        Tensor::new(&[front, &tensor.shape].concat(), tensor.values.clone())
    };
    let [x, y, z] = [&a.tensor, &b.tensor, &c[0].tensor].map(batched);
    let mut expected = reference::gemm(&x, conjugated, &y, &z, update);
    expected.result.shape.clone_from(&c[0].tensor.shape);
    judge(cell, &mut c, &[&a, &b], &[expected], 2.0, |c| {
        cell.executor.gemm(a.view(), conjugated, b.view(), c[0].view_mut(), update)
    })
}
