//! How deep the brackets of a file in TOML lie within each other. The parser has a limit of its own, which
//! counts wrong where brackets are left open: thousands of those, and it overflows its stack, which ends the
//! process. What is not closed, or closed twice, is no TOML, so it need not come so far.

/// How deep brackets are at most: ours are three.
const DEEPEST: usize = 16;

/// Refuses a text whose brackets do not match, or lie too deep, with the line.
///
/// # Errors
/// What is wrong, in words.
pub fn check(text: &str) -> Result<(), String> {
    let (mut rest, mut line, mut open) = (text, 1, Vec::new());
    while let Some(first) = rest.chars().next() {
        let long = ["\"\"\"", "'''"].into_iter().find(|quotes| rest.starts_with(quotes));
        let length = match (first, long) {
            (_, Some(quotes)) => quoted(rest, quotes, first == '"', true),
            ('"', _) => quoted(rest, "\"", true, false),
            ('\'', _) => quoted(rest, "'", false, false),
            ('#', _) => rest.find('\n').unwrap_or(rest.len()),
            _ => first.len_utf8(),
        };
        match first {
            '[' => open.push((']', line)),
            '{' => open.push(('}', line)),
            ']' | '}' if open.pop().is_none_or(|(close, _)| close != first) => {
                return Err(format!("line {line} is not TOML: `{first}` closes nothing"));
            }
            _ => {}
        }
        if open.len() > DEEPEST {
            return Err(format!("line {line}: brackets lie more than {DEEPEST} deep"));
        }
        let (read, behind) = rest.split_at(length);
        line += read.matches('\n').count();
        rest = behind;
    }
    match open.pop() {
        Some((close, line)) => Err(format!("line {line} is not TOML: `{close}` is missing")),
        None => Ok(()),
    }
}

/// How long a string is, with its quotes; what is not closed ends with its line, or with the text.
fn quoted(text: &str, quotes: &str, escapes: bool, over_lines: bool) -> usize {
    let mut at = quotes.len();
    while let Some(rest) = text.get(at..) {
        if rest.starts_with(quotes) {
            return at + quotes.len();
        }
        let mut chars = rest.chars();
        match chars.next() {
            None => break,
            Some('\n') if !over_lines => return at,
            Some('\\') if escapes && over_lines => at += 1 + chars.next().map_or(0, char::len_utf8),
            // An escape ends with its line as the string does.
            Some('\\') if escapes => {
                at += 1 + chars.next().filter(|next| *next != '\n').map_or(0, char::len_utf8);
            }
            Some(other) => at += other.len_utf8(),
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn brackets_match_and_do_not_lie_deep() {
        for good in [
            "",
            "[a]\nb = { c = [1, [2]] }",
            "[[a]]\nb = \"{{{\"\nc = '[[['\n# }}}",
            "a = \"\"\"{\n\\\"\"\" {\"\"\"\nb = '''[\n['''",
            "a = \"not closed {\nb = 1",
            "a = \"\\\"{\"",
        ] {
            assert_eq!(check(good), Ok(()), "{good}");
        }
        for (bad, why) in [
            ("a = {\nb = 1", "line 1 is not TOML: `}` is missing"),
            ("\n[a\n[b]", "line 2 is not TOML: `]` is missing"),
            ("a = {\n]", "line 2 is not TOML: `]` closes nothing"),
            ("}", "line 1 is not TOML: `}` closes nothing"),
            ("a = \"\\\n{", "line 2 is not TOML: `}` is missing"),
        ] {
            assert_eq!(check(bad), Err(why.to_owned()), "{bad}");
        }
        let deep = |levels| format!("a = {}{}", "[".repeat(levels), "]".repeat(levels));
        assert_eq!(check(&deep(DEEPEST)), Ok(()));
        assert_eq!(check(&deep(60_000)), Err("line 1: brackets lie more than 16 deep".to_owned()));
    }
}
