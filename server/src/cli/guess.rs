//! What somebody meant whose words are none of the command's. `python -m leafid` has the same rules in
//! `_command/guess.py`, and both are asked the same: `tests/commands/guesses.json`.

use super::named::masked;

const STORES: &[&str] = &["--db", "--database", "--url", "--file", "--path"];
const HOSTS: &[&str] = &["--host", "--bind", "--address", "--addr"];
const COUNTS: &[&str] = &["-c", "--number", "--num", "--amount"];

/// The words that were meant, without the program's name; `None` where these tell nothing else.
pub fn meant(words: &[String]) -> Option<Vec<String>> {
    let (first, rest) = words.split_first()?;
    let mut verb: Vec<String> = verb(first).into_iter().map(str::to_owned).collect();
    let mut rest = rest;
    if verb == ["tag"]
        && let Some((own, more)) = rest.split_first()
    {
        verb.push(of_tag(own).to_owned());
        rest = more;
    }
    let apart = |word: &String| match word.split_once('=') {
        Some((option, value)) if option.starts_with("--") => {
            vec![option.to_owned(), value.to_owned()]
        }
        _ => vec![word.clone()],
    };
    let pairs: Vec<String> = rest.iter().flat_map(apart).collect();
    let guessed = match verb.first().map(String::as_str) {
        Some("serve" | "init") => serve(&pairs),
        Some("next") => next(pairs),
        Some("snowflake") => {
            verb = vec!["next".to_owned(), "--namespace".to_owned()];
            if pairs.is_empty() { vec!["default".to_owned()] } else { pairs }
        }
        _ => pairs,
    };
    verb.extend(guessed);
    (verb != words).then_some(verb)
}

/// A command as it is typed, without passwords.
pub fn typed(words: &[String]) -> String {
    let quoted = |word: &String| {
        let word = masked(word);
        let is_plain = |c: char| c.is_alphanumeric() || "_@%+=:,./-…*".contains(c);
        if !word.is_empty() && word.chars().all(is_plain) { word } else { format!("'{word}'") }
    };
    let words: Vec<String> = words.iter().map(quoted).collect();
    format!("leafid {}", words.join(" "))
}

/// What other programs call a verb.
fn verb(word: &str) -> Vec<&str> {
    match word {
        "start" | "run" | "server" | "up" | "listen" => vec!["serve"],
        "id" | "ids" | "gen" | "generate" | "get" => vec!["next"],
        "create" | "new" | "add" => vec!["tag", "create"],
        "tags" | "list" | "ls" => vec!["tag", "list"],
        "delete" | "rm" | "remove" => vec!["tag", "delete"],
        "namespaces" => vec!["namespace", "list"],
        "workers" => vec!["worker", "list"],
        other => vec![other],
    }
}

fn of_tag(word: &str) -> &str {
    match word {
        "add" | "new" | "make" => "create",
        "ls" | "all" | "show" => "list",
        "rm" | "remove" | "drop" => "delete",
        "update" | "change" | "alter" => "set",
        other => other,
    }
}

fn serve(words: &[String]) -> Vec<String> {
    let (mut host, mut port, mut others) = (None, None, Vec::new());
    let mut before: Option<&str> = None;
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        match word.as_str() {
            "--port" | "-p" => port = rest.next(),
            word if HOSTS.contains(&word) => host = rest.next(),
            word if STORES.contains(&word) => {
                others.push("--store".to_owned());
                others.extend(rest.next().cloned());
            }
            named if is_store(named) && !before.is_some_and(|word| word.starts_with("--")) => {
                others.extend(["--store".to_owned(), named.to_owned()]);
            }
            _ => others.push(word.clone()),
        }
        before = Some(word);
    }
    if host.is_some() || port.is_some() {
        let listen = match (host, port) {
            (Some(host), None) if host.contains(':') => host.clone(),
            (host, port) => {
                let host = host.map_or("127.0.0.1", String::as_str);
                format!("{host}:{}", port.map_or("8750", String::as_str))
            }
        };
        others.extend(["--listen".to_owned(), listen]);
    }
    others
}

fn is_store(word: &str) -> bool {
    let ends = [".db", ".sqlite"].iter().any(|end| word.ends_with(end));
    !word.starts_with('-') && (word.contains([':', '/']) || ends)
}

fn next(mut words: Vec<String>) -> Vec<String> {
    for word in &mut words {
        if COUNTS.contains(&word.as_str()) {
            "--count".clone_into(word);
        }
    }
    if let [_, count] = words.as_slice()
        && count.bytes().all(|byte| byte.is_ascii_digit())
    {
        words.insert(1, "--count".to_owned());
    }
    words
}
