//! `cargo xtask check --self-test`: gives each proof of `check` a mistake that it must refuse, since a proof
//! that passes everything proves nothing.

use std::path::{Path, PathBuf};

use super::{Proof, arrows, purity, texts, weight};
use crate::process::Run;
use crate::{Outcome, files, project};

/// The controls; each returns the proof's message.
pub const LIST: &[(&str, Proof)] = &[
    ("fmt", fmt),
    ("clippy-clock", || clippy("std::time::Instant::now();", "disallowed")),
    ("clippy-sleep", || clippy("std::thread::sleep(core::time::Duration::ZERO);", "disallowed")),
    ("clippy-unwrap", || clippy("let _ = core::hint::black_box(Some(1)).unwrap();", "unwrap")),
    ("arrows", || arrow("leafid-core", "leafid-server")),
    ("arrows-outside", || arrow("leafid-core", "libm")),
    ("script-arrows", || script("face/segment.ts", "../engines/native.js", "not-in-allowed")),
    ("script-circle", || script("driver/handle.ts", "./driver.js", "no circle")),
    ("python-circle", python_circle),
    ("locks-npm", || refused(texts::foreign("  \"resolved\": \"https://npm.example.com/a.tgz\""))),
    ("locks-cargo", || refused(texts::foreign("source = \"registry+https://example.com/index\""))),
    ("sizes", || refused(texts::too_long(Path::new("core/src/long.rs"), 451))),
    ("versions", || {
        refused(texts::other_version("version: 0.2.0\nappVersion: 0.1.0", "", "0.2.0"))
    }),
    ("versions-changes", || {
        refused(texts::other_version(CHART, "## Unreleased\n## 0.1.0", "0.2.0"))
    }),
    // PyO3's default for a module.
    ("weight", || refused(weight::too_large("engine", 52_400, 30_500).err())),
    ("component-imports", || {
        let asked = ["wasi:cli/environment@0.2.0.initial-cwd".to_owned()];
        refused(weight::other_imports("leafid", &asked, &[]).err())
    }),
    ("bare-targets-std", || bare("extern crate std;\n", "wasm32v1-none", "std")),
    ("bare-targets-atomics", || bare(ATOMICS, "thumbv7em-none-eabi", "AtomicU64")),
    ("no-panic", || asks("control-panic")),
    ("no-import", || asks("control-import")),
    ("no-panic-complete", || {
        let core = "    pub fn next(&mut self) -> u64 {\n    pub const fn skipped<T>(of: T) {";
        refused(purity::unproved(core, "ids.next(*now)").pop())
    }),
    ("no-allocation", || red(purity::built(Some("control-alloc")), "global memory allocator")),
];

const CHART: &str = "version: 0.2.0\nappVersion: 0.2.0";
const ATOMICS: &str = "/// A control.\npub type Control = core::sync::atomic::AtomicU64;\n";

fn fmt() -> Outcome<String> {
    let file = project::target().join("controls/unformatted.rs");
    files::write(&file, "fn  main( ) { }\n")?;
    red(Run::new("rustfmt").args(["--check", "--edition", "2024"]).arg(&file), "Diff in")
}

fn arrow(from: &str, to: &str) -> Outcome<String> {
    let mut metadata = arrows::metadata()?;
    let packages = metadata["packages"].as_array_mut().into_iter().flatten();
    for package in packages.filter(|package| package["name"] == from) {
        package["dependencies"] = serde_json::json!([{ "name": to, "kind": null, "target": null }]);
    }
    refused(arrows::wrong_edges(&metadata).pop())
}

fn script(file: &str, import: &str, word: &str) -> Outcome<String> {
    let copy = copy_of("bindings-js", &["src"])?;
    prepend(&copy.join("src").join(file), &format!("import type {{ A }} from '{import}'\n"))?;
    red(arrows::scripts(&copy)?, word)
}

fn python_circle() -> Outcome<String> {
    let copy = copy_of("bindings-py/python", &["leafid"])?;
    let file = copy.join("leafid/_sql/database/mysql.py");
    prepend(&file, "from .link import TEXTS\n")?;
    red(arrows::python(&copy)?, "BROKEN")
}

/// Links the core's proof with a forbidden feature.
fn asks(control: &str) -> Outcome<String> {
    let (asked, _) = purity::linked(Some(control))?;
    refused((!asked.is_empty()).then(|| format!("imports {}", asked.join(", "))))
}

/// Runs clippy on the core plus one statement, in a copy with the core's own settings.
fn clippy(statement: &str, word: &str) -> Outcome<String> {
    let code = format!("extern crate std;\n/// A control.\npub fn control() {{ {statement} }}");
    let run = in_copy(&["clippy", "--quiet", "--lib", "-p", "leafid-core"], &code)?;
    red(run.args(["--", "-D", "warnings"]), word)
}

fn bare(code: &str, target: &str, word: &str) -> Outcome<String> {
    let check = ["check", "--quiet", "--lib", "-p", "leafid-core", "--target", target];
    red(in_copy(&check, code)?, word)
}

/// Runs cargo in a copy of the workspace with the core alone, and these lines at its end.
fn in_copy(command: &[&str], code: &str) -> Outcome<Run> {
    let copy = copy_of(".", &["core", "Cargo.toml", "Cargo.lock"])?;
    let manifest = files::read(&copy.join("Cargo.toml"))?;
    let (before, rest) = manifest.split_once("members = [").ok_or("no members in Cargo.toml")?;
    let (_, after) = rest.split_once(']').ok_or("no end of the members in Cargo.toml")?;
    files::write(&copy.join("Cargo.toml"), format!("{before}members = [\"core\"]{after}"))?;
    let core = copy.join("core/src/lib.rs");
    files::write(&core, files::read(&core)? + code)?;
    let target = project::target().join("controls/target");
    Ok(Run::new("cargo").args(command).dir(copy).env("CARGO_TARGET_DIR", target))
}

/// Makes a fresh copy of parts of a folder, below the target folder.
fn copy_of(folder: &str, names: &[&str]) -> Outcome<PathBuf> {
    let copy = project::target().join("controls").join(folder.replace(['.', '/'], "-"));
    files::remove(&copy)?;
    for name in names {
        let from = project::at(folder).join(name);
        let copied = if from.is_dir() { files::copy_dir } else { files::install };
        copied(&from, &copy.join(name))?;
    }
    Ok(copy)
}

fn prepend(file: &Path, line: &str) -> Outcome {
    files::write(file, line.to_owned() + &files::read(file)?).map(drop)
}

/// Runs a program that must fail with this word in its message.
fn red(run: Run, word: &str) -> Outcome<String> {
    let said = run.listen()?;
    let text = format!("{}{}", said.stdout, said.stderr);
    let line = text.lines().find(|line| line.contains(word)).map(str::trim);
    match (said.success, line) {
        (false, None) => Err(format!("red, but without a word about `{word}`:\n{text}")),
        (success, line) => refused(line.filter(|_| !success)),
    }
}

fn refused(complaint: Option<impl std::fmt::Display>) -> Outcome<String> {
    match complaint {
        Some(complaint) => Ok(format!("red: {complaint}")),
        None => Err("the control passed: the proof sees nothing".to_owned()),
    }
}
