//! The wasm files of the npm package: built, and made small, below the target folder.

use std::path::PathBuf;

use crate::process::Run;
use crate::{Outcome, files, project, tools};

/// What each file has is said by its crate in `bindings-wasm`. Each is one file, so that a program loads
/// only what it uses.
pub const NAMES: [&str; 4] = ["engine", "registry", "stores", "public"];

/// Without what a file does not need to run: names, who made it, and zeros, which memory has by itself.
const SMALL: &str = "-Oz --zero-filled-memory --reorder-functions --strip-debug --strip-producers \
                     --strip-target-features";

/// Where they are, each as `NAME.wasm`.
pub fn folder() -> PathBuf {
    project::target().join("npm/wasm")
}

/// Builds and optimises, where a crate has changed. They have one profile, made for size.
pub fn build() -> Outcome<PathBuf> {
    tools::rust_target("wasm32-unknown-unknown")?;
    tools::node_modules()?;
    Run::cargo(&["build", "--locked"])
        .args(NAMES.iter().flat_map(|name| ["-p".to_owned(), format!("leafid-wasm-{name}")]))
        .args(["--target", "wasm32-unknown-unknown", "--profile", "wasm"])
        .done()?;
    files::make_dir(&folder())?;
    for name in NAMES {
        let built = format!("wasm32-unknown-unknown/wasm/leafid_wasm_{name}.wasm");
        let built = project::target().join(built);
        files::once(&of(name).with_extension("from"), &files::stamps(&[&built])?, || {
            tools::npx("wasm-opt").args(SMALL.split(' ')).arg("-o").arg(of(name)).arg(&built).done()
        })?;
    }
    Ok(folder())
}

/// One of the files.
pub fn of(name: &str) -> PathBuf {
    folder().join(format!("{name}.wasm"))
}
