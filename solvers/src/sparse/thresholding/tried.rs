//! What backtracking keeps of candidates.

use arrayspan_bridge::Array;
use arrayspan_operators::Space;

use crate::Result;
use crate::engine::Make;

/// The vectors and numbers of candidates.
#[derive(Debug)]
pub(super) struct Tried {
    pub(super) candidate: Array,
    /// `y - A x`, and with momentum that of one iteration earlier.
    pub(super) residuals: Vec<Array>,
    /// Squares: `‖A (c - z)‖²`, `‖c - z‖²`, `‖c - x‖²` and `‖y - A c‖²`.
    pub(super) squares: [Array; 4],
    /// `‖c‖ₚᵖ`
    pub(super) penalty: Array,
    /// `β` in the dtype of models, and in that of data if it is another, which sums of such elements take alone.
    pub(super) shares: Vec<Array>,
}

impl Tried {
    pub(super) fn new<const ACCELERATED: bool>(make: &mut Make<'_>) -> Result<Self> {
        let residuals = if ACCELERATED { 2 } else { 1 };
        let residuals = (0..residuals).map(|_| make.data("the workspace's residual"));
        let residuals = residuals.collect::<Result<_>>()?;
        let [model, data] = [make.operator().domain(), make.operator().range()].map(Space::dtype);
        let shares = [Some(model), (data != model).then_some(data)].into_iter().flatten();
        let shares = shares.filter(|_| ACCELERATED).map(|dtype| make.number(dtype));
        Ok(Self {
            shares: shares.collect::<Result<_>>()?,
            residuals,
            candidate: make.model("the workspace's candidate")?,
            squares: [make.scalar()?, make.scalar()?, make.scalar()?, make.scalar()?],
            penalty: make.scalar()?,
        })
    }

    /// All arrays.
    pub(super) fn arrays(&mut self) -> impl Iterator<Item = &mut Array> {
        let Self { candidate, residuals, squares, penalty, shares } = self;
        [candidate, penalty].into_iter().chain(residuals).chain(squares).chain(shares)
    }
}
