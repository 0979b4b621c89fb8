//! What is live, and which line allocated it.

use arrayspan_devices::account::{LeakCheck, leaks_since, live_blocks, mark, record_sites};
use arrayspan_devices::{Memory, Scope};

use super::{alone, block, devices};

#[test]
fn a_leak_names_its_file_line_scope_and_stream() {
    let _alone = alone();
    for device in devices() {
        let stream = device.new_stream().unwrap();
        record_sites(true);
        let mark = mark();
        let scope = Scope::new("leaky").enter().unwrap();
        let (leaked, line) = (Memory::allocate(4321, &stream).unwrap(), line!());
        drop(scope);
        drop(Memory::allocate(99, &stream).unwrap());
        let leaks = leaks_since(&mark);
        record_sites(false);
        let [leak] = &leaks[..] else { panic!("{device}: {leaks:?}") };
        assert_eq!((leak.device, leak.bytes, leak.address), (device, 4321, leaked.address()));
        assert_eq!((leak.site.file(), leak.site.line()), (file!(), line));
        assert_eq!(leak.scope.as_deref(), Some("leaky"));
        assert_eq!(leak.stream, stream.raw());
        let text = leak.to_string();
        assert!(text.contains(&format!("{}:{line}:", file!())) && text.contains("leaky"), "{text}");
        drop(leaked);
    }
}

#[test]
fn helpers_that_track_their_caller_name_the_caller() {
    let _alone = alone();
    let check = LeakCheck::new();
    let stream = devices()[0].stream().unwrap();
    let (held, line) = (block(11, &stream), line!());
    let leaks = check.leaks();
    assert_eq!(leaks.iter().map(|leak| leak.site.line()).collect::<Vec<_>>(), [line]);
    drop(held);
    assert!(check.leaks().is_empty());
    record_sites(false);
}

#[test]
fn without_recording_nothing_is_listed_and_later_frees_do_no_harm() {
    let _alone = alone();
    let stream = devices()[0].stream().unwrap();
    let before = block(1, &stream);
    record_sites(true);
    record_sites(true);
    let during = block(2, &stream);
    drop(before);
    assert_eq!(live_blocks().iter().map(|block| block.bytes).collect::<Vec<_>>(), [2]);
    record_sites(false);
    assert!(live_blocks().is_empty());
    drop(during);
    record_sites(true);
    assert!(live_blocks().is_empty());
    record_sites(false);
}
