//! ndarray, vectors and `DLPack` on the CPU.

use arrayspan_bridge::devices::Device;
use arrayspan_bridge::dlpack::{Capsule, Legacy, Versioned};
use arrayspan_bridge::{Array, SharedArray, Transfer};
use ndarray::Array2;

use crate::table::Table;

const ONLY: Transfer = Transfer::ZeroCopyOnly;

fn values() -> Array2<f32> {
    Array2::zeros((4, 4))
}

fn array() -> Array {
    Array::from(values())
}

fn capsule() -> Capsule<Versioned> {
    array().into_dlpack(None).unwrap()
}

pub(crate) fn run(table: &Table) {
    table.time("ndarray in", values, Array::from);
    table.time("ndarray out", array, |array| array.into_ndarray::<f32>(ONLY).unwrap());
    let lent = array();
    table.time("ndarray view out", || (), |()| lent.view().as_ndarray::<f32>().unwrap().as_ptr());
    table.time(
        "vector in",
        || vec![0.0_f32; 16],
        |values| Array::from_vec(values, [4, 4]).unwrap(),
    );
    table.time("cpu dlpack out", array, |array| array.into_dlpack::<Versioned>(None).unwrap());
    table.time("cpu dlpack out legacy", array, |array| array.into_dlpack::<Legacy>(None).unwrap());
    let shared = array().into_shared();
    table.time(
        "cpu dlpack out shared",
        || (),
        |()| shared.to_dlpack::<Versioned>(ONLY, None).unwrap(),
    );
    table.time("cpu dlpack in shared", capsule, |capsule| {
        SharedArray::from_dlpack(capsule, None).unwrap()
    });
    table
        .time("cpu dlpack in", capsule, |capsule| Array::from_dlpack(capsule, ONLY, None).unwrap());
    table.time("cpu release", || Array::from_dlpack(capsule(), ONLY, None).unwrap(), drop);

    let mut kept = Some(values());
    table.cycle("ndarray", Device::cpu(), || {
        let array = Array::from(kept.take().unwrap());
        let values = array.into_ndarray::<f32>(ONLY).unwrap().0;
        kept = values.into_dimensionality().ok();
    });
    table.cycle("cpu dlpack", Device::cpu(), || {
        let (capsule, _) = shared.to_dlpack::<Versioned>(ONLY, None).unwrap();
        drop(SharedArray::from_dlpack(capsule, None).unwrap());
    });
}
