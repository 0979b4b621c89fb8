//! Our own arrays.

use arrayspan_devices::DeviceKind;

use crate::convert::{Imported, Kind, Options, Refused, Route, Source, Steps, Target};
use crate::{Array, Result, SharedArray, View};

impl Source for Array {
    const KIND: Kind = Kind::Array;

    fn import<'a>(self, _: &Options) -> Result<Imported<'a>> {
        Ok(self.into())
    }

    fn recover(imported: Imported<'_>) -> Option<Self> {
        imported.into_array().ok()
    }
}

impl Source for SharedArray {
    const KIND: Kind = Kind::Array;

    fn import<'a>(self, _: &Options) -> Result<Imported<'a>> {
        Ok(self.into())
    }

    fn recover(imported: Imported<'_>) -> Option<Self> {
        imported.into_shared().ok()
    }
}

/// Shares the array.
impl Source for &SharedArray {
    const KIND: Kind = Kind::Array;

    fn import<'a>(self, _: &Options) -> Result<Imported<'a>>
    where
        Self: 'a,
    {
        Ok(self.clone().into())
    }
}

impl Source for View<'_> {
    const KIND: Kind = Kind::Array;

    fn import<'a>(self, _: &Options) -> Result<Imported<'a>>
    where
        Self: 'a,
    {
        Ok(self.into())
    }
}

impl Source for &Array {
    const KIND: Kind = Kind::Array;

    fn import<'a>(self, _: &Options) -> Result<Imported<'a>>
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

impl Target for ToArray {
    type Output = Array;

    const KIND: Kind = Kind::Array;

    fn place(&self) -> Option<DeviceKind> {
        self.0
    }

    fn export<'a>(
        &self,
        array: Imported<'a>,
        route: &Route<'_>,
        steps: &mut Steps,
    ) -> Result<Array, Refused<'a>> {
        array.exclusive(route, steps)
    }
}

impl Target for ToShared {
    type Output = SharedArray;

    const KIND: Kind = Kind::Array;

    fn place(&self) -> Option<DeviceKind> {
        self.0
    }

    fn export<'a>(
        &self,
        array: Imported<'a>,
        route: &Route<'_>,
        steps: &mut Steps,
    ) -> Result<SharedArray, Refused<'a>> {
        array.shared(route, steps)
    }
}
