//! Tensors from a producer that means harm: every field says anything, over memory that really exists.
//!
//! What a tensor is made of comes from a fuzzer or from random bytes. The [`model`] says, the slow and obvious
//! way, whether it must be refused and for which fields, or which bytes its elements are; [`exercise`] holds
//! the import and all that can be done with its result against that. Only tensors whose elements lie
//! in the memory are read: of others the one who makes the capsule would have broken its promise.

pub(crate) mod exercise;
pub(crate) mod model;

use std::alloc::{Layout, alloc, dealloc};
use std::sync::{Arc, Mutex};

use arbitrary::Arbitrary;
use arrayspan_bridge::DType;
use arrayspan_bridge::dlpack::{ImportOptions, UnknownFlags};

use crate::common::Change;
use crate::common::producer::Producer;

/// All there is to know about one import.
#[derive(Arbitrary, Clone, Debug)]
pub(crate) struct Hostile {
    pub(crate) legacy: bool,
    major: Rare<u32>,
    minor: u8,
    flags: Rare<u64>,
    device: Rare<(u8, i8)>,
    kind: Kind,
    ndim: Rare<i32>,
    shape: Vec<Extent>,
    shape_is_null: Rare<bool>,
    strides: Strides,
    data: Data,
    byte_offset: Rare<u64>,
    memory: Content,
    alignment: Rare<u8>,
    ignores_flags: bool,
    /// Imported as elements that share bytes.
    pub(crate) packed: bool,
    changes: Vec<(u8, u8, u8)>,
}

/// Mostly nothing special.
#[derive(Arbitrary, Clone, Copy, Debug)]
enum Rare<T> {
    Usual,
    Common,
    Ordinary,
    Special(T),
}

/// What the memory holds.
#[derive(Arbitrary, Clone, Copy, Debug)]
struct Content {
    len: u16,
    seed: u64,
    /// Zeros and ones only.
    truths: bool,
}

#[derive(Arbitrary, Clone, Copy, Debug)]
enum Kind {
    Known(u8),
    Bool,
    Below(u8),
    Lanes(u8, u8),
    Any(u8, u8, u16),
}

#[derive(Arbitrary, Clone, Copy, Debug)]
enum Extent {
    Small(u8),
    Tiny(u8),
    Two,
    Three,
    Some(u8),
    Any(i64),
}

#[derive(Arbitrary, Clone, Debug)]
enum Strides {
    Null,
    RowMajor,
    /// Row-major with axes exchanged, stretched, reversed or repeated.
    Bent(Vec<i8>),
    Small(Vec<i8>),
    Any(Vec<i64>),
}

#[derive(Arbitrary, Clone, Copy, Debug)]
enum Data {
    Start,
    Eighth,
    Middle,
    Offset(u8),
    Null,
    /// At either end of all addresses.
    End(i8),
    Any(u64),
}

/// The memory of a tensor. The deleter frees it, and leaves a copy of what it held.
pub(crate) struct Block {
    pub(crate) address: usize,
    pub(crate) bytes: Vec<u8>,
    pub(crate) left: Arc<Mutex<Option<Vec<u8>>>>,
}

impl<T: Copy> Rare<T> {
    fn or(self, usual: T) -> T {
        if let Self::Special(value) = self { value } else { usual }
    }
}

impl Hostile {
    /// The tensor's fields, and its memory.
    pub(crate) fn build(&self) -> (Producer, Block) {
        let block = Block::new(&self.memory.bytes());
        let (code, bits, lanes) = self.dtype();
        let shape: Vec<i64> = self.shape.iter().take(64).map(|extent| extent.number()).collect();
        let ndim = self.ndim.or(shape.len() as i32);
        // As many numbers as the tensor says it has, where it may.
        let rank = usize::try_from(ndim).unwrap_or(0).min(64);
        let shape: Vec<i64> = shape.into_iter().chain(std::iter::repeat(1)).take(rank).collect();
        let strides = self.strides(&shape);
        let len = block.bytes.len() as u64;
        let data = match self.data {
            Data::Null => None,
            Data::Start => Some(0),
            Data::Eighth => Some(len / 8),
            Data::Middle => Some(len / 2),
            Data::Offset(offset) => Some(u64::from(offset)),
            Data::End(place) => Some((place as u64).wrapping_sub(block.address as u64)),
            Data::Any(offset) => Some(offset),
        };
        let data = data.map(|offset| block.address.wrapping_add(offset as usize));
        let (device_type, device_id) = self.device.or((1, 0));
        // Kinds whose pointers a driver would follow are left to their own tests.
        let device_type = if [2, 4, 13].contains(&device_type) { 1 } else { device_type };
        let producer = Producer {
            major: self.major.or(1),
            minor: u32::from(self.minor),
            flags: match self.flags {
                Rare::Usual => 0,
                Rare::Common => u64::from(self.minor % 4),
                Rare::Ordinary => 4 + u64::from(self.minor % 4),
                Rare::Special(flags) => flags,
            },
            device: (u32::from(device_type), i32::from(device_id)),
            ndim,
            dtype: (code, bits, lanes),
            shape: (!self.shape_is_null.or(false)).then_some(shape),
            strides,
            byte_offset: self.byte_offset.or(0),
            handle: Some(data.unwrap_or(0)),
            words: Vec::new(),
            farewell: Some(block.farewell()),
            ..Producer::default()
        };
        (producer, block)
    }

    pub(crate) fn options(&self) -> ImportOptions {
        let alignment = usize::from(self.alignment.or(0));
        let ignores = self.ignores_flags;
        let unknown_flags = if ignores { UnknownFlags::Ignore } else { UnknownFlags::Refuse };
        ImportOptions { alignment, unknown_flags }
    }

    pub(crate) fn changes(&self) -> impl Iterator<Item = Change> + '_ {
        self.changes.iter().take(6).map(|&(kind, one, other)| {
            let (axis, start) = (usize::from(one % 4), usize::from(other % 8));
            match kind % 6 {
                0 => Change::Permute(usize::from(one)),
                1 => Change::Slice { axis, start, len: usize::from(other / 8) },
                2 => Change::Step { axis, step: 1 + start % 3 },
                3 => Change::Reverse { axis },
                4 => Change::Merge { axis },
                _ => Change::Split { axis, by: 1 + start % 3 },
            }
        })
    }

    fn dtype(&self) -> (u8, u8, u16) {
        let known = |index| {
            let all: Vec<DType> = DType::all().collect();
            all[usize::from(index) % all.len()].dlpack()
        };
        match self.kind {
            Kind::Known(index) => {
                let (code, bits) = known(index);
                (code, bits, 1)
            }
            Kind::Bool => (6, 8, 1),
            Kind::Below(index) => {
                let all =
                    [(0, 1), (1, 1), (0, 2), (1, 2), (0, 4), (1, 4), (15, 6), (16, 6), (17, 4)];
                let (code, bits) = all[usize::from(index) % all.len()];
                (code, bits, 1)
            }
            Kind::Lanes(index, lanes) => {
                let (code, bits) = known(index);
                (code, bits, u16::from(lanes % 5))
            }
            Kind::Any(code, bits, lanes) => (code, bits, lanes),
        }
    }

    fn strides(&self, shape: &[i64]) -> Option<Vec<i64>> {
        let mut step = 1_i64;
        let mut dense = vec![0; shape.len()];
        for (stride, &extent) in dense.iter_mut().zip(shape).rev() {
            *stride = step;
            step = step.wrapping_mul(extent.max(1));
        }
        let filled = |given: Vec<i64>| {
            given.into_iter().chain(std::iter::repeat(1)).take(shape.len()).collect()
        };
        match &self.strides {
            Strides::Null => None,
            Strides::RowMajor => Some(dense),
            Strides::Bent(by) => {
                for (i, &by) in by.iter().enumerate().take(dense.len()) {
                    match by % 4 {
                        0 => dense.swap(i, by.unsigned_abs() as usize % shape.len()),
                        1 => dense[i] = dense[i].wrapping_mul(2),
                        2 => dense[i] = 0,
                        _ => dense[i] = dense[i].wrapping_neg(),
                    }
                }
                Some(dense)
            }
            Strides::Small(by) => Some(filled(by.iter().map(|&by| i64::from(by % 8)).collect())),
            Strides::Any(strides) => Some(filled(strides.clone())),
        }
    }
}

impl Extent {
    fn number(self) -> i64 {
        match self {
            Self::Small(extent) => i64::from(extent % 6),
            Self::Tiny(extent) => i64::from(extent % 3),
            Self::Two => 2,
            Self::Three => 3,
            Self::Some(extent) => i64::from(extent % 20),
            Self::Any(extent) => extent,
        }
    }
}

impl Content {
    fn bytes(self) -> Vec<u8> {
        let byte = |i: u32| {
            let mixed = self.seed.rotate_left(i % 64).wrapping_add(u64::from(i)) as u8;
            if self.truths { mixed % 2 } else { mixed }
        };
        (0..=u32::from(self.len % 1024)).map(byte).collect()
    }
}

impl Block {
    /// A copy of `bytes`, aligned for every type and not a byte longer, so that a sanitizer sees every step
    /// beyond.
    fn new(bytes: &[u8]) -> Self {
        let layout = Self::layout(bytes.len());
        // SAFETY: at least one byte, and all are written at once.
        let address = unsafe {
            let block = alloc(layout);
            assert!(!block.is_null());
            block.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len());
            block.expose_provenance()
        };
        Self { address, bytes: bytes.to_vec(), left: Arc::default() }
    }

    fn layout(len: usize) -> Layout {
        Layout::from_size_align(len, 64).unwrap()
    }

    /// Frees the memory and leaves a copy.
    fn farewell(&self) -> Box<dyn Fn() + Send> {
        let (address, len, left) = (self.address, self.bytes.len(), self.left.clone());
        Box::new(move || {
            let block = std::ptr::with_exposed_provenance_mut::<u8>(address);
            // SAFETY: allocated by `new`, and freed here alone: a deleter runs once.
            let bytes = unsafe {
                let bytes = std::slice::from_raw_parts(block, len).to_vec();
                dealloc(block, Self::layout(len));
                bytes
            };
            let before = left.lock().unwrap().replace(bytes);
            assert!(before.is_none(), "deleted twice");
        })
    }
}
