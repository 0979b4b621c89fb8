//! The table of a sparse matrix in a device's memory.

use std::sync::Arc;

use arrayspan_bridge::devices::Stream;
use arrayspan_bridge::{Array, DType};

use super::super::tables::{Uploaded, send, send_list, weights};
use crate::gather::{Facts, LONG, Marks, Table, Weighting};
use crate::{Gather, Result};

/// Where the parts of a table begin in the array of its places.
#[derive(Clone, Copy, Debug)]
pub(super) struct Parts {
    /// Where each row begins among the entries, and where the last one ends.
    pub(super) starts: usize,
    /// The rows with many entries.
    pub(super) long: usize,
}

impl Parts {
    /// Of a table that is not even: the column of each entry comes first.
    pub(super) fn of(facts: &Facts) -> Self {
        let starts = facts.entries;
        Self { starts, long: starts + facts.rows + 1 }
    }
}

/// Copies a table to `stream`'s device. Of one whose rows are equally long, or nearly, it is for each place of a row a list
/// with an entry for each row, -1 where there is none.
pub(in crate::gpu) fn upload(gather: &Gather, dtype: DType, stream: &Stream) -> Result<Uploaded> {
    let (table, facts) = (gather.table()?, gather.facts());
    let places = if facts.is_wide() {
        send(places(table, facts).map(|place| place as i64), stream)
    } else {
        send(places(table, facts).map(|place| place as i32), stream)
    };
    let complex = facts.weights == Weighting::Complex;
    let entry = |at: Option<usize>| at.map_or_else(Default::default, |at| table.weights.get(at));
    let factors = match (facts.weights, facts.places()) {
        (Weighting::Ones, _) => Array::empty([0], DType::UInt8, stream)?,
        (_, Some(count)) => weights(even(table, count).map(entry), dtype, complex, stream)?,
        (_, None) => weights((0..table.entries()).map(Some).map(entry), dtype, complex, stream)?,
    };
    Ok(Arc::new((places?, factors)))
}

/// Copies the marks of a side to `stream`'s device.
pub(in crate::gpu) fn upload_marks(
    gather: &Gather,
    marks: Marks,
    stream: &Stream,
) -> Result<Uploaded> {
    let words = send_list(gather.marked(marks)?.into_flattened(), stream)?;
    Ok(Arc::new((words, Array::empty([0], DType::UInt8, stream)?)))
}

/// The numbers of a table, -1 for no column.
fn places<'t>(table: &'t Table, facts: &Facts) -> Box<dyn Iterator<Item = isize> + 't> {
    let column = |at: usize| table.indices.get(at) as isize;
    if let Some(count) = facts.places() {
        return Box::new(even(table, count).map(move |at| at.map_or(-1, column)));
    }
    let starts = (0..table.rows).map(|row| table.span(row).start as isize);
    let end = std::iter::once(table.entries() as isize);
    let long = (0..table.rows).filter(|row| table.span(*row).len() > LONG);
    let columns = (0..table.entries()).map(column);
    Box::new(columns.chain(starts).chain(end).chain(long.map(|row| row as isize)))
}

/// The first entry of each row, then the second of each, …, if there is one.
fn even(table: &Table, count: usize) -> impl Iterator<Item = Option<usize>> + '_ {
    let rows = table.rows;
    (0..count * rows).map(move |at| table.span(at % rows).nth(at / rows))
}
