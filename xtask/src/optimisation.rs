//! Kernels that PoCL does not optimise, for programs that compile hundreds of them.
//!
//! Optimising takes PoCL half of the time for most kernels and nine tenths for those that are unrolled. What a kernel
//! computes is the same. Other programs, and these with `--full`, run kernels as users do.

use std::env::var_os;
use std::ffi::OsString;
use std::path::PathBuf;

use crate::environment::Environment;

/// What PoCL adds to the options of every build.
const FLAGS: &str = "POCL_EXTRA_BUILD_FLAGS";
/// The programs that compile most: the laws of operators, the verbs one by one, drawn and in plans, and solvers in every dtype.
const PROGRAMS: [&str; 11] = [
    "conformance-completeness",
    "conformance-conformance",
    "conformance-leaks",
    "conformance-solvers",
    "kernels-fuzz",
    "kernels-plans",
    "kernels-verbs",
    "operators-operators",
    "solvers-eigen",
    "solvers-krylov",
    "solvers-sparse",
];
/// Kernels of a user must never come from here.
const FOLDER: &str = "unoptimised";

/// The environment of a program. Kernels that are not optimised have folders of their own within the caches, because the
/// text they are found by does not say how they were built.
pub(crate) fn of(program: &str, environment: &Environment) -> Environment {
    let mut environment = environment.clone();
    if !PROGRAMS.contains(&program) || environment.is_full() || var_os(FLAGS).is_some() {
        return environment;
    }
    let Some(caches) = caches(&|name| environment.value(name).or_else(|| var_os(name))) else {
        return environment;
    };
    environment.set(FLAGS, "-cl-opt-disable");
    for (name, folder) in caches {
        environment.set(name, folder);
    }
    environment
}

/// Where kernels lie that are not optimised; nowhere if there is no place for kernels.
fn caches(value: &dyn Fn(&str) -> Option<OsString>) -> Option<[(&'static str, PathBuf); 2]> {
    let set = |name: &str| value(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    // Set to nothing, it turns the cache off.
    if value("ARRAYSPAN_CACHE_DIR").is_some_and(|folder| folder.is_empty()) {
        return None;
    }
    let user = set("XDG_CACHE_HOME").or_else(|| Some(set("HOME")?.join(".cache")));
    let ours = set("ARRAYSPAN_CACHE_DIR").or_else(|| Some(user.as_ref()?.join("arrayspan")))?;
    let pocl = set("POCL_CACHE_DIR").or_else(|| Some(user?.join("pocl")))?;
    Some([("ARRAYSPAN_CACHE_DIR", ours.join(FOLDER)), ("POCL_CACHE_DIR", pocl.join(FOLDER))])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn caches_are_those_of_the_user_and_never_shared_with_optimised_kernels() {
        let of = |set: &'static [(&str, &str)]| {
            caches(&move |name: &str| {
                set.iter().find(|(other, _)| *other == name).map(|(_, value)| (*value).into())
            })
            .map(|caches| caches.map(|(_, folder)| folder.display().to_string()))
        };
        let home = of(&[("HOME", "/h")]).unwrap();
        assert_eq!(home, ["/h/.cache/arrayspan/unoptimised", "/h/.cache/pocl/unoptimised"]);
        let set =
            of(&[("HOME", "/h"), ("XDG_CACHE_HOME", "/x"), ("POCL_CACHE_DIR", "/p")]).unwrap();
        assert_eq!(set, ["/x/arrayspan/unoptimised", "/p/unoptimised"]);
        assert_eq!(of(&[("ARRAYSPAN_CACHE_DIR", ""), ("HOME", "/h")]), None);
        assert_eq!(of(&[]), None);
    }

    #[test]
    fn only_programs_with_many_kernels_do_without_and_none_with_full() {
        if var_os(FLAGS).is_some() {
            return;
        }
        let mut environment = Environment::default();
        environment.set("HOME", "/h");
        let flags =
            |program: &str, environment: &Environment| of(program, environment).value(FLAGS);
        assert_eq!(flags("kernels-verbs", &environment), Some("-cl-opt-disable".into()));
        assert_eq!(flags("bridge-copies", &environment), None);
        environment.set("ARRAYSPAN_TEST_FULL", "1");
        assert_eq!(flags("kernels-verbs", &environment), None);
    }
}
