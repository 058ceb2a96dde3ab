//! The platforms of a release.

use std::path::PathBuf;

use crate::process::Run;
use crate::{Outcome, project, tools};

pub struct Target {
    /// Rust's target triple.
    pub triple: &'static str,
    /// Its npm package, after `leafid-`.
    pub npm: &'static str,
}

const fn of(triple: &'static str, npm: &'static str) -> Target {
    Target { triple, npm }
}

pub const ALL: &[Target] = &[
    of("x86_64-unknown-linux-gnu", "linux-x64-gnu"),
    of("aarch64-unknown-linux-gnu", "linux-arm64-gnu"),
    of("x86_64-unknown-linux-musl", "linux-x64-musl"),
    of("aarch64-unknown-linux-musl", "linux-arm64-musl"),
    of("x86_64-apple-darwin", "darwin-x64"),
    of("aarch64-apple-darwin", "darwin-arm64"),
    of("x86_64-pc-windows-msvc", "win32-x64"),
];

/// The named platform, or all that this machine can make.
pub fn chosen(name: Option<&str>) -> Outcome<Vec<&'static Target>> {
    let system = match std::env::consts::OS {
        "macos" => "-apple-",
        "windows" => "-windows-",
        _ => "-linux-",
    };
    let here = ALL.iter().filter(|target| target.triple.contains(system));
    let chosen: Vec<_> = here.filter(|here| name.is_none_or(|name| name == here.triple)).collect();
    let refused = || format!("`{}` is no target that is made here", name.unwrap_or_default());
    if chosen.is_empty() { Err(refused()) } else { Ok(chosen) }
}

/// The path of the image's binary for a processor.
pub fn image(processor: &str) -> PathBuf {
    let arch = if processor.starts_with("aarch64") { "arm64" } else { "amd64" };
    project::dist().join("image").join(arch).join("leafid")
}

impl Target {
    /// Whether it is Linux, for which any Linux can compile, with zig as the linker.
    pub fn is_linux(&self) -> bool {
        self.triple.contains("-linux-")
    }

    pub fn is_musl(&self) -> bool {
        self.triple.ends_with("-musl")
    }

    /// The wheel's platform tag: the oldest C library that it runs on.
    pub fn wheel(&self) -> Option<&'static str> {
        let linux = if self.is_musl() { "musllinux_1_2" } else { "manylinux_2_17" };
        self.is_linux().then_some(linux)
    }

    /// Whether a store's binary is published, as it needs no library of the system.
    pub fn has_binary(&self) -> bool {
        self.is_musl() || !self.is_linux()
    }

    /// Whether its programs run on this machine.
    pub fn is_own(&self) -> bool {
        self.triple.starts_with(std::env::consts::ARCH)
    }

    /// Prepares `cargo build`: with zig for Linux and its oldest glibc, else with the system's linker.
    pub fn cargo(&self, package: &str) -> Outcome<Run> {
        tools::rust_target(self.triple)?;
        let oldest = if self.triple.ends_with("-gnu") { ".2.17" } else { "" };
        let run = match self.is_linux() {
            true => super::python("cargo-zigbuild")?.arg("zigbuild"),
            false => Run::new("cargo").arg("build"),
        };
        let profile = if package == "leafid-server" { "server" } else { "release" };
        let run = run.args(["--locked", "--profile", profile, "-p", package]);
        let run = run.args(["--target", &format!("{}{oldest}", self.triple)]);
        Ok(run.env("CARGO_TARGET_DIR", project::target()))
    }

    /// The path of a library that cargo built.
    pub fn built(&self, library: &str) -> PathBuf {
        project::target().join(self.triple).join("release").join(library)
    }

    /// The path of the store's binary that cargo built.
    pub fn binary(&self) -> PathBuf {
        project::target().join(self.triple).join("server").join(project::program("leafid"))
    }
}

#[cfg(test)]
mod tests {
    use super::ALL;
    use crate::build::npm::program_for;

    #[test]
    fn the_workflow_asks_npm_for_every_platform() {
        let workflow = include_str!("../../../.github/workflows/release.yml");
        let asked: Vec<_> = workflow.split_whitespace().collect();
        for target in ALL {
            let program = format!("server-{}", program_for(target.npm));
            for name in [target.npm, &program] {
                assert!(asked.contains(&&*format!("leafid-{name}")), "{name}");
            }
        }
    }
}
