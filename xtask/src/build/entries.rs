//! The entries of the npm package. Its manifest names one for each sub-path and condition; they differ
//! in two lines only, so they are written here and stand nowhere in the sources.

use std::path::Path;

use serde_json::{Map, Value};

use crate::{Outcome, files};

/// What a condition starts with: the module of `bindings-js/src/start` that chooses engine and host.
const STARTS: &[(&str, &str)] = &[
    ("workerd", "workerd"),
    ("deno", "runtime"),
    ("bun", "runtime"),
    ("node", "node"),
    ("browser", "web"),
    ("default", "web"),
];

/// Writes every entry that the manifest names into the staged package, and makes sure that what else it
/// names is there: npm itself packs a manifest of dead ends.
pub fn write(manifest: &Value, stage: &Path) -> Outcome {
    let exports = manifest["exports"].as_object().ok_or("package.json has no `exports`")?;
    for (path, conditions) in exports {
        match conditions {
            Value::Object(conditions) => {
                for (entry, text) in of(path, conditions)? {
                    files::write(&stage.join(entry), text)?;
                }
            }
            Value::String(file) if stage.join(file).is_file() => {}
            _ => return Err(format!("`{path}` of package.json names nothing that was built")),
        }
    }
    let missing = modules(exports, stage);
    if missing.is_empty() { Ok(()) } else { Err(format!("not built: {}", missing.join(", "))) }
}

/// The entries of one sub-path: where each lies, and what stands in it.
pub fn of<'m>(path: &str, conditions: &'m Map<String, Value>) -> Outcome<Vec<(&'m str, String)>> {
    let types = conditions.get("types").and_then(Value::as_str);
    let module = types
        .and_then(|types| types.strip_prefix("./")?.strip_suffix(".d.ts"))
        .ok_or_else(|| format!("`{path}` of package.json has no `types` like `./index.d.ts`"))?;
    let mut entries = Vec::new();
    for (condition, file) in conditions.iter().filter(|(condition, _)| *condition != "types") {
        let (_, start) = STARTS.iter().find(|(known, _)| known == condition).ok_or_else(|| {
            format!("nothing starts `{condition}` of package.json: add it to `build/entries.rs`")
        })?;
        let file = file.as_str().and_then(|file| file.strip_prefix("./")).unwrap_or_default();
        if !file.starts_with("entries/") || file.matches('/').count() > 1 {
            return Err(format!(
                "`{condition}` of `{path}` in package.json is not in `./entries/`"
            ));
        }
        let text = format!("import '../start/{start}.js'\nexport * from '../{module}.js'\n");
        entries.push((file, text));
    }
    Ok(entries)
}

/// What the entries import, and the types, as far as nobody has built them.
fn modules(exports: &Map<String, Value>, stage: &Path) -> Vec<String> {
    let types = exports.values().filter_map(|conditions| conditions["types"].as_str());
    let starts = STARTS.iter().map(|(_, start)| format!("./start/{start}.js"));
    let scripts = types.clone().map(|types| types.replace(".d.ts", ".js"));
    let all = types.clone().map(str::to_owned).chain(scripts).chain(starts);
    all.filter(|file| !stage.join(file).is_file()).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::of;

    fn entries(conditions: &Value) -> Result<Vec<(&str, String)>, String> {
        of("./registry", conditions.as_object().ok_or("no object")?)
    }

    #[test]
    fn an_entry_starts_its_host_and_gives_its_module() {
        let conditions = json!({ "types": "./registry.d.ts", "bun": "./entries/registry.bun.js" });
        let text = "import '../start/runtime.js'\nexport * from '../registry.js'\n";
        assert_eq!(entries(&conditions), Ok(vec![("entries/registry.bun.js", text.to_owned())]));
    }

    #[test]
    fn a_condition_that_nothing_starts_is_refused() {
        let types = "./index.d.ts";
        assert!(entries(&json!({ "types": types, "electron": "./entries/electron.js" })).is_err());
        assert!(entries(&json!({ "types": types, "node": "./index.js" })).is_err());
        assert!(entries(&json!({ "node": "./entries/node.js" })).is_err());
    }
}
