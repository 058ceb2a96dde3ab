//! Reads Java's `.properties` files as `java.util.Properties.load` does.

use std::collections::BTreeMap;

use leafid_store::problem::Problem;

use crate::invalid;

const BLANKS: [char; 3] = [' ', '\t', '\u{c}'];

/// Reads the keys and values of a file; the last value of a repeated key counts. Each byte is one character
/// (ISO 8859-1), as in Java.
///
/// # Errors
/// `REQUEST_INVALID`, with the line, for a `\u` without four hex digits: Leaf does not start either.
pub(crate) fn read(bytes: &[u8]) -> Result<BTreeMap<String, String>, Problem> {
    let text: String = bytes.iter().map(|byte| char::from(*byte)).collect();
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    let mut lines = (1..).zip(text.split('\n'));
    let mut keys = BTreeMap::new();
    while let Some((number, line)) = lines.next() {
        let mut line = line.trim_start_matches(BLANKS).to_owned();
        if line.is_empty() || line.starts_with(['#', '!']) {
            continue;
        }
        while (line.len() - line.trim_end_matches('\\').len()) % 2 == 1 {
            line.pop();
            line += lines.next().map_or("", |(_, next)| next.trim_start_matches(BLANKS));
        }
        let (key, value) = parted(&line);
        let (Some(key), Some(value)) = (unescaped(key), unescaped(value)) else {
            return Err(invalid(format!(
                "line {number}: `\\u` is followed by four hex digits, as in `\\u00e4`; correct it, or \
                 write `\\\\u` for a backslash and a u"
            )));
        };
        keys.insert(key, value);
    }
    Ok(keys)
}

/// Splits a line at the first `=`, `:` or blank that no backslash escapes.
fn parted(line: &str) -> (&str, &str) {
    let mut is_escaped = false;
    let end = line.find(|each: char| {
        let ends = !is_escaped && (BLANKS.contains(&each) || ['=', ':'].contains(&each));
        is_escaped = each == '\\' && !is_escaped;
        ends
    });
    let (key, rest) = line.split_at(end.unwrap_or(line.len()));
    let rest = rest.trim_start_matches(BLANKS);
    (key, rest.strip_prefix(['=', ':']).unwrap_or(rest).trim_start_matches(BLANKS))
}

fn unescaped(text: &str) -> Option<String> {
    let mut rest = text.chars();
    let mut units = Vec::new();
    while let Some(each) = rest.next() {
        let unit = match (each, rest.clone().next()) {
            ('\\', Some('u')) => {
                let digits = rest.as_str().get(1..5)?;
                rest.nth(4)?;
                digits.chars().all(|digit| digit.is_ascii_hexdigit()).then_some(())?;
                u16::from_str_radix(digits, 16).ok()?
            }
            ('\\', Some(named)) => {
                rest.next();
                let meant = match named {
                    't' => '\t',
                    'n' => '\n',
                    'r' => '\r',
                    'f' => '\u{c}',
                    other => other,
                };
                u16::try_from(u32::from(meant)).ok()?
            }
            _ => u16::try_from(u32::from(each)).ok()?,
        };
        units.push(unit);
    }
    // An emoji is two UTF-16 units.
    Some(String::from_utf16_lossy(&units))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read_as_java_reads_them() {
        let text =
            b"# x\n! y\n\n  url : jdbc:mysql://h:3306/d?x=y&z\r\nlist=b,\\\n   c\ra\\=b=c \n\
                     umlaut=\\u00e4\\t\xe4\ntwice=1\ntwice=2\nempty\nkept=\\\\\nlast\t=\\ud83d\\uDE00\\";
        let expected = [
            ("url", "jdbc:mysql://h:3306/d?x=y&z"),
            ("list", "b,c"),
            ("a=b", "c "),
            ("umlaut", "\u{e4}\t\u{e4}"),
            ("twice", "2"),
            ("empty", ""),
            ("kept", "\\"),
            ("last", "\u{1f600}"),
        ];
        let expected = expected.map(|(key, value)| (key.to_owned(), value.to_owned()));
        assert_eq!(read(text).ok().unwrap(), expected.into());
        for wrong in [&b"x=1\na=\\u00"[..], b"\n a=\\uxyzw", b"\na\\u+123"] {
            let refused = read(wrong).unwrap_err();
            assert!(refused.detail.starts_with("line 2:"), "{refused}");
        }
    }
}
