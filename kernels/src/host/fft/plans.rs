//! Plans of Fourier transforms on the host, kept from one call to the next.

use std::cell::Cell;
use std::collections::HashMap;
use std::sync::{Arc, Once};
use std::thread::LocalKey;

use arrayspan_bridge::devices::reclaim::{self, Holdings, Reclaim, Stage};
use arrayspan_bridge::devices::{Device, Result};
use parking_lot::Mutex;
use realfft::{ComplexToReal, RealFftPlanner, RealToComplex};
use rustfft::{Fft, FftDirection, FftNum, FftPlanner};

use super::cosines::Cosines;
use super::kind::Kind;
use super::together::Together;
use super::transpose::Transpose;
use crate::host::scalar::Scalar;

/// The most plans that are kept of a precision: more than a program uses at once.
const MOST_PLANS: usize = 64;

/// How a line is transformed, by the crates `rustfft` and `realfft`, or how several are.
#[derive(Clone)]
pub(in crate::host) enum Plan<T> {
    Together(Arc<Together<T>>),
    Complex(Arc<dyn Fft<T>>),
    ToHalf(Arc<dyn RealToComplex<T>>),
    FromHalf(Arc<dyn ComplexToReal<T>>),
    ToCosines(Arc<dyn RealToComplex<T>>, Arc<Cosines<T>>),
    FromCosines(Arc<dyn ComplexToReal<T>>, Arc<Cosines<T>>),
}

/// A precision that plans are made of.
pub(in crate::host) trait Planned: FftNum + Scalar + Transpose {
    fn plans() -> &'static Plans<Self>;
    /// Room that a thread keeps.
    fn held() -> &'static LocalKey<Cell<Vec<Self>>>;
}

static SINGLE: Plans<f32> = Plans::new();
static DOUBLE: Plans<f64> = Plans::new();

thread_local! {
    static HELD_SINGLE: Cell<Vec<f32>> = const { Cell::new(Vec::new()) };
    static HELD_DOUBLE: Cell<Vec<f64>> = const { Cell::new(Vec::new()) };
}

impl Planned for f32 {
    fn plans() -> &'static Plans<Self> {
        &SINGLE
    }

    fn held() -> &'static LocalKey<Cell<Vec<Self>>> {
        &HELD_SINGLE
    }
}

impl Planned for f64 {
    fn plans() -> &'static Plans<Self> {
        &DOUBLE
    }

    fn held() -> &'static LocalKey<Cell<Vec<Self>>> {
        &HELD_DOUBLE
    }
}

/// The plans of a precision.
pub(in crate::host) struct Plans<T>(Mutex<Option<Kept<T>>>);

/// Plans by kinds, whether they are for several lines at once, and numbers of points.
type Kept<T> = HashMap<(Kind, bool, usize), Plan<T>>;

impl<T: Planned> Plans<T> {
    const fn new() -> Self {
        Self(Mutex::new(None))
    }

    /// That of so many points, of several lines at once if it is to be and can be.
    pub(in crate::host) fn get(&self, kind: Kind, several: bool, points: usize) -> Plan<T> {
        static REGISTERED: Once = Once::new();
        REGISTERED.call_once(|| reclaim::register(&HOST));
        let key = (kind, several, points);
        if let Some(plan) = self.0.lock().as_ref().and_then(|plans| plans.get(&key)) {
            return plan.clone();
        }
        // Not under the lock: long plans take long. Two threads may make one plan; that of the first stays.
        let together = several.then(|| Together::new(kind, points)).flatten();
        let made =
            together.map_or_else(|| Plan::new(kind, points), |plan| Plan::Together(Arc::new(plan)));
        let mut kept = self.0.lock();
        let plans = kept.get_or_insert_default();
        let full = plans.len() >= MOST_PLANS && !plans.contains_key(&key);
        let old = if full { std::mem::take(plans) } else { HashMap::new() };
        let plan = plans.entry(key).or_insert(made).clone();
        drop(kept);
        drop(old);
        plan
    }

    /// About the bytes of the plans: factors for as many points each, at least.
    fn bytes(plans: Option<&Kept<T>>) -> usize {
        let each = plans.into_iter().flat_map(HashMap::keys);
        each.map(|(_, _, points)| points.saturating_mul(2 * size_of::<T>())).sum()
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
    pub(in crate::host) fn scratch(&self) -> usize {
        match self {
            Self::Together(_) => 0,
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
