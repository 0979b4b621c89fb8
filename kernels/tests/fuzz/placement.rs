//! How an array lies in the block that holds it.

use arrayspan_kernels::bridge::Relayout;

use crate::draw::Draw;

/// Along one axis.
#[derive(Clone, Debug, PartialEq)]
struct Along {
    backwards: bool,
    step: usize,
    before: usize,
    after: usize,
    /// Whether it is one index, which is repeated.
    repeated: bool,
}

impl Along {
    const PLAIN: Self = Self { backwards: false, step: 1, before: 0, after: 0, repeated: false };
}

/// The order in which axes lie, the last one nearest, and each of them.
#[derive(Clone, Debug)]
pub struct Placement {
    order: Vec<usize>,
    axes: Vec<Along>,
}

impl Placement {
    /// Of an input some axes may be repeated.
    pub fn draw(draw: &mut Draw, rank: usize, input: bool) -> Self {
        let mut placement = Self { order: (0..rank).collect(), axes: vec![Along::PLAIN; rank] };
        match draw.below(8) {
            0 | 1 => {}
            2 => placement.order = draw.order(rank),
            3 => {
                for axis in &mut placement.axes {
                    (axis.before, axis.after) = (draw.below(3), draw.below(3));
                }
            }
            4 => {
                if let Some(axis) = placement.axes.last_mut() {
                    (axis.before, axis.after) = (draw.below(5), draw.below(4));
                }
            }
            _ => {
                if draw.once_in(2) {
                    placement.order = draw.order(rank);
                }
                for axis in &mut placement.axes {
                    *axis = Along {
                        backwards: draw.once_in(3),
                        step: draw.pick(&[1, 1, 1, 2, 3]),
                        before: draw.pick(&[0, 0, 1, 2, 4]),
                        after: draw.pick(&[0, 0, 1, 3]),
                        repeated: input && draw.once_in(5),
                    };
                }
            }
        }
        placement
    }

    /// An array's shape without what repeats.
    pub fn held(&self, shape: &[usize]) -> Vec<usize> {
        let axes = self.axes.iter().zip(shape);
        axes.map(|(axis, &extent)| if axis.repeated { extent.min(1) } else { extent }).collect()
    }

    /// The shape of the block.
    pub fn block(&self, shape: &[usize]) -> Vec<usize> {
        let held = self.held(shape);
        let extent = |&axis: &usize| {
            let along = &self.axes[axis];
            held[axis] * along.step + along.before + along.after
        };
        self.order.iter().map(extent).collect()
    }

    /// What is held, in the block.
    pub fn lay<V: Relayout>(&self, block: V, shape: &[usize]) -> V {
        let mut places = vec![0; self.order.len()];
        for (place, &axis) in self.order.iter().enumerate() {
            places[axis] = place;
        }
        let mut view = block.permuted(&places).unwrap();
        for (axis, (along, extent)) in self.axes.iter().zip(self.held(shape)).enumerate() {
            view = view.sliced(axis, along.before, extent * along.step).unwrap();
            if along.step > 1 {
                view = view.stepped(axis, along.step).unwrap();
            }
            if along.backwards {
                view = view.reversed(axis).unwrap();
            }
        }
        view
    }
}
