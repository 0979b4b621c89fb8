//! One operator with parameters, to try the laws on.

use std::fmt;

use arrayspan_operators::{LinearMap, LinearOperator, Result};

use super::Cell;

/// An operator, ready to use.
type Boxed = Box<dyn LinearMap>;

/// What makes an operator where it is tried.
type Make = Box<dyn Fn(&Cell) -> Result<Boxed> + Send + Sync>;

/// One operator with parameters, to try the laws on.
pub struct Case {
    name: String,
    turn: usize,
    golden: Option<String>,
    moves: Option<[Moves; 2]>,
    adding: Option<[Moves; 2]>,
    numbers: usize,
    make: Make,
}

/// What an application that does not read its output costs, counted in values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moves {
    /// Kernels launched.
    pub launches: usize,
    /// Values read.
    pub read: usize,
    /// Values written.
    pub written: usize,
    /// Bytes of tables, which are read, too.
    pub table: usize,
}

impl Moves {
    /// One kernel that reads and writes so many values.
    #[must_use]
    pub fn one(read: usize, written: usize) -> Self {
        Self { launches: usize::from(written > 0), read, written, table: 0 }
    }

    /// One after the other.
    #[must_use]
    pub fn then(self, next: Self) -> Self {
        Self {
            launches: self.launches + next.launches,
            read: self.read + next.read,
            written: self.written + next.written,
            table: self.table + next.table,
        }
    }

    /// With so many more values read.
    #[must_use]
    pub fn reading(self, more: usize) -> Self {
        Self { read: self.read + more, ..self }
    }
}

impl Case {
    /// A case that `make` builds where it is tried.
    pub fn new<A: LinearOperator + 'static>(
        name: impl Into<String>,
        make: impl Fn(&Cell) -> Result<A> + Send + Sync + 'static,
    ) -> Self {
        let make = move |cell: &Cell| make(cell).map(|operator| Box::new(operator) as Boxed);
        Self {
            name: name.into(),
            turn: 0,
            golden: None,
            moves: None,
            adding: None,
            numbers: 0,
            make: Box::new(make),
        }
    }

    /// What the two directions must cost.
    #[must_use]
    pub fn moves(mut self, forward: Moves, adjoint: Moves) -> Self {
        self.moves = Some([forward, adjoint]);
        self
    }

    /// What the two directions must cost when they add to their output, where that is something else than
    /// reading it once more.
    #[must_use]
    pub fn moves_adding(mut self, forward: Moves, adjoint: Moves) -> Self {
        self.adding = Some([forward, adjoint]);
        self
    }

    /// How many bytes of numbers are written beside the values when they add to their output.
    #[must_use]
    pub fn numbers_adding(mut self, bytes: usize) -> Self {
        self.numbers = bytes;
        self
    }

    /// The golden data of this name must come out.
    #[must_use]
    pub fn golden(mut self, key: impl Into<String>) -> Self {
        self.golden = Some(key.into());
        self
    }

    /// Its turn in what the cases of an operator share out because it is too much for each. The place among
    /// them, unless a [`Sample`](super::Sample) chooses.
    #[must_use]
    pub fn taking_turn(mut self, turn: usize) -> Self {
        self.turn = turn;
        self
    }

    /// Its turn.
    #[must_use]
    pub fn turn(&self) -> usize {
        self.turn
    }

    /// What failures call it.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The name of its golden data, if it has any.
    #[must_use]
    pub fn golden_key(&self) -> Option<&str> {
        self.golden.as_deref()
    }

    /// What the two directions must cost, if it says.
    #[must_use]
    pub fn expected_moves(&self) -> Option<[Moves; 2]> {
        self.moves
    }

    /// What the two directions must cost when they add to their output, if that is special.
    #[must_use]
    pub fn expected_moves_adding(&self) -> Option<[Moves; 2]> {
        self.adding
    }

    /// How many bytes of numbers are written beside the values when it adds to its output.
    #[must_use]
    pub fn expected_numbers_adding(&self) -> usize {
        self.numbers
    }

    /// The operator, for one cell.
    ///
    /// # Errors
    /// When it cannot be made there.
    pub fn build(&self, cell: &Cell) -> Result<Boxed> {
        (self.make)(cell)
    }
}

impl fmt::Debug for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Case").field("name", &self.name).finish_non_exhaustive()
    }
}
