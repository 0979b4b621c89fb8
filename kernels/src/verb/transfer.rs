//! `y ← x` from one device to another.

use arrayspan_bridge::devices::{Access, Device, Stream};
use arrayspan_bridge::{Operand, OperandMut, View, ViewMut};

use super::{OperandName, Verb, check};
use crate::plan::{Moved, Operands};
use crate::{Cost, Result, cost};

pub(super) const NAME: &str = "transfer";

/// `y ← x` between any two layouts of one shape, where `x` may be on another device than `y`. The executor is that of one
/// of both.
#[derive(Debug)]
pub struct TransferCall<'a> {
    x: Operand<'a>,
    y: OperandMut<'a>,
}

impl<'a> TransferCall<'a> {
    /// Checks the arguments. They may be of any dtype.
    ///
    /// # Errors
    /// When shapes or dtypes differ.
    pub fn new(x: View<'a>, y: ViewMut<'a>) -> Result<Self> {
        check::shape(NAME, "x", y.shape(), x.shape())?;
        check::dtype(NAME, "x", y.dtype(), x.dtype())?;
        Ok(Self { x: x.into(), y: y.into() })
    }

    pub(super) fn held(&mut self) -> TransferCall<'_> {
        TransferCall { x: self.x.held(), y: self.y.held() }
    }

    /// Whether one of both arrays is on a device.
    pub(super) fn touches(&self, device: Device) -> bool {
        self.x.device() == device || self.y.device() == device
    }

    /// Enqueued on the stream of an executor; the host waits where [`ViewMut::copy_from`] must.
    pub(crate) fn run(&mut self, stream: &Stream) -> Result<()> {
        Ok(self.y.view_mut().copy_from(&self.x.view(), stream)?)
    }
}

impl Verb for TransferCall<'_> {
    fn name(&self) -> &'static str {
        NAME
    }

    fn for_each_operand(&self, visit: &mut dyn FnMut(OperandName, Access, &Operand<'_>)) {
        visit(OperandName::Named("x"), Access::Read, &self.x);
        visit(OperandName::Named("y"), Access::Write, self.y.as_operand());
    }

    /// Bytes of both devices; a contiguous array travels without a kernel.
    fn cost(&self) -> Cost {
        let written = self.y.layout().len() * self.y.dtype().bytes();
        Cost { bytes_read: cost::read([&self.x]), bytes_written: written, ..Cost::default() }
    }
}

impl Operands for TransferCall<'_> {
    fn move_operands(&mut self, moved: &Moved) {
        moved.read(&mut self.x);
        moved.written(&mut self.y);
    }
}
