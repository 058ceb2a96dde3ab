//! The WebAssembly components: built as core modules, made small, then encoded by jco.
//!
//! In this order: `wasm-opt` reads modules and no components, and keeps the section that says what the
//! module is as a component.

use std::path::PathBuf;

use super::oci::{self, Artifact};
use crate::process::Run;
use crate::{Outcome, files, project, tools};

/// Control flow that is made flat and built up again is half a percent smaller.
const OPTIMISE: &[&str] = &["--flatten", "--rereloop", "-Oz", "-Oz", "--converge"];
const ENCODE: &str = include_str!("component.mjs");

/// A crate, with one of its features or none, that becomes a component.
pub struct Recipe {
    /// The name of the product, without `.wasm`.
    pub name: &'static str,
    crate_name: &'static str,
    features: &'static str,
}

impl Recipe {
    const fn of(name: &'static str, features: &'static str) -> Recipe {
        Recipe { name, crate_name: "leafid-component", features }
    }
}

/// `leafid.wasm`.
pub const LEAFID: Recipe = Recipe::of("leafid", "");
/// `leafid-pure.wasm`.
pub const PURE: Recipe = Recipe::of("leafid-pure", "pure");
/// `leafid-public.wasm`.
pub const PUBLIC: Recipe = Recipe::of("leafid-public", "public");
/// The control of the benchmark.
pub const COUNTING: Recipe = Recipe::of("counting", "counting");
/// A store that is a component, for the composition; not published.
pub const STORE: Recipe =
    Recipe { name: "store", crate_name: "leafid-example-store", features: "" };

/// What is published, each with a line about it.
const PUBLISHED: &[(Recipe, &str)] = &[
    (LEAFID, "Unique 64-bit IDs: generators, layouts, text forms, a store's decisions"),
    (PURE, "Unique 64-bit IDs: layouts, text forms, a store's decisions"),
    (PUBLIC, "IDs as the outside may see them: scrambled, in base58 or base62"),
];

/// Builds what is published, into `dist/`.
pub fn build() -> Outcome<PathBuf> {
    let mut artifacts = Vec::new();
    for (recipe, about) in PUBLISHED {
        let built = recipe.make()?;
        files::install(&built, &project::dist().join(format!("{}.wasm", recipe.name)))?;
        let wit = files::read(&built.with_extension("wit"))?;
        artifacts.push(Artifact { name: recipe.name, about, wit });
    }
    files::write(&project::dist().join("leafid.wit"), one_file()?)?;
    oci::write(&artifacts)?;
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

    /// Builds the component, below the target folder, with its WIT beside it.
    pub fn make(&self) -> Outcome<PathBuf> {
        tools::rust_target("wasm32-unknown-unknown")?;
        tools::node_modules_of_tests()?;
        Run::cargo(&["build", "--locked", "-p", self.crate_name, "--features", self.features])
            .args(["--target", "wasm32-unknown-unknown", "--profile", "component"])
            .done()?;
        let module = format!("{}.wasm", self.crate_name.replace('-', "_"));
        let module = project::target().join("wasm32-unknown-unknown/component").join(module);
        let component = folder().join(format!("{}.wasm", self.name));
        let wit = component.with_extension("wit");
        // Two recipes share one module's place, so its time says nothing.
        let before = component.with_extension("module.wasm");
        if !files::write(&before, files::bytes(&module)?)? && wit.is_file() {
            return Ok(component);
        }
        files::remove(&wit)?;
        tools::npx("wasm-opt").args(OPTIMISE).arg("-o").arg(self.core()).arg(&before).done()?;
        let encode = Run::new("node").quiet().args(["--input-type=module", "-e", ENCODE]);
        files::write(&wit, encode.arg(self.core()).arg(&component).output()?)?;
        Ok(component)
    }
}

/// The whole description in one file, as tools take it: the package, then those that it uses.
fn one_file() -> Outcome<String> {
    let folder = project::at("wit");
    let mut text = String::new();
    for file in files::ending(&folder, ".wit") {
        let part = files::read(&file)?;
        let (package, rest) = part.split_once('\n').ok_or("an empty file in `wit`")?;
        if text.is_empty() {
            text += package;
        }
        text += &format!("\n{}\n", rest.trim_end());
    }
    for file in files::ending(&folder.join("deps"), ".wit") {
        let other = files::read(&file)?.replacen(';', " {", 1);
        text += &format!("\n{}\n}}\n", other.trim_end());
    }
    Ok(text)
}
