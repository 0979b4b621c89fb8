//! Arrays of one number, and arrays like others.

use arrayspan_devices::{AsStream, Device};

use crate::{
    Array, AsView, Conversion, DType, Element, Error, Layout, Result, SharedArray, Transfer,
};

impl Array {
    /// A row-major array of zeros on a device, enqueued on its default stream, or on a stream that is given instead
    /// ([`AsStream`]). Of dtypes without a zero (scales, handles) there is none.
    ///
    /// ```
    /// use arrayspan_bridge::{Array, DType, devices::Device};
    ///
    /// let device = Device::best();
    /// let zeros = Array::zeros([2, 3], DType::Complex64, device)?;
    /// let like = Array::zeros_like(&zeros)?;
    /// assert_eq!((like.shape(), like.dtype(), like.device()), (&[2, 3][..], DType::Complex64, device));
    /// assert_eq!(Array::ones([2], DType::UInt8, device)?.to_vec::<u8>()?, [1, 1]);
    /// assert_eq!(Array::full([2], 0.5_f32, device)?.to_vec::<f32>()?, [0.5, 0.5]);
    /// # Ok::<(), arrayspan_bridge::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Inexpressible`] for a dtype that has no zero; [`Error::Layout`] for more elements than can be addressed;
    /// out of memory; the driver's refusal.
    #[track_caller]
    pub fn zeros(shape: impl AsRef<[usize]>, dtype: DType, on: impl AsStream) -> Result<Self> {
        filled("zeros", shape.as_ref(), &number("zeros", 0, dtype)?, on)
    }

    /// A row-major array of ones, as [`zeros`](Self::zeros).
    ///
    /// # Errors
    /// As [`zeros`](Self::zeros).
    #[track_caller]
    pub fn ones(shape: impl AsRef<[usize]>, dtype: DType, on: impl AsStream) -> Result<Self> {
        filled("ones", shape.as_ref(), &number("ones", 1, dtype)?, on)
    }

    /// A row-major array whose elements all are `value`, of its dtype, as [`zeros`](Self::zeros).
    ///
    /// # Errors
    /// [`Error::Layout`] for more elements than can be addressed; out of memory; the driver's refusal.
    #[track_caller]
    pub fn full<T: Element>(
        shape: impl AsRef<[usize]>,
        value: T,
        on: impl AsStream,
    ) -> Result<Self> {
        filled("full", shape.as_ref(), &Self::from_slice(&[value], [])?, on)
    }

    /// A row-major array of zeros with the shape and the dtype of another, on the same device. Enqueued on its default
    /// stream.
    ///
    /// # Errors
    /// As [`zeros`](Self::zeros).
    #[track_caller]
    pub fn zeros_like(other: impl AsView) -> Result<Self> {
        let (operation, other) = ("zeros_like", other.as_view());
        let zero = number(operation, 0, other.dtype())?;
        filled(operation, other.shape(), &zero, other.device())
    }

    /// A row-major array with the shape and the dtype of another, on the same device, for work on its default stream. Its
    /// content is unspecified.
    ///
    /// # Errors
    /// As [`empty`](Self::empty).
    #[track_caller]
    pub fn empty_like(other: impl AsView) -> Result<Self> {
        let other = other.as_view();
        Self::empty_for("empty_like", other.shape(), other.dtype(), &other.device().stream()?)
    }

    /// A row-major copy on the same device. Enqueued on its default stream; does not wait.
    ///
    /// # Errors
    /// Out of memory; the driver's refusal.
    #[track_caller]
    pub fn try_clone(&self) -> Result<Self> {
        self.view().to_array()
    }

    /// As [`View::to_vec`](crate::View::to_vec).
    ///
    /// # Errors
    /// As there.
    pub fn to_vec<T: Element>(&self) -> Result<Vec<T>> {
        self.view().to_vec()
    }

    /// As [`View::item`](crate::View::item).
    ///
    /// # Errors
    /// As there.
    pub fn item<T: Element>(&self) -> Result<T> {
        self.view().item()
    }
}

impl SharedArray {
    /// As [`View::to_vec`](crate::View::to_vec).
    ///
    /// # Errors
    /// As there.
    pub fn to_vec<T: Element>(&self) -> Result<Vec<T>> {
        self.view().to_vec()
    }

    /// As [`View::item`](crate::View::item).
    ///
    /// # Errors
    /// As there.
    pub fn item<T: Element>(&self) -> Result<T> {
        self.view().item()
    }
}

/// A number that every dtype has, or none, as a scalar of the host.
fn number(operation: &'static str, value: u8, dtype: DType) -> Result<Array> {
    let stream = Device::cpu().stream()?;
    let scalar = Array::from_slice(&[value], [])?;
    match scalar.view().convert(dtype, &Conversion::EXACT, &stream) {
        Err(Error::Conversion { .. } | Error::Inexact { .. }) => {
            let what = format!("{dtype} has no {value}").into();
            Err(Error::Inexpressible { operation, what })
        }
        converted => converted,
    }
}

#[track_caller]
fn filled(
    operation: &'static str,
    shape: &[usize],
    scalar: &Array,
    on: impl AsStream,
) -> Result<Array> {
    let stream = on.as_stream()?;
    let mut whole = Array::empty_for(operation, shape, scalar.dtype(), &stream)?;
    if !Layout::is_empty(whole.layout()) {
        let scalar = scalar.view().to_with(stream.device(), Transfer::CopyIfNeeded, &stream)?.0;
        whole.view_mut().copy_from(&scalar.view().broadcast(shape)?, &stream)?;
    }
    Ok(whole)
}
