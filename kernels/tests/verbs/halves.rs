//! Arrays of 16-bit floats: what a verb makes of them is what it makes of `Float32`, rounded once.

use arrayspan_kernels::Update;
use arrayspan_kernels::bridge::devices::Device;
use arrayspan_kernels::bridge::{Array, Element, Relayout, View, ViewMut};
use half::{bf16, f16};
use num_complex::Complex64;

use crate::cell::Cell;
use crate::sample::Random;

/// A 16-bit float.
pub trait Half: Element + Default + PartialEq + std::fmt::Debug {
    /// From one to the next number above it.
    const STEP: f32;
    fn of(value: f32) -> Self;
    fn wide(self) -> f32;
    fn bits(self) -> u16;
    fn from_bits(bits: u16) -> Self;
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
            fn from_bits(bits: u16) -> Self {
                $half::from_bits(bits)
            }
            fn bits(self) -> u16 {
                self.to_bits()
            }
        }
    )*};
}
half! { f16 bf16 }

/// An array within a block with a margin.
pub struct Part<T> {
    block: Array,
    shape: Vec<usize>,
    stepped: bool,
    values: Vec<T>,
}

impl<T: Element> Part<T> {
    /// Of numbers along a shape, every second one of a block along the last axis, or behind a margin.
    pub fn new(cell: &Cell, shape: &[usize], stepped: bool, values: impl Fn(usize) -> T) -> Self {
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

    pub fn view(&self) -> View<'_> {
        self.lay(self.block.view())
    }

    /// All that is in the block now.
    pub fn read(&self, cell: &Cell) -> Vec<T> {
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

/// What sums of `Float32` that cancel may differ by where they are added in another order.
const OTHER_ORDER: f32 = 2e-5;

/// Makes a call for arrays of those shapes, of 16-bit floats and of `Float32`, and compares: equal to the bit where `exact`, else up to
/// the rounding of one that is near a tie.
pub fn compare<T: Half>(
    cell: &Cell,
    [domain, range]: [&[usize]; 2],
    update: Update<'_>,
    exact: bool,
    call: impl Fn(View<'_>, ViewMut<'_>),
) {
    let known = update.known().unwrap();
    for stepped in [false, true] {
        let mut random = Random(domain.iter().sum::<usize>() as u64 + 7);
        let drawn: Vec<T> = (0..4096).map(|_| T::of(random.next() as f32)).collect();
        let of_x = |at: usize| drawn[at * 7 % 4096];
        // What is not read may be no number.
        let reads = known[1] != Complex64::ZERO;
        let of_y = |at: usize| if reads { drawn[at * 5 % 4096] } else { T::of(f32::NAN) };
        let x = Part::<T>::new(cell, domain, stepped, of_x);
        let mut y = Part::<T>::new(cell, range, stepped, of_y);
        let wide_x = Part::<f32>::new(cell, domain, stepped, |at| of_x(at).wide());
        let mut wide_y = Part::<f32>::new(cell, range, stepped, |at| of_y(at).wide());
        call(x.view(), view_mut(&mut y.block, range, stepped));
        call(wide_x.view(), view_mut(&mut wide_y.block, range, stepped));
        let (found, expected) = (y.read(cell), wide_y.read(cell));
        assert_eq!(bits(&x.read(cell)), bits(&x.values));
        for (place, (found, expected)) in found.iter().zip(&expected).enumerate() {
            let rounded = T::of(*expected);
            let apart = T::STEP * expected.abs() + OTHER_ORDER;
            let near = !exact && (found.wide() - expected).abs() <= apart;
            let nan = found.wide().is_nan() && expected.is_nan();
            assert!(
                found.bits() == rounded.bits() || near || nan,
                "place {place}: {found:?}, expected {expected}, of {domain:?} to {range:?}, {update:?}"
            );
        }
    }
}

fn bits<T: Half>(values: &[T]) -> Vec<u16> {
    values.iter().map(|value| value.bits()).collect()
}

/// One test for each device, 16-bit float and case of a module.
macro_rules! halves {
    ($module:ident: $($case:ident)*) => {
        mod host {
            crate::halves::halves!(@each Cpu, $module: $($case)*);
        }
        mod cuda {
            crate::halves::halves!(@each Cuda, $module: $($case)*);
        }
        mod opencl {
            crate::halves::halves!(@each OpenCl, $module: $($case)*);
        }
    };
    (@each $kind:ident, $module:ident: $($case:ident)*) => {
        mod float16 {
            $(crate::halves::halves!(@one $kind, Float16, f16, $module, $case);)*
        }
        mod bfloat16 {
            $(crate::halves::halves!(@one $kind, BFloat16, bf16, $module, $case);)*
        }
    };
    (@one $kind:ident, $dtype:ident, $half:ident, $module:ident, $case:ident) => {
        #[test]
        fn $case() {
            use arrayspan_kernels::bridge::{DType, devices::DeviceKind};
            let case = crate::$module::$case::<half::$half>;
            let name = concat!(stringify!($module), "::", stringify!($case));
            crate::cell::on_each(DeviceKind::$kind, DType::$dtype, name, case);
        }
    };
}
pub(crate) use halves;
