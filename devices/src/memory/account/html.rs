//! A snapshot as a page of HTML.

use super::json::json;
use crate::Result;

/// The page without its data. It draws what it finds in the element `data`.
const PAGE: &str = include_str!("snapshot.html");
/// Where the data goes; nothing else of the page reads so.
const DATA: &str = "{{data}}";
const TITLE: &str = "{{title}}";

/// The page with the snapshot in it. Names are data of the page, never part of its text: the page shows them
/// by `textContent`, and no `<` of theirs gets into the file.
pub(super) fn page(device: &str, snapshot: &impl serde::Serialize) -> Result<String> {
    let title = escaped(&format!("{device} memory"));
    let data = inert(&json("snapshot", snapshot)?);
    // The title first, and once: the data may hold the words.
    Ok(PAGE.replacen(TITLE, &title, 1).replacen(DATA, &data, 1))
}

/// JSON that no HTML parser sees an element or a comment in.
fn inert(json: &str) -> String {
    json.replace('<', "\\u003c").replace('>', "\\u003e").replace('&', "\\u0026")
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
