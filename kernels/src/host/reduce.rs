use crate::Result;
use crate::verb::ReduceCall;

pub(super) fn run(_call: ReduceCall<'_>) -> Result<()> {
    todo!()
}
