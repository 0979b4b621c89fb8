//! The nodes of an expression, one after the other.

use smallvec::{SmallVec, smallvec};

use super::Expression;

/// The nodes of an expression, operands before their operation, from left to right. See [`Expression::nodes`].
#[derive(Debug)]
pub struct Nodes<'e> {
    /// What is still to come, the next one last; `true` where the operands have been put before it.
    rest: SmallVec<[(&'e Expression, bool); 12]>,
}

impl<'e> Nodes<'e> {
    pub(super) fn of(expression: &'e Expression) -> Self {
        Self { rest: smallvec![(expression, false)] }
    }
}

impl<'e> Iterator for Nodes<'e> {
    type Item = &'e Expression;

    fn next(&mut self) -> Option<&'e Expression> {
        loop {
            let (expression, ready) = self.rest.pop()?;
            let [a, b] = expression.node().operands();
            let Some(a) = a.filter(|_| !ready) else { return Some(expression) };
            self.rest.push((expression, true));
            self.rest.extend(b.map(|b| (b, false)));
            self.rest.push((a, false));
        }
    }
}
