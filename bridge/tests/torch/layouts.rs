//! Any layout goes there and back, or is refused before libtorch sees it, which some would kill.

use arrayspan_bridge::devices::{Device, Memory};
use arrayspan_bridge::torch::{export, import, lend};
use arrayspan_bridge::{Array, DType, Error, Layout, SharedArray};
use proptest::prelude::*;
use tch::Tensor;

use crate::common::{apply, changes, config, counting, shapes};
use crate::{COPY, SHARE, numbers};

proptest! {
    #![proptest_config(config())]

    #[test]
    fn an_array_in_any_layout_has_the_same_elements_in_torch(shape in shapes(), changes in changes()) {
        let mut theirs = counting(&shape);
        let mut ours = Array::from(theirs.clone()).into_shared();
        for change in changes {
            let shape = theirs.shape().to_vec();
            if let Some(Ok(next)) = apply(&change, &ours, &shape, &theirs) {
                (ours, theirs) = next;
            }
        }
        // SAFETY: nobody writes through the tensor.
        let (tensor, _) = unsafe { lend(&ours, COPY).unwrap() };
        let shape: Vec<i64> = theirs.shape().iter().map(|&extent| extent as i64).collect();
        prop_assert_eq!(tensor.size(), shape);
        let expected: Vec<f64> = theirs.iter().map(|&value| f64::from(value)).collect();
        prop_assert_eq!(numbers(&tensor), expected);
        let (back, _) = import(tensor, COPY).unwrap();
        prop_assert_eq!(back.view().to_ndarray::<i32>().unwrap(), theirs);
    }
}

#[test]
fn scalars_and_empty_arrays_go_there_and_back() {
    for shape in [vec![], vec![0], vec![3, 0, 2], vec![1, 1]] {
        let len: usize = shape.iter().product();
        let array = Array::from_vec(vec![4.0_f64; len], shape.clone()).unwrap();
        let tensor = Tensor::try_from(array).unwrap();
        assert_eq!(tensor.size(), shape.iter().map(|&n| n as i64).collect::<Vec<_>>());
        assert_eq!(numbers(&tensor), vec![4.0; len]);
        let array = Array::try_from(tensor).unwrap();
        assert_eq!(
            (array.shape(), array.view().to_vec::<f64>().unwrap()),
            (&*shape, vec![4.0; len])
        );
    }
}

#[test]
fn scalars_and_empty_tensors_go_there_and_back() {
    for shape in [vec![], vec![0], vec![3, 0, 2], vec![1, 1]] {
        let tensor = Tensor::ones(&shape, (tch::Kind::Int64, tch::Device::Cpu));
        let (array, _) = import(tensor, SHARE).unwrap();
        let (tensor, _) = export(array, SHARE).unwrap();
        assert_eq!(tensor.size(), shape);
        assert_eq!(numbers(&tensor), vec![1.0; tensor.numel()]);
    }
}

/// One byte of memory with a layout that reaches nowhere.
fn odd(shape: Vec<usize>, strides: Vec<isize>, dtype: DType) -> SharedArray {
    let memory = Memory::allocate(16, &Device::cpu().stream().unwrap()).unwrap();
    let layout = Layout::strided(shape, strides, 0).unwrap();
    // SAFETY: fresh zeroed memory that nobody else knows.
    unsafe { SharedArray::from_memory(memory, layout, dtype).unwrap() }
}

#[test]
fn layouts_that_would_end_the_process_in_libtorch_are_refused() {
    let large = 1_usize << 61;
    let hostile = [
        odd(vec![large, 0, 3], vec![1, 1, 1], DType::Float64),
        odd(vec![1 << 31, 1 << 31], vec![0, 0], DType::Float64),
        odd(vec![1; 65], vec![1; 65], DType::Float64),
    ];
    for array in hostile {
        // SAFETY: nobody writes through the tensor.
        let refused = unsafe { lend(&array, COPY).unwrap_err() };
        assert!(matches!(refused, Error::Layout { .. }), "{refused}");
    }
}

#[test]
fn strides_without_meaning_do_not_matter() {
    let cases = [
        odd(vec![1, 2], vec![-7, 1], DType::Float64),
        odd(vec![0, 2], vec![-7, -1], DType::Float64),
        odd(vec![1; 64], vec![-1; 64], DType::Float64),
    ];
    for array in cases {
        // SAFETY: nobody writes through the tensor.
        let (tensor, _) = unsafe { lend(&array, SHARE).unwrap() };
        assert_eq!(numbers(&tensor), vec![0.0; array.layout().len()]);
    }
}
