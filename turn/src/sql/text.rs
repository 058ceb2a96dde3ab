//! Translates named parameters into a driver's style.

use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
/// A driver's style of parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// `$1`; a repeated name has the same number.
    Numbered,
    /// `?`; a repeated name is passed again.
    Marks,
}

/// A text as a driver takes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Text {
    /// The text to send.
    pub sql: String,
    /// The names of its parameters, in the order of their values.
    pub names: Vec<String>,
}

impl Text {
    /// Replaces every `:name` outside of quotes; drops comments and the last semicolon.
    pub fn translate(source: &str, style: Style) -> Text {
        let (mut sql, mut names) = (String::new(), Vec::new());
        let mut rest = source;
        while let Some(first) = rest.chars().next() {
            let taken = match first {
                '-' if rest.starts_with("--") => {
                    let end = rest.find('\n').unwrap_or(rest.len());
                    (end, false)
                }
                '\'' => {
                    let end = rest.chars().skip(1).position(|c| c == '\'');
                    (end.map_or(rest.len(), |end| end + 2), true)
                }
                ':' if rest.starts_with("::") => (2, true),
                ':' => {
                    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
                    let tail = rest.get(1..).unwrap_or("");
                    let name = tail.split(|c| !is_name(c)).next().unwrap_or("");
                    sql.push_str(&place(&mut names, name, style));
                    (1 + name.len(), false)
                }
                other => (other.len_utf8(), true),
            };
            let (taken, kept) = taken;
            let (text, left) = rest.split_at_checked(taken).unwrap_or((rest, ""));
            if kept {
                sql.push_str(text);
            }
            rest = left;
        }
        let sql = sql.trim().trim_end_matches(';').to_owned();
        Text { sql, names }
    }
}

fn place(names: &mut Vec<String>, name: &str, style: Style) -> String {
    let known = names.iter().position(|known| *known == name);
    match (style, known) {
        (Style::Numbered, Some(at)) => format!("${}", at + 1),
        (Style::Numbered, None) => {
            names.push(name.to_owned());
            format!("${}", names.len())
        }
        (Style::Marks, _) => {
            names.push(name.to_owned());
            "?".to_owned()
        }
    }
}

#[cfg(test)]
mod tests {
    use alloc::boxed::Box;
    use alloc::vec;

    use leafid_core::registry::{Namespace, TagRow, TagSpec, WorkerRow};
    use leafid_core::{Layout, Name, Range, StoreTime, Token};

    use super::*;
    use crate::change::Page;
    use crate::row::{NamespaceRow, Seen};
    use crate::sql;
    use crate::sql::Step;
    use crate::want::Want;
    use crate::write::{WorkerWrite, Write};

    const SOURCE: &str =
        "-- it's :not one\nSELECT a::bigint, ':b', :c -- :d\nWHERE c = :c AND e = :e_1;\n";

    #[test]
    fn names_outside_of_quotes_and_comments_are_parameters() {
        let text = Text::translate(SOURCE, Style::Numbered);
        assert_eq!(text.sql, "SELECT a::bigint, ':b', $1 \nWHERE c = $1 AND e = $2");
        assert_eq!(text.names, ["c", "e_1"]);
        let text = Text::translate(SOURCE, Style::Marks);
        assert_eq!(text.sql, "SELECT a::bigint, ':b', ? \nWHERE c = ? AND e = ?");
        assert_eq!(text.names, ["c", "c", "e_1"]);
    }

    fn writes() -> Vec<Write> {
        let (name, tag) = (Name::tag("a").unwrap(), TagRow::create(None, &TagSpec::default()));
        let (tag, before) = (tag.unwrap(), Some(Seen { row: tag.unwrap(), revision: 0 }));
        let namespace = Namespace::create(Layout::LEAF, None, None).unwrap();
        let row = NamespaceRow { namespace, used_until: 0 };
        let workers = Range::new(1, 4);
        let other = NamespaceRow { namespace: Namespace { workers, ..namespace }, used_until: 1 };
        let was = Seen { row, revision: 0 };
        let worker = |before| {
            let after = WorkerRow { key: Some(Token::new([1; 16])), ..WorkerRow::default() };
            Write::Worker(Box::new(WorkerWrite { namespace: name, worker: 1, before, after }))
        };
        vec![
            Write::Same(name, was),
            Write::Tag { tag: name, before: None, after: tag },
            Write::Tag { tag: name, before, after: tag },
            Write::Namespace { namespace: name, before: None, after: row },
            Write::Namespace { namespace: name, before: Some(was), after: other },
            worker(None),
            worker(Some(Seen { row: WorkerRow::default(), revision: 0 })),
            Write::Beat(StoreTime::new(1)),
        ]
    }

    #[test]
    fn every_parameter_of_a_text_has_a_value_in_every_dialect() {
        let (name, range) = (Name::tag("a").unwrap(), Range::new(0, 1));
        let tag = TagRow::create(None, &TagSpec::default()).unwrap();
        let wants = [
            Want::Tag(name),
            Want::Namespace(name),
            Want::Worker(name, 1),
            Want::Mine(name, Token::new([1; 16])),
            Want::Own(name, name),
            Want::Unused { namespace: name, from: 1, end: 2, count: 3 },
            Want::Rested(name, 1),
            Want::Kept(name, 1),
            Want::Leaving { namespace: name, before: range, after: range },
            Want::Tags(Page { after: None, limit: 1 }),
            Want::Namespaces(Page { after: None, limit: 1 }),
            Want::Workers(name, Page { after: None, limit: 1 }),
        ];
        let mut counts = Vec::new();
        for texts in [sql::SQLITE, sql::POSTGRES, sql::MYSQL] {
            let steps: Vec<_> = writes().iter().flat_map(|write| texts.steps(write)).collect();
            let reads: Vec<_> = wants.iter().map(|want| texts.query(want)).collect();
            let mut checked = 0;
            for query in steps.iter().map(Step::query).chain(&reads) {
                for name in Text::translate(&query.text, Style::Numbered).names {
                    assert!(query.params.get(&name).is_some(), "{name} of {}", query.text);
                    checked += 1;
                }
            }
            counts.push(checked);
        }
        assert!(counts[0] > 100 && counts.iter().all(|count| *count == counts[0]), "{counts:?}");
        // Over Leaf's table a tag is written differently, and may be created again or deleted.
        let deleted = TagRow { deleted: true, ..tag };
        let was = |row| Some(Seen { row, revision: 0 });
        let more = [
            (was(deleted), tag),
            (was(tag), deleted),
            (was(tag), TagRow { until: Some(9), ..tag }),
        ];
        let more = more.map(|(before, after)| Write::Tag { tag: name, before, after });
        let steps: Vec<_> =
            writes().iter().chain(&more).flat_map(|write| sql::LEAF.steps(write)).collect();
        let reads: Vec<_> = wants.iter().map(|want| sql::LEAF.query(want)).collect();
        let mut leafs = 0;
        for query in steps.iter().map(Step::query).chain(&reads) {
            for name in Text::translate(&query.text, Style::Marks).names {
                assert!(query.params.get(&name).is_some(), "{name} of {}", query.text);
                leafs += 1;
            }
        }
        assert!(leafs > counts[0], "{leafs}");
    }
}
