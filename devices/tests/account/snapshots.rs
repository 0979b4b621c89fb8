//! Histories and what is made of them.

use arrayspan_devices::account::{Action, Snapshot};
use arrayspan_devices::{Device, Memory, Scope};

use super::{alone, block, devices};

#[test]
fn a_history_tells_what_happened_in_order() {
    let _alone = alone();
    for device in devices() {
        let stream = device.new_stream().unwrap();
        let early = block(50, &stream);
        device.record(true);
        let before = device.statistics().live_bytes;
        let scope = Scope::new("step").enter().unwrap();
        let (a, line) = (block(1000, &stream), line!());
        drop(scope);
        let b = block(200, &stream);
        drop(a);
        assert!(Memory::allocate(1 << 50, &stream).is_err());
        drop(early);
        let snapshot = device.snapshot();
        device.record(false);
        let events: Vec<_> = snapshot
            .events
            .iter()
            .filter(|event| !matches!(event.action, Action::Grow | Action::Trim))
            .collect();
        let told: Vec<_> =
            events.iter().map(|event| (event.action, event.bytes, event.live)).collect();
        let expected = [
            (Action::Allocate, 1000, before + 1000),
            (Action::Allocate, 200, before + 1200),
            (Action::Free, 1000, before + 200),
            (Action::Refuse, 1 << 50, before + 200),
            (Action::Free, 50, before + 150),
        ];
        assert_eq!(told, expected, "{device}");
        assert!(events.is_sorted_by_key(|event| event.time), "{device}");
        let site = format!("{}:{line}:", file!());
        for event in [events[0], events[2]] {
            assert!(event.site.as_ref().unwrap().starts_with(&site), "{event:?}");
            assert_eq!(event.scope.as_deref(), Some("step"));
            assert_eq!((event.sequence, event.stream), (events[0].sequence, stream.raw()));
        }
        assert_eq!(events[4].site, None, "nobody had watched that block come");
        let [held] = &snapshot.live[..] else { panic!("{device}: {:?}", snapshot.live) };
        assert_eq!((held.bytes, held.address), (200, b.address()));
        assert_eq!((snapshot.device.as_str(), snapshot.dropped), (device.to_string().as_str(), 0));
    }
}

#[test]
fn a_history_tells_what_the_pool_takes_from_the_driver_and_gives_back() {
    const BYTES: usize = 50_000_000;
    let _alone = alone();
    for device in devices() {
        let stream = device.new_stream().unwrap();
        device.trim(0).unwrap();
        device.record(true);
        drop(block(BYTES, &stream));
        let freed = device.trim(0).unwrap();
        let snapshot = device.snapshot();
        device.record(false);
        let of = |wanted| snapshot.events.iter().filter(move |event| event.action == wanted);
        let bytes = |wanted| of(wanted).map(|event| event.bytes).sum::<usize>();
        assert!(bytes(Action::Grow) >= BYTES, "{device}");
        assert!(bytes(Action::Trim) >= BYTES && freed >= BYTES, "{device}");
        let grown = of(Action::Grow).last().unwrap();
        let trimmed = of(Action::Trim).last().unwrap();
        assert!(grown.reserved >= BYTES && trimmed.reserved < grown.reserved, "{device}");
        assert!(of(Action::Allocate).all(|event| event.reserved >= event.live), "{device}");
    }
}

#[test]
fn a_history_under_threads_is_whole() {
    let _alone = alone();
    let device = Device::cpu();
    let stream = device.stream().unwrap();
    device.record(true);
    std::thread::scope(|threads| {
        for thread in 0..8 {
            let stream = &stream;
            threads.spawn(move || {
                for round in 0..200 {
                    let held = block(1 + thread * 1000 + round, stream);
                    if round % 50 == 0 {
                        drop(device.snapshot());
                    }
                    drop(held);
                }
            });
        }
    });
    let snapshot = device.snapshot();
    device.record(false);
    let mut live = std::collections::HashMap::new();
    for event in &snapshot.events {
        match event.action {
            Action::Allocate => assert!(live.insert(event.sequence, event.bytes).is_none()),
            Action::Free => assert_eq!(live.remove(&event.sequence), Some(event.bytes)),
            _ => {}
        }
    }
    assert!(live.is_empty() && snapshot.live.is_empty());
    assert_eq!(snapshot.events.iter().filter(|event| event.action == Action::Free).count(), 1600);
}

#[test]
fn a_history_keeps_no_more_than_its_bound() {
    let _alone = alone();
    let device = Device::cpu();
    let stream = device.stream().unwrap();
    device.record_up_to(10);
    for bytes in 1..=20 {
        drop(block(bytes, &stream));
    }
    let snapshot = device.snapshot();
    assert_eq!((snapshot.events.len(), snapshot.dropped), (10, 30));
    assert_eq!(
        snapshot.events.last().map(|event| (event.action, event.bytes)),
        Some((Action::Free, 20))
    );
    device.record(false);
    drop(block(1, &stream));
    assert!(device.snapshot().events.is_empty(), "a history that has ended is forgotten");
}

#[test]
fn a_snapshot_survives_json() {
    let _alone = alone();
    for device in devices() {
        let stream = device.new_stream().unwrap();
        device.record(true);
        let _scope = Scope::new("quotes \" and \\ and ü").enter().unwrap();
        let held = block(64, &stream);
        drop(block(128, &stream));
        let snapshot = device.snapshot();
        device.record(false);
        let back: Snapshot = serde_json::from_str(&snapshot.to_json().unwrap()).unwrap();
        assert_eq!(back, snapshot, "{device}");
        drop(held);
    }
}

/// The JSON that a page carries.
fn data(page: &str) -> Snapshot {
    let begin = "<script type=\"application/json\" id=\"data\">";
    let (_, rest) = page.split_once(begin).expect("the data's element");
    let (json, _) = rest.split_once("</script>").expect("its end");
    serde_json::from_str(json).expect("a snapshot")
}

#[test]
fn a_page_carries_every_block_and_no_markup_from_names() {
    let _alone = alone();
    for device in devices() {
        let stream = device.new_stream().unwrap();
        device.record(true);
        let evil = "</script><script>alert('{{data}}{{title}}')</script><!-- & \u{2028}";
        let _scope = Scope::new(evil).enter().unwrap();
        let held: Vec<Memory> = (1..=50).map(|bytes| block(bytes, &stream)).collect();
        let snapshot = device.snapshot();
        device.record(false);
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("memory.html");
        snapshot.write_html(&path).unwrap();
        let page = std::fs::read_to_string(&path).unwrap();
        assert_eq!(data(&page), snapshot, "{device}");
        assert_eq!(data(&page).live.len(), held.len(), "{device}");
        assert_eq!(page.matches("<script").count(), 2, "{device}: the data and the page's own");
        assert_eq!(page.matches("</script>").count(), 2, "{device}");
        assert!(
            !page.contains("<!--") && !page.contains("alert('{{data}}{{title}}')</"),
            "{device}"
        );
        for outside in ["http:", "https:", "src=", "href=", "@import", "url(", "innerHTML"] {
            let own = page.replace("http://www.w3.org/2000/svg", "");
            assert!(!own.contains(outside), "{device}: {outside}");
        }
    }
}

#[test]
fn a_page_that_cannot_be_written_is_an_error() {
    let _alone = alone();
    let folder = tempfile::tempdir().unwrap();
    let written = Device::cpu().snapshot().write_html(folder.path().join("none/memory.html"));
    assert_eq!(written.unwrap_err().kind(), std::io::ErrorKind::NotFound);
}
