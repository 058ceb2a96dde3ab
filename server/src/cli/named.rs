//! Stores as a person names them: what is a file, what is not, and how a name is shown again.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use leafid_core::Code;
use leafid_store::backends::opening::Options;
use leafid_store::clock::SystemClock;
use leafid_store::json::shown;
use leafid_store::opening::open_sqlite;
use leafid_store::problem::Problem;
use leafid_store::registry::Registry;

/// The store of verbs that open a file, where none is named.
pub const DEFAULT_FILE: &str = "sqlite:./leafid.db";
/// What names the store of every verb that is not told: a file, or a running server.
pub const VARIABLE: &str = "LEAFID_STORE";

/// Opens the store in a file.
pub fn open(file: &Path, options: Options) -> Result<Registry, Problem> {
    open_sqlite(file, Arc::new(SystemClock), options)
}

/// What the variable says; an empty one says nothing.
pub fn variable() -> Option<String> {
    std::env::var(VARIABLE).ok().filter(|named| !named.is_empty())
}

/// A name as it may be repeated: whatever may be a password is not, up to the last `@`, since one in
/// a password that was not escaped is a part of it. An address's query may have one as well.
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

/// What an option or the variable gave, or the usual file where the variable is there and empty.
pub fn or_usual(named: &str) -> &str {
    let unset = named.is_empty() && std::env::var(VARIABLE).is_ok_and(|value| value.is_empty());
    if unset { DEFAULT_FILE } else { named }
}

/// The file for a verb that needs one; `way` is the command line that names it.
///
/// # Errors
/// `REQUEST_INVALID` for another kind of store.
pub fn file(named: &str, way: &str) -> Result<PathBuf, Problem> {
    if !named.starts_with("http://") && !named.starts_with("https://") {
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

/// The file that a store's name means: `sqlite:PATH`, or a bare path.
///
/// # Errors
/// `REQUEST_INVALID` for another kind of store, and for what was meant as an address.
pub fn path(named: &str) -> Result<PathBuf, Problem> {
    if let Some(path) = named.strip_prefix("sqlite:") {
        return sqlite(named, path);
    }
    if named.starts_with('~') {
        return sqlite(named, named);
    }
    if named == "memory:" {
        return Err(invalid(
            "`memory:` is a store inside a program, for the Python and Node packages; for the \
             command line and a server use `sqlite:PATH`",
        ));
    }
    if let Some(server) = server(named) {
        return Err(invalid(format!(
            "`{}` is not a store: did you mean http://{server}? for a file use `sqlite:PATH`",
            masked(named)
        )));
    }
    if is_path(named) {
        return Ok(PathBuf::from(named));
    }
    Err(invalid(format!(
        "unsupported store `{}`: use `sqlite:PATH`, a plain path, `postgres://…`, `mysql://…`, \
         `etcd://…` or `zk://…`, or, where a verb can ask a server, `http://HOST:PORT`",
        masked(named)
    )))
}

/// What follows `sqlite:`.
fn sqlite(named: &str, path: &str) -> Result<PathBuf, Problem> {
    let wrong = |why: &str| Err(invalid(format!("unsupported store `{}`: {why}", masked(named))));
    match path {
        "" => wrong("use `sqlite:PATH`, as in sqlite:leafid.db"),
        _ if path.starts_with("//") => wrong(
            "use `sqlite:PATH`, as in sqlite:leafid.db or sqlite:/var/lib/leafid.db, without `//`",
        ),
        _ if path.starts_with(':') => {
            wrong("the server keeps its store in a file; use `sqlite:PATH`, as in sqlite:leafid.db")
        }
        _ if path.contains('?') => {
            wrong("a path has no parameters; use `sqlite:PATH`, without `?`")
        }
        _ if path == "~" || path.starts_with("~/") => wrong(
            "`~` is not expanded here; write the folder out, as in \
             sqlite:$HOME/leafid.db",
        ),
        _ => Ok(PathBuf::from(path)),
    }
}

/// A host and a port without a scheme.
fn server(named: &str) -> Option<&str> {
    let named = named.strip_suffix('/').unwrap_or(named);
    let (host, port) = named.rsplit_once(':')?;
    let is_host =
        host.len() > 1 && !host.contains(|c: char| c.is_whitespace() || "/\\@".contains(c));
    (is_host && port.parse::<u16>().is_ok()).then_some(named)
}

/// Whether it cannot have been meant as an address.
fn is_path(named: &str) -> bool {
    let is_word = |text: &str| {
        let mut bytes = text.bytes();
        !text.is_empty() && bytes.all(|byte| byte.is_ascii_alphanumeric() || b"+.-".contains(&byte))
    };
    // One letter before a colon is a drive.
    let scheme = named.split_once(':').filter(|(scheme, _)| scheme.len() > 1);
    let has_scheme =
        scheme.is_some_and(|(scheme, _)| scheme.bytes().all(|byte| byte.is_ascii_alphanumeric()));
    let before =
        named.split_once("//").map(|(before, _)| before.strip_suffix(':').unwrap_or(before));
    let has_user = named.rsplit_once('@').is_some_and(|(user, _)| user.contains(':'));
    let blank = named.trim() != named;
    !(named.is_empty() || blank || has_scheme || has_user || before.is_some_and(is_word))
}

fn invalid(detail: impl Into<String>) -> Problem {
    Problem::new(Code::RequestInvalid, detail)
}

#[cfg(test)]
mod tests {
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
        for (strange, says) in [
            ("", "sqlite:PATH"),
            ("sqlite:", "sqlite:PATH"),
            ("sqlite::memory:", "in a file"),
            ("sqlite://leafid2.db", "sqlite:/var/lib/leafid.db"),
            ("sqlite:///var/lib/a.db", "without `//`"),
            ("sqlite:a.db?mode=ro", "no parameters"),
            ("sqlite:~/a.db", "$HOME"),
            ("~/a.db", "$HOME"),
            ("redis://x", "`redis://x`"),
            ("memory:", "Python and Node"),
            ("http://h:1", "http://HOST:PORT"),
            ("127.0.0.1:8750", "did you mean http://127.0.0.1:8750?"),
            ("localhost:8750", "did you mean http://localhost:8750?"),
            ("[::1]:8750/", "did you mean http://[::1]:8750?"),
            ("postgres//h/d", "postgres://…"),
            (" a.db", "sqlite:PATH"),
        ] {
            let problem = path(strange).unwrap_err();
            assert_eq!(problem.code, Code::RequestInvalid, "{strange}");
            assert!(problem.detail.contains(says), "{strange}: {problem}");
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
