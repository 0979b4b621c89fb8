//! Transfers: every dtype and layout, and what is refused.

use arrayspan_kernels::bridge::devices::Device;
use arrayspan_kernels::bridge::{Array, DType, Relayout};
use arrayspan_kernels::{Error, Executor, Trace, on};

use crate::{array, bits, numbers, pairs};

#[test]
fn transfers_reach_every_layout_from_every_layout() {
    for [here, there] in pairs() {
        // With either executor, to and from.
        for worker in [&here, &there] {
            for [from, to] in [[&here, &there], [&there, &here]] {
                let x = array(from.device(), &[7, 5], 1);
                let mut y = array(to.device(), &[5, 14], 2);
                let target = y.view_mut().stepped(1, 2).unwrap().permuted(&[1, 0]).unwrap();
                worker.transfer(x.view().reversed(0).unwrap(), target).unwrap();
                let (x, old) = (numbers(35, 1), numbers(70, 2));
                let expected = (0..70).map(|at| {
                    let (row, column) = (at / 14, at % 14);
                    if column % 2 == 0 { x[(6 - column / 2) * 5 + row] } else { old[at] }
                });
                let expected: Vec<u32> = expected.map(f32::to_bits).collect();
                assert_eq!(bits(&y), expected, "{} to {}", from.device(), to.device());
            }
        }
    }
}

#[test]
fn arrays_without_elements_and_without_axes_are_transferred() {
    for [here, there] in pairs() {
        for shape in [&[][..], &[0, 3], &[1, 1, 1]] {
            let x = array(here.device(), shape, 1);
            let mut y = array(there.device(), shape, 2);
            there.transfer(x.view(), y.view_mut()).unwrap();
            assert_eq!(bits(&y), bits(&x));
        }
    }
}

#[test]
fn a_transfer_that_does_not_fit_is_refused_before_anything_is_written() {
    for [here, there] in pairs() {
        let x = array(here.device(), &[3], 1);
        let mut y = array(there.device(), &[4], 2);
        let before = bits(&y);
        let error = there.transfer(x.view(), y.view_mut()).unwrap_err();
        assert_eq!(error.to_string(), "transfer: x has shape [3], expected [4]");
        let integers = Array::from_vec(vec![1_i32; 4], [4]).unwrap();
        let error = there.transfer(integers.view(), y.view_mut()).unwrap_err();
        assert!(matches!(error, Error::DType { expected: DType::Float32, .. }), "{error}");
        if there.device() != here.device() {
            // Neither array is where the executor is.
            let z = array(there.device(), &[4], 3);
            let error = here.transfer(z.view(), y.view_mut()).unwrap_err();
            assert!(matches!(error, Error::WrongDevice { verb: "transfer", .. }), "{error}");
        }
        assert_eq!(bits(&y), before);
    }
}

#[test]
fn a_transfer_costs_the_bytes_of_both_sides_and_no_kernel() {
    let trace = Trace::of(on(Device::cpu()).unwrap());
    let (x, mut y) = (array(Device::cpu(), &[3, 1], 1), array(Device::cpu(), &[3, 4], 2));
    let on: &dyn Executor = &trace;
    on.transfer(x.view().broadcast(&[3, 4]).unwrap(), y.view_mut()).unwrap();
    let cost = trace.take();
    assert_eq!((cost.launches, cost.bytes_read, cost.bytes_written, cost.flops), (0, 12, 48, 0));
}
