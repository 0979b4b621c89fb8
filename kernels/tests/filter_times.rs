//! How long filters take by products and by transforms of blocks: what the choice between them rests on. Prints a table, and fails never.
//!
//! ```sh
//! cargo test --release -p arrayspan-kernels --test filter_times -- --ignored --nocapture
//! ```

#![allow(clippy::unwrap_used, reason = "an unexpected error fails the test")]

mod times;

use arrayspan_kernels::bridge::DType;
use arrayspan_kernels::bridge::devices::Device;
use arrayspan_kernels::{Band, Filter, Stencil, Update, constant, on};
use num_complex::Complex64;
use times::milliseconds;

#[test]
#[ignore = "a measurement"]
fn products_beside_transforms() {
    let (device, scale, calls) = match Device::cuda(0) {
        Ok(device) => (device, 1, 10),
        Err(_) => (Device::cpu(), 8, 1),
    };
    let on = on(device).unwrap();
    println!("{device}: taps, products and transforms (ms; axis 0, axis 1)");
    for dtype in [DType::Float32, DType::Complex64, DType::Float64] {
        for shape in [[8000 / scale, 8000], [1000, 1000], [7919 / scale, 8191]] {
            let array = || {
                let mut array = on.empty(&shape, dtype).unwrap();
                on.map(&constant(0.5), &[], array.view_mut()).unwrap();
                array
            };
            let (x, mut y) = (array(), array());
            for taps in [41, 81, 121, 161, 201, 301, 501, 701] {
                let numbers: Vec<Complex64> =
                    (1..=taps).map(|k| (1.0 / f64::from(k)).into()).collect();
                let [products, transforms] = [false, true].map(|long| {
                    [0, 1].map(|axis| {
                        let filter = Filter::new(axis, &numbers, numbers.len() / 2).unwrap();
                        let row = (-(taps as isize) / 2..).zip(numbers.iter().copied());
                        let band = Band::uniform_complex(shape[axis], row);
                        let stencil = Stencil::along(axis, band).unwrap();
                        milliseconds(&*on, calls, &mut || {
                            let (x, y, set) = (x.view(), y.view_mut(), Update::set());
                            if long {
                                on.filter(&filter, x, y, set)
                            } else {
                                on.stencil(&stencil, x, y, set)
                            }
                            .unwrap();
                        })
                    })
                });
                println!(
                    "{dtype} {shape:?} {taps:>4}  {:.4} {:.4}  {:.4} {:.4}",
                    products[0], products[1], transforms[0], transforms[1]
                );
            }
        }
    }
}
