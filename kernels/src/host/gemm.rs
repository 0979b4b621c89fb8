//! Matrix products on the host, by the crate `gemm`.

use arrayspan_bridge::{LanesMut, Relayout, parallel};
use gemm::Parallelism;

use super::operands::values;
use super::parts::for_each_block;
use super::scalar::{Scalar, with_scalar};
use crate::Result;
use crate::verb::GemmCall;

/// With fewer products for each thread, some threads would have nothing to do for long.
const FEW: usize = 4;

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
    let c = c.lanes_mut::<T>()?;
    let known = values(&call.factors)?;
    let (alpha, beta) = (T::rounded(known.alpha), T::rounded(known.beta));
    let (reads, conjugate) = (known.reads(), call.conjugate_a);
    // Threads share out products if each can have several; if not, each product that is large enough.
    let few = batch < FEW * rayon::current_num_threads();
    let together = few && parallel::grain(m * n, size_of::<T>(), 2 * k) < usize::MAX;
    let parallelism = if together { Parallelism::Rayon(0) } else { Parallelism::None };
    let work = |origin: &[usize], mut c: LanesMut<'_, T>| {
        let (sa, sb, sc) = (a.strides(), b.strides(), c.strides().to_vec());
        for number in 0..c.shape()[0] {
            let of_part = number as isize;
            let of_all = (origin[0] + number) as isize;
            let a = a.as_ptr().wrapping_offset(of_all * sa[0]);
            let b = b.as_ptr().wrapping_offset(of_all * sb[0]);
            let c = c.as_mut_ptr().wrapping_offset(of_part * sc[0]);
            // SAFETY: addresses and strides are those of the three arrays, whose shapes `GemmCall` has checked; the arrays are
            // borrowed until the call returns, and this part of `c` is this thread's own.
            unsafe {
                gemm::gemm(
                    m,
                    n,
                    k,
                    c,
                    sc[2],
                    sc[1],
                    reads,
                    a,
                    sa[2],
                    sa[1],
                    b,
                    sb[2],
                    sb[1],
                    beta,
                    alpha,
                    false,
                    conjugate,
                    false,
                    parallelism,
                );
            }
        }
    };
    let bytes = (m * k + k * n + m * n).saturating_mul(size_of::<T>());
    let flops = (2 * m * n).saturating_mul(k);
    let grain = if together { usize::MAX } else { parallel::even_grain(batch, bytes, flops) };
    for_each_block(c, (grain < usize::MAX).then(|| vec![grain, m, n]), &work);
    Ok(())
}
