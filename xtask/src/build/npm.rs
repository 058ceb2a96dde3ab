//! The main npm package: the TypeScript of three folders compiled into one, with the wasm beside it.

use std::path::{Path, PathBuf};

use super::wasm;
use crate::process::Run;
use crate::{Outcome, files, project, tools};

/// The folders whose sources become one, as `rootDirs` of tsconfig says.
const SOURCES: &[&str] = &["bindings-js/src", "bindings-node/js", "bindings-wasm/js"];

/// What stands for the version in the committed package.json.
const PLACEHOLDER: &str = "\"0.0.0\"";

/// Compiles, stages and packs.
pub fn build() -> Outcome<PathBuf> {
    let stage = stage()?;
    pack(&stage, &format!("leafid-{}.tgz", project::version()))
}

/// The package's folder as it is packed, below the target folder.
pub fn stage() -> Outcome<PathBuf> {
    let wasm = wasm::generate()?;
    let compiled = project::target().join("npm/compiled");
    files::remove_dir(&compiled)?;
    tools::npx("tsc")
        .args(["--project", "bindings-js/tsconfig.json", "--pretty", "false", "--outDir"])
        .arg(&compiled)
        .done()?;
    let stage = project::target().join("npm/stage/leafid");
    files::remove_dir(&stage)?;
    for source in SOURCES {
        let folder = compiled.join(source);
        if folder.is_dir() {
            copy_without_collision(&folder, &stage)?;
        }
    }
    for file in [&wasm.wasm, &wasm.script, &wasm.types] {
        let name = file.file_name().unwrap_or_default();
        files::install(file, &stage.join("wasm").join(name))?;
    }
    let manifest = files::read(&project::at("bindings-js/package.json"))?;
    if !manifest.contains(PLACEHOLDER) {
        return Err(format!("no version {PLACEHOLDER} in `bindings-js/package.json`"));
    }
    let stamped = manifest.replace(PLACEHOLDER, &format!("\"{}\"", project::version()));
    files::write(&stage.join("package.json"), stamped)?;
    files::install(&project::at("bindings-js/README.md"), &stage.join("README.md"))?;
    licences(&stage)?;
    entries_exist(&stage)?;
    Ok(stage)
}

/// Both licences, into a staged package.
pub fn licences(stage: &Path) -> Outcome {
    for name in ["LICENSE-APACHE", "LICENSE-MIT"] {
        files::install(&project::at(name), &stage.join(name))?;
    }
    Ok(())
}

/// Packs a staged package into `dist/` under the name that is expected.
pub fn pack(stage: &Path, name: &str) -> Outcome<PathBuf> {
    let packed = project::target().join("npm/packed").join(name);
    files::remove(&packed)?;
    files::make_dir(&project::target().join("npm/packed"))?;
    Run::new("npm")
        .args(["pack", "--ignore-scripts", "--loglevel", "error", "--pack-destination"])
        .arg(project::target().join("npm/packed"))
        .dir(stage)
        .output()?;
    let product = project::dist().join(name);
    files::install(&packed, &product)?;
    Ok(product)
}

fn copy_without_collision(from: &Path, stage: &Path) -> Outcome {
    for file in files::walk(from)? {
        let below = file.strip_prefix(from).unwrap_or(&file);
        let to = stage.join(below);
        if to.exists() {
            return Err(format!("`{}` stands in two of {}", below.display(), SOURCES.join(", ")));
        }
        files::install(&file, &to)?;
    }
    Ok(())
}

// Every file that the manifest names is in the package: npm itself packs a manifest of dead ends.
fn entries_exist(stage: &Path) -> Outcome {
    let manifest = files::read(&stage.join("package.json"))?;
    let parsed: serde_json::Value =
        serde_json::from_str(&manifest).map_err(|error| format!("package.json: {error}"))?;
    let mut missing = Vec::new();
    dead_ends(&parsed["exports"], stage, &mut missing);
    if missing.is_empty() { Ok(()) } else { Err(format!("not built: {}", missing.join(", "))) }
}

fn dead_ends(exports: &serde_json::Value, stage: &Path, missing: &mut Vec<String>) {
    match exports {
        serde_json::Value::String(path) if !stage.join(path).is_file() => {
            missing.push(path.clone());
        }
        serde_json::Value::Object(map) => {
            map.values().for_each(|value| dead_ends(value, stage, missing));
        }
        _ => {}
    }
}
