//! Compiled kernels on disk, shared by processes that may come and go at any moment.

use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use sha2::{Digest, Sha256};

/// A folder of compiled kernels.
///
/// A file is its own SHA-256 and then the binary, written beside its place and moved there in one step:
/// a reader sees a whole file or none, and a damaged one is as good as none. Any failure to write is
/// ignored, because the kernel is already compiled.
#[derive(Clone, Debug)]
pub struct Cache {
    folder: Option<PathBuf>,
}

/// Names a binary: target, options and source in one digest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Key(String);

const DIGEST_BYTES: usize = 32;

pub(crate) fn key(target: &str, text: &str) -> Key {
    let digest = Sha256::new().chain_update(target).chain_update([0]).chain_update(text).finalize();
    Key(digest.iter().fold(String::new(), |mut name, byte| {
        // Writing to a String cannot fail.
        let _ = write!(name, "{byte:02x}");
        name
    }))
}

impl Cache {
    /// The folder of the user: `$ARRAYSPAN_CACHE_DIR`, else `$XDG_CACHE_HOME/arrayspan`, else
    /// `~/.cache/arrayspan`. Setting `ARRAYSPAN_CACHE_DIR` to nothing turns the cache off.
    #[must_use]
    pub fn standard() -> Self {
        let set = |name: &str| std::env::var_os(name);
        let folder = match set("ARRAYSPAN_CACHE_DIR") {
            Some(folder) => (!folder.is_empty()).then(|| PathBuf::from(folder)),
            None => set("XDG_CACHE_HOME")
                .map(PathBuf::from)
                .or_else(|| set("HOME").map(|home| Path::new(&home).join(".cache")))
                .map(|cache| cache.join("arrayspan")),
        };
        Self { folder }
    }

    /// A folder of the caller's choice; made when first written to.
    #[must_use]
    pub fn at(folder: impl Into<PathBuf>) -> Self {
        Self { folder: Some(folder.into()) }
    }

    fn path(&self, key: &Key) -> Option<PathBuf> {
        self.folder.as_ref().map(|folder| folder.join(&key.0))
    }

    pub(crate) fn read(&self, key: &Key) -> Option<Vec<u8>> {
        let mut content = fs::read(self.path(key)?).ok()?;
        if content.len() < DIGEST_BYTES {
            return None;
        }
        let binary = content.split_off(DIGEST_BYTES);
        (Sha256::digest(&binary).as_slice() == content).then_some(binary)
    }

    pub(crate) fn write(&self, key: &Key, binary: &[u8]) {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let Some(path) = self.path(key) else { return };
        let unique = (std::process::id(), COUNT.fetch_add(1, Relaxed));
        let part = path.with_extension(format!("{}-{}", unique.0, unique.1));
        let written = (|| {
            fs::create_dir_all(path.parent().unwrap_or(Path::new(".")))?;
            let mut file = fs::File::create(&part)?;
            file.write_all(&Sha256::digest(binary))?;
            file.write_all(binary)?;
            fs::rename(&part, &path)
        })();
        if let Err(error) = written {
            tracing::debug!(%error, path = %path.display(), "kernel not cached");
            let _ = fs::remove_file(&part);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_binary_comes_back_as_it_was_written() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::at(folder.path().join("made/on/demand"));
        let key = key("sm_90", "text");
        assert_eq!(cache.read(&key), None);
        cache.write(&key, b"binary");
        assert_eq!(cache.read(&key).as_deref(), Some(&b"binary"[..]));
    }

    #[test]
    fn damaged_files_are_absent() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::at(folder.path());
        let key = key("sm_90", "text");
        cache.write(&key, b"a binary of some length");
        let whole = fs::read(folder.path().join(&key.0)).unwrap();
        for end in 0..whole.len() {
            fs::write(folder.path().join(&key.0), &whole[..end]).unwrap();
            assert_eq!(cache.read(&key), None, "cut to {end} bytes");
        }
        for at in 0..whole.len() {
            let mut flipped = whole.clone();
            flipped[at] ^= 1;
            fs::write(folder.path().join(&key.0), flipped).unwrap();
            assert_eq!(cache.read(&key), None, "bit flipped in byte {at}");
        }
    }

    #[test]
    fn target_and_text_do_not_run_together() {
        assert_ne!(key("sm_9", "0x"), key("sm_90", "x"));
    }

    #[test]
    fn writers_at_once_leave_one_whole_file() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::at(folder.path());
        let key = key("t", "s");
        std::thread::scope(|threads| {
            for writer in 0..8_u8 {
                let (cache, key) = (&cache, &key);
                threads.spawn(move || {
                    for _ in 0..50 {
                        cache.write(key, &[writer; 10_000]);
                        let read = cache.read(key).expect("a whole file");
                        assert!(read.iter().all(|byte| *byte == read[0]));
                    }
                });
            }
        });
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
