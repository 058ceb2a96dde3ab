//! The native engine for Node, as the npm package of this platform.

use std::path::{Path, PathBuf};

use super::tarball;
use crate::{Outcome, files, project, tools};

/// Builds the add-on and its types, and packs it.
pub fn build() -> Outcome<PathBuf> {
    tools::node_modules()?;
    let folder = folder();
    files::make_dir(&folder)?;
    napi(&folder)?;
    if files::read(&types())?.trim().is_empty() {
        // napi collects the types while the crate compiles; a crate that plain cargo compiled
        // before has none. A changed build script's time makes cargo compile it once more.
        files::touch(&project::at("bindings-node/build.rs"))?;
        napi(&folder)?;
    }
    if files::read(&types())?.trim().is_empty() {
        return Err("napi wrote an empty `native.d.ts`: `cargo clean -p leafid-node`".to_owned());
    }
    let platform = project::npm_platform();
    pack(platform, &folder.join(format!("leafid.{platform}.node")), &project::dist())
}

/// Its functions, as TypeScript sees them, once it is built.
pub fn types() -> PathBuf {
    folder().join("native.d.ts")
}

fn folder() -> PathBuf {
    project::target().join("npm/native").join(if project::is_release() { "release" } else { "dev" })
}

// Without `--target-dir`: with it the types are silently empty.
fn napi(folder: &Path) -> Outcome {
    // Without `--profile` as well: it would look for the product in a folder of that name.
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

/// Packs an add-on as the package of a platform, into a folder.
pub fn pack(platform: &str, addon: &Path, to: &Path) -> Outcome<PathBuf> {
    let (system, rest) = platform.split_once('-').unwrap_or((platform, ""));
    let (cpu, libc) = rest.split_once('-').unwrap_or((rest, ""));
    let libc = match libc {
        "gnu" => "\n  \"libc\": [\"glibc\"],",
        "musl" => "\n  \"libc\": [\"musl\"],",
        _ => "",
    };
    let version = project::version();
    let stage = project::target().join("npm/stage").join(platform);
    files::remove_dir(&stage)?;
    let addon_name = addon.file_name().unwrap_or_default().to_string_lossy();
    let manifest = format!(
        r#"{{
  "name": "leafid-{platform}",
  "version": "{version}",
  "description": "The native engine of leafid for {platform}",
  "license": "(MIT OR Apache-2.0)",
  "repository": {{ "type": "git", "url": "git+https://github.com/leafid/leafid.git" }},
  "type": "commonjs",
  "main": "{addon_name}",
  "files": ["{addon_name}", "LICENSE-*"],
  "os": ["{system}"],
  "cpu": ["{cpu}"],{libc}
  "engines": {{ "node": ">=20.19" }}
}}
"#
    );
    files::write(&stage.join("package.json"), manifest)?;
    files::install(addon, &stage.join(&*addon_name))?;
    tarball::licences(&stage)?;
    tarball::pack(&stage, &format!("leafid-{platform}-{version}.tgz"), to)
}
