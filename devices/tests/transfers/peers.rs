//! What is told of the ways between devices agrees with what copies do.

use arrayspan_devices::peer::{self, Way};
use arrayspan_devices::{Device, DeviceKind, Memory, Reach, Result};

use super::{copy, download, gpus, pattern, upload};

#[test]
fn the_way_between_any_two_devices_is_known_and_bytes_take_it() -> Result<()> {
    gpus();
    let all = Device::all();
    let matrix = peer::matrix(&all);
    assert_eq!(matrix.len(), all.len());
    for (row, from) in matrix.iter().zip(&all) {
        for (peer, to) in row.iter().zip(&all) {
            assert_eq!((peer.from, peer.to), (*from, *to));
            let way = peer.way.clone()?;
            let near = from == to || from.is_cpu() || to.is_cpu();
            assert_eq!(way == Way::Local, near, "{peer}");
            let kinds = (from.kind(), to.kind());
            if !near && kinds != (DeviceKind::Cuda, DeviceKind::Cuda) {
                assert_eq!((way, peer.reach), (Way::Relay, Reach::Staged), "{peer}");
            }
            // No pair is direct that the drivers say is not.
            assert!(way != Way::Direct || peer.reach == Reach::Direct, "{peer}");
            assert!(peer.link.is_none() || way == Way::Direct, "{peer}");

            let (one, other) = (from.new_stream()?, to.new_stream()?);
            let sent = upload(&pattern(300_001, 1), &one)?;
            let got = Memory::allocate(sent.bytes(), &other)?;
            copy(&sent, 0, &got, 0, sent.bytes(), &one)?;
            assert!(download(&got, &other)? == pattern(300_001, 1), "{peer}");
        }
    }
    Ok(())
}
