//! Which folder of the TypeScript may import which: an allow-list over what its files say.

use std::path::Path;

use crate::{Outcome, files, project};

/// Where the TypeScript is.
const SOURCES: &str = "bindings-js/src";

/// A folder, and what its files may import beside one another: folders, single modules, and `PACKAGES`.
/// Only below `hosts` and `engines`, in the parts of one host, is anything known of that host; `start`
/// chooses among them.
const MAY_IMPORT: &[(&str, &[&str])] = &[
    ("values", &[ENGINE]),
    ("stores", &["values", HOST, ENGINE, REGISTRY]),
    ("public", &["values", PUBLIC]),
    ("sql", &["stores", "values", ENGINE]),
    ("workers", &["sql", "stores", "values", PACKAGES]),
    ("files", &["sql", "stores", "values", HOST, REQUIRE, PACKAGES]),
    ("databases", &["files", "sql", "stores", "values", HOST, REQUIRE]),
    ("conform", &["stores", "values", HOST]),
    ("driver", &["stores", "values", HOST, ENGINE]),
    ("face", &["driver", "stores", "values", HOST, ENGINE]),
    ("hosts", &[PACKAGES]),
    ("engines", &["wasm", "native", REQUIRE, PACKAGES]),
    ("start", &["databases", "engines", "files", "hosts", "wasm"]),
    // Those that users import.
    (
        "",
        &[
            "conform",
            "databases",
            "face",
            "files",
            "public",
            "workers",
            "sql",
            "stores",
            "values",
            ENGINE,
        ],
    ),
];

/// The interfaces: what an engine, the decisions of a store, public IDs and a host bring.
const ENGINE: &str = "engines/engine.js";
const REGISTRY: &str = "engines/registry.js";
const PUBLIC: &str = "engines/public.js";
const HOST: &str = "hosts/host.js";
/// Loads packages that may not be there, in Node.
const REQUIRE: &str = "hosts/require.js";
/// Modules of Node's or of Workers'.
const PACKAGES: &str = "*";

/// The arrows between the folders.
pub fn check() -> Outcome<String> {
    let mut wrong = Vec::new();
    let mut seen = 0;
    for file in files::walk(&project::at(SOURCES))? {
        let below = file.strip_prefix(project::at(SOURCES)).unwrap_or(&file);
        if below.extension().is_none_or(|kind| kind != "ts")
            || below.to_string_lossy().ends_with(".d.ts")
        {
            continue;
        }
        for import in imports(&files::read(&file)?) {
            seen += 1;
            wrong.extend(complaint(below, &import));
        }
    }
    if !wrong.is_empty() {
        return Err(wrong.join("\n"));
    }
    if seen == 0 {
        Err(format!("no import in `{SOURCES}`"))
    } else {
        Ok(format!("{seen} imports keep to the list"))
    }
}

/// The complaint about one import of one file.
pub fn complaint(file: &Path, import: &str) -> Option<String> {
    let folder = file.parent().and_then(Path::to_str).unwrap_or_default();
    let Some((_, allowed)) = MAY_IMPORT.iter().find(|(name, _)| *name == folder) else {
        return Some(format!("`{SOURCES}/{folder}` is not in the list of `check/imports.rs`"));
    };
    let fine = if import.starts_with('.') {
        let name = normal(&Path::new(folder).join(import));
        let home = name.rsplit_once('/').map_or("", |(home, _)| home);
        home == folder || allowed.iter().any(|allowed| *allowed == home || *allowed == name)
    } else {
        allowed.contains(&PACKAGES)
    };
    (!fine).then(|| format!("`{SOURCES}/{}` must not import `{import}`", file.display()))
}

// `a/../b/./c` → `b/c`
pub fn normal(path: &Path) -> String {
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
pub fn imports(text: &str) -> Vec<String> {
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

    use super::{complaint, imports, normal};

    #[test]
    fn imports_are_read_from_every_form() {
        let text = "import { a } from './a.js'\nimport './b.js'\nconst c = await import('./c.js')\n\
                    export * from \"./d.js\"\n} from './e.js'\n// from './f.js'";
        assert_eq!(imports(text), ["./a.js", "./b.js", "./c.js", "./d.js", "./e.js"]);
        assert_eq!(normal(Path::new("start/../wasm/./x.js")), "wasm/x.js");
    }

    #[test]
    fn the_face_knows_interfaces_and_no_host() {
        let wrong = |file, import| complaint(Path::new(file), import).is_some();
        assert!(wrong("face/generator.ts", "node:fs"));
        assert!(wrong("face/generator.ts", "../engines/wasm.js"));
        assert!(wrong("driver/driver.ts", "../face/generator.js"));
        assert!(wrong("nowhere/a.ts", "./b.js"));
        assert!(!wrong("face/generator.ts", "../engines/engine.js"));
        assert!(!wrong("face/generator.ts", "./pool.js"));
        assert!(!wrong("hosts/node.ts", "node:os"));
        assert!(!wrong("index.ts", "./face/segment.js"));
    }
}
