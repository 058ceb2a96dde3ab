//! Texts with named parameters, as a driver takes them.

/// How a driver writes a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// `$1`, the same again for a name that comes again.
    Numbered,
    /// `?`, one for each place.
    Marks,
}

/// A text for a driver.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Text {
    /// The statement, without comments.
    pub sql: String,
    /// The names of its parameters, in the order in which their values are sent.
    pub names: Vec<String>,
}

impl Text {
    /// Replaces every `:name` outside quotes, and leaves out comments and the last semicolon.
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
    use super::*;

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
}
