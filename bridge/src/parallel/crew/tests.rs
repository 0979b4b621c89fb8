//! Helpers come, work once, and leave nobody waiting.

use super::*;

/// How often a helper's term was over.
pub(super) static HANDED_OVER: AtomicUsize = AtomicUsize::new(0);

fn crew() -> &'static Crew {
    Box::leak(Box::new(Crew::new()))
}

/// Has one helper come, and `work` done there; its place. Threads that help the crews of other tests do not come at
/// once.
fn helped(crew: &'static Crew, work: impl Fn() + Sync) -> usize {
    let (came, begin) = (AtomicUsize::new(0), Instant::now());
    while came.load(Ordering::Relaxed) == 0 {
        assert!(begin.elapsed() < Duration::from_secs(60), "a helper comes");
        let round = Instant::now();
        let done = crew.run(1, &|place| {
            if place > 0 {
                came.store(place, Ordering::Relaxed);
                return work();
            }
            while came.load(Ordering::Relaxed) == 0 && round.elapsed() < Duration::from_millis(20) {
                std::thread::yield_now();
            }
        });
        assert!(done, "nobody else has this crew");
    }
    came.into_inner()
}

#[test]
fn a_helper_comes_at_once_or_after_its_sleep() {
    let crew = crew();
    for pause in [0, 0, 0, 5, 0, 20, 0] {
        std::thread::sleep(Duration::from_millis(pause));
        assert!(helped(crew, || {}) > 0);
    }
    let begin = Instant::now();
    while crew.awake.load(Ordering::Relaxed) > 0 {
        assert!(begin.elapsed() < Duration::from_secs(60), "all go to sleep");
        std::thread::yield_now();
    }
    assert!(crew.rounds.seats.iter().all(|seat| seat.0.load(Ordering::Relaxed) == EMPTY));
}

/// Else a thread that waits for something else, and has taken up the helper meanwhile, would wait as long as there are calls.
#[test]
fn a_helper_hands_over_after_its_term_however_many_calls_there_are() {
    let (crew, begin) = (crew(), Instant::now());
    helped(crew, || {});
    let before = HANDED_OVER.load(Ordering::Relaxed);
    while HANDED_OVER.load(Ordering::Relaxed) == before {
        assert!(begin.elapsed() < Duration::from_secs(60), "no helper's term is ever over");
        crew.run(1, &|_| {});
    }
    assert!(helped(crew, || {}) > 0, "and another helps");
}

#[test]
fn a_caller_waits_asleep_for_long_work_of_others() {
    let (crew, done) = (crew(), AtomicBool::new(false));
    helped(crew, || {
        std::thread::sleep(Duration::from_millis(30));
        done.store(true, Ordering::Relaxed);
    });
    assert!(done.into_inner());
    assert!(helped(crew, || {}) > 0, "and the next call is as any");
}

#[test]
fn panics_of_helpers_and_of_the_caller_reach_the_caller_and_nobody_else() {
    let crew = crew();
    for _ in 0..3 {
        let helper = || helped(crew, || panic!("of the helper"));
        let panic = catch_unwind(AssertUnwindSafe(helper)).unwrap_err();
        assert_eq!(panic.downcast_ref(), Some(&"of the helper"));
        let own = || crew.run(3, &|place| assert!(place > 0, "of the caller"));
        assert!(catch_unwind(AssertUnwindSafe(own)).is_err());
        assert!(helped(crew, || {}) > 0);
    }
}

#[test]
fn one_caller_at_a_time_has_the_crew() {
    let crew = crew();
    let within = AtomicBool::new(true);
    crew.run(1, &|place| {
        if place == 0 {
            within.store(crew.run(1, &|_| {}), Ordering::Relaxed);
        }
    });
    assert!(!within.into_inner(), "it is not to be had within its work");
}

#[test]
fn nobody_is_inside_after_a_call_however_many_callers_there_are() {
    let crew = crew();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for round in 0..2000_usize {
                    // On the stack of the caller: whoever came late would write where other calls are.
                    let (inside, seen) = (AtomicUsize::new(0), AtomicUsize::new(0));
                    let done = crew.run(round % 4, &|_| {
                        inside.fetch_add(1, Ordering::Relaxed);
                        seen.fetch_add(1, Ordering::Relaxed);
                        inside.fetch_sub(1, Ordering::Relaxed);
                    });
                    assert_eq!(inside.into_inner(), 0);
                    let seen = seen.into_inner();
                    assert!(if done { (1..=1 + round % 4).contains(&seen) } else { seen == 0 });
                }
            });
        }
    });
}
