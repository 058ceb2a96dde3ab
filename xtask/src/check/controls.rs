//! `cargo xtask check --self-test`: each proof of `check` is given something that it must refuse.
//! A control that passes is a proof that proves nothing.

use std::path::{Path, PathBuf};

use super::{
    Proof, arrows, circles, component, folders, imports, locks, networks, npm_sizes, prerequisites,
    purity, sizes, versions,
};
use crate::build::{self, node, npm};
use crate::process::Run;
use crate::release::needs;
use crate::{Outcome, files, project};

/// The controls; each gives back what the proof said.
pub const LIST: &[(&str, Proof)] = &[
    ("fmt", fmt),
    ("clippy-clock", clock),
    ("clippy-sleep", sleep),
    ("clippy-unwrap", unwrap),
    ("arrows", arrow),
    ("script-arrows", script_arrow),
    ("folder-arrows", folder_arrow),
    ("circles", circle),
    ("locks", lock),
    ("networks", network),
    ("sizes", size),
    ("versions", version),
    ("prerequisites", lost_row),
    ("engine-types", engine_types),
    ("debug-build", debug_build),
    ("npm-sizes", large_wasm),
    ("component-imports", component_import),
    ("component-size", large_component),
    ("component-wit", other_wit),
    ("no-dependencies", dependency),
    ("bare-targets-std", std_in_core),
    ("bare-targets-atomics", atomics),
    ("no-panic", panic),
    ("no-panic-complete", forgotten),
    ("no-import", import),
    ("no-allocation", allocation),
];

fn fmt() -> Outcome<String> {
    let file = project::target().join("controls/unformatted.rs");
    files::write(&file, "fn  main( ) { }\n")?;
    red(Run::new("rustfmt").args(["--check", "--edition", "2024"]).arg(&file), "Diff in")
}

fn clock() -> Outcome<String> {
    clippy(
        "extern crate std;\n/// A control.\npub fn control() -> std::time::Instant { std::time::Instant::now() }",
        "disallowed",
    )
}

fn sleep() -> Outcome<String> {
    clippy(
        "extern crate std;\n/// A control.\npub fn control() { std::thread::sleep(std::time::Duration::ZERO) }",
        "disallowed",
    )
}

fn unwrap() -> Outcome<String> {
    clippy("/// A control.\npub fn control(number: Option<u8>) -> u8 { number.unwrap() }", "unwrap")
}

fn arrow() -> Outcome<String> {
    let mut metadata = arrows::metadata()?;
    let packages = metadata["packages"].as_array_mut().into_iter().flatten();
    for package in packages.filter(|package| package["name"] == "leafid-core") {
        if let Some(dependencies) = package["dependencies"].as_array_mut() {
            dependencies.push(serde_json::json!({ "name": "leafid-server", "kind": "dev" }));
        }
    }
    refused(arrows::wrong_edges(&metadata).pop())
}

fn script_arrow() -> Outcome<String> {
    refused(imports::complaint(Path::new("face/segment.ts"), "../engines/native.js"))?;
    refused(imports::complaint(Path::new("index.ts"), "./wasm/engine-inlined.js"))
}

fn folder_arrow() -> Outcome<String> {
    let client = Path::new("client/driver/waiting.rs");
    refused(folders::complaints(client, "use crate::values::errors;").pop())?;
    refused(folders::complaints(client, "use pyo3::prelude::*;").pop())
}

/// One import more in each language.
fn circle() -> Outcome<String> {
    let more = [
        ("server/src/registry/namespace_rows.rs", "use super::rows::TurnRows;\n"),
        ("bindings-py/python/leafid/_sql/database/mysql.py", "from .link import Link\n"),
        ("bindings-js/src/driver/handle.ts", "import type { Driver } from './driver.js'\n"),
    ];
    let mut said = Vec::new();
    for (file, line) in more {
        let mut sources = circles::sources()?;
        let text = sources.get_mut(Path::new(file)).ok_or_else(|| format!("no `{file}`"))?;
        text.insert_str(0, line);
        let found = circles::circles(&circles::edges(&sources));
        let circle = found.iter().find(|circle| circle.contains(&PathBuf::from(file)));
        said.push(refused(circle.map(|circle| format!("{} files around `{file}`", circle.len())))?);
    }
    Ok(said.join("; "))
}

fn lock() -> Outcome<String> {
    let npm = "\"resolved\": \"https://npm.example.com/typescript.tgz\"";
    refused(locks::complaint("", npm))?;
    refused(locks::complaint("source = \"registry+https://crates.example.com/index\"", ""))
}

fn network() -> Outcome<String> {
    let table = |rows: &[&str]| rows.iter().map(|row| (*row).to_owned()).collect();
    refused(networks::differs(
        "place.ts",
        table(&["0x6969 NFS"]),
        table(&["0x6969 NFS", "0x517b SMB"]),
    ))
}

fn size() -> Outcome<String> {
    refused(sizes::too_long(Path::new("core/src/long.rs"), 451))
}

fn version() -> Outcome<String> {
    let chart = "version: 0.1.0\nappVersion: 0.2.0\n";
    refused(versions::other_line("Chart.yaml", chart, "version: ", "0.2.0"))?;
    refused(versions::other_heading("# Changes\n\n## Unreleased\n\n## 0.1.0\n", "0.2.0"))
}

fn lost_row() -> Outcome<String> {
    refused(prerequisites::missing("| git | `sudo apt-get install git` |"))
}

/// An engine whose functions are not those that the TypeScript calls, in a copy.
fn engine_types() -> Outcome<String> {
    let copy = project::target().join("controls/bindings-js");
    files::remove_dir(&copy)?;
    for name in ["src", "package.json", "tsconfig.json"] {
        let from = project::at("bindings-js").join(name);
        if from.is_dir() {
            files::copy_dir(&from, &copy.join(name))?;
        } else {
            files::install(&from, &copy.join(name))?;
        }
    }
    build::need(&["node"])?;
    let types = files::read(&node::types())?;
    let changed = types.replace("most(handle: number): number", "most(handle: number): bigint");
    if changed == types {
        return Err("there is no `most` to change".to_owned());
    }
    files::write(&copy.join("src/native/leafid.d.ts"), changed)?;
    npm::inlined_types(&copy)?;
    let compiler = npm::compiler(&copy).arg("--noEmit");
    red(compiler, "The types returned by 'most(...)' are incompatible")
}

// This program itself: cargo's alias builds it with debug assertions.
fn debug_build() -> Outcome<String> {
    let this =
        std::env::current_exe().map_err(|error| format!("which program is this? {error}"))?;
    refused(needs::debug_build(&this)?)
}

// What the engine had when one file did everything.
fn large_wasm() -> Outcome<String> {
    refused(npm_sizes::too_large("engine", 52_400))
}

fn component_import() -> Outcome<String> {
    refused(component::with_one_import_more()?)
}

fn large_component() -> Outcome<String> {
    refused(component::LEAFID.too_large(161_172))
}

fn other_wit() -> Outcome<String> {
    refused(component::with_another_tree()?)
}

fn dependency() -> Outcome<String> {
    refused(purity::extra_dependency("leafid-core v0.1.0 (/a/core)\nlibm v0.2.11\n"))
}

fn std_in_core() -> Outcome<String> {
    bare("extern crate std;\n", "wasm32v1-none", "std")
}

fn atomics() -> Outcome<String> {
    let code = "/// A control.\npub type Control = core::sync::atomic::AtomicU64;\n";
    bare(code, "thumbv7em-none-eabi", "AtomicU64")
}

fn panic() -> Outcome<String> {
    let (asked, _) = purity::linked(Some("control-panic"))?;
    refused((!asked.is_empty()).then(|| format!("imports {}", asked.join(", "))))
}

fn forgotten() -> Outcome<String> {
    let core = "    pub fn next(&mut self) -> u64 {\n    pub const fn skipped<T>(of: T) {";
    refused(purity::unproved(core, "ids.next(*now)").pop())
}

fn import() -> Outcome<String> {
    let (asked, _) = purity::linked(Some("control-import"))?;
    refused((!asked.is_empty()).then(|| format!("imports {}", asked.join(", "))))
}

fn allocation() -> Outcome<String> {
    red(purity::counted(Some("control-alloc")), "allocation")
}

/// Clippy on the core with something more in it, in a copy that has the core's own settings.
fn clippy(code: &str, word: &str) -> Outcome<String> {
    let run = in_copy(&["clippy", "--quiet", "--lib", "-p", "leafid-core"], code)?;
    red(run.args(["--", "-D", "warnings"]), word)
}

fn bare(code: &str, target: &str, word: &str) -> Outcome<String> {
    red(
        in_copy(&["check", "--quiet", "--lib", "-p", "leafid-core", "--target", target], code)?,
        word,
    )
}

/// Cargo in a copy of the workspace that holds the core alone, changed by a few lines at its end.
fn in_copy(command: &[&str], code: &str) -> Outcome<Run> {
    let copy = project::target().join("controls/workspace");
    // A file that has moved since would still stand where it was.
    files::remove_dir(&copy)?;
    let manifest = files::read(&project::at("Cargo.toml"))?;
    files::write(&copy.join("Cargo.toml"), core_alone(&manifest)?)?;
    files::write(&copy.join("Cargo.lock"), files::read(&project::at("Cargo.lock"))?)?;
    for file in files::walk(&project::at("core"))? {
        let below: PathBuf = file.strip_prefix(project::root()).unwrap_or(&file).to_owned();
        let mut content = files::bytes(&file)?;
        if below == Path::new("core/src/lib.rs") {
            content.extend_from_slice(code.as_bytes());
        }
        files::write(&copy.join(below), content)?;
    }
    Ok(Run::new("cargo")
        .args(command)
        .dir(copy)
        .env("CARGO_TARGET_DIR", project::target().join("controls/target")))
}

fn core_alone(manifest: &str) -> Outcome<String> {
    let (before, rest) = manifest.split_once("members = [").ok_or("no members in Cargo.toml")?;
    let (_, after) = rest.split_once(']').ok_or("no end of the members in Cargo.toml")?;
    Ok(format!("{before}members = [\"core\"]{after}"))
}

/// A program that must fail, and must say why.
fn red(run: Run, word: &str) -> Outcome<String> {
    let said = run.listen()?;
    let text = format!("{}{}", said.stdout, said.stderr);
    let line = text.lines().find(|line| line.contains(word));
    match (said.success, line) {
        (false, Some(line)) => Ok(format!("red: {}", line.trim())),
        (false, None) => Err(format!("red, but without a word about `{word}`:\n{text}")),
        (true, _) => Err("the control passed: the proof sees nothing".to_owned()),
    }
}

fn refused(complaint: Option<String>) -> Outcome<String> {
    match complaint {
        Some(complaint) => Ok(format!("red: {complaint}")),
        None => Err("the control passed: the proof sees nothing".to_owned()),
    }
}
