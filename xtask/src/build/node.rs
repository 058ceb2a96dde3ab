//! The add-on of Node for state files, as the npm package of this platform.

use std::path::{Path, PathBuf};

use super::npm;
use crate::{Outcome, files, project, tools};

/// Builds the add-on and its types, and packs it.
pub fn build() -> Outcome<PathBuf> {
    tools::node_modules()?;
    let folder = folder();
    files::make_dir(&folder)?;
    for _ in 0..2 {
        napi(&folder)?;
        if !files::read(&types())?.trim().is_empty() {
            let platform = project::npm_platform();
            let addon = folder.join(format!("leafid.{platform}.node"));
            return pack(platform, &addon, &project::dist());
        }
        // napi collects the types while the crate compiles, so a crate already compiled by plain cargo
        // has none. Touching its build script makes cargo compile it again.
        files::touch(&project::at("bindings-node/build.rs"))?;
    }
    Err("napi wrote an empty `native.d.ts`: `cargo clean -p leafid-node`".to_owned())
}

/// The TypeScript declarations of the built add-on.
pub fn types() -> PathBuf {
    folder().join("native.d.ts")
}

fn folder() -> PathBuf {
    let profile = if project::is_release() { "release" } else { "dev" };
    project::target().join("npm/native").join(profile)
}

// Without `--target-dir`, with which the types are silently empty.
fn napi(folder: &Path) -> Outcome {
    // Without `--profile`, too: it would look for the product in a folder of that name.
    let release = project::is_release().then_some("--release");
    tools::npx("napi")
        .args(["build", "--platform", "--manifest-path", "Cargo.toml", "--no-js"])
        .args(release)
        .args(["--dts", "native.d.ts", "--output-dir"])
        .arg(folder)
        .args(["--", "--locked"])
        .dir(project::at("bindings-node"))
        .env("CARGO_TARGET_DIR", project::target())
        .done()
}

/// Packs an add-on as a platform's package, into a folder.
pub fn pack(platform: &str, addon: &Path, to: &Path) -> Outcome<PathBuf> {
    npm::pack_for(platform, "leafid", "State files and journals of leafid in Node", addon, to)
}
