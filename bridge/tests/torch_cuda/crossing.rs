//! What crosses, and how.

use arrayspan_bridge::torch::{empty_cache, export, import, memory_statistics};
use arrayspan_bridge::{Array, Crossing, Relayout, Why};
use cudarc::driver::result::ctx::get_current;
use num_complex::Complex;
use tch::{Kind, Tensor};

use super::cuda;
use super::support::{COPY, SHARE, copied, numbers};

#[test]
fn a_tensor_becomes_an_array_and_that_tensor_again() {
    let Some((_turn, device, on)) = cuda() else { return };
    let mut tensor = Tensor::arange(6, (Kind::Float, on)).reshape([2, 3]);
    let (address, implementation) = (tensor.data_ptr().addr(), tensor.numel());
    let (array, crossing) = import(tensor, SHARE).unwrap();
    assert_eq!((crossing, array.device()), (Crossing::ZeroCopy, device));
    assert_eq!(array.memory().address(), address);
    let columns = array.view().permuted(&[1, 0]).unwrap();
    assert_eq!(columns.to_vec::<f32>().unwrap(), [0.0, 3.0, 1.0, 4.0, 2.0, 5.0]);
    (tensor, _) = export(array, SHARE).unwrap();
    assert_eq!((tensor.data_ptr().addr(), tensor.numel()), (address, implementation));
    assert_eq!(numbers(&(tensor + 1.0)), [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
}

#[test]
fn an_array_becomes_a_tensor_and_an_array_again() {
    let Some((_turn, device, on)) = cuda() else { return };
    let array =
        Array::from_vec(vec![0.0_f64, 1.0, 2.0, 3.0], [4]).unwrap().into_device(device).unwrap().0;
    let address = array.memory().address();
    let (tensor, crossing) = export(array.sliced(0, 1, 3).unwrap(), SHARE).unwrap();
    assert_eq!((crossing, tensor.device()), (Crossing::ZeroCopy, on));
    assert_eq!(tensor.data_ptr().addr(), address + 8);
    let (array, crossing) = import(tensor.g_mul_scalar(2) - 1.0, SHARE).unwrap();
    assert_eq!(crossing, Crossing::ZeroCopy);
    assert_eq!(array.view().to_vec::<f64>().unwrap(), [1.0, 3.0, 5.0]);
    let (array, _) = import(tensor, SHARE).unwrap();
    assert_eq!(array.view().to_vec::<f64>().unwrap(), [1.0, 2.0, 3.0]);
}

#[test]
fn odd_shapes_and_strides_cross_as_on_the_cpu() {
    let Some((_turn, device, on)) = cuda() else { return };
    for shape in [vec![], vec![0], vec![3, 0], vec![1, 2]] {
        let tensor = Tensor::ones(&shape, (Kind::Float, on));
        let (array, _) = import(tensor, SHARE).unwrap();
        let (tensor, _) = export(array, SHARE).unwrap();
        assert_eq!((tensor.size(), numbers(&tensor)), (shape, vec![1.0; tensor.numel()]));
    }
    let expanded = Tensor::arange(2, (Kind::Float, on)).reshape([2, 1]).expand([2, 2], false);
    let (array, crossing) = import(expanded, COPY).unwrap();
    assert_eq!(crossing, copied(Why::Strides, 16));
    assert_eq!(array.view().to_vec::<f32>().unwrap(), [0.0, 0.0, 1.0, 1.0]);
    let (tensor, crossing) = export(array.reversed(0).unwrap(), COPY).unwrap();
    assert_eq!(crossing, copied(Why::Strides, 16));
    assert_eq!(numbers(&tensor), [1.0, 1.0, 0.0, 0.0]);
    let parts = Tensor::arange(2, (Kind::Double, on));
    let (array, crossing) = import(Tensor::complex(&parts, &parts).conj(), COPY).unwrap();
    assert_eq!((crossing, array.device()), (copied(Why::Lazy, 32), device));
    let values = array.view().to_vec::<Complex<f64>>().unwrap();
    assert_eq!(values, [Complex::new(0.0, 0.0), Complex::new(1.0, -1.0)]);
}

#[test]
fn the_current_context_and_device_stay_as_they_were() {
    let Some((_turn, device, on)) = cuda() else { return };
    // A thread of its own, which torch has not touched.
    std::thread::spawn(move || {
        let array =
            Array::from_vec(vec![1.0_f32; 64], [64]).unwrap().into_device(device).unwrap().0;
        let before = get_current().unwrap();
        let (tensor, _) = export(array, SHARE).unwrap();
        let (array, _) = import(tensor, SHARE).unwrap();
        drop(array);
        memory_statistics(device).unwrap();
        assert_eq!(get_current().unwrap(), before, "without torch's own work");
        let tensor = Tensor::ones([64], (Kind::Float, on));
        let before = get_current().unwrap();
        let (array, _) = import(tensor, SHARE).unwrap();
        let (tensor, _) = export(array, SHARE).unwrap();
        drop(tensor);
        empty_cache(device).unwrap();
        assert_eq!(get_current().unwrap(), before, "after torch's own work");
    })
    .join()
    .unwrap();
}
