//! The lines about torch on the front page are compiled and run in other places, by those who have libtorch.
#![forbid(unsafe_code)]
#![allow(clippy::unwrap_used, reason = "an unexpected error fails the test")]

const README: &str = include_str!("../README.md");
const TOUR: &str = include_str!("../src/lib.rs");
const EXAMPLE: &str = include_str!("../examples/torch_operator/handover.rs");

/// The lines between two others, without indentation, without empty ones and without those that rustdoc hides.
fn lines<'t>(text: &'t str, from: &str, to: &str) -> Vec<&'t str> {
    let (_, rest) = text.split_once(from).unwrap();
    let (block, _) = rest.split_once(to).unwrap();
    let lines = block.lines().map(|line| line.trim_start_matches("//!").trim());
    lines.filter(|line| !line.is_empty() && !line.starts_with("# ")).collect()
}

#[test]
fn the_lines_about_torch_are_those_that_are_compiled() {
    let shown = lines(README, "```rust,ignore\n", "```");
    assert!(shown.iter().any(|line| line.contains("torch::import")), "{shown:?}");
    assert_eq!(shown, lines(EXAMPLE, "// shown from here\n", "// to here"));
    let (_, torch) = TOUR.split_once("//! ## Torch").unwrap();
    assert_eq!(shown, lines(torch, "doc = \"```ignore\")]\n", "//! ```"));
}

#[test]
fn no_other_lines_of_the_front_page_are_left_out_by_rustdoc() {
    assert_eq!(README.matches("```rust,ignore").count(), 1);
    assert_eq!(README.matches("no_run").count() + README.matches("compile_fail").count(), 0);
}
