//! The main npm package: the TypeScript of `bindings-js` compiled, its entries written, with the wasm
//! beside it.

use std::path::{Path, PathBuf};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::{common, entries, node, tarball, texts, wasm};
use crate::process::Run;
use crate::{Outcome, files, project, tools};

/// Where the compiler finds what napi says of the native engine. Git ignores it: the interfaces that it
/// must agree with stand in `engines/`, and the compiler compares.
const NATIVE_TYPES: &str = "bindings-js/src/native/leafid.d.ts";

/// What stands for the version in the sources.
const PLACEHOLDER: &str = "0.0.0";
/// What is in a module that has a wasm file as text.
const INLINED: &str = "export declare const WASM: string\n";
/// The module that tells the version.
const VERSION: &str = "engines/version.js";

/// Compiles, stages and packs, once the wasm and the native engine are built.
pub fn build() -> Outcome<PathBuf> {
    let stage = stage()?;
    tarball::pack(&stage, &format!("leafid-{}.tgz", project::version()), &project::dist())
}

/// The package's folder as it is packed, below the target folder.
pub fn stage() -> Outcome<PathBuf> {
    files::write(&project::at(NATIVE_TYPES), files::bytes(&node::types())?)?;
    inlined_types(&project::at("bindings-js"))?;
    texts::modules()?;
    let stage = project::target().join("npm/stage/leafid");
    files::remove_dir(&stage)?;
    compiler(&project::at("bindings-js")).arg("--outDir").arg(&stage).done()?;
    for name in wasm::NAMES {
        let place = stage.join("wasm").join(name);
        files::install(&wasm::of(name), &place.with_extension("wasm"))?;
        let text = STANDARD.encode(files::bytes(&wasm::of(name))?);
        let text = format!("export const WASM =\n  '{text}'\n");
        files::write(&stage.join(inlined(name, "js")), text)?;
        files::write(&stage.join(inlined(name, "d.ts")), INLINED)?;
    }
    let version = stamped(&stage.join(VERSION))?;
    files::write(&stage.join(VERSION), version)?;
    let manifest = stamped(&project::at("bindings-js/package.json"))?;
    files::write(&stage.join("package.json"), &manifest)?;
    files::install(&project::at("bindings-js/README.md"), &stage.join("README.md"))?;
    tarball::licences(&stage)?;
    let parsed =
        serde_json::from_str(&manifest).map_err(|error| format!("package.json: {error}"))?;
    entries::write(&parsed, &stage)?;
    common::write(&parsed, &stage)?;
    entries::check(&parsed, &stage)?;
    texts::for_d1(&stage)?;
    Ok(stage)
}

/// The types of the modules that have a wasm file as text, where the compiler looks for them. Git ignores
/// them.
pub fn inlined_types(sources: &Path) -> Outcome {
    for name in wasm::NAMES {
        files::write(&sources.join("src").join(inlined(name, "d.ts")), INLINED)?;
    }
    Ok(())
}

fn inlined(name: &str, kind: &str) -> String {
    format!("wasm/{name}-inlined.{kind}")
}

/// A file's text with the version in place of what stands for it.
fn stamped(file: &Path) -> Outcome<String> {
    let text = files::read(file)?;
    if text.contains(PLACEHOLDER) {
        return Ok(text.replace(PLACEHOLDER, project::version()));
    }
    Err(format!("no version `{PLACEHOLDER}` in `{}`", files::shown(file)))
}

/// The compiler, on the TypeScript of a folder or of a copy of it.
pub fn compiler(folder: &Path) -> Run {
    tools::npx("tsc")
        .args(["--pretty", "false", "--typeRoots"])
        .arg(project::at("node_modules/@types"))
        .arg("--project")
        .arg(folder)
}
