//! Calls of few elements take no block of the heap, which would cost more than their elements do. A program of its own,
//! because it has an allocator that counts.
#![allow(clippy::unwrap_used, reason = "an unexpected error fails the test")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use arrayspan_kernels::bridge::devices::Device;
use arrayspan_kernels::bridge::{Array, DType};
use arrayspan_kernels::{Band, Stencil, Update, on};

/// The program's allocator, which counts the blocks that a thread asks for.
struct Counting;

thread_local! {
    static BLOCKS: Cell<usize> = const { Cell::new(0) };
}

fn count() {
    // A thread that is ending counts no more.
    let _ = BLOCKS.try_with(|blocks| blocks.set(blocks.get() + 1));
}

// SAFETY: all is passed on to the system's allocator; counting allocates nothing.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        // SAFETY: the caller's.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count();
        // SAFETY: the caller's.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, bytes: usize) -> *mut u8 {
        count();
        // SAFETY: the caller's.
        unsafe { System.realloc(block, layout, bytes) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: the caller's.
        unsafe { System.dealloc(block, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// The blocks that `work` asks for when it is done again.
fn blocks(mut work: impl FnMut()) -> usize {
    work();
    let before = BLOCKS.get();
    work();
    BLOCKS.get() - before
}

fn arrays(shape: &[usize], dtype: DType) -> [Array; 2] {
    [(); 2].map(|()| Array::zeros(shape, dtype, Device::cpu()).unwrap())
}

#[test]
fn copies_and_stencils_of_the_host_take_none() {
    let on = on(Device::cpu()).unwrap();
    let bands =
        |len, axis| Stencil::along(axis, Band::uniform(len, [(-1, -0.5), (1, 0.5)])).unwrap();
    for dtype in [DType::Float32, DType::Float64, DType::Complex64, DType::Complex128] {
        for shape in [&[1000][..], &[31, 33], &[7, 11, 13]] {
            let [x, mut y] = arrays(shape, dtype);
            let copied = blocks(|| on.copy(x.view(), y.view_mut(), Update::set()).unwrap());
            assert_eq!(copied, 0, "{dtype} {shape:?}");
            let axis = shape.len() - 1;
            let stencil = bands(shape[axis], axis);
            for update in [Update::set(), Update::new(2.0, 1.0)] {
                let taken =
                    blocks(|| on.stencil(&stencil, x.view(), y.view_mut(), update).unwrap());
                assert_eq!(taken, 0, "{dtype} {shape:?}");
            }
        }
    }
}

#[test]
fn an_array_of_the_host_takes_its_elements_and_its_handle() {
    for dtype in [DType::Float32, DType::Complex128] {
        for len in [1, 7, 1000] {
            let taken = blocks(|| drop(Array::empty([len], dtype, Device::cpu()).unwrap()));
            assert_eq!(taken, 2, "{len} of {dtype}");
        }
    }
}
