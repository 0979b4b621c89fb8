//! Kinds of interpolation between samples.

/// What is between the samples of an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Interpolation {
    /// A straight line from one sample to the next.
    Linear,
    /// The nearest sample; of two equally near ones the even one.
    Nearest,
}
