//! Operators on arrays with further axes, for each index of which they do what they did.

use std::sync::Arc;

use arrayspan_bridge::Relayout;
use arrayspan_kernels::Stencil;

use super::node::{Kind, Node};
use super::rebuild::{Rebuild, rebuilt};
use super::slices::Slices;
use crate::form::{Form, Partition};
use crate::{Operator, Result, Space};

/// Axes before and behind those of an operator.
#[derive(Clone, Copy, Debug)]
pub(super) struct Around<'a> {
    pub(super) before: &'a [usize],
    pub(super) behind: &'a [usize],
}

impl Around<'_> {
    fn space(&self, operation: &str, own: &Space) -> Result<Space> {
        Space::of(operation, [self.before, own.shape(), self.behind].concat(), own.dtype())
    }

    fn spaces(&self, operation: &str, node: &Node) -> Result<(Space, Space)> {
        let (domain, range) = node.spaces(false);
        Ok((self.space(operation, domain)?, self.space(operation, range)?))
    }
}

/// `I ⊗ A ⊗ I`: a form stays one, along other axes; sums, products and stacks are those of their parts. Opaque parts are applied
/// to one slice after the other, unless they say how to be applied to all.
pub(super) fn lifted(operation: &str, operator: &Operator, around: Around<'_>) -> Result<Operator> {
    rebuilt(operator, &Lifting { operation, around })
}

struct Lifting<'a> {
    operation: &'a str,
    around: Around<'a>,
}

impl Rebuild for Lifting<'_> {
    fn part(&self, new: &Operator, old: &Operator) -> Result<Operator> {
        Ok(new.turned(old.orientation()).multiplied(old.factor()))
    }

    fn whole(&self, own: &Operator, parts: Vec<Operator>) -> Result<Operator> {
        let (node, around) = (own.node(), self.around);
        let (domain, range) = around.spaces(self.operation, node)?;
        let kind = match node.kind() {
            Kind::Form(form) => {
                let form = lifted_form(form, around, &domain, &range)?;
                return Operator::of(node.name().to_owned(), domain, range, form);
            }
            Kind::Blocks { domains, ranges } => {
                let moved = |side: &Option<Arc<Partition>>| {
                    let lifted = |side: &Arc<Partition>| {
                        side.lifted(self.operation, around.before, around.behind).map(Arc::new)
                    };
                    side.as_ref().map(lifted).transpose()
                };
                Kind::Blocks { domains: moved(domains)?, ranges: moved(ranges)? }
            }
            Kind::Named => Kind::Named,
            Kind::Sum => Kind::Sum,
            Kind::Product => Kind::Product,
        };
        let mut lifted = Node::new(kind, parts, (domain, range), node.devices, node.facts);
        lifted.name.clone_from(&node.name);
        // `I ⊗ A ⊗ I` keeps lengths where `A` does.
        lifted.isometry = node.isometry;
        Ok(Operator::with(lifted))
    }
}

fn lifted_form(form: &Form, around: Around<'_>, domain: &Space, range: &Space) -> Result<Form> {
    let first = around.before.len();
    Ok(match form {
        Form::Zero
        | Form::Identity
        | Form::Conjugate
        | Form::Real
        | Form::Imaginary
        | Form::ToDevice { .. } => form.clone(),
        Form::Diagonal(weights) => {
            let ones = |axes: &[usize]| vec![1; axes.len()];
            let shape = [ones(around.before), weights.shape().to_vec(), ones(around.behind)];
            Form::Diagonal(weights.clone().reshaped(&shape.concat())?)
        }
        Form::Stencil(stencil) => {
            let terms = stencil.terms().iter().map(|(axis, band)| (axis + first, band.clone()));
            Form::Stencil(Stencil::new(terms.collect::<Vec<_>>())?)
        }
        Form::Index(map) => Form::Index(map.between(around.before, around.behind)?),
        Form::Gather(gather) => Form::Gather(gather.at_axis(gather.axis() + first)),
        Form::Projection(projection) => {
            Form::Projection(projection.at_axis(projection.axis() + first))
        }
        Form::Scan(scan) => Form::Scan(scan.at_axis(scan.axis() + first)),
        Form::Fourier(fourier) => Form::Fourier(fourier.at_axis(fourier.axis() + first)),
        Form::Matrix { matrix, axis } => {
            Form::Matrix { matrix: matrix.clone(), axis: axis + first }
        }
        Form::Opaque(map) => {
            if let Some(batched) = map.batched(around.before, around.behind) {
                return Ok(Form::Opaque(batched?));
            }
            let others = [around.before.len(), around.behind.len()];
            Form::Opaque(Arc::new(Slices::new(
                map.clone(),
                others,
                (domain.clone(), range.clone()),
            )))
        }
    })
}
