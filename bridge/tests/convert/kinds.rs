//! Which library an array belongs to.

use super::*;

#[test]
fn kinds_are_known_by_type_by_value_and_by_name() {
    assert_eq!(kind_of(&values()), ArrayKind::Ndarray);
    assert_eq!(kind_of(&array()), ArrayKind::Array);
    let capsule: Capsule = array().into_dlpack(None).unwrap();
    assert_eq!(kind_of(&capsule), ArrayKind::Dlpack);
    assert_eq!(kind_of_any(&capsule), Some(ArrayKind::Dlpack));
    assert_eq!(kind_of_any(&array()), Some(ArrayKind::Array));
    assert_eq!(kind_of_any(&array().into_shared()), Some(ArrayKind::Array));
    assert_eq!(kind_of_any(&values()), Some(ArrayKind::Ndarray));
    assert_eq!(kind_of_any(&values().into_shared()), Some(ArrayKind::Ndarray));
    assert_eq!(
        kind_of_any(&ArrayD::<num_complex::Complex<f64>>::zeros(vec![2])),
        Some(ArrayKind::Ndarray)
    );
    assert_eq!(kind_of_any(&vec![1.0_f32]), None);
    if common::first("opencl").is_some() {
        let lent = convert(values(), to::opencl::<f32>(), ConvertOptions::default()).unwrap().0;
        assert_eq!(
            (kind_of(&lent), kind_of_any(&lent)),
            (ArrayKind::OpenCl, Some(ArrayKind::OpenCl))
        );
    }
    for kind in ArrayKind::all() {
        assert_eq!(kind.to_string().parse::<ArrayKind>().unwrap(), kind);
    }
    let error = "numpy".parse::<ArrayKind>().unwrap_err();
    assert!(error.to_string().starts_with("'numpy' is not a kind of array"), "{error}");
}
