//! A process that may hang or crash without taking this one along.

use std::io::Read;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

/// A started process whose output is being read.
pub(crate) struct Running {
    child: Child,
    out: Receiver<String>,
    errors: Receiver<String>,
    started: Instant,
}

/// Starts `command`; its output can be waited for with [`Running::wait`].
///
/// # Errors
/// Why it could not be started, in a sentence.
pub(crate) fn start(command: &mut Command) -> Result<Running, String> {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(|error| format!("it could not be asked: {error}"))?;
    let (out, errors) = (read(child.stdout.take()), read(child.stderr.take()));
    Ok(Running { child, out, errors, started: Instant::now() })
}

/// Reads all of a pipe on a thread of its own, so that a full pipe blocks nobody.
fn read(pipe: Option<impl Read + Send + 'static>) -> Receiver<String> {
    let (sender, receiver) = channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut pipe) = pipe {
            // What came before a failure is worth telling, too.
            let _ = pipe.read_to_end(&mut bytes);
        }
        // Nobody listens any more if the wait was given up.
        let _ = sender.send(String::from_utf8_lossy(&bytes).into_owned());
    });
    receiver
}

impl Running {
    /// What the process wrote, if it ends well within `timeout` of its start. One that does not is killed.
    ///
    /// # Errors
    /// How it ended, in a sentence.
    pub(crate) fn wait(mut self, timeout: Duration) -> Result<String, String> {
        let deadline = self.started + timeout;
        match ended(&mut self.child, deadline) {
            Some(status) if status.success() => {
                let left = Duration::from_secs(1);
                self.out.recv_timeout(left).map_err(|_| "its answer was cut short".to_owned())
            }
            Some(status) => Err(self.crashed(status)),
            None => {
                // A process that hangs inside the kernel outlives even this; it is left behind then,
                // because waiting for it would hang, too.
                let _ = self.child.kill();
                let _ = ended(&mut self.child, Instant::now() + Duration::from_secs(1));
                Err(format!("it did not answer within {} s", timeout.as_secs_f32()))
            }
        }
    }

    fn crashed(&self, status: ExitStatus) -> String {
        let errors = self.errors.recv_timeout(Duration::from_secs(1)).unwrap_or_default();
        let last = errors.lines().rfind(|line| !line.trim().is_empty());
        let words =
            last.map_or_else(String::new, |line| format!("; its last words: {}", line.trim()));
        format!("it crashed ({status}){words}")
    }
}

/// The status of `child` once it has ended, `None` if it still runs at the deadline.
fn ended(child: &mut Child, deadline: Instant) -> Option<ExitStatus> {
    let mut pause = Duration::from_millis(1);
    loop {
        if let Ok(Some(status)) = child.try_wait() {
            return Some(status);
        }
        let left = deadline.checked_duration_since(Instant::now())?;
        thread::sleep(pause.min(left));
        pause = (pause * 2).min(Duration::from_millis(50));
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn shell(script: &str, timeout: Duration) -> Result<String, String> {
        start(Command::new("sh").args(["-c", script]))?.wait(timeout)
    }

    #[test]
    fn an_answer_longer_than_a_pipe_comes_whole() {
        let answer = shell("head -c 300000 /dev/zero | tr '\\0' x", Duration::from_secs(20));
        assert_eq!(answer.map(|text| text.len()), Ok(300_000));
    }

    #[test]
    fn a_process_that_hangs_is_given_up_in_time() {
        let begun = Instant::now();
        let error = shell("exec sleep 60", Duration::from_millis(200)).unwrap_err();
        assert_eq!(error, "it did not answer within 0.2 s");
        assert!(begun.elapsed() < Duration::from_secs(10));
    }

    #[test]
    fn a_crash_is_told_with_its_signal_and_last_words() {
        let script = "echo no such GPU >&2; kill -s SEGV $$";
        let error = shell(script, Duration::from_secs(20)).unwrap_err();
        assert!(error.contains("signal: 11"), "{error}");
        assert!(error.ends_with("its last words: no such GPU"), "{error}");
    }

    #[test]
    fn a_program_that_does_not_exist_is_told() {
        let error = start(&mut Command::new("/nonexistent/arrayspan")).map(|_| ()).unwrap_err();
        assert!(error.starts_with("it could not be asked"), "{error}");
    }
}
