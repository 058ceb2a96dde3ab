//! What each product is made of, as CycloneDX: from Cargo's lock file, by its maintained tool.

use super::publish;
use super::targets::Target;
use crate::process::Run;
use crate::{Outcome, files, project};

const TOOL: &str = "cargo-cyclonedx@0.5.9";
/// The crates that products are built from.
const CRATES: &[&str] = &[
    "server",
    "bindings-py",
    "bindings-node",
    "bindings-wasm/engine",
    "bindings-wasm/registry",
    "bindings-wasm/public",
];

/// Writes one for each crate that is published as a file.
pub fn make(_: &[&Target]) -> Outcome<String> {
    let root = project::at(".cache/cyclonedx");
    let mark = root.join(TOOL);
    if !mark.exists() {
        Run::new("cargo")
            .args(["install", "--locked", "--quiet", TOOL, "--root"])
            .arg(&root)
            .env("CARGO_TARGET_DIR", project::target().join("cyclonedx"))
            .done()?;
        files::write(&mark, "")?;
    }
    let program = root.join("bin/cargo-cyclonedx");
    let mut components = 0;
    for folder in CRATES {
        let name = format!("leafid-{}-{}.cdx", project::version(), folder.replace('/', "-"));
        Run::new(&program)
            .args(["cyclonedx", "--format", "json", "--spec-version", "1.5", "--manifest-path"])
            .arg(project::at(folder).join("Cargo.toml"))
            .args(["--override-filename", &name])
            // The same sources make the same file.
            .env("SOURCE_DATE_EPOCH", "0")
            .done()?;
        // It writes one beside each manifest of the workspace.
        let made = project::at(folder).join(format!("{name}.json"));
        let text = files::read(&made)?;
        components += text.matches("\"bom-ref\"").count();
        if text.contains(&*project::root().to_string_lossy()) {
            let clean = text.replace(&*project::root().to_string_lossy(), ".");
            files::write(&made, clean)?;
        }
        publish(&made)?;
        for left in files::walk(project::root())?
            .iter()
            .filter(|file| file.ends_with(format!("{name}.json")))
        {
            files::remove(left)?;
        }
    }
    Ok(format!("{} files, {components} components", CRATES.len()))
}
