//! Filters of discrete wavelets.

use std::fmt;

use crate::{Error, Result};

/// The tables: a name and a low-pass filter of analysis in each line, of a biorthogonal wavelet that of synthesis in the next one.
const TABLES: [&str; 5] = [
    include_str!("filters/daubechies.txt"),
    include_str!("filters/symlets.txt"),
    include_str!("filters/coiflets.txt"),
    include_str!("filters/meyer.txt"),
    include_str!("filters/biorthogonal.txt"),
];

/// The filters of a discrete wavelet: low-pass and high-pass, of analysis and of synthesis.
///
/// Orthogonal ones are Daubechies' `db1` (`haar`) to `db38`, the symlets `sym2` to `sym20` and the coiflets `coif1` to `coif17`; `dmey`, Meyer's
/// cut off, is so to 0.002 only. Biorthogonal are the splines `bior1.1` to `bior6.8`, and `rbio1.1` to `rbio6.8`, which have analysis and
/// synthesis the other way round. Numbers are those of the tables of `PyWavelets` 1.8.0; those of symlets and of `bior4.4`, `bior5.5` and
/// `bior6.8` hold to 1e-11.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use arrayspan_operators::prelude::*;
/// let wavelet = Wavelet::named("bior2.2")?;
/// assert_eq!((wavelet.len(), wavelet.dual().name()), (6, "rbio2.2"));
/// assert!(Wavelet::named("db4")?.is_orthogonal());
/// # Ok(()) }
/// ```
///
/// Reference: I. Daubechies, Ten Lectures on Wavelets, SIAM 1992, chapters 5 to 8.
#[derive(Clone, PartialEq)]
pub struct Wavelet {
    name: String,
    /// The low-pass filters of analysis and of synthesis.
    low: [Vec<f64>; 2],
}

impl Wavelet {
    /// The wavelet of that name in `PyWavelets`.
    ///
    /// # Errors
    /// [`Error::Parameter`] when there is none.
    pub fn named(name: &str) -> Result<Self> {
        let known = match name.strip_prefix("rbio") {
            Some(kind) => table(&format!("bior{kind}")).map(|low| low.map(reversed)),
            None => table(if name == "haar" { "db1" } else { name }).map(|[a, b]| [b, a]),
        };
        let Some([synthesis, analysis]) = known else {
            let why = format!("no wavelet is called '{name}': see Wavelet::names");
            return Error::parameter("Wavelet", why);
        };
        Ok(Self { name: name.to_owned(), low: [analysis, synthesis] })
    }

    /// All names.
    pub fn names() -> impl Iterator<Item = String> {
        let mut names: Vec<String> = vec!["haar".to_owned()];
        for (name, _) in lines() {
            if names.last().is_some_and(|last| last != name) {
                names.push(name.to_owned());
            }
        }
        let turned = |name: &String| name.strip_prefix("bior").map(|kind| format!("rbio{kind}"));
        names.extend(names.iter().filter_map(turned).collect::<Vec<_>>());
        names.into_iter()
    }

    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The taps of each filter, an even number, some of which may be zero.
    #[must_use]
    #[allow(clippy::len_without_is_empty, reason = "no filter is")]
    pub fn len(&self) -> usize {
        self.low[0].len()
    }

    /// Whether the inverse transform is the adjoint.
    #[must_use]
    pub fn is_orthogonal(&self) -> bool {
        self.is_its_own_dual() && self.name != "dmey"
    }

    fn is_its_own_dual(&self) -> bool {
        !self.name.starts_with("bior") && !self.name.starts_with("rbio")
    }

    /// The wavelet that has the filters of synthesis for analysis: the inverse transform is the adjoint of its transform.
    #[must_use]
    pub fn dual(&self) -> Self {
        if self.is_its_own_dual() {
            return self.clone();
        }
        let name = match self.name.strip_prefix("rbio") {
            Some(kind) => format!("bior{kind}"),
            None => self.name.replacen("bior", "rbio", 1),
        };
        let [analysis, synthesis] = &self.low;
        Self { name, low: [synthesis, analysis].map(|low| reversed(low.clone())) }
    }

    /// The low-pass and the high-pass filter of analysis.
    #[must_use]
    pub fn analysis(&self) -> [Vec<f64>; 2] {
        let [low, synthesis] = &self.low;
        let sign = |tap: usize| if tap.is_multiple_of(2) { -1.0 } else { 1.0 };
        let high = synthesis.iter().enumerate().map(|(tap, weight)| sign(tap) * weight);
        [low.clone(), high.collect()]
    }
}

impl fmt::Debug for Wavelet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Wavelet").field(&self.name).finish()
    }
}

fn reversed(mut filter: Vec<f64>) -> Vec<f64> {
    filter.reverse();
    filter
}

/// The names and taps of all tables.
fn lines() -> impl Iterator<Item = (&'static str, &'static str)> {
    let lines = TABLES.iter().flat_map(|table| table.lines());
    lines.filter(|line| !line.starts_with('#')).filter_map(|line| line.split_once(' '))
}

/// The low-pass filters of analysis and of synthesis.
fn table(name: &str) -> Option<[Vec<f64>; 2]> {
    let taps = |text: &str| text.split(' ').filter_map(|tap| tap.parse().ok()).collect();
    let mut found = lines().filter(|line| line.0 == name).map(|line| taps(line.1));
    let analysis: Vec<f64> = found.next()?;
    let synthesis = found.next().unwrap_or_else(|| reversed(analysis.clone()));
    Some([analysis, synthesis])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn filters_of_analysis_and_synthesis_are_inverse() {
        let names: Vec<String> = Wavelet::names().collect();
        assert_eq!(names.len(), 1 + 38 + 19 + 17 + 1 + 2 * 15);
        for name in names {
            let wavelet = Wavelet::named(&name).unwrap();
            let tolerance = if name == "dmey" { 3e-3 } else { 2e-11 };
            let own = wavelet.analysis();
            let dual = wavelet.dual().analysis();
            assert!(own.iter().chain(&dual).all(|filter| filter.len() == wavelet.len()), "{name}");
            assert_eq!(wavelet.dual().dual(), wavelet);
            for (a, b) in [(0, 0), (1, 1), (0, 1), (1, 0)] {
                for shift in (0..wavelet.len()).step_by(2) {
                    let product = own[a][shift..].iter().zip(&dual[b]).map(|(x, y)| x * y);
                    let expected = f64::from(u8::from(a == b && shift == 0));
                    let found: f64 = product.sum();
                    assert!(
                        (found - expected).abs() < tolerance,
                        "{name} {a} {b} {shift}: {found}"
                    );
                }
            }
        }
    }

    #[test]
    fn unknown_names_are_refused() {
        for name in ["", "db0", "db39", "haar ", "bior", "rbio9.9", "#", "sym1", "DB2"] {
            let error = Wavelet::named(name).unwrap_err().to_string();
            assert!(error.contains(&format!("'{name}'")), "{error}");
        }
    }
}
