//! What is asked of a library for Fourier transforms.

/// What goes in and what comes out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TransformKind {
    /// Complex numbers to as many.
    Complex,
    /// Real numbers to the bins up to `points / 2`.
    FromReal,
    /// Such bins to real numbers. What they are read from is overwritten.
    ToReal,
}

/// Lines in memory, in elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LineSteps {
    /// From one element of a line to the next.
    pub element: i32,
    /// From one line to the next.
    pub line: i32,
}

/// `y[k] = Σ x[j] exp(∓2πi j k / points)` of each of `lines` lines; with a positive exponent to real numbers, a negative one from
/// them. With [`outer`](Self::outer) axes these are transformed, too, as complex numbers with the same sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the formula names them")]
pub struct Transform {
    pub kind: TransformKind,
    /// Whether numbers have 64 bits, or 32.
    pub float64: bool,
    pub points: i32,
    pub lines: i32,
    pub input: LineSteps,
    pub output: LineSteps,
    /// The extents of two further axes, the outermost first; 1 where there is none. Their lines follow each other: `lines` is a multiple of
    /// both together, and the elements of a line are contiguous.
    pub outer: [i32; 2],
}

impl Transform {
    /// The bytes of a complex number of its precision, to which both sides are aligned.
    #[must_use]
    pub fn alignment(&self) -> usize {
        if self.float64 { 16 } else { 8 }
    }

    /// The lines that are transformed together: 1 without outer axes.
    #[must_use]
    pub fn block(&self) -> i32 {
        self.outer.iter().fold(1, |lines, extent| lines.saturating_mul(*extent))
    }
}
