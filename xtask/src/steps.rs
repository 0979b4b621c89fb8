//! The steps of the test command, how long each took, and whether all of it keeps to its budget.

use std::fs;
use std::time::{Duration, Instant};

/// What everything is to take on two cores; it is said if it takes more.
const MOST: Duration = Duration::from_secs(30 * 60);
pub(crate) const CORES: u32 = 2;
/// What it fails at. Both are times of the machine that `crate::speed` compares this one with.
const REFUSED: Duration = Duration::from_secs(45 * 60);

/// What is run, in order.
#[derive(Debug)]
pub(crate) struct Steps {
    begin: Instant,
    done: Vec<(String, bool, Duration)>,
    /// Programs and shards within steps.
    parts: Vec<(String, Duration)>,
}

impl Steps {
    pub(crate) fn begin() -> Self {
        Self { begin: Instant::now(), done: Vec::new(), parts: Vec::new() }
    }

    /// Runs a step; a failure of one does not keep the next from running.
    pub(crate) fn run(&mut self, name: &str, work: impl FnOnce() -> crate::Result<bool>) {
        println!("\n== {name}");
        let begin = Instant::now();
        let passed = work().unwrap_or_else(|error| {
            eprintln!("error: {error}");
            false
        });
        self.done.push((name.into(), passed, begin.elapsed()));
    }

    /// What a step was made of.
    pub(crate) fn add_parts(&mut self, step: &str, parts: Vec<(String, Duration)>) {
        self.parts.extend(parts.into_iter().map(|(name, time)| (format!("{step}: {name}"), time)));
    }

    pub(crate) fn passed(&self) -> bool {
        self.done.iter().all(|(_, passed, _)| *passed)
    }

    /// Every step, and what was slowest.
    pub(crate) fn table(&self) -> String {
        let mut table = format!("\n{:<25} {:<7} {:>8}\n", "step", "", "seconds");
        for (name, passed, time) in &self.done {
            let outcome = if *passed { "passed" } else { "FAILED" };
            table = format!("{table}{name:<25} {outcome:<7} {:>8.1}\n", time.as_secs_f64());
        }
        table += "\nslowest, in seconds\n";
        for (name, time) in slowest(&self.done, &self.parts) {
            table = format!("{table}{:>8.1} {name}\n", time.as_secs_f64());
        }
        table
    }

    /// What all of it took, against what it may take on a machine that takes so many times as long as another; an error if it is too much.
    pub(crate) fn total(&self, slowness: f64) -> Result<String, String> {
        judge(self.begin.elapsed(), processor(), slowness)
    }
}

/// The ten slowest steps and parts. A step that says what it is made of does not stand beside its parts.
fn slowest(
    steps: &[(String, bool, Duration)],
    parts: &[(String, Duration)],
) -> Vec<(String, Duration)> {
    let made_of = |name: &str| parts.iter().any(|(part, _)| part.starts_with(&format!("{name}: ")));
    let whole = steps.iter().filter(|(name, ..)| !made_of(name));
    let mut all: Vec<(String, Duration)> =
        whole.map(|(name, _, time)| (name.clone(), *time)).collect();
    all.extend(parts.iter().cloned());
    all.sort_by_key(|(_, time)| std::cmp::Reverse(*time));
    all.truncate(10);
    all
}

/// Too much is what two cores that do nothing else could not do in time: on a machine that is busy with something
/// else, or has one core, the clock alone says nothing. What a machine takes that is `slowness` times as slow as the
/// one that the budget is stated for counts for as much less.
fn judge(clock: Duration, processor: Option<Duration>, slowness: f64) -> Result<String, String> {
    let minutes = |time: Duration| format!("{:.1}", time.as_secs_f64() / 60.0);
    let used = processor
        .map_or_else(String::new, |used| format!(" and {} minutes of processors", minutes(used)));
    let budget = minutes(MOST);
    let took = format!(
        "everything took {} minutes{used}, on a machine that takes {slowness:.2} times as long as another; the budget is \
         {budget} minutes of that one",
        minutes(clock)
    );
    let used = processor.unwrap_or(clock * CORES).div_f64(slowness);
    if used > REFUSED * CORES {
        Err(format!("{took} on {CORES} cores"))
    } else if used > MOST * CORES {
        let refused = minutes(REFUSED);
        Ok(format!("{took} on {CORES} cores. It is over the budget; from {refused} on it fails"))
    } else if clock.div_f64(slowness) > MOST {
        Ok(format!("{took} on {CORES} cores that do nothing else, which these did not have"))
    } else {
        Ok(took)
    }
}

/// What this process and all that it has waited for have used of processors, where that is told.
pub(crate) fn processor() -> Option<Duration> {
    let stat = fs::read_to_string("/proc/self/stat").ok()?;
    let (_, fields) = stat.rsplit_once(')')?;
    // utime, stime, cutime and cstime, in hundredths of a second.
    let ticks =
        fields.split_whitespace().skip(11).take(4).filter_map(|field| field.parse::<u64>().ok());
    Some(Duration::from_millis(10 * ticks.sum::<u64>()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const MINUTE: Duration = Duration::from_secs(60);

    #[test]
    fn the_budget_is_about_work_and_not_about_waiting() {
        let judge = |clock: u32, used: Option<u32>| {
            super::judge(clock * MINUTE, used.map(|used| used * MINUTE), 1.0)
        };
        assert!(judge(20, Some(38)).is_ok_and(|said| said.contains("20.0 minutes")));
        // A busy machine.
        let said = judge(45, Some(40));
        assert!(said.is_ok_and(|said| said.contains("45.0") && said.contains("nothing else")));
        // Many cores.
        assert!(judge(10, Some(91)).is_err_and(|said| said.contains("91.0")));
        assert!(judge(46, None).is_err());
        // More than the budget is said, and not yet refused.
        let over = |said: Result<String, String>| said.is_ok_and(|said| said.contains("is over"));
        assert!(over(judge(40, Some(61))) && over(judge(44, None)));
        assert!(!over(judge(29, None)) && !over(judge(29, Some(58))));
    }

    #[test]
    fn the_budget_is_that_of_one_machine() {
        // Twice as slow: as if it were half of it.
        assert!(judge(80 * MINUTE, Some(150 * MINUTE), 2.0).is_ok());
        assert!(judge(80 * MINUTE, Some(150 * MINUTE), 1.0).is_err());
        // A fast machine is no excuse.
        assert!(judge(25 * MINUTE, Some(50 * MINUTE), 0.5).is_err());
    }

    #[test]
    fn the_ten_slowest_are_named_once() {
        let second = Duration::from_secs;
        let steps = [("lints".to_owned(), true, second(5)), ("tests".into(), true, second(100))];
        let parts: Vec<_> = (0..20).map(|n| (format!("tests: shard {n}"), second(n))).collect();
        let slowest = slowest(&steps, &parts);
        assert_eq!(slowest.len(), 10);
        assert_eq!(slowest[0], ("tests: shard 19".to_owned(), second(19)));
        assert!(slowest.iter().all(|(name, _)| name != "tests"));
        let mut ran = Steps::begin();
        ran.run("good", || Ok(true));
        assert!(ran.passed());
        ran.run("bad", || Err("why".into()));
        assert!(!ran.passed() && ran.table().contains("bad                       FAILED"));
    }

    #[test]
    fn the_processors_time_is_told() {
        if fs::metadata("/proc/self/stat").is_ok() {
            assert!(processor().is_some());
        }
    }
}
