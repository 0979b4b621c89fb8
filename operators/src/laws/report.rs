//! Reports: which laws hold for an operator, and why others do not.

use std::fmt;

/// What holds for every linear operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Law {
    /// `⟨A x, y⟩ = ⟨x, Aᴴ y⟩`: see [`check_adjoint`](crate::check_adjoint).
    Adjoint,
    /// `A (a x + b z) = a A x + b A z`, and so for `Aᴴ`; with complex `a` and `b` where it is
    /// [complex-linear](crate::Properties) between complex spaces.
    Linearity,
    /// What its [`Properties`](crate::Properties) say: that it is its own adjoint, `A x = Aᴴ x`, and that it is positive,
    /// `Re ⟨A x, x⟩ ≥ 0`.
    Properties,
    /// `y ← alpha · A x + beta · y` is what it says. With `beta = 0` the old `y` is not read, even if it is NaN; a complex
    /// factor for a real array is refused.
    Update,
    /// Arrays whose elements lie otherwise (column-major, apart, back to front) give the same, and nothing is written
    /// between them.
    Strides,
    /// Arrays of another shape or dtype are refused by the error that says so, and the output is left as it was.
    Arguments,
    /// The workspace that the operator asks for is enough, whatever it holds, and can be used again; a smaller one is
    /// refused, and the output is left as it was.
    Workspace,
}

impl Law {
    /// All of them, in the order in which they are tried.
    pub const ALL: [Self; 7] = [
        Self::Adjoint,
        Self::Linearity,
        Self::Properties,
        Self::Update,
        Self::Strides,
        Self::Arguments,
        Self::Workspace,
    ];
}

impl fmt::Display for Law {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Adjoint => "adjoint",
            Self::Linearity => "linearity",
            Self::Properties => "properties",
            Self::Update => "update",
            Self::Strides => "strides",
            Self::Arguments => "arguments",
            Self::Workspace => "workspace",
        })
    }
}

/// Whether one law holds.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Finding {
    /// The law.
    pub law: Law,
    /// Why it does not hold, if it does not: the first thing that was found.
    pub why: Option<String>,
}

/// Whether each [`Law`] holds for an operator. As text it is a line for each.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Report {
    /// The operator as its `Debug` writes it, up to 400 characters: the formula of an [`Operator`](crate::Operator).
    pub operator: String,
    /// One for each law, in the order of [`Law::ALL`].
    pub findings: Vec<Finding>,
}

impl Report {
    /// Whether all laws hold.
    #[must_use]
    pub fn holds(&self) -> bool {
        self.findings.iter().all(|finding| finding.why.is_none())
    }

    /// Why a law does not hold; `None` if it does.
    #[must_use]
    pub fn why(&self, law: Law) -> Option<&str> {
        self.findings.iter().find(|finding| finding.law == law)?.why.as_deref()
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.operator)?;
        for Finding { law, why } in &self.findings {
            match why {
                None => write!(f, "\n  {law:10}  holds")?,
                Some(why) => write!(f, "\n  {law:10}  does not hold: {why}")?,
            }
        }
        Ok(())
    }
}
