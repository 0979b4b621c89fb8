//! The packages of the workspace, as their manifests say.

use std::fs;
use std::path::PathBuf;

use crate::Result;
use crate::process::repository;

/// A package of the workspace.
#[derive(Debug)]
pub(crate) struct Package {
    pub(crate) name: String,
    pub(crate) folder: PathBuf,
    /// The text of its manifest.
    pub(crate) manifest: String,
}

impl Package {
    /// Whether it is for other people's programs, and not a chore of this repository.
    pub(crate) fn is_published(&self) -> bool {
        !self.manifest.lines().any(|line| line.trim() == "publish = false")
    }
}

/// All of them, the facade first.
pub(crate) fn all() -> Result<Vec<Package>> {
    let root = fs::read_to_string(repository().join("Cargo.toml"))?;
    let members = root.split_once("\nmembers = [").and_then(|(_, rest)| rest.split_once(']'));
    let (members, _) = members.ok_or("Cargo.toml names no members")?;
    // Between quotes.
    let members = members.split('"').skip(1).step_by(2);
    std::iter::once("").chain(members).map(read).collect()
}

fn read(member: &str) -> Result<Package> {
    let folder = repository().join(member);
    let manifest = fs::read_to_string(folder.join("Cargo.toml"))?;
    let (_, package) = manifest.split_once("[package]").ok_or("a manifest without a package")?;
    let name = crate::programs::text_of(package, "name = \"").ok_or("a package without a name")?;
    Ok(Package { name, folder, manifest })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_are_found_and_chores_are_told_from_them() {
        let all = all().unwrap();
        let published =
            |name: &str| all.iter().find(|package| package.name == name).map(Package::is_published);
        assert_eq!(published("arrayspan"), Some(true));
        assert_eq!(published("arrayspan-devices"), Some(true));
        assert_eq!(published("xtask"), Some(false));
        assert_eq!(published("arrayspan-conformance"), Some(false));
    }
}
