//! From an operator as it was written to its matrix, from the leaves up and without recursion.

use std::borrow::Cow;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;

use arrayspan_bridge::devices::vectors::filled;

use super::Sparse;
use super::algebra::{below, beside, product, sum, turned};
use super::leaf;
use super::rows::Rows;
use crate::Result;
use crate::algebra::{Kind, Node};
use crate::form::Partition;

/// An operator that is part of the one in question.
struct Visit<'a> {
    node: &'a Node,
    /// Its parts, as places in the list of all.
    parts: Vec<usize>,
    /// How many times it is still a part of others.
    uses: usize,
    matrix: Option<Sparse>,
}

/// The matrix of an operator in its own orientation. What is part of several others is found once, and kept until its last
/// use.
pub(super) fn matrix(node: &Node) -> Result<Sparse> {
    let (mut visits, order) = discover(node);
    for at in order {
        let found = combined(&visits, at)?;
        visits[at].matrix = Some(found);
        for part in std::mem::take(&mut visits[at].parts) {
            visits[part].uses -= 1;
            if visits[part].uses == 0 {
                visits[part].matrix = None;
            }
        }
    }
    let matrix = visits.swap_remove(0).matrix;
    Ok(matrix.unwrap_or_else(|| unreachable!("the whole comes last")))
}

/// All parts of parts, each once, and an order in which parts come before the whole. The operator itself is the first.
fn discover(node: &Node) -> (Vec<Visit<'_>>, Vec<usize>) {
    let visit = |node| Visit { node, parts: Vec::new(), uses: 0, matrix: None };
    let mut visits = vec![visit(node)];
    let mut places = HashMap::from([(std::ptr::from_ref(node), 0)]);
    let mut order = Vec::new();
    // A place, and which of its parts is next.
    let mut path = vec![(0, 0)];
    while let Some((at, next)) = path.pop() {
        let Some(part) = visits[at].node.parts().get(next) else {
            order.push(at);
            continue;
        };
        path.push((at, next + 1));
        let place = match places.entry(std::ptr::from_ref(part.node())) {
            Entry::Occupied(there) => *there.get(),
            Entry::Vacant(free) => {
                let place = *free.insert(visits.len());
                visits.push(visit(part.node()));
                path.push((place, 0));
                place
            }
        };
        visits[place].uses += 1;
        visits[at].parts.push(place);
    }
    (visits, order)
}

/// The matrix of an operator whose parts have theirs.
fn combined(visits: &[Visit<'_>], at: usize) -> Result<Sparse> {
    let node = visits[at].node;
    let (domain, range) = node.spaces(false);
    let shape = [range.len(), domain.len()];
    let places = node.parts().iter().zip(&visits[at].parts);
    let parts = places.filter_map(|(part, &place)| {
        let matrix = visits[place].matrix.as_ref()?;
        Some(turned(matrix, part.orientation(), part.factor()))
    });
    let parts: Vec<Cow<'_, Sparse>> = parts.collect::<Result<_>>()?;
    let mut parts = parts.iter().map(AsRef::as_ref);
    match node.kind() {
        Kind::Form(form) => leaf::matrix(form, domain, range),
        Kind::Product => {
            let (outer, inner) = (parts.next(), parts.next());
            let both = outer.zip(inner);
            both.map_or_else(|| super::algebra::zero(shape), |(a, b)| product(a, b))
        }
        Kind::Named | Kind::Sum => sum(&parts.collect::<Vec<_>>(), shape),
        Kind::Blocks { domains, ranges } => {
            // As if parts followed each other in row-major order: then a part begins where those before it end.
            let mut columns = 0;
            let placed = parts.map(|part| {
                let start = columns;
                columns += if domains.is_some() { part.shape[1] } else { 0 };
                (part, start)
            });
            let placed: Vec<_> = placed.collect();
            let whole =
                if ranges.is_some() { below(&placed, shape) } else { beside(&placed, shape) };
            let order = |side: &Option<Arc<Partition>>| match side {
                Some(side) => side.order(),
                None => Ok(None),
            };
            reordered(whole?, order(ranges)?, order(domains)?.as_deref())
        }
    }
}

/// The matrix whose row `rows[i]` and column `columns[j]` are row `i` and column `j` of this one.
fn reordered(
    matrix: Sparse,
    rows: Option<Vec<usize>>,
    columns: Option<&[usize]>,
) -> Result<Sparse> {
    if rows.is_none() && columns.is_none() {
        return Ok(matrix);
    }
    let from = match rows {
        None => None,
        Some(rows) => {
            let mut from = filled(rows.len(), 0)?;
            rows.iter().enumerate().for_each(|(at, row)| from[*row] = at);
            Some(from)
        }
    };
    let mut all = Rows::new(matrix.shape)?;
    for row in 0..matrix.shape[0] {
        for (column, value) in matrix.row(from.as_ref().map_or(row, |from| from[row])) {
            all.add(columns.map_or(column, |columns| columns[column]), value);
        }
        all.end()?;
    }
    Ok(all.finish())
}
