//! What a user kernel is declared as.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use super::declaration::{self, Parameter, wrong};
use super::types::Type;
use crate::Result;

/// A kernel as its author declared it, checked.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Definition {
    /// Of all that follows: the text need not be read for every launch.
    digest: u64,
    pub(crate) name: String,
    pub(crate) inputs: Vec<Parameter>,
    pub(crate) outputs: Vec<Parameter>,
    pub(crate) source: Source,
}

/// The text of its author.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(crate) enum Source {
    /// Statements for one element.
    Elementwise(String),
    /// Of one element, of two totals, of none, and statements for one total.
    Reduction { total: Type, map: String, combine: String, identity: String, finish: String },
    /// The function itself.
    Raw(String),
}

impl Hash for Definition {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.digest.hash(state);
    }
}

/// The most bytes of a text: what is longer was not written for a kernel.
const LONGEST: usize = 1 << 20;

impl Definition {
    /// Checks names, types and parameters; `taken` are names that parameters may not have.
    pub(crate) fn new(
        name: &str,
        inputs: &str,
        outputs: &str,
        taken: &[&str],
        source: Source,
    ) -> Result<Arc<Self>> {
        let name = declaration::name(name)?;
        let inputs = declaration::parameters(&name, inputs, taken)?;
        let outputs = declaration::parameters(&name, outputs, taken)?;
        declaration::all(&name, &inputs, &outputs)?;
        for text in source.texts() {
            if text.contains('\0') || text.len() > LONGEST {
                return wrong(
                    &name,
                    format!("its source has a zero byte, or more than {LONGEST} bytes"),
                );
            }
        }
        if let Source::Elementwise(text) | Source::Reduction { finish: text, .. } = &source {
            let silent = outputs.iter().find(|output| !declaration::names(text, &output.name));
            if let Some(output) = silent {
                return wrong(
                    &name,
                    format!("its source does not name the output '{}'", output.name),
                );
            }
        }
        let mut hasher = DefaultHasher::new();
        (&name, &inputs, &outputs, &source).hash(&mut hasher);
        Ok(Arc::new(Self { digest: hasher.finish(), name, inputs, outputs, source }))
    }

    /// What calls of it are called in errors and traces.
    pub(crate) fn verb(&self) -> &'static str {
        match self.source {
            Source::Elementwise(_) => "elementwise kernel",
            Source::Reduction { .. } => "reduction kernel",
            Source::Raw(_) => "raw kernel",
        }
    }

    /// The type of a reduction's totals.
    pub(crate) fn total(&self) -> Option<Type> {
        if let Source::Reduction { total, .. } = self.source { Some(total) } else { None }
    }

    /// Whether its source wants the index of the element.
    pub(crate) fn is_indexed(&self) -> bool {
        match &self.source {
            Source::Elementwise(text) | Source::Reduction { map: text, .. } => {
                declaration::names(text, "i")
            }
            Source::Raw(_) => false,
        }
    }

    /// An argument, as errors call it.
    pub(super) fn argument(&self, parameter: &Parameter) -> String {
        format!("{} of '{}'", parameter.name, self.name)
    }
}

impl Source {
    fn texts(&self) -> Vec<&str> {
        match self {
            Self::Elementwise(text) | Self::Raw(text) => vec![text],
            Self::Reduction { map, combine, identity, finish, .. } => {
                vec![map, combine, identity, finish]
            }
        }
    }
}
