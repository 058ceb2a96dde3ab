//! What `require` loads where a loader knows no ES modules (Jest, older bundlers): the staged modules,
//! each written again as CommonJS, below `cjs/`.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::entries;
use crate::{Outcome, files, tools};

/// Modules of other hosts, which wait while they load, or import what only their host has.
const NOT: &[&str] = &[
    "start/web.js",
    "start/registry-web.js",
    "start/public-web.js",
    "start/workerd.js",
    "start/registry-workerd.js",
    "start/public-workerd.js",
    "start/runtime.js",
    "hosts/workerd.js",
    "workers.js",
];
const NOT_BELOW: &[&str] = &["entries", "workers", "cjs"];

/// Writes every module and its types.
pub fn write(manifest: &Value, stage: &Path) -> Outcome {
    let common = stage.join("cjs");
    let kept = kept(manifest, stage)?;
    let scripts = kept.iter().filter(|path| path.extension().is_some_and(|kind| kind == "js"));
    // What is no module has a name of its own instead of an address.
    tools::npx("esbuild")
        .quiet()
        .args(scripts)
        .args(["--format=cjs", "--platform=node", "--target=node20", "--log-level=warning"])
        .args(["--define:import.meta.url=__filename", "--outbase=."])
        .arg(format!("--outdir={}", common.display()))
        .dir(stage)
        .done()?;
    for types in kept.iter().filter(|path| path.to_string_lossy().ends_with(".d.ts")) {
        files::install(&stage.join(types), &common.join(types))?;
    }
    files::write(&common.join("package.json"), "{ \"type\": \"commonjs\" }\n")?;
    Ok(())
}

fn kept(manifest: &Value, stage: &Path) -> Outcome<Vec<PathBuf>> {
    let entries: Vec<_> = entries::named(&manifest["exports"])
        .into_iter()
        .filter_map(|file| file.strip_prefix(entries::COMMON))
        .filter(|file| file.starts_with("entries/"))
        .flat_map(|file| [PathBuf::from(file), Path::new(file).with_extension("d.ts")])
        .collect();
    let all = files::walk(stage)?.into_iter();
    let below = all.filter_map(|path| Some(path.strip_prefix(stage).ok()?.to_owned()));
    let modules = below.filter(|path| {
        let name = path.to_string_lossy();
        let is_code = name.ends_with(".js") || name.ends_with(".d.ts");
        is_code
            && !NOT.contains(&&*name.replace(".d.ts", ".js"))
            && !NOT_BELOW.iter().any(|folder| path.starts_with(folder))
    });
    Ok(modules.chain(entries).collect())
}
