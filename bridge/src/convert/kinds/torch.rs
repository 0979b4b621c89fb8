//! libtorch's tensors.

use arrayspan_devices::{Device, DeviceKind};
use tch::Tensor;

use crate::convert::{
    ArrayKind, ArraySource, ArrayTarget, ConvertOptions, ConvertStep, ConvertSteps,
    FailedConversion, Imported, Route,
};
use crate::interop::torch;
use crate::{Crossing, DType, Error, Layout, Result, Transfer};

/// Refused if it requires gradients, which an array cannot carry: detach it first. Copied by torch where others
/// hold it too, or where its elements are not in memory as it shows them.
impl ArraySource for Tensor {
    const KIND: ArrayKind = ArrayKind::Torch;

    fn import<'a>(self, options: &ConvertOptions) -> Result<Imported<'a>> {
        let (array, crossing) = torch::import(self, with(options.transfer))?;
        Ok(Imported::from(array).after(crossing))
    }

    fn recover(imported: Imported<'_>) -> Option<Self> {
        let array = imported.into_array().ok()?;
        torch::export(array, with(Transfer::ZeroCopyOnly)).ok().map(|(tensor, _)| tensor)
    }
}

/// Copied by torch: the tensor stays with its owner, who may write it.
impl ArraySource for &Tensor {
    const KIND: ArrayKind = ArrayKind::Torch;

    fn import<'a>(self, options: &ConvertOptions) -> Result<Imported<'a>>
    where
        Self: 'a,
    {
        self.shallow_clone().import(options)
    }
}

/// [`to::torch`](crate::convert::to::torch).
#[derive(Clone, Copy, Debug, Default)]
pub struct ToTorch(Option<DeviceKind>);

impl ToTorch {
    /// On a device of that kind: the CPU or CUDA.
    #[must_use]
    pub fn on(self, kind: DeviceKind) -> Self {
        Self(Some(kind))
    }
}

impl ArrayTarget for ToTorch {
    type Output = Tensor;

    const KIND: ArrayKind = ArrayKind::Torch;

    fn place(&self) -> Option<DeviceKind> {
        self.0
    }

    fn accept(&self, _: &Layout, _: DType, device: Device) -> Result<()> {
        if device.kind() == DeviceKind::OpenCl {
            let what = "libtorch has no OpenCL devices";
            return Err(Error::Inexpressible { operation: "convert", what: what.into() });
        }
        Ok(())
    }

    /// Torch's current stream waits for our work.
    fn export<'a>(
        &self,
        array: Imported<'a>,
        route: &Route<'_>,
        steps: &mut ConvertSteps,
    ) -> Result<Tensor, FailedConversion<'a>> {
        // Torch has no negative strides.
        let array = if array.layout().strides().iter().any(|&stride| stride < 0) {
            array.contiguous(route, steps)?
        } else {
            array.exclusive(route, steps)?
        };
        let (tensor, crossing) = torch::export(array, with(route.transfer()))?;
        if crossing != Crossing::ZeroCopy {
            steps.record(ConvertStep::Export, crossing);
        }
        Ok(tensor)
    }
}

fn with(transfer: Transfer) -> torch::TorchOptions {
    torch::TorchOptions { transfer, ..torch::TorchOptions::default() }
}
