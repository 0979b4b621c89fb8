//! What a search with restarts looks for, what it does after a sweep, and how it ends.

use super::which::Which;
use crate::Stopped;

/// What is looked for, and how far.
#[derive(Clone, Copy, Debug)]
pub(super) struct Search {
    pub(super) count: usize,
    pub(super) which: Which,
    /// How many vectors there are at once.
    pub(super) basis: usize,
    /// Of residuals, relative to the largest value.
    pub(super) tolerance: f64,
    /// The sweeps after the first.
    pub(super) restarts: usize,
    /// Below this share of the operator's norm a vector is rounding errors.
    pub(super) lost: f64,
}

/// How a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ended {
    Converged,
    Restarts,
    NotFinite,
}

impl Ended {
    /// What a caller is told, with these residuals of what was found.
    pub(super) fn stopped(self, residuals: &[f64]) -> Stopped {
        match self {
            _ if !residuals.iter().all(|residual| residual.is_finite()) => Stopped::NotFinite,
            Self::Converged => Stopped::Residual,
            Self::Restarts => Stopped::Iterations,
            Self::NotFinite => Stopped::NotFinite,
        }
    }
}

/// A search under way.
#[derive(Debug)]
pub(super) struct Sweeps {
    search: Search,
    /// Whether the basis spans all vectors, so that one sweep finds all values.
    complete: bool,
    done: usize,
    drawn: Option<Drawn>,
}

/// A vector drawn once all that is wanted was found: of a multiple eigenvalue only one vector is in what grows from another.
#[derive(Debug)]
struct Drawn {
    /// The first sweep that it takes part in.
    sweep: usize,
    /// What was known before.
    wanted: Vec<f64>,
}

/// What comes after a sweep.
#[derive(Debug)]
pub(super) struct Next {
    /// The values, by their numbers, whose vectors are kept: those that are wanted first.
    pub(super) kept: Vec<usize>,
    /// The values that are wanted.
    pub(super) wanted: Vec<f64>,
    /// Whether the vector behind the basis is kept, too. If it is not, or not coupled to the others, and the search goes on, a
    /// random one takes its place.
    pub(super) coupled: bool,
    /// How the search ended, if it did.
    pub(super) ended: Option<Ended>,
}

impl Sweeps {
    pub(super) fn new(search: Search, complete: bool) -> Self {
        Self { search, complete, done: 0, drawn: None }
    }

    /// What comes after the next sweep, which has found these values, in ascending order, with these residuals.
    pub(super) fn after(&mut self, values: &[f64], residuals: &[f64]) -> Next {
        let Search { count, which, basis, tolerance, restarts, .. } = self.search;
        let mut kept = which.order(values);
        let wanted: Vec<f64> = kept[..count].iter().map(|at| values[*at]).collect();
        let most = tolerance * values.iter().fold(0.0, |most: f64, v| most.max(v.abs()));
        let found = kept[..count].iter().all(|at| residuals[*at] <= most);
        let next = kept.get(count).map(|at| (values[*at], residuals[*at] - most));
        let rival = next.is_some_and(|(value, off)| which.rivals(value, off, &wanted));
        let same = self.drawn.as_ref().is_some_and(|drawn| drawn.same(&wanted, most));
        let late = self.drawn.as_ref().is_some_and(|drawn| self.done >= 2 * drawn.sweep);
        if self.complete || found && same && (late || !rival) || self.done >= restarts {
            kept.truncate(count);
            let ended = if self.complete || found { Ended::Converged } else { Ended::Restarts };
            return Next { kept, wanted, coupled: false, ended: Some(ended) };
        }
        self.done += 1;
        if found && !same {
            kept.truncate(count);
            self.drawn = Some(Drawn { sweep: self.done, wanted: wanted.clone() });
            return Next { kept, wanted, coupled: false, ended: None };
        }
        kept.truncate((count + (basis - count) / 2).min(basis - 1));
        Next { kept, wanted, coupled: true, ended: None }
    }
}

impl Drawn {
    /// Whether nothing new has come since.
    fn same(&self, wanted: &[f64], most: f64) -> bool {
        self.wanted.iter().zip(wanted).all(|(before, now)| (before - now).abs() <= 2.0 * most)
    }
}

/// The numbers of values, in descending order of these.
pub(super) fn descending(values: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|a, b| values[*b].total_cmp(&values[*a]));
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    const SEARCH: Search = Search {
        count: 2,
        which: Which::Largest,
        basis: 6,
        tolerance: 1e-8,
        restarts: 5,
        lost: 1e-15,
    };

    #[test]
    fn what_has_converged_is_searched_on_from_a_random_vector_before_it_counts() {
        let mut sweeps = Sweeps::new(SEARCH, false);
        let values = [0.0, 1.0, 2.0, 3.0, 4.0, 5.0];
        let first = sweeps.after(&values, &[1.0; 6]);
        assert!(first.coupled && first.ended.is_none());
        assert_eq!((first.kept, first.wanted), (vec![5, 4, 3, 2], vec![5.0, 4.0]));
        let found = sweeps.after(&values, &[0.0; 6]);
        assert!(!found.coupled && found.ended.is_none());
        assert_eq!(found.kept, [5, 4]);
        // A multiple of the largest value has come: once more.
        let more = [0.0, 1.0, 2.0, 3.0, 5.0, 5.0];
        let found = sweeps.after(&more, &[0.0; 6]);
        assert_eq!((found.ended, found.wanted), (None, vec![5.0, 5.0]));
        let last = sweeps.after(&more, &[0.0; 6]);
        assert_eq!((last.ended, last.kept), (Some(Ended::Converged), vec![5, 4]));
    }

    #[test]
    fn searches_end_with_what_they_have_when_restarts_are_over_or_the_basis_is_all_there_is() {
        let values = [0.0, 1.0, 2.0, 3.0, 4.0, 5.0];
        let mut sweeps = Sweeps::new(SEARCH, false);
        for _ in 0..SEARCH.restarts {
            assert_eq!(sweeps.after(&values, &[1.0; 6]).ended, None);
        }
        let last = sweeps.after(&values, &[1.0; 6]).ended;
        assert_eq!(last, Some(Ended::Restarts));
        assert_eq!(Ended::Restarts.stopped(&[1.0]), Stopped::Iterations);
        assert_eq!(Ended::Converged.stopped(&[f64::NAN]), Stopped::NotFinite);
        let complete = Sweeps::new(SEARCH, true).after(&values, &[1.0; 6]);
        assert_eq!(complete.ended, Some(Ended::Converged));
        assert_eq!(descending(&[1.0, 3.0, -2.0]), [1, 0, 2]);
    }
}
