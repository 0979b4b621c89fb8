//! A stack on the host whose blocks are computed on a GPU: sent while others are computed, and one after the other.
//!
//! ```text
//! cargo bench --bench visiting -- cuda:0 4096
//! ```
//!
//! Twelve blocks of `N` x `N` `Float32`, each a filter along the rows several times over, so that computing takes about as long as
//! sending, or as many times longer as the last column says. Prints CSV: milliseconds of one application, the least of five, and
//! the bytes of models and data together by that time.

use std::time::Instant;

use arrayspan::operators::Workspace;
use arrayspan::prelude::*;

type Failure = Box<dyn std::error::Error>;

const BLOCKS: usize = 12;

fn milliseconds(on: &dyn Executor, a: &Operator, x: &Array, y: &mut Array) -> Result<f64, Failure> {
    let mut workspace = Workspace::of(a, on)?;
    let mut least = f64::INFINITY;
    for _ in 0..6 {
        let begin = Instant::now();
        a.apply_with(&mut workspace, on, x.view(), y.view_mut(), Update::set())?;
        let last = y.view().slice(y.shape()[0] - 1)?;
        // What comes back may still be on its way.
        std::hint::black_box(last.to_vec::<f32>()?);
        least = least.min(begin.elapsed().as_secs_f64() * 1e3);
    }
    Ok(least)
}

fn main() -> Result<(), Failure> {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    let device: Device = words.first().map_or("cpu", String::as_str).parse()?;
    let n: usize = words.get(1).map_or(Ok(1000), |word| word.parse())?;
    let cpu = Device::cpu();
    let on = arrayspan::kernels::on(cpu)?;
    let space = Space::new([n, n], DType::Float32)?;
    let taps: Vec<f32> = (0..31).map(|tap| 1.0 / (1.0 + tap as f32)).collect();
    let filter = Convolve1D::new(space.clone(), -1, &taps, 15)?;
    let weights = Diagonal::new(space, Array::full([n, n], 0.5_f32, device)?)?;
    println!("arrays,passes,on_ms,visiting_ms,gigabytes_per_s");
    for passes in [1, 16, 64] {
        // Weights keep filters from becoming one.
        let pass = weights.after(&filter).build()?;
        let block = pass.pow(passes).build()?;
        let visited = block_diagonal((0..BLOCKS).map(|_| &block))?;
        let there = block.on(device, cpu)?;
        let one_by_one = block_diagonal((0..BLOCKS).map(|_| &there))?;
        let visiting = visited.visiting([device], Devices::both(cpu))?;
        for locked in [false, true] {
            let array = || {
                let mut array = if locked {
                    Array::pinned([BLOCKS * n, n], DType::Float32, device)?
                } else {
                    Array::empty([BLOCKS * n, n], DType::Float32, cpu)?
                };
                array.assign(1.0)?;
                Ok::<_, Failure>(array)
            };
            let (x, mut y) = (array()?, array()?);
            let plain = milliseconds(&*on, &one_by_one, &x, &mut y)?;
            let sum = y.sum()?.item::<f32>()?;
            y.assign(0.0)?;
            let found = milliseconds(&*on, &visiting, &x, &mut y)?;
            assert!((y.sum()?.item::<f32>()? / sum - 1.0).abs() < 1e-4, "another result");
            let bytes = 2.0 * (BLOCKS * n * n * 4) as f64;
            let name = if locked { "page-locked" } else { "pageable" };
            println!("{name},{passes},{plain:.2},{found:.2},{:.1}", bytes / found / 1e6);
        }
    }
    Ok(())
}
