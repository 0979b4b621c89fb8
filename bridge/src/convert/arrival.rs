//! Arrays where they go: as they are, or copied.

use super::imported::Held;
use super::{ConvertStep, ConvertSteps, FailedConversion, Imported, Route};
use crate::{Array, Crossing, SharedArray, Why};

impl<'a> Imported<'a> {
    /// The array where it goes, to read: itself if it is owned and there, else a copy.
    ///
    /// # Errors
    /// The refused copy; out of memory; the driver's refusal.
    pub fn shared(
        self,
        route: &Route<'_>,
        steps: &mut ConvertSteps,
    ) -> Result<SharedArray, FailedConversion<'a>> {
        match self.held {
            Held::Shared(array) if array.device() == route.device() => Ok(array),
            held => {
                let this = Self { held, ..self };
                this.copied(Why::Borrowed, ConvertStep::Import, route, steps)
                    .map(Array::into_shared)
            }
        }
    }

    /// The array where it goes, to write: itself if that is [possible](Self::into_array), else a copy.
    ///
    /// # Errors
    /// As [`shared`](Self::shared).
    pub fn exclusive(
        self,
        route: &Route<'_>,
        steps: &mut ConvertSteps,
    ) -> Result<Array, FailedConversion<'a>> {
        if self.device() != route.device() {
            return self.copied(Why::OtherDevice, ConvertStep::Transfer, route, steps);
        }
        self.into_array().or_else(|this| {
            let (why, step) = this.why_not_exclusive();
            this.copied(why, step, route, steps)
        })
    }

    /// As [`exclusive`](Self::exclusive), in row-major order without gaps.
    ///
    /// # Errors
    /// As [`shared`](Self::shared).
    pub fn contiguous(
        self,
        route: &Route<'_>,
        steps: &mut ConvertSteps,
    ) -> Result<Array, FailedConversion<'a>> {
        if self.layout().is_contiguous() {
            return self.exclusive(route, steps);
        }
        self.copied(Why::Strides, ConvertStep::Export, route, steps)
    }

    /// A row-major copy where the array goes, if that is allowed. Another device is the reason before any
    /// other.
    fn copied(
        self,
        why: Why,
        step: ConvertStep,
        route: &Route<'_>,
        steps: &mut ConvertSteps,
    ) -> Result<Array, FailedConversion<'a>> {
        match route.copy(&self.view(), why, step, steps) {
            Ok(array) => Ok(array),
            Err(error) => Err(FailedConversion::with(error, self)),
        }
    }
}

impl ConvertSteps {
    /// The array entered or left a library as it was.
    pub(crate) fn zero_copy(&mut self, step: ConvertStep) {
        if self.get(step).is_none() {
            self.record(step, Crossing::ZeroCopy);
        }
    }
}
