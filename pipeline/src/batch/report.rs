//! What a run has done, device by device.

use std::fmt;
use std::time::Duration;

use arrayspan_devices::Device;

use super::slot::Stages;
use super::spans::Spans;

/// What a run has done so far.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct BatchReport {
    /// From the start of the run to the last result, or to now while there are more.
    pub wall: Duration,
    /// One for each device given, in that order.
    pub devices: Vec<BatchDeviceReport>,
}

/// What one device has done for a run. Times are those in which at least one slot was uploading (computing,
/// downloading), by the device's own clock.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct BatchDeviceReport {
    /// Which.
    pub device: Device,
    /// Batches done.
    pub batches: usize,
    /// Bytes brought to the device.
    pub bytes_in: usize,
    /// Bytes of results brought to the host.
    pub bytes_out: usize,
    /// Batches that ran out of memory and were run again alone.
    pub retried: usize,
    /// Parts that those were split into, beyond one each.
    pub splits: usize,
    /// Whether the device failed for good during the run.
    pub lost: bool,
    /// How long it was uploading; `None` where the driver keeps no times.
    pub upload: Option<Duration>,
    /// How long it was computing.
    pub compute: Option<Duration>,
    /// How long it was downloading.
    pub download: Option<Duration>,
    /// The part of the run's time in which it was computing, from 0 to 1.
    pub utilisation: Option<f64>,
}

impl fmt::Display for BatchReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.2} ms", milliseconds(self.wall))?;
        self.devices.iter().try_for_each(|device| write!(f, "\n{device}"))
    }
}

impl fmt::Display for BatchDeviceReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let megabytes = |bytes: usize| bytes as f64 / 1e6;
        let (name, batches) = (self.device.to_string(), self.batches);
        let (bytes_in, bytes_out) = (megabytes(self.bytes_in), megabytes(self.bytes_out));
        write!(f, "{name:9} {batches} batches, {bytes_in:.1} MB in, {bytes_out:.1} MB out")?;
        if let (Some(up), Some(compute), Some(down)) = (self.upload, self.compute, self.download) {
            let [up, compute, down] = [up, compute, down].map(milliseconds);
            write!(f, "; busy up {up:.2}, compute {compute:.2}, down {down:.2} ms")?;
        }
        if let Some(utilisation) = self.utilisation {
            write!(f, "; {:.0} % used", 100.0 * utilisation)?;
        }
        if self.retried > 0 {
            write!(f, "; {} run again, {} splits", self.retried, self.splits)?;
        }
        if self.lost { f.write_str("; lost") } else { Ok(()) }
    }
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// What is counted while a run goes on.
#[derive(Clone, Debug)]
pub(super) struct Counts {
    pub(super) device: Device,
    batches: usize,
    bytes_in: usize,
    bytes_out: usize,
    pub(super) retried: usize,
    pub(super) splits: usize,
    pub(super) lost: bool,
    /// Of uploads, computing and downloads, while the driver keeps times.
    spans: Option<[Spans; 3]>,
}

impl Counts {
    pub(super) fn new(device: Device) -> Self {
        Self {
            device,
            batches: 0,
            bytes_in: 0,
            bytes_out: 0,
            retried: 0,
            splits: 0,
            lost: false,
            spans: Some(Default::default()),
        }
    }

    /// One batch has gone through these stages, one after the other if it was split.
    pub(super) fn add(&mut self, stages: &[Stages]) {
        self.batches += 1;
        for stage in stages {
            self.bytes_in += stage.bytes_in;
            self.bytes_out += stage.bytes_out;
            match (&mut self.spans, stage.times) {
                (Some([upload, compute, download]), Some([a, b, c, d, e])) => {
                    upload.add(a, b);
                    compute.add(c, d);
                    download.add(d, e);
                }
                _ => self.spans = None,
            }
        }
    }

    pub(super) fn report(&self, wall: Duration) -> BatchDeviceReport {
        let total = |stage: usize| self.spans.as_ref().map(|spans| spans[stage].total());
        let compute = total(1);
        let part = |time: Duration| (time.as_secs_f64() / wall.as_secs_f64()).min(1.0);
        BatchDeviceReport {
            device: self.device,
            batches: self.batches,
            bytes_in: self.bytes_in,
            bytes_out: self.bytes_out,
            retried: self.retried,
            splits: self.splits,
            lost: self.lost,
            upload: total(0),
            compute,
            download: total(2),
            utilisation: compute.filter(|_| !wall.is_zero()).map(part),
        }
    }
}
