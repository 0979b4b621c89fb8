//! Operators made anew from the bottom up, each part once, without recursion.

use std::collections::HashMap;

use super::node::{Node, Operator};
use crate::Result;
use crate::form::Orientation;

/// What makes an operator anew.
pub(super) trait Rebuild {
    /// What an operator becomes, in its own orientation and without a factor, if that does not depend on its parts.
    fn at_once(&self, _own: &Operator) -> Option<Operator> {
        None
    }

    /// An operator in its own orientation and without a factor, given its parts made anew.
    fn whole(&self, own: &Operator, parts: Vec<Operator>) -> Result<Operator>;

    /// A part that is made anew, in the orientation that `old` has, with what its factor becomes.
    fn part(&self, new: &Operator, old: &Operator) -> Result<Operator>;
}

/// An operator made anew. Parts that are shared stay so.
pub(super) fn rebuilt(operator: &Operator, by: &impl Rebuild) -> Result<Operator> {
    let mut done: HashMap<*const Node, Operator> = HashMap::new();
    let mut path = vec![(plain(operator), 0)];
    while let Some((own, next)) = path.pop() {
        if let Some(new) = by.at_once(&own).filter(|_| next == 0) {
            done.insert(std::ptr::from_ref(own.node()), new);
            continue;
        }
        if let Some(part) = own.node().parts().get(next).map(plain) {
            path.push((own, next + 1));
            if !done.contains_key(&std::ptr::from_ref(part.node())) {
                path.push((part, 0));
            }
            continue;
        }
        let mut parts = Vec::with_capacity(own.node().parts().len());
        for old in own.node().parts() {
            // Parts come before the whole.
            if let Some(new) = done.get(&std::ptr::from_ref(old.node())) {
                parts.push(by.part(new, old)?);
            }
        }
        let whole = by.whole(&own, parts)?;
        done.insert(std::ptr::from_ref(own.node()), whole);
    }
    match done.get(&std::ptr::from_ref(operator.node())) {
        Some(new) => by.part(new, operator),
        None => Ok(operator.clone()),
    }
}

/// An operator in its own orientation, without its factor.
fn plain(operator: &Operator) -> Operator {
    Operator {
        node: operator.node.clone(),
        factor: 1.0.into(),
        orientation: Orientation::default(),
    }
}
