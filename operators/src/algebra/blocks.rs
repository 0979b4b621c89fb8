//! What vertical and horizontal stacks and block diagonals share.

use std::sync::Arc;

use super::node::{Facts, Kind, Node};
use super::places::together;
use crate::form::Partition;
use crate::number::Gain;
use crate::{Error, Formula, LinearMap, Operator, Result, Space};

/// How operators are put together.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    Above,
    /// Above each other along a new axis.
    Stacked,
    Beside,
    Diagonal,
}

/// Stacks and block diagonals that may be within each other.
const MOST_LEVELS: usize = 64;
/// The most parts that a stack takes over from stacks among its parts.
const MOST_SPLICED: usize = 1 << 16;

/// A stack under the name by which it is asked for.
pub(super) fn blocks<A: Into<Formula>>(
    name: &'static str,
    shape: Shape,
    parts: impl IntoIterator<Item = A>,
) -> Result<Operator> {
    let parts: Vec<Operator> =
        parts.into_iter().map(|part| part.into().build()).collect::<Result<_>>()?;
    let parts = spliced(shape, parts);
    let divided = |side: Side| {
        let spaces = || parts.iter().map(|part| (side.space)(part).clone()).collect();
        let partition = if shape == Shape::Stacked {
            alike(name, &side, &parts, |one, other| one == other)?;
            Partition::stacked(name, spaces())?
        } else {
            alike(name, &side, &parts, |one, other| one.dtype() == other.dtype())?;
            Partition::new(name, spaces())?
        };
        Ok::<_, Error>(Some(Arc::new(partition)))
    };
    let above = matches!(shape, Shape::Above | Shape::Stacked);
    let domains = if above { None } else { divided(DOMAIN)? };
    let ranges = if shape == Shape::Beside { None } else { divided(RANGE)? };
    let whole = |partition: &Option<Arc<Partition>>, side: Side| {
        if let Some(partition) = partition {
            return Ok::<_, Error>(partition.whole().clone());
        }
        alike(name, &side, &parts, |one, other| one == other)?;
        Ok((side.space)(&parts[0]).clone())
    };
    // One of both is a partition, which has parts or is an error.
    let spaces = (whole(&domains, DOMAIN)?, whole(&ranges, RANGE)?);
    let devices = together(name, &parts)?;
    let facts = facts(name, &parts)?;
    let node = Node::new(Kind::Blocks { domains, ranges }, parts, spaces, devices, facts);
    Ok(Operator::with(node.named(name.into())))
}

/// One of the two spaces of an operator.
struct Side {
    name: &'static str,
    space: fn(&Operator) -> &Space,
}

const DOMAIN: Side = Side { name: "domain", space: Operator::domain };
const RANGE: Side = Side { name: "range", space: Operator::range };

/// Fails unless the spaces of all parts are like that of the first.
fn alike(
    operation: &str,
    side: &Side,
    parts: &[Operator],
    like: impl Fn(&Space, &Space) -> bool,
) -> Result<()> {
    let Some(first) = parts.first() else { return Ok(()) };
    let space = side.space;
    match parts.iter().find(|part| !like(space(first), space(part))) {
        None => Ok(()),
        Some(other) => {
            let which = format!("{0} of {1} and {0} of {2}", side.name, first.name(), other.name());
            Err(Error::spaces(operation, which, space(first), space(other)))
        }
    }
}

/// What is known of a stack of these parts.
///
/// # Errors
/// [`Error::Parameter`] when too many are within each other: each level makes views of views.
pub(super) fn facts(name: &str, parts: &[Operator]) -> Result<Facts> {
    let levels = 1 + parts.iter().map(Operator::levels).max().unwrap_or(0);
    if levels > MOST_LEVELS {
        let why = format!("{levels} stacks within each other; at most {MOST_LEVELS} can be");
        return Error::parameter(name, why);
    }
    let gains = [false, true].map(|adjoint| {
        let gains = parts.iter().map(|part| part.gain(adjoint));
        gains.reduce(Gain::union).unwrap_or(Gain::ONE)
    });
    Ok(Facts { gains, levels, linear: parts.iter().all(Operator::is_linear) })
}

/// The parts, with those of stacks of the same kind among them in their place: the spaces of the whole are the same.
fn spliced(shape: Shape, parts: Vec<Operator>) -> Vec<Operator> {
    let own = |part: &Operator| inner(shape, part).map_or(1, <[_]>::len);
    let count = parts.iter().map(own).fold(0, usize::saturating_add);
    if count > MOST_SPLICED || parts.iter().all(|part| inner(shape, part).is_none()) {
        return parts;
    }
    let mut all = Vec::with_capacity(count);
    for part in parts {
        match inner(shape, &part) {
            Some(parts) => {
                let turn = part.orientation();
                let parts = parts.iter().map(|inner| inner.turned(turn).multiplied(part.factor()));
                all.extend(parts);
            }
            None => all.push(part),
        }
    }
    all
}

/// The parts of a stack of this kind. The adjoint of a stack is one of the other kind.
fn inner(shape: Shape, part: &Operator) -> Option<&[Operator]> {
    let Kind::Blocks { domains, ranges } = part.node().kind() else { return None };
    let adjoint = part.orientation().adjoint;
    let (domains, ranges) = if adjoint { (ranges, domains) } else { (domains, ranges) };
    // Those along an axis of their own, or another than the first, do not follow each other along the one of the whole.
    let divided = |side: &Option<Arc<Partition>>| {
        side.as_ref().is_some_and(|side| !side.is_stacked() && !side.is_lifted())
    };
    let same = match shape {
        Shape::Above => domains.is_none() && divided(ranges),
        Shape::Beside => ranges.is_none() && divided(domains),
        // Where parts become one axis, inner and outer block diagonals may join different axes.
        Shape::Diagonal | Shape::Stacked => false,
    };
    same.then(|| part.node().parts())
}
