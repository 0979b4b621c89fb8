//! Two operators as one: a term more of a sum, or a factor more of a product.

use std::sync::Arc;

use arrayspan_bridge::devices::Device;

use super::common_device;
use super::operator::{Facts, Node};
use crate::{LinearMap, Operator, Result, Space, scratch_bytes};

/// How two operators are one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// `A + B`
    Sum,
    /// `A B`
    Product,
}

/// Two operators as one. Sums and products of many are trees of these, of any depth: nothing walks them by recursion.
pub(super) struct Pair {
    kind: Kind,
    /// `[A, B]`; none once it is taken apart.
    parts: Vec<Operator>,
    domain: Space,
    range: Space,
    device: Option<Device>,
    /// The bytes of the largest result between the factors of a product.
    between: usize,
    /// How many factors a product has, all levels counted; 1 for a sum.
    factors: usize,
    /// The bytes that any part takes for itself.
    inside: usize,
}

/// What a product of products looks at.
struct Summary {
    between: usize,
    factors: usize,
    inside: usize,
}

impl Pair {
    /// `A + B` or `A B`, whose spaces fit, as asked for by `operation`.
    ///
    /// # Errors
    /// [`Error::Devices`](crate::Error::Devices).
    pub(super) fn of(
        kind: Kind,
        operation: &'static str,
        parts: [Operator; 2],
    ) -> Result<Operator> {
        let device = common_device(operation, &parts)?;
        let [left, right] = &parts;
        let (domain, range) = (right.domain().clone(), left.range().clone());
        let gains = match kind {
            Kind::Sum => [false, true].map(|adjoint| left.gain(adjoint).union(right.gain(adjoint))),
            // The factor that is applied last meets the update.
            Kind::Product => [left.gain(false), right.gain(true)],
        };
        let facts = Facts { gains, levels: left.levels().max(right.levels()) };
        let [a, b] = [left, right].map(|part| Summary::of(part, kind));
        let here = if kind == Kind::Product { scratch_bytes(right.range()) } else { 0 };
        let pair = Self {
            kind,
            domain,
            range,
            device,
            between: here.max(a.between).max(b.between),
            factors: a.factors.saturating_add(b.factors),
            inside: a.inside.max(b.inside),
            parts: parts.into(),
        };
        Ok(Operator::with(Node::Pair(Arc::new(pair)), facts))
    }

    pub(super) fn kind(&self) -> Kind {
        self.kind
    }

    /// `[A, B]`
    pub(super) fn parts(&self) -> &[Operator] {
        &self.parts
    }

    pub(super) fn name(&self) -> &'static str {
        match self.kind {
            Kind::Sum => "sum",
            Kind::Product => "product",
        }
    }

    /// The range, or the domain.
    pub(super) fn space(&self, range: bool) -> &Space {
        if range { &self.range } else { &self.domain }
    }

    pub(super) fn device(&self) -> Option<Device> {
        self.device
    }

    /// The bytes of one result between factors, and how many of them exist at once: two take turns.
    pub(super) fn slots(&self) -> (usize, usize) {
        (self.between, if self.kind == Kind::Product { (self.factors - 1).min(2) } else { 0 })
    }

    pub(super) fn workspace(&self) -> usize {
        let (between, slots) = self.slots();
        between.saturating_mul(slots).saturating_add(self.inside)
    }
}

impl Summary {
    /// Of a part of a pair: products within products are one.
    fn of(part: &Operator, kind: Kind) -> Self {
        match &part.node {
            Node::Pair(pair) if pair.kind == kind => {
                Self { between: pair.between, factors: pair.factors, inside: pair.inside }
            }
            _ => Self { between: 0, factors: 1, inside: part.workspace() },
        }
    }
}

/// Takes the tree apart from the top: dropping a part within the drop of another would take a stack as deep as the tree.
impl Drop for Pair {
    fn drop(&mut self) {
        let mut left = std::mem::take(&mut self.parts);
        while let Some(part) = left.pop() {
            if let Node::Pair(pair) = part.node
                && let Some(mut pair) = Arc::into_inner(pair)
            {
                left.append(&mut pair.parts);
            }
        }
    }
}
