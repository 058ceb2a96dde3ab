//! Checks the output of verbs and the answers to requests in one line each.

use std::process::{Command, Output, Stdio};
use std::time::Instant;

use serde_json::Value;

use super::{LEAFID, LIMIT, output, run};

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

/// Runs commands on a store, one a line. After ` => ` follows the expected output, after ` =1 ` or ` =2 `
/// the expected message and exit code of a failure: parts, joined by ` & `, with `!` before a part that must
/// be absent. After ` == ` follows the whole output. A word with spaces is quoted with `'`.
#[track_caller]
pub fn play(store: &str, script: &str) {
    let lines = script.lines().map(str::trim);
    for line in lines.filter(|line| !line.is_empty() && !line.starts_with("# ")) {
        let marks = [" => ", " == ", " =1 ", " =2 "];
        let at = marks.iter().filter_map(|mark| line.find(mark)).min();
        let (words, rest) = line.split_at(at.unwrap_or_else(|| panic!("what does it say? {line}")));
        let quoted = words.split('\'').enumerate().flat_map(|(n, part)| match n % 2 {
            0 => part.split_whitespace().collect(),
            _ => vec![part],
        });
        let args: Vec<&str> = quoted.collect();
        let (mark, expected) = rest.split_at(4);
        let said = match mark {
            " =1 " => fails(store, &args, 1),
            " =2 " => fails(store, &args, 2),
            _ => says(store, &args),
        };
        if mark == " == " {
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

#[track_caller]
pub fn has(said: &str, parts: &[&str]) {
    for part in parts {
        assert!(said.contains(part), "no `{part}` in {said}");
    }
}
