//! The WebAssembly components: built as core modules, made small, encoded, described by their WIT.
//!
//! In this order: `wasm-opt` reads modules and no components, and keeps the section that says what the
//! module is as a component.

use std::path::{Path, PathBuf};

use wit_component::{ComponentEncoder, DecodedWasm, WitPrinter};
use wit_parser::{IndexMap, Resolve, WorldId, WorldItem, WorldKey};

use super::oci;
use super::smaller::smaller;
use crate::process::Run;
use crate::{Outcome, files, project, tools};

/// Control flow that is made flat and built up again is half a percent smaller.
const OPTIMISE: &[&str] = &["--flatten", "--rereloop", "-Oz", "-Oz", "--converge"];

/// Where the interfaces are described.
pub const WIT: &str = "wit";

/// A crate, with one of its features or none, that becomes a component.
pub struct Recipe {
    /// The name of the product, without `.wasm`.
    pub name: &'static str,
    crate_name: &'static str,
    features: &'static str,
}

/// `leafid.wasm`.
pub const LEAFID: Recipe = Recipe { name: "leafid", crate_name: "leafid-component", features: "" };
/// `leafid-pure.wasm`.
pub const PURE: Recipe =
    Recipe { name: "leafid-pure", crate_name: "leafid-component", features: "pure" };
/// `leafid-public.wasm`.
pub const PUBLIC: Recipe =
    Recipe { name: "leafid-public", crate_name: "leafid-component", features: "public" };
/// The control of the benchmark.
pub const COUNTING: Recipe =
    Recipe { name: "counting", crate_name: "leafid-component", features: "counting" };
/// A store that is a component, for the composition; not published.
pub const STORE: Recipe =
    Recipe { name: "store", crate_name: "leafid-example-store", features: "" };

/// Builds what is published, into `dist/`.
pub fn build() -> Outcome<PathBuf> {
    for recipe in [LEAFID, PURE, PUBLIC] {
        let built = recipe.make()?;
        files::install(&built, &project::dist().join(format!("{}.wasm", recipe.name)))?;
    }
    files::write(&project::dist().join("leafid.wit"), one_file()?)?;
    oci::write(&[
        artifact(
            &LEAFID,
            "Unique 64-bit IDs: generators, layouts, text forms, a store's decisions",
        )?,
        artifact(&PURE, "Unique 64-bit IDs: layouts, text forms, a store's decisions")?,
        artifact(&PUBLIC, "IDs as the outside may see them: scrambled, in base58 or base62")?,
    ])?;
    Ok(product())
}

fn artifact(recipe: &Recipe, about: &'static str) -> Outcome<oci::Artifact> {
    let bytes = files::bytes(&project::dist().join(format!("{}.wasm", recipe.name)))?;
    let (resolve, world) = decoded(&bytes)?;
    let world = &resolve.worlds[world];
    let names = |items: &IndexMap<WorldKey, WorldItem>| {
        items.keys().map(|key| resolve.name_world_key(key)).collect()
    };
    let interfaces = [names(&world.imports), names(&world.exports)];
    Ok(oci::Artifact { name: recipe.name, about, interfaces })
}

/// What a component says of itself.
pub fn decoded(component: &[u8]) -> Outcome<(Resolve, WorldId)> {
    match wit_component::decode(component) {
        Ok(DecodedWasm::Component(resolve, world)) => Ok((resolve, world)),
        Ok(DecodedWasm::WitPackage(..)) => Err("this is a WIT package, no component".to_owned()),
        Err(error) => Err(format!("this is not a component: {error:#}")),
    }
}

/// `dist/leafid.wasm`.
pub fn product() -> PathBuf {
    project::dist().join("leafid.wasm")
}

/// Where components lie that are made for tests only.
pub fn folder() -> PathBuf {
    project::target().join("component")
}

impl Recipe {
    /// Builds the component, below the target folder.
    pub fn make(&self) -> Outcome<PathBuf> {
        tools::rust_target("wasm32-unknown-unknown")?;
        tools::node_modules()?;
        Run::cargo(&["build", "--locked", "-p", self.crate_name, "--features", self.features])
            .args(["--target", "wasm32-unknown-unknown", "--profile", "component"])
            .done()?;
        let module = format!("{}.wasm", self.crate_name.replace('-', "_"));
        let module = project::target().join("wasm32-unknown-unknown/component").join(module);
        let [small, component] =
            ["core.wasm", "wasm"].map(|end| folder().join(format!("{}.{end}", self.name)));
        // Two recipes share one module's place, so its time says nothing.
        let source = files::bytes(&module)?;
        let before = folder().join(format!("{}.module.wasm", self.name));
        if !files::write(&before, &source)? && small.is_file() && component.is_file() {
            return Ok(component);
        }
        tools::npx("wasm-opt").args(OPTIMISE).arg("-o").arg(&small).arg(&before).done()?;
        files::write(&component, encode(&small)?)?;
        Ok(component)
    }
}

/// The component of a core module.
fn encode(module: &Path) -> Outcome<Vec<u8>> {
    let bytes = files::bytes(module)?;
    let encoded = ComponentEncoder::default()
        .module(&bytes)
        .and_then(|encoder| encoder.validate(true).encode());
    let encoded = encoded
        .map_err(|error| format!("no component of `{}`: {error:#}", files::shown(module)))?;
    smaller(&encoded)
}

/// The package of the tree, and what it uses.
pub fn described() -> Outcome<(Resolve, wit_parser::PackageId)> {
    let mut resolve = Resolve::default();
    let pushed = resolve.push_dir(project::at(WIT));
    let (package, _) = pushed.map_err(|error| format!("`{WIT}`: {error:#}"))?;
    Ok((resolve, package))
}

/// The whole description in one file, as tools take it.
pub fn one_file() -> Outcome<String> {
    let (resolve, package) = described()?;
    let others: Vec<_> =
        resolve.packages.iter().map(|(id, _)| id).filter(|id| *id != package).collect();
    let mut printer = WitPrinter::default();
    let printed = printer.print(&resolve, package, &others);
    printed.map_err(|error| format!("`{WIT}` cannot be printed: {error:#}"))?;
    Ok(printer.output.to_string())
}
