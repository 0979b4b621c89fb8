//! Calls that are made again after what they use was given back. In a program of its own: caches are those of a process.

#![allow(clippy::unwrap_used, reason = "an unexpected error fails the test")]

mod devices;

use arrayspan_kernels::bridge::devices::caches;
use arrayspan_kernels::bridge::{Array, DType};
use arrayspan_kernels::{Band, Executor, Gather, Gpu, Reduction, Scan, Stencil, Update, input};

use devices::devices;

const LEN: usize = 12_000;

#[test]
fn a_call_is_made_again_when_its_tables_were_given_back() {
    for device in devices() {
        let gpu = Gpu::new(device.new_stream().unwrap()).unwrap();
        let executor: &dyn Executor = &gpu;
        // Neither stencil nor matrix nor sum is planned again but where what they use has gone. The tables of the stencil are too
        // large to be constants of a kernel.
        let taps = (0..9000).map(|k| (k - 4500, 1.0 + k as f64));
        let stencil = Stencil::along(0, Band::uniform(LEN, taps)).unwrap();
        let picked = Gather::pick(0, LEN, vec![5, 3, 11_999]).unwrap();
        let x = Array::from_vec((0..LEN).map(|k| k as f32).collect(), [LEN]).unwrap();
        let x = x.into_device(device).unwrap().0;
        let mut y = executor.empty(&[LEN], DType::Float32).unwrap();
        let mut few = executor.empty(&[3], DType::Float32).unwrap();
        let mut sum = executor.empty(&[], DType::Float32).unwrap();
        let mut sums = executor.empty(&[LEN], DType::Float32).unwrap();
        let mut expected = None;
        for round in 0..6 {
            executor.stencil(&stencil, x.view(), y.view_mut(), Update::set()).unwrap();
            executor.gather(&picked, x.view(), few.view_mut(), Update::set()).unwrap();
            executor.reduce(Reduction::Sum, &input(0), &[x.view()], &[0], sum.view_mut()).unwrap();
            let running = Scan::inclusive(0, LEN);
            executor.scan(&running, x.view(), sums.view_mut(), Update::set()).unwrap();
            let found = [&y, &few, &sum, &sums].map(|array| array.view().to_vec::<f32>().unwrap());
            assert_eq!(found[1], [5.0, 3.0, 11_999.0], "{device}");
            assert!(*expected.get_or_insert(found.clone()) == found, "{device}, round {round}");
            if round % 2 == 1 {
                let cleared = caches::clear(device);
                assert!(cleared.failures().next().is_none(), "{cleared}");
            }
        }
    }
}
