//! What an operator is made of, as it was written.

use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

use num_complex::Complex64;

use crate::form::{Form, Orientation, Partition, Program};
use crate::number::Gain;
use crate::{Devices, Space};

/// A linear operator of any kind. Cheap to clone: clones share what it is made of, and how it is run.
///
/// This is what all constructors give and what the algebra takes: `&a + &b`, `&a - &b`, `-&a`, `2.0 * &a`,
/// [`a.after(&b)`](Self::after), [`a.pow(3)`](Self::pow), [`a.conj()`](Self::conj), [`adjoint(&a)`](fn@crate::adjoint),
/// [`vstack`](fn@crate::vstack), [`hstack`](fn@crate::hstack), [`block_diagonal`](fn@crate::block_diagonal). Sums and products may
/// have any number of terms and factors, nested in any way. Its `Debug` is its formula;
/// [`describe`](Self::describe) shows what it is made of and how it is run.
///
/// When it is first applied it is rewritten: what can be done in one pass over the arrays is done in one. Products of bands
/// along one axis become one band, sums of bands and multiples of the identity one stencil, multiplications by weights one
/// elementwise expression, index maps one index map; factors are collected, the identity and zero disappear, and stacks
/// multiply block by block. The result differs from that of the parts, one after the other, by rounding only, as long as no
/// intermediate result leaves the dtype: a factor is multiplied where its product is last, so `d.after(1e-20 * &identity)`
/// does not keep `d x` from overflowing, which a `Diagonal` of 1e-20 does.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use arrayspan_operators::kernels::bridge::DType;
/// use arrayspan_operators::prelude::*;
/// let space = Space::new([201, 64], DType::Float32)?;
/// let slope = FirstDerivative::new(space.clone(), 0, 0.004, Scheme::Centered3, Edge::Zero)?;
/// let misfit = &slope - &Identity::new(space)?;
/// let regularized = vstack([misfit, 0.1 * &slope])?;
/// assert_eq!(regularized.range().shape(), [402, 64]);
/// # Ok(()) }
/// ```
#[derive(Clone)]
pub struct Operator {
    pub(super) node: Arc<Node>,
    pub(super) factor: Complex64,
    pub(super) orientation: Orientation,
}

/// An operator as it was written, and how it is run, once that was asked for. Shared by all handles of it.
pub(crate) struct Node {
    pub(super) name: Option<Cow<'static, str>>,
    pub(super) kind: Kind,
    pub(super) parts: Vec<Operator>,
    /// Whether `Aᴴ A = 1`, apart from rounding errors: its inverse is its adjoint.
    pub(super) isometry: bool,
    pub(super) domain: Space,
    pub(super) range: Space,
    pub(super) devices: Option<Devices>,
    pub(super) facts: Facts,
    /// One for each orientation.
    pub(super) programs: [OnceLock<Arc<Program>>; 4],
}

/// How an operator is made of its parts.
pub(crate) enum Kind {
    /// It has none.
    Form(Form),
    /// It is its one part, under a name of its own.
    Named,
    /// `A + B`
    Sum,
    /// `A B`
    Product,
    /// Parts that each have a part of the domain, or the whole of it, and write a part of the range, or add up in it.
    Blocks { domains: Option<Arc<Partition>>, ranges: Option<Arc<Partition>> },
}

/// What is known of an operator without looking into it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Facts {
    /// The factors that an update meets on its way, forward and adjoint.
    pub(super) gains: [Gain; 2],
    /// Stacks and block diagonals within each other.
    pub(super) levels: usize,
    /// Whether complex factors commute with all of its parts.
    pub(super) linear: bool,
}

impl Facts {
    /// Those of an operator that is not made of others.
    pub(super) const LEAF: Self = Self { gains: [Gain::ONE; 2], levels: 0, linear: true };
}

impl Node {
    pub(super) fn new(
        kind: Kind,
        parts: Vec<Operator>,
        (domain, range): (Space, Space),
        devices: Option<Devices>,
        facts: Facts,
    ) -> Self {
        Self {
            name: None,
            kind,
            parts,
            isometry: false,
            domain,
            range,
            devices,
            facts,
            programs: Default::default(),
        }
    }

    pub(super) fn named(mut self, name: Cow<'static, str>) -> Self {
        self.name = Some(name);
        self
    }

    pub(super) fn isometric(mut self) -> Self {
        self.isometry = true;
        self
    }

    pub(crate) fn kind(&self) -> &Kind {
        &self.kind
    }

    pub(crate) fn parts(&self) -> &[Operator] {
        &self.parts
    }

    /// Domain and range, or those of the adjoint.
    pub(crate) fn spaces(&self, adjoint: bool) -> (&Space, &Space) {
        if adjoint { (&self.range, &self.domain) } else { (&self.domain, &self.range) }
    }

    /// What it is called by errors, and in formulas unless it is a sum or a product.
    pub(crate) fn name(&self) -> &str {
        match (&self.name, &self.kind) {
            (Some(name), _) => name,
            (None, Kind::Form(Form::Opaque(map))) => map.name(),
            (None, Kind::Form(_)) => "operator",
            (None, Kind::Sum) => "sum",
            (None, Kind::Product) => "product",
            (None, Kind::Blocks { domains: None, .. }) => "vstack",
            (None, Kind::Blocks { ranges: None, .. }) => "hstack",
            (None, Kind::Blocks { .. }) => "block_diagonal",
            (None, Kind::Named) => self.parts.first().map_or("operator", |part| part.node().name()),
        }
    }
}

/// Takes it apart from the top: dropping a part within the drop of another would take a stack as deep as it is.
impl Drop for Node {
    fn drop(&mut self) {
        let mut left = std::mem::take(&mut self.parts);
        while let Some(part) = left.pop() {
            if let Some(mut node) = Arc::into_inner(part.into_node()) {
                left.append(&mut node.parts);
            }
        }
    }
}
