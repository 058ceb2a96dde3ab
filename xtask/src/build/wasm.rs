//! The wasm engine: built, bound and made small, below the target folder.

use std::path::PathBuf;

use wasm_bindgen_cli_support::Bindgen;

use crate::process::Run;
use crate::{Outcome, files, project, tools};

/// The name of the generated files.
const NAME: &str = "leafid";

/// Builds the wasm; it has one profile, made for size.
pub fn build() -> Outcome<PathBuf> {
    generate().map(|generated| generated.wasm)
}

/// What wasm-bindgen made, and wasm-opt after it.
pub struct Generated {
    /// `leafid_bg.wasm`.
    pub wasm: PathBuf,
    /// `leafid.js`.
    pub script: PathBuf,
    /// `leafid.d.ts`.
    pub types: PathBuf,
}

/// Builds, binds and optimises, where the crate has changed.
pub fn generate() -> Outcome<Generated> {
    tools::rust_target("wasm32-unknown-unknown")?;
    tools::node_modules()?;
    Run::cargo(&["build", "--locked", "-p", "leafid-wasm"])
        .args(["--target", "wasm32-unknown-unknown", "--profile", "wasm"])
        .done()?;
    let built = project::target().join("wasm32-unknown-unknown/wasm/leafid_wasm.wasm");
    let folder = project::target().join("npm/wasm");
    let generated = Generated {
        wasm: folder.join(format!("{NAME}_bg.wasm")),
        script: folder.join(format!("{NAME}.js")),
        types: folder.join(format!("{NAME}.d.ts")),
    };
    let products = [&generated.wasm, &generated.script, &generated.types].map(Clone::clone);
    if files::fresh(&products, std::slice::from_ref(&built)) {
        return Ok(generated);
    }
    files::remove_dir(&folder)?;
    bind(&built, &folder)?;
    optimise(&generated.wasm)?;
    Ok(generated)
}

fn bind(built: &std::path::Path, folder: &std::path::Path) -> Outcome {
    let mut bindgen = Bindgen::new();
    let bound = bindgen
        .input_path(built)
        .out_name(NAME)
        .web(true)
        .map(|bindgen| bindgen.typescript(true).omit_default_module_path(true))
        .map(|bindgen| bindgen.reset_state_function(true))
        .and_then(|bindgen| bindgen.generate(folder));
    bound.map_err(|error| format!("wasm-bindgen on `{}`: {error:#}", files::shown(built)))
}

fn optimise(wasm: &std::path::Path) -> Outcome {
    let small = wasm.with_extension("small");
    tools::npx("wasm-opt").args(["-Oz", "-o"]).arg(&small).arg(wasm).done()?;
    files::install(&small, wasm)?;
    files::remove(&small)
}
