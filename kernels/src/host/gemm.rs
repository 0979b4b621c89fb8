use crate::Result;
use crate::verb::GemmCall;

pub(super) fn run(_call: GemmCall<'_>) -> Result<()> {
    todo!()
}
