//! The weights of a convolution on a device, in the order in which threads take them.

use std::sync::Arc;

use arrayspan_bridge::devices::Stream;
use arrayspan_bridge::{Array, DType};
use num_complex::Complex64;

use super::super::tables::{Uploaded, weights};
use super::roles::Roles;
use super::shape::Shape;
use crate::{Convolution, Result};

/// The order of weights: blocks along the march, taps along other axes, blocks along the axis of rows, taps along the lanes, those of a block
/// along the axis of rows, and those of a block along the march, with zeros behind them.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(in crate::gpu) struct Order {
    pub(super) roles: Roles,
    pub(super) shape: Shape,
    /// Weights of a block along the march, with those zeros.
    pub(super) padded: usize,
}

impl Order {
    /// How many weights there are.
    pub(super) fn len(&self, extra: usize) -> usize {
        self.shape.columns(extra) * self.padded
    }

    /// All of them.
    fn weights(&self, convolution: &Convolution) -> Vec<Complex64> {
        let taps = convolution.taps();
        let [march, beside, lanes] = [self.roles.march, self.roles.beside, Some(self.roles.lanes)]
            .map(|axis| {
                axis.map_or((1, 0), |axis| (convolution.along(axis).0, convolution.step(axis)))
            });
        let Shape { depth, height, .. } = self.shape;
        let mut extra = vec![0];
        for axis in &self.roles.extra {
            let (count, stride) = (convolution.along(*axis).0, convolution.step(*axis));
            extra = extra.iter().flat_map(|at| (0..count).map(move |k| at + k * stride)).collect();
        }
        let mut all = Vec::with_capacity(self.len(extra.len()));
        for a in 0..depth.count {
            for at in &extra {
                for b in 0..height.count {
                    for k in 0..lanes.0 {
                        for t in (0..height.each).map(|t| b * height.each + t) {
                            let of = |d: usize| {
                                let tap = a * depth.each + d;
                                let own = d < depth.each && tap < march.0 && t < beside.0;
                                own.then(|| at + k * lanes.1 + t * beside.1 + tap * march.1)
                            };
                            let weight = |d| of(d).map_or(Complex64::ZERO, |place| taps[place]);
                            all.extend((0..self.padded).map(weight));
                        }
                    }
                }
            }
        }
        all
    }
}

/// All of them, as a kernel takes them by value.
pub(super) fn by_value(convolution: &Convolution, order: &Order, dtype: DType) -> Arc<[u8]> {
    let all = order.weights(convolution).into_iter();
    let (single, complex) = (dtype.real() == DType::Float32, !convolution.is_real());
    let parts =
        all.flat_map(|weight| [weight.re, weight.im].into_iter().take(1 + usize::from(complex)));
    if single {
        let parts: Vec<f32> = parts.map(|part| part as f32).collect();
        bytemuck::cast_slice(&parts).into()
    } else {
        let parts: Vec<f64> = parts.collect();
        bytemuck::cast_slice(&parts).into()
    }
}

/// Copies them to `stream`'s device, as `complex` or real numbers.
pub(in crate::gpu) fn upload(
    convolution: &Convolution,
    order: &Order,
    dtype: DType,
    stream: &Stream,
) -> Result<Uploaded> {
    let all = order.weights(convolution);
    let factors = weights(all.into_iter(), dtype, !convolution.is_real(), stream)?;
    Ok(Arc::new((Array::empty([0], DType::Int32, stream)?, factors)))
}
