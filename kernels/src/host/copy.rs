//! `y ← alpha · x + beta · y` on the host.

use arrayspan_bridge::{DType, Lines, LinesMut, View, ViewMut};
use bytemuck::{cast_slice, cast_slice_mut};

use super::blend::{Blend, blend};
use super::evaluate::chunk;
use super::parts::{advance, arranged, for_each_part};
use super::scalar::{Scalar, with_scalar};
use crate::verb::CopyCall;
use crate::{Result, Update};

pub(super) fn run(call: CopyCall<'_>) -> Result<()> {
    if call.y.layout().is_empty() {
        return Ok(());
    }
    let (inputs, y) = arranged(std::slice::from_ref(&call.x), call.y)?;
    let [x] = &inputs[..] else { unreachable!("one input stays one") };
    if call.update == Update::set() {
        return set(x, y);
    }
    with_scalar!("copy", y.dtype(), T => {
        if call.update.is_real() {
            update::<T, <T as Scalar>::Part>(x, y, call.update)
        } else {
            update::<T, T>(x, y, call.update)
        }
    })
}

/// Elements are moved by their bytes, so any dtype will do.
fn set(x: &View<'_>, mut y: ViewMut<'_>) -> Result<()> {
    match (y.dtype(), y.dtype().bytes()) {
        (DType::Bool, _) => place(&x.lines::<bool>()?, y.lines_mut()?),
        (_, 1) => place(&x.byte_lines::<1>()?, y.byte_lines_mut()?),
        (_, 2) => place(&x.byte_lines::<2>()?, y.byte_lines_mut()?),
        (_, 4) => place(&x.byte_lines::<4>()?, y.byte_lines_mut()?),
        (_, 8) => place(&x.byte_lines::<8>()?, y.byte_lines_mut()?),
        _ => place(&x.byte_lines::<16>()?, y.byte_lines_mut()?),
    }
    Ok(())
}

fn place<T: Copy + Send + Sync>(x: &Lines<'_, T>, y: LinesMut<'_, T>) {
    for_each_part(y, &|origin, mut y| {
        let shape = y.shape().to_vec();
        let axis = shape.len() - 1;
        let mut index = vec![0; shape.len()];
        loop {
            let at: Vec<usize> = origin.iter().zip(&index).map(|(a, b)| a + b).collect();
            let x = x.line(&at, axis, shape[axis]);
            y.line(&index, axis, shape[axis]).copy_from(&x);
            if !advance(&mut index[..axis], &shape[..axis]) {
                return;
            }
        }
    });
}

/// `L` is `T`, or its parts when both factors are real.
fn update<T: Scalar, L: Scalar>(x: &View<'_>, mut y: ViewMut<'_>, update: Update) -> Result<()> {
    let (x, alpha) = (x.lines::<T>()?, L::rounded(update.alpha));
    let beta = Blend::new(L::rounded(update.beta));
    for_each_part(y.lines_mut::<T>()?, &|origin, mut y| {
        let shape = y.shape().to_vec();
        let axis = shape.len() - 1;
        let len = shape[axis];
        let chunk = chunk::<T>().min(len);
        let mut index = vec![0; shape.len()];
        let mut read = vec![T::default(); chunk];
        let mut written = vec![T::default(); chunk];
        loop {
            let at: Vec<usize> = origin.iter().zip(&index).map(|(a, b)| a + b).collect();
            let x = x.line(&at, axis, len);
            let mut y = y.line(&index, axis, len);
            for from in (0..len).step_by(chunk) {
                let n = chunk.min(len - from);
                let x = match x.as_slice() {
                    Some(slice) => &slice[from..from + n],
                    None => {
                        x.gather(from, &mut read[..n]);
                        &read[..n]
                    }
                };
                if let Some(slice) = y.as_mut_slice() {
                    let y = cast_slice_mut(&mut slice[from..from + n]);
                    blend(beta, y, &[(cast_slice(x), alpha)]);
                } else {
                    y.read().gather(from, &mut written[..n]);
                    blend(beta, cast_slice_mut(&mut written[..n]), &[(cast_slice(x), alpha)]);
                    y.scatter(from, &written[..n]);
                }
            }
            if !advance(&mut index[..axis], &shape[..axis]) {
                return;
            }
        }
    });
    Ok(())
}
