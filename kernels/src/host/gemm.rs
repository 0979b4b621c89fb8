//! Matrix products on the host, by the crate `gemm`.

use arrayspan_bridge::{Relayout, parallel};
use gemm::Parallelism;

use super::operands::values;
use super::scalar::{Scalar, with_scalar};
use crate::Result;
use crate::verb::GemmCall;

pub(super) fn run(call: &mut GemmCall<'_>) -> Result<()> {
    let [batch, m, n, k] = call.extents();
    if batch * m * n == 0 {
        return Ok(());
    }
    with_scalar!("gemm", call.c.dtype(), T => product::<T>(call, [batch, m, n, k]))
}

fn product<T: Scalar>(call: &mut GemmCall<'_>, [batch, m, n, k]: [usize; 4]) -> Result<()> {
    let (a, b) = (call.a.view().reshaped(&[batch, m, k])?, call.b.view().reshaped(&[batch, k, n])?);
    let mut c = call.c.view_mut().reshaped(&[batch, m, n])?;
    let (a, b) = (a.lanes::<T>()?, b.lanes::<T>()?);
    let mut c = c.lanes_mut::<T>()?;
    let alone = parallel::grain(m * n, size_of::<T>(), 2 * k) == usize::MAX;
    let parallelism = if alone { Parallelism::None } else { Parallelism::Rayon(0) };
    let known = values(&call.factors)?;
    let (alpha, beta) = (T::rounded(known.alpha), T::rounded(known.beta));
    let (sa, sb, sc) = (a.strides(), b.strides(), c.strides().to_vec());
    for i in 0..batch as isize {
        let a = a.as_ptr().wrapping_offset(i * sa[0]);
        let b = b.as_ptr().wrapping_offset(i * sb[0]);
        let c = c.as_mut_ptr().wrapping_offset(i * sc[0]);
        // SAFETY: addresses and strides are those of the three arrays, whose shapes `GemmCall` has checked;
        // the arrays are borrowed, `c` exclusively, until the call returns.
        unsafe {
            gemm::gemm(
                m,
                n,
                k,
                c,
                sc[2],
                sc[1],
                known.reads(),
                a,
                sa[2],
                sa[1],
                b,
                sb[2],
                sb[1],
                beta,
                alpha,
                false,
                call.conjugate_a,
                false,
                parallelism,
            );
        }
    }
    Ok(())
}
