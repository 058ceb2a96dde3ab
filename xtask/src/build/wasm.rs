//! Builds and optimises the wasm files of the npm package, below the target folder.

use std::path::PathBuf;

use crate::process::Run;
use crate::{Outcome, files, project, tools};

/// The files: each is the crate of that name in `bindings-wasm`, but `engine-node`, `stores` and `stores-node`
/// are a crate with a feature. A program loads only those that it uses.
const NAMES: [&str; 6] = ["engine", "engine-node", "registry", "stores", "stores-node", "public"];

/// Drops what is not needed to run: names, producers, and zeros, which memory has anyway.
const SMALL: &str = "-Oz --zero-filled-memory --reorder-functions --strip-debug --strip-producers \
                     --strip-target-features";

pub fn folder() -> PathBuf {
    project::target().join("npm/wasm")
}

/// Builds and optimises the files whose crates have changed.
pub fn build() -> Outcome<PathBuf> {
    tools::rust_target("wasm32-unknown-unknown")?;
    tools::node_modules()?;
    files::make_dir(&folder())?;
    for name in NAMES {
        // A profile has its own folder: in one folder, two files of a crate would replace each other.
        let (of_crate, features, profile) = match name {
            "engine-node" => ("engine", "state", name),
            "stores" => ("registry", "sql", name),
            "stores-node" => ("registry", "servers", name),
            _ => (name, "", "wasm"),
        };
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

pub fn of(name: &str) -> PathBuf {
    folder().join(format!("{name}.wasm"))
}
