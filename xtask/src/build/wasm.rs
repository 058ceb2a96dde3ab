//! The wasm files of the npm package: built, and made small, below the target folder.

use std::path::PathBuf;

use crate::process::Run;
use crate::{Outcome, files, project, tools};

/// Each file is of the crate of its name in `bindings-wasm`, but for `stores`. A program loads only the files
/// that it uses.
const NAMES: [&str; 4] = ["engine", "registry", "stores", "public"];

/// Without what a file does not need to run: names, who made it, and zeros, which memory has by itself.
const SMALL: &str = "-Oz --zero-filled-memory --reorder-functions --strip-debug --strip-producers \
                     --strip-target-features";

/// Where they are, each as `NAME.wasm`.
pub fn folder() -> PathBuf {
    project::target().join("npm/wasm")
}

/// Builds and optimises, where a crate has changed.
pub fn build() -> Outcome<PathBuf> {
    tools::rust_target("wasm32-unknown-unknown")?;
    tools::node_modules()?;
    files::make_dir(&folder())?;
    for name in NAMES {
        // A profile has a folder: in one, two files of a crate would replace each other, and never be fresh.
        let (of_crate, features, profile) =
            if name == "stores" { ("registry", "sql", "stores") } else { (name, "", "wasm") };
        Run::cargo(&["build", "--locked", "-p", &format!("leafid-wasm-{of_crate}")])
            .args(["--features", features, "--target", "wasm32-unknown-unknown"])
            .args(["--profile", profile])
            .done()?;
        let built = format!("wasm32-unknown-unknown/{profile}/leafid_wasm_{of_crate}.wasm");
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
