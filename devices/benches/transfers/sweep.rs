//! Pageable memory under many settings: where the defaults come from.

use arrayspan_devices::staging::{self, Settings};
use arrayspan_devices::{Device, Memory, Result, Stream};

use super::host::{down, down_fresh, up};
use super::{KIB, MIB, size, warm};

pub(crate) fn tables(device: Device, largest: usize) -> Result<()> {
    let defaults = staging::settings();
    let result = chunks_and_threads(device, largest, false)
        .and_then(|()| chunks_and_threads(device, largest, true))
        .and_then(|()| thresholds(device, largest));
    staging::configure(defaults);
    result
}

fn chunks_and_threads(device: Device, bytes: usize, large_pages: bool) -> Result<()> {
    let stream = device.new_stream()?;
    let (near, far) = (warm(bytes), Memory::allocate(bytes, &stream)?);
    let pages = if large_pages { "large pages asked for" } else { "no word about pages" };
    println!("\n{} pageable, {pages}: up / down / down fresh, by chunk and threads", size(bytes));
    let threads = [1, 2, 4, 6, 8, 12, 16, 24, 32];
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let threads = || threads.into_iter().filter(|threads| *threads <= cores);
    print!("{:>9}", "");
    threads().for_each(|threads| print!(" | {threads:>18}"));
    println!();
    for chunk in [1, 2, 4, 8, 16, 32].map(|mebibytes| mebibytes * MIB) {
        print!("{:>9}", size(chunk));
        for threads in threads() {
            staging::configure(Settings {
                threshold: 1,
                chunk,
                threads,
                most_threads: threads,
                large_pages,
                processors: true,
                ..staging::settings()
            });
            cell(&near, &far, &stream)?;
        }
        println!();
    }
    Ok(())
}

fn thresholds(device: Device, largest: usize) -> Result<()> {
    println!("\nstaged and by the driver, up / down / down to fresh pages, by size");
    let defaults = Settings { threshold: 1, processors: true, ..staging::settings() };
    let stream = device.new_stream()?;
    let sizes = [256 * KIB, 512 * KIB, MIB, 2 * MIB, 4 * MIB, 8 * MIB, 16 * MIB, 32 * MIB];
    for bytes in sizes.into_iter().filter(|bytes| *bytes <= largest) {
        let (near, far) = (warm(bytes), Memory::allocate(bytes, &stream)?);
        print!("{:>9}", size(bytes));
        for threshold in [1, usize::MAX] {
            staging::configure(Settings { threshold, chunk: 8 * MIB, ..defaults });
            cell(&near, &far, &stream)?;
        }
        println!();
    }
    Ok(())
}

/// Up, down, and down to fresh pages.
fn cell(near: &Memory, far: &Memory, stream: &Stream) -> Result<()> {
    let (up, down) = (up(near, far, stream)?, down(near, far, stream)?);
    let fresh = down_fresh(far, stream)?;
    print!(" | {up:5.1} {down:6.1} {fresh:5.1}");
    Ok(())
}
