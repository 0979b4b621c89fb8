//! Factors on the device that no verb takes, and what those cost that it takes.

use std::sync::Arc;

use arrayspan_kernels::bridge::Array;
use arrayspan_kernels::bridge::devices::Device;
use arrayspan_kernels::{
    Band, Error, Executor, Factor, Result, Stencil, StencilTerm, Trace, Update, input, on,
};
use num_complex::Complex32;

type Run = fn(&dyn Executor, &Array, &mut Array, Update<'_>) -> Result<()>;

fn stencil() -> Stencil {
    Stencil::along(0, Band::uniform(4, [(-1, 0.5), (0, 1.0)])).unwrap()
}

/// Every verb that takes an update, of arrays `[4, 4]`.
const VERBS: [(&str, Run); 5] = [
    ("copy", |on, x, y, update| on.copy(x.view(), y.view_mut(), update)),
    ("stencil", |on, x, y, update| on.stencil(&stencil(), x.view(), y.view_mut(), update)),
    ("stencil_sum", |on, x, y, update| {
        let terms = [(); 2].map(|()| StencilTerm::new(&stencil(), x.view()));
        on.stencil_sum(&terms, y.view_mut(), update)
    }),
    ("gemm", |on, x, y, update| on.gemm(x.view(), false, x.view(), y.view_mut(), update)),
    ("map", |on, x, y, update| on.map_updated(&input(0), &[x.view()], y.view_mut(), update)),
];

fn floats(on: &dyn Executor, shape: &[usize]) -> Array {
    let len: usize = shape.iter().product();
    let values: Vec<f32> = (0..len).map(|at| at as f32 * 0.5 - 3.0).collect();
    Array::from_vec(values, shape).unwrap().to(on.device()).unwrap().0
}

fn executors() -> Vec<Arc<dyn Executor>> {
    Device::all().into_iter().map(|device| on(device).unwrap()).collect()
}

#[test]
fn factors_on_the_device_that_do_not_fit_are_refused_before_anything_is_written() {
    for on in executors() {
        let (x, mut y) = (floats(&*on, &[4, 4]), floats(&*on, &[4, 4]));
        let before = y.view().to_vec::<f32>().unwrap();
        let place = |array: Array| array.to(on.device()).unwrap().0;
        let complex = place(Array::from_slice(&[Complex32::ONE], []).unwrap());
        let integer = place(Array::from_slice(&[1_i32], []).unwrap());
        let (two, none) = (floats(&*on, &[2]), floats(&*on, &[0]));
        for (name, run) in VERBS {
            let mut refused = |update: Update<'_>, expected: &str| {
                let error = run(&*on, &x, &mut y, update).unwrap_err();
                assert_eq!(error.to_string(), format!("{name}: {expected}"), "{}", on.device());
                error
            };
            let error = refused(Update::new(&complex, 0.0), "alpha is Complex64, expected Float32");
            assert!(matches!(error, Error::DType { .. }), "{error:?}");
            refused(Update::new(1.0, -Factor::from(&integer)), "beta is Int32, expected Float32");
            refused(Update::new(&two, 0.0), "alpha is an array of 2 elements, expected one");
            refused(Update::new(1.0, &none), "beta is an array of 0 elements, expected one");
        }
        assert_eq!(y.view().to_vec::<f32>().unwrap(), before);
    }
}

#[test]
fn a_factor_narrower_than_the_elements_is_refused() {
    let on = on(Device::cpu()).unwrap();
    let (x, mut y) =
        (Array::from_vec(vec![1.0; 4], [4]).unwrap(), Array::from_vec(vec![2.0; 4], [4]).unwrap());
    let narrow = Array::from_slice(&[0.5_f32], []).unwrap();
    let error = on.copy(x.view(), y.view_mut(), Update::new(1.0, &narrow)).unwrap_err();
    assert_eq!(error.to_string(), "copy: beta is Float32, expected Float64");
    // Two of real dtypes that are not the elements' are of one.
    let complex = |value| Array::from_vec(vec![Complex32::new(value, 0.0); 4], [4]).unwrap();
    let (x, mut y) = (complex(1.0), complex(2.0));
    let wide = Array::from_slice(&[0.5], []).unwrap();
    let error = on.copy(x.view(), y.view_mut(), Update::new(&narrow, &wide)).unwrap_err();
    assert_eq!(error.to_string(), "copy: beta is Float64, expected Float32");
    assert_eq!(y.view().as_slice::<Complex32>().unwrap(), [Complex32::new(2.0, 0.0); 4]);
}

#[test]
fn factors_on_another_device_are_refused_with_both_named() {
    let Some(other) = Device::all().into_iter().find(|device| !device.is_cpu()) else {
        println!("skipped: no device but the CPU");
        return;
    };
    let host = on(Device::cpu()).unwrap();
    for (here, there) in [(host.clone(), on(other).unwrap()), (on(other).unwrap(), host)] {
        let (x, mut y) = (floats(&*here, &[4, 4]), floats(&*here, &[4, 4]));
        let before = y.view().to_vec::<f32>().unwrap();
        let scalar = floats(&*there, &[]);
        for (name, run) in VERBS {
            for (what, update) in
                [("alpha", Update::new(&scalar, 0.0)), ("beta", Update::new(1.0, &scalar))]
            {
                let error = run(&*here, &x, &mut y, update).unwrap_err();
                assert!(matches!(error, Error::WrongDevice { .. }), "{error:?}");
                let (found, expected) = (there.device(), here.device());
                let text = format!("{name}: {what} is on {found}, the executor on {expected}");
                assert_eq!(error.to_string(), text);
            }
        }
        assert_eq!(y.view().to_vec::<f32>().unwrap(), before);
    }
}

#[test]
fn a_factor_on_the_device_costs_its_bytes() {
    let trace = Trace::of(on(Device::cpu()).unwrap());
    let on: &dyn Executor = &trace;
    let (x, mut y) = (floats(on, &[4, 4]), floats(on, &[4, 4]));
    let (single, double) = (floats(on, &[]), Array::from_slice(&[0.5], []).unwrap());
    for (name, run) in VERBS {
        run(on, &x, &mut y, Update::new(2.0, 0.5)).unwrap();
        let known = trace.take();
        run(on, &x, &mut y, Update::new(&single, &double)).unwrap();
        let loaded = trace.take();
        assert_eq!(loaded.bytes_read, known.bytes_read + 4 + 8, "{name}");
        assert_eq!(loaded.bytes_written, known.bytes_written, "{name}");
        assert_eq!((loaded.launches, known.launches), (1, 1), "{name}");
        // A beta that nobody knows is read, and times 0 it is known.
        run(on, &x, &mut y, Update::new(1.0, Factor::from(&single) * 0.0)).unwrap();
        let set = trace.take();
        assert_eq!(set.bytes_read, known.bytes_read - 64, "{name}");
    }
}
