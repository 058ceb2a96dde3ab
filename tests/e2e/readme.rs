//! The README's sample IDs decode to the values beside them. Its snippets, of which the Chinese page has the
//! first, run in the tests of each programming language.

use leafid_core::{Layout, Text};

const README: &str = include_str!("../../README.md");
const CHINESE: &str = include_str!("../../README.zh.md");

fn said(row: &str) -> Option<(Layout, u32, u64)> {
    let layout = row.split("layout `").nth(1)?.split('`').next().and_then(Layout::named)?;
    let number = |word: &str| row.split(word).nth(1)?.split(|c: char| !c.is_ascii_digit()).next();
    Some((layout, number("worker ")?.parse().ok()?, number("sequence ")?.parse().ok()?))
}

#[test]
fn the_sample_ids_say_what_stands_beside_them() {
    let is_row = |line: &&str| {
        line.strip_prefix("| `").is_some_and(|id| id.starts_with(|c: char| c.is_ascii_digit()))
    };
    let rows: Vec<&str> = README.lines().filter(is_row).collect();
    assert_eq!(rows.len(), 6);
    let mut decoded = 0;
    for row in rows {
        let id = row.split('`').nth(1).expect("a row begins with an ID");
        let id = Text::parse_decimal(id).expect("the ID is decimal");
        let Some((layout, worker, sequence)) = said(row) else { continue };
        let parts = layout.decompose(id).expect("the ID is of the layout");
        assert_eq!((parts.worker, parts.sequence), (worker, sequence), "{row}");
        // 2026-11-21 08:33:20.12 or .123 UTC, depending on the tick.
        assert_eq!(parts.time.get() / 10, 179_525_000_012, "{row}");
        decoded += 1;
    }
    assert_eq!(decoded, 4);
}

#[test]
fn the_chinese_page_has_the_same_programs() {
    let programs = |page: &'static str| page.split("```").skip(1).step_by(2).collect::<Vec<_>>();
    let (own, all) = (programs(CHINESE), programs(README));
    assert_eq!((own.len(), all.len()), (7, 8));
    assert_eq!(own, all[..7]);
}
