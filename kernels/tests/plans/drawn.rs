//! Programs that are drawn: in fewer passes they do what they do call by call.

use arrayspan_kernels::bridge::{Array, Relayout};
use arrayspan_kernels::{
    Band, Executor, Plan, Result, Stencil, Update, Vector, VectorMut, constant, input, previous,
};

use super::{array, on_each};

/// More are drawn by hand: each compiles kernels of its own.
const PROGRAMS: u64 = 16;

struct Random(u64);

impl Random {
    fn below(&mut self, count: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % count
    }

    /// Two different numbers below four.
    fn two(&mut self) -> [usize; 2] {
        let first = self.below(4);
        [first, (first + 1 + self.below(3)) % 4]
    }
}

type State = (Vec<Array>, Vec<Array>);

fn state(on: &dyn Executor, shape: &[usize]) -> State {
    let number =
        |value: f64| Array::from_slice(&[value], []).unwrap().into_device(on.device()).unwrap().0;
    let vectors = (0..4).map(|seed| array(on, shape, seed));
    (vectors.collect(), [0.5, 0.25].map(number).into())
}

/// One array to be written, and another to be read.
fn both(vectors: &mut [Array], [to, from]: [usize; 2]) -> (&mut Array, &Array) {
    let [to, from] = vectors.get_disjoint_mut([to, from]).unwrap();
    (to, from)
}

fn call(
    on: &dyn Executor,
    (vectors, numbers): &mut State,
    a: &Stencil,
    random: &mut Random,
) -> Result<()> {
    let (number, pair) = (random.below(2), random.two());
    let (x, y) = both(vectors, pair);
    match random.below(10) {
        0 | 1 => x.update_on(on, |x| 0.5 * x + 0.25 * y),
        2 => x.add_scaled_on(on, &numbers[number], y),
        3..=5 => {
            let update = [Update::set(), Update::set(), Update::new(0.5, -0.25)];
            on.stencil(a, y.view(), x.view_mut(), update[random.below(3)])
        }
        // An elementwise call and a stencil of what it writes, or of what it reads.
        6 | 7 => {
            x.update_on(on, |x| y - 0.5 * x)?;
            let other = (0..4).find(|at| !pair.contains(at)).unwrap_or(0);
            let (y, x) = both(vectors, [other, pair[random.below(3) / 2]]);
            on.stencil(a, x.view(), y.view_mut(), Update::set())
        }
        // A part of an array.
        8 => {
            let row = y.view().selected(0, 3)?;
            on.map(&(input(0) + constant(0.5) * previous()), &[row], x.view_mut().selected(0, 2)?)
        }
        _ => {
            x.update_on(on, |x| 0.5 * x - 0.5 * y)?;
            // A number near 1/2, whatever the array holds.
            x.norm_squared_into(on, &mut numbers[number])?;
            let bounded = previous() / (constant(1.0) + constant(2.0) * previous());
            on.map(&bounded, &[], numbers[number].view_mut())
        }
    }
}

#[test]
fn programs_that_are_drawn_do_the_same_in_fewer_passes() {
    on_each(|on| {
        let mut joined = 0;
        for seed in 0..PROGRAMS {
            let shape = [[53, 7], [9, 61]][seed as usize % 2];
            let axis = seed as usize / 2 % 2;
            let taps = [11, 5][seed as usize / 4 % 2];
            let weights = (0..taps).map(|k| (k - taps / 2, 0.3 / taps as f64));
            let a = Stencil::along(axis, Band::uniform(shape[axis], weights)).unwrap();
            let record = |on: &dyn Executor, state: &mut State| {
                let mut random = Random(seed * 77 + 5);
                (0..14).try_for_each(|_| call(on, state, &a, &mut random))
            };
            let mut direct = state(&*on, &shape);
            let plan = Plan::record(on.clone(), state(&*on, &shape), record).unwrap();
            let calls = plan.steps().len();
            let mut plan = plan.fused();
            joined += calls - plan.steps().len();
            for turn in 0..3 {
                record(&*on, &mut direct).unwrap();
                plan.replay().unwrap();
                let (vectors, numbers) = plan.arrays();
                let what = format!("program {seed}, turn {turn} on {}", on.device());
                for (own, other) in vectors.iter().zip(&direct.0) {
                    let [own, other] = [own, other].map(|of| of.to_vec::<f32>().unwrap());
                    let off = own.iter().zip(&other).map(|(a, b)| (a - b).abs());
                    assert!(off.fold(0.0, f32::max) < 1e-5, "{what}");
                }
                for (own, other) in numbers.iter().zip(&direct.1) {
                    let [own, other] = [own, other].map(|of| of.item::<f64>().unwrap());
                    assert!((own - other).abs() < 1e-5, "{what}: {own}, {other}");
                }
            }
        }
        assert!(joined > 10, "{joined} joined on {}", on.device());
    });
}
