//! Leaf's two HTML pages: the segments in memory, and the table of tags.

use axum::body::Body;
use axum::http::HeaderValue;
use axum::http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE};
use axum::response::Response;
use leafid_core::Name;
use leafid_core::registry::TagRow;
use leafid_store::dispense::driver::AtHand;

/// The most rows of a page.
pub const MOST: usize = 10_000;

/// The page of the segments in memory.
pub fn cache(rows: &[(Name, AtHand)]) -> Response {
    let heads =
        ["name", "init", "next", "pos", "value0", "max0", "step0", "value1", "max1", "step1"];
    let rows = rows.iter().map(|(tag, AtHand { next, ranges })| {
        let (first, second) = (ranges.first(), ranges.get(1));
        let is_there = |range: Option<_>| range.is_some().to_string();
        let mut cells =
            vec![tag.as_str().to_owned(), is_there(first), is_there(second), "0".into()];
        for (range, value) in [(first, *next), (second, second.map_or(0, |range| range.start))] {
            let figures = range.map_or([0; 3], |range| [value, range.end, range.len()]);
            cells.extend(figures.map(thousands));
        }
        cells
    });
    page("cache", &heads, rows)
}

/// The page of the table of tags. The time of a row's last change stays empty: we do not read it.
pub fn db(rows: &[(Name, TagRow)]) -> Response {
    let rows = rows.iter().map(|(tag, row)| {
        let step = thousands(row.step.into());
        vec![tag.as_str().to_owned(), thousands(row.max_id), step, "-".to_owned()]
    });
    page("db", &["tag", "max", "step", "update"], rows)
}

fn page(title: &str, heads: &[&str], rows: impl ExactSizeIterator<Item = Vec<String>>) -> Response {
    let shown = rows.len() >= MOST;
    let mut html =
        format!("<!DOCTYPE html>\n<html><head><title>{title}</title></head><body>\n<table>\n");
    html.push_str(&line("th", heads));
    for row in rows {
        html.push_str(&line("td", &row));
    }
    html.push_str("</table>\n");
    if shown {
        html.push_str(&format!("<p>The first {MOST} are shown.</p>\n"));
    }
    html.push_str("</body></html>\n");
    let mut response = Response::new(Body::from(html));
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/html;charset=UTF-8"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static("default-src 'none'"));
    response
}

fn line(tag: &str, cells: &[impl AsRef<str>]) -> String {
    let cells = cells.iter().map(|cell| format!("<{tag}>{}</{tag}>", escaped(cell.as_ref())));
    format!("<tr>{}</tr>\n", cells.collect::<String>())
}

fn escaped(text: &str) -> String {
    // `&` first, so that it does not escape the other entities.
    let signs = [('&', "&amp;"), ('<', "&lt;"), ('>', "&gt;"), ('"', "&quot;"), ('\'', "&#39;")];
    signs.iter().fold(text.to_owned(), |text, (sign, entity)| text.replace(*sign, entity))
}

/// Writes `1234567` as `1,234,567`.
fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let parts = digits.as_bytes().rchunks(3).rev().map(String::from_utf8_lossy);
    parts.collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_separators_and_names_are_only_text() {
        for (number, gives) in
            [(0, "0"), (12, "12"), (999, "999"), (1_000, "1,000"), (1_234_567, "1,234,567")]
        {
            assert_eq!(thousands(number), gives);
        }
        assert_eq!(
            line("td", &["<b onclick='x'>&\""]),
            "<tr><td>&lt;b onclick=&#39;x&#39;&gt;&amp;&quot;</td></tr>\n"
        );
    }
}
