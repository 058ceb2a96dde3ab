//! Leaf's database: its table `leaf_alloc` keeps the tags, with its columns unchanged, so that a Leaf may run
//! beside us. Our other data is in tables of our own, `leafid_…`.

use leafid_core::Code;

use crate::backends::link::Broken;
use crate::backends::remote::Row;
use crate::problem::Problem;
use leafid_turn::sql;

const PREFIX: &str = "leafid_";
/// The SQL words that precede a table's name.
const BEFORE: [&str; 6] = ["FROM", "INTO", "UPDATE", "EXISTS", "JOIN", "TABLE"];

/// Refuses a database without Leaf's `leaf_alloc`, by the rows of `leaf/columns`.
pub fn judge(place: &str, found: &[Row]) -> Result<(), Broken> {
    let row = Row::only(found)?;
    let (code, why) = match (row.said(0)?, row.said(1)?) {
        (Some(why), _) => (Code::SchemaMismatch, why),
        (None, Some(why)) => (Code::StoreRefused, why),
        (None, None) => return Ok(()),
    };
    Err(Problem::new(code, format!("{place} {why}")).into())
}

/// Replaces our tables' names in a text by those in this database: names after a word of [`BEFORE`], and
/// names in quotes.
pub fn prefixed(text: &str) -> String {
    let ours = || sql::MYSQL.text("schema").split("CREATE TABLE IF NOT EXISTS ").skip(1);
    let name = |made: &'static str| made.split([' ', '(']).next().unwrap_or("");
    let is_ours = |word: &str| ours().any(|made| name(made) == word);
    let mut named = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        if line.starts_with("--") {
            continue;
        }
        let mut before = "";
        for part in line.split_inclusive([' ', '\n', '(', ')', ',', ';', '\'']) {
            let end = part.trim_end_matches([' ', '\n', '(', ')', ',', ';', '\'']).len();
            let (word, rest) = part.split_at_checked(end).unwrap_or((part, ""));
            let quoted = named.ends_with('\'') && rest.starts_with('\'');
            if is_ours(word) && (BEFORE.contains(&before) || quoted) {
                named.push_str(PREFIX);
            }
            named.push_str(part);
            before = if word.is_empty() { before } else { word };
        }
    }
    named
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn our_tables_have_a_prefix_and_nothing_else_has() {
        for (text, gives) in [
            ("-- FROM tags\nSELECT tag FROM tags;\n", "SELECT tag FROM leafid_tags;\n"),
            ("UPDATE meta SET meta = 1", "UPDATE leafid_meta SET meta = 1"),
            ("(SELECT count(*) FROM workers),", "(SELECT count(*) FROM leafid_workers),"),
            ("x IN ('meta', 'tags')", "x IN ('leafid_meta', 'leafid_tags')"),
            ("INSERT INTO tags (tag) VALUES ('a')", "INSERT INTO leafid_tags (tag) VALUES ('a')"),
            ("FROM leaf_alloc AS l", "FROM leaf_alloc AS l"),
            ("ON DUPLICATE KEY UPDATE max_id = 1", "ON DUPLICATE KEY UPDATE max_id = 1"),
        ] {
            assert_eq!(prefixed(text), gives);
        }
        let schema = prefixed(sql::MYSQL.text("schema"));
        let made = schema.matches("CREATE TABLE IF NOT EXISTS ").count();
        assert!(made >= 4, "{schema}");
        assert_eq!(schema.matches("CREATE TABLE IF NOT EXISTS leafid_").count(), made);
    }
}
