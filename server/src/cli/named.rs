//! Names of stores as a person gives them, and how they are shown again.

use std::path::PathBuf;

use leafid_store::json::shown;
use leafid_store::problem::Problem;

use super::client::is_server;
use super::invalid;

/// The default store of verbs that open a file.
pub const DEFAULT_FILE: &str = "sqlite:./leafid.db";
/// The variable with the default store of every verb: a file, or a running server.
pub const VARIABLE: &str = "LEAFID_STORE";

pub fn variable() -> Option<String> {
    std::env::var(VARIABLE).ok().filter(|named| !named.is_empty())
}

/// A name without its passwords, so that it can be shown: nothing up to the last `@`, as an unescaped one
/// may be a part of the password; nor those in an address's query.
pub fn masked(named: &str) -> String {
    let (head, tail) = match named.rsplit_once('@') {
        Some((head, tail)) => (Some(head), tail),
        None => (None, named),
    };
    let tail = match tail.split_once('?') {
        Some((before, _)) if head.is_some() || named.contains("//") => format!("{before}?…"),
        _ => tail.to_owned(),
    };
    let Some(head) = head else { return shown(&tail) };
    let from = head.find("//").map_or(0, |at| at + 2);
    let (scheme, user) = head.split_at(from);
    match user.split_once(':') {
        Some((user, _)) => shown(&format!("{scheme}{user}:***@{tail}")),
        None => shown(&format!("{scheme}{user}@{tail}")),
    }
}

/// The file for a verb that needs one; `way` is an example of the command line.
pub fn file(named: &str, way: &str) -> Result<PathBuf, Problem> {
    if !is_server(named) {
        return path(named);
    }
    let from_variable = variable().is_some_and(|variable| variable == named);
    let named = masked(named);
    let what =
        if from_variable { format!("{VARIABLE} is `{named}`,") } else { format!("`{named}` is") };
    Err(invalid(format!(
        "{what} the address of a running server, but this verb needs the store's file: {way} \
         sqlite:PATH"
    )))
}

/// The file of a store's name: `sqlite:PATH`, or a plain path.
pub fn path(named: &str) -> Result<PathBuf, Problem> {
    let is_drive = matches!(named.as_bytes(), [b'A'..=b'Z' | b'a'..=b'z', b':', b'\\' | b'/', ..]);
    let is_file = match named.strip_prefix("sqlite:") {
        Some(path) => !path.starts_with("//") && !path.starts_with(':') && !path.contains('?'),
        // A file whose name looks like a scheme or a port needs a folder before it.
        None => {
            is_drive
                || named.starts_with(['/', '.'])
                || !named.contains([':', '@']) && !named.contains("//")
        }
    };
    let path = named.strip_prefix("sqlite:").unwrap_or(named);
    if is_file && !path.is_empty() && !path.starts_with('~') && path.trim() == path {
        return Ok(PathBuf::from(path));
    }
    Err(invalid(format!(
        "unsupported store `{}`: use `sqlite:PATH`, as in sqlite:leafid.db or sqlite:/var/lib/leafid.db, \
         without `//`, `?` and `~`; a plain path; `postgres://…`, `mysql://…`, `etcd://…` or `zk://…`; or, \
         where a verb can ask a server, `http://HOST:PORT`; `memory:` is for the Python and Node packages",
        masked(named)
    )))
}

#[cfg(test)]
mod tests {
    use leafid_core::Code;

    use super::*;

    #[test]
    fn a_bare_path_is_a_file_and_another_scheme_is_not() {
        for (named, file) in [
            ("sqlite:a.db", "a.db"),
            ("sqlite:/var/lib/a.db", "/var/lib/a.db"),
            ("sqlite:./~/a.db", "./~/a.db"),
            ("a.db", "a.db"),
            ("/var//lib/a@b.db", "/var//lib/a@b.db"),
            ("./a:b.db", "./a:b.db"),
            ("./a:8", "./a:8"),
            ("C:\\a.db", "C:\\a.db"),
        ] {
            assert_eq!(path(named), Ok(PathBuf::from(file)), "{named}");
        }
        for strange in [
            "",
            "sqlite:",
            "sqlite::memory:",
            "sqlite://leafid2.db",
            "sqlite:///var/lib/a.db",
            "sqlite:a.db?mode=ro",
            "sqlite:~/a.db",
            "~/a.db",
            "redis://x",
            "memory:",
            "http://h:1",
            "127.0.0.1:8750",
            "localhost:8750",
            "[::1]:8750/",
            "postgres//h/d",
            " a.db",
        ] {
            let problem = path(strange).unwrap_err();
            assert_eq!(problem.code, Code::RequestInvalid, "{strange}");
            assert!(problem.detail.contains("sqlite:PATH"), "{strange}: {problem}");
        }
    }

    #[test]
    fn what_may_be_a_password_is_not_shown() {
        for (named, safe) in [
            ("postgres://u:secret@h", "postgres://u:***@h"),
            ("http://u:secret@h", "http://u:***@h"),
            ("postgres//u:secret@h/d", "postgres//u:***@h/d"),
            (" postgres://u:secret@h/d", " postgres://u:***@h/d"),
            ("u:secret@127.0.0.1:1/d", "u:***@127.0.0.1:1/d"),
            ("postgres://u:sec@ret@h/d", "postgres://u:***@h/d"),
            ("postgres://u:sec:/ret@h/d", "postgres://u:***@h/d"),
            ("redis:u:secret@h", "redis:***@h"),
            ("redis://u@h?password=secret", "redis://u@h?…"),
            ("redis://h?password=secret", "redis://h?…"),
            ("redis://x", "redis://x"),
            ("a?b.db", "a?b.db"),
        ] {
            assert_eq!(masked(named), safe);
            if named.contains('@') {
                let problem = path(named).unwrap_err();
                assert!(!problem.detail.contains("ret"), "{named}: {problem}");
            }
        }
    }
}
