//! `docs/MIGRATING-FROM-LEAF.md` in both languages.

pub const PAGE: &str = include_str!("../../../docs/MIGRATING-FROM-LEAF.md");
const CHINESE: &str = include_str!("../../../docs/MIGRATING-FROM-LEAF.zh.md");

pub fn commands(page: &str) -> Vec<&str> {
    let blocks = page.split("```sh\n").skip(1).filter_map(|rest| rest.split("```").next());
    blocks.flat_map(str::lines).collect()
}

#[test]
fn the_chinese_page_has_the_same_commands() {
    assert_eq!(commands(CHINESE), commands(PAGE));
    let rows = |page: &str| page.lines().filter(|line| line.starts_with('|')).count();
    let heads = |page: &str| page.lines().filter(|line| line.starts_with('#')).count();
    assert_eq!((rows(CHINESE), heads(CHINESE)), (rows(PAGE), heads(PAGE)));
}
