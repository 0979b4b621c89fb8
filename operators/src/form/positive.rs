//! Whether an operator is positive semi-definite, from what it is made of.

use std::collections::HashSet;

use super::{Form, Orientation, Partition};
use crate::algebra::{Kind, Node};
use crate::laws::values::numbers;
use crate::{LinearMap, Operator};

/// Factors of a product that are looked at; of longer ones nothing is told.
const MOST_FACTORS: usize = 256;

impl Operator {
    /// Whether it is positive semi-definite, `Re ⟨A x, x⟩ ≥ 0` and `A = Aᴴ`, as far as its form tells: `false` says that it may
    /// not be.
    ///
    /// Known of the identity, of weights that are none below zero (which are read, where they are), of `Bᴴ B` and `Bᴴ P B` with a
    /// positive `P`, of sums and block diagonals of positive ones, of their multiples by factors that are not below zero,
    /// and of what its author [says so](crate::Properties). Rounding may make it slightly less.
    #[must_use]
    pub fn is_positive(&self) -> bool {
        let mut seen = HashSet::new();
        let mut left = vec![self.clone()];
        while let Some(operator) = left.pop() {
            let factor = operator.factor();
            if factor.im != 0.0 || factor.re.is_nan() || factor.re < 0.0 {
                return false;
            }
            let square = operator.domain() == operator.range()
                && operator.devices().is_none_or(|devices| devices.one().is_some());
            if !square {
                return false;
            }
            // The adjoint, the conjugate and the transpose of a positive one are positive.
            let node = operator.node();
            if factor.re == 0.0 || !seen.insert(std::ptr::from_ref::<Node>(node)) {
                continue;
            }
            match node.kind() {
                Kind::Form(form) if form.is_positive() => {}
                Kind::Named | Kind::Sum => left.extend(node.parts().iter().cloned()),
                Kind::Product => match middle(node) {
                    Some(Middle::Nothing) => {}
                    Some(Middle::Of(operator)) => left.push(operator),
                    None => return false,
                },
                Kind::Blocks { domains: Some(a), ranges: Some(b) } if Partition::same(a, b) => {
                    left.extend(node.parts().iter().cloned());
                }
                Kind::Form(_) | Kind::Blocks { .. } => return false,
            }
        }
        true
    }
}

/// What stands in the middle of `Bᴴ … B`.
enum Middle {
    Nothing,
    Of(Operator),
}

/// The middle of a product that is the same from both ends, but for the adjoint.
fn middle(node: &Node) -> Option<Middle> {
    let mut factors = Vec::new();
    let mut left: Vec<Operator> = node.parts().iter().rev().cloned().collect();
    let mut scale = 1.0;
    while let Some(operator) = left.pop() {
        let factor = operator.factor();
        if factors.len() + left.len() > MOST_FACTORS || factor.im != 0.0 {
            return None;
        }
        if let Kind::Product = operator.node().kind() {
            scale *= factor.re;
            let turn = operator.orientation();
            let parts = operator.node().parts().iter().map(|part| part.turned(turn));
            // The next one is last.
            if turn.adjoint { left.extend(parts) } else { left.extend(parts.rev()) }
        } else {
            scale *= factor.re;
            factors.push(operator);
        }
    }
    if scale.is_nan() || scale < 0.0 {
        return None;
    }
    let (mut from, mut to) = (0, factors.len());
    while to - from > 1 {
        if !opposite(&factors[from], &factors[to - 1]) {
            return None;
        }
        (from, to) = (from + 1, to - 1);
    }
    Some(match factors.get(from).filter(|_| to > from) {
        None => Middle::Nothing,
        Some(middle) => Middle::Of(middle.without_factor()),
    })
}

/// Whether one is the adjoint of the other, but for their factors.
fn opposite(a: &Operator, b: &Operator) -> bool {
    if !std::ptr::eq(a.node(), b.node()) {
        return false;
    }
    Orientation::ADJOINT.of(a.orientation()) == b.orientation()
        || (a.orientation() == b.orientation() && a.without_factor().is_self_adjoint())
}

impl Form {
    fn is_positive(&self) -> bool {
        match self {
            Self::Zero | Self::Identity | Self::ToDevice { .. } => true,
            Self::Diagonal(weights) => numbers(&weights.view()).is_ok_and(|weights| {
                weights.iter().all(|weight| weight.im == 0.0 && weight.re >= 0.0)
            }),
            Self::Opaque(map) => map.properties().positive,
            Self::Conjugate
            | Self::Real
            | Self::Imaginary
            | Self::Stencil(_)
            | Self::Index(_)
            | Self::Gather(_)
            | Self::Projection(_)
            | Self::Scan(_)
            | Self::Fourier(_)
            | Self::Matrix { .. } => false,
        }
    }
}
