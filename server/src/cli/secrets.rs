//! Hides passwords in messages that repeat the command line.

use std::ffi::OsString;

use leafid_store::json::shown;

use super::named::masked;

/// The parser's message without the passwords of URLs in `given`: words, variables and values of a file,
/// which it may repeat.
pub fn without(mut text: String, given: &[String]) -> String {
    let mut hidden: Vec<(&str, String)> = given.iter().flat_map(|given| parts(given)).collect();
    // Longest first: one may be a part of another.
    hidden.sort_by_key(|(secret, _)| std::cmp::Reverse(secret.len()));
    for (secret, shown) in hidden {
        text = text.replace(secret, &shown);
    }
    text
}

/// The parts of a word that must not be shown, and what is shown instead.
fn parts(given: &str) -> Vec<(&str, String)> {
    let value = match given.split_once('=') {
        Some((option, value)) if option.starts_with('-') => value,
        _ => given,
    };
    if masked(value) == shown(value) {
        return Vec::new();
    }
    let mut parts = vec![(value, masked(value))];
    // The parser splits lists at commas, also within a password.
    let pieces = value.split(',').filter(|piece| piece.len() < value.len() && piece.contains(':'));
    parts.extend(pieces.map(|piece| {
        let safe = masked(piece);
        (piece, if safe == shown(piece) { "***".to_owned() } else { safe })
    }));
    parts
}

/// The texts that the parser may repeat: the words of the command line, and our variables.
pub fn given(words: &[OsString]) -> Vec<String> {
    let ours =
        std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("LEAFID_"));
    texts(words).into_iter().chain(ours.map(|(_, value)| value.to_string_lossy().into())).collect()
}

pub fn texts(words: &[OsString]) -> Vec<String> {
    words.iter().map(|word| word.to_string_lossy().into_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_may_be_a_password_is_replaced() {
        let hide = |text: &str, given: &str| without(text.to_owned(), &[given.to_owned()]);
        let url = "postgres://u:geheim@h/d";
        assert_eq!(hide("'postgres://u:geheim@h/d'", url), "'postgres://u:***@h/d'");
        let with_option = format!("--listen={url}");
        assert_eq!(hide("`postgres://u:geheim@h/d` no", &with_option), "`postgres://u:***@h/d` no");
        let list = "postgres://u:ge,heim@h/d";
        assert!(!hide("bad 'postgres://u:ge', then", list).contains("ge'"));
        assert_eq!(
            hide("invalid value 'sqlite:a.db'", "sqlite:a.db"),
            "invalid value 'sqlite:a.db'"
        );
        assert_eq!(hide("unexpected '--x'", "--x=1"), "unexpected '--x'");
    }
}
