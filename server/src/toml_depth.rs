//! How many brackets of a file in TOML are open at one place. The parser has a limit of its own, which counts
//! wrong where brackets are left open: thousands of those, and it overflows its stack, which ends the process.

/// More than any file of ours has, brackets within its strings and comments included.
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
