//! One buffer that was imported twice, as arrays that are only read: plans may read it once, and no other call may be taken for one
//! of those.

#![allow(clippy::unwrap_used, reason = "an unexpected error fails the test")]

mod devices;

use arrayspan_kernels::bridge::devices::{Access, Device, Memory};
use arrayspan_kernels::bridge::{Array, DType, Layout, SharedArray, View};
use arrayspan_kernels::{Band, Executor, Gpu, Stencil, StencilTerm, Update};

use devices::devices;

const LEN: usize = 32;

fn moved(factor: f32, device: Device) -> Array {
    let values = (0..LEN).map(|k| factor * (1 + k) as f32).collect();
    Array::from_vec(values, [LEN]).unwrap().into_device(device).unwrap().0
}

#[test]
fn two_buffers_are_not_taken_for_one_that_was_imported_twice() {
    for device in devices() {
        let gpu = Gpu::new(device.new_stream().unwrap()).unwrap();
        let executor: &dyn Executor = &gpu;
        let [owner, one, other] = [1.0, 10.0, 1000.0].map(|factor| moved(factor, device));
        owner.memory().wait(Access::Write).unwrap();
        let imported = || {
            let (address, bytes) = (owner.memory().address(), 4 * LEN);
            // SAFETY: the buffer is `owner`'s, which lives to the end of this turn and waits for nothing but reads until then.
            let memory = unsafe { Memory::from_foreign(device, address, bytes, Box::new(|| {})) };
            let layout = Layout::contiguous([LEN]).unwrap();
            // SAFETY: it has so many elements, which are written.
            unsafe { SharedArray::from_memory(memory, layout, DType::Float32).unwrap() }
        };
        let (first, second) = (imported(), imported());
        let copies = Stencil::along(0, Band::uniform(LEN, [(0, 1.0)])).unwrap();
        let sum = |x: View<'_>, z: View<'_>| {
            let mut y = executor.empty(&[LEN], DType::Float32).unwrap();
            let terms = [x, z].map(|view| StencilTerm::new(&copies, view));
            executor.stencil_sum(&terms, y.view_mut(), Update::set()).unwrap();
            y.to_vec::<f32>().unwrap()[..2].to_vec()
        };
        for _ in 0..3 {
            assert_eq!(sum(first.view(), second.view()), [2.0, 4.0], "{device}");
            assert_eq!(sum(one.view(), other.view()), [1010.0, 2020.0], "{device}");
        }
        device.synchronize().unwrap();
    }
}
