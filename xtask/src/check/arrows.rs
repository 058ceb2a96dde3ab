//! Who may know whom: an allow-list over what cargo and the TypeScript sources say.

use std::path::Path;

use serde_json::Value;

use crate::process::Run;
use crate::{Outcome, files, project};

/// A member, and the members that it may depend on. Whoever is not named here is refused.
const MAY_KNOW: &[(&str, &[&str])] = &[
    ("leafid-core", &[]),
    ("leafid-server", &["leafid-core"]),
    ("leafid-bindings", &["leafid-core"]),
    ("leafid-py", &["leafid-bindings", "leafid-core"]),
    ("leafid-node", &["leafid-bindings", "leafid-core"]),
    ("leafid-wasm", &["leafid-bindings", "leafid-core"]),
    ("leafid-stream", &["leafid-core"]),
    ("leafid-tests", EVERYONE),
    ("leafid-benches", EVERYONE),
    ("xtask", EVERYONE),
];

/// Whom the tools may know: all that is published, and the check of a stream.
const EVERYONE: &[&str] = &[
    "leafid-core",
    "leafid-bindings",
    "leafid-server",
    "leafid-py",
    "leafid-node",
    "leafid-wasm",
    "leafid-stream",
];

/// A folder of TypeScript, and the folders whose files it may import, itself included. The native
/// engine may import `wasm/`: what wasm-bindgen made is its fallback where no native part fits.
const MAY_IMPORT: &[(&str, &[&str])] = &[
    ("bindings-js/src", &["bindings-js/src"]),
    ("bindings-node/js", &["bindings-js/src", "bindings-node/js", "bindings-wasm/js/wasm"]),
    ("bindings-wasm/js", &["bindings-js/src", "bindings-wasm/js"]),
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

/// The arrows between the TypeScript folders.
pub fn scripts() -> Outcome<String> {
    let mut wrong = Vec::new();
    let mut seen = 0;
    for (folder, _) in MAY_IMPORT {
        for file in files::walk(&project::at(folder))? {
            if file.extension().is_none_or(|kind| kind != "ts") {
                continue;
            }
            let below = file.strip_prefix(project::at(folder)).unwrap_or(&file);
            for import in imports(&files::read(&file)?) {
                seen += 1;
                wrong.extend(wrong_import(folder, below, &import));
            }
        }
    }
    if wrong.is_empty() {
        Ok(format!("{seen} imports keep to the list"))
    } else {
        Err(wrong.join("\n"))
    }
}

/// The complaint about one import of one file.
pub fn wrong_import(folder: &str, file: &Path, import: &str) -> Option<String> {
    let shown = format!("`{folder}/{}` must not import `{import}`", file.display());
    if !import.starts_with('.') {
        // The face knows no host and no package; the engines may.
        return (folder == "bindings-js/src").then_some(shown);
    }
    let name = normal(&file.parent().unwrap_or(Path::new("")).join(import));
    let (_, allowed) = MAY_IMPORT.iter().find(|(from, _)| *from == folder)?;
    let owners: Vec<_> =
        MAY_IMPORT.iter().map(|(other, _)| *other).filter(|other| owns(other, &name)).collect();
    let fine = owners.iter().any(|owner| {
        let whole = format!("{owner}/{name}");
        allowed.iter().any(|allowed| whole.starts_with(&format!("{allowed}/")))
    });
    // What no folder has yet is the compiler's to complain about.
    (!owners.is_empty() && !fine).then_some(shown)
}

fn owns(folder: &str, name: &str) -> bool {
    let stem = name.strip_suffix(".js").unwrap_or(name);
    [".ts", ".d.ts", ""].iter().any(|end| {
        let plain = if end.is_empty() { name } else { stem };
        project::at(folder).join(format!("{plain}{end}")).is_file()
    })
}

// `a/../b/./c` → `b/c`; the folders are laid over each other, so a path never leaves them.
fn normal(path: &Path) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.iter().filter_map(|part| part.to_str()) {
        match part {
            "." => {}
            ".." => drop(parts.pop()),
            other => parts.push(other),
        }
    }
    parts.join("/")
}

/// What stands in quotes after `from`, `import` or `import(`.
fn imports(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for line in text.lines().map(|line| line.trim().replace('"', "'")) {
        if line.starts_with("//") || line.starts_with('*') {
            continue;
        }
        for word in [" from '", "import '", "import('"] {
            let quoted = line.split_once(word).and_then(|(_, rest)| rest.split_once('\''));
            found.extend(quoted.map(|(name, _)| name.to_owned()));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{imports, normal, wrong_import};

    #[test]
    fn imports_are_read_from_every_form() {
        let text = "import { a } from './a.js'\nimport './b.js'\nconst c = await import('./c.js')\n\
                    export * from \"./d.js\"\n} from './e.js'\n// from './f.js'";
        assert_eq!(imports(text), ["./a.js", "./b.js", "./c.js", "./d.js", "./e.js"]);
        assert_eq!(normal(Path::new("entries/../wasm/./x.js")), "wasm/x.js");
    }

    #[test]
    fn the_face_knows_no_host() {
        let file = Path::new("index.ts");
        assert!(wrong_import("bindings-js/src", file, "node:fs").is_some());
        assert!(wrong_import("bindings-node/js", file, "node:fs").is_none());
        assert!(wrong_import("bindings-js/src", file, "./engine.js").is_none());
    }
}
