//! Whatever lends a view is taken where an array is read, and whatever can be shared without a copy where one is kept.

use std::rc::Rc;
use std::sync::Arc;

use arrayspan_bridge::{Array, AsView, LentArray, Operand, Relayout, SharedArray};

fn sum(x: impl AsView) -> i32 {
    x.as_view().to_vec::<i32>().unwrap().iter().sum()
}

fn address(x: &dyn AsView) -> usize {
    x.as_view().memory().address()
}

fn shared(x: impl Into<SharedArray>) -> SharedArray {
    x.into()
}

fn array() -> Array {
    Array::from_vec((1..=6).collect(), [2, 3]).unwrap()
}

#[test]
#[allow(clippy::needless_borrows_for_generic_args, reason = "references are what is tried")]
fn arrays_shared_arrays_views_and_references_to_them_lend_the_same_elements() {
    let mut array = array();
    let at = array.memory().address();
    assert_eq!([sum(&array), sum(array.view()), sum(&array.view()), sum(&&array)], [21; 4]);
    assert_eq!([sum(array.view_mut()), sum(&array.view_mut()), sum(&mut array)], [21; 3]);
    assert_eq!([address(&array), address(&array.view())], [at; 2]);
    let operand = Operand::from(array.view());
    assert_eq!([sum(&operand), address(&operand) as i32], [21, at as i32]);
    let shared = array.into_shared();
    assert_eq!([sum(&shared), sum(shared.clone()), sum(shared.view())], [21; 3]);
    let lent = LentArray::from(shared.clone());
    assert_eq!([sum(&lent), sum(&*lent), address(&lent) as i32], [21, 21, at as i32]);
    assert_eq!([sum(Arc::new(shared.clone())), sum(Rc::new(shared.view()))], [21; 2]);
    let behind: Box<dyn AsView> = Box::new(shared);
    assert_eq!([sum(&behind), sum(&*behind), sum(behind)], [21; 3]);
}

#[test]
fn what_is_lent_is_what_the_view_shows() {
    let array = array();
    assert_eq!(sum(array.view().selected(1, 2).unwrap()), 9);
    assert_eq!(sum(array.view().reversed(0).unwrap().sliced(0, 0, 1).unwrap()), 15);
}

#[test]
fn arrays_ndarrays_and_vectors_become_shared_arrays_without_a_copy() {
    let given = array();
    let at = given.memory().address();
    let kept = shared(given);
    assert_eq!(kept.memory().address(), at);
    assert_eq!(shared(&kept).memory().address(), at);
    assert_eq!(shared(kept.clone()).memory().address(), at);

    let values = ndarray::array![[1_i32, 2], [3, 4]];
    let at = values.as_ptr().addr();
    let kept = shared(values);
    assert_eq!((kept.memory().address(), kept.shape()), (at, &[2, 2][..]));

    let values = vec![1_i32, 2, 3];
    let at = values.as_ptr().addr();
    let kept = shared(values);
    assert_eq!((kept.memory().address(), kept.shape(), sum(&kept)), (at, &[3][..], 6));
    assert_eq!(Array::from(Vec::<f64>::new()).shape(), [0]);
}
