//! H2: the source of a copy between devices is freed, and used again, before the copy has read it.

use arrayspan_bridge::devices::Device;
use arrayspan_bridge::interop::cudarc as cuda;
use arrayspan_bridge::{Array, Transfer};
use cudarc::driver::sys;

use super::gpu::{
    BAD, BYTES, GOOD, block, damage, damage_at, enter, first, free, good, ok, raw_stream, shown,
    two,
};
use crate::common::delay;
use crate::common::held::hold;

/// The pairs there are: a device with itself, by two streams, and with another.
fn pairs() -> Vec<[Device; 2]> {
    let own = first().map(|device| [device, device]);
    own.into_iter().chain(two()).collect()
}

#[test]
fn a_source_freed_on_its_own_stream_is_overwritten_under_the_copy() {
    for [from, to] in pairs() {
        let (source, target) = (from.new_stream().unwrap(), to.new_stream().unwrap());
        let (here, there) = (cuda::context(from).unwrap(), cuda::context(to).unwrap());
        let damaged = shown(|| {
            enter(to);
            let copy = block(target.raw(), 0);
            enter(from);
            let original = block(source.raw(), GOOD);
            let copied = || {
                let (raw, here, there) = (raw_stream(target.raw()), here.cu_ctx(), there.cu_ctx());
                // SAFETY: live blocks, contexts and stream. The source of the second one is freed too early, which is
                // the point.
                ok(unsafe { sys::cuMemcpyPeerAsync(copy, there, original, here, BYTES, raw) });
            };
            // The first copy between two devices opens the way and waits.
            copied();
            target.synchronize().unwrap();
            let held = hold(target.raw());
            copied();
            free(original, source.raw());
            let thief = block(source.raw(), BAD);
            let in_time = held.go_on();
            enter(to);
            let damaged = damage_at(copy, target.raw());
            free(copy, target.raw());
            enter(from);
            free(thief, source.raw());
            // The pool hands out what was freed last, if no other test has asked meanwhile.
            (in_time && thief == original).then_some(damaged)
        });
        assert_eq!(damaged, BYTES, "{from} to {to}");
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
        let noise =
            || Array::from_vec(vec![BAD; BYTES], [BYTES]).unwrap().into_device(from).unwrap().0;
        let thieves: Vec<_> = (0..4).map(|_| noise()).collect();
        assert_eq!(damage(&copy), 0, "{from} to {to}");
        drop(thieves);
    }
}
