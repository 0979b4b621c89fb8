//! What a pass does to a line, and what it leaves for the next.

/// A pass over a line.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct LinePass {
    /// Points of its transforms.
    pub(crate) points: usize,
    /// How many transforms it makes, and how many elements are from one of a transform to its next.
    pub(crate) transforms: usize,
    pub(crate) stride: usize,
    /// Results of the passes before that are there of each of their transforms: how many times how many.
    pub(crate) done: usize,
    /// Results of a transform that go on.
    pub(crate) kept: usize,
    /// Whether it makes two transforms at once, whose results are real.
    pub(crate) two: bool,
}

/// Which half is computed in several passes between real samples and half their spectrum: the other half is its mirror image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Halves {
    /// Of the results of the first pass, on the way to bins.
    Results,
    /// Of the transforms of each pass, on the way to samples.
    Transforms,
}

impl LinePass {
    /// Pass `at` of these, each of so many points.
    pub(super) fn new(passes: &[usize], halves: Option<Halves>, at: usize) -> Self {
        let (points, first) = (passes[at], passes[0]);
        let all_done: usize = passes[..at].iter().product();
        let blocks: usize = passes[at + 1..].iter().product();
        let half = first / 2 + 1;
        let (done, made, kept) = match halves {
            Some(Halves::Results) if at == 0 => (1, blocks, half),
            Some(Halves::Results) => (all_done / first * half, blocks, points),
            Some(Halves::Transforms) => (all_done, blocks / 2 + 1, points),
            None => (all_done, blocks, points),
        };
        let two = halves == Some(Halves::Transforms) && blocks == 1 && done.is_multiple_of(2);
        let transforms = if two { done / 2 } else { made * done };
        Self { points, transforms, stride: blocks * done, done, kept, two }
    }

    /// Elements that it leaves of a line.
    pub(super) fn left(&self) -> usize {
        self.transforms * self.kept
    }
}
