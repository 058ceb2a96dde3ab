//! The WebAssembly components: built as core modules, made small, then encoded by jco in `component.mjs`.
//!
//! In this order, since `wasm-opt` reads modules only, and keeps the section that describes the component.

use std::path::PathBuf;

use crate::process::Run;
use crate::{Outcome, files, project, tools};

/// Flattening and rebuilding the control flow saves half a percent.
const OPTIMISE: &[&str] = &["--flatten", "--rereloop", "-Oz", "-Oz", "--converge"];

/// A crate, with one of its features or none, to make a component of.
pub struct Recipe {
    /// The product's file name without `.wasm`.
    pub name: &'static str,
    crate_name: &'static str,
    features: &'static str,
}

const fn of(name: &'static str, features: &'static str) -> Recipe {
    Recipe { name, crate_name: "leafid-component", features }
}

pub const PUBLISHED: [Recipe; 3] =
    [of("leafid", ""), of("leafid-pure", "pure"), of("leafid-public", "public")];
/// The example store, for the composition.
pub const STORE: Recipe = Recipe { crate_name: "leafid-example-store", ..of("store", "") };

/// Builds the published components into `dist/`.
pub fn build() -> Outcome<PathBuf> {
    files::remove(&project::dist().join("oci"))?;
    PUBLISHED.iter().try_for_each(Recipe::make)?;
    files::write(&project::dist().join("leafid.wit"), one_file()?)?;
    Ok(project::dist().join("leafid.wasm"))
}

/// The folder of components for tests.
pub fn folder() -> PathBuf {
    project::target().join("component")
}

impl Recipe {
    /// The component's core module.
    pub fn core(&self) -> PathBuf {
        folder().join(format!("{}.core.wasm", self.name))
    }

    /// Builds the component; a published one goes to `dist/`, with its artifact.
    pub fn make(&self) -> Outcome {
        tools::rust_target("wasm32-unknown-unknown")?;
        tools::node_modules_of_tests()?;
        Run::cargo(&["build", "--locked", "-p", self.crate_name, "--features", self.features])
            .args(["--target", "wasm32-unknown-unknown", "--profile", "component"])
            .done()?;
        let module = format!("{}.wasm", self.crate_name.replace('-', "_"));
        let module = project::target().join("wasm32-unknown-unknown/component").join(module);
        let core = self.core();
        // Two recipes share one module's path, so its time means nothing.
        let before = core.with_extension("before.wasm");
        if files::write(&before, files::bytes(&module)?)? || !core.is_file() {
            files::remove(&core)?;
            let half = core.with_extension("half.wasm");
            tools::npx("wasm-opt").args(OPTIMISE).arg("-o").arg(&half).arg(&before).done()?;
            files::install(&half, &core)?;
        }
        let is_published = PUBLISHED.iter().any(|recipe| recipe.name == self.name);
        let place = if is_published { project::dist() } else { folder() };
        files::make_dir(&place)?;
        Run::new("node")
            .args(["xtask/src/build/component.mjs", self.name, project::VERSION])
            .args([&core, &place])
            .done()
    }
}

/// The whole WIT in one file, as tools take it: the package, then those that it uses.
fn one_file() -> Outcome<String> {
    let folder = project::at("wit");
    let mut text = String::new();
    for file in files::ending(&folder, ".wit") {
        let part = files::read(&file)?;
        let (package, rest) = part.split_once('\n').ok_or("an empty file in `wit`")?;
        let package = if text.is_empty() { package } else { "" };
        text += &format!("{package}\n{}\n", rest.trim_end());
    }
    for file in files::ending(&folder.join("deps"), ".wit") {
        let other = files::read(&file)?.replacen(';', " {", 1);
        text += &format!("\n{}\n}}\n", other.trim_end());
    }
    Ok(text)
}
