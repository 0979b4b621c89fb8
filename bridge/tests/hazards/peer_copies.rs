//! H7: copies between two GPUs that lose their bytes without an error. The driver in `devices` tries each pair by content
//! before it is used (its own test shows that a lossy way is found out); here all sizes arrive.

use arrayspan_bridge::{Array, Relayout};

use super::gpu::two;

#[test]
fn what_goes_from_one_gpu_to_another_arrives() {
    let Some([one, other]) = two() else { return };
    for len in [1_usize, 3, 1 << 10, 70_001, (16 << 20) + 1] {
        let values: Vec<u32> = (0..len as u32).map(|i| i.wrapping_mul(2_654_435_761)).collect();
        let array = Array::from_vec(values.clone(), [len]).unwrap().into_device(one).unwrap().0;
        let (there, crossing) = array.into_device(other).unwrap();
        assert!(crossing.to_string().starts_with("copied"), "{crossing}");
        let (back, _) = there.into_device(one).unwrap();
        assert_eq!(back.view().to_vec::<u32>().unwrap(), values);
    }
}

#[test]
fn a_strided_array_goes_from_one_gpu_to_another_in_order() {
    let Some([one, other]) = two() else { return };
    let values: Vec<f32> = (0..63 * 100).map(|i| i as f32).collect();
    let array = Array::from_vec(values.clone(), [63, 100]).unwrap().into_device(one).unwrap().0;
    let turned = array.view().permuted(&[1, 0]).unwrap().stepped(1, 2).unwrap();
    let there = turned.to(other).unwrap().0;
    let expected: Vec<f32> =
        (0..100).flat_map(|j| (0..63).step_by(2).map(move |i| (i * 100 + j) as f32)).collect();
    assert_eq!(there.view().to_vec::<f32>().unwrap(), expected);
}
