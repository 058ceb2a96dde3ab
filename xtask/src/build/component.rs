//! The WebAssembly components: built as core modules, made small, then encoded by jco in `component.mjs`.
//!
//! In this order: `wasm-opt` reads modules and no components, and keeps the section that says what the
//! module is as a component.

use std::path::PathBuf;

use crate::process::Run;
use crate::{Outcome, files, project, tools};

/// Control flow that is made flat and built up again is half a percent smaller.
const OPTIMISE: &[&str] = &["--flatten", "--rereloop", "-Oz", "-Oz", "--converge"];

/// A crate, with one of its features or none, that becomes a component.
pub struct Recipe {
    /// The name of the product, without `.wasm`.
    pub name: &'static str,
    crate_name: &'static str,
    features: &'static str,
}

const fn of(name: &'static str, features: &'static str) -> Recipe {
    Recipe { name, crate_name: "leafid-component", features }
}

/// What is published.
pub const PUBLISHED: [Recipe; 3] =
    [of("leafid", ""), of("leafid-pure", "pure"), of("leafid-public", "public")];
/// The control of the benchmark.
pub const COUNTING: Recipe = of("counting", "counting");
/// A store that is a component, for the composition.
pub const STORE: Recipe = Recipe { crate_name: "leafid-example-store", ..of("store", "") };

/// Builds what is published, into `dist/`.
pub fn build() -> Outcome<PathBuf> {
    files::remove(&project::dist().join("oci"))?;
    PUBLISHED.iter().try_for_each(Recipe::make)?;
    files::write(&project::dist().join("leafid.wit"), one_file()?)?;
    Ok(project::dist().join("leafid.wasm"))
}

/// Where components lie that are made for tests only.
pub fn folder() -> PathBuf {
    project::target().join("component")
}

impl Recipe {
    /// The module that the component is made of.
    pub fn core(&self) -> PathBuf {
        folder().join(format!("{}.core.wasm", self.name))
    }

    /// Builds the component: into `dist/` what is published, with its artifact.
    pub fn make(&self) -> Outcome {
        tools::rust_target("wasm32-unknown-unknown")?;
        tools::node_modules_of_tests()?;
        Run::cargo(&["build", "--locked", "-p", self.crate_name, "--features", self.features])
            .args(["--target", "wasm32-unknown-unknown", "--profile", "component"])
            .done()?;
        let module = format!("{}.wasm", self.crate_name.replace('-', "_"));
        let module = project::target().join("wasm32-unknown-unknown/component").join(module);
        let core = self.core();
        // Two recipes share one module's place, so its time says nothing.
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

/// The whole description in one file, as tools take it: the package, then those that it uses.
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
