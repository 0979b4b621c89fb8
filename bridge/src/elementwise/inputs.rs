//! The arrays that an elementwise value is computed of: borrowed ones, and those it has taken over.

use std::borrow::Cow;

use crate::view::Lender;
use crate::{Array, SharedArray, View};

/// Arrays by their numbers. No two show the same elements.
#[derive(Clone, Default)]
pub(super) struct Inputs<'a> {
    /// Those that are borrowed take the numbers that `owned` leaves, in this order: where nothing is owned, which is the
    /// rule, their list is that of all.
    lent: Vec<View<'a>>,
    /// Those that were taken over, by rising number.
    owned: Vec<(usize, Owned)>,
}

/// An array that was taken over, of which copies of a value share the memory.
#[derive(Clone)]
pub(super) struct Owned {
    array: SharedArray,
    /// What its views tell: of an [`Array`] as when it is borrowed, so that taking over makes no difference to who keeps calls.
    lender: Lender,
}

/// One array.
pub(super) enum Input<'a> {
    Lent(View<'a>),
    Owned(Owned),
}

impl<'a> Inputs<'a> {
    pub(super) fn one(input: impl Into<Input<'a>>) -> Self {
        match input.into() {
            Input::Lent(view) => Self { lent: vec![view], owned: Vec::new() },
            Input::Owned(array) => Self { lent: Vec::new(), owned: vec![(0, array)] },
        }
    }

    pub(super) fn len(&self) -> usize {
        self.lent.len() + self.owned.len()
    }

    /// All of them, by number.
    pub(super) fn views(&self) -> Cow<'_, [View<'_>]> {
        if self.owned.is_empty() {
            return Cow::Borrowed(&self.lent);
        }
        let mut lent = self.lent.iter().cloned();
        let mut views = Vec::with_capacity(self.len());
        for (number, array) in &self.owned {
            views.extend(lent.by_ref().take(number - views.len()));
            views.push(array.view());
        }
        views.extend(lent);
        Cow::Owned(views)
    }

    /// The number of an array, which is the next one if it is not there yet.
    pub(super) fn number(&mut self, input: Input<'a>) -> usize {
        let (len, views) = (self.len(), self.views());
        let find = |view: &View<'_>| views.iter().position(|known| known.is_same(view));
        let known = match &input {
            Input::Lent(view) => find(view),
            Input::Owned(array) => find(&array.view()),
        };
        known.unwrap_or_else(|| {
            match input {
                Input::Lent(view) => self.lent.push(view),
                Input::Owned(array) => self.owned.push((len, array)),
            }
            len
        })
    }

    /// Each of them, by number.
    pub(super) fn each(self) -> impl Iterator<Item = Input<'a>> {
        let (len, mut lent) = (self.len(), self.lent.into_iter());
        let mut owned = self.owned.into_iter().peekable();
        (0..len).filter_map(move |number| match owned.next_if(|(at, _)| *at == number) {
            Some((_, array)) => Some(Input::Owned(array)),
            None => lent.next().map(Input::Lent),
        })
    }
}

impl Owned {
    fn view(&self) -> View<'_> {
        self.array.view().lent_by(self.lender)
    }
}

impl<'a> From<View<'a>> for Input<'a> {
    fn from(view: View<'a>) -> Self {
        Self::Lent(view)
    }
}

impl From<Array> for Input<'_> {
    fn from(array: Array) -> Self {
        Self::Owned(Owned { array: array.into_shared(), lender: Lender::Other })
    }
}

impl From<SharedArray> for Input<'_> {
    fn from(array: SharedArray) -> Self {
        Self::Owned(Owned { array, lender: Lender::Shared })
    }
}
