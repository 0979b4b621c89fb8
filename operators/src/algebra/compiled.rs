//! Operators compiled: once for each orientation.

use std::sync::Arc;

use super::Node;
use crate::Devices;
use crate::form::{Normal, Orientation, Program, normalize};

impl Node {
    /// How it is run in an orientation.
    pub(crate) fn program(&self, orientation: Orientation) -> &Arc<Program> {
        self.programs[orientation.index()]
            .get_or_init(|| Arc::new(self.compiled(&normalize(self, orientation), orientation)))
    }

    fn compiled(&self, normal: &Normal, orientation: Orientation) -> Program {
        let devices = self.devices;
        Program::of(
            normal,
            if orientation.adjoint { devices.map(Devices::swapped) } else { devices },
        )
    }

    /// How it is run in an orientation, as compiled before or from its normal form.
    pub(crate) fn program_of(&self, orientation: Orientation, normal: &Normal) -> Arc<Program> {
        let compile = || Arc::new(self.compiled(normal, orientation));
        self.programs[orientation.index()].get_or_init(compile).clone()
    }
}
