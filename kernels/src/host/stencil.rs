use crate::Result;
use crate::verb::StencilCall;

pub(super) fn run(_call: StencilCall<'_>) -> Result<()> {
    todo!()
}
