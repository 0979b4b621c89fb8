//! What `tracing` hears.

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
        self.0.push_str(&format!("{}={value:?} ", field.name()));
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
    let ear = Ear { most, heard: Arc::default() };
    subscriber::with_default(ear.clone(), || {
        let stream = Device::cpu().stream().expect("the CPU's stream");
        drop(block(321, &stream));
        assert!(Memory::allocate(usize::MAX / 2, &stream).is_err());
    });
    let heard = ear.heard.lock().expect("no test has panicked while it listened");
    heard.clone()
}

#[test]
fn allocations_and_frees_are_told_at_trace_and_refusals_at_warn() {
    let _alone = alone();
    let all = heard(Level::TRACE);
    let [allocated, freed, refused] = &all[..] else { panic!("{all:?}") };
    assert!(allocated.starts_with("TRACE") && allocated.contains("allocated"), "{allocated}");
    assert!(allocated.contains("device=cpu") && allocated.contains("bytes=321"), "{allocated}");
    assert!(freed.starts_with("TRACE") && freed.contains("freed"), "{freed}");
    assert!(refused.starts_with("WARN") && refused.contains("refused"), "{refused}");
    let few = heard(Level::DEBUG);
    assert_eq!(few.len(), 1, "{few:?}");
}
