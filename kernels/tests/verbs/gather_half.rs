//! Sparse matrices between arrays of 16-bit floats: as between those of `Float32`, rounded once.

use arrayspan_kernels::bridge::devices::{Device, DeviceKind};
use arrayspan_kernels::bridge::{Array, DType, Element, Relayout, View, ViewMut};
use arrayspan_kernels::{Gather, Update, on};
use half::{bf16, f16};

use crate::cell::{Cell, compiles_slowly, devices};
use crate::gather::{Kind, drawn};
use crate::sample::Random;

/// A 16-bit float.
trait Half: Element + Default + PartialEq + std::fmt::Debug {
    /// From one to the next number above it.
    const STEP: f32;
    fn of(value: f32) -> Self;
    fn wide(self) -> f32;
    fn bits(self) -> u16;
}

macro_rules! half {
    ($($half:ident)*) => {$(
        impl Half for $half {
            const STEP: f32 = $half::EPSILON.to_f32_const();
            fn of(value: f32) -> Self {
                $half::from_f32(value)
            }
            fn wide(self) -> f32 {
                self.to_f32()
            }
            fn bits(self) -> u16 {
                self.to_bits()
            }
        }
    )*};
}
half! { f16 bf16 }

/// An array within a block with a margin.
struct Part<T> {
    block: Array,
    shape: Vec<usize>,
    stepped: bool,
    values: Vec<T>,
}

impl<T: Element> Part<T> {
    /// Of numbers along a shape, every second one of a block along the last axis, or behind a margin.
    fn new(cell: &Cell, shape: &[usize], stepped: bool, values: impl Fn(usize) -> T) -> Self {
        let last = shape.len() - 1;
        let mut extents = shape.to_vec();
        extents[last] = if stepped { 2 * shape[last] } else { shape[last] + 1 };
        let count = extents.iter().product::<usize>();
        let values: Vec<T> = (0..count).map(values).collect();
        let host = Array::from_vec(values.clone(), extents).unwrap();
        let block = cell.moved(&host, cell.executor.device());
        Self { block, shape: shape.to_vec(), stepped, values }
    }

    fn lay<V: Relayout>(&self, block: V) -> V {
        let last = self.shape.len() - 1;
        if self.stepped {
            block.stepped(last, 2).unwrap()
        } else {
            block.sliced(last, 1, self.shape[last]).unwrap()
        }
    }

    fn view(&self) -> View<'_> {
        self.lay(self.block.view())
    }

    /// All that is in the block now.
    fn read(&self, cell: &Cell) -> Vec<T> {
        let host = cell.moved(&self.block, Device::cpu());
        host.view().as_slice::<T>().unwrap().to_vec()
    }
}

fn view_mut<'b>(block: &'b mut Array, shape: &[usize], stepped: bool) -> ViewMut<'b> {
    let last = shape.len() - 1;
    let view = block.view_mut();
    if stepped {
        view.stepped(last, 2).unwrap()
    } else {
        view.sliced(last, 1, shape[last]).unwrap()
    }
}

/// Compares with the same call on `Float32`: equal to the bit where `exact`, else up to the rounding of one that is near a tie.
fn check<T: Half>(cell: &Cell, gather: &Gather, shape: &[usize], update: Update<'_>, exact: bool) {
    let known = update.known().unwrap();
    let range = gather.range_of(shape).unwrap();
    for stepped in [false, true] {
        let mut random = Random(gather.entries() as u64 + 7);
        let drawn: Vec<T> = (0..4096).map(|_| T::of(random.next() as f32)).collect();
        let of_x = |at: usize| drawn[at * 7 % 4096];
        // What is not read may be no number.
        let reads = known[1] != num_complex::Complex64::ZERO;
        let of_y = |at: usize| if reads { drawn[at * 5 % 4096] } else { T::of(f32::NAN) };
        let x = Part::<T>::new(cell, shape, stepped, of_x);
        let mut y = Part::<T>::new(cell, &range, stepped, of_y);
        let wide_x = Part::<f32>::new(cell, shape, stepped, |at| of_x(at).wide());
        let mut wide_y = Part::<f32>::new(cell, &range, stepped, |at| of_y(at).wide());
        let (extents, stride) = (range.clone(), stepped);
        cell.executor
            .gather(gather, x.view(), view_mut(&mut y.block, &extents, stride), update)
            .unwrap();
        cell.executor
            .gather(gather, wide_x.view(), view_mut(&mut wide_y.block, &extents, stride), update)
            .unwrap();
        let (found, expected) = (y.read(cell), wide_y.read(cell));
        assert_eq!(x.read(cell).iter().map(|v| v.bits()).collect::<Vec<_>>(), bits(&x.values));
        for (place, (found, expected)) in found.iter().zip(&expected).enumerate() {
            let rounded = T::of(*expected);
            let near = !exact && (found.wide() - expected).abs() <= T::STEP * expected.abs();
            assert!(
                found.bits() == rounded.bits()
                    || near
                    || (found.wide().is_nan() && expected.is_nan()),
                "place {place}: {found:?}, expected {expected}, of {} entries, {shape:?}",
                gather.entries()
            );
        }
    }
}

fn bits<T: Half>(values: &[T]) -> Vec<u16> {
    values.iter().map(|value| value.bits()).collect()
}

fn on_each(kind: DeviceKind, dtype: DType, case: fn(&Cell)) {
    for device in devices(kind, false) {
        case(&Cell { executor: on(device).unwrap(), dtype });
    }
}

fn moved<T: Half>(cell: &Cell) {
    let shapes: [&[usize]; 4] = [&[37, 53], &[203, 97], &[5, 41, 16], &[4001]];
    for shape in shapes {
        for axis in 0..shape.len() {
            let extent = shape[axis];
            let picked: Vec<usize> = (0..extent).map(|at| at * 37 % extent).collect();
            let picked = Gather::pick(axis, extent, picked).unwrap();
            let some = Gather::pick(axis, extent, [extent - 1, 0, 0, extent / 2]).unwrap();
            for gather in [&picked, &some] {
                check::<T>(cell, gather, shape, Update::set(), true);
            }
        }
    }
}

fn summed<T: Half>(cell: &Cell) {
    let slow = compiles_slowly(cell.executor.device());
    let updates = [Update::set(), Update::add(), Update::new(0.5, -2.0)];
    let mut turn = 0;
    for (lengths, seed) in
        [(vec![2; 29], 1), (vec![0, 3, 1, 9, 2], 2), (vec![1, 200, 70, 0], 3), (vec![12; 40], 4)]
    {
        for (axis, shape) in [(0, [31, 24]), (1, [24, 31]), (0, [31, 1])] {
            for kind in [Kind::Ones, Kind::Real] {
                let gather = drawn(axis, 31, &lengths, kind, seed);
                let adjoint = gather.adjoint();
                let range = gather.range_of(&shape).unwrap();
                turn += 1;
                for update in updates.into_iter().cycle().skip(turn).take(if slow { 1 } else { 3 })
                {
                    if !slow || turn % 5 == 1 {
                        check::<T>(cell, &gather, &shape, update, false);
                    }
                    if !slow || turn % 5 == 2 {
                        check::<T>(cell, &adjoint, &range, update, false);
                    }
                }
            }
        }
    }
}

fn nothing<T: Half>(cell: &Cell) {
    let none = drawn(0, 5, &[0; 3], Kind::Ones, 36);
    let empty = Gather::new(0, &[2], &[0], vec![0; 3], vec![], None).unwrap();
    let axes = Gather::new(0, &[2], &[3, 0], vec![0; 3], vec![], None).unwrap();
    for update in [Update::set(), Update::add(), Update::new(1.0, -0.5)] {
        check::<T>(cell, &axes, &[3, 0, 4], update, true);
        check::<T>(cell, &none, &[5, 4], update, true);
        check::<T>(cell, &empty, &[0, 4], update, true);
        check::<T>(cell, &none, &[5, 0], update, true);
    }
}

/// One test for each device and 16-bit float.
macro_rules! halves {
    ($($device:ident: $kind:ident;)*) => {
        $(mod $device {
            halves!(@each $kind float16: Float16, f16; bfloat16: BFloat16, bf16;);
        })*
    };
    (@each $kind:ident $($name:ident: $dtype:ident, $half:ident;)*) => {
        $(mod $name {
            use arrayspan_kernels::bridge::{DType, devices::DeviceKind};
            use crate::gather_half as cases;

            #[test]
            fn elements_are_moved_to_the_bit() {
                cases::on_each(DeviceKind::$kind, DType::$dtype, cases::moved::<half::$half>);
            }

            #[test]
            fn sums_are_those_of_float32_rounded_once() {
                cases::on_each(DeviceKind::$kind, DType::$dtype, cases::summed::<half::$half>);
            }

            #[test]
            fn rows_without_entries_are_scaled() {
                cases::on_each(DeviceKind::$kind, DType::$dtype, cases::nothing::<half::$half>);
            }
        })*
    };
}

halves! {
    host: Cpu;
    cuda: Cuda;
    opencl: OpenCl;
}
