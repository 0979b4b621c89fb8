//! Which files a cache accepts.

use super::*;

fn file(folder: &Path, key: &Key) -> PathBuf {
    folder.join(&key.0).with_extension(EXTENSION)
}

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a temporary folder")
}

#[test]
fn a_binary_comes_back_as_it_was_written() {
    let folder = folder();
    let cache = Cache::at(folder.path().join("made/on/demand"));
    let key = key("sm_90", "text");
    assert_eq!(cache.read(&key), None);
    cache.write(&key, b"binary");
    assert_eq!(cache.read(&key).as_deref(), Some(&b"binary"[..]));
}

#[test]
fn damaged_files_are_absent() {
    let folder = folder();
    let cache = Cache::at(folder.path());
    let key = key("sm_90", "text");
    cache.write(&key, b"a binary of some length");
    let path = file(folder.path(), &key);
    let whole = fs::read(&path).unwrap();
    for end in 0..whole.len() {
        fs::write(&path, &whole[..end]).unwrap();
        assert_eq!(cache.read(&key), None, "cut to {end} bytes");
    }
    for at in 0..whole.len() {
        let mut flipped = whole.clone();
        flipped[at] ^= 1;
        fs::write(&path, flipped).unwrap();
        assert_eq!(cache.read(&key), None, "bit flipped in byte {at}");
    }
}

#[test]
fn a_whole_file_under_another_kernels_name_is_absent() {
    let folder = folder();
    let cache = Cache::at(folder.path());
    let (one, two) = (key("sm_90", "one"), key("sm_90", "two"));
    cache.write(&one, b"binary of one");
    cache.write(&two, b"binary of two");
    fs::copy(file(folder.path(), &one), file(folder.path(), &two)).unwrap();
    assert_eq!(cache.read(&two), None);
    assert!(cache.read(&one).is_some());
    cache.write(&two, b"binary of two");
    assert_eq!(cache.read(&two).as_deref(), Some(&b"binary of two"[..]));
}

#[test]
fn files_of_the_first_format_are_absent() {
    let folder = folder();
    let cache = Cache::at(folder.path());
    let key = key("sm_90", "text");
    // Its own digest, then the binary; without an extension.
    let old = [Sha256::digest(b"binary").as_slice(), b"binary"].concat();
    for path in [folder.path().join(&key.0), file(folder.path(), &key)] {
        fs::write(path, &old).unwrap();
        assert_eq!(cache.read(&key), None);
    }
}

#[test]
fn target_and_text_do_not_run_together() {
    assert_ne!(key("sm_9", "0x"), key("sm_90", "x"));
    assert_ne!(key("a\0b", "c"), key("a", "b\0c"));
}

#[test]
fn what_is_larger_than_any_kernel_is_neither_read_nor_written() {
    let folder = folder();
    let cache = Cache::at(folder.path());
    let key = key("sm_90", "text");
    let file = File::create(file(folder.path(), &key)).unwrap();
    // Sparse: it takes no room, but reading it would.
    file.set_len(1 << 44).or_else(|_| file.set_len(1 << 33)).unwrap();
    assert_eq!(cache.read(&key), None);
    let large = super::key("sm_90", "large");
    cache.write(&large, &vec![0; MOST_BYTES + 1]);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[cfg(unix)]
#[test]
fn pipes_folders_links_and_devices_are_absent_and_keep_nobody_waiting() {
    use std::os::unix::fs::symlink;

    let folder = folder();
    let cache = Cache::at(folder.path());
    let key = |name| key("sm_90", name);
    let place = |name| file(folder.path(), &key(name));
    let pipe = std::process::Command::new("mkfifo").arg(place("pipe")).status();
    assert!(pipe.is_ok_and(|made| made.success()));
    symlink(place("pipe"), place("link to a pipe")).unwrap();
    symlink("/dev/zero", place("link to a device")).unwrap();
    symlink(place("loop"), place("loop")).unwrap();
    fs::create_dir(place("folder")).unwrap();
    let names = ["pipe", "link to a pipe", "link to a device", "loop", "folder"];
    let (done, waiting) = std::sync::mpsc::channel();
    let (asked, keys) = (cache.clone(), names.map(key));
    std::thread::spawn(move || done.send(keys.map(|key| asked.read(&key))));
    let read = waiting.recv_timeout(std::time::Duration::from_secs(20)).expect("an answer");
    assert_eq!(read, [const { None }; 5]);
    // All but the folder make room for the kernel, and what links led to stays as it was.
    for name in names {
        cache.write(&key(name), b"binary");
        assert_eq!(cache.read(&key(name)).is_some(), name != "folder", "{name}");
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), names.len(), "no part stays behind");
}

#[cfg(unix)]
#[test]
fn a_part_is_not_written_through_a_link() {
    let folder = folder();
    let cache = Cache::at(folder.path());
    let target = folder.path().join("precious");
    fs::write(&target, "precious").unwrap();
    std::os::unix::fs::symlink(&target, file(folder.path(), &key("t", "s"))).unwrap();
    cache.write(&key("t", "s"), b"binary");
    assert_eq!(fs::read(&target).unwrap(), b"precious");
    assert_eq!(cache.read(&key("t", "s")).as_deref(), Some(&b"binary"[..]));
}

#[test]
fn a_folder_that_cannot_be_made_or_written_caches_nothing() {
    let folder = folder();
    let file = folder.path().join("file");
    fs::write(&file, "not a folder").unwrap();
    for cache in [Cache::at(&file), Cache::at(file.join("below")), Cache { folder: None }] {
        cache.write(&key("t", "s"), b"binary");
        assert_eq!(cache.read(&key("t", "s")), None);
    }
}

#[test]
fn writers_at_once_leave_one_whole_file() {
    let folder = folder();
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
