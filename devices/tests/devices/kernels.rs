//! Kernels: compiled, cached, launched; and what happens when they are wrong.

use std::sync::Arc;

use arrayspan_devices::{Argument, Cache, Device, Error, Kernel, KernelSource, Result};

use super::{build, download, gpus, grid, upload};

/// `y[y_at + i] += a x[x_at + i x_step]`, i < n.
const AXPY: &str = "\
KERNEL axpy(i64 n, float a, GLOBAL const float* RESTRICT x, i64 x_at, i64 x_step,
            GLOBAL float* RESTRICT y, i64 y_at) {
  for (i64 i = GID(0); i < n; i += GSZ(0)) y[y_at + i] += a * x[x_at + i * x_step];
}";

fn axpy() -> KernelSource {
    KernelSource::new("axpy", "axpy", AXPY)
}

/// Runs `kernel` on a strided range and compares with the host; all numbers are exact in Float32.
fn check(device: Device, kernel: &Kernel) -> Result<()> {
    let stream = device.new_stream()?;
    let x: Vec<f32> = (0..1000).map(|i| i as f32).collect();
    let y: Vec<f32> = (0..500).map(|i| 0.5 * i as f32).collect();
    let (n, x_at, x_step, y_at) = (301_usize, 7_usize, 3_usize, 11_usize);
    let (on_x, on_y) = (upload(&x, &stream)?, upload(&y, &stream)?);
    let arguments = [
        Argument::I64(n as i64),
        Argument::F32(2.0),
        Argument::Read(&on_x),
        Argument::I64(x_at as i64),
        Argument::I64(x_step as i64),
        Argument::Write(&on_y),
        Argument::I64(y_at as i64),
    ];
    // SAFETY: seven arguments as AXPY declares them; the last elements touched, x[7 + 300 * 3] and
    // y[11 + 300], exist.
    unsafe { stream.launch(kernel, grid(100), &arguments)? };
    let mut wanted = y;
    for i in 0..n {
        wanted[y_at + i] += 2.0 * x[x_at + i * x_step];
    }
    assert_eq!(download::<f32>(&on_y, &stream)?, wanted, "{device}");
    Ok(())
}

#[test]
fn axpy_on_a_strided_range_agrees_with_the_host() -> Result<()> {
    for device in gpus() {
        check(device, &build(device, &axpy())?)?;
    }
    Ok(())
}

/// `y[i] = given.a[i] + given.b`, a struct by value with room between its parts.
const GIVEN: &str = "\
typedef struct { float a[5]; double b; } given_t;
KERNEL given(GLOBAL float* RESTRICT y, const given_t given, i64 n) {
  for (i64 i = GID(0); i < n; i += GSZ(0)) y[i] = given.a[i] + (float)given.b;
}";

#[test]
fn a_struct_by_value_arrives_as_it_is() -> Result<()> {
    for device in gpus().into_iter().filter(|device| device.info().float64) {
        assert!(device.info().argument_bytes >= 1024, "{device}");
        let kernel = build(device, &KernelSource::new("given", "given", GIVEN))?;
        let stream = device.new_stream()?;
        let y = upload(&[0.0_f32; 5], &stream)?;
        for shift in [0.5_f64, -7.0] {
            let mut bytes: Vec<u8> = (1..=5_u8).flat_map(|i| f32::from(i).to_ne_bytes()).collect();
            // The second part is aligned as its own numbers are.
            bytes.extend([0; 4]);
            bytes.extend(shift.to_ne_bytes());
            let bytes: Arc<[u8]> = bytes.into();
            let arguments = [Argument::Write(&y), Argument::Struct(&bytes), Argument::I64(5)];
            // SAFETY: three arguments as GIVEN declares them, the struct with all bytes of its type; the five elements exist.
            unsafe { stream.launch(&kernel, grid(5), &arguments)? };
            // What was given may be dropped before the kernel has run.
            drop(bytes);
            let wanted: Vec<f32> = (1..=5_u8).map(|i| f32::from(i) + shift as f32).collect();
            assert_eq!(download::<f32>(&y, &stream)?, wanted, "{device}");
        }
        for wrong in [0, device.info().argument_bytes + 1] {
            let bytes: Arc<[u8]> = vec![0; wrong].into();
            let arguments = [Argument::Write(&y), Argument::Struct(&bytes), Argument::I64(5)];
            // SAFETY: nothing is launched.
            let refused = unsafe { stream.launch(&kernel, grid(5), &arguments) };
            assert!(matches!(refused, Err(Error::Unsupported { .. })), "{device}: {refused:?}");
        }
    }
    Ok(())
}

#[test]
fn a_kernel_asked_for_twice_is_the_same_kernel() -> Result<()> {
    for device in gpus() {
        check(device, &device.kernel(&axpy())?)?;
        check(device, &device.kernel(&axpy())?)?;
    }
    Ok(())
}

#[test]
fn many_threads_may_build_and_launch_one_kernel() -> Result<()> {
    for device in gpus() {
        let kernel = build(device, &axpy())?;
        std::thread::scope(|threads| {
            let run = || (0..20).try_for_each(|_| check(device, &kernel));
            let running: Vec<_> = (0..4).map(|_| threads.spawn(run)).collect();
            running.into_iter().try_for_each(|thread| thread.join().expect("no panic"))
        })?;
    }
    Ok(())
}

#[test]
fn a_compile_error_shows_the_line_and_the_log_and_breaks_nothing() -> Result<()> {
    for device in gpus() {
        let body = AXPY.replace("a * x[", "undeclared * x[");
        let error = build(device, &KernelSource::new("broken", "axpy", body)).unwrap_err();
        let Error::Compile { device: at, kernel, line, log } = &error else {
            panic!("{device}: {error}");
        };
        assert_eq!((at.as_str(), kernel.as_str()), (device.to_string().as_str(), "broken"));
        assert!(log.contains("undeclared"), "{device}: {log}");
        assert!(line.as_ref().is_some_and(|line| line.contains("undeclared * x[")), "{error}");
        check(device, &build(device, &axpy())?)?;
    }
    Ok(())
}

#[test]
fn a_missing_entry_point_is_an_error() -> Result<()> {
    for device in gpus() {
        let error = build(device, &KernelSource::new("axpy", "saxpy", AXPY)).unwrap_err();
        assert!(matches!(error, Error::Driver { .. }), "{device}: {error}");
        let error = build(device, &KernelSource::new("axpy", "ax\0py", AXPY)).unwrap_err();
        assert!(matches!(error, Error::Unsupported { .. }), "{device}: {error}");
        check(device, &build(device, &axpy())?)?;
    }
    Ok(())
}

#[test]
fn the_second_build_comes_from_disk_and_garbage_there_does_no_harm() -> Result<()> {
    for device in gpus() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let cache = Cache::at(folder.path());
        let files = || -> Vec<_> {
            let entries = std::fs::read_dir(folder.path()).expect("the cache's folder");
            entries.map(|entry| entry.expect("an entry").path()).collect()
        };
        check(device, &Kernel::build_cached(device, &axpy(), &cache)?)?;
        let [file] = &files()[..] else { panic!("{device}: {:?}", files()) };
        let (binary, made) = (std::fs::read(file).expect("a binary"), modified(file));

        // A second build that compiled would write the file again.
        std::thread::sleep(std::time::Duration::from_millis(20));
        check(device, &Kernel::build_cached(device, &axpy(), &cache)?)?;
        assert_eq!(modified(file), made, "{device}: compiled again");

        for garbage in [&b"garbage"[..], &[0; 4096], &binary[..binary.len() / 2]] {
            std::fs::write(file, garbage).expect("to write garbage");
            check(device, &Kernel::build_cached(device, &axpy(), &cache)?)?;
            // Written again (not every compiler makes the same bytes twice), and good: nobody writes once more.
            assert_ne!(std::fs::read(file).expect("a binary"), garbage, "{device}");
            let made = modified(file);
            std::thread::sleep(std::time::Duration::from_millis(20));
            check(device, &Kernel::build_cached(device, &axpy(), &cache)?)?;
            assert_eq!(modified(file), made, "{device}: compiled again");
        }
    }
    Ok(())
}

fn modified(path: &std::path::Path) -> std::time::SystemTime {
    path.metadata().and_then(|facts| facts.modified()).expect("a time")
}

#[test]
fn a_binary_for_another_kernel_under_the_right_name_is_not_believed_blindly() -> Result<()> {
    // Whole and well-formed for the cache, but lacking the entry point: built again.
    for device in gpus() {
        let (one, two) = (tempfile::tempdir(), tempfile::tempdir());
        let (one, two) = (one.expect("a folder"), two.expect("a folder"));
        let other = KernelSource::new("axpy", "other", AXPY.replace("axpy(", "other("));
        Kernel::build_cached(device, &other, &Cache::at(one.path()))?;
        Kernel::build_cached(device, &axpy(), &Cache::at(two.path()))?;
        let only = |folder: &tempfile::TempDir| {
            let mut entries = std::fs::read_dir(folder.path()).expect("the cache's folder");
            entries.next().expect("a file").expect("an entry").path()
        };
        std::fs::copy(only(&one), only(&two)).expect("to swap the binaries");
        check(device, &Kernel::build_cached(device, &axpy(), &Cache::at(two.path()))?)?;
    }
    Ok(())
}

#[test]
fn a_whole_file_of_another_kernel_with_the_same_entry_is_not_run() -> Result<()> {
    for device in gpus() {
        let folders =
            [tempfile::tempdir(), tempfile::tempdir()].map(|made| made.expect("a folder"));
        let [wrong, right] = &folders;
        // Three times as much, under the same entry.
        let other = KernelSource::new("axpy", "axpy", AXPY.replace("a * x[", "3 * a * x["));
        assert_ne!(other, axpy());
        Kernel::build_cached(device, &other, &Cache::at(wrong.path()))?;
        Kernel::build_cached(device, &axpy(), &Cache::at(right.path()))?;
        let only = |folder: &tempfile::TempDir| {
            let mut entries = std::fs::read_dir(folder.path()).expect("the cache's folder");
            entries.next().expect("a file").expect("an entry").path()
        };
        std::fs::copy(only(wrong), only(right)).expect("to swap the files");
        check(device, &Kernel::build_cached(device, &axpy(), &Cache::at(right.path()))?)?;
    }
    Ok(())
}

#[test]
fn an_empty_grid_runs_nothing() -> Result<()> {
    for device in gpus() {
        let stream = device.stream()?;
        let kernel = build(device, &axpy())?;
        let y = upload(&[1.0_f32, 2.0], &stream)?;
        let zero = Argument::I64(0);
        let read = Argument::Read(&y);
        let arguments =
            [Argument::I64(2), Argument::F32(1.0), read, zero, zero, Argument::Write(&y), zero];
        let mut grid = grid(2);
        grid.groups[1] = 0;
        // SAFETY: as AXPY declares; nothing runs.
        unsafe { stream.launch(&kernel, grid, &arguments)? };
        assert_eq!(download::<f32>(&y, &stream)?, [1.0, 2.0], "{device}");
    }
    Ok(())
}

#[test]
fn memory_and_kernels_of_another_device_are_refused() -> Result<()> {
    for device in gpus() {
        let kernel = build(device, &axpy())?;
        let stream = device.stream()?;
        let foreign = upload(&[1.0_f32], &Device::cpu().stream()?)?;
        // SAFETY: refused before anything is launched.
        let error = unsafe { stream.launch(&kernel, grid(1), &[Argument::Read(&foreign)]) };
        assert!(matches!(error, Err(Error::WrongDevice { .. })), "{device}: {error:?}");
        for other in Device::all().into_iter().filter(|other| *other != device) {
            // SAFETY: as above.
            let error = unsafe { other.stream()?.launch(&kernel, grid(1), &[]) };
            assert!(matches!(error, Err(Error::WrongDevice { .. })), "{other}: {error:?}");
        }
        check(device, &kernel)?;
    }
    Ok(())
}

#[test]
fn the_cpu_says_that_it_runs_no_kernels() {
    let error = Device::cpu().kernel(&axpy()).unwrap_err();
    assert!(matches!(&error, Error::Unsupported { what, .. } if what.contains("axpy")), "{error}");
}

#[test]
fn too_large_a_grid_is_an_error_and_breaks_nothing() -> Result<()> {
    for device in gpus() {
        let kernel = build(device, &axpy())?;
        let stream = device.new_stream()?;
        let mut huge = grid(1);
        huge.threads = [usize::MAX / 2, 3, 1];
        let y = upload(&[1.0_f32], &stream)?;
        let zero = Argument::I64(0);
        let read = Argument::Read(&y);
        let arguments = [zero, Argument::F32(0.0), read, zero, zero, Argument::Write(&y), zero];
        // SAFETY: as AXPY declares, over no elements.
        let refused = unsafe { stream.launch(&kernel, huge, &arguments) };
        assert!(refused.is_err(), "{device}");
        check(device, &kernel)?;
    }
    Ok(())
}
