//! Events for `tracing`.

use std::fmt::Write as _;
use std::sync::{Arc, Mutex};

use arrayspan_devices::{Device, Memory};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Level, Metadata, Subscriber, subscriber};

use super::{alone, block};

/// Keeps what it hears of our target up to a level.
#[derive(Clone)]
struct Ear {
    most: Level,
    heard: Arc<Mutex<Vec<String>>>,
}

struct Text(String);

impl Visit for Text {
    fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
        // Writing into a string cannot fail.
        let _ = write!(self.0, "{}={value:?} ", field.name());
    }
}

impl Subscriber for Ear {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target() == "arrayspan::memory" && *metadata.level() <= self.most
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        let mut text = Text(format!("{} ", event.metadata().level()));
        event.record(&mut text);
        self.heard.lock().expect("no test has panicked while it listened").push(text.0);
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

fn heard(most: Level) -> Vec<String> {
    heard_while(most, || {
        let stream = Device::cpu().stream().expect("the CPU's stream");
        drop(block(321, &stream));
        assert!(Memory::allocate(usize::MAX / 2, &stream).is_err());
    })
}

fn heard_while(most: Level, work: impl FnOnce()) -> Vec<String> {
    let ear = Ear { most, heard: Arc::default() };
    subscriber::with_default(ear.clone(), work);
    let heard = ear.heard.lock().expect("no test has panicked while it listened");
    heard.clone()
}

/// The one that says so.
fn only<'a>(heard: &'a [String], what: &str) -> &'a str {
    let found: Vec<_> = heard.iter().filter(|text| text.contains(what)).collect();
    let [one] = found[..] else { panic!("{what}: {heard:?}") };
    one
}

#[test]
fn allocations_and_frees_are_told_at_trace_and_refusals_at_warn() {
    let _alone = alone();
    let all = heard(Level::TRACE);
    for what in ["allocated", "freed"] {
        let text = only(&all, what);
        assert!(text.starts_with("TRACE"), "{text}");
        assert!(text.contains("device=cpu") && text.contains("bytes=321"), "{text}");
    }
    assert!(only(&all, "refused").starts_with("WARN"));
    let few = heard(Level::WARN);
    assert_eq!(few.len(), 1, "{few:?}");
}

#[test]
fn what_the_pool_takes_and_gives_back_is_told_at_debug() {
    let _alone = alone();
    let device = Device::cpu();
    let all = heard_while(Level::DEBUG, || {
        drop(block(123_456_789, &device.stream().expect("the CPU's stream")));
        device.trim(0).expect("what the pool keeps");
    });
    for what in ["pool grown", "pool trimmed"] {
        let told = all.iter().filter(|text| text.contains(what));
        assert!(told.clone().count() > 0, "{what}: {all:?}");
        assert!(told.clone().all(|text| text.starts_with("DEBUG")), "{all:?}");
    }
}
