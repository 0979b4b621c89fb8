//! `copy`.

use arrayspan_kernels::Update;
use arrayspan_kernels::bridge::devices::{Device, DeviceKind};
use arrayspan_kernels::bridge::{Array, DType, Relayout};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

use crate::cell::{Cell, devices};
use crate::reference;
use crate::sample::{FORMS, Form, Sample, places};

#[track_caller]
fn check(cell: &Cell, x: &Sample, y: &mut Sample, update: Update) {
    let expected = reference::copy(&x.tensor, &y.tensor, update);
    cell.executor.copy(x.view(), y.view_mut(), update).unwrap();
    cell.check(y, &expected, &format!("{update:?}"));
    x.check_unchanged(cell);
}

pub fn layouts_do_not_matter(cell: &Cell) {
    for x_form in FORMS {
        for y_form in FORMS {
            let x = cell.random(&[3, 5, 4], x_form, 1);
            check(cell, &x, &mut cell.unreadable(&[3, 5, 4], y_form), Update::set());
        }
    }
}

pub fn what_was_there_is_scaled_and_added(cell: &Cell) {
    let updates = [
        Update::add(),
        Update::new(0.5, -2.0),
        Update::new(-1.0, 1.0),
        Update::new(cell.number(0.5, 0.25), cell.number(-2.0, 1.5)),
        Update::new(cell.number(1.0, -1.0), 1.0),
    ];
    for update in updates {
        for form in FORMS {
            let x = cell.random(&[6, 7], form, 2);
            check(cell, &x, &mut cell.random(&[6, 7], Form::Plain, 3), update);
            let x = cell.random(&[6, 7], Form::Transposed, 4);
            check(cell, &x, &mut cell.random(&[6, 7], form, 5), update);
        }
    }
}

pub fn beta_zero_reads_nothing(cell: &Cell) {
    for form in FORMS {
        let x = cell.random(&[6, 7], Form::Plain, 6);
        let mut y = cell.unreadable(&[6, 7], form);
        check(cell, &x, &mut y, Update::new(cell.number(2.0, 0.5), 0.0));
    }
}

pub fn rows_and_columns_repeat(cell: &Cell) {
    for shape in [&[4, 1, 5][..], &[1, 5], &[5], &[1], &[]] {
        for update in [Update::set(), Update::new(2.0, 0.5)] {
            let x = cell.random(shape, Form::Plain, 7);
            let mut y = cell.random(&[4, 3, 5], Form::Plain, 8);
            let expected = reference::copy(&x.tensor.broadcast(&[4, 3, 5]), &y.tensor, update);
            let view = x.view().broadcast(&[4, 3, 5]).unwrap();
            cell.executor.copy(view, y.view_mut(), update).unwrap();
            cell.check(&y, &expected, &format!("{shape:?} repeated"));
        }
    }
}

pub fn long_arrays_are_transposed(cell: &Cell) {
    for update in [Update::set(), Update::new(2.0, 0.5)] {
        for (shape, form) in [
            (&[311, 277][..], Form::Transposed),
            (&[70_001], Form::Reversed),
            (&[41, 47, 43], Form::Mixed),
            (&[41, 47, 43], Form::Transposed),
        ] {
            let x = cell.random(shape, form, 9);
            check(cell, &x, &mut cell.random(shape, Form::Plain, 10), update);
        }
    }
}

pub fn shapes_without_axes_or_elements(cell: &Cell) {
    for shape in [&[][..], &[1], &[1, 1, 1], &[0], &[3, 0, 2]] {
        let x = cell.random(shape, Form::Plain, 11);
        check(cell, &x, &mut cell.random(shape, Form::Plain, 12), Update::set());
        check(cell, &x, &mut cell.random(shape, Form::Plain, 13), Update::add());
    }
}

pub fn any_layout(cell: &Cell) {
    let shapes = prop::collection::vec(0..8_usize, 0..5);
    let form = || prop::sample::select(FORMS.to_vec());
    let update = prop::sample::select(vec![Update::set(), Update::add(), Update::new(-0.5, 3.0)]);
    let mut runner =
        TestRunner::new(Config { cases: 32, failure_persistence: None, ..Config::default() });
    runner
        .run(&(shapes, form(), form(), update, any::<u64>()), |(shape, x, y, update, seed)| {
            let x = cell.random(&shape, x, seed);
            check(cell, &x, &mut cell.random(&shape, y, !seed), update);
            Ok(())
        })
        .unwrap();
}

/// Every dtype there is, by its bytes.
fn any_dtype_moves(kind: DeviceKind) {
    for device in devices(kind, false) {
        let cell = Cell { executor: arrayspan_kernels::on(device).unwrap(), dtype: DType::UInt8 };
        for dtype in DType::all() {
            let shape = [5, 3, 7];
            let (x, bytes) = block(&cell, dtype, &shape, 0);
            let (mut y, mut expected) = block(&cell, dtype, &[7, 3, 5], 100);
            let from = x.view().reversed(1).unwrap();
            let to = y.view_mut().permuted(&[2, 1, 0]).unwrap();
            let size = dtype.bytes();
            for (from, to) in places(from.layout()).zip(places(to.layout())) {
                expected[to * size..][..size].copy_from_slice(&bytes[from * size..][..size]);
            }
            cell.executor.copy(from, to, Update::set()).unwrap();
            assert_eq!(raw(&y), expected, "{dtype}");
        }
    }
}

/// An array of any dtype and its bytes; of `Bool`, bytes that are one.
fn block(cell: &Cell, dtype: DType, shape: &[usize], start: usize) -> (Array, Vec<u8>) {
    let largest = if dtype == DType::Bool { 2 } else { 251 };
    let host = Device::cpu().stream().unwrap();
    let mut source = Array::empty(shape, dtype, &host).unwrap();
    let len = source.layout().len() * dtype.bytes();
    let bytes: Vec<u8> = (start..start + len).map(|i| (i % largest) as u8).collect();
    source.bytes_mut().unwrap().as_mut_slice().unwrap().copy_from_slice(&bytes);
    source = cell.moved(&source, cell.executor.device());
    (source, bytes)
}

fn raw(array: &Array) -> Vec<u8> {
    array.bytes().unwrap().to_vec().unwrap()
}

mod host {
    #[test]
    fn any_dtype_moves() {
        super::any_dtype_moves(super::DeviceKind::Cpu);
    }
}

mod cuda {
    #[test]
    fn any_dtype_moves() {
        super::any_dtype_moves(super::DeviceKind::Cuda);
    }
}

mod opencl {
    #[test]
    fn any_dtype_moves() {
        super::any_dtype_moves(super::DeviceKind::OpenCl);
    }
}
