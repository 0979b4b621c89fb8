//! What must become of a tensor from outside, written down without regard to order or speed.

use std::collections::BTreeSet;

use arrayspan_bridge::DType;
use arrayspan_bridge::dlpack::UnknownFlags;

use super::{Block, Hostile};
use crate::common::producer::Producer;

/// What must become of a tensor.
#[derive(Debug)]
pub(crate) enum Verdict {
    /// Refused for one of these fields.
    Refused(BTreeSet<&'static str>),
    /// An array of these extents.
    Accepted(Accepted),
}

#[derive(Debug)]
pub(crate) struct Accepted {
    pub(crate) dtype: DType,
    pub(crate) shape: Vec<usize>,
    pub(crate) writable: bool,
    /// Where each element begins, row-major, in bytes from the start of the memory. `None` if there are too many to
    /// look at, or if the tensor claims memory that is not there.
    pub(crate) places: Option<Vec<i32>>,
}

/// More than these elements are not looked at.
const MANY: i128 = if cfg!(miri) { 50 } else { 2000 };

/// Every field that something is wrong with.
struct Found(BTreeSet<&'static str>);

impl Found {
    fn refuse(&mut self, field: &'static str, wrong: bool) {
        if wrong {
            self.0.insert(field);
        }
    }
}

impl Found {
    /// Any of the fields that cannot even be read while others are wrong may be named too.
    fn verdict(mut self) -> Verdict {
        self.0.extend(["shape", "strides", "data", "byte_offset"]);
        Verdict::Refused(self.0)
    }
}

pub(crate) fn judge(hostile: &Hostile, producer: &Producer, block: &Block) -> Verdict {
    if !hostile.legacy && producer.major != 1 {
        return Verdict::Refused(["version.major"].into());
    }
    let flags = if hostile.legacy { 0 } else { producer.flags };
    let found = alone(hostile, producer, flags);
    if !found.0.is_empty() {
        return found.verdict();
    }
    together(hostile, producer, block, flags & 1 == 0)
}

/// What is wrong with each field by itself.
fn alone(hostile: &Hostile, producer: &Producer, flags: u64) -> Found {
    let mut found = Found(BTreeSet::new());
    let strict = hostile.options().unknown_flags == UnknownFlags::Refuse;
    found.refuse("flags", flags > 7 && strict);
    found.refuse("device.device_type", ![1, 3].contains(&producer.device.0));
    found.refuse("device.device_id", producer.device.1 != 0);
    let (code, bits, lanes) = producer.dtype;
    let known = DType::from_dlpack(code, bits);
    let padded = flags & 4 != 0;
    if hostile.packed {
        let integer = code < 2 && [1, 2, 4].contains(&bits);
        found.refuse("dtype", !integer && (known.is_none() || bits >= 8));
        found.refuse("flags", padded);
    } else {
        found.refuse("dtype", known.is_none());
        found.refuse("dtype.bits", bits < 8 && !padded);
    }
    found.refuse("dtype.lanes", lanes == 0);
    found.refuse("ndim", !(0..=64).contains(&producer.ndim));
    found.refuse("shape", producer.ndim > 0 && producer.shape.is_none());
    found
}

/// What is wrong with fields that are fine by themselves, or which array they describe.
fn together(hostile: &Hostile, producer: &Producer, block: &Block, writable: bool) -> Verdict {
    let mut found = Found(BTreeSet::new());
    let (code, bits, lanes) = producer.dtype;
    let known = DType::from_dlpack(code, bits);
    let dtype = if hostile.packed { DType::UInt8 } else { known.unwrap() };
    let size = dtype.bytes() as i128;
    let lanes = i128::from(lanes);
    let wide =
        |of: &[i64], scale: i128| of.iter().map(|&n| i128::from(n) * scale).collect::<Vec<_>>();
    let mut shape = wide(producer.shape.as_deref().unwrap_or_default(), 1);
    let mut strides = producer.strides.as_deref().map(|strides| wide(strides, lanes));
    if let Some(strides) = &strides {
        let fits = |&stride: &i128| isize::try_from(stride).is_ok();
        found.refuse("strides", producer.ndim > 0 && !strides.iter().all(fits));
    }
    if lanes > 1 {
        shape.push(lanes);
        if let Some(strides) = &mut strides {
            strides.push(1);
        }
    }
    found.refuse("shape", shape.iter().any(|&extent| extent < 0));
    // At each step what came before fits 63 bits, so that nothing overflows.
    let fits = |n: i128| (n <= isize::MAX as i128).then_some(n);
    let counted = shape.iter().try_fold(1, |n: i128, &extent| fits(n * extent.max(1)));
    let empty = shape.contains(&0);
    let len = if empty { 0 } else { counted.unwrap_or(0) };
    found.refuse("shape", counted.is_none() || len * size > isize::MAX as i128);
    if !found.0.is_empty() {
        return found.verdict();
    }

    let mut dense = vec![1; shape.len()];
    for axis in (1..shape.len()).rev() {
        dense[axis - 1] = dense[axis] * shape[axis].max(1);
    }
    let mut strides = strides.unwrap_or_else(|| dense.clone());
    if hostile.packed {
        let in_order = |axis: usize| shape[axis] == 1 || strides[axis] == dense[axis];
        found.refuse("strides", !empty && !(0..shape.len()).all(in_order));
        let bits = len * i128::from(bits);
        found.refuse("shape", bits > usize::MAX as i128);
        shape = vec![(bits + 7) / 8];
        strides = vec![1];
    }
    let ends = |low: bool| -> i128 {
        let reach = |(&extent, &stride): (&i128, &i128)| (extent - 1) * stride;
        let ways = shape.iter().zip(&strides).map(reach);
        ways.map(|reach| if low { reach.min(0) } else { reach.max(0) }).sum()
    };
    let data = producer.handle.unwrap() as i128;
    let first = data + i128::from(producer.byte_offset);
    let mut places = Some(Vec::new());
    if !empty {
        found.refuse("data", data == 0);
        found.refuse("byte_offset", first > usize::MAX as i128);
        let aligned_to = dtype.real().bytes() as i128;
        let asked = (hostile.options().alignment as i128).max(1);
        found.refuse("data", first % aligned_to != 0 || first % asked != 0);
        let (lowest, span) = (first + ends(true) * size, (ends(false) - ends(true) + 1) * size);
        let addressable = lowest > 0 && lowest + span <= usize::MAX as i128;
        found.refuse("strides", !addressable || span > isize::MAX as i128);
        let start = block.address as i128;
        let honest = lowest >= start && lowest + span <= start + block.bytes.len() as i128;
        let few = shape.iter().product::<i128>() <= MANY;
        places = (honest && few).then(|| all(&shape, &strides, first - start, size));
    }
    if let (DType::Bool, Some(places)) = (dtype, &places) {
        found.refuse("data", places.iter().any(|&place| block.bytes[place as usize] > 1));
    }
    if !found.0.is_empty() {
        return Verdict::Refused(found.0);
    }
    let shape = shape.into_iter().map(|extent| extent as usize).collect();
    Verdict::Accepted(Accepted { dtype, shape, writable, places })
}

/// Where every element begins.
fn all(shape: &[i128], strides: &[i128], first: i128, size: i128) -> Vec<i32> {
    let mut places = vec![first];
    for (&extent, &stride) in shape.iter().zip(strides) {
        let along = |&place: &i128| (0..extent).map(move |i| place + i * stride * size);
        places = places.iter().flat_map(along).collect();
    }
    places.into_iter().map(|place| place as i32).collect()
}
