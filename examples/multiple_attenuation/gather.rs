//! Gathers of traces at growing offsets: made up, and without the moveout of primaries.

use ndarray::Array2;

use crate::common::section::ricker;

/// How often a time may be stretched by taking out moveout; more of it leaves no wavelet.
const MOST_STRETCH: f64 = 1.6;

/// Where and when traces were recorded, and how fast primaries come. Metres and seconds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Survey {
    pub(crate) step: f64,
    /// The first one, and from one to the next.
    pub(crate) offsets: [f64; 2],
    /// At time 0, and what it gains in each second.
    pub(crate) velocity: [f64; 2],
}

impl Survey {
    /// The offset of a trace.
    pub(crate) fn offset(&self, trace: usize) -> f64 {
        self.offsets[0] + trace as f64 * self.offsets[1]
    }

    /// How far the farthest of so many traces is.
    pub(crate) fn farthest(&self, traces: usize) -> f64 {
        let ends = [0, traces.saturating_sub(1)].map(|trace| self.offset(trace).abs());
        ends[0].max(ends[1])
    }

    fn velocity(&self, time: f64) -> f64 {
        self.velocity[0] + self.velocity[1] * time
    }

    /// When what comes at `time` without offset comes with one.
    fn arrival(&self, time: f64, offset: f64, slower: f64) -> f64 {
        time.hypot(offset / (slower * self.velocity(time)))
    }

    /// Primaries and slower multiples, and the primaries alone.
    pub(crate) fn generated(&self) -> (Array2<f64>, Option<Array2<f64>>) {
        const PRIMARIES: [(f64, f64); 4] = [(0.5, 1.0), (0.9, -0.8), (1.3, 0.7), (1.65, -0.6)];
        const MULTIPLES: [(f64, f64); 3] = [(0.8, 0.8), (1.2, -0.7), (1.6, 0.7)];
        // Of the wavelet, in hertz.
        const PEAK: f64 = 20.0;
        let events = |events: &[(f64, f64)], slower: f64| {
            Array2::from_shape_fn((48, 480), |(trace, sample)| {
                let t = sample as f64 * self.step;
                let event = |&(time, strength): &(f64, f64)| {
                    let arrival = self.arrival(time, self.offset(trace), slower);
                    strength * ricker(PEAK * (t - arrival))
                };
                events.iter().map(event).sum::<f64>()
            })
        };
        let primaries = events(&PRIMARIES, 1.0);
        (&primaries + &events(&MULTIPLES, 0.8), Some(primaries))
    }

    /// The gather with primaries at the time they have without offset, by linear interpolation; zeros where that stretches too much.
    pub(crate) fn flattened(&self, gather: &Array2<f64>) -> Array2<f64> {
        let samples = gather.ncols();
        Array2::from_shape_fn(gather.dim(), |(trace, sample)| {
            let time = sample as f64 * self.step;
            let arrival = self.arrival(time, self.offset(trace), 1.0);
            let place = arrival / self.step;
            let before = place.floor() as usize;
            if arrival > MOST_STRETCH * time || before + 1 >= samples {
                return 0.0;
            }
            let share = place - before as f64;
            (1.0 - share) * gather[(trace, before)] + share * gather[(trace, before + 1)]
        })
    }
}
