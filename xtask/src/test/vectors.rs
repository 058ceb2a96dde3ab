//! Replays the vectors in five languages, and compares the counts; proves that each language notices a
//! wrong one.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::{component, suites};
use crate::process::{Run, log};
use crate::report::Report;
use crate::{Outcome, consumers, files, project};

/// Replays the vectors in a folder in one language.
type Replay = fn(vectors: &Path) -> Outcome<Run>;

/// The five languages, named as in their `vectors:` lines.
const REPLAYS: &[(&str, Replay)] = &[
    ("rust", suites::replay_rust),
    ("python", suites::replay_python),
    ("node", |vectors| suites::replay_script("node", vectors)),
    ("wasm", |vectors| suites::replay_script("workerd", vectors)),
    ("component", component::replay),
];

/// The number of scripts per file.
type Counts = BTreeMap<String, usize>;

/// The files that a language replays. The component has no store, but the decisions of one; Rust has those
/// as the core's functions, which its stores call, and Python's generators are the core's own.
fn of(language: &str, scripts: &Counts) -> Counts {
    let mut own = scripts.clone();
    own.retain(|file, _| {
        !matches!(
            (language, file.as_str()),
            ("component", "registry")
                | ("rust", "rows")
                | ("python", "segments" | "windows" | "clocks" | "errors")
        )
    });
    own
}

/// Replays all files in all languages; the counts must be those of the files.
pub fn compare() -> Outcome<Report> {
    let folder = project::at("tests/vectors");
    let scripts = scripts(&folder)?;
    consumers::node_with_suites()?;
    let mut wrong = Vec::new();
    for (language, replay) in REPLAYS {
        let own = of(language, &scripts);
        let said = replay(&folder)?.tee()?;
        let counts = counts(language, &said.stdout)?;
        log::line(&format!("  {language}: {counts:?}"));
        if !said.success || counts != own {
            wrong.push(format!("{language} replayed {counts:?} of {own:?}"));
        }
    }
    if !wrong.is_empty() {
        return Err(wrong.join("\n"));
    }
    let (total, files) = (scripts.values().sum::<usize>(), scripts.len());
    Ok(format!("{total} scripts in {files} files, in {} languages", REPLAYS.len()).into())
}

/// Changes one expected value per file: every language must fail for that file, and for no other.
pub fn self_test() -> Outcome<Report> {
    let scripts = scripts(&project::at("tests/vectors"))?;
    consumers::node_with_suites()?;
    let copy = project::target().join("changed-vectors");
    let mut blind = Vec::new();
    for name in scripts.keys() {
        files::remove(&copy)?;
        files::copy_dir(&project::at("tests/vectors"), &copy)?;
        let path = all(&copy).into_iter().find(|path| stem(path) == *name).unwrap_or_default();
        let (changed, what) = one_expected_value(&files::read(&path)?)?;
        files::write(&path, changed)?;
        for (language, replay) in REPLAYS {
            let mut others = of(language, &scripts);
            if others.remove(name).is_none() {
                continue;
            }
            let said = replay(&copy)?.quiet().listen()?;
            let counts = counts(language, &said.stdout)?;
            let fine = !said.success && counts == others;
            let verdict = if fine { "red, as it must be" } else { "WRONG" };
            log::line(&format!("  {name}: {what}: {language} is {verdict}"));
            if !fine {
                blind.push(format!("{language}, {name}: {counts:?}"));
            }
        }
    }
    if !blind.is_empty() {
        return Err(format!("a changed value must turn its file red:\n{}", blind.join("\n")));
    }
    Ok(format!("{} files turned red in {} languages", scripts.len(), REPLAYS.len()).into())
}

fn scripts(folder: &Path) -> Outcome<Counts> {
    let count = |path: &PathBuf| {
        let file: Value =
            serde_json::from_str(&files::read(path)?).map_err(|error| error.to_string())?;
        Ok((stem(path), file["scripts"].as_array().map_or(0, Vec::len)))
    };
    all(folder).iter().map(count).collect()
}

fn all(folder: &Path) -> Vec<PathBuf> {
    let mut found = files::ending(folder, ".json");
    found.extend(files::ending(&folder.join("partial"), ".json"));
    found
}

fn stem(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

/// Reads the lines `vectors: <language> <file> <count>`, wherever on a line they begin.
fn counts(language: &str, stdout: &str) -> Outcome<Counts> {
    let mut counts = Counts::new();
    for line in stdout.lines() {
        let Some((_, told)) = line.split_once("vectors: ") else { continue };
        let [who, file, count] = told.split_whitespace().collect::<Vec<_>>()[..] else { continue };
        let Ok(count) = count.parse() else { continue };
        if who != language {
            return Err(format!("{language} calls itself `{who}` in `{}`", line.trim()));
        }
        counts.insert(file.trim_end_matches(".json").to_owned(), count);
    }
    Ok(counts)
}

/// Changes the last `gives` of a file to another value of the same kind; returns the new text and the
/// change.
fn one_expected_value(text: &str) -> Outcome<(String, String)> {
    let mut parsed: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let leaf = last_expected(&mut parsed, false).ok_or("no `gives` in this vectors file")?;
    let before = leaf.to_string();
    change(leaf);
    let what = format!("{before} → {leaf}");
    Ok((parsed.to_string(), what))
}

/// Finds the last scalar below a `gives`. A text that begins with `$` stands for any value, so changing it
/// would still be right.
fn last_expected(value: &mut Value, is_expected: bool) -> Option<&mut Value> {
    match value {
        Value::Array(items) => {
            items.iter_mut().rev().find_map(|item| last_expected(item, is_expected))
        }
        Value::Object(map) => {
            let mut fields: Vec<_> = map.iter_mut().collect();
            fields.reverse();
            let below =
                |(name, item): (&String, _)| last_expected(item, is_expected || name == "gives");
            fields.into_iter().find_map(below)
        }
        Value::String(text) if text.starts_with('$') => None,
        leaf => is_expected.then_some(leaf),
    }
}

fn change(leaf: &mut Value) {
    *leaf = match leaf.take() {
        Value::String(text) => Value::String(another(&text)),
        Value::Bool(yes) => Value::Bool(!yes),
        Value::Number(number) => Value::from(number.as_u64().map_or(0, |number| number ^ 1)),
        _ => Value::from("1"),
    };
}

// Numbers stay numbers and words words, so that the comparison itself must notice.
fn another(text: &str) -> String {
    if let Ok(number) = text.parse::<u64>() {
        return (number ^ 1).to_string();
    }
    let last = if text.ends_with('A') { 'B' } else { 'A' };
    let kept = text.char_indices().next_back().map_or("", |(at, _)| &text[..at]);
    format!("{kept}{last}")
}
