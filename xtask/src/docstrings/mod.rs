//! `python/docs/*/*.txt`: what Python says of each operator and solver, in NumPy's style, written from the documentation in Rust
//! and from the signatures in the stubs.
//!
//! The summary stands in `python/src` and names what only Python has. These texts follow it.

mod signature;
mod text;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::Result;
use crate::documentation::{Source, aliases, each_source, read};
use crate::package::files;
use crate::process::repository;

/// What parameters mean that are not documented in Rust, or there by the name of something else.
const MEANINGS: [(&str, &str); 14] = [
    ("shape", "Extents of the models along each axis."),
    ("dtype", "Of the elements of models."),
    ("axis", "Counts from the last one if it is negative."),
    ("axes", "Those below zero count from the last one."),
    ("inverse", "Whether it is the inverse that is made."),
    ("a", "The operator."),
    ("y", "The data; the solution is of the same kind, on the same device."),
    ("start", "The model to begin with; zero if there is none."),
    (
        "callback",
        "Is called at the start and at each check. An exception ends the run and is passed on.",
    ),
    ("keep", "How many percent of the elements are kept: the threshold sets the others to zero."),
    ("time", "At most so many seconds, from the first application of the operator on."),
    (
        "workspace",
        "What it works in, kept from one call to the next; made for the call if there is none.",
    ),
    (
        "stagnation",
        "`(iterations, decrease)`: the residual is to decrease by this share within so many iterations.",
    ),
    ("device", "Where it is computed; where the operator's arrays are, if none is said."),
];

/// The same of parameters of one function.
const OWN_MEANINGS: [(&str, &str, &str); 12] = [
    ("Sliding2D", "shape", DATA),
    ("Sliding3D", "shape", DATA),
    ("Patch2D", "shape", DATA),
    ("Patch3D", "shape", DATA),
    ("Regression", "shape", DATA),
    ("LinearRegression", "shape", DATA),
    ("DWT", "shape", SIGNALS),
    ("DWT2D", "shape", SIGNALS),
    ("DWTND", "shape", SIGNALS),
    ("DTCWT", "shape", SIGNALS),
    ("UDCT", "shape", SIGNALS),
    ("Seislet", "shape", SIGNALS),
];
const DATA: &str = "Extents of the data along each axis.";
const SIGNALS: &str =
    "Extents of the signals along each axis: models, or, of the inverse, results.";

/// Functions that are documented in Rust by a type of another name.
const TYPES: [(&str, &str); 1] = [("norm_estimate", "NormEstimator")];

/// Writes all texts anew, and removes those of what is gone.
pub(crate) fn write() -> Result {
    let texts = texts()?;
    for (path, text) in &texts {
        path.parent().map_or(Ok(()), fs::create_dir_all)?;
        fs::write(path, text)?;
    }
    files(&folder(), &mut |path| {
        if !texts.contains_key(path) {
            // What cannot be removed stays, and is read by nobody.
            let _ = fs::remove_file(path);
        }
    })
}

/// Whether the texts are what would be written now.
pub(crate) fn check() -> Result<bool> {
    let mut same = true;
    for (path, text) in &texts()? {
        if fs::read_to_string(path).unwrap_or_default() != *text {
            let path = path.strip_prefix(repository()).unwrap_or(path).display();
            eprintln!("error: {path} is not what its sources say: cargo xtask catalogue");
            same = false;
        }
    }
    Ok(same)
}

fn folder() -> PathBuf {
    repository().join("python/docs")
}

/// The text of each function that Python has by the name of a type in Rust, and where it stands.
fn texts() -> Result<BTreeMap<PathBuf, String>> {
    let mut shared = BTreeMap::new();
    let mut texts = BTreeMap::new();
    for module in ["operators", "solvers"] {
        let sources = sources(&repository().join(module).join("src"))?;
        let parts = ["stop", "sparsity"].into_iter().filter_map(|part| sources.get(part));
        shared.extend(parts.flat_map(|part| part.fields.clone()));
        shared.extend(MEANINGS.map(|(name, meaning)| (name.to_owned(), meaning.to_owned())));
        let stubs =
            fs::read_to_string(repository().join(format!("python/arrayspan/{module}.pyi")))?;
        for signature in signature::read(&stubs) {
            let own = TYPES.iter().find(|(function, _)| *function == signature.name);
            let Some(source) = sources.get(&plain(own.map_or(&*signature.name, |(_, own)| own)))
            else {
                continue;
            };
            let mut source = source.clone();
            if module == "solvers" {
                // The first function of a solver is not what Python calls; its errors are the same.
                let errors = source.of_constructor.iter().position(|line| line == "# Errors");
                source.of_constructor.drain(..errors.unwrap_or(source.of_constructor.len()));
            }
            let own = OWN_MEANINGS.iter().filter(|(function, ..)| *function == signature.name);
            source.fields.extend(own.map(|(_, name, meaning)| ((*name).into(), (*meaning).into())));
            let path = folder().join(module).join(format!("{}.txt", signature.name));
            texts.insert(path, text::of(&signature, &source, &shared));
        }
    }
    Ok(texts)
}

/// The types in a folder, by their [`plain`] names.
fn sources(folder: &Path) -> Result<BTreeMap<String, Source>> {
    let (mut sources, mut others): (BTreeMap<String, Source>, _) = (BTreeMap::new(), Vec::new());
    each_source(folder, &mut |_, text| {
        sources.extend(read(text).into_iter().map(|source| (plain(&source.name), source)));
        others.extend(aliases(text));
    })?;
    for (name, of, docs) in others {
        if let Some(source) = sources.get(&plain(&of)).cloned() {
            // What stands over the second name is about that one.
            let of_type = if docs.is_empty() { source.of_type } else { docs };
            sources.entry(plain(&name)).or_insert(Source { of_type, ..source });
        }
    }
    Ok(sources)
}

/// A name in which those of types and of functions agree: `bicgstab` of `BiCgStab` and of `bi_cg_stab`.
fn plain(name: &str) -> String {
    name.chars().filter(|character| *character != '_').collect::<String>().to_lowercase()
}
