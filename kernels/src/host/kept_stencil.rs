//! A stencil that is run over and over: what the loops are given is made once.

use std::fmt;

use arrayspan_bridge::DType;

use super::arranged::{Arranged, Term};
use super::scalar::{Scalar, with_scalar};
use super::stencil::{finish, holds, is_small};
use crate::Result;
use crate::factors::Known;
use crate::verb::StencilCall;

/// What has been made of a call.
pub(super) trait Prepared: fmt::Debug + Send {
    /// Runs the call that it was made of.
    fn run(&mut self, call: &mut StencilCall<'static>) -> Result<()>;
}

/// That of a call whose factors are known and whose arrays are not so few elements, or of 16 bits, that other loops compute them.
pub(super) fn prepared(call: &mut StencilCall<'static>) -> Result<Option<Box<dyn Prepared>>> {
    let dtype = call.y.dtype();
    let Some(update) = call.factors.known() else { return Ok(None) };
    let stored = matches!(dtype, DType::Float16 | DType::BFloat16);
    let plain = !stored && !call.y.layout().is_empty() && holds(&call.stencil, update.alpha, dtype);
    if !plain || is_small(&call.stencil, [call.x.layout(), call.y.layout()]) {
        return Ok(None);
    }
    let real = call.stencil.is_real() && update.is_real();
    with_scalar!("stencil", dtype, T => {
        if real { of::<T, <T as Scalar>::Part>(call, update).map(Some) }
        else { of::<T, T>(call, update).map(Some) }
    })
}

fn of<T: Scalar, L: Scalar>(
    call: &mut StencilCall<'static>,
    update: Known,
) -> Result<Box<dyn Prepared>> {
    let StencilCall { stencil, x, y, .. } = call;
    let mut term = [Term { stencil, x: x.view(), before: None, after: None }];
    let arranged = Arranged::<T, L>::new(&mut term, y.view_mut(), update)?;
    // SAFETY: only lifetimes change, which stand for borrows of the two arrays: it has addresses of their elements, and references
    // to nothing. The call owns handles of that memory and is kept with it, behind it, so that it is dropped after it;
    // the elements are read and written by `run` alone, which borrows the call, as `Call::outliving` asks of who runs it.
    let arranged = unsafe {
        std::mem::transmute::<Arranged<'_, '_, T, L>, Arranged<'static, 'static, T, L>>(arranged)
    };
    Ok(Box::new(Kept(arranged)))
}

struct Kept<T: 'static, L>(Arranged<'static, 'static, T, L>);

impl<T: Scalar, L: Scalar> Prepared for Kept<T, L> {
    fn run(&mut self, call: &mut StencilCall<'static>) -> Result<()> {
        // Waits for what is queued on either array.
        call.x.view().lanes::<T>()?;
        call.y.view_mut().lanes_mut::<T>()?;
        let squares = self.0.run(call.norm.is_some());
        finish(call, squares)
    }
}

impl<T, L> fmt::Debug for Kept<T, L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Kept(a stencil)")
    }
}
