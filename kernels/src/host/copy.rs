//! `y ← alpha · x + beta · y` on the host. A plain copy is the bridge's.

use arrayspan_bridge::{DType, Lanes, View, ViewMut};
use bytemuck::{cast_slice, cast_slice_mut};
use half::{bf16, f16};

use super::blend::{blend, term};
use super::operands::values;
use super::parts::{Parts, arranged, for_each_lane, for_each_part};
use super::scalar::{Scalar, with_scalar};
use super::stored::Stored;
use super::tile::Blend;
use crate::factors::Known;
use crate::verb::CopyCall;
use crate::{Executor as _, Host, Result};

/// Elements copied together at a time where strides demand it.
const CHUNK: usize = 1024;

pub(super) fn run(host: &Host, call: &mut CopyCall<'_>) -> Result<()> {
    if call.y.layout().is_empty() {
        return Ok(());
    }
    let known = values(&call.factors)?;
    if known == Known::SET {
        return Ok(call.y.view_mut().copy_from(&call.x.view(), host.stream())?);
    }
    updated(&call.x.view(), call.y.view_mut(), known)
}

/// `y ← alpha · x + beta · y`.
pub(super) fn updated(x: &View<'_>, y: ViewMut<'_>, known: Known) -> Result<()> {
    let (inputs, y) = arranged(std::slice::from_ref(x), y)?;
    let [x] = &inputs[..] else { unreachable!("one input stays one") };
    match y.dtype() {
        DType::Float16 => return rounded::<f16>(x, y, known),
        DType::BFloat16 => return rounded::<bf16>(x, y, known),
        _ => {}
    }
    with_scalar!("copy", y.dtype(), T => {
        if known.is_real() {
            update::<T, <T as Scalar>::Part>(x, y, known)
        } else {
            update::<T, T>(x, y, known)
        }
    })
}

/// `L` is `T`, or its parts when both factors are real.
fn update<T: Scalar, L: Scalar>(x: &View<'_>, mut y: ViewMut<'_>, update: Known) -> Result<()> {
    let (x, alpha) = (x.lanes::<T>()?, L::rounded(update.alpha));
    let beta = Blend::new(L::rounded(update.beta));
    let cost = (3 * size_of::<T>(), 2);
    for_each_part(y.lanes_mut::<T>()?, parts(&x), cost, &|origin, mut y| {
        let shape = y.shape().to_vec();
        let axis = shape.len() - 1;
        let (mut read, mut written) = (Vec::new(), Vec::new());
        for_each_lane(origin, &shape, CHUNK, |index, at, len| {
            let lane = x.lane(at, axis, len);
            let x = lane.as_slice().unwrap_or_else(|| {
                read.resize(len, T::default());
                lane.gather(0, &mut read);
                &read
            });
            let mut y = y.lane(index, axis, len);
            if let Some(slice) = y.as_mut_slice() {
                return blend(beta, cast_slice_mut(slice), &[term(cast_slice(x), alpha)]);
            }
            written.resize(len, T::default());
            y.read().gather(0, &mut written);
            blend(beta, cast_slice_mut(&mut written), &[term(cast_slice(x), alpha)]);
            y.scatter(0, &written);
        });
    });
    Ok(())
}

/// The same for elements that are widened as they are read, and rounded as they are written.
fn rounded<S: Stored>(x: &View<'_>, mut y: ViewMut<'_>, update: Known) -> Result<()> {
    let number = <S::Number as Scalar>::rounded;
    let (x, alpha, beta) = (x.lanes::<S>()?, number(update.alpha), Blend::new(number(update.beta)));
    let cost = (3 * size_of::<S>(), 2);
    for_each_part(y.lanes_mut::<S>()?, parts(&x), cost, &|origin, mut y| {
        let shape = y.shape().to_vec();
        let axis = shape.len() - 1;
        let (mut read, mut written) = (Vec::new(), Vec::new());
        for_each_lane(origin, &shape, CHUNK, |index, at, len| {
            read.resize(len, S::Number::default());
            written.resize(len, S::Number::default());
            S::load(&x.lane(at, axis, len), 0, &mut read);
            let mut y = y.lane(index, axis, len);
            if update.reads() {
                S::load(&y.read(), 0, &mut written);
            }
            blend(beta, &mut written, &[term(&read, alpha)]);
            S::store(&mut y, 0, &written);
        });
    });
    Ok(())
}

/// Where `x` is contiguous along another axis than `y`, square parts use whole cache lines of both.
fn parts<T>(x: &Lanes<'_, T>) -> Parts {
    let across = x.strides().last().is_some_and(|stride| !(-1..=1).contains(stride));
    if across { Parts::Squares } else { Parts::Lanes }
}
