//! Products and powers.

use super::node::{Facts, Kind, Node};
use super::places::chained;
use crate::{Devices, Error, Formula, Identity, LinearMap, Operator, Result};

/// `y = A (B x)`
pub(super) fn product(outer: &Operator, inner: &Operator) -> Result<Operator> {
    if outer.domain() != inner.range() {
        let which = format!("domain of {} and range of {}", outer.name(), inner.name());
        return Err(Error::spaces("after", which, outer.domain(), inner.range()));
    }
    let parts = vec![outer.clone(), inner.clone()];
    let devices = chained("after", outer, inner)?;
    let facts = Facts {
        // The factor that is applied last meets the update.
        gains: [outer.gain(false), inner.gain(true)],
        levels: outer.levels().max(inner.levels()),
        linear: outer.is_linear() && inner.is_linear(),
    };
    let spaces = (inner.domain().clone(), outer.range().clone());
    Ok(Operator::with(Node::new(Kind::Product, parts, spaces, devices, facts)))
}

impl Operator {
    /// `Aⁿ`, the identity for `n = 0`.
    ///
    /// The formula fails with [`Error::Spaces`] unless domain and range are the same, and with [`Error::Devices`] when they are on
    /// different devices.
    pub fn pow(&self, exponent: usize) -> Formula {
        if self.domain() != self.range() {
            let which = format!("range of {0} and domain of {0}", self.name());
            return Err(Error::spaces("pow", which, self.range(), self.domain())).into();
        }
        if let Some(Devices { domain, range }) = self.devices()
            && domain != range
        {
            let which = format!("range of {0} and domain of {0}", self.name());
            return Err(Error::devices("pow", which, range, domain)).into();
        }
        // By squaring: as many products as the exponent has digits.
        let (mut power, mut square, mut left) = (None::<Formula>, Formula::from(self), exponent);
        while left > 0 {
            if left % 2 == 1 {
                power = Some(match power {
                    Some(power) => square.clone().after(power),
                    None => square.clone(),
                });
            }
            left /= 2;
            if left > 0 {
                square = square.clone().after(square);
            }
        }
        power.unwrap_or_else(|| Identity::new(self.domain().clone()).into())
    }
}
