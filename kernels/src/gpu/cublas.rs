//! Matrix products by cuBLAS, where matrices lie as it needs them.

use std::sync::atomic::Ordering::Relaxed;

use arrayspan_bridge::devices::vendor::{Blas, Factors, Matrices, Operation, Product, Scalar};
use arrayspan_bridge::devices::{DeviceKind, Error};
use arrayspan_bridge::{Array, DType, Relayout};

use super::element::Element;
use super::gemm_operand::Operand;
use super::{Gpu, combine, factors, map};
use crate::factors::Known;
use crate::verb::{GemmCall, MapCall};
use crate::{Result, input};

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
    let conjugate = call.conjugate_a && call.c.dtype().is_complex();
    if let Some(product) = product(call.c.dtype(), conjugate, operands) {
        let blas = open(gpu)?;
        return Some(refused(gpu).unwrap_or_else(|| enqueue(gpu, blas, call, &product)));
    }
    if !conjugate {
        return None;
    }
    // What is not transposed the library does not conjugate: it is given a conjugate of `a`, which is little beside what a
    // kernel of our own takes longer.
    let [c, a, b] = *operands;
    let [batch, rows, columns] = a.extents;
    let batch = if a.strides[0] == 0 { batch.min(1) } else { batch };
    let strides = [if batch > 1 { rows * columns } else { 0 }, columns, 1].map(|s| s as isize);
    let empty = |memory| Operand { memory, offset: 0, strides, ..a };
    product(call.c.dtype(), false, &[c, empty(a.memory), b])?;
    let blas = open(gpu)?;
    if let Some(refused) = refused(gpu) {
        return Some(refused);
    }
    // Without memory for it our own kernel does.
    let mut room = Array::empty([batch, rows, columns], call.c.dtype(), &gpu.stream).ok()?;
    if let Err(refused) = conjugate_into(gpu, call, &mut room) {
        return Some(Err(refused));
    }
    let product = product(call.c.dtype(), false, &[c, empty(room.memory()), b])?;
    Some(enqueue(gpu, blas, call, &product))
}

/// Where launches are kept for a graph, which takes none of a library: that there is no graph, and nothing is enqueued.
fn refused(gpu: &Gpu) -> Option<Result<()>> {
    let captured = gpu.captured.as_ref()?;
    captured.refuse();
    Some(Ok(()))
}

/// Writes the conjugate of `a`, or of the one matrix that all of its batch is, into new memory. It counts as part of the
/// product.
fn conjugate_into(gpu: &Gpu, call: &GemmCall<'_>, room: &mut Array) -> Result<()> {
    let [batch, rows, columns] = [room.shape()[0], room.shape()[1], room.shape()[2]];
    let a = call.a.view();
    let a = if a.shape().len() == 3 { a.sliced(0, 0, batch)? } else { a };
    let a = a.reshaped(&[batch, rows, columns])?;
    map::run(gpu, &MapCall::new(&input(0).conj(), &[a], room.view_mut())?)?;
    if gpu.planned.is_none() {
        gpu.launches.fetch_sub(1, Relaxed);
    }
    Ok(())
}

/// A product that the library takes, by its factors of the host or of the device.
fn enqueue(gpu: &Gpu, blas: &Blas, call: &GemmCall<'_>, product: &Product<'_>) -> Result<()> {
    let Some(Known { alpha, beta }) = call.factors.known() else {
        return loaded(gpu, blas, call, product);
    };
    if gpu.planned.is_some() {
        return Ok(());
    }
    let [alpha, beta] = [alpha, beta].map(|number| [number.re, number.im]);
    // SAFETY: a checked call's layouts lie within their memory and hold elements of its dtype; a conjugate of `a` has been
    // queued on the same stream, in whose order its memory is given back.
    let done = unsafe { blas.multiply(product, Factors::Host { alpha, beta }) };
    gpu.launches.fetch_add(1, Relaxed);
    Ok(done?)
}

/// As [`enqueue`], by factors that are read on the device. The library takes both from there, in the elements' dtype, so a
/// kernel writes them side by side first; it counts as part of the product, as the library's own kernels do.
fn loaded(gpu: &Gpu, blas: &Blas, call: &GemmCall<'_>, product: &Product<'_>) -> Result<()> {
    let element = Element(call.c.dtype());
    let room = combine::room(gpu)?;
    let done = factors::write(gpu, &call.factors, element, &room).and_then(|()| {
        if gpu.planned.is_some() {
            return Ok(());
        }
        let both = Factors::Device { memory: room.memory(), starts: [0, element.bytes()] };
        // SAFETY: as in `enqueue`; the room holds both factors, which the kernel queued before has written as elements.
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

/// The call in terms of column-major matrices: as it is if `c` is column-major, else transposed, if the library takes it so.
fn product<'a>(dtype: DType, conjugate: bool, operands: &[Operand<'a>; 3]) -> Option<Product<'a>> {
    let [c, a, b] = operands.map(|operand| Side { operand, bytes: dtype.bytes() });
    let plain = || arranged(dtype, (a, conjugate), (b, false), c);
    // A single row or column is both, and may have to be the other.
    plain().or_else(|| arranged(dtype, (b.turned(), false), (a.turned(), conjugate), c.turned()))
}

fn arranged<'a>(
    dtype: DType,
    (left, conjugate_left): (Side<'a>, bool),
    (right, conjugate_right): (Side<'a>, bool),
    out: Side<'a>,
) -> Option<Product<'a>> {
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
        c: out.plain()?,
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
        let p = product(DType::Complex64, conjugate, &operands)?;
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
