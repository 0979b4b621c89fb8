//! Index maps on the host, against tables.

use std::sync::Arc;

use arrayspan_bridge::devices::Device;
use arrayspan_bridge::{Array, DType, Element, Relayout, View, ViewMut};
use arrayspan_kernels::{Executor, Update};
use num_complex::{Complex, Complex32, Complex64};
use proptest::prelude::*;

use super::*;
use crate::{Context, LinearMap, LinearOperator, Result, Space, Workspace};

/// An operator that is an index map alone.
#[derive(Debug)]
pub(super) struct Mapped {
    map: IndexMap,
    domain: Space,
    range: Space,
    workspace: usize,
}

impl Mapped {
    pub(super) fn new(map: &IndexMap, dtype: DType) -> Self {
        let [domain, range] =
            [map.domain(), map.range()].map(|shape| Space::new(shape, dtype).unwrap());
        let workspace = map.workspace(dtype).unwrap();
        Self { map: map.clone(), domain, range, workspace }
    }
}

impl LinearMap for Mapped {
    fn name(&self) -> &'static str {
        "Mapped"
    }

    fn domain(&self) -> &Space {
        &self.domain
    }

    fn range(&self) -> &Space {
        &self.range
    }

    fn enqueue(&self, on: Context<'_>, x: View<'_>, y: ViewMut<'_>, update: Update) -> Result<()> {
        self.map.enqueue(&*on, x, y, update)
    }

    fn enqueue_adjoint(
        &self,
        on: Context<'_>,
        y: View<'_>,
        x: ViewMut<'_>,
        update: Update,
    ) -> Result<()> {
        self.map.enqueue_adjoint(on, y, x, update)
    }

    fn workspace(&self) -> usize {
        self.workspace
    }
}

/// The four dtypes, by way of the widest.
trait Number: Element {
    fn narrow(value: Complex64) -> Self;
    fn wide(self) -> Complex64;
}

macro_rules! numbers {
    ($($type:ty: $value:ident => $narrow:expr, $wide:expr;)*) => {$(
        impl Number for $type {
            fn narrow($value: Complex64) -> Self { $narrow }
            fn wide(self) -> Complex64 { let $value = self; $wide }
        }
    )*};
}

numbers! {
    f32: v => v.re as f32, f64::from(v).into();
    f64: v => v.re, v.into();
    Complex32: v => Complex::new(v.re as f32, v.im as f32), Complex::new(v.re.into(), v.im.into());
    Complex64: v => v, v;
}

/// Small whole numbers, so that sums are exact.
fn values(len: usize, seed: usize) -> Vec<Complex64> {
    let number = |n: usize| ((n * n + 7 * n + seed) % 17) as f64 - 8.0;
    (0..len).map(|n| Complex::new(number(n), number(n + len))).collect()
}

fn updates() -> [Update<'static>; 7] {
    let c = Complex64::new;
    [
        Update::set(),
        Update::add(),
        Update::new(2.0, -0.5),
        Update::new(0.5, 0.0),
        Update::new(0.0, 0.0),
        Update::new(c(0.5, -1.0), c(0.0, 2.0)),
        Update::new(c(0.0, 1.0), 0.0),
    ]
}

struct Run<'a> {
    operator: Mapped,
    table: &'a Table,
    on: Arc<dyn Executor>,
}

impl Run<'_> {
    /// Applies the operator, or its adjoint, to arrays that have no gaps or are transposed.
    fn run<T: Number>(&self, adjoint: bool, turned: bool, update: Update) -> Vec<Complex64> {
        let Self { operator, on, .. } = self;
        let (from, to) = if adjoint {
            (operator.range(), operator.domain())
        } else {
            (operator.domain(), operator.range())
        };
        let fill = |len, seed| values(len, seed).into_iter().map(T::narrow).collect::<Vec<T>>();
        let input = Array::from_vec(fill(from.len(), 1), from.shape()).unwrap();
        let mut before = fill(to.len(), 2);
        if !update.reads() {
            before.fill(T::narrow(Complex::new(f64::NAN, f64::NAN)));
        }
        let mut output = Array::from_vec(before, to.shape()).unwrap();
        let reversed: Vec<usize> = (0..to.shape().len()).rev().collect();
        let shape: Vec<usize> = reversed.iter().map(|&axis| to.shape()[axis]).collect();
        let mut other = on.empty(&shape, T::DTYPE).unwrap();
        let other_view = |other| ViewMut::permuted(other, &reversed).unwrap();
        let mut workspace = Workspace::of(operator, &**on).unwrap();
        let mut apply = |x: View<'_>, y: ViewMut<'_>| {
            if adjoint {
                operator.apply_adjoint_with(&mut workspace, &**on, x, y, update).unwrap();
            } else {
                operator.apply_with(&mut workspace, &**on, x, y, update).unwrap();
            }
        };
        if turned {
            let mut view = other_view(other.view_mut());
            on.copy(output.view(), view.reborrow(), Update::set()).unwrap();
            apply(input.view(), view.reborrow());
            on.copy(view.view(), output.view_mut(), Update::set()).unwrap();
        } else {
            apply(input.view(), output.view_mut());
        }
        output.view().as_slice::<T>().unwrap().iter().map(|value| value.wide()).collect()
    }

    fn expected(&self, adjoint: bool, dtype: DType, update: Update) -> Vec<Complex64> {
        let Table { domain, range, reads } = self.table;
        let (x, y) = (domain.iter().product(), range.iter().product());
        let kept = |v: Complex64| if dtype.is_complex() { v } else { v.re.into() };
        let (from, to) = if adjoint { (y, x) } else { (x, y) };
        let from: Vec<Complex64> = values(from, 1).into_iter().map(kept).collect();
        let mut sums = vec![Complex64::default(); to];
        for (output, read) in reads.iter().enumerate() {
            let Some(read) = *read else { continue };
            let (source, target) = if adjoint { (output, read) } else { (read, output) };
            sums[target] += from[source];
        }
        let before = values(to, 2).into_iter().map(kept);
        let [alpha, beta] = update.known().unwrap();
        let old = |v: Complex64| if update.reads() { beta * v } else { Complex64::default() };
        sums.into_iter().zip(before).map(|(sum, v)| alpha * sum + old(v)).collect()
    }

    fn check<T: Number>(&self) {
        for update in updates() {
            if !T::DTYPE.is_complex() && !update.is_real() {
                continue;
            }
            for adjoint in [false, true] {
                let expected = self.expected(adjoint, T::DTYPE, update);
                let number = |at: usize| {
                    Array::from_vec(vec![T::narrow(update.known().unwrap()[at])], []).unwrap()
                };
                let (alpha, beta) = (number(0), number(1));
                for turned in [false, true] {
                    for update in [update, Update::new(&alpha, &beta)] {
                        let found = self.run::<T>(adjoint, turned, update);
                        let map = &self.operator.map;
                        assert_eq!(found, expected, "{adjoint} {turned} {update:?} {map:?}");
                    }
                }
            }
        }
    }
}

fn check(map: &IndexMap) {
    let on = arrayspan_kernels::on(Device::cpu()).unwrap();
    let table = Table::of_map(map);
    let run = |dtype| Run { operator: Mapped::new(map, dtype), table: &table, on: on.clone() };
    run(DType::Float32).check::<f32>();
    run(DType::Float64).check::<f64>();
    run(DType::Complex64).check::<Complex32>();
    run(DType::Complex128).check::<Complex64>();
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn any_map_runs_as_its_table_says(
        domain in shape(4, 5), range in shape(4, 5), mut choices in Choices::strategy(),
    ) {
        check(&random(&domain, &range, &mut choices).0);
    }

    #[test]
    fn named_maps_run_as_their_tables_say(domain in shape(3, 6), mut choices in Choices::strategy()) {
        check(&chain(&domain, &mut choices));
    }

    #[test]
    fn products_are_the_same_on_both_sides(
        domain in shape(4, 7), range in shape(4, 7), mut choices in Choices::strategy(),
    ) {
        let (map, _) = random(&domain, &range, &mut choices);
        let operator = Mapped::new(&map, DType::Complex128);
        let [x, y] = [(map.domain(), 3), (map.range(), 4)].map(|(shape, seed)| {
            Array::from_vec(values(shape.iter().product(), seed), shape).unwrap()
        });
        let dot = |a: &Array, b: &Array| -> Complex64 {
            let [a, b] = [a, b].map(|array| array.view().as_slice::<Complex64>().unwrap().to_vec());
            a.iter().zip(b).map(|(a, b)| a.conj() * b).sum()
        };
        let (ax, ay) = (operator.forward(&x).unwrap(), operator.adjoint(&y).unwrap());
        // Whole numbers: exact.
        prop_assert_eq!(dot(&y, &ax), dot(&ay, &x));
    }
}
