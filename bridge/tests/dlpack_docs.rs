//! The page about imports names tests that exist.

/// Every file that holds such a test.
const SOURCES: [&str; 10] = [
    include_str!("dlpack.rs"),
    include_str!("dlpack_rules.rs"),
    include_str!("dlpack_options.rs"),
    include_str!("dlpack_release.rs"),
    include_str!("dlpack_dlpark.rs"),
    include_str!("dlpack_round_trip.rs"),
    include_str!("dlpack_cuda.rs"),
    include_str!("cuda.rs"),
    include_str!("opencl.rs"),
    include_str!("../../devices/src/memory/lost.rs"),
];

#[test]
fn every_row_names_tests_that_exist() {
    let page = include_str!("../../docs/dlpack.md");
    let is_row = |line: &&str| line.starts_with('|') && !line.starts_with("|--");
    let rows: Vec<&str> = page.lines().filter(is_row).collect();
    assert!(rows.len() > 40, "only {} rows", rows.len());
    for row in rows.iter().filter(|row| !row.ends_with("| test |")) {
        let tests = row.trim_end_matches(['|', ' ']).rsplit('|').next().unwrap_or_default();
        let names: Vec<&str> = tests.split('`').skip(1).step_by(2).collect();
        assert!(!names.is_empty(), "no test: {row}");
        for name in names {
            let definition = format!("fn {name}(");
            assert!(SOURCES.iter().any(|source| source.contains(&definition)), "{name}: {row}");
        }
    }
}
