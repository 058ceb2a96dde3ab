//! The wasm files of the npm package: built, and made small, below the target folder.

use std::path::PathBuf;

use crate::process::Run;
use crate::{Outcome, files, project, tools};

/// Each file, its crate in `bindings-wasm`, and the features that it is built with. A program loads only the
/// files that it uses.
const FILES: [(&str, &str, &str); 4] = [
    ("engine", "engine", ""),
    ("registry", "registry", ""),
    ("stores", "registry", "sql"),
    ("public", "public", ""),
];

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
    files::make_dir(&folder())?;
    for (name, of_crate, features) in FILES {
        Run::cargo(&["build", "--locked", "-p", &format!("leafid-wasm-{of_crate}")])
            .args(["--features", features, "--target", "wasm32-unknown-unknown"])
            .args(["--profile", "wasm"])
            .done()?;
        let built = format!("wasm32-unknown-unknown/wasm/leafid_wasm_{of_crate}.wasm");
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
