//! Source under construction.

use std::fmt::{Display, Write as _};

/// Source under construction.
#[derive(Debug, Default)]
pub struct Text(String);

impl Text {
    /// `#define name value`; the name may have parameters.
    pub fn define(&mut self, name: impl Display, value: impl Display) {
        // Writing to a String cannot fail.
        let _ = writeln!(self.0, "#define {name} {value}");
    }

    /// As [`define`](Self::define), 1 or 0.
    pub fn flag(&mut self, name: impl Display, value: bool) {
        self.define(name, u8::from(value));
    }

    /// Lines as they are.
    pub fn add(&mut self, lines: impl Display) {
        let _ = writeln!(self.0, "{lines}");
    }

    /// A function of integers that vanishes where they are known: the value for each number, else `other`.
    pub fn switch(
        &mut self,
        head: impl Display,
        number: impl Display,
        values: impl Iterator<Item = (usize, String)>,
        other: &str,
    ) {
        self.add(format_args!("FN {head} {{\n  switch ({number}) {{"));
        for (at, value) in values {
            self.add(format_args!("    case {at}: return {value};"));
        }
        self.add(format_args!("  }}\n  return {other};\n}}"));
    }

    /// What was written.
    #[must_use]
    pub fn finish(self) -> String {
        self.0
    }
}
