//! Arrays that are drawn: numbers and where they lie.

use arrayspan_kernels::bridge::devices::Device;
use arrayspan_kernels::bridge::{Array, DType, Layout, View, ViewMut};
use num_complex::Complex64;

use crate::cell::Cell;
use crate::draw::Draw;
use crate::placement::Placement;
use crate::reference::Tensor;
use crate::sample::{places, read, write};

/// An array on the device under test, and what its block holds.
pub struct Drawn {
    block: Array,
    pub host: Vec<Complex64>,
    pub placement: Placement,
    pub tensor: Tensor,
}

/// What is drawn beside finite numbers.
#[derive(Clone, Copy, PartialEq)]
pub enum Held {
    Finite,
    /// Some may be infinite or not a number.
    Any,
    /// Nothing that may be read.
    Unreadable,
}

/// What lies around outputs.
const AROUND: f64 = 77.0;

impl Drawn {
    /// An input: no number lies around it.
    pub fn input(cell: &Cell, draw: &mut Draw, shape: &[usize], held: Held) -> Self {
        let placement = Placement::draw(draw, shape.len(), true);
        Self::new(cell, draw, shape, placement, held, f64::NAN)
    }

    /// An output, of which something may be read.
    pub fn output(cell: &Cell, draw: &mut Draw, shape: &[usize], reads: bool) -> Self {
        let placement = Placement::draw(draw, shape.len(), false);
        let held = if reads { Held::Finite } else { Held::Unreadable };
        Self::new(cell, draw, shape, placement, held, AROUND)
    }

    fn new(
        cell: &Cell,
        draw: &mut Draw,
        shape: &[usize],
        placement: Placement,
        held: Held,
        around: f64,
    ) -> Self {
        let mut block = empty(&placement.block(shape), cell.dtype);
        let whole = is_whole(cell.dtype);
        let around = match around {
            around if around.is_nan() && whole => 99.0.into(),
            around if around.is_nan() => cell.number(around, around),
            around => around.into(),
        };
        let mut host = vec![around; block.layout().len()];
        let all: Vec<usize> = places(&of(&placement, &block, shape)).collect();
        for &place in &all {
            host[place] = match held {
                _ if whole => ((draw.bits() >> 30 & 0xff) as f64).into(),
                Held::Unreadable => cell.number(f64::NAN, f64::NAN),
                _ => cell.number(draw.value(), draw.value()),
            };
        }
        let complex = cell.is_complex() || whole;
        if held == Held::Any && !complex && !all.is_empty() && draw.once_in(4) {
            for _ in 0..=draw.below(3) {
                let place = all[draw.below(all.len())];
                host[place] = draw.pick(&[f64::INFINITY, f64::NEG_INFINITY, f64::NAN]).into();
            }
        }
        write(&mut block, &host);
        let numbers = all.iter().map(|&place| host[place]).collect();
        let tensor = Tensor::new(&placement.held(shape), numbers);
        let tensor = if tensor.shape == shape { tensor } else { tensor.broadcast(shape) };
        let block = cell.moved(&block, cell.executor.device());
        Self { block, host, placement, tensor }
    }

    pub fn view(&self) -> View<'_> {
        let view = self.placement.lay(self.block.view(), &self.tensor.shape);
        if view.shape() == self.tensor.shape {
            view
        } else {
            view.broadcast(&self.tensor.shape).unwrap()
        }
    }

    pub fn view_mut(&mut self) -> ViewMut<'_> {
        self.placement.lay(self.block.view_mut(), &self.tensor.shape)
    }

    /// Where its elements lie in the block.
    pub fn layout(&self) -> Layout {
        of(&self.placement, &self.block, &self.tensor.shape)
    }

    pub fn dtype(&self) -> DType {
        self.block.dtype()
    }

    /// All that its block holds now.
    pub fn read(&self, cell: &Cell) -> Vec<Complex64> {
        read(&cell.moved(&self.block, Device::cpu()))
    }

    /// Makes it what it was when it was drawn.
    pub fn reset(&mut self, cell: &Cell) {
        let mut block = empty(self.block.shape(), self.block.dtype());
        write(&mut block, &self.host);
        self.block = cell.moved(&block, cell.executor.device());
    }
}

/// Whether numbers are whole ones, which are not computed with.
fn is_whole(dtype: DType) -> bool {
    matches!(dtype, DType::UInt8 | DType::UInt16)
}

fn empty(shape: &[usize], dtype: DType) -> Array {
    Array::empty(shape, dtype, &Device::cpu().stream().unwrap()).unwrap()
}

fn of(placement: &Placement, block: &Array, shape: &[usize]) -> Layout {
    placement.lay(block.view(), shape).layout().clone()
}
