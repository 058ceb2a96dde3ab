//! The runbook lists every code, and no other.

use leafid_core::Code;

const PAGE: &str = include_str!("../../../docs/OPERATIONS.md");

#[test]
fn every_code_says_what_to_do() {
    let runbook = PAGE.split("\n## Runbook\n").nth(1).unwrap();
    let runbook = runbook.split("\n## ").next().unwrap();
    let entries: Vec<(&str, &str)> =
        runbook.split("\n### `").skip(1).map(|entry| entry.split_once("`\n").unwrap()).collect();
    let named: Vec<&str> = entries.iter().map(|(code, _)| *code).collect();
    let all: Vec<&str> = Code::ALL.iter().map(|code| code.as_str()).collect();
    assert_eq!(named, all, "each of the core's codes, in its order");
    for (code, text) in entries {
        assert!(text.contains("Do:") || text.contains("Once:"), "`{code}` does not say what to do");
    }
    // Every link within the page leads to a heading.
    for link in PAGE.split("](#").skip(1).map(|rest| rest.split(')').next().unwrap()) {
        let anchor = |line: &&str| {
            let words = line.trim_start_matches('#').trim().to_lowercase();
            let kept = words.chars().filter(|c| c.is_alphanumeric() || "-_ ".contains(*c));
            kept.collect::<String>().replace(' ', "-") == link
        };
        let heading = PAGE.lines().filter(|line| line.starts_with('#')).find(anchor);
        assert!(heading.is_some(), "no heading for `#{link}`");
    }
}
