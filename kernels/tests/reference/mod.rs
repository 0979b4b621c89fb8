//! What the verbs mean, in plain loops over indices and in 64-bit complex numbers. Slow and obvious.

mod convolve;
mod convolve_varying;
mod elementwise;
mod fft;
mod matrix;
mod reduce;
mod stencil;
mod tensor;

use arrayspan_kernels::Update;
use num_complex::Complex64;

pub use convolve::convolve;
pub use convolve_varying::convolve_varying;
pub use elementwise::{copy, copy_mapped, map};
pub use fft::fft;
pub use matrix::{gather, gemm, scan};
pub use reduce::reduce;
pub use stencil::{Summand, stencil, stencil_each, stencil_sum};
pub use tensor::{Expected, Tensor, indices};

fn updated(update: Update, (sum, scale): (Complex64, f64), y: Complex64) -> (Complex64, f64) {
    let [alpha, beta] = update.known().expect("the reference is given numbers");
    let (value, scale) = (alpha * sum, alpha.norm() * scale);
    if update.reads() {
        return (value + beta * y, scale + beta.norm() * y.norm());
    }
    (value, scale)
}
