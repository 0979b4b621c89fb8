//! Several processes on one folder, some of which are killed while they write.

use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use super::*;

/// Names the folder to the processes that the tests start.
const FOLDER: &str = "ARRAYSPAN_TEST_CACHE_FOLDER";
/// Large enough that a process can be killed in the middle.
const BYTES: usize = 4 << 20;
/// How often a writer writes that is not killed.
const TIMES: usize = 12;

fn shared() -> Key {
    key("sm_90", "shared")
}

/// A binary by whose bytes its writer is known.
fn binary(writer: u8) -> Vec<u8> {
    vec![writer; BYTES]
}

fn is_whole(read: &[u8]) -> bool {
    read.len() == BYTES && read.iter().all(|byte| *byte == read[0])
}

fn writer(folder: &Path) -> Child {
    let mut child = Command::new(std::env::current_exe().expect("this program has a path"));
    let test = "jit::cache::processes::writes_and_reads";
    child.args(["--exact", test, "--ignored"]).env(FOLDER, folder).stdout(Stdio::null());
    child.spawn().expect("a process")
}

#[test]
#[ignore = "run by the tests below in processes of their own"]
fn writes_and_reads() {
    let Some(folder) = std::env::var_os(FOLDER) else { return };
    let cache = Cache::at(folder);
    for _ in 0..TIMES {
        cache.write(&shared(), &binary(std::process::id() as u8));
        // The folder may be gone in the meantime.
        assert!(cache.read(&shared()).is_none_or(|read| is_whole(&read)));
    }
}

#[test]
fn processes_that_write_at_once_or_are_killed_leave_a_whole_kernel_or_none() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (cache, path) = (Cache::at(folder.path()), folder.path());
    let mut writers: Vec<Child> = (0..2).map(|_| writer(path)).collect();
    for _ in 0..4 {
        let mut victim = writer(path);
        let begun = Instant::now();
        // Until it writes: some part is there, of whichever process.
        while fs::read_dir(path).is_ok_and(|files| files.count() == 0)
            && begun.elapsed() < Duration::from_secs(20)
        {
            std::thread::yield_now();
        }
        for _ in 0..5 {
            assert!(cache.read(&shared()).is_none_or(|read| is_whole(&read)));
        }
        victim.kill().expect("it is ours");
        victim.wait().expect("it is ours");
    }
    for child in &mut writers {
        assert!(child.wait().expect("it is ours").success(), "a writer has seen a torn kernel");
    }
    assert!(cache.read(&shared()).is_some_and(|read| is_whole(&read)));
    // A temporary file that is left is never read as a kernel, and does not keep others from writing.
    cache.write(&shared(), b"newest");
    assert_eq!(cache.read(&shared()).as_deref(), Some(&b"newest"[..]));
}

#[test]
fn a_folder_that_is_removed_while_others_write_is_made_again() {
    let parent = tempfile::tempdir().expect("a temporary folder");
    let path = parent.path().join("kernels");
    let cache = Cache::at(&path);
    let mut child = writer(&path);
    while child.try_wait().expect("it is ours").is_none() {
        // Fails where a file comes meanwhile.
        let _ = fs::remove_dir_all(&path);
        assert!(cache.read(&shared()).is_none_or(|read| is_whole(&read)));
        std::thread::sleep(Duration::from_millis(1));
    }
    assert!(child.wait().expect("it is ours").success());
    cache.write(&shared(), b"newest");
    assert_eq!(cache.read(&shared()).as_deref(), Some(&b"newest"[..]));
}

#[test]
fn a_folder_that_is_a_loop_a_pipe_or_a_device_caches_nothing_and_keeps_nobody_waiting() {
    let parent = tempfile::tempdir().expect("a temporary folder");
    let at = |name: &str| parent.path().join(name);
    std::os::unix::fs::symlink(at("loop"), at("loop")).expect("a link");
    let pipe = Command::new("mkfifo").arg(at("pipe")).status();
    assert!(pipe.is_ok_and(|made| made.success()));
    let folders =
        [at("loop"), at("loop").join("below"), at("pipe"), "/dev/zero".into(), "/proc".into()];
    let (done, waiting) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        for folder in folders {
            let cache = Cache::at(&folder);
            cache.write(&shared(), b"binary");
            done.send((folder, cache.read(&shared()))).expect("the test waits");
        }
    });
    for _ in 0..5 {
        let (folder, read) = waiting.recv_timeout(Duration::from_secs(20)).expect("an answer");
        assert_eq!(read, None, "{}", folder.display());
    }
}
