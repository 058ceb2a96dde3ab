//! What a Worker or a page loads stays small.

use crate::process::Run;
use crate::{Outcome, build, project};

/// A wasm file of the npm package with the modules that only it needs, and how many bytes both may have
/// after gzip.
struct Loaded {
    name: &'static str,
    files: &'static [&'static str],
    most: u64,
}

const ALL: &[Loaded] = &[
    Loaded {
        name: "engine",
        files: &["wasm/engine.wasm", "engines/wasm.js", "engines/border.js"],
        most: 30_500,
    },
    Loaded {
        name: "registry",
        files: &["wasm/registry.wasm", "engines/wasm-registry.js"],
        most: 20_500,
    },
    Loaded { name: "public", files: &["wasm/public.wasm", "engines/wasm-public.js"], most: 13_500 },
];

/// By Node's own zlib, at its best.
const MEASURE: &str = "const { readFileSync } = require('fs'); const { gzipSync } = require('zlib'); \
                       for (const file of process.argv.slice(1)) \
                       console.log(gzipSync(readFileSync(file), { level: 9 }).length)";

/// Each of them, as it is packed.
pub fn check() -> Outcome<String> {
    build::need(&["wasm", "node", "npm"])?;
    let mut told = Vec::new();
    for loaded in ALL {
        let folder = project::target().join("npm/stage/leafid");
        let sizes = Run::new("node")
            .quiet()
            .args(["-e", MEASURE])
            .args(loaded.files.iter().map(|file| folder.join(file)))
            .output()?;
        let sizes: Vec<u64> = sizes.lines().filter_map(|line| line.parse().ok()).collect();
        if sizes.len() != loaded.files.len() {
            return Err(format!("{} sizes of {} files", sizes.len(), loaded.files.len()));
        }
        let size = sizes.iter().sum();
        if let Some(complaint) = too_large(loaded.name, size) {
            return Err(complaint);
        }
        told.push(format!("{} {size}", loaded.name));
    }
    Ok(format!("{} bytes after gzip, each with its glue", told.join(", ")))
}

/// The complaint about so many bytes.
pub fn too_large(name: &str, size: u64) -> Option<String> {
    let most = ALL.iter().find(|loaded| loaded.name == name)?.most;
    (size > most).then(|| {
        format!("`{name}.wasm` with its glue has {size} bytes after gzip, more than {most}: find what grew, or say why it must")
    })
}
