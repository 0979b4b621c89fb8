//! Factors of updates that live on the device: every verb that takes an `Update`.

use arrayspan_kernels::bridge::{Array, DType, ViewMut};
use arrayspan_kernels::{
    Band, Coefficients, Factor, Result, Stencil, StencilTerm, Update, constant, input, previous,
};
use num_complex::Complex64;

use crate::cell::Cell;
use crate::reference::{self, Expected, Summand, Tensor};
use crate::sample::{Form, Sample};

type Run<'c> = Box<dyn Fn(ViewMut<'_>, Update<'_>) -> Result<()> + 'c>;
type Meaning<'c> = Box<dyn Fn(&Tensor, Update<'_>) -> Expected + 'c>;

/// A verb with its inputs, and its meaning with factors of the host.
struct Verb<'c> {
    name: &'static str,
    y: (&'static [usize], Form),
    run: Run<'c>,
    meant: Meaning<'c>,
}

/// Inputs of all of them.
struct Inputs {
    plain: Sample,
    turned: Sample,
    a: Sample,
    b: Sample,
    weights: Sample,
    stencil: Stencil,
}

const SHAPE: &[usize] = &[13, 11];

impl Inputs {
    fn new(cell: &Cell) -> Self {
        let band = Band::uniform(13, [(-1, 0.5), (0, -1.0), (2, 0.25)]);
        let across = Band::uniform(11, [(-1, 0.75), (0, 0.5)]);
        Self {
            plain: cell.random(SHAPE, Form::Plain, 1),
            turned: cell.random(SHAPE, Form::Transposed, 2),
            a: cell.random(&[13, 7], Form::Plain, 3),
            b: cell.random(&[7, 11], Form::Plain, 4),
            weights: cell.random(SHAPE, Form::Plain, 5),
            stencil: Stencil::new([(0, band), (1, across)]).unwrap(),
        }
    }

    fn verbs<'c>(&'c self, cell: &'c Cell) -> Vec<Verb<'c>> {
        let Self { plain, turned, a, b, weights, stencil } = self;
        let on = &*cell.executor;
        let copy = |name, x: &'c Sample, form| Verb {
            name,
            y: (SHAPE, form),
            run: Box::new(move |y, update| on.copy(x.view(), y, update)),
            meant: Box::new(move |y, update| reference::copy(&x.tensor, y, update)),
        };
        let batched = |tensor: &Tensor| {
            Tensor::new(&[&[1], &tensor.shape[..]].concat(), tensor.values.clone())
        };
        let summand = |x: &'c Sample, after| Summand { stencil, x: &x.tensor, before: None, after };
        let expression = || input(0) * input(1) - constant(0.5) * input(0);
        vec![
            copy("copy", plain, Form::Mixed),
            copy("copy through tiles", turned, Form::Plain),
            Verb {
                name: "stencil",
                y: (SHAPE, Form::Plain),
                run: Box::new(move |y, update| on.stencil(stencil, plain.view(), y, update)),
                meant: Box::new(move |y, update| {
                    reference::stencil(stencil, &plain.tensor, y, update)
                }),
            },
            Verb {
                name: "stencil_sum",
                y: (SHAPE, Form::Inside),
                run: Box::new(move |y, update| {
                    let after = Some(Coefficients::new(weights.view()));
                    let weighted = StencilTerm { after, ..StencilTerm::new(stencil, plain.view()) };
                    let bare = StencilTerm::new(stencil, turned.view());
                    on.stencil_sum(&[weighted, bare], y, update)
                }),
                meant: Box::new(move |y, update| {
                    let weights = Some(Tensor::new(SHAPE, weights.tensor.values.clone()));
                    let summands = [summand(plain, weights), summand(turned, None)];
                    reference::stencil_sum(&summands, y, update)
                }),
            },
            Verb {
                name: "gemm",
                y: (SHAPE, Form::Plain),
                run: Box::new(move |y, update| on.gemm(a.view(), false, b.view(), y, update)),
                meant: Box::new(move |y, update| {
                    let [a, b, y] = [&a.tensor, &b.tensor, y].map(batched);
                    let mut expected = reference::gemm(&a, false, &b, &y, update);
                    expected.result.shape = SHAPE.to_vec();
                    expected
                }),
            },
            Verb {
                name: "gemm of what no library follows",
                y: (SHAPE, Form::Stepped),
                run: Box::new(move |y, update| on.gemm(a.view(), true, b.view(), y, update)),
                meant: Box::new(move |y, update| {
                    let [a, b, y] = [&a.tensor, &b.tensor, y].map(batched);
                    let mut expected = reference::gemm(&a, true, &b, &y, update);
                    expected.result.shape = SHAPE.to_vec();
                    expected
                }),
            },
            Verb {
                name: "map_updated",
                y: (SHAPE, Form::Reversed),
                run: Box::new(move |y, update| {
                    on.map_updated(&expression(), &[plain.view(), weights.view()], y, update)
                }),
                meant: Box::new(move |y, update| {
                    let [alpha, beta] = update.known().unwrap();
                    let whole = constant(alpha) * expression();
                    let whole =
                        if update.reads() { whole + constant(beta) * previous() } else { whole };
                    reference::map(&whole, &[&plain.tensor, &weights.tensor], y)
                }),
            },
        ]
    }
}

/// How a number comes to be a factor on the device.
#[derive(Clone, Copy, Debug)]
enum Kind {
    /// In the dtype of the elements.
    Own,
    /// In a wider real one.
    Wide,
    /// Times a number of the host.
    Scaled(DType),
    /// It stays on the host.
    Known,
}

/// A number on the device, and what it is multiplied by there.
struct Given {
    array: Option<Array>,
    number: Complex64,
}

impl Given {
    fn new(cell: &Cell, kind: Kind, value: Complex64) -> Self {
        let (dtype, number) = match kind {
            Kind::Known => return Self { array: None, number: value },
            Kind::Own => (cell.dtype, 1.0),
            Kind::Wide => (DType::Float64, 1.0),
            Kind::Scaled(dtype) => (dtype, -4.0),
        };
        let array = match dtype {
            DType::Float64 if !cell.is_complex() || dtype != cell.dtype => {
                let host = Array::from_slice(&[value.re / number], []).unwrap();
                host.to(cell.executor.device()).unwrap().0
            }
            _ => Sample::new(cell, &Tensor::filled(&[], value / number), Form::Plain).into_array(),
        };
        Self { array: Some(array), number: number.into() }
    }

    fn factor(&self) -> Factor<'_> {
        self.array.as_ref().map_or(self.number.into(), |array| Factor::from(array) * self.number)
    }
}

/// The kinds that a device takes, for both factors.
fn kinds(cell: &Cell) -> Vec<[Kind; 2]> {
    let own = [Kind::Own, Kind::Scaled(cell.dtype)];
    let mut all = vec![own, [Kind::Known, Kind::Own], [Kind::Scaled(cell.dtype), Kind::Known]];
    if cell.executor.device().is_cpu() || cell.executor.device().info().float64 {
        all.push([Kind::Scaled(DType::Float64), Kind::Wide]);
    }
    all
}

pub fn every_verb_takes_factors_on_the_device(cell: &Cell) {
    let inputs = Inputs::new(cell);
    let number = |re, im| cell.number(re, im);
    let turned = [(number(0.5, 0.25), number(-2.0, 1.5)), (number(-1.0, 2.0), number(0.0, 0.0))];
    let real = [(2.0, 0.75), (1.0, 1.0), (0.0, 1.0), (-0.5, 0.0), (1.0, 0.0)];
    let real = real.map(|(alpha, beta)| (number(alpha, 0.0), number(beta, 0.0)));
    for verb in inputs.verbs(cell) {
        for kinds in kinds(cell) {
            let wide = kinds.iter().any(|kind| matches!(kind, Kind::Wide));
            for (alpha, beta) in turned.into_iter().chain(real) {
                if wide && (alpha.im != 0.0 || beta.im != 0.0) {
                    continue;
                }
                let (shape, form) = verb.y;
                let mut ys = vec![cell.random(shape, form, 6)];
                if beta == Complex64::ZERO {
                    ys.push(cell.unreadable(shape, form));
                }
                for mut y in ys {
                    let expected = (verb.meant)(&y.tensor, Update::new(alpha, beta));
                    let given = [alpha, beta];
                    let given = [0, 1].map(|at| Given::new(cell, kinds[at], given[at]));
                    let update = Update::new(given[0].factor(), given[1].factor());
                    (verb.run)(y.view_mut(), update).unwrap();
                    let what = format!("{} {kinds:?} {alpha} {beta}", verb.name);
                    cell.check(&y, &expected, &what);
                }
            }
        }
    }
}

/// What is not a number stays so where it is multiplied by anything but a `beta` of zero.
pub fn factors_that_are_not_numbers_are_passed_on(cell: &Cell) {
    let inputs = Inputs::new(cell);
    let nan = Given::new(cell, Kind::Own, f64::NAN.into());
    for verb in inputs.verbs(cell) {
        let (shape, form) = verb.y;
        for update in [Update::new(nan.factor(), 0.0), Update::new(1.0, nan.factor())] {
            let mut y = cell.random(shape, form, 6);
            (verb.run)(y.view_mut(), update).unwrap();
            assert!(y.read(cell).values.iter().all(|value| value.re.is_nan()), "{}", verb.name);
        }
    }
}

pub fn a_factor_may_be_an_element_of_a_larger_array(cell: &Cell) {
    use arrayspan_kernels::bridge::Relayout;
    let inputs = Inputs::new(cell);
    let numbers = cell.random(&[3, 5], Form::Mixed, 7);
    let at = |row: usize, column: usize| {
        let one = numbers.view().sliced(0, row, 1).unwrap().sliced(1, column, 1).unwrap();
        (Factor::from(one), numbers.tensor.at(&[row, column]))
    };
    let ((alpha, a), (beta, b)) = (at(2, 1), at(0, 4));
    for verb in inputs.verbs(cell) {
        let (shape, form) = verb.y;
        let mut y = cell.random(shape, form, 6);
        let expected = (verb.meant)(&y.tensor, Update::new(a, b));
        (verb.run)(y.view_mut(), Update::new(alpha, beta)).unwrap();
        cell.check(&y, &expected, verb.name);
    }
}
