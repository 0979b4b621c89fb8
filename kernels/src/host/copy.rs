use crate::Result;
use crate::verb::CopyCall;

pub(super) fn run(_call: CopyCall<'_>) -> Result<()> {
    todo!()
}
