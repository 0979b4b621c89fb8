//! The order of steps on several devices.

use super::draft::{Draft, Register};
use super::program::{Act, Leaf};

/// Steps that one step is put off by at most.
const FARTHEST: usize = 64;

/// Puts off what may keep the host waiting: a copy to the host waits for all that its source is made of, and what comes after it
/// is not enqueued before. So it goes behind steps of other devices, which run meanwhile. It stays before the next step of its
/// own device, so that no more results of that wait in its memory than before.
pub(super) fn ordered(drafts: &mut [Draft]) {
    // From the last one on, so that a step that was put off is not met again.
    for at in (0..drafts.len()).rev() {
        let later = drafts[at + 1..].iter().take(FARTHEST);
        let passed = later.take_while(|later| may_pass(&drafts[at], later)).count();
        drafts[at..=at + passed].rotate_left(1);
    }
}

fn may_pass(step: &Draft, later: &Draft) -> bool {
    let Act::Leaf(Leaf::Move(devices)) = step.act else { return false };
    let source = Some(devices.domain);
    devices.range.is_cpu()
        && later.from.device != source
        && later.to.device != source
        && later.to.number != step.from.number
        && later.from.number != step.to.number
        && apart(&step.to, &later.to)
}

/// Whether two have no element in common.
fn apart(a: &Register, b: &Register) -> bool {
    let differ = a.path.iter().zip(&b.path).find(|(a, b)| a != b);
    a.number != b.number || differ.is_some_and(|(a, b)| a.apart(b))
}
