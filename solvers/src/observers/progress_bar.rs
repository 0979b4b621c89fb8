//! A bar in the terminal.

use std::ops::ControlFlow;

use indicatif::{ProgressBar as Bar, ProgressFinish, ProgressStyle};

use crate::{Observer, Progress};

/// Shows a run in the terminal: iterations done, time taken and left, and the residual beside the data. With the feature
/// `progress`.
///
/// It is drawn where the host checks. If standard error is no terminal but a pipe or a file, nothing is shown. When the run is
/// over the bar stays as it is, with why it ended.
///
/// ```
/// use arrayspan_bridge::{Array, DType};
/// use arrayspan_operators::{Edge, FirstDerivative, Scheme, Space};
/// use arrayspan_solvers::observers::ProgressBar;
/// use arrayspan_solvers::{Cgls, Solver};
///
/// let space = Space::new([64], DType::Float64)?;
/// let a = FirstDerivative::new(space, 0, 1.0, Scheme::Centered3, Edge::Reduced)?;
/// let y = Array::from_slice(&[1.0; 64], [64])?;
/// let mut bar = ProgressBar::new();
/// let solution = Cgls::default().solve_from(&a, &y, None, &mut bar)?;
/// assert_eq!(bar.inner().position(), solution.iterations as u64);
/// # Ok::<(), arrayspan_solvers::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct ProgressBar {
    bar: Bar,
    /// Whether it has been given the look of a solver's bar.
    styled: bool,
}

impl ProgressBar {
    /// A bar of its own, on standard error.
    #[must_use]
    pub fn new() -> Self {
        Self { bar: Bar::no_length().with_finish(ProgressFinish::Abandon), styled: false }
    }

    /// The bar: to print lines above it, for one.
    #[must_use]
    pub fn inner(&self) -> &Bar {
        &self.bar
    }
}

impl Default for ProgressBar {
    fn default() -> Self {
        Self::new()
    }
}

/// A bar of the caller's, with its look and among others: one of an [`indicatif::MultiProgress`], say. Its length, position and
/// message are set.
impl From<Bar> for ProgressBar {
    fn from(bar: Bar) -> Self {
        Self { bar, styled: true }
    }
}

impl Observer for ProgressBar {
    fn observe(&mut self, progress: &Progress<'_>) -> ControlFlow<()> {
        if !self.styled {
            let look = "{prefix} {wide_bar} {pos}/{len} [{elapsed} < {eta}] {msg}";
            // The template is a constant that is valid; there is no error to report.
            if let Ok(style) = ProgressStyle::with_template(look) {
                self.bar.set_style(style);
            }
            self.bar.set_prefix(progress.solver);
            self.styled = true;
        }
        self.bar.set_length(progress.most as u64);
        self.bar.set_position(progress.iteration as u64);
        let residual = format!("residual {:.1e}", progress.relative_residual);
        match progress.stopped {
            None => self.bar.set_message(residual),
            Some(stopped) => self.bar.abandon_with_message(format!("{residual}, {stopped:?}")),
        }
        ControlFlow::Continue(())
    }
}
