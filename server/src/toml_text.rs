//! Reads texts in TOML. The parser has a limit of its own, which counts wrong where brackets are left open:
//! thousands of those, and it overflows its stack, which ends the process.

use serde::de::DeserializeOwned;

/// More brackets than are open at one place of any file of ours, those in strings and comments included.
const MOST: usize = 100;

/// Refuses a text with more open brackets of one kind, with the line.
pub fn check(text: &str) -> Result<(), String> {
    for (opening, closing) in [('[', ']'), ('{', '}')] {
        let (mut open, mut line) = (0_usize, 1);
        for c in text.chars() {
            line += usize::from(c == '\n');
            open += usize::from(c == opening);
            open = open.saturating_sub(usize::from(c == closing));
            if open > MOST {
                return Err(format!("line {line}: more than {MOST} `{opening}` are open"));
            }
        }
    }
    Ok(())
}

/// Reads a text, which may have a password: the error has the line, then `what` and what is wrong, and no
/// quote, as the parser's own message has.
pub fn read<T: DeserializeOwned>(text: &str, what: &str) -> Result<T, String> {
    check(text)?;
    toml::from_str(text).map_err(|error: toml::de::Error| {
        let before = error.span().and_then(|span| text.get(..span.start));
        let line = before.map_or(1, |before| before.matches('\n').count() + 1);
        format!("line {line}: {what}{}", error.message())
    })
}
