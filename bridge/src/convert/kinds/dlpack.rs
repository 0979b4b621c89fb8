//! `DLPack`'s managed tensors.

use std::marker::PhantomData;

use arrayspan_devices::{Access, DeviceKind};

use crate::convert::{
    ArrayKind, ArraySource, ArrayTarget, ConvertOptions, ConvertStep, ConvertSteps,
    FailedConversion, Imported, Route,
};
use crate::dlpack::{Capsule, Managed};
use crate::{Result, SharedArray, Transfer, Why};

impl<M: Managed> ArraySource for Capsule<M> {
    const KIND: ArrayKind = ArrayKind::Dlpack;

    fn import<'a>(self, options: &ConvertOptions) -> Result<Imported<'a>> {
        let array = SharedArray::from_dlpack(self, None)?;
        if let Some(stream) = options.stream_of(array.device()) {
            // It is ready on this stream: work on any other waits for it.
            array.memory().acquire(stream, Access::Write)?;
        }
        Ok(array.into())
    }

    /// Another struct over the same memory.
    fn recover(imported: Imported<'_>) -> Option<Self> {
        match imported.into_array() {
            Ok(array) => array.into_dlpack(None).ok(),
            Err(imported) => {
                let array = imported.into_shared().ok()?;
                array.to_dlpack(Transfer::ZeroCopyOnly, None).ok().map(|(capsule, _)| capsule)
            }
        }
    }
}

/// [`to::dlpack`](crate::convert::to::dlpack).
#[derive(Debug)]
pub struct ToDlpack<M>(Option<DeviceKind>, PhantomData<fn() -> M>);

impl<M> ToDlpack<M> {
    /// On a device of that kind.
    #[must_use]
    pub fn on(self, kind: DeviceKind) -> Self {
        Self(Some(kind), PhantomData)
    }
}

impl<M> Default for ToDlpack<M> {
    fn default() -> Self {
        Self(None, PhantomData)
    }
}

impl<M: Managed> ArrayTarget for ToDlpack<M> {
    type Output = Capsule<M>;

    const KIND: ArrayKind = ArrayKind::Dlpack;

    fn place(&self) -> Option<DeviceKind> {
        self.0
    }

    /// What nobody else holds goes out to be written, the rest read-only; a legacy struct cannot say that
    /// and gets a copy.
    fn export<'a>(
        &self,
        array: Imported<'a>,
        route: &Route<'_>,
        steps: &mut ConvertSteps,
    ) -> Result<Capsule<M>, FailedConversion<'a>> {
        let array = array.shared(route, steps)?;
        let shared = match array.try_into_array() {
            Ok(array) => return Ok(array.into_dlpack(route.stream())?),
            Err(shared) => shared,
        };
        match shared.to_dlpack(Transfer::ZeroCopyOnly, route.stream()) {
            Ok((capsule, _)) => return Ok(capsule),
            Err(crate::Error::CopyRefused { .. }) => {}
            Err(error) => return Err(FailedConversion::with(error, shared)),
        }
        match route.copy(&shared.view(), Why::ReadOnly, ConvertStep::Export, steps) {
            Ok(array) => Ok(array.into_dlpack(route.stream())?),
            Err(error) => Err(FailedConversion::with(error, shared)),
        }
    }
}
