//! H1: a deleter is called while the consumer's work is still queued, and the producer uses the memory again.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

use arrayspan_bridge::SharedArray;
use arrayspan_bridge::devices::{Device, Stream, drain};
use arrayspan_bridge::dlpack::{Capsule, Versioned};
use cudarc::driver::sys;
use dlpack_ffi::{
    DLDataType, DLDevice, DLDeviceType, DLManagedTensorVersioned, DLPackVersion, DLTensor,
};

use super::gpu::{
    BAD, BYTES, GOOD, block, damage, damage_at, enter, first, free, ok, raw_stream, shown,
};
use crate::common::delay;
use crate::common::held::hold;

/// A library with a caching allocator: what is given back is written again at once, on a stream of its own.
struct Library {
    device: Device,
    stream: Stream,
    address: u64,
    shape: [i64; 1],
    strides: [i64; 1],
    deleted: Arc<AtomicUsize>,
}

impl Library {
    fn new(device: Device) -> Self {
        let stream = device.new_stream().unwrap();
        let address = block(stream.raw(), GOOD);
        let shape = [BYTES as i64];
        Self { device, stream, address, shape, strides: [1], deleted: Arc::default() }
    }

    fn reuse(&self) {
        enter(self.device);
        // SAFETY: its own block, which lives as long as it.
        ok(unsafe {
            sys::cuMemsetD8Async(self.address, BAD, BYTES, raw_stream(self.stream.raw()))
        });
        self.stream.synchronize().unwrap();
    }

    fn export(self) -> *mut Versioned {
        let device_id = self.device.gpu_id() as i32;
        let library = Box::into_raw(Box::new(self));
        // SAFETY: just made; it stays in place until the deleter runs.
        let (shape, strides, address) = unsafe {
            ((*library).shape.as_mut_ptr(), (*library).strides.as_mut_ptr(), (*library).address)
        };
        Box::into_raw(Box::new(DLManagedTensorVersioned {
            version: DLPackVersion { major: 1, minor: 3 },
            manager_ctx: library.cast(),
            deleter: Some(give_back),
            flags: 0,
            dl_tensor: DLTensor {
                data: std::ptr::with_exposed_provenance_mut(address as usize),
                device: DLDevice { device_type: DLDeviceType::kDLCUDA, device_id },
                ndim: 1,
                dtype: DLDataType { code: 1, bits: 8, lanes: 1 },
                shape,
                strides,
                byte_offset: 0,
            },
        }))
    }
}

impl Drop for Library {
    fn drop(&mut self) {
        enter(self.device);
        free(self.address, self.stream.raw());
    }
}

unsafe extern "C" fn give_back(raw: *mut DLManagedTensorVersioned) {
    // SAFETY: called once, with what `export` has made.
    let library = unsafe {
        let managed = Box::from_raw(raw);
        Box::from_raw(managed.manager_ctx.cast::<Library>())
    };
    library.reuse();
    library.deleted.fetch_add(1, SeqCst);
}

#[test]
fn a_deleter_that_is_called_at_once_lets_queued_work_read_other_data() {
    let Some(device) = first() else { return };
    let damaged = shown(|| {
        let library = Library::new(device);
        let stream = device.new_stream().unwrap();
        let target = block(stream.raw(), 0);
        let from = library.address;
        let raw = library.export();
        let held = hold(stream.raw());
        // SAFETY: two live blocks. The deleter is called too early, which is the point.
        unsafe {
            ok(sys::cuMemcpyDtoDAsync_v2(target, from, BYTES, raw_stream(stream.raw())));
            give_back(raw);
        }
        let in_time = held.go_on();
        let damaged = damage_at(target, stream.raw());
        free(target, stream.raw());
        in_time.then_some(damaged)
    });
    assert_eq!(damaged, BYTES);
}

#[test]
fn our_release_waits_for_the_queued_work() {
    let Some(device) = first() else { return };
    let library = Library::new(device);
    let deleted = library.deleted.clone();
    let stream = device.new_stream().unwrap();
    // SAFETY: a live struct nobody else uses.
    let capsule = unsafe { Capsule::<Versioned>::from_raw(library.export()).unwrap() };
    let array = SharedArray::from_dlpack(capsule, None).unwrap();
    let held = hold(stream.raw());
    let (copy, _) =
        array.view().to_with(device, arrayspan_bridge::Transfer::CopyIfNeeded, &stream).unwrap();
    drop(array);
    assert_eq!(deleted.load(SeqCst), 0, "nobody waited for the stream");
    assert!(held.go_on(), "a call has waited for the stream");
    assert_eq!(damage(&copy), 0);
    drain();
    assert_eq!(deleted.load(SeqCst), 1);
}

#[test]
fn what_we_export_is_not_reused_before_the_consumers_work_is_done() {
    let Some(device) = first() else { return };
    let (ours, theirs) = (device.stream().unwrap(), device.new_stream().unwrap());
    let array = super::gpu::good(device);
    let from = array.memory().address() as u64;
    let target = block(theirs.raw(), 0);
    let raw = array.into_dlpack::<Versioned>(Some(&theirs)).unwrap().into_raw();
    delay(theirs.raw());
    // SAFETY: two live blocks, copied on the stream the export was made for; then the struct goes back.
    unsafe {
        ok(sys::cuMemcpyDtoDAsync_v2(target, from, BYTES, raw_stream(theirs.raw())));
        ((*raw).deleter.unwrap())(raw);
    }
    // Whoever gets the memory next writes it at once.
    let thieves: Vec<_> = (0..4).map(|_| thief(&ours)).collect();
    assert_eq!(damage_at(target, theirs.raw()), 0);
    drop(thieves);
    free(target, theirs.raw());
}

fn thief(stream: &Stream) -> arrayspan_bridge::Array {
    let noise = arrayspan_bridge::Array::from_vec(vec![BAD; BYTES], [BYTES]).unwrap();
    noise
        .into_device_with(stream.device(), arrayspan_bridge::Transfer::CopyIfNeeded, stream)
        .unwrap()
        .0
}
