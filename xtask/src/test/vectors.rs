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

const FLOOR: usize = 12;

/// Whether a language replays a file. The component has no store, but the decisions of one; Rust has those
/// as the core's functions, which its stores call.
fn has(language: &str, file: &str) -> bool {
    !matches!((language, file), ("component", "registry") | ("rust", "rows"))
}

/// The number of replayed scripts per file.
type Counts = BTreeMap<String, usize>;

/// Replays all files in all languages; the counts must be the same.
pub fn compare() -> Outcome<Report> {
    let folder = project::at("tests/vectors");
    let names = names(&folder)?;
    consumers::node_with_suites()?;
    let mut wrong = Vec::new();
    let mut table: BTreeMap<&str, Counts> = BTreeMap::new();
    for (language, replay) in REPLAYS {
        let said = replay(&folder).and_then(Run::tee);
        let counted = said.and_then(|said| match said.success {
            true => counts(language, &said.stdout),
            false => Err("red".to_owned()),
        });
        let counted = counted.unwrap_or_else(|error| {
            wrong.push(format!("{language}: {error}"));
            Counts::new()
        });
        table.insert(language, counted);
    }
    for name in &names {
        let count = |counts: &Counts| counts.get(name).copied().unwrap_or(0);
        let row = table.iter().filter(|(language, _)| has(language, name));
        let row: Vec<_> = row.map(|(language, counts)| (*language, count(counts))).collect();
        let shown: Vec<_> =
            row.iter().map(|(language, count)| format!("{language} {count}")).collect();
        log::line(&format!("  {name:12} {}", shown.join("  ")));
        wrong.extend(complaint(name, &row));
    }
    let known = |name: &&String| !names.contains(name);
    for (language, counts) in &table {
        wrong.extend(counts.keys().find(known).map(|name| format!("{language} replayed `{name}`")));
    }
    if !wrong.is_empty() {
        return Err(wrong.join("\n"));
    }
    let total: usize = table["python"].values().sum();
    let (files, languages) = (names.len(), table.len());
    Ok(format!("{total} scripts in {files} files, the same in {languages} languages").into())
}

/// Changes one expected value per file: every language must fail for that file.
pub fn self_test() -> Outcome<Report> {
    let names = names(&project::at("tests/vectors"))?;
    consumers::node_with_suites()?;
    let copy = project::target().join("changed-vectors");
    let mut blind = Vec::new();
    for name in &names {
        files::remove(&copy)?;
        files::copy_dir(&project::at("tests/vectors"), &copy)?;
        let path = all(&copy).into_iter().find(|path| stem(path) == *name).unwrap_or_default();
        let (changed, what) = one_expected_value(&files::read(&path)?)?;
        files::write(&path, changed)?;
        for (language, replay) in REPLAYS.iter().filter(|(language, _)| has(language, name)) {
            let said = match replay(&copy).and_then(|run| run.quiet().listen()) {
                Ok(said) => said,
                Err(error) => {
                    blind.push(format!("{language}, {name}: {error}"));
                    continue;
                }
            };
            let counts = counts(language, &said.stdout)?;
            let noticed = !said.success && !counts.contains_key(name);
            // It must be the only reason: all other files were replayed as before.
            let is_lost = |other: &&String| {
                *other != name && has(language, other) && !counts.contains_key(*other)
            };
            let lost: Vec<_> = names.iter().filter(is_lost).collect();
            let verdict = match (noticed, lost.as_slice()) {
                (true, []) => "red, as it must be".to_owned(),
                (true, lost) => format!("red, but without {lost:?}"),
                (false, _) => "GREEN".to_owned(),
            };
            log::line(&format!("  {name}: {what}: {language} is {verdict}"));
            if !noticed || !lost.is_empty() {
                blind.push(format!("{language}, {name}: {verdict}"));
            }
        }
    }
    if !blind.is_empty() {
        return Err(format!("a changed value must turn its file red:\n{}", blind.join("\n")));
    }
    Ok(format!("{} files turned red in {} languages", names.len(), REPLAYS.len()).into())
}

fn names(folder: &Path) -> Outcome<Vec<String>> {
    let names: Vec<_> = all(folder).iter().map(|path| stem(path)).collect();
    if names.is_empty() { Err("no `*.json` in `tests/vectors`".to_owned()) } else { Ok(names) }
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

fn complaint(name: &str, row: &[(&str, usize)]) -> Option<String> {
    let first = row.first().map_or(0, |(_, count)| *count);
    if row.iter().any(|(_, count)| *count != first) {
        return Some(format!("`{name}` was not replayed alike: {row:?}"));
    }
    (first < FLOOR).then(|| format!("`{name}` has {first} scripts, fewer than {FLOOR}"))
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
