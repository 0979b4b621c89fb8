//! The index space of a kernel: which axes it goes along, and how its operands lie in them.

use smallvec::smallvec;

use crate::Layout;
use crate::layout::Axes;

use super::arguments::{Arguments, MOST_ARGUMENTS};
use super::collapse::{Collapsed, Each, collapse, collapse_around};
use super::form::IterationForm;
use super::runs::{Inner, Runs, Start};

/// The axes a kernel goes along, innermost first, and how its operands lie in them. Operand 0 is called `y`,
/// the others `x0`, `x1`, ….
#[derive(Debug)]
pub struct IterationSpace {
    /// Extents of the axes, at least one.
    pub extents: Axes<usize>,
    /// For each operand its strides, in elements.
    pub strides: Each<Axes<isize>>,
    /// For each operand the place of its first element.
    pub offsets: Each<usize>,
}

/// Places from here on need 64 bits: far enough from 2³¹ that no loop counter passes it.
const WIDE: usize = (1 << 30) - (1 << 16);

impl IterationSpace {
    /// The space of operands of one shape. Axes are sorted and flipped for operand 0 to be walked from its
    /// start to its end, and merged where all operands allow it.
    #[must_use]
    pub fn new(layouts: &[&Layout]) -> Self {
        let order = Order::new(layouts, true);
        if order.is_given() {
            return Self::from_collapsed(collapse(layouts), layouts);
        }
        let arranged = order.apply(layouts);
        let arranged: Each<&Layout> = arranged.iter().collect();
        Self::from_collapsed(collapse(&arranged), &arranged)
    }

    /// As [`new`](Self::new), but without going backwards, and with each axis of `apart` an axis of its own.
    /// Also tells which axis each of `apart` has become.
    #[must_use]
    pub fn around(layouts: &[&Layout], apart: &[usize]) -> (Self, Axes<usize>) {
        let order = Order::new(layouts, false);
        let place = |axis: &usize| order.axes.iter().position(|other| other == axis).unwrap_or(0);
        let fixed: Axes<usize> = apart.iter().map(place).collect();
        let applied;
        let mut arranged: Each<&Layout> = Each::from_slice(layouts);
        if !order.is_given() {
            applied = order.apply(layouts);
            arranged = applied.iter().collect();
        }
        let collapsed = collapse_around(&arranged, &fixed);
        let last = collapsed.shape.len().saturating_sub(1);
        let now = fixed.iter().map(|axis| last - collapsed.axes[*axis].unwrap_or(last)).collect();
        (Self::from_collapsed(collapsed, &arranged), now)
    }

    /// Makes the axis along which operand 1 is contiguous axis 1, if it is another than axis 0, along which operand
    /// 0 is contiguous, and both are at least `least` long: then the two are best walked in tiles of these axes.
    pub fn turn(&mut self, least: usize) -> bool {
        let from = &self.strides[1];
        let near = |axis: &usize| from[*axis].unsigned_abs();
        let axis = (0..from.len()).filter(|axis| from[*axis] != 0).min_by_key(near).unwrap_or(0);
        let worth = axis != 0
            && self.strides[0][0] == 1
            && near(&axis) < near(&0)
            && self.extents[axis] >= least
            && self.extents[0] >= least;
        if worth {
            self.swap(1, axis);
        }
        worth
    }

    /// Swaps two axes.
    pub fn swap(&mut self, one: usize, other: usize) {
        self.extents.swap(one, other);
        for strides in &mut self.strides {
            strides.swap(one, other);
        }
    }

    fn from_collapsed(collapsed: Collapsed, layouts: &[&Layout]) -> Self {
        let Collapsed { shape: mut extents, mut strides, .. } = collapsed;
        extents.reverse();
        for strides in &mut strides {
            strides.reverse();
        }
        if extents.is_empty() {
            extents.push(1);
            strides = smallvec![smallvec![1]; layouts.len()];
        }
        Self { extents, strides, offsets: layouts.iter().map(|layout| layout.offset()).collect() }
    }

    /// Whether some place, counted from an operand's first element, needs 64 bits.
    #[must_use]
    pub fn is_wide(&self) -> bool {
        let reach = |strides: &Axes<isize>| -> usize {
            let axes = strides.iter().zip(&self.extents);
            axes.map(|(stride, extent)| stride.unsigned_abs() * extent.saturating_sub(1)).sum()
        };
        self.extents.iter().product::<usize>() >= WIDE
            || self.strides.iter().any(|strides| reach(strides) >= WIDE)
    }

    /// Where runs along axis 0 begin.
    #[must_use]
    pub fn start(&self, operand: usize, address: usize, bytes: usize) -> Start {
        Start {
            stride: self.strides[operand][0],
            first: address | (self.offsets[operand] * bytes),
            steps: self.steps(operand, 1),
        }
    }

    /// The form for elements of `bytes` bytes in blocks at these addresses (see [`address`](super::runs::address)),
    /// when `others` arguments come beside those of the space.
    #[must_use]
    pub fn form(&self, bytes: usize, addresses: &[usize], others: usize) -> IterationForm {
        let addresses = addresses.iter().enumerate();
        let starts: Each<_> = addresses.map(|(n, &at)| self.start(n, at, bytes)).collect();
        self.form_with(Runs::new(&starts, bytes, self.extents[0]), others)
    }

    /// As [`form`](Self::form), with runs that the caller has found.
    #[must_use]
    pub fn form_with(&self, runs: Runs, others: usize) -> IterationForm {
        let form = IterationForm::new(self.extents.len(), runs, self.is_wide());
        let arguments = others + 2 * self.strides.len() + self.numbers(&form).count();
        if arguments <= MOST_ARGUMENTS {
            return form;
        }
        let numbers = self.numbers(&form).collect();
        form.baking(numbers)
    }

    /// The bits of an operand's steps along all axes from `first` on.
    #[must_use]
    pub fn steps(&self, operand: usize, first: usize) -> usize {
        let axes = self.strides[operand].iter().zip(&self.extents).skip(first);
        let steps =
            axes.filter(|(_, extent)| **extent > 1).map(|(stride, _)| stride.unsigned_abs());
        steps.fold(0, |bits, step| bits | step)
    }

    /// What a kernel of that form is told, in the order in which it declares it.
    pub fn push(&self, form: &IterationForm, arguments: &mut Arguments<'_>) {
        if !form.is_baked() {
            arguments.indices(self.numbers(form));
        }
    }

    fn numbers(&self, form: &IterationForm) -> impl Iterator<Item = isize> {
        let extents = self.extents.iter().map(|extent| *extent as isize);
        let strides = self.strides.iter().zip(form.runs().inner()).flat_map(|(strides, inner)| {
            strides.iter().copied().skip(usize::from(*inner != Inner::Apart))
        });
        extents.chain(strides)
    }

    /// Runs along axis 0, rows along axis 1, the rest.
    #[must_use]
    pub fn items(&self, form: &IterationForm) -> [usize; 3] {
        let along = |axis: usize| self.extents.get(axis).copied().unwrap_or(1);
        [along(0).div_ceil(form.runs().len), along(1), self.extents.iter().skip(2).product()]
    }
}

/// Axes in another order, some of them backwards.
struct Order {
    axes: Axes<usize>,
    backwards: Axes<usize>,
}

impl Order {
    /// The order in which the places of operand 0 rise; without going `backwards`, that in which its steps
    /// get shorter.
    fn new(layouts: &[&Layout], backwards: bool) -> Self {
        let Some(first) = layouts.first() else {
            return Self { axes: Axes::new(), backwards: Axes::new() };
        };
        let (shape, strides) = (first.shape(), first.strides());
        let mut axes: Axes<usize> = (0..first.rank()).collect();
        // The place of an axis of extent 1 does not matter; as the first it separates no others.
        let step =
            |axis: usize| if shape[axis] > 1 { strides[axis].unsigned_abs() } else { usize::MAX };
        axes.sort_by_key(|&axis| std::cmp::Reverse(step(axis)));
        let falls = |axis: &usize| backwards && shape[*axis] > 1 && strides[*axis] < 0;
        Self { backwards: (0..first.rank()).filter(falls).collect(), axes }
    }

    /// Whether it is that which the layouts have.
    fn is_given(&self) -> bool {
        self.axes.is_sorted() && self.backwards.is_empty()
    }

    /// The layouts in this order.
    fn apply(&self, layouts: &[&Layout]) -> Each<Layout> {
        let arranged = |&layout: &&Layout| {
            let turned = self
                .backwards
                .iter()
                .try_fold(layout.clone(), |turned, axis| turned.reversed(*axis));
            let arranged = turned.and_then(|turned| turned.permuted(&self.axes));
            arranged.unwrap_or_else(|_| layout.clone())
        };
        layouts.iter().map(arranged).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contiguous_operands_are_one_line_whatever_their_order() {
        let layout = Layout::contiguous([3, 4, 5]).unwrap();
        let turned = layout.permuted(&[2, 0, 1]).unwrap().reversed(1).unwrap();
        for layout in [&layout, &turned] {
            let space = IterationSpace::new(&[layout, layout]);
            assert_eq!(space.extents[..], [60]);
            assert_eq!(space.strides.concat(), [1, 1]);
            assert_eq!(space.offsets[..], [0, 0]);
        }
    }

    #[test]
    fn operands_keep_meeting_each_other() {
        let y = Layout::contiguous([4, 5]).unwrap().permuted(&[1, 0]).unwrap();
        let x = Layout::contiguous([5, 4]).unwrap().reversed(0).unwrap();
        let space = IterationSpace::new(&[&y, &x]);
        assert_eq!((&space.extents[..], space.strides.concat()), (&[5, 4][..], vec![1, 5, -4, 1]));
        assert_eq!(space.offsets[..], [0, 16]);
    }

    #[test]
    fn a_number_has_one_axis() {
        let layout = Layout::contiguous([]).unwrap();
        assert_eq!(IterationSpace::new(&[&layout]).extents[..], [1]);
    }

    #[test]
    fn far_places_are_wide() {
        let near = Layout::contiguous([1 << 15, 1 << 14]).unwrap();
        assert!(!IterationSpace::new(&[&near]).is_wide());
        let far = Layout::contiguous([1 << 16, 1 << 14]).unwrap();
        assert!(IterationSpace::new(&[&far]).is_wide());
        assert!(IterationSpace::new(&[&far.stepped(1, 1 << 13).unwrap()]).is_wide());
    }
}
