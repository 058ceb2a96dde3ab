//! Checks the output of verbs and the answers to requests in one line each.

use std::process::{Command, Output, Stdio};
use std::time::Instant;

use serde_json::Value;

use super::{LEAFID, LIMIT, REQUEST, call, output, patient, run};

/// Runs a verb and gives its output. Tries again where a busy machine connects to its database too late,
/// so that nothing was done, or a server waits that should have been refused.
pub fn leafid(store: &str, args: &[&str]) -> Output {
    let begun = Instant::now();
    loop {
        let mut command = Command::new(LEAFID);
        command.args(args).env("LEAFID_STORE", store).stdout(Stdio::piped());
        let (output, ended) = run(&mut command).expect("leafid starts");
        let late = is_late(&output.stdout) || is_late(&output.stderr);
        if !late || begun.elapsed() > 2 * LIMIT {
            assert!(ended, "{args:?} does not end: {output:?}");
            return output;
        }
    }
}

/// Whether a database or a server took too long, by its own message or by ours.
fn is_late(said: &[u8]) -> bool {
    let said = String::from_utf8_lossy(said);
    let words = [
        "no answer within",
        "max_statement_time exceeded",
        "statement timeout",
        "no ID within",
        "for which callers wait, and was not done",
    ];
    words.iter().any(|word| said.contains(word))
}

pub fn says(store: &str, args: &[&str]) -> String {
    let output = leafid(store, args);
    assert!(output.status.success(), "{args:?}: {output:?}");
    String::from_utf8(output.stdout).expect("text")
}

pub fn fails(store: &str, args: &[&str], code: i32) -> String {
    let output = leafid(store, args);
    assert_eq!(output.status.code(), Some(code), "{args:?}: {output:?}");
    String::from_utf8(output.stderr).expect("text")
}

#[track_caller]
pub fn does(command: &mut Command) -> String {
    let output = output(command);
    assert!(output.status.success(), "{command:?}: {output:?}");
    String::from_utf8(output.stdout).expect("text")
}

#[track_caller]
pub fn refused(command: &mut Command, code: i32) -> String {
    let output = output(command);
    assert_eq!(output.status.code(), Some(code), "{command:?}: {output:?}");
    String::from_utf8(output.stderr).expect("text")
}

#[track_caller]
pub fn served((status, answer): (u16, Value)) -> Value {
    assert_eq!(status, 200, "{answer}");
    answer
}

#[track_caller]
pub fn refusal((status, answer): (u16, Value), with: u16, code: &str) -> Value {
    assert_eq!((status, answer["code"].as_str()), (with, Some(code)), "{answer}");
    answer
}

/// Runs commands on a store and sends requests to a server, one a line. After ` => ` follows the expected
/// output, after ` == ` the whole of it, after ` =CODE ` a failure's exit code or status, and its expected
/// message: parts, joined by ` & `, with `!` before a part that must be absent. A command's word with spaces is
/// quoted with `'`. A request is `METHOD PATH BODY`; in its body `@` stands for the field `request`.
#[track_caller]
pub fn play(store: &str, script: &str) {
    let lines = script.lines().map(str::trim);
    for line in lines.filter(|line| !line.is_empty() && !line.starts_with("# ")) {
        let (asked, mark, expected) = parts(line);
        let said = match asked.split(' ').next() {
            Some("GET" | "PUT" | "POST" | "DELETE") => answers(store, asked, mark),
            _ => prints(store, asked, mark),
        };
        if mark == "=" {
            assert_eq!(said, expected.replace("\\n", "\n"), "{line}");
            continue;
        }
        for part in expected.split(" & ") {
            let (part, there) = match part.strip_prefix('!') {
                Some(part) => (part, false),
                None => (part, true),
            };
            assert_eq!(said.contains(part), there, "{line}\n{said}");
        }
    }
}

fn parts(line: &str) -> (&str, &str, &str) {
    let is_mark = |mark: &str| [">", "="].contains(&mark) || mark.parse::<u16>().is_ok();
    let found = line.match_indices(" =").find_map(|(at, _)| {
        let (mark, expected) = line[at + 2..].split_once(' ')?;
        is_mark(mark).then_some((&line[..at], mark, expected))
    });
    found.unwrap_or_else(|| panic!("what does it say? {line}"))
}

#[track_caller]
fn prints(store: &str, words: &str, mark: &str) -> String {
    let quoted = words.split('\'').enumerate().flat_map(|(n, part)| match n % 2 {
        0 => part.split_whitespace().collect(),
        _ => vec![part],
    });
    let args: Vec<&str> = quoted.collect();
    match mark.parse() {
        Ok(code) => fails(store, &args, code),
        Err(_) => says(store, &args),
    }
}

#[track_caller]
fn answers(url: &str, asked: &str, mark: &str) -> String {
    let [method, path, body] = {
        let mut words = asked.splitn(3, ' ');
        [(); 3].map(|()| words.next().unwrap_or("null"))
    };
    let body = body.replace('@', &format!("\"request\":\"{REQUEST}\""));
    let body: Value = serde_json::from_str(&body).expect(asked);
    let status = mark.parse().unwrap_or(200);
    let (answered, answer) = match status {
        503 => call(url, method, path, &body),
        _ => patient(url, method, path, &body),
    };
    assert_eq!(answered, status, "{asked}: {answer}");
    answer.to_string()
}

#[track_caller]
pub fn has(said: &str, parts: &[&str]) {
    for part in parts {
        assert!(said.contains(part), "no `{part}` in {said}");
    }
}
