//! Whether what Linux cannot link is compiled at least: the packages of Windows, and this program, which
//! makes them there. A release would otherwise be the first to notice. macOS is the workflow's alone.

use super::programs;
use crate::{Outcome, files, project, tools};

/// A target, and what its release job compiles.
const SYSTEMS: &[(&str, &[&str])] = &[
    // Published for msvc, whose C compiler is on Windows alone; Rust's part is the same.
    ("x86_64-pc-windows-gnu", &["xtask", "leafid-py", "leafid-node"]),
];

/// Compiles without linking; zig is the C compiler.
pub fn look() -> Outcome<String> {
    // napi's build script wants the library that only linking needs.
    let folder = project::target().join("release/no-node");
    files::write(&folder.join("libnode.dll"), "")?;
    for (target, packages) in SYSTEMS {
        tools::rust_target(target)?;
        programs::python("cargo-zigbuild")?
            .args(["check", "--locked", "--target", target])
            .args(packages.iter().flat_map(|package| ["-p", package]))
            .env("CARGO_TARGET_DIR", project::target())
            .env("LIBNODE_PATH", &folder)
            .done()?;
    }
    let names: Vec<_> = SYSTEMS.iter().map(|(target, _)| *target).collect();
    Ok(format!("compiled, not linked and not run: {}", names.join(", ")))
}
