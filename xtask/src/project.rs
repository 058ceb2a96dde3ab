//! Where things are, and which version this is.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// The root of the checkout.
pub fn root() -> &'static Path {
    static ROOT: OnceLock<PathBuf> = OnceLock::new();
    // Baked in when xtask is built, so a checkout that was moved rebuilds xtask: cargo sees to that.
    ROOT.get_or_init(|| {
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        here.parent().unwrap_or(here).to_owned()
    })
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

/// How the products of this run are compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Profile {
    /// Cargo's `dev`, which `cargo test` uses as well: soon built. For `run` and `test`.
    Dev,
    /// As it is published: for whatever is measured, installed or released.
    Release,
}

impl Profile {
    /// As cargo and maturin name it.
    pub fn name(self) -> &'static str {
        match self {
            Profile::Dev => "dev",
            Profile::Release => "release",
        }
    }

    /// Its folder below cargo's target folder.
    pub fn folder(self) -> PathBuf {
        target().join(if self == Profile::Dev { "debug" } else { "release" })
    }
}

static PROFILE: OnceLock<Profile> = OnceLock::new();

/// Says which products this run makes and uses; the first word holds.
pub fn set_profile(profile: Profile) {
    let _ = PROFILE.set(profile);
}

/// Which products this run makes and uses.
pub fn profile() -> Profile {
    PROFILE.get().copied().unwrap_or(Profile::Release)
}

/// The products' folder: `dist` for release builds, `target/dist` for the others.
pub fn dist() -> PathBuf {
    match profile() {
        Profile::Dev => target().join("dist"),
        Profile::Release => at("dist"),
    }
}

/// The version of everything: the workspace's.
pub fn version() -> &'static str {
    env!("CARGO_PKG_VERSION")
}

/// Whether a missing program or a skipped part is a failure.
pub fn in_ci() -> bool {
    std::env::var("CI").is_ok_and(|value| !matches!(value.as_str(), "" | "0" | "false"))
}

/// This machine as npm's platform packages name it, for example `linux-x64-gnu`.
pub fn npm_platform() -> &'static str {
    if cfg!(all(target_os = "linux", target_arch = "x86_64", target_env = "gnu")) {
        "linux-x64-gnu"
    } else if cfg!(all(target_os = "linux", target_arch = "aarch64", target_env = "gnu")) {
        "linux-arm64-gnu"
    } else if cfg!(all(target_os = "linux", target_arch = "x86_64", target_env = "musl")) {
        "linux-x64-musl"
    } else if cfg!(all(target_os = "macos", target_arch = "aarch64")) {
        "darwin-arm64"
    } else if cfg!(all(target_os = "macos", target_arch = "x86_64")) {
        "darwin-x64"
    } else {
        "unknown"
    }
}

/// A word of a command line without the checkout's own path.
pub fn shorten(word: &str) -> String {
    let root = format!("{}/", root().display());
    let short = word.replace(&root, "");
    if short.contains([' ', '"', '$']) { format!("'{short}'") } else { short }
}
