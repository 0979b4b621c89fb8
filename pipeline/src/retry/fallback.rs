//! Where a piece may go that finds no room where it is.

use std::cmp::Reverse;

use arrayspan_devices::Device;

use super::RecoveryPolicy;

/// The device to try next after those in `tried`, if the policy allows one.
pub(super) fn next(policy: &RecoveryPolicy, tried: &[Device]) -> Option<Device> {
    if policy.siblings
        && let Some(sibling) = siblings(tried).into_iter().next()
    {
        return Some(sibling);
    }
    let cpu = Device::cpu();
    (policy.cpu && !tried.contains(&cpu)).then_some(cpu)
}

/// Other GPUs, the one with the most free memory first. Not the same one by way of another driver.
fn siblings(tried: &[Device]) -> Vec<Device> {
    let same = |one: &Device, other: &Device| {
        one == other || one.info().uuid.is_some() && one.info().uuid == other.info().uuid
    };
    let mut others: Vec<Device> = Device::all();
    others.retain(|device| device.info().accelerator && !tried.iter().any(|one| same(one, device)));
    others.sort_by_key(|device| Reverse(device.free_bytes()));
    others
}
