//! Between a device and host memory of every kind, and within the device.

use std::time::Instant;

use arrayspan_devices::staging::{self, Settings};
use arrayspan_devices::{Device, Memory, Result, Stream};

use super::{best, copied, fresh, queued, size, sizes, warm};

pub(crate) fn table(device: Device, largest: usize) -> Result<()> {
    println!(
        "{:>9} | {:>20} | {:>13} | {:>27} | {:>20} | {:>6}",
        "", "pinned", "registered", "pageable", "driver's pageable", ""
    );
    println!(
        "{:>9} | {:>6} {:>6} {:>6} | {:>6} {:>6} | {:>6} {:>6} {:>6} {:>6} | {:>6} {:>6} {:>6} | {:>6}",
        "bytes",
        "up",
        "down",
        "both",
        "up",
        "down",
        "up",
        "down",
        "fresh",
        "both",
        "up",
        "down",
        "fresh",
        "within"
    );
    for bytes in sizes(largest) {
        let line = line(device, bytes)?;
        let cells: Vec<String> = line
            .iter()
            .map(|rate| rate.map_or_else(|| "     -".into(), |rate| format!("{rate:6.1}")))
            .collect();
        let [pinned, registered, pageable, drivers, within] =
            [0..3, 3..5, 5..9, 9..12, 12..13].map(|part| cells[part].join(" "));
        println!(
            "{:>9} | {pinned} | {registered} | {pageable} | {drivers} | {within}",
            size(bytes)
        );
    }
    Ok(())
}

/// What it costs to lock pages: new ones, the pool's, and those of memory that is there.
pub(crate) fn locking(device: Device, bytes: usize) -> Result<()> {
    device.trim_pinned(0)?;
    let clock = Instant::now();
    let taken = Memory::pinned(bytes, device)?;
    let first = clock.elapsed();
    drop(taken);
    let clock = Instant::now();
    drop(Memory::pinned(bytes, device)?);
    let again = clock.elapsed();
    let plain = warm(bytes);
    let clock = Instant::now();
    let registered = plain.register(device).map(drop).map(|()| clock.elapsed());
    let registered = registered.map_or_else(|_| "-".into(), |took| format!("{took:.1?}"));
    println!(
        "{}: pinned first {first:.1?}, again {again:.1?}; registered and unregistered {registered}",
        size(bytes)
    );
    Ok(())
}

/// A row of the table.
fn line(device: Device, bytes: usize) -> Result<Vec<Option<f64>>> {
    let (one, two) = (device.new_stream()?, device.new_stream()?);
    let (near, far) = (Memory::pinned(bytes, device)?, Memory::allocate(bytes, &one)?);
    let mut line = vec![Some(up(&near, &far, &one)?), Some(down(&near, &far, &one)?)];
    let (nearer, farther) = (Memory::pinned(bytes, device)?, Memory::allocate(bytes, &two)?);
    line.push(Some(both(bytes, [&near, &far], [&farther, &nearer], [&one, &two])?));

    let plain = warm(bytes);
    match plain.register(device) {
        Ok(_registered) => {
            line.push(Some(up(&plain, &far, &one)?));
            line.push(Some(down(&plain, &far, &one)?));
        }
        // A device that cannot; the table says so.
        Err(_) => line.extend([None, None]),
    }

    let settings = staging::settings();
    for threshold in [settings.threshold, usize::MAX] {
        staging::configure(Settings { threshold, ..settings });
        line.push(Some(up(&plain, &far, &one)?));
        line.push(Some(down(&plain, &far, &one)?));
        line.push(Some(down_fresh(&far, &one)?));
        if threshold == settings.threshold {
            let other = warm(bytes);
            line.push(Some(together(bytes, [&plain, &far], [&farther, &other], [&one, &two])?));
        }
    }
    staging::configure(settings);
    line.push(Some(best(bytes, || Ok(()), |()| copied(&far, &farther, &one))?));
    Ok(line)
}

pub(crate) fn up(near: &Memory, far: &Memory, stream: &Stream) -> Result<f64> {
    best(near.bytes(), || Ok(()), |()| copied(near, far, stream))
}

pub(crate) fn down(near: &Memory, far: &Memory, stream: &Stream) -> Result<f64> {
    best(near.bytes(), || Ok(()), |()| copied(far, near, stream))
}

/// To memory that nobody has touched, where the system provides pages as they are written.
pub(crate) fn down_fresh(far: &Memory, stream: &Stream) -> Result<f64> {
    best(far.bytes(), || Ok(fresh(far.bytes())), |near| copied(far, near, stream))
}

/// Two copies queued by one thread, up and down.
fn both(
    bytes: usize,
    up: [&Memory; 2],
    down: [&Memory; 2],
    [one, two]: [&Stream; 2],
) -> Result<f64> {
    let rate = best(
        bytes,
        || Ok(()),
        |()| {
            queued(up[0], up[1], one)?;
            queued(down[0], down[1], two)?;
            one.synchronize().and(two.synchronize())
        },
    );
    Ok(2.0 * rate?)
}

/// Two copies by two threads, up and down.
fn together(
    bytes: usize,
    up: [&Memory; 2],
    down: [&Memory; 2],
    [one, two]: [&Stream; 2],
) -> Result<f64> {
    let rate = best(
        bytes,
        || Ok(()),
        |()| {
            std::thread::scope(|threads| {
                let other = threads.spawn(|| copied(down[0], down[1], two));
                let mine = copied(up[0], up[1], one);
                mine.and(other.join().unwrap_or(Ok(())))
            })
        },
    );
    Ok(2.0 * rate?)
}
