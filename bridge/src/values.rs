//! Arrays from plain values and back.

use std::sync::Arc;

use arrayspan_devices::{Access, Device, Memory};

use crate::copy::streams::stream_between;
use crate::owner::Owner;
use crate::{Array, Conversion, DType, Element, Error, Layout, Result, SharedArray, View, host};

impl Array {
    /// A copy of `values` on the CPU, row-major.
    ///
    /// # Errors
    /// As [`from_vec`](Self::from_vec).
    #[track_caller]
    pub fn from_slice<T: Element>(values: &[T], shape: impl AsRef<[usize]>) -> Result<Self> {
        Self::over_vec("from_slice", values.to_vec(), shape.as_ref())
    }

    /// The memory of `values` as an array on the CPU, row-major. Nothing is copied. It counts as memory of the CPU from now
    /// on, in statistics and against limits.
    ///
    /// # Errors
    /// [`Error::Shape`] when `shape` has another number of elements; [`Error::Device`] where the limit of the CPU or of a
    /// scope allows no more. `values` is dropped then.
    ///
    /// ```
    /// use arrayspan_bridge::Array;
    ///
    /// let array = Array::from_vec(vec![1.0_f32, 2.0, 3.0, 4.0, 5.0, 6.0], [2, 3])?;
    /// assert_eq!(array.view().as_slice::<f32>()?[4], 5.0);
    /// # Ok::<(), arrayspan_bridge::Error>(())
    /// ```
    #[track_caller]
    pub fn from_vec<T: Element>(values: Vec<T>, shape: impl AsRef<[usize]>) -> Result<Self> {
        Self::over_vec("from_vec", values, shape.as_ref())
    }

    #[track_caller]
    fn over_vec<T: Element>(
        operation: &'static str,
        values: Vec<T>,
        shape: &[usize],
    ) -> Result<Self> {
        let layout = Layout::contiguous_for(operation, shape)?;
        if layout.len() != values.len() {
            let (expected, found) = (layout.shape().to_vec(), vec![values.len()]);
            return Err(Error::Shape { operation, expected, found });
        }
        // A vector and a one-dimensional ndarray are the same thing; as the latter it can go back as either.
        let values = ndarray::Array1::from_vec(values).into_dyn();
        let Owned { address, bytes, owner } = Owned::new(values, &layout);
        // SAFETY: as `Owned` says; the release function drops the owner after all work on the block.
        let memory = unsafe { Memory::adopt(address, bytes, owner.release())? };
        Ok(Self::over::<T>(memory, owner, layout))
    }

    /// An array over the elements of an ndarray, whatever the limits are. `layout` counts from the lowest element, which
    /// the first in order is `layout.offset()` elements above, and names only elements of `values`.
    #[track_caller]
    pub(crate) fn adopt<T: Element>(values: ndarray::ArrayD<T>, layout: Layout) -> Self {
        let Owned { address, bytes, owner } = Owned::new(values, &layout);
        // SAFETY: as `Owned` says; the release function drops the owner after all work on the block.
        let memory = unsafe { Memory::adopt_anyway(address, bytes, owner.release()) };
        Self::over::<T>(memory, owner, layout)
    }

    fn over<T: Element>(memory: Memory, owner: Owner, layout: Layout) -> Self {
        Self::from_unique(SharedArray {
            memory: memory.into(),
            owner: Some(owner),
            layout,
            dtype: T::DTYPE,
            writable: true,
        })
    }
}

/// The elements of an ndarray. Their owner keeps them in place on the heap, and has them alone.
struct Owned {
    address: usize,
    bytes: usize,
    owner: Owner,
}

impl Owned {
    fn new<T: Element>(mut values: ndarray::ArrayD<T>, layout: &Layout) -> Self {
        let bytes = layout.extent().map_or(0, |(_, high)| (high + 1) * size_of::<T>());
        let lowest = values.as_mut_ptr().wrapping_sub(layout.offset());
        let address = lowest.expose_provenance();
        Self { address, bytes, owner: Owner::new(values) }
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
        let memory = Arc::new(memory);
        self.copy_packed(&memory, bytes, &stream_between(self.device(), Device::cpu())?)?;
        // Waits, and sees that the bytes are values of `T`.
        host::base::<T>(operation, &View::new(&memory, target.clone(), T::DTYPE), Access::Write)?;
        let Some(mut values) = owner.take::<Vec<T>>(|_| true) else {
            unreachable!("nobody else knows the owner");
        };
        // SAFETY: all elements were copied there, and nothing uses the block any more.
        unsafe { values.set_len(target.len()) };
        Ok(values)
    }

    /// The only element, copied to the host from wherever it is. Waits for it.
    ///
    /// A floating-point number may be read as a wider one, a complex one as a wider complex one, which changes nothing about
    /// it: so `item::<f64>` reads what a device has computed in the widest dtype that it has, as norms are. It may be read as a
    /// narrower one, too, of the numbers of Rust: `item::<f32>` of a `Float64` rounds to the nearest, and is infinite beyond the
    /// largest, as `as f32` is. Any other dtype is an error.
    ///
    /// ```
    /// use arrayspan_bridge::Array;
    ///
    /// let number = Array::from_vec(vec![0.1_f32], [])?;
    /// assert_eq!((number.item::<f32>()?, number.item::<f64>()?), (0.1, f64::from(0.1_f32)));
    /// assert_eq!(Array::from_vec(vec![0.1_f64], [])?.item::<f32>()?, 0.1);
    /// assert_eq!(number.item::<i32>().unwrap_err().to_string(), "item: dtype is Float32, expected Int32");
    /// # Ok::<(), arrayspan_bridge::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Shape`] unless there is exactly one; [`Error::DType`]; a `Bool` that is neither 0 nor 1; out of memory; the
    /// driver's refusal.
    pub fn item<T: Element>(&self) -> Result<T> {
        if self.layout().len() != 1 {
            return Err(self.not_one());
        }
        let values = if converts(self.dtype(), T::DTYPE) {
            let cpu = Device::cpu();
            let here = self.to(cpu)?.0;
            // Beyond the largest number comes infinity.
            here.view().convert(T::DTYPE, &Conversion::WRAP, &cpu.stream()?)?.to_vec()?
        } else {
            self.expect_dtype::<T>("item")?;
            self.to_vec()?
        };
        values.first().copied().ok_or_else(|| self.not_one())
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

/// Whether both are of floating point, real or complex, with digits enough in the second for what one computes with.
fn converts(from: DType, to: DType) -> bool {
    match to {
        DType::Float32 => matches!(from, DType::Float16 | DType::BFloat16 | DType::Float64),
        DType::Float64 => matches!(from, DType::Float16 | DType::BFloat16 | DType::Float32),
        DType::Complex64 => from == DType::Complex128,
        DType::Complex128 => from == DType::Complex64,
        _ => false,
    }
}
