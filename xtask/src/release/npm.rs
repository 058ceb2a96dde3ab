//! The npm packages: the main one with the wasm inside, and the native engine of each platform.

use std::path::Path;

use super::targets::{self, Target};
use super::{at, needs, programs, publish};
use crate::build::node;
use crate::process::Run;
use crate::{Outcome, build, files, project};

/// What a user does first, without a server: the engine must be the native one.
const FIRST: &str = "import { Segment } from 'leafid'; \
                     const ids = new Segment('orders', { store: 'memory:' }); \
                     const [one] = await ids.take(3); \
                     console.log(String(one), ids.stats().engine)";

/// The largest that an engine's package may be, in bytes, as npm sends it …
const MOST: u64 = 600_000;
/// … and the main package.
const MOST_MAIN: u64 = 500_000;
/// As the suites of the main package.
const PUBLINT: &str = "publint@0.3.25";

/// Builds and packs each.
pub fn make(targets: &[&Target]) -> Outcome<String> {
    let mut told = Vec::new();
    for target in targets {
        let mut run = programs::cargo(target)?.args(["-p", "leafid-node"]);
        if target.is_musl() {
            // An add-on is loaded by a program that has the C library already.
            run = run.env("RUSTFLAGS", "-C target-feature=-crt-static");
        }
        run.done()?;
        let library = match target.triple {
            name if name.contains("windows") => "leafid_node.dll",
            name if name.contains("apple") => "libleafid_node.dylib",
            _ => "libleafid_node.so",
        };
        let addon = project::target().join(format!("release/npm/leafid.{}.node", target.npm));
        files::install(&targets::built(target, library), &addon)?;
        let packed = publish(&node::pack(target.npm, &addon)?)?;
        told.push(format!("{} {:.2} MB", target.npm, small(&packed, MOST)? as f64 / 1e6));
    }
    Ok(told.join(", "))
}

/// The main package, which names the engine of every platform.
pub fn main(_: &[&Target]) -> Outcome<String> {
    build::need(&["wasm", "node", "npm"])?;
    let folder = project::target().join("release/npm/leafid");
    files::remove_dir(&folder)?;
    // As `cargo xtask build` staged it, where it names this machine's engine alone: npm would ask
    // its registry for the others on each installation of a test.
    files::copy_dir(&build::npm::stage()?, &folder)?;
    let manifest = folder.join("package.json");
    let version = project::version();
    let engines =
        targets::ALL.iter().map(|target| format!("    \"leafid-{}\": \"{version}\"", target.npm));
    let engines = engines.collect::<Vec<_>>().join(",\n");
    // As text: the order of `exports` means something.
    let text = files::read(&manifest)?;
    let (before, rest) =
        text.split_once("\"optionalDependencies\": {").ok_or("package.json names no engine")?;
    let (_, after) = rest.split_once('}').ok_or("package.json has no end")?;
    let text = format!("{before}\"optionalDependencies\": {{\n{engines}\n  }}{after}");
    files::write(&manifest, text)?;
    files::make_dir(&at(""))?;
    Run::new("npm")
        .args(["pack", "--ignore-scripts", "--loglevel", "error", "--pack-destination"])
        .arg(at(""))
        .dir(&folder)
        .output()?;
    let size = small(&at(format!("leafid-{version}.tgz")), MOST_MAIN)?;
    Ok(format!("{:.2} MB, with {} engines to choose from", size as f64 / 1e6, targets::ALL.len()))
}

fn small(packed: &Path, most: u64) -> Outcome<u64> {
    let size = files::size(packed)?;
    if size <= most {
        return Ok(size);
    }
    Err(format!("`{}` has {size} bytes, above {most}", files::shown(packed)))
}

/// What npm and publint say of each package, without sending anything.
fn publishable() -> Outcome<usize> {
    let folder = project::at(".cache/release-js");
    files::write(&folder.join("package.json"), "{\"private\":true}")?;
    let mark = folder.join(PUBLINT);
    if !mark.exists() {
        Run::new("npm").args(["install", "--ignore-scripts", PUBLINT]).dir(&folder).output()?;
        files::write(&mark, "")?;
    }
    let all = files::ending(&at(""), ".tgz");
    for package in &all {
        let listed = Run::new("tar").quiet().arg("-tzf").arg(package).output()?;
        for file in ["package/LICENSE-APACHE", "package/LICENSE-MIT", "package/package.json"] {
            if !listed.lines().any(|line| line == file) {
                return Err(format!("`{}` has no `{file}`", files::shown(package)));
            }
        }
        engine(package)?;
        Run::new("npm")
            .args(["publish", "--dry-run", "--access", "public"])
            .arg(package)
            .output()?;
        let publint = Run::new(folder.join("node_modules/.bin/publint"));
        publint.args(["run", "--strict"]).arg(package).output()?;
    }
    Ok(all.len())
}

/// An engine for Linux loads on the systems that its name promises.
fn engine(package: &Path) -> Outcome {
    let name = package.file_name().unwrap_or_default().to_string_lossy();
    if !name.starts_with("leafid-linux-") {
        return Ok(());
    }
    let folder = project::target().join("release/unpacked-npm");
    files::remove_dir(&folder)?;
    files::make_dir(&folder)?;
    Run::new("tar").quiet().arg("-xzf").arg(package).arg("-C").arg(&folder).done()?;
    let libraries = files::ending(&folder.join("package"), ".node");
    libraries.iter().try_for_each(|library| needs::optimised(library))?;
    match libraries.as_slice() {
        [library] if name.contains("-musl-") => needs::musl_alone(library),
        [library] => needs::old_glibc(library),
        other => Err(format!("`{name}` has {} engines instead of one", other.len())),
    }
}

/// Installs the main package with this machine's own as a user does, and takes IDs.
pub fn look() -> Outcome<String> {
    let count = publishable()?;
    let own = targets::own("unknown-linux-gnu")?;
    let version = project::version();
    let packages = [format!("leafid-{version}.tgz"), format!("leafid-{}-{version}.tgz", own.npm)];
    let folder = project::target().join("release/consumer-js");
    files::remove_dir(&folder)?;
    files::write(&folder.join("package.json"), "{\"private\":true,\"type\":\"module\"}")?;
    Run::new("npm")
        .args(["install", "--no-audit", "--no-fund", "--offline", "--loglevel", "error"])
        .args(packages.iter().map(at))
        .dir(&folder)
        .done()?;
    files::write(&folder.join("first.mjs"), FIRST)?;
    let said = Run::new("node").quiet().arg("first.mjs").dir(&folder).output()?;
    match said.trim() {
        "1 native" => Ok(format!(
            "{count} packages may be published; {} installed, its engine is native",
            own.npm
        )),
        other => Err(format!("the installed package says `{other}`")),
    }
}
