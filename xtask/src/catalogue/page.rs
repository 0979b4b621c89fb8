//! The page that the entries make.

use super::entry::Entry;

const HEAD: &str = "\
# Operators

Written by `cargo xtask catalogue` from the documentation of the constructors, which has units, parameters, errors and sources; `cargo doc`
shows it. All are of the type `Operator` whatever makes them, run on CPU, CUDA and OpenCL devices, and are in `arrayspan::prelude`. *Cost* is
for each direction unless it says otherwise, held by tests of the bytes moved; *complex* says whether the operator is linear over the complex
numbers or only over the real ones; the last column names the operator of PyLops 2.8.0 that its golden data are from, and where they differ.
";

/// Families in the order in which they stand, and how they are called.
const FAMILIES: [(&str, &str); 6] = [
    ("basic", "Basic"),
    ("derivative", "Derivatives"),
    ("signal", "Signal processing"),
    ("avo", "Amplitudes and post-stack data"),
    ("medical", "Medical imaging"),
    ("algebra", "Made of other operators"),
];

const SOURCES: &str = "https://github.com/arrayspan/arrayspan/blob/main/";

/// The whole page, which ends with a line break.
pub(super) fn of(entries: &[Entry]) -> String {
    let mut page = HEAD.to_owned();
    let known = |family: &str| FAMILIES.iter().any(|(name, _)| *name == family);
    let others = entries.iter().map(|entry| &*entry.family).filter(|family| !known(family));
    let mut families: Vec<(&str, &str)> = FAMILIES.into();
    for family in others {
        if !families.iter().any(|(name, _)| *name == family) {
            families.push((family, family));
        }
    }
    for (family, title) in families {
        let rows: Vec<String> =
            entries.iter().filter(|entry| entry.family == family).map(row).collect();
        if !rows.is_empty() {
            let head = "| operator | what it computes | cost | complex | golden data |\n|---|---|---|---|---|\n";
            page.extend(["\n## ", title, "\n\n", head, &rows.concat()]);
        }
    }
    page
}

fn row(entry: &Entry) -> String {
    let Entry { name, file, what, complex, cost, golden, .. } = entry;
    let golden = golden.strip_prefix("PyLops 2.8.0 ").unwrap_or(golden);
    let cells = [what, cost, complex, golden].map(|cell| cell.replace('|', "\\|"));
    format!("| [`{name}`]({SOURCES}{file}) | {} |\n", cells.join(" | "))
}
