//! `DLPack` and the memory that the `CUDA` driver knows: whose it is decides the driver, not the struct.
#![allow(clippy::unwrap_used, reason = "an unexpected error fails the test")]
#![allow(clippy::float_cmp, reason = "values that only travel stay what they were, bit by bit")]

mod common;

use std::sync::Arc;
use std::sync::atomic::Ordering;

use arrayspan_bridge::devices::{Device, drain};
use arrayspan_bridge::dlpack::Versioned;
use arrayspan_bridge::interop::cudarc as cuda;
use arrayspan_bridge::{Array, DType, Error, SharedArray, Transfer};
use common::producer::Producer;
use cudarc::driver::sys::CUmemAttach_flags::CU_MEM_ATTACH_GLOBAL;
use cudarc::driver::{CudaContext, result};

const CUDA: u32 = 2;
const PINNED: u32 = 3;
const MANAGED: u32 = 13;

/// Memory that the driver has given out, holding 0.0, 1.0, … 5.0.
enum Block {
    Device(usize),
    Pinned(usize),
    Managed(usize),
}

const VALUES: [f32; 6] = [0.0, 1.0, 2.0, 3.0, 4.0, 5.0];

impl Block {
    fn device(context: &Arc<CudaContext>) -> Self {
        context.bind_to_thread().unwrap();
        // SAFETY: the context is current; the block is written within its bounds.
        Self::Device(unsafe {
            let address = result::malloc_sync(24).unwrap();
            result::memcpy_htod_sync(address, &VALUES).unwrap();
            // The call may return before the bytes have arrived, and only the default stream would wait for them.
            result::ctx::synchronize().unwrap();
            address as usize
        })
    }

    fn pinned(context: &Arc<CudaContext>) -> Self {
        context.bind_to_thread().unwrap();
        // SAFETY: the context is current; the host may write this memory.
        Self::Pinned(unsafe {
            let block = result::malloc_host(24, 0).unwrap();
            block.cast::<[f32; 6]>().write(VALUES);
            block.expose_provenance()
        })
    }

    fn managed(context: &Arc<CudaContext>) -> Self {
        context.bind_to_thread().unwrap();
        // SAFETY: the context is current; the host may write this memory, which no kernel uses yet.
        Self::Managed(unsafe {
            let address = result::malloc_managed(24, CU_MEM_ATTACH_GLOBAL).unwrap() as usize;
            std::ptr::with_exposed_provenance_mut::<[f32; 6]>(address).write(VALUES);
            address
        })
    }

    fn address(&self) -> usize {
        match *self {
            Self::Device(address) | Self::Pinned(address) | Self::Managed(address) => address,
        }
    }

    /// A tensor over it that says it is memory of that `DLDevice`.
    fn claimed(&self, device: (u32, i32)) -> Producer {
        Producer { device, handle: Some(self.address()), ..Producer::default() }
    }
}

impl Drop for Block {
    fn drop(&mut self) {
        // Imported arrays give the memory back when the device has done all work on it.
        drain();
        // SAFETY: allocated by the function that belongs to each; no array refers to it any more.
        unsafe {
            match *self {
                Self::Device(address) | Self::Managed(address) => {
                    result::memory_free(address as u64).unwrap();
                }
                Self::Pinned(address) => {
                    result::free_host(std::ptr::with_exposed_provenance_mut(address)).unwrap();
                }
            }
        }
    }
}

fn first() -> Option<(Device, Arc<CudaContext>)> {
    let device = common::first("cuda")?;
    Some((device, cuda::context(device).unwrap()))
}

fn import(producer: Producer) -> Result<SharedArray, Error> {
    let deleted = producer.counter();
    let imported = SharedArray::from_dlpack(producer.versioned(), None);
    assert_eq!(deleted.load(Ordering::SeqCst), usize::from(imported.is_err()));
    imported
}

#[track_caller]
fn refused(producer: Producer, field: &str) {
    match import(producer) {
        Err(Error::Foreign { field: found, .. }) => assert_eq!(found, field),
        other => panic!("expected a refusal of {field}, found {other:?}"),
    }
}

#[test]
fn managed_memory_is_an_array_on_the_device_it_belongs_to_and_travels_on_as_its_memory() {
    let Some((device, context)) = first() else { return };
    let block = Block::managed(&context);
    let array = import(block.claimed((MANAGED, 0))).unwrap();
    assert_eq!((array.device(), array.memory().address()), (device, block.address()));
    assert_eq!(array.view().to_vec::<f32>().unwrap(), VALUES);
    let stream = device.stream().unwrap();
    let (capsule, _) = array.to_dlpack::<Versioned>(Transfer::ZeroCopyOnly, Some(&stream)).unwrap();
    drop(array);
    // SAFETY: the struct lives as long as the capsule.
    let tensor = unsafe { (*capsule.as_raw()).dl_tensor };
    let told = (tensor.device.device_type.0, tensor.device.device_id, tensor.data.addr());
    assert_eq!(told, (CUDA, device.gpu_id() as i32, block.address()));
    let back = SharedArray::from_dlpack(capsule, Some(&stream)).unwrap();
    assert_eq!(back.view().to_vec::<f32>().unwrap(), VALUES);
}

#[test]
fn managed_memory_can_be_written_by_the_device_and_read_by_the_producer() {
    let Some((device, context)) = first() else { return };
    let block = Block::managed(&context);
    let mut array = import(block.claimed((MANAGED, 0))).unwrap().try_into_array().unwrap();
    let stream = device.stream().unwrap();
    let news = Array::from_slice(&[9.0_f32; 6], [2, 3]).unwrap();
    array.view_mut().copy_from(&news.view(), &stream).unwrap();
    stream.synchronize().unwrap();
    let address = std::ptr::with_exposed_provenance::<[f32; 6]>(block.address());
    // SAFETY: the block lives, and all work on it is done.
    assert!(unsafe { address.read() }.iter().all(|value| value.to_bits() == 9.0_f32.to_bits()));
}

#[test]
fn other_memory_is_not_taken_for_managed() {
    let Some((_, context)) = first() else { return };
    refused(Block::device(&context).claimed((MANAGED, 0)), "data");
    refused(Block::pinned(&context).claimed((MANAGED, 0)), "data");
    refused(Producer { device: (MANAGED, 0), ..Producer::default() }, "data");
    refused(Block::managed(&context).claimed((MANAGED, 1)), "device.device_id");
}

#[test]
fn pinned_memory_is_host_memory_and_device_memory_is_not_pinned() {
    let Some((_, context)) = first() else { return };
    let block = Block::pinned(&context);
    let array = import(block.claimed((PINNED, 0))).unwrap();
    assert!(array.device().is_cpu());
    assert_eq!(array.view().as_slice::<f32>().unwrap(), VALUES);
    drop(array);
    refused(Block::device(&context).claimed((PINNED, 0)), "data");
}

#[test]
fn host_memory_is_not_taken_for_that_of_a_device() {
    let Some((device, context)) = first() else { return };
    let cuda = (CUDA, device.gpu_id() as i32);
    refused(Block::pinned(&context).claimed(cuda), "data");
    refused(Producer { device: cuda, ..Producer::default() }, "data");
}

#[test]
fn memory_that_ends_too_early_is_refused() {
    let Some((device, context)) = first() else { return };
    let block = Block::device(&context);
    let device = (CUDA, device.gpu_id() as i32);
    let endless = Producer {
        shape: Some(vec![1 << 40, 1]),
        strides: Some(vec![1, 1]),
        ..block.claimed(device)
    };
    refused(endless, "data");
}

#[test]
fn memory_of_another_device_is_refused() {
    let Some((device, context)) = first() else { return };
    let Ok(other) = Device::cuda(1) else {
        eprintln!("skipped: no second CUDA device");
        return;
    };
    let block = Block::device(&context);
    refused(block.claimed((CUDA, other.gpu_id() as i32)), "device.device_id");
    assert!(import(block.claimed((CUDA, device.gpu_id() as i32))).is_ok());
}

#[test]
fn truth_values_on_a_device_are_checked_where_the_host_reads_them() {
    let Some((device, context)) = first() else { return };
    let block = Block::device(&context);
    let truth = Producer {
        dtype: (6, 8, 1),
        shape: Some(vec![2, 2]),
        strides: Some(vec![2, 1]),
        ..block.claimed((CUDA, device.gpu_id() as i32))
    };
    // The bytes of 0.0 and 1.0: 0, 0, 0, 0 and 0, 0, 128, 63.
    let array = import(truth).unwrap();
    assert_eq!(array.dtype(), DType::Bool);
    assert_eq!(array.view().to_vec::<bool>().unwrap(), [false; 4]);
    let truth = Producer {
        dtype: (6, 8, 1),
        byte_offset: 4,
        shape: Some(vec![2, 2]),
        strides: Some(vec![2, 1]),
        ..block.claimed((CUDA, device.gpu_id() as i32))
    };
    let wrong = import(truth).unwrap().view().to_vec::<bool>();
    assert!(matches!(wrong, Err(Error::Layout { .. })), "{wrong:?}");
}

#[test]
fn a_device_wants_complex_numbers_aligned_as_a_whole() {
    let Some((device, context)) = first() else { return };
    let block = Block::device(&context);
    let complex = |byte_offset| Producer {
        dtype: (5, 64, 1),
        byte_offset,
        shape: Some(vec![1, 2]),
        ..block.claimed((CUDA, device.gpu_id() as i32))
    };
    refused(complex(4), "data");
    assert!(import(complex(8)).is_ok());
}
