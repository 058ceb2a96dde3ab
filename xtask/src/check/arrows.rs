//! Allowed dependencies: of crates by a list, compared with cargo's metadata; of TypeScript and Python by
//! import linters. Modules of one Rust crate are not compared: what must be separate is two crates.

use std::path::Path;

use serde_json::Value;

use crate::process::Run;
use crate::{Outcome, project, tools};

/// Each member, and the members that it may depend on. The example store depends on the package in `wit/`
/// alone, as a stranger's would.
const MAY_KNOW: &str = "
    leafid-core:
    leafid-wire: leafid-core
    leafid-public: leafid-core
    leafid-turn: leafid-core leafid-wire
    leafid-state: leafid-core leafid-turn
    leafid: leafid leafid-core leafid-servers leafid-state leafid-store leafid-stream leafid-turn leafid-wire
    leafid-store: leafid-core leafid-servers leafid-state leafid-turn leafid-wire
    leafid-leaf: leafid-core leafid-store
    leafid-server: leafid-core leafid-leaf leafid-servers leafid-store leafid-wire
    leafid-bindings: leafid-core leafid-turn leafid-wire
    leafid-py: leafid leafid-bindings leafid-core leafid-public leafid-state leafid-turn leafid-wire
    leafid-node: leafid-bindings leafid-core leafid-state
    leafid-wasm-border: leafid-bindings
    leafid-wasm-engine: leafid-bindings leafid-core leafid-wasm-border
    leafid-wasm-registry: leafid-bindings leafid-core leafid-wasm-border
    leafid-wasm-public: leafid-public leafid-wasm-border
    leafid-component: leafid-bindings leafid-core leafid-public leafid-wire
    leafid-example-store:
    leafid-example-axum: leafid leafid-servers leafid-stream
    leafid-stream: leafid-core
    leafid-seeded:
    leafid-servers: leafid-stream";

/// Tools: they may depend on every member, and no member on them.
const TOOLS: &[&str] = &["leafid-tests", "leafid-benches", "xtask"];

/// Checks the dependencies between members of the workspace.
pub fn members() -> Outcome<String> {
    let metadata = metadata()?;
    match wrong_edges(&metadata).as_slice() {
        [] => Ok(format!("{} members keep to the list", packages(&metadata).count())),
        wrong => Err(wrong.join("\n")),
    }
}

/// Cargo's metadata of the workspace's own packages.
pub fn metadata() -> Outcome<Value> {
    let words = ["metadata", "--no-deps", "--format-version", "1", "--locked"];
    let text = Run::cargo(&words).quiet().output()?;
    serde_json::from_str(&text).map_err(|error| format!("cargo metadata: {error}"))
}

/// All dependencies between members that the list does not allow, for tests and builds, too.
pub fn wrong_edges(metadata: &Value) -> Vec<String> {
    let members: Vec<_> = packages(metadata).map(|package| &package["name"]).collect();
    let mut wrong = Vec::new();
    for package in packages(metadata) {
        let name = package["name"].as_str().unwrap_or_default();
        let mut rows = MAY_KNOW.lines().filter_map(|row| row.trim().split_once(':'));
        let known = rows.find(|(member, _)| *member == name);
        if known.is_none() && !TOOLS.contains(&name) {
            wrong.push(format!("`{name}` is not in the list of `check/arrows.rs`"));
        }
        for other in package["dependencies"].as_array().into_iter().flatten() {
            // The core has no dependencies, except for tests.
            let extra = name == "leafid-core" && other["kind"] != "dev";
            let other = &other["name"];
            let allowed = match known {
                Some((_, allowed)) => allowed.split(' ').any(|allowed| other == allowed),
                None => TOOLS.iter().all(|tool| other != tool),
            };
            if extra || members.contains(&other) && !allowed {
                wrong.push(format!("`{name}` must not depend on {other}"));
            }
        }
    }
    wrong
}

fn packages(metadata: &Value) -> impl Iterator<Item = &Value> {
    metadata["packages"].as_array().into_iter().flatten()
}

/// Checks the imports of a folder's TypeScript by dependency-cruiser.
pub fn scripts(folder: &Path) -> Outcome<Run> {
    tools::node_modules_of_tests()?;
    let config = project::at("xtask/dependency-cruiser.json");
    Ok(tools::npx("depcruise").args(["src", "--config"]).arg(config).dir(folder))
}

/// Checks the imports of a folder's Python by import-linter.
pub fn python(folder: &Path) -> Outcome<Run> {
    let lint = tools::venv("lint", &["import-linter==2.16"])?.with_file_name("lint-imports");
    let config = project::at("xtask/import-linter.toml");
    let run = Run::new(lint).args(["--no-cache", "--config"]).arg(config);
    Ok(run.env("PYTHONPATH", folder).dir(project::target()))
}
