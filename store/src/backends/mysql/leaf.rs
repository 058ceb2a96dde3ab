//! Leaf's database: its `leaf_alloc` keeps the tags, unchanged, while a Leaf may run beside us; what
//! it has no room for stands in tables of ours, called `leafid_…`.

use leafid_core::Code;
use mysql_async::prelude::Queryable;
use mysql_async::{Conn, Error};

use crate::backends::remote::{Style, Text};
use crate::problem::Problem;
use leafid_turn::sql;

const PREFIX: &str = "leafid_";
/// What stands before the name of a table in a text.
const BEFORE: [&str; 6] = ["FROM", "INTO", "UPDATE", "EXISTS", "JOIN", "TABLE"];

/// Looks whether what Leaf keeps for us is there: what the exchange failed with; within it, what is wrong.
pub async fn examine(connection: &mut Conn, place: &str) -> Result<Result<(), Problem>, Error> {
    let text = Text::translate(sql::LEAF.text("leaf/columns"), Style::Marks).sql;
    Ok(judge(place, connection.query_first(text).await?))
}

/// Refuses a database whose `leaf_alloc` is not there or not Leaf's.
fn judge(place: &str, found: Option<(Option<String>, u64)>) -> Result<(), Problem> {
    let refuse = |code, detail| Err(Problem::new(code, detail));
    match found {
        None => refuse(
            Code::SchemaMismatch,
            format!(
                "{place} has no table `leaf_alloc`, which was to keep the tags; name Leaf's own \
                 database, or leave out `?tags=leaf_alloc` for a store without Leaf"
            ),
        ),
        Some((_, columns)) if columns < 3 => refuse(
            Code::SchemaMismatch,
            format!(
                "{place} has a table `leaf_alloc` without `biz_tag`, `max_id` and `step`, so it is \
                 not Leaf's; name Leaf's own database"
            ),
        ),
        Some((Some(engine), _)) if !engine.eq_ignore_ascii_case("InnoDB") => refuse(
            Code::StoreRefused,
            format!(
                "{place} keeps its table `leaf_alloc` in {engine}, which has no transactions; move \
                 it: ALTER TABLE leaf_alloc ENGINE = InnoDB"
            ),
        ),
        Some(_) => Ok(()),
    }
}

/// The text with our tables under their names in this database: the words that follow one of
/// [`BEFORE`], and those in quotes.
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

    #[test]
    fn a_table_that_is_not_leafs_is_refused() {
        let innodb = |columns| Some((Some("InnoDB".to_owned()), columns));
        assert_eq!(judge("p", innodb(3)), Ok(()));
        for (found, says) in [
            (None, "no table `leaf_alloc`"),
            (innodb(2), "not Leaf's"),
            (Some((Some("MyISAM".to_owned()), 3)), "ENGINE = InnoDB"),
        ] {
            let refused = judge("p", found).unwrap_err();
            assert!(refused.detail.contains(says), "{refused}");
        }
    }
}
