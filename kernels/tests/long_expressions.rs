//! Expressions longer than any stack, on the host.
#![allow(clippy::unwrap_used, reason = "an unexpected error fails the test")]

use std::thread::Builder;

use arrayspan_kernels::bridge::Array;
use arrayspan_kernels::bridge::devices::Device;
use arrayspan_kernels::{Expression, constant, input, on, previous};

const LONG: usize = 100_000;

fn chain(grow: impl Fn(Expression) -> Expression) -> Expression {
    (0..LONG).fold(input(0), |chain, _| grow(chain))
}

#[test]
fn a_hundred_thousand_additions_are_mapped_and_summed_on_a_small_stack() {
    let work = || {
        let on = on(Device::cpu()).unwrap();
        let x = Array::from_slice(&[1.0, -3.5, 0.25], [3]).unwrap();
        let (left, right) = (chain(|c| c + constant(0.5)), chain(|c| constant(0.5) + c));
        let mut out = Array::from_slice(&[f64::NAN; 3], [3]).unwrap();
        for sum in [&left, &right] {
            on.map(sum, &[x.view()], out.view_mut()).unwrap();
            assert_eq!(out.view().to_vec::<f64>().unwrap(), [50_001.0, 49_996.5, 50_000.25]);
            let mut total = Array::from_slice(&[f64::NAN], []).unwrap();
            on.sum(sum, &[x.view()], total.view_mut()).unwrap();
            assert_eq!(total.view().to_vec::<f64>().unwrap(), [149_997.75]);
        }
        let mut y = Array::from_slice(&[1.0, 2.0, 3.0], [3]).unwrap();
        on.map(&(left - previous()), &[x.view()], y.view_mut()).unwrap();
        assert_eq!(y.view().to_vec::<f64>().unwrap(), [50_000.0, 49_994.5, 49_997.25]);
    };
    // Of rayon's threads none computes so few elements.
    Builder::new().stack_size(256 << 10).spawn(work).unwrap().join().unwrap();
}
