//! `leafid` beside `python -m leafid`: both are asked the same lists, which lie in `tests/commands`; the
//! other half is `bindings-py/tests/test_commands.py`.

use std::process::{Command, Output};

use serde_json::Value;

use crate::support::{Home, LEAFID, output};

const GUESSES: &str = include_str!("../../../tests/commands/guesses.json");
const TAGS: &str = include_str!("../../../tests/commands/tags.json");

fn cases(list: &str) -> impl Iterator<Item = Value> {
    let list: Value = serde_json::from_str(list).unwrap();
    list["cases"].as_array().unwrap().clone().into_iter()
}

fn run(case: &Value, store: Option<&str>) -> Output {
    let words = case["words"].as_array().unwrap().iter().map(|word| word.as_str().unwrap());
    let mut command = Command::new(LEAFID);
    command.args(words).env_remove("LEAFID_STORE");
    if let Some(store) = store {
        command.env("LEAFID_STORE", store);
    }
    output(&mut command)
}

#[test]
fn newcomers_are_told_what_they_meant() {
    for case in cases(GUESSES) {
        if case["only"].as_str().is_some_and(|only| only != "leafid") {
            continue;
        }
        let output = run(&case, None);
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{case}: {said}");
        let tips: Vec<&str> =
            said.lines().filter_map(|line| Some(line.split_once("tip: leafid ")?.1)).collect();
        let meant: Vec<&str> =
            case["meant"].as_str().map(|meant| &meant["leafid ".len()..]).into_iter().collect();
        assert_eq!(tips, meant, "{case}: {said}");
        assert!(!said.contains("s3cret"), "{said}");
    }
}

/// In the file itself, and by a server.
#[test]
fn the_same_words_do_the_same() {
    let (home, served) = (Home::with_store(), Home::new());
    let serving = served.serve(&[]);
    for store in [&home.store, &serving.url] {
        for case in cases(TAGS) {
            let output = run(&case, Some(store));
            let exit = case["exit"].as_i64().unwrap_or(0);
            assert_eq!(output.status.code().map(i64::from), Some(exit), "{case}: {output:?}");
            let out = String::from_utf8(output.stdout).unwrap();
            match case["lines"].as_u64() {
                Some(lines) => assert_eq!(out.lines().count() as u64, lines, "{case}: {out}"),
                None => assert_eq!(out, case["out"].as_str().unwrap_or(""), "{case}"),
            }
            let said = String::from_utf8(output.stderr).unwrap();
            assert!(said.contains(case["err"].as_str().unwrap_or("")), "{case}: {said}");
        }
    }
}
