//! Curves of Radon transforms.

/// Along which curves a Radon transform sums: how time grows with the offset `h`, of slowness `p`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum RadonKind {
    /// `p h`
    #[default]
    Linear,
    /// `p h²`
    Parabolic,
    /// From `t` to `√(t² + h²/p²)`, `p` being a velocity: not of transforms by spectra, which are the same for all `t`.
    Hyperbolic,
}
