//! cudarc and `DLPack` on the first CUDA device.

use arrayspan_bridge::devices::Device;
use arrayspan_bridge::dlpack::Versioned;
use arrayspan_bridge::interop::cudarc::context;
use arrayspan_bridge::{Array, DType, SharedArray, Transfer};

use crate::table::Table;

const ONLY: Transfer = Transfer::ZeroCopyOnly;

pub(crate) fn run(table: &Table) {
    let Ok(device) = Device::cuda(0) else {
        eprintln!("skipped: no CUDA device");
        return;
    };
    let ours = device.stream().unwrap();
    let theirs = context(device).unwrap().default_stream();
    let slice = || theirs.alloc_zeros::<f32>(16).unwrap();
    let array = || Array::empty([4, 4], DType::Float32, &ours).unwrap();
    let from_slice = |slice| Array::from_cuda_slice::<f32>(slice, [4, 4]).unwrap();
    let capsule = || array().into_dlpack::<Versioned>(Some(&ours)).unwrap();

    table.time("cudarc slice in", slice, from_slice);
    table.time(
        "cudarc slice out",
        || from_slice(slice()),
        |array| array.try_into_cuda_slice::<f32>().unwrap(),
    );
    table.time("cudarc out", array, |array| array.into_cuda::<f32>().unwrap());
    table.time(
        "cudarc in",
        || array().into_cuda::<f32>().unwrap(),
        |lent| lent.into_array().unwrap(),
    );
    table.time("cuda dlpack out", array, |array| {
        array.into_dlpack::<Versioned>(Some(&ours)).unwrap()
    });
    table.time("cuda dlpack in", capsule, |capsule| {
        Array::from_dlpack(capsule, ONLY, Some(&ours)).unwrap()
    });
    table.time("cuda release", || Array::from_dlpack(capsule(), ONLY, Some(&ours)).unwrap(), drop);

    let mut kept = Some(slice());
    table.cycle("cudarc slice", device, || {
        kept = from_slice(kept.take().unwrap()).try_into_cuda_slice().ok();
    });
    let mut kept = Some(array());
    table.cycle("cudarc", device, || {
        kept = kept.take().unwrap().into_cuda::<f32>().unwrap().into_array().ok();
    });
    let shared = array().into_shared();
    table.cycle("cuda dlpack", device, || {
        let (capsule, _) = shared.to_dlpack::<Versioned>(ONLY, Some(&ours)).unwrap();
        drop(SharedArray::from_dlpack(capsule, Some(&ours)).unwrap());
    });
}
