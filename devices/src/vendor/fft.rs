//! Fourier transforms by the vendor's library: the plans of all devices.

use std::sync::{Arc, Once};

use parking_lot::Mutex;

use super::fft_plan::FftPlan;
use super::transform::Transform;
use crate::reclaim::{self, Holdings, Reclaim, Stage};
use crate::{Device, DeviceKind, Error, Result, Stream};

/// The most plans of a device that are kept: those used last. Each has its tables in the device's memory, and takes a
/// fraction of a millisecond to a few to make.
const MOST_PLANS: usize = 32;

/// A transform of a device and its plan; none if the library has refused it.
#[derive(Clone, Debug)]
struct Kept {
    device: Device,
    transform: Transform,
    plan: Option<Arc<FftPlan>>,
}

/// Those used last stand last.
static PLANS: Mutex<Vec<Kept>> = Mutex::new(Vec::new());

/// The plan of a transform on the device of `stream`, made if it is not kept.
///
/// # Errors
/// [`Error::Unavailable`] without cuFFT, [`Error::Unsupported`] for a stream of another kind of device, and for what the library
/// has refused before; its refusal; out of memory.
pub fn fft_plan(stream: &Stream, transform: &Transform) -> Result<Arc<FftPlan>> {
    static REGISTERED: Once = Once::new();
    let device = stream.device();
    let unsupported = |what: String| Err(Error::Unsupported { device: device.to_string(), what });
    if device.kind() != DeviceKind::Cuda {
        return unsupported("cuFFT".into());
    }
    if let Some(kept) = find(device, transform) {
        let refused = || unsupported(format!("cuFFT's plan of {transform:?}"));
        return kept.plan.map_or_else(refused, Ok);
    }
    // Not under the lock: looking for memory may wait for others. Of two threads' plans the first stays.
    let made = FftPlan::new(stream, transform).map(Arc::new);
    let plan = match &made {
        Ok(plan) => Some(plan.clone()),
        // What it does not take it will not take the next time.
        Err(Error::Driver { .. }) => None,
        Err(_) => return made,
    };
    REGISTERED.call_once(|| reclaim::register(&CACHE));
    let (first, old) = keep(Kept { device, transform: *transform, plan });
    // Ends outside of the lock, as it waits for the plan's work.
    drop(old);
    first.map_or(made, Ok)
}

/// What is kept of a transform, which becomes the one used last.
fn find(device: Device, transform: &Transform) -> Option<Kept> {
    let mut plans = PLANS.lock();
    let is_it = |kept: &Kept| kept.device == device && kept.transform == *transform;
    let place = plans.iter().rposition(is_it)?;
    plans[place..].rotate_left(1);
    plans.last().cloned()
}

/// Keeps a plan; that which another thread has kept before, and what there is no more room for.
fn keep(new: Kept) -> (Option<Arc<FftPlan>>, Option<Kept>) {
    let mut plans = PLANS.lock();
    let is_it = |kept: &Kept| kept.device == new.device && kept.transform == new.transform;
    if let Some(first) = plans.iter().find(|kept| is_it(kept)) {
        return (first.plan.clone(), Some(new));
    }
    let of_device = |kept: &Kept| kept.device == new.device;
    let full = plans.iter().filter(|kept| of_device(kept)).count() >= MOST_PLANS;
    let oldest = if full { plans.iter().position(of_device) } else { None };
    let old = oldest.map(|place| plans.remove(place));
    plans.push(new);
    (None, old)
}

/// How many plans of Fourier transforms are kept for a device.
#[must_use]
pub fn fft_plans(device: Device) -> usize {
    PLANS.lock().iter().filter(|kept| kept.device == device && kept.plan.is_some()).count()
}

/// Lets plans go when memory is short; who needs one makes it again.
#[derive(Debug)]
struct Cache;

static CACHE: Cache = Cache;

impl Reclaim for Cache {
    fn name(&self) -> &'static str {
        "plans of cuFFT"
    }

    fn stage(&self) -> Stage {
        Stage::Plans
    }

    /// The library does not tell.
    fn holdings(&self, _: Device) -> Option<Holdings> {
        None
    }

    /// `None` if there was a plan: how much it held the library does not tell either.
    fn release(&self, device: Device) -> Result<Option<usize>> {
        let taken: Vec<Kept> = {
            let mut plans = PLANS.lock();
            plans.extract_if(.., |kept| kept.device == device).collect()
        };
        let any = taken.iter().any(|kept| kept.plan.is_some());
        // Not under the lock: a plan waits for its work.
        drop(taken);
        Ok(if any { None } else { Some(0) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::caches;
    use crate::vendor::{LineSteps, TransformKind};

    fn transform(points: i32) -> Transform {
        let steps = LineSteps { element: 1, line: points };
        let kind = TransformKind::Complex;
        let outer = [1; 2];
        Transform { kind, float64: false, points, lines: 3, input: steps, output: steps, outer }
    }

    #[test]
    fn streams_without_cufft_are_told_so() -> Result<()> {
        let refused = fft_plan(&Device::cpu().stream()?, &transform(8));
        assert!(matches!(refused, Err(Error::Unsupported { .. })));
        assert_eq!(fft_plans(Device::cpu()), 0);
        Ok(())
    }

    #[test]
    fn plans_are_kept_as_long_as_they_are_used_and_until_memory_is_short() -> Result<()> {
        let Ok(device) = Device::cuda(0) else {
            eprintln!("skipped: no CUDA device");
            return Ok(());
        };
        let stream = device.new_stream()?;
        let first = match fft_plan(&stream, &transform(1000)) {
            Err(Error::Unavailable { why, .. }) => {
                eprintln!("skipped: {why}");
                return Ok(());
            }
            first => first?,
        };
        assert!(Arc::ptr_eq(&first, &fft_plan(&device.new_stream()?, &transform(1000))?));
        for points in 0..2 * MOST_PLANS as i32 {
            fft_plan(&stream, &transform(64 + points))?;
            // Used between the others.
            assert!(Arc::ptr_eq(&first, &fft_plan(&stream, &transform(1000))?), "{points}");
        }
        assert_eq!(fft_plans(device), MOST_PLANS);
        let cleared = caches::clear(device);
        assert_eq!(cleared.failures().count(), 0, "{cleared}");
        assert_eq!(fft_plans(device), 0);
        assert!(!Arc::ptr_eq(&first, &fft_plan(&stream, &transform(1000))?));
        // Nothing has as many points; that it is so is remembered.
        for _ in 0..2 {
            assert!(fft_plan(&stream, &transform(-4)).is_err());
        }
        Ok(())
    }
}
