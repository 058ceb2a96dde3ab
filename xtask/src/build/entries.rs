//! The entries of the npm package. Its manifest names one for each sub-path and condition; they differ
//! in a few lines only, so they are written here and stand nowhere in the sources.

use std::path::Path;

use serde_json::{Map, Value};

use crate::{Outcome, files};

/// What a condition starts with: modules of `bindings-js/src/start`, which choose engine and host.
const STARTS: &[(&str, &[&str])] = &[
    ("workerd", &["workerd"]),
    ("deno", &["runtime"]),
    ("bun", &["runtime"]),
    ("node", &["node"]),
    ("browser", &["web"]),
    ("default", &["web"]),
];

/// The same of the sub-paths that need what decides for a store: where that is a file to load, they name
/// it, and nobody else does.
const DECIDE: &[(&str, &[&str])] = &[
    ("workerd", &["workerd", "registry-workerd"]),
    ("browser", &["web", "registry-web"]),
    ("default", &["web", "registry-web"]),
];
const DECIDING: &[&str] = &["./registry", "./testing", "./workers"];

/// The same of public IDs, which need neither engine nor host.
const PUBLIC: &[(&str, &[&str])] = &[
    ("workerd", &["public-workerd"]),
    ("deno", &["public-inlined"]),
    ("bun", &["public-inlined"]),
    ("node", &["public-inlined"]),
    ("browser", &["public-web"]),
    ("default", &["public-web"]),
];

/// What a sub-path starts with, whatever the condition.
const ALWAYS: &[(&str, &[&str])] = &[("./inline", &["inline"]), ("./node", &["node"])];

/// Where what `require` loads lies; made from the others, when they are there.
pub const COMMON: &str = "./cjs/";

/// Writes every entry that the manifest names into the staged package, each with its types beside it.
pub fn write(manifest: &Value, stage: &Path) -> Outcome {
    let exports = manifest["exports"].as_object().ok_or("package.json has no `exports`")?;
    for (path, conditions) in exports {
        for (entry, text) in conditions.as_object().map_or(Ok(Vec::new()), |all| of(path, all))? {
            files::write(&stage.join(entry), text)?;
            let types = format!("export * from '../{}.js'\n", module(path));
            files::write(&stage.join(entry).with_extension("d.ts"), types)?;
        }
    }
    Ok(())
}

/// Makes sure that everything that the manifest names is there: npm itself packs a manifest of dead ends.
pub fn check(manifest: &Value, stage: &Path) -> Outcome {
    let missing: Vec<_> = named(&manifest["exports"])
        .into_iter()
        .filter(|file| !file.starts_with("./") || !stage.join(file).is_file())
        .collect();
    if missing.is_empty() { Ok(()) } else { Err(format!("not built: {}", missing.join(", "))) }
}

/// Every file that the exports name, at any depth.
pub fn named(exports: &Value) -> Vec<&str> {
    match exports {
        Value::String(file) => vec![file],
        Value::Object(conditions) => conditions.values().flat_map(named).collect(),
        _ => Vec::new(),
    }
}

/// The entries of one sub-path: where each lies, and what stands in it.
pub fn of<'m>(path: &str, conditions: &'m Map<String, Value>) -> Outcome<Vec<(&'m str, String)>> {
    let module = module(path);
    let itself = format!("./{module}.js");
    let mut entries = Vec::new();
    for (condition, value) in conditions.iter().filter(|(condition, _)| *condition != "types") {
        let ours = |file: &&str| !file.starts_with(COMMON) && *file != itself;
        for file in named(value).into_iter().filter(ours) {
            let starts = starts(path, condition)?;
            let file = file.strip_prefix("./").unwrap_or_default();
            if !file.starts_with("entries/") || file.matches('/').count() > 1 {
                return Err(format!(
                    "`{condition}` of `{path}` in package.json is not in `./entries/`"
                ));
            }
            let lines = starts.iter().map(|start| format!("import '../start/{start}.js'\n"));
            let text = lines.collect::<String>() + &format!("export * from '../{module}.js'\n");
            entries.push((file, text));
        }
    }
    Ok(entries)
}

/// The module that a sub-path gives; one that only starts otherwise gives all.
fn module(path: &str) -> &str {
    match path.strip_prefix("./") {
        None | Some("inline") => "index",
        Some(name) => name,
    }
}

fn starts(path: &str, condition: &str) -> Outcome<&'static [&'static str]> {
    let find = |name: &str, all: &[(&str, &'static [&'static str])]| {
        all.iter().find(|(known, _)| *known == name).map(|(_, starts)| *starts)
    };
    let own = match path {
        "./public" => return find(condition, PUBLIC).ok_or_else(|| unknown(condition)),
        path if DECIDING.contains(&path) => find(condition, DECIDE),
        path => find(path, ALWAYS),
    };
    own.or_else(|| find(condition, STARTS)).ok_or_else(|| unknown(condition))
}

fn unknown(condition: &str) -> String {
    format!("nothing starts `{condition}` of package.json: add it to `build/entries.rs`")
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::of;

    fn entries(conditions: &Value) -> Result<Vec<(&str, String)>, String> {
        of("./registry", conditions.as_object().ok_or("no object")?)
    }

    fn text(start: &str) -> String {
        format!("import '../start/{start}.js'\nexport * from '../registry.js'\n")
    }

    #[test]
    fn an_entry_starts_its_host_and_gives_its_module() {
        let conditions = json!({ "bun": "./entries/registry.bun.js" });
        let expected = vec![("entries/registry.bun.js", text("runtime"))];
        assert_eq!(entries(&conditions), Ok(expected));
        let inline = json!({ "default": "./entries/inline.js" });
        let text = "import '../start/inline.js'\nexport * from '../index.js'\n".to_owned();
        let found = inline.as_object().map(|all| of("./inline", all));
        assert_eq!(found, Some(Ok(vec![("entries/inline.js", text)])));
    }

    #[test]
    fn what_decides_is_loaded_where_it_is_named_alone() {
        let page = |path: &str| {
            let conditions = json!({ "browser": "./entries/page.js" });
            let entries = conditions.as_object().map(|all| of(path, all)).unwrap_or(Ok(Vec::new()));
            entries.map(|all| all.into_iter().map(|(_, text)| text).collect::<String>())
        };
        let first = "import '../start/web.js'\n";
        assert_eq!(page("."), Ok(format!("{first}export * from '../index.js'\n")));
        let decides = "import '../start/registry-web.js'\nexport * from '../registry.js'\n";
        assert_eq!(page("./registry"), Ok(format!("{first}{decides}")));
        let public = "import '../start/public-web.js'\nexport * from '../public.js'\n";
        assert_eq!(page("./public"), Ok(public.to_owned()));
    }

    #[test]
    fn what_require_loads_is_made_from_an_entry_and_is_none() {
        let file = "./entries/registry.node.js";
        let conditions = json!({
            "node": { "require": "./cjs/entries/registry.node.js", "default": file },
        });
        assert_eq!(entries(&conditions), Ok(vec![("entries/registry.node.js", text("node"))]));
        assert_eq!(entries(&json!({ "default": "./registry.js" })), Ok(Vec::new()));
    }

    #[test]
    fn a_condition_that_nothing_starts_is_refused() {
        assert!(entries(&json!({ "electron": "./entries/electron.js" })).is_err());
        assert!(entries(&json!({ "node": "./index2.js" })).is_err());
    }
}
