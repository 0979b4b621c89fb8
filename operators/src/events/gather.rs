//! Gathers of events.

use arrayspan_bridge::Array;

use super::axis::room;
use super::{NAME, RegularAxis, SeismicEvent};
use crate::{Error, Result};

/// What [`events`] makes, on the CPU in `Float64`; its shape is the number of positions along each axis, then that of times.
#[derive(Debug)]
pub struct Seismogram {
    /// The events as spikes: the reflectivity.
    pub spikes: Array,
    /// The spikes convolved with the wavelet.
    pub data: Array,
}

/// The sum of events at the positions `space` along each axis, as spikes and convolved with `wavelet`, whose sample
/// `wavelet.len() / 2` is at time zero.
///
/// A spike between two samples is divided among them, as linear interpolation has it; a sample that is not on the axis takes
/// none. Data take in spikes that come up to `wavelet.len() / 2` samples after the last time, of which the wavelet begins
/// before, and none that come before the first. PyLops: `linear2d`, `parabolic3d` and so on, save that it gives an
/// event up to one sample before the first time to the two samples after that, the second one with the opposite sign, and drops one
/// that comes at the last sample.
///
/// # Errors
/// [`Error::Parameter`] when a number is not finite, the step of time not above zero, the wavelet empty, a velocity zero, or
/// the gather too large for the memory.
pub fn events<const N: usize>(
    space: [&[f64]; N],
    time: RegularAxis,
    events: &[SeismicEvent<N>],
    wavelet: &[f64],
) -> Result<Seismogram> {
    check(&space, time, events, wavelet)?;
    let center = wavelet.len() / 2;
    let shape: Vec<usize> = space.iter().map(|axis| axis.len()).chain([time.len]).collect();
    let traces = space.iter().try_fold(1, |traces: usize, axis| traces.checked_mul(axis.len()));
    let len = traces.and_then(|traces| traces.checked_mul(time.len));
    let (mut spikes, mut data) = (room::<f64>("spikes", len)?, room::<f64>("data", len)?);
    let after = time.len.checked_add(center);
    let mut trace = room("a trace", after)?;
    trace.resize(after.unwrap_or(0), 0.0);
    for number in 0..traces.unwrap_or(0) {
        let x = position(&space, number);
        trace.fill(0.0);
        for event in events {
            add(&mut trace, (event.moveout.at(x) - time.origin) / time.step, event.amplitude);
        }
        spikes.extend_from_slice(&trace[..time.len]);
        let begin = data.len();
        data.resize(begin + time.len, 0.0);
        convolve(&trace, wavelet, center, &mut data[begin..]);
    }
    Ok(Seismogram {
        spikes: Array::from_vec(spikes, &shape)?,
        data: Array::from_vec(data, &shape)?,
    })
}

fn check<const N: usize>(
    space: &[&[f64]; N],
    time: RegularAxis,
    events: &[SeismicEvent<N>],
    wavelet: &[f64],
) -> Result<()> {
    time.checked()?;
    if time.step <= 0.0 {
        let why = format!("a time step of {}, which has to be above zero", time.step);
        return Error::parameter(NAME, why);
    }
    for (axis, positions) in space.iter().enumerate() {
        if let Some(at) = positions.iter().position(|x| !x.is_finite()) {
            let why = format!("position {at} along axis {axis} is {}", positions[at]);
            return Error::parameter(NAME, why);
        }
    }
    let finite = |event: &SeismicEvent<N>| event.amplitude.is_finite() && event.moveout.is_finite();
    if let Some(at) = events.iter().position(|event| !finite(event)) {
        let why = format!("event {at} is {:?}: numbers have to be finite", events[at]);
        return Error::parameter(NAME, format!("{why}, and velocities not zero"));
    }
    if wavelet.is_empty() {
        return Error::parameter(NAME, "a wavelet without samples");
    }
    match wavelet.iter().position(|sample| !sample.is_finite()) {
        None => Ok(()),
        Some(at) => {
            Error::parameter(NAME, format!("sample {at} of the wavelet is {}", wavelet[at]))
        }
    }
}

/// The coordinates of a trace by its number, the last axis fastest.
fn position<const N: usize>(space: &[&[f64]; N], mut number: usize) -> [f64; N] {
    let mut x = [0.0; N];
    for (x, axis) in x.iter_mut().zip(space).rev() {
        *x = axis[number % axis.len()];
        number /= axis.len();
    }
    x
}

/// Divides a spike among the samples before and after it. One that is no number is nowhere.
fn add(trace: &mut [f64], sample: f64, amplitude: f64) {
    if !(sample > -1.0 && sample < trace.len() as f64) {
        return;
    }
    let (before, part) = (sample.floor(), sample - sample.floor());
    if before >= 0.0 {
        trace[before as usize] += amplitude * (1.0 - part);
    }
    // The sample after -0.5 is the first one.
    if let Some(after) = trace.get_mut((before + 1.0) as usize)
        && part > 0.0
    {
        *after += amplitude * part;
    }
}

/// Adds the wavelet wherever the trace has a spike. Most samples have none.
fn convolve(trace: &[f64], wavelet: &[f64], center: usize, data: &mut [f64]) {
    for (at, &spike) in trace.iter().enumerate().filter(|(_, spike)| **spike != 0.0) {
        let skipped = center.saturating_sub(at);
        let begin = (at + skipped).saturating_sub(center).min(data.len());
        let samples = wavelet.iter().skip(skipped);
        data[begin..].iter_mut().zip(samples).for_each(|(sum, sample)| *sum += spike * sample);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::events::{Moveout, dip, dip_azimuth};

    const TIME: RegularAxis = RegularAxis { origin: 0.0, step: 1.0, len: 5 };

    fn at(sample: f64) -> SeismicEvent<0> {
        let moveout = Moveout::Linear { intercept: sample, slowness: [] };
        SeismicEvent { amplitude: 2.0, moveout }
    }

    fn trace(sample: f64, wavelet: &[f64]) -> [Vec<f64>; 2] {
        let gather = events([], TIME, &[at(sample)], wavelet).unwrap();
        [gather.spikes, gather.data].map(|array| array.to_vec::<f64>().unwrap())
    }

    #[test]
    fn spikes_between_samples_are_divided_and_those_beside_the_axis_are_nowhere() {
        assert_eq!(trace(1.25, &[1.0])[0], [0.0, 1.5, 0.5, 0.0, 0.0]);
        assert_eq!(trace(4.0, &[1.0])[0], [0.0, 0.0, 0.0, 0.0, 2.0]);
        assert_eq!(trace(4.5, &[1.0])[0], [0.0, 0.0, 0.0, 0.0, 1.0]);
        // PyLops: [2.5, -0.5, 0, 0, 0].
        assert_eq!(trace(-0.25, &[1.0])[0], [1.5, 0.0, 0.0, 0.0, 0.0]);
        for beside in [-1.0, 5.0, -1e300, 1e300] {
            assert_eq!(trace(beside, &[1.0])[0], [0.0; 5], "{beside}");
        }
    }

    #[test]
    fn wavelets_are_centred_and_begin_before_a_spike_after_the_last_time() {
        let wavelet = [1.0, 10.0, 100.0];
        assert_eq!(trace(0.0, &wavelet)[1], [20.0, 200.0, 0.0, 0.0, 0.0]);
        assert_eq!(trace(2.0, &wavelet)[1], [0.0, 2.0, 20.0, 200.0, 0.0]);
        let [spikes, data] = trace(5.0, &wavelet);
        assert_eq!((spikes, data), (vec![0.0; 5], vec![0.0, 0.0, 0.0, 0.0, 2.0]));
        // Of an even number of samples, and longer than the trace.
        assert_eq!(trace(1.0, &[1.0, 10.0])[1], [2.0, 20.0, 0.0, 0.0, 0.0]);
        let long: Vec<f64> = (0..13).map(f64::from).collect();
        assert_eq!(trace(0.0, &long)[1], [12.0, 14.0, 16.0, 18.0, 20.0]);
    }

    #[test]
    fn gathers_without_traces_or_times_are_empty() {
        let none = events([&[], &[1.0]], TIME, &[], &[1.0]).unwrap();
        assert_eq!((none.spikes.shape(), none.data.shape()), (&[0, 1, 5][..], &[0, 1, 5][..]));
        let none = events([&[1.0]], RegularAxis { len: 0, ..TIME }, &[], &[1.0, 2.0, 3.0]).unwrap();
        assert_eq!(none.data.shape(), [1, 0]);
        assert!(RegularAxis { len: 0, ..TIME }.lags().unwrap().is_empty());
        assert_eq!(RegularAxis { len: 1, ..TIME }.lags().unwrap(), [0.0]);
        assert_eq!(RegularAxis { len: 3, ..TIME }.lags().unwrap(), [-2.0, -1.0, 0.0, 1.0, 2.0]);
    }

    #[test]
    fn hyperbolas_far_away_do_not_overflow() {
        let far = Moveout::Hyperbolic { intercept: -3e200, velocity: [1e-10, -1.0] };
        assert!((far.at([4e190, 0.0]) / 5e200 - 1.0).abs() < 1e-15);
    }

    #[test]
    fn parameters_that_make_no_gather_are_refused() {
        let made = |time, amplitude, wavelet: &[f64]| {
            events([], time, &[SeismicEvent { amplitude, ..at(1.0) }], wavelet).map(drop)
        };
        assert!(made(TIME, 1.0, &[1.0]).is_ok());
        for step in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(made(RegularAxis { step, ..TIME }, 1.0, &[1.0]).is_err());
        }
        assert!(made(RegularAxis { origin: f64::NAN, ..TIME }, 1.0, &[1.0]).is_err());
        assert!(made(RegularAxis { len: usize::MAX, ..TIME }, 1.0, &[1.0, 2.0]).is_err());
        assert!(made(TIME, f64::INFINITY, &[1.0]).is_err());
        assert!(made(TIME, 1.0, &[]).is_err() && made(TIME, 1.0, &[f64::NAN]).is_err());
        assert!(events([&[f64::NAN]], TIME, &[], &[1.0]).is_err());
        let still = Moveout::Hyperbolic { intercept: 1.0, velocity: [0.0] };
        let still = [SeismicEvent { amplitude: 1.0, moveout: still }];
        let error = events([&[1.0]], TIME, &still, &[1.0]).unwrap_err();
        assert!(error.to_string().contains("velocities not zero"), "{error}");
        assert!(dip(0.0, 1.0).is_err() && dip_azimuth(1.0, f64::NAN, 0.0).is_err());
    }
}
