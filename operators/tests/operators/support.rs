//! Arrays of all dtypes and layouts, and the checks that hold for every operator.

use arrayspan_bridge::devices::Device;
use arrayspan_bridge::{Array, DType, Element, Relayout, View, ViewMut};
use arrayspan_kernels::{Executor, Update};
use arrayspan_operators::{
    Context, Devices, LinearMap, LinearOperator, Operator, Properties, Result, Space,
};
use num_complex::{Complex32, Complex64};

pub(crate) const DTYPES: [DType; 4] =
    [DType::Float32, DType::Float64, DType::Complex64, DType::Complex128];

pub(crate) fn host() -> std::sync::Arc<dyn Executor> {
    arrayspan_kernels::on(Device::cpu()).unwrap()
}

/// A row-major array of these elements.
pub(crate) fn array<T: Element>(shape: &[usize], elements: &[T]) -> Array {
    let mut array = host().empty(shape, T::DTYPE).unwrap();
    array.view_mut().as_mut_slice::<T>().unwrap().copy_from_slice(elements);
    array
}

pub(crate) fn floats(shape: &[usize], elements: &[f64]) -> Array {
    array(shape, elements)
}

/// The elements of a row-major `Float64` array.
pub(crate) fn read(array: &Array) -> Vec<f64> {
    array.view().as_slice::<f64>().unwrap().to_vec()
}

/// The elements of a row-major array of any dtype to compute with.
pub(crate) fn numbers(array: &Array) -> Vec<Complex64> {
    let view = array.view();
    match array.dtype() {
        DType::Float32 => {
            view.as_slice::<f32>().unwrap().iter().map(|&v| f64::from(v).into()).collect()
        }
        DType::Float64 => view.as_slice::<f64>().unwrap().iter().map(|&v| v.into()).collect(),
        DType::Complex64 => {
            let elements = view.as_slice::<Complex32>().unwrap().iter();
            elements.map(|v| Complex64::new(v.re.into(), v.im.into())).collect()
        }
        DType::Complex128 => view.as_slice::<Complex64>().unwrap().to_vec(),
        other => panic!("{other}"),
    }
}

/// A row-major array of `space` with these elements, their imaginary parts dropped on real spaces.
pub(crate) fn filled(space: &Space, elements: &[Complex64]) -> Array {
    let shape = space.shape();
    match space.dtype() {
        DType::Float32 => array(shape, &elements.iter().map(|v| v.re as f32).collect::<Vec<_>>()),
        DType::Float64 => array(shape, &elements.iter().map(|v| v.re).collect::<Vec<_>>()),
        DType::Complex64 => {
            let narrow = |v: &Complex64| Complex32::new(v.re as f32, v.im as f32);
            array(shape, &elements.iter().map(narrow).collect::<Vec<_>>())
        }
        DType::Complex128 => array(shape, elements),
        other => panic!("{other}"),
    }
}

/// Numbers between -1 and 1 without a pattern, the same for the same seed.
pub(crate) fn random(space: &Space, seed: u64) -> Array {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let mut next = || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    };
    let elements: Vec<_> = (0..space.len()).map(|_| Complex64::new(next(), next())).collect();
    filled(space, &elements)
}

/// The operator as a matrix, column by column.
pub(crate) fn dense(a: &(impl LinearOperator + ?Sized)) -> Vec<Vec<Complex64>> {
    columns(a.domain(), |x| a.forward(x).unwrap())
}

/// The adjoint as a matrix, column by column.
pub(crate) fn dense_adjoint(a: &(impl LinearOperator + ?Sized)) -> Vec<Vec<Complex64>> {
    columns(a.range(), |y| a.adjoint(y).unwrap())
}

fn columns(space: &Space, apply: impl Fn(&Array) -> Array) -> Vec<Vec<Complex64>> {
    let unit = |at| {
        let mut elements = vec![Complex64::default(); space.len()];
        elements[at] = 1.0.into();
        numbers(&apply(&filled(space, &elements)))
    };
    (0..space.len()).map(unit).collect()
}

pub(crate) fn assert_close(found: &[Complex64], expected: &[Complex64], dtype: DType, what: &str) {
    assert_eq!(found.len(), expected.len(), "{what}");
    let tolerance = if dtype.real() == DType::Float32 { 2e-5 } else { 1e-12 };
    let scale = expected.iter().map(|v| v.norm()).fold(1.0, f64::max);
    for (i, (a, b)) in found.iter().zip(expected).enumerate() {
        let near = (a - b).norm() <= tolerance * scale;
        assert!(near, "{what}: element {i} is {a}, expected {b}");
    }
}

/// All that holds for every operator: adjoint, update law, any strides.
pub(crate) fn check(a: &(impl LinearOperator + ?Sized)) {
    adjoint_is_the_conjugate_transpose(a);
    updates_are_obeyed(a);
    strides_do_not_matter(a);
}

fn adjoint_is_the_conjugate_transpose(a: &(impl LinearOperator + ?Sized)) {
    let (matrix, adjoint) = (dense(a), dense_adjoint(a));
    for (j, column) in matrix.iter().enumerate() {
        let row: Vec<_> = adjoint.iter().map(|column| column[j].conj()).collect();
        assert_close(&row, column, a.range().dtype(), &format!("{a:?} column {j}"));
    }
}

fn updates_are_obeyed(a: &(impl LinearOperator + ?Sized)) {
    let (x, y) = (random(a.domain(), 1), random(a.range(), 2));
    let plain = numbers(&a.forward(&x).unwrap());
    let back = numbers(&a.adjoint(&y).unwrap());
    let complex = a.domain().dtype().is_complex() && a.range().dtype().is_complex();
    let imaginary = if complex { 0.75 } else { 0.0 };
    let alpha = Complex64::new(-1.5, imaginary);
    for beta in [Complex64::default(), 1.0.into(), Complex64::new(0.5, -imaginary)] {
        let update = Update::new(alpha, beta);
        let run = |space: &Space, result: &[Complex64], forward: bool| {
            let nan = vec![Complex64::new(f64::NAN, f64::NAN); space.len()];
            let (before, ignored) = (random(space, 3), filled(space, &nan));
            let old = numbers(&before);
            let mut out = if update.reads() { before } else { ignored };
            if forward {
                a.apply(&*host(), x.view(), out.view_mut(), update).unwrap();
            } else {
                a.apply_adjoint(&*host(), y.view(), out.view_mut(), update).unwrap();
            }
            let sum = result.iter().zip(&old).map(|(new, old)| alpha * new + beta * old);
            let what = format!("{a:?} with {update:?}, forward: {forward}");
            assert_close(&numbers(&out), &sum.collect::<Vec<_>>(), space.dtype(), &what);
        };
        run(a.range(), &plain, true);
        run(a.domain(), &back, false);
    }
}

fn strides_do_not_matter(a: &(impl LinearOperator + ?Sized)) {
    let (x, y) = (random(a.domain(), 4), random(a.range(), 5));
    let what = format!("{a:?} with strides");

    let (mut model, mut data) = (Loose::holding(&x), Loose::holding(&y));
    a.apply(&*host(), model.view_mut().view(), data.view_mut(), Update::set()).unwrap();
    let forward = a.forward(&x).unwrap();
    assert_close(&data.elements(), &numbers(&forward), a.range().dtype(), &what);

    let (mut model, mut data) = (Loose::holding(&x), Loose::holding(&y));
    a.apply_adjoint(&*host(), data.view_mut().view(), model.view_mut(), Update::set()).unwrap();
    let adjoint = a.adjoint(&y).unwrap();
    assert_close(&model.elements(), &numbers(&adjoint), a.domain().dtype(), &what);
}

/// An array whose elements lie apart, back to front along the first axis and in column-major order.
struct Loose {
    memory: Array,
    space: Space,
}

/// What lies between the elements, which nobody may write.
const BETWEEN: f64 = 7777.0;

impl Loose {
    fn holding(array: &Array) -> Self {
        let space = Space::new(array.shape(), array.dtype()).unwrap();
        let shape: Vec<usize> = array.shape().iter().rev().map(|extent| 2 * extent + 1).collect();
        let around = Space::new(shape, array.dtype()).unwrap();
        let memory = filled(&around, &vec![BETWEEN.into(); around.len()]);
        let mut loose = Self { memory, space };
        host().copy(array.view(), loose.view_mut(), Update::set()).unwrap();
        loose
    }

    fn view_mut(&mut self) -> ViewMut<'_> {
        let rank = self.space.shape().len();
        let order: Vec<usize> = (0..rank).rev().collect();
        let mut view = self.memory.view_mut().permuted(&order).unwrap();
        for (axis, &extent) in self.space.shape().iter().enumerate() {
            view = view.sliced(axis, 1, 2 * extent).unwrap().stepped(axis, 2).unwrap();
        }
        if rank > 0 { view.reversed(0).unwrap() } else { view }
    }

    /// The elements, once it is certain that nothing else was written.
    fn elements(mut self) -> Vec<Complex64> {
        let mut dense = host().empty(self.space.shape(), self.space.dtype()).unwrap();
        host().copy(self.view_mut().view(), dense.view_mut(), Update::set()).unwrap();
        let around = numbers(&self.memory);
        let between = around.iter().filter(|element| element.re == BETWEEN).count();
        assert_eq!(between, around.len() - self.space.len(), "something between was written");
        numbers(&dense)
    }
}

/// An operator of which nothing is known but its directions, and where it is.
#[derive(Debug)]
struct Opaque(Operator, Option<Devices>);

impl LinearMap for Opaque {
    fn name(&self) -> &'static str {
        "Opaque"
    }

    fn domain(&self) -> &Space {
        self.0.domain()
    }

    fn range(&self) -> &Space {
        self.0.range()
    }

    fn enqueue(&self, on: Context<'_>, x: View<'_>, y: ViewMut<'_>, update: Update) -> Result<()> {
        self.0.enqueue(on, x, y, update)
    }

    fn enqueue_adjoint(
        &self,
        on: Context<'_>,
        y: View<'_>,
        x: ViewMut<'_>,
        update: Update,
    ) -> Result<()> {
        self.0.enqueue_adjoint(on, y, x, update)
    }

    fn workspace(&self) -> usize {
        self.0.workspace()
    }

    fn properties(&self) -> Properties {
        let mut said = Properties::of(self);
        said.complex_linear = self.0.properties().complex_linear;
        said
    }

    fn devices(&self) -> Option<Devices> {
        self.1.or(self.0.devices())
    }

    fn elsewhere(&self) -> Vec<(Device, usize)> {
        self.0.elsewhere()
    }
}

/// The same operator, of which nothing is known.
pub(crate) fn hidden(operator: Operator) -> Operator {
    Operator::new(Opaque(operator, None))
}

/// The same operator, of which nothing is known but that it holds arrays on a device.
pub(crate) fn bound(operator: Operator, device: Device) -> Operator {
    Operator::new(Opaque(operator, Some(Devices::both(device))))
}
