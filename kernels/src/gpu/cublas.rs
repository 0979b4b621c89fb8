//! Matrix products by cuBLAS, where matrices lie as it needs them.

use std::sync::atomic::Ordering::Relaxed;

use arrayspan_bridge::DType;
use arrayspan_bridge::devices::vendor::{Blas, Factors, Matrices, Operation, Product, Scalar};
use arrayspan_bridge::devices::{DeviceKind, Error};

use super::element::Element;
use super::gemm_operand::Operand;
use super::{Gpu, combine, factors};
use crate::Result;
use crate::factors::Known;
use crate::verb::GemmCall;

/// Multiplies `c ← alpha · a b + beta · c` (operands in the order `c`, `a`, `b`), or `None` if cuBLAS is not there
/// or cannot take them as they lie.
pub(super) fn multiply(
    gpu: &Gpu,
    call: &GemmCall<'_>,
    operands: &[Operand<'_>; 3],
) -> Option<Result<()>> {
    if gpu.stream.device().kind() != DeviceKind::Cuda {
        return None;
    }
    let known = call.factors.known();
    let product = product(call, operands)?;
    let blas = open(gpu)?;
    let Some(Known { alpha, beta }) = known else { return Some(loaded(gpu, blas, call, &product)) };
    if gpu.planned.is_some() {
        return Some(Ok(()));
    }
    let [alpha, beta] = [alpha, beta].map(|number| [number.re, number.im]);
    // SAFETY: a checked call's layouts lie within their memory and hold elements of its dtype.
    let done = unsafe { blas.multiply(&product, Factors::Host { alpha, beta }) };
    gpu.launches.fetch_add(1, Relaxed);
    Some(done.map_err(Into::into))
}

/// As [`multiply`], by factors that are read on the device. The library takes both from there, in the elements' dtype, so a
/// kernel writes them side by side first; it counts as part of the product, as the library's own kernels do.
fn loaded(gpu: &Gpu, blas: &Blas, call: &GemmCall<'_>, product: &Product<'_>) -> Result<()> {
    let element = Element(call.c.dtype());
    let room = combine::room(gpu)?;
    let done = factors::write(gpu, &call.factors, element, &room).and_then(|()| {
        if gpu.planned.is_some() {
            return Ok(());
        }
        let both = Factors::Device { memory: room.memory(), starts: [0, element.bytes()] };
        // SAFETY: as in `multiply`; the room holds both factors, which the kernel queued before has written as elements.
        Ok(unsafe { blas.multiply(product, both) }?)
    });
    combine::give_back(gpu, room);
    done
}

/// The library, opened at first use. That it is absent is remembered, that it had no memory is not: the next product asks
/// again.
fn open(gpu: &Gpu) -> Option<&Blas> {
    if let Some(blas) = gpu.blas.get() {
        return blas.as_ref();
    }
    let opened = Blas::new(&gpu.stream);
    if let Err(error) = &opened {
        tracing::debug!(%error, "matrices are multiplied by our own kernel");
        if !matches!(error, Error::Unavailable { .. } | Error::Unsupported { .. }) {
            return None;
        }
    }
    let blas = opened.ok();
    gpu.blas.get_or_init(|| blas).as_ref()
}

/// The call in terms of column-major matrices: as it is if `c` is column-major, else transposed.
fn product<'a>(call: &GemmCall<'_>, operands: &[Operand<'a>; 3]) -> Option<Product<'a>> {
    let dtype = call.c.dtype();
    let conjugate = call.conjugate_a && dtype.is_complex();
    let [c, a, b] = operands.map(|operand| Side { operand, bytes: dtype.bytes() });
    let ((left, conjugate_left), (right, conjugate_right), out) = match c.plain() {
        Some(out) => ((a, conjugate), (b, false), out),
        None => ((b.turned(), false), (a.turned(), conjugate), c.turned().plain()?),
    };
    let [batch, m, k] = left.operand.extents;
    let n = right.operand.extents[2];
    // With an inner extent of 0 the factors have no elements to point to.
    let int = |extent: usize| i32::try_from(extent).ok().filter(|extent| *extent > 0);
    Some(Product {
        scalar: scalar(dtype)?,
        m: int(m)?,
        n: int(n)?,
        k: int(k)?,
        batch: int(batch)?,
        a: left.factor(conjugate_left)?,
        b: right.factor(conjugate_right)?,
        c: out,
    })
}

fn scalar(dtype: DType) -> Option<Scalar> {
    match dtype {
        DType::Float32 => Some(Scalar::Float32),
        DType::Float64 => Some(Scalar::Float64),
        DType::Complex64 => Some(Scalar::Complex64),
        DType::Complex128 => Some(Scalar::Complex128),
        _ => None,
    }
}

/// One operand, perhaps transposed.
#[derive(Clone, Copy)]
struct Side<'a> {
    operand: Operand<'a>,
    bytes: usize,
}

impl<'a> Side<'a> {
    fn turned(mut self) -> Self {
        self.operand.extents.swap(1, 2);
        self.operand.strides.swap(1, 2);
        self
    }

    /// The matrices, if they are column-major: rows next to each other, columns that do not overlap.
    fn plain(&self) -> Option<Matrices<'a>> {
        let Operand { memory, offset, extents: [batch, rows, columns], strides } = self.operand;
        let [next, row, column] = strides;
        let least = rows.max(1) as isize;
        let column = if columns <= 1 { least } else { column };
        let next = if batch <= 1 { 0 } else { next };
        let fits = (rows <= 1 || row == 1) && column >= least && next >= 0;
        let column = i32::try_from(column).ok().filter(|_| fits)?;
        Some(Matrices { memory, start: offset * self.bytes, column, next: next as i64 })
    }

    /// The matrices as a factor. A conjugate one must be row-major: cuBLAS conjugates what it transposes.
    fn factor(&self, conjugate: bool) -> Option<(Operation, Matrices<'a>)> {
        if conjugate {
            return Some((Operation::Adjoint, self.turned().plain()?));
        }
        let plain = self.plain().map(|matrices| (Operation::Plain, matrices));
        plain.or_else(|| Some((Operation::Transpose, self.turned().plain()?)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Update;
    use arrayspan_bridge::devices::Device;
    use arrayspan_bridge::{Array, Relayout};

    fn array(shape: [usize; 2]) -> Array {
        Array::empty(shape, DType::Complex64, &Device::cpu().stream().unwrap()).unwrap()
    }

    /// What cuBLAS is asked for `c ← a b` when these matrices are stored transposed.
    fn asked(turned: [bool; 3], conjugate: bool) -> Option<(Operation, Operation, [i32; 6])> {
        let [m, n, k] = [3, 4, 5];
        let stored =
            |rows, columns, turned| array(if turned { [columns, rows] } else { [rows, columns] });
        let [a, b] = [stored(m, k, turned[0]), stored(k, n, turned[1])];
        let mut c = stored(m, n, turned[2]);
        let order = |turned| if turned { [1, 0] } else { [0, 1] };
        let call = GemmCall::new(
            a.view().permuted(&order(turned[0])).unwrap(),
            conjugate,
            b.view().permuted(&order(turned[1])).unwrap(),
            c.view_mut().permuted(&order(turned[2])).unwrap(),
            Update::set(),
        )
        .unwrap();
        let operands = [
            Operand::new(call.c.memory(), call.c.layout()),
            Operand::new(call.a.memory(), call.a.layout()),
            Operand::new(call.b.memory(), call.b.layout()),
        ];
        let p = product(&call, &operands)?;
        let numbers = [p.m, p.n, p.k, p.a.1.column, p.b.1.column, p.c.column];
        Some((p.a.0, p.b.0, numbers))
    }

    #[test]
    fn row_major_products_are_asked_for_transposed() {
        use Operation::{Plain, Transpose};
        // cᵀ = bᵀ aᵀ, and row-major matrices are their transposes in column-major terms.
        let [plain, a, b] = [[false; 3], [true, false, false], [false, true, false]];
        assert_eq!(asked(plain, false), Some((Plain, Plain, [4, 3, 5, 4, 5, 4])));
        assert_eq!(asked(a, false), Some((Plain, Transpose, [4, 3, 5, 4, 3, 4])));
        assert_eq!(asked(b, false), Some((Transpose, Plain, [4, 3, 5, 5, 5, 4])));
        assert_eq!(asked([true; 3], false), Some((Plain, Plain, [3, 4, 5, 3, 5, 3])));
    }

    #[test]
    fn only_what_is_transposed_anyway_can_be_conjugated() {
        use Operation::{Adjoint, Plain};
        assert_eq!(asked([false; 3], true), None);
        assert_eq!(asked([true, false, false], true), Some((Plain, Adjoint, [4, 3, 5, 4, 3, 4])));
        assert_eq!(
            asked([false, false, true], true),
            Some((Adjoint, Operation::Transpose, [3, 4, 5, 5, 4, 3]))
        );
    }
}
