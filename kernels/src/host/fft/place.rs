//! Where the numbers of several lines are in rows: vectors of one number of each line.

/// The rows that numbers of lines are in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::host) struct Place {
    /// From one element to the next.
    step: usize,
    /// Whether real and imaginary parts are exchanged.
    exchanged: bool,
    /// Of lines whose even samples come first and then odd ones, back to front, how many they are.
    ordered: Option<usize>,
}

impl Place {
    /// Real and imaginary parts by turns.
    pub(in crate::host) fn complex(exchanged: bool) -> Self {
        Self { step: 2, exchanged, ordered: None }
    }

    /// Real numbers.
    pub(in crate::host) fn real() -> Self {
        Self { step: 1, exchanged: false, ordered: None }
    }

    /// Even samples first, of so many.
    pub(in crate::host) fn ordered(self, samples: usize) -> Self {
        Self { ordered: Some(samples), ..self }
    }

    pub(in crate::host) fn exchanged(self) -> Self {
        Self { exchanged: true, ..self }
    }

    /// Whether real numbers leave rows between them.
    pub(in crate::host) fn has_imaginary(self) -> bool {
        self.step == 2
    }

    /// The row of a part of an element.
    #[inline(always)]
    pub(in crate::host) fn row(self, element: usize, part: usize) -> usize {
        let element = match self.ordered {
            Some(samples) if element % 2 == 1 => samples - 1 - element / 2,
            Some(_) => element / 2,
            None => element,
        };
        (self.step * element + part) ^ usize::from(self.exchanged)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_number_has_a_row_of_its_own() {
        let rows = |place: Place, elements: usize, parts: usize| {
            let rows =
                (0..elements).flat_map(|element| (0..parts).map(move |part| (element, part)));
            rows.map(|(element, part)| place.row(element, part)).collect::<Vec<_>>()
        };

        assert_eq!(rows(Place::complex(false), 2, 2), [0, 1, 2, 3]);
        assert_eq!(rows(Place::complex(true), 2, 2), [1, 0, 3, 2]);
        assert_eq!(rows(Place::real(), 3, 1), [0, 1, 2]);
        assert_eq!(rows(Place::real().ordered(5), 5, 1), [0, 4, 1, 3, 2]);
        assert_eq!(rows(Place::real().ordered(4).exchanged(), 4, 1), [1, 2, 0, 3]);
        assert_eq!(rows(Place::complex(false).ordered(3), 3, 1), [0, 4, 2]);
    }
}
