//! The index space of a kernel: which axes it goes along, and how its operands lie in them.

use std::borrow::Cow;
use std::fmt::Write as _;

use arrayspan_bridge::Layout;

use super::arguments::{Arguments, MOST};
use super::runs::{Inner, Runs, Start};
use super::text::Text;
use crate::collapse::{Collapsed, collapse, collapse_around};

/// The axes a kernel goes along, innermost first, and how its operands lie in them. Operand 0 is called `y`,
/// the others `x0`, `x1`, ….
#[derive(Debug)]
pub(super) struct Space {
    /// At least one.
    pub(super) extents: Vec<usize>,
    /// For each operand, in elements.
    pub(super) strides: Vec<Vec<isize>>,
    /// For each operand, in elements.
    pub(super) offsets: Vec<usize>,
}

/// What of a space is baked into a kernel.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Form {
    rank: usize,
    pub(super) runs: Runs,
    /// Whether places need 64 bits.
    pub(super) wide: bool,
    /// Extents and strides, where they are too many to be arguments.
    baked: Vec<isize>,
}

/// Places from here on need 64 bits: far enough from 2³¹ that no loop counter passes it.
const WIDE: usize = (1 << 30) - (1 << 16);

impl Space {
    /// The space of operands of one shape. Axes are sorted and flipped for operand 0 to be walked from its
    /// start to its end, and merged where all operands allow it.
    pub(super) fn new(layouts: &[&Layout]) -> Self {
        let arranged: Vec<Cow<'_, Layout>> = match order(layouts) {
            None => layouts.iter().map(|layout| Cow::Borrowed(*layout)).collect(),
            Some(order) => layouts.iter().map(|&layout| Cow::Owned(order.apply(layout))).collect(),
        };
        let arranged: Vec<&Layout> = arranged.iter().map(AsRef::as_ref).collect();
        Self::from_collapsed(collapse(&arranged), &arranged)
    }

    /// As [`new`](Self::new), but without going backwards, and with each axis of `apart` an axis of its own.
    /// Also tells which axis each of `apart` has become.
    pub(super) fn around(layouts: &[&Layout], apart: &[usize]) -> (Self, Vec<usize>) {
        let axes = rising(layouts);
        let place = |axis: &usize| axes.iter().position(|other| other == axis).unwrap_or(0);
        let fixed: Vec<usize> = apart.iter().map(place).collect();
        let order = Order { axes, backwards: Vec::new() };
        let arranged: Vec<Layout> = layouts.iter().map(|layout| order.apply(layout)).collect();
        let arranged: Vec<&Layout> = arranged.iter().collect();
        let collapsed = collapse_around(&arranged, &fixed);
        let last = collapsed.shape.len().saturating_sub(1);
        let now = fixed.iter().map(|axis| last - collapsed.axes[*axis].unwrap_or(last)).collect();
        (Self::from_collapsed(collapsed, &arranged), now)
    }

    /// Swaps two axes.
    pub(super) fn swap(&mut self, one: usize, other: usize) {
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
            strides = vec![vec![1]; layouts.len()];
        }
        Self { extents, strides, offsets: layouts.iter().map(|layout| layout.offset()).collect() }
    }

    /// Whether some place, counted from an operand's first element, needs 64 bits.
    pub(super) fn is_wide(&self) -> bool {
        let reach = |strides: &Vec<isize>| -> usize {
            let axes = strides.iter().zip(&self.extents);
            axes.map(|(stride, extent)| stride.unsigned_abs() * extent.saturating_sub(1)).sum()
        };
        self.extents.iter().product::<usize>() >= WIDE
            || self.strides.iter().any(|strides| reach(strides) >= WIDE)
    }

    /// Where runs along axis 0 begin.
    pub(super) fn start(&self, operand: usize, address: usize, bytes: usize) -> Start {
        Start {
            stride: self.strides[operand][0],
            first: address | (self.offsets[operand] * bytes),
            steps: self.steps(operand, 1),
        }
    }

    /// The form for elements of `bytes` bytes in blocks at these addresses (see [`address`](super::runs::address)),
    /// when `others` arguments come beside those of the space.
    pub(super) fn form(&self, bytes: usize, addresses: &[usize], others: usize) -> Form {
        let addresses = addresses.iter().enumerate();
        let starts: Vec<_> = addresses.map(|(n, &at)| self.start(n, at, bytes)).collect();
        let runs = Runs::new(&starts, bytes, self.extents[0]);
        let rank = self.extents.len();
        let mut form = Form { rank, runs, wide: self.is_wide(), baked: Vec::new() };
        if others + 2 * self.strides.len() + self.numbers(&form).count() > MOST {
            form.baked = self.numbers(&form).collect();
        }
        form
    }

    /// The bits of an operand's steps along all axes from `first` on.
    pub(super) fn steps(&self, operand: usize, first: usize) -> usize {
        let axes = self.strides[operand].iter().zip(&self.extents).skip(first);
        let steps =
            axes.filter(|(_, extent)| **extent > 1).map(|(stride, _)| stride.unsigned_abs());
        steps.fold(0, |bits, step| bits | step)
    }

    /// What a kernel of that form is told, in the order in which it declares it.
    pub(super) fn push(&self, form: &Form, arguments: &mut Arguments<'_>) {
        if form.baked.is_empty() {
            arguments.indices(self.numbers(form));
        }
    }

    fn numbers(&self, form: &Form) -> impl Iterator<Item = isize> {
        let extents = self.extents.iter().map(|extent| *extent as isize);
        let strides = self.strides.iter().zip(form.runs.inner()).flat_map(|(strides, inner)| {
            strides.iter().copied().skip(usize::from(*inner != Inner::Apart))
        });
        extents.chain(strides)
    }

    /// Runs along axis 0, rows along axis 1, the rest.
    pub(super) fn items(&self, form: &Form) -> [usize; 3] {
        let along = |axis: usize| self.extents.get(axis).copied().unwrap_or(1);
        [along(0).div_ceil(form.runs.len), along(1), self.extents.iter().skip(2).product()]
    }
}

impl Form {
    /// The same with runs that divide `extent`.
    pub(super) fn dividing(mut self, extent: usize) -> Self {
        self.runs = self.runs.dividing(extent);
        self
    }

    /// How many operands there are.
    pub(super) fn operands(&self) -> usize {
        self.runs.inner().len()
    }

    /// The name of an operand.
    pub(super) fn operand(number: usize) -> String {
        if number == 0 { "y".into() } else { format!("x{}", number - 1) }
    }

    /// The macros that the prelude and the verb's text take.
    pub(super) fn define(&self, text: &mut Text) {
        let operands: Vec<_> = (0..self.operands()).map(Self::operand).collect();
        text.flag("WIDE", self.wide);
        self.runs.define(&operands, text);
        for (name, value) in self.names().iter().zip(&self.baked) {
            text.define(name, format_args!("((idx){value})"));
        }
        for (name, inner) in operands.iter().zip(self.runs.inner()) {
            match inner {
                Inner::Unit => text.define(format_args!("{name}_s0"), 1),
                Inner::Repeated => text.define(format_args!("{name}_s0"), 0),
                Inner::Apart => {}
            }
            let row: Vec<_> =
                (1..self.rank).map(|axis| format!("i{axis} * {name}_s{axis}")).collect();
            let row = if row.is_empty() { "0".into() } else { row.join(" + ") };
            text.define(format_args!("{name}_ROW"), format_args!("({row})"));
        }
        if self.rank == 1 {
            text.define("n1", 1);
        }
        self.define_split(text);
    }

    /// `OUTER`, the number of rows of rows, and `SPLIT(z)`, which makes `i2`, `i3`, … of one of them.
    fn define_split(&self, text: &mut Text) {
        let axes = 2..self.rank;
        let extents: Vec<_> = axes.clone().map(|axis| format!("n{axis}")).collect();
        let product = if extents.is_empty() { "1".into() } else { extents.join(" * ") };
        let mut split = String::new();
        let mut rest = "z".to_owned();
        for axis in axes {
            // Writing to a String cannot fail.
            if axis + 1 == self.rank {
                let _ = write!(split, "const idx i{axis} = {rest}; ");
            } else {
                let _ = write!(split, "const idx i{axis} = {rest} % n{axis}, ");
                let _ = write!(split, "z{axis} = {rest} / n{axis}; ");
                rest = format!("z{axis}");
            }
        }
        text.define("OUTER", format_args!("({product})"));
        text.define("SPLIT(z)", split);
    }

    /// The parameters for extents and strides, each after a comma.
    pub(super) fn declare(&self) -> String {
        if !self.baked.is_empty() {
            return String::new();
        }
        self.names().iter().fold(String::new(), |text, name| text + ", idx " + name)
    }

    fn names(&self) -> Vec<String> {
        let extents = (0..self.rank).map(|axis| format!("n{axis}"));
        let strides = self.runs.inner().iter().enumerate().flat_map(|(number, inner)| {
            let first = usize::from(*inner != Inner::Apart);
            (first..self.rank).map(move |axis| format!("{}_s{axis}", Self::operand(number)))
        });
        extents.chain(strides).collect()
    }
}

/// Axes in another order, some of them backwards.
struct Order {
    axes: Vec<usize>,
    backwards: Vec<usize>,
}

/// The order in which the places of operand 0 rise, unless they do already.
fn order(layouts: &[&Layout]) -> Option<Order> {
    let first = layouts.first()?;
    let axes = || (0..first.rank()).filter(|axis| first.shape()[*axis] > 1);
    let strides = || axes().map(|axis| first.strides()[axis]);
    if strides().all(|stride| stride >= 0) && strides().is_sorted_by(|a, b| a >= b) {
        return None;
    }
    let backwards = axes().filter(|axis| first.strides()[*axis] < 0).collect();
    Some(Order { axes: rising(layouts), backwards })
}

/// The axes, those along which the neighbours of operand 0 lie farthest apart first.
fn rising(layouts: &[&Layout]) -> Vec<usize> {
    let Some(first) = layouts.first() else { return Vec::new() };
    let mut axes: Vec<usize> = (0..first.rank()).collect();
    axes.sort_by_key(|&axis| {
        let distance = first.strides()[axis].unsigned_abs();
        std::cmp::Reverse(if first.shape()[axis] > 1 { distance } else { usize::MAX })
    });
    axes
}

impl Order {
    fn apply(&self, layout: &Layout) -> Layout {
        let mut arranged = layout.clone();
        for &axis in &self.backwards {
            arranged = arranged.reversed(axis).unwrap_or(arranged);
        }
        arranged.permuted(&self.axes).unwrap_or(arranged)
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
            let space = Space::new(&[layout, layout]);
            assert_eq!(space.extents, [60]);
            assert_eq!(space.strides, [[1], [1]]);
            assert_eq!(space.offsets, [0, 0]);
        }
    }

    #[test]
    fn operands_keep_meeting_each_other() {
        let y = Layout::contiguous([4, 5]).unwrap().permuted(&[1, 0]).unwrap();
        let x = Layout::contiguous([5, 4]).unwrap().reversed(0).unwrap();
        let space = Space::new(&[&y, &x]);
        assert_eq!((space.extents, space.strides), (vec![5, 4], vec![vec![1, 5], vec![-4, 1]]));
        assert_eq!(space.offsets, [0, 16]);
    }

    #[test]
    fn a_number_has_one_axis() {
        let layout = Layout::contiguous([]).unwrap();
        assert_eq!(Space::new(&[&layout]).extents, [1]);
    }

    #[test]
    fn far_places_are_wide() {
        let near = Layout::contiguous([1 << 15, 1 << 14]).unwrap();
        assert!(!Space::new(&[&near]).is_wide());
        let far = Layout::contiguous([1 << 16, 1 << 14]).unwrap();
        assert!(Space::new(&[&far]).is_wide());
        assert!(Space::new(&[&far.stepped(1, 1 << 13).unwrap()]).is_wide());
    }
}
