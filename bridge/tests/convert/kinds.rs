//! Which library an array belongs to.

use super::*;

#[test]
fn kinds_are_known_by_type_by_value_and_by_name() {
    assert_eq!(kind_of(&values()), Kind::Ndarray);
    assert_eq!(kind_of(&array()), Kind::Array);
    let capsule: Capsule = array().into_dlpack(None).unwrap();
    assert_eq!(kind_of(&capsule), Kind::Dlpack);
    assert_eq!(kind_of_any(&capsule), Some(Kind::Dlpack));
    assert_eq!(kind_of_any(&array()), Some(Kind::Array));
    assert_eq!(kind_of_any(&array().into_shared()), Some(Kind::Array));
    assert_eq!(kind_of_any(&values()), Some(Kind::Ndarray));
    assert_eq!(kind_of_any(&values().into_shared()), Some(Kind::Ndarray));
    assert_eq!(
        kind_of_any(&ArrayD::<num_complex::Complex<f64>>::zeros(vec![2])),
        Some(Kind::Ndarray)
    );
    assert_eq!(kind_of_any(&vec![1.0_f32]), None);
    if common::first("opencl").is_some() {
        let lent = convert(values(), to::opencl::<f32>(), Options::default()).unwrap().0;
        assert_eq!((kind_of(&lent), kind_of_any(&lent)), (Kind::OpenCl, Some(Kind::OpenCl)));
    }
    for kind in Kind::all() {
        assert_eq!(kind.to_string().parse::<Kind>().unwrap(), kind);
    }
    let error = "numpy".parse::<Kind>().unwrap_err();
    assert!(error.to_string().starts_with("'numpy' is not a kind of array"), "{error}");
}
