//! Curves of Radon transforms.

/// Along which curves a Radon transform sums: how time grows with the offset `h`, of slowness `p`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum RadonKind {
    /// `p h`
    #[default]
    Linear,
    /// `p h²`
    Parabolic,
}
