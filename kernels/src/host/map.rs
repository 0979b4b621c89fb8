use crate::Result;
use crate::verb::MapCall;

pub(super) fn run(_call: MapCall<'_>) -> Result<()> {
    todo!()
}
