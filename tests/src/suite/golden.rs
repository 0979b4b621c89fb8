//! Golden data: what PyLops 2.8.0 says, or the definition where PyLops is wrong (`golden/generate.py`).

use std::fs;
use std::io::Cursor;
use std::path::{Path, PathBuf};

use ndarray::ArrayD;
use ndarray_npy::NpzReader;
use num_complex::Complex64;
use sha2::{Digest, Sha256};

use super::{Case, Cell, Direction, Run, Values, Verdict};

type Result<T> = std::result::Result<T, Box<dyn std::error::Error + Send + Sync>>;

/// The golden data of the case come out in both directions. Cases without any pass.
///
/// # Errors
/// When results differ by more than rounding, or the data are missing or not the ones listed.
pub fn law(cell: &Cell, case: &Case) -> Verdict {
    let Some(key) = case.golden_key() else {
        return Ok(());
    };
    let operator = case.build(cell)?;
    for direction in Direction::BOTH {
        let (from, to) = direction.spaces(&*operator);
        let (input, output) = match direction {
            Direction::Forward => ("x", "forward"),
            Direction::Adjoint => ("y", "adjoint"),
        };
        // PyLops knows flat vectors only.
        let x = array(*cell, key, input)?.reshaped(from.shape())?;
        let expected = array(*cell, key, output)?.reshaped(to.shape())?;
        let bound = cell.tolerance(from.len().max(to.len())) * expected.norm().max(x.norm());
        let run = Run::new(cell, &*operator, direction).arranged(cell.arrangements(case)[0]);
        let found = run.of(&x)?;
        found.expect_near(&expected, bound, &format!("{direction:?} of golden data {key}"))?;
    }
    Ok(())
}

/// An array of the golden data `key`, `file/case`, in this cell's kind of numbers.
///
/// # Errors
/// When there is none, or the file is not the one listed.
pub fn array(cell: Cell, key: &str, name: &str) -> Result<Values> {
    let (file, case) = key.split_once('/').ok_or_else(|| format!("{key} is not FILE/CASE"))?;
    let mut file = open(&folder(), file)?;
    if cell.dtype.is_complex() {
        let array: ArrayD<Complex64> = file.by_name(&format!("complex128/{case}/{name}"))?;
        Ok(Values { shape: array.shape().to_vec(), numbers: array.iter().copied().collect() })
    } else {
        let name = format!("float64/{case}/{name}");
        // Spectra of real numbers are complex.
        let complex: std::result::Result<ArrayD<Complex64>, _> = file.by_name(&name);
        if let Ok(array) = complex {
            return Ok(Values {
                shape: array.shape().to_vec(),
                numbers: array.into_iter().collect(),
            });
        }
        let array: ArrayD<f64> = file.by_name(&name)?;
        let numbers = array.iter().map(|&number| number.into()).collect();
        Ok(Values { shape: array.shape().to_vec(), numbers })
    }
}

/// Every `FILE/CASE` for which there are golden data.
///
/// # Errors
/// When a file is not the one listed.
pub fn keys() -> Result<Vec<String>> {
    let mut keys = Vec::new();
    for name in listed(&folder())?.keys() {
        let file = name.trim_end_matches(".npz");
        for array in open(&folder(), file)?.names()? {
            if let Some(case) = array.split('/').nth(1) {
                keys.push(format!("{file}/{case}"));
            }
        }
    }
    keys.sort();
    keys.dedup();
    Ok(keys)
}

/// Opens a golden file, once its hash is the one listed in `golden.toml` beside it.
///
/// # Errors
/// When it is not, or the file cannot be read.
pub fn open(folder: &Path, file: &str) -> Result<NpzReader<Cursor<Vec<u8>>>> {
    let name = format!("{file}.npz");
    let content = fs::read(folder.join(&name)).map_err(|error| format!("{name}: {error}"))?;
    let files = listed(folder)?;
    let expected = files.get(&name).and_then(|entry| entry.get("sha256")?.as_str());
    let found = Sha256::digest(&content);
    if expected != Some(&*format!("{found:x}")) {
        let expected = expected.unwrap_or("not listed");
        return Err(format!("{name} has SHA-256 {found:x}, golden.toml says {expected}").into());
    }
    Ok(NpzReader::new(Cursor::new(content))?)
}

fn listed(folder: &Path) -> Result<toml::Table> {
    let list: toml::Table = fs::read_to_string(folder.join("golden.toml"))?.parse()?;
    let files = list.get("files").and_then(toml::Value::as_table);
    files.cloned().ok_or_else(|| "golden.toml lists no files".into())
}

/// Where the golden data lie: `$ARRAYSPAN_GOLDEN_DIR` on a machine without the repository.
#[must_use]
pub fn folder() -> PathBuf {
    let here = || Path::new(env!("CARGO_MANIFEST_DIR")).join("golden");
    std::env::var_os("ARRAYSPAN_GOLDEN_DIR").map_or_else(here, PathBuf::from)
}
