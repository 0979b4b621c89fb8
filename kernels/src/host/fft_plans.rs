//! Plans of Fourier transforms on the host, kept from one call to the next.

use std::collections::HashMap;
use std::sync::{Arc, Once};

use arrayspan_bridge::devices::reclaim::{self, Holdings, Reclaim, Stage};
use arrayspan_bridge::devices::{Device, Result};
use parking_lot::Mutex;
use realfft::{ComplexToReal, RealFftPlanner, RealToComplex};
use rustfft::{Fft, FftDirection, FftNum, FftPlanner};

use super::cosines::Cosines;
use super::scalar::Scalar;

/// The most plans that are kept of a precision: more than a program uses at once.
const MOST_PLANS: usize = 64;

/// How a line is transformed, by the crates `rustfft` and `realfft`.
#[derive(Clone)]
pub(super) enum Plan<T> {
    Complex(Arc<dyn Fft<T>>),
    ToHalf(Arc<dyn RealToComplex<T>>),
    FromHalf(Arc<dyn ComplexToReal<T>>),
    ToCosines(Arc<dyn RealToComplex<T>>, Arc<Cosines<T>>),
    FromCosines(Arc<dyn ComplexToReal<T>>, Arc<Cosines<T>>),
}

/// What a plan is made for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Kind {
    /// With a positive exponent or a negative one.
    Complex {
        positive: bool,
    },
    /// From real numbers to half a spectrum, with a negative exponent.
    ToHalf,
    /// The other way round, with a positive one.
    FromHalf,
    /// From real numbers to sums of their products with cosines, and the other way round.
    ToCosines,
    FromCosines,
}

/// A precision that plans are made of.
pub(super) trait Planned: FftNum + Scalar {
    fn plans() -> &'static Plans<Self>;
}

static SINGLE: Plans<f32> = Plans::new();
static DOUBLE: Plans<f64> = Plans::new();

impl Planned for f32 {
    fn plans() -> &'static Plans<Self> {
        &SINGLE
    }
}

impl Planned for f64 {
    fn plans() -> &'static Plans<Self> {
        &DOUBLE
    }
}

/// The plans of a precision, by kinds and numbers of points.
pub(super) struct Plans<T>(Mutex<Option<Kept<T>>>);

type Kept<T> = HashMap<(Kind, usize), Plan<T>>;

impl<T: Planned> Plans<T> {
    const fn new() -> Self {
        Self(Mutex::new(None))
    }

    /// That of so many points.
    pub(super) fn get(&self, kind: Kind, points: usize) -> Plan<T> {
        static REGISTERED: Once = Once::new();
        REGISTERED.call_once(|| reclaim::register(&HOST));
        let key = (kind, points);
        if let Some(plan) = self.0.lock().as_ref().and_then(|plans| plans.get(&key)) {
            return plan.clone();
        }
        // Not under the lock: long plans take long. Two threads may make one plan; that of the first stays.
        let made = Plan::new(kind, points);
        let mut kept = self.0.lock();
        let plans = kept.get_or_insert_default();
        let full = plans.len() >= MOST_PLANS && !plans.contains_key(&key);
        let old = if full { std::mem::take(plans) } else { HashMap::new() };
        let plan = plans.entry(key).or_insert(made).clone();
        drop(kept);
        drop(old);
        plan
    }

    /// About the bytes of the plans: factors for as many points each.
    fn bytes(plans: Option<&Kept<T>>) -> usize {
        let each = plans.into_iter().flat_map(HashMap::keys);
        each.map(|(_, points)| points.saturating_mul(2 * size_of::<T>())).sum()
    }

    fn kept(&self) -> usize {
        Self::bytes(self.0.lock().as_ref())
    }

    fn clear(&self) -> usize {
        let plans = self.0.lock().take();
        Self::bytes(plans.as_ref())
    }
}

impl<T: Planned> Plan<T> {
    fn new(kind: Kind, points: usize) -> Self {
        match kind {
            Kind::Complex { positive } => {
                let direction =
                    if positive { FftDirection::Inverse } else { FftDirection::Forward };
                Self::Complex(FftPlanner::new().plan_fft(points, direction))
            }
            Kind::ToHalf => Self::ToHalf(RealFftPlanner::new().plan_fft_forward(points)),
            Kind::FromHalf => Self::FromHalf(RealFftPlanner::new().plan_fft_inverse(points)),
            Kind::ToCosines => {
                let plan = RealFftPlanner::new().plan_fft_forward(points);
                Self::ToCosines(plan, Arc::new(Cosines::new(points)))
            }
            Kind::FromCosines => {
                let plan = RealFftPlanner::new().plan_fft_inverse(points);
                Self::FromCosines(plan, Arc::new(Cosines::new(points)))
            }
        }
    }

    /// Elements of the scratch memory that it takes.
    pub(super) fn scratch(&self) -> usize {
        match self {
            Self::Complex(plan) => plan.get_inplace_scratch_len(),
            Self::ToHalf(plan) | Self::ToCosines(plan, _) => plan.get_scratch_len(),
            Self::FromHalf(plan) | Self::FromCosines(plan, _) => plan.get_scratch_len(),
        }
    }
}

/// Forgets plans when the host's memory is short; who needs one makes it again.
#[derive(Debug)]
struct HostPlans;

static HOST: HostPlans = HostPlans;

impl Reclaim for HostPlans {
    fn name(&self) -> &'static str {
        "plans of Fourier transforms on the host"
    }

    fn stage(&self) -> Stage {
        Stage::Plans
    }

    fn holdings(&self, device: Device) -> Option<Holdings> {
        if !device.is_cpu() {
            return None;
        }
        let reserved_bytes = SINGLE.kept() + DOUBLE.kept();
        Some(Holdings { reserved_bytes, ..Holdings::default() })
    }

    fn release(&self, device: Device) -> Result<Option<usize>> {
        Ok(Some(if device.is_cpu() { SINGLE.clear() + DOUBLE.clear() } else { 0 }))
    }
}
