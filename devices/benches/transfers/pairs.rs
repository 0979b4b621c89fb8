//! Between two devices: directly where there is a way, else by way of the host.

use arrayspan_devices::{Device, Memory, Result, peer};

use super::{best, copied, size, sizes};

pub(crate) fn table(devices: &[Device], largest: usize) -> Result<()> {
    let gpus = || devices.iter().copied().filter(|device| !device.is_cpu());
    for (from, to) in gpus().flat_map(|from| gpus().map(move |to| (from, to))) {
        if from == to {
            continue;
        }
        println!("\n{}", peer::between(from, to));
        let (source, target) = (from.new_stream()?, to.new_stream()?);
        for bytes in sizes(largest) {
            let one = Memory::allocate(bytes, &source)?;
            let other = Memory::allocate(bytes, &target)?;
            let copy = |stream| best(bytes, || Ok(()), |()| copied(&one, &other, stream));
            let (push, pull) = (copy(&source)?, copy(&target)?);
            println!(
                "{:>9}: {push:6.1} on the source's stream, {pull:6.1} on the target's",
                size(bytes)
            );
        }
    }
    Ok(())
}
