//! Java's `.properties` files.

use std::collections::BTreeMap;

use leafid_core::Code;
use leafid_store::problem::Problem;

/// The keys of a file and their values; of a key that stands twice the last counts.
pub type Properties = BTreeMap<String, String>;

/// Reads a file's bytes, each of which is a character, as Java does.
///
/// # Errors
/// `REQUEST_INVALID` for a `\u` without four hex digits, with the line: Java does not start.
pub fn parse(bytes: &[u8]) -> Result<Properties, Problem> {
    let found = java_properties::read(bytes).map_err(|error| {
        let line = error.line_number().unwrap_or(1);
        let detail = format!(
            "line {line}: `\\u` is followed by four hex digits, as in `\\u00e4`; correct it, or write \
             `\\\\u` for a backslash and a u"
        );
        Problem::new(Code::RequestInvalid, detail)
    })?;
    Ok(found.into_iter().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read_as_java_reads_them() {
        let text =
            b"# x\n! y\n\n  url : jdbc:mysql://h:3306/d?x=y&z\r\nlist=b,\\\n   c\na\\=b=c \n\
                     umlaut=\\u00e4\\t\xe4\ntwice=1\ntwice=2\nempty\n";
        let found = parse(text).unwrap();
        let expected = [
            ("url", "jdbc:mysql://h:3306/d?x=y&z"),
            ("list", "b,c"),
            ("a=b", "c "),
            ("umlaut", "\u{e4}\t\u{e4}"),
            ("twice", "2"),
            ("empty", ""),
        ];
        let expected = expected.map(|(key, value)| (key.to_owned(), value.to_owned()));
        assert_eq!(found, expected.into());
        for wrong in [&b"x=1\na=\\u00"[..], b"\n a=\\uxyzw"] {
            let refused = parse(wrong).unwrap_err();
            assert!(refused.detail.starts_with("line 2:"), "{refused}");
        }
    }
}
