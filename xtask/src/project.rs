//! The project's paths and version.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

pub fn root() -> &'static Path {
    // Fixed when xtask is built; cargo rebuilds xtask in a moved checkout.
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here)
}

/// A path inside the checkout.
pub fn at(path: impl AsRef<Path>) -> PathBuf {
    root().join(path)
}

/// Cargo's target folder: `CARGO_TARGET_DIR`, or `target`.
pub fn target() -> &'static Path {
    static TARGET: OnceLock<PathBuf> = OnceLock::new();
    TARGET.get_or_init(|| match std::env::var_os("CARGO_TARGET_DIR") {
        Some(dir) => std::env::current_dir().unwrap_or_default().join(dir),
        None => at("target"),
    })
}

/// How this run's products are compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Profile {
    /// Cargo's `dev`, shared with `cargo test`: fast to build, for `run` and `test`.
    Dev,
    /// As published: for measuring, installing and releasing.
    Release,
}

/// The profile of this run; the first value set stays.
pub static PROFILE: OnceLock<Profile> = OnceLock::new();

pub fn is_release() -> bool {
    PROFILE.get() != Some(&Profile::Dev)
}

/// The products' folder: `dist` for release builds, `target/dist` for the others.
pub fn dist() -> PathBuf {
    if is_release() { at("dist") } else { target().join("dist") }
}

/// The version of everything: the workspace's.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Whether a missing program or a skipped part is a failure.
pub fn in_ci() -> bool {
    std::env::var("CI").is_ok_and(|value| !matches!(value.as_str(), "" | "0" | "false"))
}

/// The file of a program on this machine.
pub fn program(name: &str) -> String {
    format!("{name}{}", std::env::consts::EXE_SUFFIX)
}

/// This machine's name in npm's platform packages, such as `linux-x64-gnu`.
pub fn npm_platform() -> &'static str {
    let musl = cfg!(target_env = "musl");
    match (std::env::consts::OS, std::env::consts::ARCH) {
        ("linux", "x86_64") if musl => "linux-x64-musl",
        ("linux", "x86_64") => "linux-x64-gnu",
        ("linux", "aarch64") if !musl => "linux-arm64-gnu",
        ("macos", "aarch64") => "darwin-arm64",
        ("macos", "x86_64") => "darwin-x64",
        _ => "unknown",
    }
}

/// Removes the checkout's path from a word of a command line.
pub fn shorten(word: &str) -> String {
    let short = word.replace(&format!("{}/", root().display()), "");
    if short.contains([' ', '"', '$']) { format!("'{short}'") } else { short }
}
