//! `copy_mapped`: zeros around, mirror images, parts in any order, and sums of what is read twice.

use arrayspan_kernels::Update;
use arrayspan_kernels::bridge::Relayout;
use arrayspan_kernels::verb::{MOST_MAPPED, Mapped, Span, Spans};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

use crate::cell::Cell;
use crate::reference;
use crate::sample::{FORMS, Form, Sample};

/// Spans with these ends and reads.
fn spans(all: &[(usize, Option<(usize, isize)>)]) -> Spans {
    all.iter().filter(|(end, _)| *end > 0).map(|&(end, reads)| Span { end, reads }).collect()
}

fn identity(n: usize) -> Spans {
    spans(&[(n, Some((0, 1)))])
}

/// Zeros before and after `n` indices.
pub(super) fn padded(n: usize, before: usize, after: usize) -> Spans {
    let mut all = spans(&[(before, None), (before + n, Some((0, 1)))]);
    if after > 0 {
        all.push(Span { end: before + n + after, reads: None });
    }
    all
}

/// A mirror image of `n` indices, and itself.
fn mirrored(n: usize) -> Spans {
    spans(&[(n - 1, Some((n - 1, -1))), (2 * n - 1, Some((0, 1)))])
}

/// The two parts of which the adjoint of [`mirrored`] is the sum.
fn halves(n: usize) -> [Spans; 2] {
    let mut backwards = spans(&[(1, None)]);
    if n > 1 {
        backwards.push(Span { end: n, reads: Some((n - 2, -1)) });
    }
    [backwards, spans(&[(n, Some((n - 1, 1)))])]
}

#[track_caller]
pub(super) fn check(
    cell: &Cell,
    sources: &[(&Sample, Vec<Spans>)],
    y: &mut Sample,
    update: Update,
) {
    let tensors: Vec<_> = sources.iter().map(|(x, axes)| (&x.tensor, &axes[..])).collect();
    let expected = reference::copy_mapped(&tensors, &y.tensor, update);
    let mapped: Vec<Mapped<'_>> = sources
        .iter()
        .map(|(x, axes)| Mapped { x: x.view(), axes: axes.iter().cloned().collect() })
        .collect();
    cell.executor.copy_mapped(&mapped, y.view_mut(), update).unwrap();
    cell.check(y, &expected, &format!("{update:?}"));
    for (x, _) in sources {
        x.check_unchanged(cell);
    }
}

fn updates(cell: &Cell) -> [Update<'static>; 4] {
    [
        Update::set(),
        Update::add(),
        Update::new(0.5, -2.0),
        Update::new(cell.number(0.5, 0.25), cell.number(-2.0, 1.5)),
    ]
}

pub fn zeros_around_every_axis(cell: &Cell) {
    for shape in [&[7][..], &[5, 7], &[3, 1, 9], &[2, 3, 4, 5], &[2, 1, 3, 2, 3], &[1], &[1, 1]] {
        let wide: Vec<usize> = shape.iter().map(|n| n + 5).collect();
        let axes: Vec<Spans> = shape.iter().map(|n| padded(*n, 2, 3)).collect();
        let x = cell.random(shape, Form::Plain, 1);
        check(cell, &[(&x, axes.clone())], &mut cell.unreadable(&wide, Form::Plain), Update::set());
        for update in updates(cell) {
            check(cell, &[(&x, axes.clone())], &mut cell.random(&wide, Form::Plain, 2), update);
        }
    }
}

pub fn mirror_images_along_every_axis_and_what_they_add_up_to(cell: &Cell) {
    for (axis, shape) in (0..3).flat_map(|axis| [(axis, [5, 6, 7]), (axis, [4, 1, 3])]) {
        let mut wide = shape;
        wide[axis] = 2 * shape[axis] - 1;
        let mut axes: Vec<Spans> = shape.iter().map(|n| identity(*n)).collect();
        axes[axis] = mirrored(shape[axis]);
        let (x, y) = (cell.random(&shape, Form::Plain, 3), cell.random(&wide, Form::Plain, 4));
        for update in updates(cell) {
            check(cell, &[(&x, axes.clone())], &mut cell.random(&wide, Form::Plain, 5), update);
            let both = halves(shape[axis]).map(|half| {
                let mut axes: Vec<Spans> = shape.iter().map(|n| identity(*n)).collect();
                axes[axis] = half;
                (&y, axes)
            });
            check(cell, &both, &mut cell.random(&shape, Form::Plain, 6), update);
        }
    }
}

pub fn every_size_of_rows_at_every_place(cell: &Cell) {
    for n in (1..=20).chain([31, 32, 33, 63, 64, 65, 70]) {
        let x = cell.random(&[3, n], Form::Inside, n as u64);
        let turned = spans(&[(n, Some((n - 1, -1)))]);
        for form in [Form::Plain, Form::Inside] {
            let mut y = cell.unreadable(&[3, n], form);
            check(cell, &[(&x, vec![identity(3), turned.clone()])], &mut y, Update::set());
            let axes = vec![padded(3, 0, 1), padded(n, 1, 2)];
            let mut y = cell.unreadable(&[4, n + 3], form);
            check(cell, &[(&x, axes)], &mut y, Update::set());
            let axes = vec![mirrored(3), mirrored(n)];
            let mut y = cell.random(&[5, 2 * n - 1], form, 7);
            check(cell, &[(&x, axes)], &mut y, Update::new(2.0, 0.5));
        }
    }
}

pub fn layouts_do_not_matter(cell: &Cell) {
    for x_form in FORMS {
        for y_form in FORMS {
            let x = cell.random(&[3, 5, 4], x_form, 8);
            let axes = vec![
                padded(3, 1, 0),
                spans(&[(2, Some((3, 1))), (5, Some((2, -1))), (6, None)]),
                mirrored(4),
            ];
            let mut y = cell.unreadable(&[4, 6, 7], y_form);
            check(cell, &[(&x, axes.clone())], &mut y, Update::set());
            let mut y = cell.random(&[4, 6, 7], y_form, 9);
            check(cell, &[(&x, axes)], &mut y, Update::new(-1.0, 3.0));
        }
    }
}

pub fn steps_repetitions_and_single_indices(cell: &Cell) {
    let x = cell.random(&[9, 1, 12], Form::Plain, 10);
    let stepped = spans(&[(4, Some((0, 3))), (7, Some((10, -5))), (9, Some((4, 0)))]);
    let repeated = spans(&[(3, Some((0, 0))), (4, None)]);
    let held = spans(&[(1, Some((5, 0)))]);
    for axes in [
        vec![identity(9), repeated.clone(), stepped.clone()],
        vec![held.clone(), repeated, stepped.clone()],
        vec![spans(&[(1, None)]), identity(1), stepped],
    ] {
        let shape: Vec<usize> = axes.iter().map(|spans| spans.last().unwrap().end).collect();
        for update in updates(cell) {
            check(cell, &[(&x, axes.clone())], &mut cell.random(&shape, Form::Plain, 11), update);
        }
    }
}

pub fn long_arrays(cell: &Cell) {
    let x = cell.random(&[401, 643], Form::Plain, 12);
    let set = Update::set;
    for (axes, shape) in [
        (vec![padded(401, 10, 10), padded(643, 10, 10)], [421, 663]),
        (vec![mirrored(401), identity(643)], [801, 643]),
        (vec![identity(401), mirrored(643)], [401, 1285]),
    ] {
        check(cell, &[(&x, axes)], &mut cell.unreadable(&shape, Form::Plain), set());
    }
    let x = cell.random(&[41, 47, 43], Form::Plain, 13);
    let axes = vec![padded(41, 1, 2), spans(&[(47, Some((46, -1)))]), padded(43, 3, 0)];
    check(cell, &[(&x, axes)], &mut cell.unreadable(&[44, 47, 46], Form::Plain), set());
}

pub fn many_spans_of_many_axes(cell: &Cell) {
    // More numbers than a launch takes arguments.
    let x = cell.random(&[3, 3, 3, 3, 3, 3], Form::Plain, 14);
    let axes = vec![padded(3, 1, 1); 6];
    check(cell, &[(&x, axes)], &mut cell.unreadable(&[5; 6], Form::Plain), Update::set());
    let x = cell.random(&[20, 3], Form::Plain, 15);
    let pieces: Vec<_> = (0..8)
        .map(|k| (3 * (k + 1), (k != 5).then_some((19 - 2 * k, if k % 2 == 0 { -1 } else { 0 }))))
        .collect();
    check(
        cell,
        &[(&x, vec![spans(&pieces), identity(3)])],
        &mut cell.unreadable(&[24, 3], Form::Plain),
        Update::set(),
    );
}

pub fn shapes_without_axes_or_elements(cell: &Cell) {
    let x = cell.random(&[], Form::Plain, 16);
    check(cell, &[(&x, vec![])], &mut cell.random(&[], Form::Plain, 17), Update::new(2.0, 0.5));
    let empty = cell.random(&[0], Form::Plain, 18);
    let nothing = vec![spans(&[(4, None)])];
    for update in updates(cell) {
        check(cell, &[(&empty, nothing.clone())], &mut cell.random(&[4], Form::Plain, 19), update);
    }
    check(
        cell,
        &[(&empty, vec![Spans::new()])],
        &mut cell.random(&[0], Form::Plain, 20),
        Update::set(),
    );
}

/// Spans of up to `most` indices each that read on an axis of `extent` indices.
fn any_spans(extent: usize) -> impl Strategy<Value = Spans> {
    let span = (1..6_usize, 0..extent.max(1), -3..4_isize, 0..4_u8);
    prop::collection::vec(span, 1..4).prop_map(move |all| {
        let mut end = 0;
        let span = |(len, first, step, kind): (usize, usize, isize, u8)| {
            end += len;
            let last = first as isize + step * (len as isize - 1);
            let fits = (0..extent as isize).contains(&last);
            let reads = (kind > 0 && extent > 0).then_some((first, if fits { step } else { 0 }));
            Span { end, reads }
        };
        all.into_iter().map(span).collect()
    })
}

pub fn any_maps(cell: &Cell) {
    let axis = (1..7_usize).prop_flat_map(|extent| {
        let spans = prop::collection::vec(any_spans(extent), MOST_MAPPED);
        (Just(extent), spans)
    });
    let axes = prop::collection::vec(axis, 1..4);
    let form = || prop::sample::select(FORMS.to_vec());
    let update = prop::sample::select(vec![Update::set(), Update::add(), Update::new(-0.5, 3.0)]);
    let mut runner =
        TestRunner::new(Config { cases: 24, failure_persistence: None, ..Config::default() });
    runner
        .run(&(axes, 1..=MOST_MAPPED, form(), form(), update, any::<u64>()), |found| {
            let (axes, count, x_form, y_form, update, seed) = found;
            // Spans of all inputs end together: at the nearest end, by cutting what is longer.
            let ends: Vec<usize> = axes
                .iter()
                .map(|(_, each)| {
                    each[..count].iter().map(|spans| spans.last().unwrap().end).min().unwrap()
                })
                .collect();
            let shape: Vec<usize> = axes.iter().map(|(extent, _)| *extent).collect();
            let inputs: Vec<(Sample, Vec<Spans>)> = (0..count)
                .map(|number| {
                    let cut =
                        axes.iter().zip(&ends).map(|((_, each), &end)| cut(&each[number], end));
                    let cut = cut.collect();
                    (cell.random(&shape, x_form, seed.wrapping_add(number as u64)), cut)
                })
                .collect();
            let inputs: Vec<_> = inputs.iter().map(|(x, axes)| (x, axes.clone())).collect();
            check(cell, &inputs, &mut cell.random(&ends, y_form, !seed), update);
            Ok(())
        })
        .unwrap();
}

/// The spans up to an end.
fn cut(spans: &Spans, end: usize) -> Spans {
    let starts = std::iter::once(0).chain(spans.iter().map(|span| span.end));
    let kept = starts.zip(spans).take_while(|(start, _)| *start < end);
    kept.map(|(_, span)| Span { end: span.end.min(end), ..*span }).collect()
}

#[test]
fn what_cannot_be_read_is_refused() {
    let cell = Cell {
        executor: arrayspan_kernels::on(arrayspan_kernels::bridge::devices::Device::cpu()).unwrap(),
        dtype: arrayspan_kernels::bridge::DType::Float32,
    };
    let x = cell.random(&[4], Form::Plain, 21);
    let mut y = cell.random(&[6], Form::Plain, 22);
    let refused = |axes: &[Spans], copies: usize, y: &mut Sample, says: &str| {
        let source = || Mapped { x: x.view(), axes: axes.iter().cloned().collect() };
        let sources: Vec<_> = (0..copies).map(|_| source()).collect();
        let error = cell.executor.copy_mapped(&sources, y.view_mut(), Update::set()).unwrap_err();
        assert!(error.to_string().contains(says), "{error}");
        y.check_unchanged(&cell);
    };
    let far = isize::MAX;
    refused(&[identity(6)], 1, &mut y, "6 indices from 0 on, 1 apart, are not below 4");
    refused(&[spans(&[(6, Some((3, far)))])], 1, &mut y, "are not below 4");
    refused(&[spans(&[(6, Some((3, isize::MIN)))])], 1, &mut y, "are not below 4");
    refused(&[spans(&[(6, Some((usize::MAX, 0)))])], 1, &mut y, "are not below 4");
    refused(&[identity(4)], 1, &mut y, "spans end at 4, expected 6");
    refused(&[spans(&[(3, None), (3, None), (6, None)])], 1, &mut y, "a span ends at 3");
    refused(&[identity(4), identity(4)], 1, &mut y, "maps of 2 axes");
    refused(&[padded(4, 1, 1)], 0, &mut y, "0 inputs");
    refused(&[padded(4, 1, 1)], 5, &mut y, "5 inputs");
    let many: Vec<_> = (1..=6).map(|end| (end, None)).collect();
    assert!(spans(&many).len() <= 8);
    let mut y = cell.random(&[9], Form::Plain, 23);
    let many: Vec<_> = (1..=9).map(|end| (end, None)).collect();
    refused(&[spans(&many)], 1, &mut y, "9 spans");
    let part = x.view().reversed(0).unwrap();
    let wrong = Mapped { x: part, axes: [identity(4)].into_iter().collect() };
    let mut y = Sample::random(
        &Cell { executor: cell.executor.clone(), dtype: arrayspan_kernels::bridge::DType::Float64 },
        &[4],
        Form::Plain,
        24,
    );
    assert!(cell.executor.copy_mapped(&[wrong], y.view_mut(), Update::set()).is_err());
}
