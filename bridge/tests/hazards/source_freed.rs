//! H2: the source of a copy between devices is freed, and used again, before the copy has read it.

use arrayspan_bridge::devices::Device;
use arrayspan_bridge::interop::cudarc as cuda;
use arrayspan_bridge::{Array, Transfer};
use cudarc::driver::sys;

use super::gpu::{
    BAD, BYTES, GOOD, block, damage, damage_at, enter, first, free, good, ok, raw_stream, two,
};
use crate::common::delay;

/// The pairs there are: a device with itself, by two streams, and with another.
fn pairs() -> Vec<[Device; 2]> {
    let own = first().map(|device| [device, device]);
    own.into_iter().chain(two()).collect()
}

#[test]
fn a_source_freed_on_its_own_stream_is_overwritten_under_the_copy() {
    for [from, to] in pairs() {
        let (source, target) = (from.new_stream().unwrap(), to.new_stream().unwrap());
        enter(to);
        let copy = block(target.raw(), 0);
        enter(from);
        let original = block(source.raw(), GOOD);
        let (here, there) = (cuda::context(from).unwrap(), cuda::context(to).unwrap());
        delay(target.raw());
        // SAFETY: live blocks, contexts and stream. The source is freed too early, which is the point.
        unsafe {
            let (raw, here, there) = (raw_stream(target.raw()), here.cu_ctx(), there.cu_ctx());
            ok(sys::cuMemcpyPeerAsync(copy, there, original, here, BYTES, raw));
        }
        free(original, source.raw());
        let thief = block(source.raw(), BAD);
        assert_eq!(thief, original, "the pool hands out what was freed last");
        enter(to);
        assert_eq!(damage_at(copy, target.raw()), BYTES, "{from} to {to}");
        free(copy, target.raw());
        enter(from);
        free(thief, source.raw());
    }
}

#[test]
fn our_source_lives_until_the_copy_has_read_it() {
    for [from, to] in pairs() {
        let stream = to.new_stream().unwrap();
        let original = good(from);
        // The first copy between two devices opens the way and waits; this test is about the next ones.
        drop(original.view().to_with(to, Transfer::CopyIfNeeded, &stream).unwrap());
        stream.synchronize().unwrap();
        delay(stream.raw());
        let (copy, _) = original.view().to_with(to, Transfer::CopyIfNeeded, &stream).unwrap();
        drop(original);
        let noise = || Array::from_vec(vec![BAD; BYTES], [BYTES]).unwrap().to(from).unwrap().0;
        let thieves: Vec<_> = (0..4).map(|_| noise()).collect();
        assert_eq!(damage(&copy), 0, "{from} to {to}");
        drop(thieves);
    }
}
