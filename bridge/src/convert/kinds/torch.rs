//! libtorch's tensors.

use arrayspan_devices::{Device, DeviceKind};
use tch::Tensor;

use crate::convert::{Imported, Kind, Options, Refused, Route, Source, Step, Steps, Target};
use crate::interop::torch;
use crate::{Crossing, DType, Error, Layout, Result, Transfer};

/// Refused if it requires gradients, which an array cannot carry: detach it first. Copied by torch where others
/// hold it too, or where its elements are not in memory as it shows them.
impl Source for Tensor {
    const KIND: Kind = Kind::Torch;

    fn import<'a>(self, options: &Options) -> Result<Imported<'a>> {
        let (array, crossing) = torch::import(self, with(options.transfer))?;
        Ok(Imported::from(array).after(crossing))
    }

    fn recover(imported: Imported<'_>) -> Option<Self> {
        let array = imported.into_array().ok()?;
        torch::export(array, with(Transfer::ZeroCopyOnly)).ok().map(|(tensor, _)| tensor)
    }
}

/// Copied by torch: the tensor stays with its owner, who may write it.
impl Source for &Tensor {
    const KIND: Kind = Kind::Torch;

    fn import<'a>(self, options: &Options) -> Result<Imported<'a>>
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

impl Target for ToTorch {
    type Output = Tensor;

    const KIND: Kind = Kind::Torch;

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
        steps: &mut Steps,
    ) -> Result<Tensor, Refused<'a>> {
        // Torch knows no strides that run down.
        let array = if array.layout().strides().iter().any(|&stride| stride < 0) {
            array.contiguous(route, steps)?
        } else {
            array.exclusive(route, steps)?
        };
        let (tensor, crossing) = torch::export(array, with(route.transfer()))?;
        if crossing != Crossing::ZeroCopy {
            steps.record(Step::Export, crossing);
        }
        Ok(tensor)
    }
}

fn with(transfer: Transfer) -> torch::Options {
    torch::Options { transfer, ..torch::Options::default() }
}
