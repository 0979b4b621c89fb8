//! opencl3 and `DLPack` on the first `OpenCL` device.

use std::ptr::null_mut;

use arrayspan_bridge::devices::Device;
use arrayspan_bridge::dlpack::Versioned;
use arrayspan_bridge::interop::opencl::{OpenClArray, context};
use arrayspan_bridge::{Array, DType, SharedArray, Transfer};
use opencl3::memory::{Buffer, CL_MEM_READ_WRITE};

use crate::table::Table;

const ONLY: Transfer = Transfer::ZeroCopyOnly;

pub(crate) fn run(table: &Table) {
    let Ok(device) = Device::opencl(0) else {
        eprintln!("skipped: no OpenCL device");
        return;
    };
    let ours = device.stream().unwrap();
    let context = context(device).unwrap();
    // SAFETY: no host memory is given.
    let buffer =
        || unsafe { Buffer::<f32>::create(&context, CL_MEM_READ_WRITE, 16, null_mut()).unwrap() };
    let array = || Array::empty([4, 4], DType::Float32, &ours).unwrap();
    // SAFETY: nobody else knows the buffer.
    let from_buffer = |buffer| unsafe {
        SharedArray::from_opencl_buffer::<f32>(buffer, [4, 4], device, None).unwrap()
    };
    let from_buffer = |buffer| from_buffer(buffer).try_into_array().unwrap();
    let capsule = || array().into_dlpack::<Versioned>(Some(&ours)).unwrap();

    table.time("opencl3 buffer in", buffer, from_buffer);
    table.time(
        "opencl3 buffer out",
        || from_buffer(buffer()),
        |array| array.try_into_opencl_buffer::<f32>().unwrap(),
    );
    table.time("opencl3 out", array, |array| array.into_opencl::<f32>(&ours).unwrap());
    table.time(
        "opencl3 in",
        || array().into_opencl::<f32>(&ours).unwrap(),
        OpenClArray::into_array,
    );
    table.time("opencl dlpack out", array, |array| {
        array.into_dlpack::<Versioned>(Some(&ours)).unwrap()
    });
    table.time("opencl dlpack in", capsule, |capsule| {
        Array::from_dlpack(capsule, ONLY, Some(&ours)).unwrap()
    });

    let mut kept = Some(buffer());
    table.cycle("opencl3 buffer", device, || {
        kept = from_buffer(kept.take().unwrap()).try_into_opencl_buffer().ok();
    });
    let mut kept = Some(array());
    table.cycle("opencl3", device, || {
        kept = kept.take().map(|array| array.into_opencl::<f32>(&ours).unwrap().into_array());
    });
}
