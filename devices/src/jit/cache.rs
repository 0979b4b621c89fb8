//! Compiled kernels on disk, shared by processes that may come and go at any moment.

use std::fmt::Write as _;
use std::fs::{self, File, OpenOptions};
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::{SystemTime, UNIX_EPOCH};

use sha2::{Digest, Sha256};

/// A folder of compiled kernels.
///
/// A file is a SHA-256 over its format, the kernel's key and the binary, and then the binary; it is written beside its
/// place and moved there in one step. So a reader sees a whole file or none, and what is damaged, too large, not a
/// plain file, of an older format, or another kernel's is as good as none. Any failure to write is ignored, because the
/// kernel is already compiled. The digest is no signature: whoever may write to the folder decides what kernels do.
#[derive(Clone, Debug)]
pub struct Cache {
    folder: Option<PathBuf>,
}

/// Names a binary: target, options and source in one digest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Key(String);

const DIGEST_BYTES: usize = 32;
/// What digests begin with, and files end with: a file of another format has neither.
const FORMAT: &str = "arrayspan kernel 2";
const EXTENSION: &str = "kernel2";
/// The most bytes of a binary that is read or written.
const MOST_BYTES: usize = 64 << 20;

pub(crate) fn key(target: &str, text: &str) -> Key {
    let digest = digest(&[b"arrayspan kernel key", target.as_bytes(), text.as_bytes()]);
    Key(digest.iter().fold(String::new(), |mut name, byte| {
        // Writing to a String cannot fail.
        let _ = write!(name, "{byte:02x}");
        name
    }))
}

/// What a file of that key and binary begins with.
fn seal(key: &Key, binary: &[u8]) -> [u8; DIGEST_BYTES] {
    digest(&[FORMAT.as_bytes(), key.0.as_bytes(), binary])
}

/// The digest of a list of texts, each after its length, so that different lists are different bytes.
fn digest(parts: &[&[u8]]) -> [u8; DIGEST_BYTES] {
    let mut digest = Sha256::new();
    for part in parts {
        digest.update((part.len() as u64).to_le_bytes());
        digest.update(part);
    }
    digest.finalize().into()
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
        self.folder.as_ref().map(|folder| folder.join(&key.0).with_extension(EXTENSION))
    }

    pub(crate) fn read(&self, key: &Key) -> Option<Vec<u8>> {
        let mut content = content(&self.path(key)?)?;
        if content.len() < DIGEST_BYTES {
            return None;
        }
        let binary = content.split_off(DIGEST_BYTES);
        (seal(key, &binary).as_slice() == content).then_some(binary)
    }

    pub(crate) fn write(&self, key: &Key, binary: &[u8]) {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let Some(path) = self.path(key) else { return };
        if binary.len() > MOST_BYTES {
            return;
        }
        // A process with the same id may have died here earlier, and left its temporary file.
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |now| now.as_nanos());
        let unique = (std::process::id(), COUNT.fetch_add(1, Relaxed));
        let part = path.with_extension(format!("{}-{}-{now}", unique.0, unique.1));
        let written = (|| {
            fs::create_dir_all(path.parent().unwrap_or(Path::new(".")))?;
            // Never through a link that somebody has put there.
            let mut file = OpenOptions::new().write(true).create_new(true).open(&part)?;
            let moved = (|| {
                file.write_all(&seal(key, binary))?;
                file.write_all(binary)?;
                fs::rename(&part, &path)
            })();
            moved.inspect_err(|_| _ = fs::remove_file(&part))
        })();
        if let Err(error) = written {
            tracing::debug!(%error, path = %path.display(), "kernel not cached");
        }
    }
}

/// The content of a regular file within the size limit. A pipe is not opened: reading it could block for ever.
fn content(path: &Path) -> Option<Vec<u8>> {
    // Checked before it is opened, since opening may have effects, and after, since it may be another file by then.
    let plain = fs::symlink_metadata(path).ok().filter(fs::Metadata::is_file)?;
    let most = (DIGEST_BYTES + MOST_BYTES) as u64;
    if plain.len() > most {
        return None;
    }
    let file = open(path).ok()?;
    if !file.metadata().ok()?.is_file() {
        return None;
    }
    let mut content = Vec::new();
    file.take(most + 1).read_to_end(&mut content).ok()?;
    (content.len() as u64 <= most).then_some(content)
}

#[cfg(target_os = "linux")]
fn open(path: &Path) -> std::io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt as _;

    let flags = libc::O_NONBLOCK | libc::O_NOFOLLOW;
    OpenOptions::new().read(true).custom_flags(flags).open(path)
}

#[cfg(not(target_os = "linux"))]
fn open(path: &Path) -> std::io::Result<File> {
    File::open(path)
}

#[cfg(all(test, unix))]
mod processes;
#[cfg(test)]
mod tests;
