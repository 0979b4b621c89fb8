//! Arrays from plain values and back.

use arrayspan_devices::{Access, Device, Memory};

use crate::moving::between::between;
use crate::owner::Owner;
use crate::{Array, Element, Error, Layout, Result, SharedArray, View, host};

impl Array {
    /// A copy of `values` on the CPU, row-major.
    ///
    /// # Errors
    /// [`Error::Shape`] when `shape` has another number of elements.
    pub fn from_slice<T: Element>(values: &[T], shape: impl AsRef<[usize]>) -> Result<Self> {
        Self::from_vec(values.to_vec(), shape)
    }

    /// The memory of `values` as an array on the CPU, row-major. Nothing is copied.
    ///
    /// # Errors
    /// [`Error::Shape`] when `shape` has another number of elements.
    ///
    /// ```
    /// use arrayspan_bridge::Array;
    ///
    /// let array = Array::from_vec(vec![1.0_f32, 2.0, 3.0, 4.0, 5.0, 6.0], [2, 3])?;
    /// assert_eq!(array.view().as_slice::<f32>()?[4], 5.0);
    /// # Ok::<(), arrayspan_bridge::Error>(())
    /// ```
    pub fn from_vec<T: Element>(values: Vec<T>, shape: impl AsRef<[usize]>) -> Result<Self> {
        let layout = Layout::contiguous(shape)?;
        if layout.len() != values.len() {
            let (expected, found) = (layout.shape().to_vec(), vec![values.len()]);
            return Err(Error::Shape { operation: "from_vec", expected, found });
        }
        // A vector and a one-dimensional ndarray are the same thing; as the latter it can go back as either.
        let values = ndarray::Array1::from_vec(values).into_dyn();
        Ok(Self::adopt(values, layout))
    }

    /// An array over the elements of an ndarray. `layout` counts from the lowest element, which the first
    /// in order is `layout.offset()` elements above, and names only elements of `values`.
    pub(crate) fn adopt<T: Element>(mut values: ndarray::ArrayD<T>, layout: Layout) -> Self {
        let bytes = layout.extent().map_or(0, |(_, high)| (high + 1) * size_of::<T>());
        let lowest = values.as_mut_ptr().wrapping_sub(layout.offset());
        let address = lowest.expose_provenance();
        let owner = Owner::new(values);
        // SAFETY: the owner keeps its elements in place on the heap until the release function drops it,
        // after all work on the block; it is ours alone, so nobody else reads or writes them.
        let memory =
            unsafe { Memory::from_foreign(Device::cpu(), address, bytes, owner.release()) };
        Self::from_unique(SharedArray {
            memory: memory.into(),
            owner: Some(owner),
            layout,
            dtype: T::DTYPE,
            writable: true,
        })
    }
}

impl View<'_> {
    /// The elements in row-major order, copied to the host from wherever they are. Waits for them.
    ///
    /// # Errors
    /// [`Error::DType`]; a `Bool` that is neither 0 nor 1; out of memory; the driver's refusal.
    pub fn to_vec<T: Element>(&self) -> Result<Vec<T>> {
        let operation = "to_vec";
        self.expect_dtype::<T>(operation)?;
        let bytes = self.layout().bytes(operation, T::DTYPE)?;
        let target = Layout::contiguous([self.layout().len()])?;
        let mut values = Vec::<T>::new();
        // An array that repeats its elements may have more than any memory takes.
        if values.try_reserve_exact(target.len()).is_err() {
            return Err(arrayspan_devices::Error::out_of_memory(Device::cpu(), bytes, 0).into());
        }
        let address = values.as_mut_ptr().expose_provenance();
        let owner = Owner::new(values);
        // SAFETY: room for all elements, which the owner keeps in place until the release function drops
        // it, after all work on the block, also if something fails below.
        let memory =
            unsafe { Memory::from_foreign(Device::cpu(), address, bytes, owner.release()) };
        self.copy_packed(&memory, bytes, &between(self.device(), Device::cpu())?)?;
        // Waits, and sees that the bytes are values of `T`.
        host::base::<T>(&memory, &target, T::DTYPE, Access::Write)?;
        let Some(mut values) = owner.take::<Vec<T>>(|_| true) else {
            unreachable!("nobody else knows the owner");
        };
        // SAFETY: all elements were copied there, and nothing uses the block any more.
        unsafe { values.set_len(target.len()) };
        Ok(values)
    }

    /// The only element, copied to the host from wherever it is. Waits for it.
    ///
    /// # Errors
    /// [`Error::Shape`] unless there is exactly one; those of [`to_vec`](Self::to_vec).
    pub fn item<T: Element>(&self) -> Result<T> {
        match self.layout().len() {
            1 => self.to_vec()?.first().copied().ok_or_else(|| self.not_one()),
            _ => Err(self.not_one()),
        }
    }

    pub(crate) fn expect_dtype<T: Element>(&self, operation: &'static str) -> Result<()> {
        if self.dtype() == T::DTYPE {
            return Ok(());
        }
        Err(Error::DType { operation, expected: T::DTYPE, found: self.dtype() })
    }

    fn not_one(&self) -> Error {
        Error::Shape { operation: "item", expected: vec![], found: self.shape().to_vec() }
    }
}
