//! Brackets, commas and line breaks.

use std::fmt;

use super::corners::Corners;

/// Rows are broken before they are wider than this.
const WIDTH: usize = 100;

/// Writes the elements that are shown, given in order.
pub(super) fn write(
    corners: &Corners,
    numbers: &[String],
    f: &mut fmt::Formatter<'_>,
) -> fmt::Result {
    if corners.empty {
        return f.write_str("[]");
    }
    axis(corners, 0, numbers, f)
}

/// Writes what is shown along an axis, for one index along each axis before.
fn axis(
    corners: &Corners,
    depth: usize,
    numbers: &[String],
    f: &mut fmt::Formatter<'_>,
) -> fmt::Result {
    let Some(shown) = corners.axes.get(depth) else {
        return numbers.iter().try_for_each(|number| f.write_str(number));
    };
    let inner = depth + 1 == corners.axes.len();
    // An empty line between matrices, one more between those of matrices, and so on.
    let lines = "\n".repeat(if inner { 0 } else { corners.axes.len() - depth - 1 });
    let indent = " ".repeat(depth + 1);
    let each = numbers.len() / shown.len();
    let mut column = indent.len();
    f.write_str("[")?;
    let mut separate = |first: bool, width: usize, f: &mut fmt::Formatter<'_>| {
        if first {
            column += width;
            return Ok(());
        }
        f.write_str(",")?;
        if !inner {
            return write!(f, "{lines}{indent}");
        }
        column += width + 2;
        if column > WIDTH {
            column = indent.len() + width;
            return write!(f, "\n{indent}");
        }
        f.write_str(" ")
    };
    for (index, part) in numbers.chunks(each).enumerate() {
        separate(index == 0, part[0].len(), f)?;
        axis(corners, depth + 1, part, f)?;
        if shown.gap() == Some(index + 1) {
            separate(false, 3, f)?;
            f.write_str("...")?;
        }
    }
    f.write_str("]")
}
