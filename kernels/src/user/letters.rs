//! Which dtypes the letters of a declaration stand for in one call.

use arrayspan_bridge::DType;

use super::declaration::Parameter;
use super::definition::Definition;
use super::types::{self, Type};
use crate::{Error, Result};

/// Letters with what they stand for, in rising order.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Letters(Vec<(char, DType)>);

impl Letters {
    /// Takes the dtype of an array for a parameter. What depends on a letter that no array has said yet is left to
    /// [`check`](Self::check).
    pub(super) fn bind(
        &mut self,
        of: &Definition,
        parameter: &Parameter,
        found: DType,
    ) -> Result<()> {
        if types::name(found).is_none() {
            return Err(Error::NotComputable { verb: of.verb(), dtype: found });
        }
        match parameter.kind {
            Type::Letter(letter) if self.get(parameter.kind).is_none() => {
                let at = self.0.partition_point(|(known, _)| *known < letter);
                self.0.insert(at, (letter, found));
                Ok(())
            }
            kind if self.get(kind).is_none() => Ok(()),
            _ => self.check(of, parameter, found),
        }
    }

    /// Fails unless a parameter takes arrays of that dtype.
    pub(super) fn check(&self, of: &Definition, parameter: &Parameter, found: DType) -> Result<()> {
        let expected = self.expect(of, parameter.kind)?;
        if expected == found {
            return Ok(());
        }
        let (verb, argument) = (of.verb(), of.argument(parameter));
        Err(Error::DType { verb, argument, expected, found })
    }

    /// One letter.
    pub(crate) fn one(letter: char, dtype: DType) -> Self {
        Self(vec![(letter, dtype)])
    }

    /// What a type stands for, if that is known.
    pub(crate) fn get(&self, kind: Type) -> Option<DType> {
        match kind {
            Type::Fixed(dtype) => Some(dtype),
            Type::Letter(letter) => {
                self.0.iter().find(|(known, _)| *known == letter).map(|(_, dtype)| *dtype)
            }
            Type::Real(letter) => self.get(Type::Letter(letter)).map(DType::real),
        }
    }

    /// What a type stands for once every parameter has an argument.
    pub(super) fn expect(&self, of: &Definition, kind: Type) -> Result<DType> {
        self.get(kind).ok_or_else(|| {
            let letter = kind.letter().unwrap_or('?');
            let why = format!("no array of '{}' says what {letter} is", of.name);
            Error::Argument { verb: of.verb(), why }
        })
    }

    /// What source calls a type.
    pub(crate) fn name(&self, kind: Type) -> &'static str {
        self.get(kind).and_then(types::name).unwrap_or("void")
    }

    /// Each letter and its dtype.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (char, DType)> {
        self.0.iter().copied()
    }
}
