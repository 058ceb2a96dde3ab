//! Which member may know which: an allow-list over what cargo says.

use serde_json::Value;

use crate::Outcome;
use crate::process::Run;

/// A member, and the members that it may depend on. Whoever is not named here is refused.
const MAY_KNOW: &[(&str, &[&str])] = &[
    ("leafid-core", &[]),
    ("leafid-wire", &["leafid-core"]),
    ("leafid-public", &["leafid-core"]),
    ("leafid-sql", &[]),
    ("leafid-state", &["leafid-core"]),
    ("leafid-server", &["leafid-core", "leafid-servers", "leafid-wire"]),
    ("leafid-bindings", &["leafid-core"]),
    (
        "leafid-py",
        &[
            "leafid-bindings",
            "leafid-core",
            "leafid-public",
            "leafid-sql",
            "leafid-state",
            "leafid-wire",
        ],
    ),
    ("leafid-node", &["leafid-bindings", "leafid-core", "leafid-state"]),
    ("leafid-wasm-border", &["leafid-bindings"]),
    ("leafid-wasm-engine", &["leafid-bindings", "leafid-core", "leafid-wasm-border"]),
    ("leafid-wasm-registry", &["leafid-bindings", "leafid-core", "leafid-wasm-border"]),
    ("leafid-wasm-public", &["leafid-public", "leafid-wasm-border"]),
    ("leafid-component", &["leafid-bindings", "leafid-core", "leafid-public"]),
    // It knows the package in `wit/`, as a stranger's store does.
    ("leafid-example-store", &[]),
    ("leafid-stream", &["leafid-core"]),
    ("leafid-servers", &[]),
    ("leafid-tests", EVERYONE),
    ("leafid-benches", EVERYONE),
    ("xtask", EVERYONE),
];

/// Whom the tools may know: all that is published, and the check of a stream.
const EVERYONE: &[&str] = &[
    "leafid-core",
    "leafid-public",
    "leafid-wire",
    "leafid-sql",
    "leafid-state",
    "leafid-bindings",
    "leafid-server",
    "leafid-py",
    "leafid-node",
    "leafid-wasm-border",
    "leafid-wasm-engine",
    "leafid-wasm-registry",
    "leafid-wasm-public",
    "leafid-component",
    "leafid-stream",
    "leafid-servers",
];

/// The arrows between the members of the workspace.
pub fn members() -> Outcome<String> {
    let metadata = metadata()?;
    let wrong = wrong_edges(&metadata);
    if wrong.is_empty() {
        Ok(format!("{} members keep to the list", members_of(&metadata).len()))
    } else {
        Err(wrong.join("\n"))
    }
}

/// What cargo says about the workspace's own packages.
pub fn metadata() -> Outcome<Value> {
    let text = Run::cargo(&["metadata", "--no-deps", "--format-version", "1", "--locked"])
        .quiet()
        .output()?;
    serde_json::from_str(&text).map_err(|error| format!("cargo metadata: {error}"))
}

/// Every dependency between members that the list does not allow, tests' and builds' included.
pub fn wrong_edges(metadata: &Value) -> Vec<String> {
    let members = members_of(metadata);
    let mut wrong = Vec::new();
    for package in metadata["packages"].as_array().into_iter().flatten() {
        let name = package["name"].as_str().unwrap_or_default();
        let Some((_, allowed)) = MAY_KNOW.iter().find(|(member, _)| *member == name) else {
            wrong.push(format!("`{name}` is not in the list of `check/arrows.rs`"));
            continue;
        };
        for dependency in package["dependencies"].as_array().into_iter().flatten() {
            let other = dependency["name"].as_str().unwrap_or_default();
            if members.contains(&other) && !allowed.contains(&other) {
                wrong.push(format!("`{name}` must not depend on `{other}`"));
            }
        }
    }
    wrong
}

fn members_of(metadata: &Value) -> Vec<&str> {
    let packages = metadata["packages"].as_array();
    packages.into_iter().flatten().filter_map(|package| package["name"].as_str()).collect()
}
