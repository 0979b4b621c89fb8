//! Our own arrays.

use arrayspan_devices::DeviceKind;

use crate::convert::{
    ArrayKind, ArraySource, ArrayTarget, ConvertOptions, ConvertSteps, FailedConversion, Imported,
    Route,
};
use crate::{Array, Result, SharedArray, View};

impl ArraySource for Array {
    const KIND: ArrayKind = ArrayKind::Array;

    fn import<'a>(self, _: &ConvertOptions) -> Result<Imported<'a>> {
        Ok(self.into())
    }

    fn recover(imported: Imported<'_>) -> Option<Self> {
        imported.into_array().ok()
    }
}

impl ArraySource for SharedArray {
    const KIND: ArrayKind = ArrayKind::Array;

    fn import<'a>(self, _: &ConvertOptions) -> Result<Imported<'a>> {
        Ok(self.into())
    }

    fn recover(imported: Imported<'_>) -> Option<Self> {
        imported.into_shared().ok()
    }
}

/// Shares the array.
impl ArraySource for &SharedArray {
    const KIND: ArrayKind = ArrayKind::Array;

    fn import<'a>(self, _: &ConvertOptions) -> Result<Imported<'a>>
    where
        Self: 'a,
    {
        Ok(self.clone().into())
    }
}

impl ArraySource for View<'_> {
    const KIND: ArrayKind = ArrayKind::Array;

    fn import<'a>(self, _: &ConvertOptions) -> Result<Imported<'a>>
    where
        Self: 'a,
    {
        Ok(self.into())
    }
}

impl ArraySource for &Array {
    const KIND: ArrayKind = ArrayKind::Array;

    fn import<'a>(self, _: &ConvertOptions) -> Result<Imported<'a>>
    where
        Self: 'a,
    {
        Ok(self.view().into())
    }
}

/// [`to::array`](crate::convert::to::array).
#[derive(Clone, Copy, Debug, Default)]
pub struct ToArray(Option<DeviceKind>);

/// [`to::shared`](crate::convert::to::shared).
#[derive(Clone, Copy, Debug, Default)]
pub struct ToShared(Option<DeviceKind>);

impl ToArray {
    /// On a device of that kind.
    #[must_use]
    pub fn on(self, kind: DeviceKind) -> Self {
        Self(Some(kind))
    }
}

impl ToShared {
    /// On a device of that kind.
    #[must_use]
    pub fn on(self, kind: DeviceKind) -> Self {
        Self(Some(kind))
    }
}

impl ArrayTarget for ToArray {
    type Output = Array;

    const KIND: ArrayKind = ArrayKind::Array;

    fn place(&self) -> Option<DeviceKind> {
        self.0
    }

    fn export<'a>(
        &self,
        array: Imported<'a>,
        route: &Route<'_>,
        steps: &mut ConvertSteps,
    ) -> Result<Array, FailedConversion<'a>> {
        array.exclusive(route, steps)
    }
}

impl ArrayTarget for ToShared {
    type Output = SharedArray;

    const KIND: ArrayKind = ArrayKind::Array;

    fn place(&self) -> Option<DeviceKind> {
        self.0
    }

    fn export<'a>(
        &self,
        array: Imported<'a>,
        route: &Route<'_>,
        steps: &mut ConvertSteps,
    ) -> Result<SharedArray, FailedConversion<'a>> {
        array.shared(route, steps)
    }
}
