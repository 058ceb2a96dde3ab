//! Java's `.properties` files, as `java.util.Properties` reads them.

use std::collections::BTreeMap;

use leafid_core::Code;

use crate::problem::Problem;

/// The keys of a file and their values; of a key that stands twice the last counts.
pub type Properties = BTreeMap<String, String>;

/// Reads a file's bytes, each of which is a character of Latin-1.
///
/// # Errors
/// `REQUEST_INVALID` for a `\u` without four hex digits, with the line: Java does not start.
pub fn parse(bytes: &[u8]) -> Result<Properties, Problem> {
    // Latin-1 is the first 256 characters of Unicode. A file that is UTF-8 is what people write.
    let text = match str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        Err(_) => bytes.iter().map(|byte| char::from(*byte)).collect(),
    };
    let mut found = Properties::new();
    for (number, line) in logical(&text) {
        let (key, value) = split(&line);
        let plain = |text: &str| {
            unescaped(text).ok_or_else(|| {
                let detail = format!(
                    "line {number}: `\\u` is followed by four hex digits, as in `\\u00e4`; correct \
                     it, or write `\\\\u` for a backslash and a u"
                );
                Problem::new(Code::RequestInvalid, detail)
            })
        };
        found.insert(plain(key)?, plain(value)?);
    }
    Ok(found)
}

/// Lines with those that follow a `\` at an end put together, each with the number of its first one;
/// without comments and empty ones.
fn logical(text: &str) -> Vec<(usize, String)> {
    let mut lines = Vec::new();
    let mut open: Option<(usize, String)> = None;
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    for (at, line) in text.split('\n').enumerate() {
        let line = line.trim_start_matches([' ', '\t', '\u{c}']);
        if open.is_none() && (line.is_empty() || line.starts_with(['#', '!'])) {
            continue;
        }
        let slashes = line.bytes().rev().take_while(|byte| *byte == b'\\').count();
        let goes_on = slashes % 2 == 1;
        let part = if goes_on { line.get(..line.len() - 1).unwrap_or("") } else { line };
        let (first, mut whole) = open.take().unwrap_or((at + 1, String::new()));
        whole.push_str(part);
        match goes_on {
            true => open = Some((first, whole)),
            false => lines.push((first, whole)),
        }
    }
    lines.extend(open);
    lines
}

/// A key ends before the first `=`, `:` or blank that no `\` stands before. The blanks around the
/// first of them are left out; those at the end of the value are a part of it.
fn split(line: &str) -> (&str, &str) {
    let mut escaped = false;
    let ends = |c: char| {
        let end = !escaped && matches!(c, '=' | ':' | ' ' | '\t' | '\u{c}');
        escaped = c == '\\' && !escaped;
        end
    };
    let Some(end) = line.find(ends) else { return (line, "") };
    let (key, rest) = line.split_at_checked(end).unwrap_or((line, ""));
    let blanks = [' ', '\t', '\u{c}'];
    let rest = rest.trim_start_matches(blanks);
    let rest = rest.strip_prefix(['=', ':']).unwrap_or(rest);
    (key, rest.trim_start_matches(blanks))
}

fn unescaped(text: &str) -> Option<String> {
    let mut units = Vec::new();
    let mut plain = String::new();
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            plain.push(c);
            continue;
        }
        match chars.next() {
            Some('u') => {
                let digits: String = chars.by_ref().take(4).collect();
                let is_hex = digits.len() == 4 && digits.bytes().all(|b| b.is_ascii_hexdigit());
                units.push(u16::from_str_radix(&digits, 16).ok().filter(|_| is_hex)?);
                // A character beyond 16 bits is written as two.
                match String::from_utf16(&units) {
                    Ok(text) => {
                        plain.push_str(&text);
                        units.clear();
                    }
                    Err(_) if units.len() < 2 => {}
                    Err(_) => return None,
                }
            }
            Some('t') => plain.push('\t'),
            Some('n') => plain.push('\n'),
            Some('r') => plain.push('\r'),
            Some('f') => plain.push('\u{c}'),
            Some(other) => plain.push(other),
            None => {}
        }
    }
    units.is_empty().then_some(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(text: &str) -> (String, String) {
        let found = parse(text.as_bytes()).unwrap();
        assert_eq!(found.len(), 1, "{text}: {found:?}");
        found.into_iter().next().unwrap()
    }

    #[test]
    fn lines_are_read_as_java_reads_them() {
        for (text, key, value) in [
            ("a=b", "a", "b"),
            ("  a : b", "a", "b"),
            ("a b=c", "a", "b=c"),
            ("a", "a", ""),
            ("a=", "a", ""),
            ("a = b \r\n", "a", "b "),
            ("# x\n! y\n\na=b#c", "a", "b#c"),
            ("a=b,\\\n   c", "a", "b,c"),
            ("a=b\\\\\n", "a", "b\\"),
            ("a\\=b=c", "a=b", "c"),
            ("a=\\u00e4\\t\\q", "a", "ä\tq"),
            ("a=\\ud83d\\ude00", "a", "😀"),
            ("a==b", "a", "=b"),
            ("a=1\na=2", "a", "2"),
            ("url=jdbc:mysql://h:3306/d?x=y&z", "url", "jdbc:mysql://h:3306/d?x=y&z"),
        ] {
            assert_eq!(one(text), (key.to_owned(), value.to_owned()), "{text}");
        }
        let latin: &[u8] = &[b'a', b'=', 0xe4];
        assert_eq!(parse(latin).unwrap()["a"], "ä");
        assert_eq!(parse(b"# nothing\n").unwrap().len(), 0);
        for wrong in ["x=1\na=\\u00", "\n a=\\uxyzw", "\na=\\ud83d\\u0041"] {
            let refused = parse(wrong.as_bytes()).unwrap_err();
            assert!(refused.detail.starts_with("line 2:"), "{wrong}: {refused}");
        }
        assert!(parse(b"a=\\ud83d").is_err());
    }
}
