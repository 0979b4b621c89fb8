//! Arrays of one dtype from arrays of another.

use arrayspan_devices::{Access, Argument, Device, Memory, Stream};

use super::affine::{Affine, Range};
use super::rules::{Conversion, Scale};
use super::spec::{CastSpec, Scaled};
use super::{host, range};
use crate::copy::streams::{expect_stream, stream_of, wait};
use crate::copy::{between, device};
use crate::{Array, Crossing, DType, Error, Result, Transfer, View, ViewMut, Why};

impl View<'_> {
    /// A row-major array of the elements as `dtype`, on the same device.
    ///
    /// Enqueued on `stream`, one of that device; does not wait, save under [`Overflow::Exact`](crate::Overflow::Exact) where elements may
    /// not be held exactly: then the count of those is waited for.
    ///
    /// # Errors
    /// [`Error::Conversion`] where dtype and rules do not go together, or the device lacks the 64-bit floating point
    /// that scaling needs; [`Error::WrongDevice`] for a stream of another device; [`Error::Inexact`] under [`Overflow::Exact`](crate::Overflow::Exact); out of memory; the driver's refusal.
    #[track_caller]
    pub fn convert(&self, dtype: DType, conversion: &Conversion, stream: &Stream) -> Result<Array> {
        expect_stream("convert", stream, [self.device(); 2])?;
        let mut array = Array::empty_for("convert", self.shape(), dtype, stream)?;
        array.view_mut().convert_from(self, conversion, stream)?;
        Ok(array)
    }
}

impl ViewMut<'_> {
    /// Overwrites the elements with those of an array of the same shape as this dtype, whatever the layouts and
    /// devices; between devices they are converted where they come from.
    ///
    /// Enqueued on `stream`, one of either device; waits as [`View::convert`] and [`copy_from`](Self::copy_from) do.
    ///
    /// # Errors
    /// [`Error::Shape`]; those of [`View::convert`]. After [`Error::Inexact`] the content is unspecified.
    pub fn convert_from(
        &mut self,
        from: &View<'_>,
        conversion: &Conversion,
        stream: &Stream,
    ) -> Result<()> {
        if from.shape() != self.shape() {
            let (expected, found) = (self.shape().to_vec(), from.shape().to_vec());
            return Err(Error::Shape { operation: "convert", expected, found });
        }
        expect_stream("convert", stream, [self.device(), from.device()])?;
        let same = from.dtype() == self.dtype() && conversion.scale == Scale::None;
        if same {
            return between::copy(from, self, stream);
        }
        let spec = CastSpec::new(from.dtype(), self.dtype(), conversion)?;
        let (source, target) = conversion.scale.ranges(from.dtype(), self.dtype())?;
        if self.layout().is_empty() {
            return Ok(());
        }
        if from.device() != self.device() {
            let own = stream_of(from.device(), stream)?;
            let converted = from.convert(self.dtype(), conversion, &own)?;
            return between::copy(&converted.view(), self, stream);
        }
        let own = stream_of(self.device(), stream)?;
        let affine = source.map(|source| Affine::new(source, target));
        let count = if self.device().is_cpu() {
            on_host(from, self, spec, affine, target)?
        } else {
            on_device(from, self, spec, affine, target, &own)?
        };
        stream.wait_for(&own)?;
        match count {
            count if count > 0 && spec.may_fail() => {
                Err(Error::Inexact { from: spec.from, to: spec.to, count })
            }
            _ => Ok(()),
        }
    }
}

impl Array {
    /// The array as `dtype`: itself if it has that dtype and nothing is scaled, else a row-major copy on the same
    /// device. Stream order as [`View::convert`].
    ///
    /// # Errors
    /// [`Error::CopyRefused`] under [`Transfer::ZeroCopyOnly`]; those of [`View::convert`]. The array is dropped then.
    #[track_caller]
    pub fn into_dtype(
        self,
        dtype: DType,
        conversion: &Conversion,
        transfer: Transfer,
        stream: &Stream,
    ) -> Result<(Self, Crossing)> {
        if self.dtype() == dtype && conversion.scale == Scale::None {
            return Ok((self, Crossing::ZeroCopy));
        }
        let bytes = self.layout().bytes("into_dtype", dtype)?;
        let crossing = transfer.copy("into_dtype", Why::OtherDType, bytes)?;
        Ok((self.view().convert(dtype, conversion, stream)?, crossing))
    }
}

fn on_host(
    from: &View<'_>,
    to: &mut ViewMut<'_>,
    spec: CastSpec,
    affine: Option<Affine>,
    target: Range,
) -> Result<usize> {
    wait(from, to)?;
    // SAFETY: the host has waited for queued work on both; shapes agree, and the spec is made of the dtypes.
    unsafe {
        let affine = match spec.scaled {
            Scaled::Found => Some(Affine::new(range::on_host(from), target)),
            _ => affine,
        };
        Ok(host::convert(from, to, spec, affine))
    }
}

fn on_device(
    from: &View<'_>,
    to: &mut ViewMut<'_>,
    spec: CastSpec,
    affine: Option<Affine>,
    target: Range,
    stream: &Stream,
) -> Result<usize> {
    if spec.scaled != Scaled::No && !stream.device().info().float64 {
        let why = "scaling needs 64-bit floating point, which the device lacks";
        return Err(Error::Conversion { from: spec.from, to: spec.to, why });
    }
    let found = match spec.scaled {
        Scaled::Found => Some(range::on_device(from, target, stream)?),
        _ => None,
    };
    let failures = if spec.may_fail() { Some(zeros(stream)?) } else { None };
    let mut others: Vec<Argument<'_>> = Vec::new();
    if let Some(Affine { prescale, offset, factor, to }) = affine {
        others.extend([prescale, offset, factor, to].map(Argument::F64));
    }
    others.extend(found.iter().map(Argument::Read));
    others.extend(failures.iter().map(Argument::Write));
    device::convert(from, to, spec, &others, stream)?;
    failures.map_or(Ok(0), |failures| count(&failures, stream))
}

/// The count of inexact elements and whether there are any.
const FAILURES: usize = 2 * size_of::<u32>();

/// A block of two zeros.
fn zeros(stream: &Stream) -> Result<Memory> {
    let block = Memory::allocate(FAILURES, stream)?;
    let host = Memory::allocate(FAILURES, &Device::cpu().stream()?)?;
    let at = std::ptr::with_exposed_provenance_mut::<u8>(host.address());
    // SAFETY: nobody else knows either block, and both have this size.
    unsafe {
        at.write_bytes(0, FAILURES);
        host.copy_to(0, &block, 0, FAILURES, stream)?;
    }
    Ok(block)
}

/// Waits for the count of inexact elements.
fn count(failures: &Memory, stream: &Stream) -> Result<usize> {
    let host = Memory::allocate(FAILURES, &Device::cpu().stream()?)?;
    // SAFETY: nobody else knows the host block.
    unsafe { failures.copy_to(0, &host, 0, FAILURES, stream)? };
    host.wait(Access::Read)?;
    let at = std::ptr::with_exposed_provenance::<u32>(host.address());
    // SAFETY: the block holds two numbers, aligned, and the copy to it is done.
    let [count, any] = unsafe { [at.read(), at.add(1).read()] };
    // The count may have wrapped; that there are any has not.
    Ok((count as usize).max(any as usize))
}
