//! What a hand-over costs, each direction, on every device found; and whether memory stays flat over a million.
//!
//! ```text
//! cargo bench -p arrayspan-bridge --bench handover [-- NAME-PART]
//! ```
//!
//! Prints CSV with the columns of the peers' script `benches/peers/handover.py`: name, value, unit. Times are the
//! median over batches of a thousand hand-overs of existing arrays; making and dropping them is not timed.
#![allow(missing_docs, clippy::unwrap_used, reason = "a failure ends the benchmark")]

mod cuda;
mod host;
mod opencl;
mod table;

use table::Table;

fn main() {
    let part = std::env::args().skip(1).find(|word| !word.starts_with("--")).unwrap_or_default();
    let table = Table::new(part);
    host::run(&table);
    cuda::run(&table);
    opencl::run(&table);
}
