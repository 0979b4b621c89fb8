//! Calls that are not recorded: of arrays that the plan does not keep, or that others could write.

use arrayspan_kernels::bridge::convert::Imported;
use arrayspan_kernels::bridge::devices::Device;
use arrayspan_kernels::bridge::{Array, DType, LentArray, Relayout};
use arrayspan_kernels::{
    Arrays, Error, Executor, Gather, Plan, Reduction, Result, Scan, Stencil, Update, input, on,
};

use super::{array, bits};

/// Fails unless recording is refused because the plan does not keep that argument, and leaves `untouched` as it was.
#[track_caller]
fn refused(
    plan: impl Arrays,
    untouched: &Array,
    text: &str,
    record: impl FnOnce(&dyn Executor) -> Result<()>,
) {
    let before = bits(untouched);
    let refused = Plan::record(on(Device::cpu()).unwrap(), plan, |on, _| record(on));
    let error = refused.map(|_| ()).unwrap_err();
    assert!(matches!(error, Error::NotKept { .. }), "{error:?}");
    assert_eq!(error.to_string(), text);
    assert_eq!(bits(untouched), before);
}

pub(super) fn keeps_no(verb: &str, argument: &str) -> String {
    format!("{verb}: the plan keeps no array with the memory of {argument}")
}

#[test]
fn what_the_plan_does_not_keep_cannot_be_written() {
    let host = on(Device::cpu()).unwrap();
    let read = array(&*host, &[4, 4], 1).into_shared();
    let mut out = array(&*host, &[4, 4], 2);
    let copy = array(&*host, &[4, 4], 2);
    let other = || array(&*host, &[4, 4], 3);
    let set = Update::set();
    let none = Stencil::new([]).unwrap();
    let x = || read.view();
    refused(other(), &copy, &keeps_no("map", "the output"), |on| {
        on.map(&input(0), &[x()], out.view_mut())
    });
    refused(other(), &copy, &keeps_no("copy", "y"), |on| on.copy(x(), out.view_mut(), set));
    refused(other(), &copy, &keeps_no("stencil", "y"), |on| {
        on.stencil(&none, x(), out.view_mut(), set)
    });
    refused(other(), &copy, &keeps_no("reduce", "the output"), |on| {
        on.reduce(Reduction::Sum, &input(0), &[x()], &[], out.view_mut())
    });
    refused(other(), &copy, &keeps_no("gather", "y"), |on| {
        on.gather(&Gather::pick(0, 4, [3, 1, 1, 0])?, x(), out.view_mut(), set)
    });
    refused(other(), &copy, &keeps_no("scan", "y"), |on| {
        on.scan(&Scan::inclusive(0, 4), x(), out.view_mut(), set)
    });
    refused(other(), &copy, &keeps_no("gemm", "c"), |on| {
        on.gemm(x(), false, x(), out.view_mut(), set)
    });
    // Nor may a part of it, nor what is made while recording.
    refused(other(), &copy, &keeps_no("copy", "y"), |on| {
        on.copy(x().sliced(0, 1, 2)?, out.view_mut().sliced(0, 0, 2)?, set)
    });
    refused(other(), &copy, &keeps_no("copy", "y"), |on| {
        on.copy(x(), on.empty(&[4, 4], DType::Float32)?.view_mut(), set)
    });
    assert_eq!(bits(&out), bits(&copy), "what was refused has not run");
}

#[test]
fn what_others_could_write_cannot_be_read() {
    let host = on(Device::cpu()).unwrap();
    let (a, b) = (array(&*host, &[4, 4], 1), array(&*host, &[4, 4], 2));
    let read = array(&*host, &[4, 4], 3);
    let y = || array(&*host, &[4, 4], 4);
    let record = |text: &str, call: &dyn Fn(&dyn Executor, &mut Array) -> Result<()>| {
        let refused = Plan::record(host.clone(), y(), |on, y| call(on, y));
        let error = refused.map(|_| ()).unwrap_err();
        assert!(matches!(error, Error::NotKept { .. }), "{error:?}");
        assert_eq!(error.to_string(), text);
    };
    let set = Update::set();
    record(&keeps_no("map", "input 1"), &|on, y| {
        let shared = array(on, &[4, 4], 5).into_shared();
        on.map(&(input(0) + input(1)), &[shared.view(), a.view()], y.view_mut())
    });
    record(&keeps_no("gemm", "b"), &|on, y| {
        let shared = array(on, &[4, 4], 5).into_shared();
        on.gemm(shared.view(), false, b.view(), y.view_mut(), set)
    });
    record(&keeps_no("copy", "x"), &|on, y| on.copy(a.view(), y.view_mut(), set));
    // A shared array's memory, but lent as a borrowed array is.
    let lent = LentArray::from(read.into_shared());
    record(&keeps_no("copy", "x"), &|on, y| on.copy(lent.view(), y.view_mut(), set));
    // What is only borrowed on its way from another library.
    let imported = Imported::from(a.view());
    record(&keeps_no("copy", "x"), &|on, y| on.copy(imported.view(), y.view_mut(), set));
    // What somebody else is about to write.
    let mut out = y();
    let view = out.view_mut();
    record(&keeps_no("copy", "x"), &|on, y| on.copy(view.view(), y.view_mut(), set));
}
