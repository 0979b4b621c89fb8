//! Going through operators and back again and again leaves nothing behind. A program of its own: no other test takes memory
//! meanwhile.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "an unexpected error fails the test")]

use arrayspan_bridge::devices::{Device, drain};
use arrayspan_bridge::torch::tch::{self, Kind, Tensor, no_grad};
use arrayspan_bridge::{DType, torch};
use arrayspan_operators::Error;
use arrayspan_operators::prelude::*;
use arrayspan_operators::torch::TorchOperator;

const CYCLES: usize = 20_000;
/// 4 KiB each, so that what is not released shows.
const LEN: i64 = 1024;

/// Bytes of this process in memory.
fn resident() -> usize {
    let pages = std::fs::read_to_string("/proc/self/statm").unwrap();
    4096 * pages.split(' ').nth(1).unwrap().parse::<usize>().unwrap()
}

struct Functions {
    slope: TorchOperator,
    torn: TorchOperator,
    on: tch::Device,
}

impl Functions {
    fn new(on: tch::Device) -> Self {
        let within = Space::new([LEN as usize], DType::Float32).unwrap();
        let slope = FirstDerivative::new(within.clone(), 0, 1.0, Scheme::Centered3, Edge::Zero);
        let torn = FunctionOperator::new(
            within.clone(),
            within,
            |on, x, y| Ok(on.copy(x, y, Update::set())?),
            |_, _, _| Err(Error::function("torn")),
        );
        Self { slope: slope.unwrap().torch(), torn: torn.unwrap().torch(), on }
    }

    /// There and back, once and twice; graphs that nobody goes through; errors on both ways.
    fn cycle(&self, index: usize) {
        let Self { slope, torn, on } = self;
        let batch = 1 + (index % 3) as i64;
        let x = Tensor::ones([batch, LEN], (Kind::Float, *on)).set_requires_grad(true);
        let _ = no_grad(|| slope.forward(&x)).unwrap();
        let loss = slope.forward(&x).unwrap().square().sum(Kind::Float);
        let gradient = Tensor::run_backward(&[&loss], &[&x], true, true).remove(0);
        gradient.square().sum(Kind::Float).backward();
        let never = slope.forward(&slope.forward(&(&x * 2.0)).unwrap()).unwrap();
        assert!(never.requires_grad());
        slope.forward(&x.narrow(1, 1, LEN - 1)).unwrap_err();
        torn.forward(&x).unwrap().sum(Kind::Float).f_backward().unwrap_err();
    }
}

fn go_on(device: Device, on: tch::Device, cycles: usize) {
    let functions = Functions::new(on);
    let cycle = |index| functions.cycle(index);
    (0..1000).for_each(cycle);
    drain();
    let before = resident();
    (0..cycles).for_each(cycle);
    drain();
    let grown = resident().saturating_sub(before);
    assert!(grown < 4 << 20, "{grown} bytes of host memory more");
    let left = device.statistics();
    assert_eq!((left.live_bytes, left.live_blocks, left.foreign_bytes), (0, 0, 0));
}

#[test]
fn going_through_an_operator_and_back_leaves_memory_as_it_was() {
    // Torch looks for CUDA once, which must not be before it is brought.
    let cuda = Device::cuda(0)
        .map_err(arrayspan_bridge::Error::from)
        .and_then(|device| Ok((device, torch::device(device)?)));
    go_on(Device::cpu(), tch::Device::Cpu, CYCLES);
    match cuda {
        Ok((device, on)) => go_on(device, on, CYCLES / 10),
        Err(error) => eprintln!("skipped on CUDA: {error}"),
    }
}
