//! Arrays to test with, in layouts of every form.

use arrayspan_kernels::bridge::devices::Device;
use arrayspan_kernels::bridge::{Array, DType, Layout, Relayout, View, ViewMut};
use half::{bf16, f16};
use num_complex::{Complex32, Complex64};

use crate::cell::Cell;
use crate::reference::{Tensor, indices};

/// How an array lies in the block that holds it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Form {
    /// It is the whole block, row-major.
    Plain,
    /// Its axes are in reverse order.
    Transposed,
    /// It has a margin on every side.
    Inside,
    /// It is every second index along each axis.
    Stepped,
    /// All its axes run backwards.
    Reversed,
    /// Axes rotated, the first backwards, steps and margins.
    Mixed,
}

pub const FORMS: [Form; 6] =
    [Form::Plain, Form::Transposed, Form::Inside, Form::Stepped, Form::Reversed, Form::Mixed];

impl Form {
    /// The shape of the block that holds an array of shape `shape`.
    fn block(self, shape: &[usize]) -> Vec<usize> {
        match self {
            Self::Plain | Self::Reversed => shape.to_vec(),
            Self::Transposed => shape.iter().rev().copied().collect(),
            Self::Inside => shape.iter().map(|n| n + 3).collect(),
            Self::Stepped => shape.iter().map(|n| 2 * n).collect(),
            Self::Mixed => {
                let mut block: Vec<usize> = shape.iter().map(|n| 2 * n + 1).collect();
                block.rotate_left(1.min(shape.len()));
                block
            }
        }
    }

    /// The array in its block.
    fn lay<V: Relayout>(self, block: V, shape: &[usize]) -> V {
        let axes = 0..shape.len();
        match self {
            Self::Plain => block,
            Self::Transposed => block.permuted(&axes.rev().collect::<Vec<_>>()).unwrap(),
            Self::Inside => axes.fold(block, |view, a| view.sliced(a, 1, shape[a]).unwrap()),
            Self::Stepped => axes.fold(block, |view, a| view.stepped(a, 2).unwrap()),
            Self::Reversed => axes.fold(block, |view, a| view.reversed(a).unwrap()),
            Self::Mixed => {
                let mut order: Vec<usize> = axes.clone().collect();
                order.rotate_right(1.min(shape.len()));
                let view = block.permuted(&order).unwrap();
                let view = axes.clone().fold(view, |view, a| {
                    view.sliced(a, 1, 2 * shape[a]).unwrap().stepped(a, 2).unwrap()
                });
                if axes.is_empty() { view } else { view.reversed(0).unwrap() }
            }
        }
    }
}

/// An array on the device under test.
pub struct Sample {
    block: Array,
    form: Form,
    pub tensor: Tensor,
}

/// What lies around the array in its block.
const AROUND: Complex64 = Complex64::new(77.0, 0.0);

impl Sample {
    pub fn new(cell: &Cell, tensor: &Tensor, form: Form) -> Self {
        let tensor = held(cell.dtype, tensor);
        let shape = form.block(&tensor.shape);
        let stream = Device::cpu().stream().unwrap();
        let mut block = Array::empty(shape, cell.dtype, &stream).unwrap();
        let mut values = vec![AROUND; block.layout().len()];
        let layout = form.lay(block.view(), &tensor.shape).layout().clone();
        for (place, value) in places(&layout).zip(&tensor.values) {
            values[place] = *value;
        }
        write(&mut block, &values);
        Self { block: cell.moved(&block, cell.executor.device()), form, tensor }
    }

    pub fn random(cell: &Cell, shape: &[usize], form: Form, seed: u64) -> Self {
        let mut random = Random(seed);
        let len = shape.iter().product();
        let next = |random: &mut Random| {
            if cell.is_half() { random.next_of_eight_bits() } else { random.next() }
        };
        let values = (0..len).map(|_| cell.number(next(&mut random), next(&mut random))).collect();
        Self::new(cell, &Tensor::new(shape, values), form)
    }

    /// The block that holds it.
    pub fn into_array(self) -> Array {
        self.block
    }

    pub fn view(&self) -> View<'_> {
        self.form.lay(self.block.view(), &self.tensor.shape)
    }

    pub fn view_mut(&mut self) -> ViewMut<'_> {
        self.form.lay(self.block.view_mut(), &self.tensor.shape)
    }

    /// What it holds now.
    pub fn read(&self, cell: &Cell) -> Tensor {
        let values = read(&cell.moved(&self.block, Device::cpu()));
        let layout = self.view().layout().clone();
        Tensor::new(&self.tensor.shape, places(&layout).map(|place| values[place]).collect())
    }

    /// Fails if anything beside the array has changed in its block.
    #[track_caller]
    pub fn check_surroundings(&self, cell: &Cell, what: &str) {
        let mut values = read(&cell.moved(&self.block, Device::cpu()));
        for place in places(self.view().layout()) {
            values[place] = AROUND;
        }
        assert!(
            values.iter().all(|value| *value == AROUND),
            "{what}: wrote beside {:?}",
            self.form
        );
    }

    /// Fails if the array is not what it was made of.
    #[track_caller]
    pub fn check_unchanged(&self, cell: &Cell) {
        let bits = |tensor: &Tensor| -> Vec<[u64; 2]> {
            tensor.values.iter().map(|v| [v.re.to_bits(), v.im.to_bits()]).collect()
        };
        assert_eq!(bits(&self.read(cell)), bits(&self.tensor));
    }
}

/// The numbers of a tensor as arrays of that dtype hold them: 16-bit floats are rounded.
fn held(dtype: DType, tensor: &Tensor) -> Tensor {
    let round = |value: f64| match dtype {
        DType::Float16 => f16::from_f64(value).to_f64(),
        DType::BFloat16 => bf16::from_f64(value).to_f64(),
        _ => value,
    };
    let values = tensor.values.iter().map(|value| Complex64::new(round(value.re), value.im));
    Tensor::new(&tensor.shape, values.collect())
}

/// The place of every element in its block.
pub fn places(layout: &Layout) -> impl Iterator<Item = usize> {
    indices(layout.shape()).map(|index| {
        let steps = index.iter().zip(layout.strides()).map(|(&at, &stride)| at as isize * stride);
        layout.offset().checked_add_signed(steps.sum()).unwrap()
    })
}

/// Fills a block on the host.
pub fn write(block: &mut Array, values: &[Complex64]) {
    let dtype = block.dtype();
    let narrow = |v: Complex64| Complex32::new(v.re as f32, v.im as f32);
    let mut view = block.view_mut();
    match dtype {
        DType::Float32 => fill(view.as_mut_slice().unwrap(), values, |v| v.re as f32),
        DType::Float64 => fill(view.as_mut_slice().unwrap(), values, |v| v.re),
        DType::Float16 => fill(view.as_mut_slice().unwrap(), values, |v| f16::from_f64(v.re)),
        DType::BFloat16 => fill(view.as_mut_slice().unwrap(), values, |v| bf16::from_f64(v.re)),
        DType::UInt8 => fill(view.as_mut_slice().unwrap(), values, |v| v.re as u8),
        DType::UInt16 => fill(view.as_mut_slice().unwrap(), values, |v| v.re as u16),
        DType::Complex64 => {
            fill(view.as_mut_slice().unwrap(), values, narrow);
        }
        _ => fill(view.as_mut_slice().unwrap(), values, |v| v),
    }
}

fn fill<T>(to: &mut [T], from: &[Complex64], convert: impl Fn(Complex64) -> T) {
    to.iter_mut().zip(from).for_each(|(to, from)| *to = convert(*from));
}

/// What a block on the host holds.
pub fn read(block: &Array) -> Vec<Complex64> {
    let view = block.view();
    let wide = |v: &Complex32| Complex64::new(v.re.into(), v.im.into());
    match block.dtype() {
        DType::Float32 => {
            view.as_slice::<f32>().unwrap().iter().map(|&v| f64::from(v).into()).collect()
        }
        DType::Float64 => view.as_slice::<f64>().unwrap().iter().map(|&v| v.into()).collect(),
        DType::Float16 => {
            view.as_slice::<f16>().unwrap().iter().map(|v| v.to_f64().into()).collect()
        }
        DType::BFloat16 => {
            view.as_slice::<bf16>().unwrap().iter().map(|v| v.to_f64().into()).collect()
        }
        DType::UInt8 => {
            view.as_slice::<u8>().unwrap().iter().map(|&v| f64::from(v).into()).collect()
        }
        DType::UInt16 => {
            view.as_slice::<u16>().unwrap().iter().map(|&v| f64::from(v).into()).collect()
        }
        DType::Complex64 => view.as_slice().unwrap().iter().map(wide).collect(),
        _ => view.as_slice().unwrap().to_vec(),
    }
}

/// Numbers in ±[0.125, 1.125] with 16 bits, so that every dtype holds them exactly and none is near zero.
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> f64 {
        let bits = self.bits();
        let magnitude = (bits >> 40 & 0xffff) as f64 / 65536.0 + 0.125;
        if bits >> 63 == 0 { magnitude } else { -magnitude }
    }

    /// The same with 8 bits, which 16-bit floats hold, too.
    pub fn next_of_eight_bits(&mut self) -> f64 {
        let bits = self.bits();
        let magnitude = (bits >> 40 & 0x7f) as f64 / 128.0 + 0.125;
        if bits >> 63 == 0 { magnitude } else { -magnitude }
    }

    /// The splitmix64 sequence.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ (bits >> 31)
    }
}
