//! The table of a sparse matrix in a device's memory.

use std::sync::Arc;

use arrayspan_bridge::devices::Stream;
use arrayspan_bridge::{Array, DType};

use super::tables::{Uploaded, send, weights};
use crate::Result;
use crate::gather::{LONG, Table, Weights};

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
    pub(super) fn of(table: &Table) -> Self {
        let starts = table.entries();
        Self { starts, long: starts + table.rows + 1 }
    }
}

/// Copies a table to `stream`'s device. Of one whose rows are equally long, or nearly, it is for each place of a row a list
/// with an entry for each row, -1 where there is none.
pub(super) fn upload(table: &Table, dtype: DType, stream: &Stream) -> Result<Uploaded> {
    let places = if table.is_wide() {
        send(places(table).map(|place| place as i64), stream)
    } else {
        send(places(table).map(|place| place as i32), stream)
    };
    let complex = matches!(table.weights, Weights::Complex(_));
    let entry = |at: Option<usize>| at.map_or_else(Default::default, |at| table.weights.get(at));
    let factors = match (&table.weights, table.places()) {
        (Weights::Ones, _) => Array::empty([0], DType::UInt8, stream)?,
        (_, Some(count)) => weights(even(table, count).map(entry), dtype, complex, stream)?,
        (_, None) => weights((0..table.entries()).map(Some).map(entry), dtype, complex, stream)?,
    };
    Ok(Arc::new((places?, factors)))
}

/// The numbers of a table, -1 for no column.
fn places(table: &Table) -> Box<dyn Iterator<Item = isize> + '_> {
    let column = |at: usize| table.indices.get(at) as isize;
    if let Some(count) = table.places() {
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
    (0..count).flat_map(move |place| (0..table.rows).map(move |row| table.span(row).nth(place)))
}
