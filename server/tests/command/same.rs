//! `leafid` and `python -m leafid` run the same commands, `tests/commands/tags.json`; Python's half is
//! `bindings-py/tests/test_commands.py`.

use std::process::{Command, Output};

use serde_json::Value;

use crate::support::{Home, LEAFID, has, output};

const TAGS: &str = include_str!("../../../tests/commands/tags.json");

fn cases() -> impl Iterator<Item = Value> {
    let list: Value = serde_json::from_str(TAGS).unwrap();
    list["cases"].as_array().unwrap().clone().into_iter()
}

fn run(case: &Value, store: &str) -> Output {
    let words = case["words"].as_array().unwrap().iter().map(|word| word.as_str().unwrap());
    output(Command::new(LEAFID).args(words).env("LEAFID_STORE", store))
}

#[test]
fn the_same_words_do_the_same() {
    let (home, served) = (Home::with_store(), Home::new());
    let serving = served.serve(&[]);
    for store in [&home.store, &serving.url] {
        for case in cases() {
            let output = run(&case, store);
            let exit = case["exit"].as_i64().unwrap_or(0);
            assert_eq!(output.status.code().map(i64::from), Some(exit), "{case}: {output:?}");
            let out = String::from_utf8(output.stdout).unwrap();
            match case["lines"].as_u64() {
                Some(lines) => assert_eq!(out.lines().count() as u64, lines, "{case}: {out}"),
                None => assert_eq!(out, case["out"].as_str().unwrap_or(""), "{case}"),
            }
            has(&String::from_utf8(output.stderr).unwrap(), &[case["err"].as_str().unwrap_or("")]);
        }
    }
}
