//! How a convolution with filters that change is walked: the axes of threads, and blocks of taps.

use std::sync::Arc;

use arrayspan_bridge::devices::Stream;
use arrayspan_bridge::{DType, Layout};
use num_complex::Complex64;

use super::super::tables::{Uploaded, send, weights};
use crate::varying_convolution::Along;
use crate::{Result, VaryingConvolution};

/// Taps of a block along an axis, at most.
const BLOCK: usize = 16;

/// The axes of threads: that of planes, that of rows and that of lanes, by number among those of arrays.
pub(super) type Roles = [Option<usize>; 3];

/// Taps along an axis, in blocks of nearly the same size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Blocks {
    pub(super) each: usize,
    pub(super) count: usize,
}

impl Blocks {
    fn of(taps: usize) -> Self {
        let count = taps.div_ceil(BLOCK);
        Self { each: taps.div_ceil(count), count }
    }

    /// Whether zeros fill them up.
    pub(super) fn are_filled(self, taps: usize) -> bool {
        self.each * self.count > taps
    }
}

/// The order of weights: filters by place along each axis of threads, taps along that of planes, blocks along that of rows and along that of
/// lanes, taps of a block along lanes and those along rows, with zeros behind them.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(in crate::gpu) struct Order {
    pub(super) roles: Roles,
    /// Along rows and along lanes.
    pub(super) height: Blocks,
    pub(super) width: Blocks,
    /// Weights of a block along rows, with those zeros.
    pub(super) padded: usize,
    /// Elements along the axes of threads.
    extents: [usize; 3],
}

impl Order {
    /// That of a result of such a layout, with weights of so many to 16 bytes: lanes are along the own axis with the shortest steps.
    pub(super) fn new(convolution: &VaryingConvolution, y: &Layout, quad: usize) -> Self {
        let step = |axis: &usize| y.strides()[*axis].unsigned_abs();
        let mut own: Vec<usize> = convolution.along().iter().map(|along| along.axis).collect();
        own.sort_by_key(step);
        let mut roles = [own.get(2).copied(), own.get(1).copied(), own.first().copied()];
        if roles[1].is_none() {
            let others = (0..y.rank()).filter(|axis| !own.contains(axis));
            roles[1] = others.min_by_key(step);
        }
        let extents = roles.map(|role| role.map_or(1, |axis| y.shape()[axis]));
        let [_, beside, lanes] = roles.map(|role| along(convolution, role));
        let (height, width) = (Blocks::of(beside.taps), Blocks::of(lanes.taps));
        let padded = height.each.next_multiple_of(quad);
        Self { roles, height, width, padded, extents }
    }

    /// What is along each axis of threads.
    pub(super) fn along(&self, convolution: &VaryingConvolution) -> [Along; 3] {
        self.roles.map(|role| along(convolution, role))
    }

    /// Weights before the filters: where samples are between places, in whole parts of 16 bytes.
    pub(super) fn shares(&self, quad: usize) -> usize {
        self.extents.iter().sum::<usize>().next_multiple_of(quad)
    }

    /// How many weights filters have.
    pub(super) fn len(&self, convolution: &VaryingConvolution) -> usize {
        let along = self.along(convolution);
        let places: usize = along.iter().map(|along| along.places.len()).product();
        let block = self.padded * self.width.each;
        places * along[0].taps * self.height.count * self.width.count * block
    }

    /// The weights of all filters.
    fn filters(&self, convolution: &VaryingConvolution) -> Vec<Complex64> {
        let along = self.along(convolution);
        let own = |role: usize| {
            let of_axis = |axis| convolution.along().iter().position(|own| own.axis == axis);
            self.roles[role].and_then(of_axis)
        };
        let own = [own(0), own(1), own(2)];
        let (mut places, mut times) = ([0; 3], [0; 3]);
        let count = convolution.along().len();
        let mut all = Vec::with_capacity(self.len(convolution));
        let counts = along.each_ref().map(|along| along.places.len());
        for at in 0..counts.iter().product() {
            let place = [at / counts[2] / counts[1], at / counts[2] % counts[1], at % counts[2]];
            let blocks = [along[0].taps, self.height.count, self.width.count];
            for block in 0..blocks.iter().product() {
                let plane = block / blocks[2] / blocks[1];
                let (b, c) = (block / blocks[2] % blocks[1], block % blocks[2]);
                for k in 0..self.width.each {
                    for t in 0..self.padded {
                        let time = [plane, b * self.height.each + t, c * self.width.each + k];
                        let there = t < self.height.each
                            && time.iter().zip(&along).all(|(time, along)| *time < along.taps);
                        for (role, number) in own.iter().enumerate() {
                            if let Some(number) = number {
                                (places[*number], times[*number]) = (place[role], time[role]);
                            }
                        }
                        let tap = there.then(|| convolution.tap(&places[..count], &times[..count]));
                        all.push(tap.unwrap_or(Complex64::ZERO));
                    }
                }
            }
        }
        all
    }
}

/// That of an axis of arrays; one tap that is the same everywhere along one that is not a convolution's own.
fn along(convolution: &VaryingConvolution, role: Option<usize>) -> Along {
    let own = convolution.along().iter().find(|along| Some(along.axis) == role);
    own.cloned().unwrap_or_else(Along::nothing)
}

/// Copies the place before each sample along the axes of threads to `stream`'s device, and how far it is to the next one, followed by all
/// weights.
pub(in crate::gpu) fn upload(
    convolution: &VaryingConvolution,
    order: &Order,
    dtype: DType,
    stream: &Stream,
) -> Result<Uploaded> {
    let complex = !convolution.is_real();
    let along = order.along(convolution);
    let samples = || along.iter().zip(order.extents);
    let around = || samples().flat_map(|(along, extent)| (0..extent).map(|at| along.around(at)));
    let places =
        send(around().map(|(place, _)| place as i32).collect::<Vec<_>>().into_iter(), stream)?;
    let mut all: Vec<Complex64> = around().map(|(_, share)| share.into()).collect();
    all.resize(order.shares(quad(dtype, complex)), Complex64::ZERO);
    all.extend(order.filters(convolution));
    let factors = weights(all.into_iter(), dtype, complex, stream)?;
    Ok(Arc::new((places, factors)))
}

/// Weights of 16 bytes.
pub(super) fn quad(dtype: DType, complex: bool) -> usize {
    16 / if complex { dtype.bytes() } else { dtype.real().bytes() }
}
