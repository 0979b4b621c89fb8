//! Columns and paragraphs.

/// The longest line a paragraph has.
const WIDTH: usize = 100;

/// How a column is set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Column {
    Left,
    /// For numbers.
    Right,
}

/// Rows as lines with two blanks before and between the columns; a column without any text is left out.
pub(super) fn table(columns: &[Column], rows: &[Vec<String>]) -> String {
    let cell = |row: &Vec<String>, at: usize| row.get(at).cloned().unwrap_or_default();
    let width = |at| rows.iter().map(|row| cell(row, at).chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns.len()).map(width).collect();
    let mut text = String::new();
    for row in rows {
        let mut line = String::new();
        for (at, column) in columns.iter().enumerate().filter(|(at, _)| widths[*at] > 0) {
            let (cell, width) = (cell(row, at), widths[at]);
            let set = match column {
                Column::Left => format!("  {cell:<width$}"),
                Column::Right => format!("  {cell:>width$}"),
            };
            line.push_str(&set);
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

/// A paragraph broken at blanks, each line set in by `indent`. A word longer than a line keeps its line to
/// itself: paths are to be copied.
pub(super) fn wrapped(paragraph: &str, indent: usize) -> String {
    let mut lines: Vec<String> = Vec::new();
    for word in paragraph.split_whitespace() {
        let fits =
            |line: &&mut String| indent + line.chars().count() + 1 + word.chars().count() <= WIDTH;
        match lines.last_mut().filter(fits) {
            Some(line) => line.extend([" ", word]),
            None => lines.push(word.into()),
        }
    }
    let margin = " ".repeat(indent);
    lines.iter().flat_map(|line| [&margin, line.as_str(), "\n"]).collect()
}

/// Bytes as gibibytes.
pub(super) fn gibibytes(bytes: usize) -> String {
    format!("{:.1}", bytes as f64 / f64::from(1 << 30))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_line_up_and_empty_ones_go() {
        let rows = [["é", "", "5"], ["bcd", "", "10"]].map(|row| row.map(String::from).to_vec());
        let text = table(&[Column::Left, Column::Left, Column::Right], &rows);
        assert_eq!(text, "  é     5\n  bcd  10\n");
    }

    #[test]
    fn paragraphs_break_at_blanks_and_keep_long_words() {
        let long = "x".repeat(120);
        let text = wrapped(&format!("{} {long} end", "word ".repeat(30)), 4);
        assert!(text.lines().all(|line| line.starts_with("    ")));
        assert!(text.lines().all(|line| line.len() <= 100 || line.trim() == long));
        assert_eq!(text.split_whitespace().count(), 32);
    }
}
