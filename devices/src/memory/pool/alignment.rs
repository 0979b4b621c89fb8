//! Blocks that are cut out of segments are aligned as the device requires, also when memory is short.

use super::Pool;
use crate::memory::fake;
use crate::{DeviceKind, Result};

#[test]
fn large_blocks_cut_out_of_shared_segments_leave_aligned_rests() -> Result<()> {
    for granule in [512, 4096, 1 << 16] {
        let (device, plan) = fake::device_with(DeviceKind::OpenCl, granule);
        // Room for one segment, which small blocks share.
        plan.room.store(2 << 20, std::sync::atomic::Ordering::SeqCst);
        let stream = device.new_stream()?;
        let pool: &Pool = &device.0.pool;
        let small = pool.allocate(100, stream.lane())?;
        // Too large to share, but there is no room for a segment of its own.
        let large = pool.allocate((1 << 20) + 100, stream.lane())?;
        assert_eq!(large.segment, small.segment);
        let last = pool.allocate(100, stream.lane())?;
        for block in [&small, &large, &last] {
            assert!(block.offset.is_multiple_of(granule), "{granule}: {block:?}");
        }
        assert!(last.offset >= large.offset + (1 << 20) + 100);
        for block in [small, large, last] {
            pool.release(block, stream.lane());
        }
    }
    Ok(())
}
