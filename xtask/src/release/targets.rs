//! The platforms of a release.

use crate::Outcome;
use crate::project;

/// A platform.
pub struct Target {
    /// Rust's name of it.
    pub triple: &'static str,
    /// Its npm package, after `leafid-`.
    pub npm: &'static str,
    /// The wheel's platform: the oldest C library that it runs on.
    pub wheel: Option<&'static str>,
    /// Whether the store's binary is published for it: one that needs no library of the system.
    pub has_binary: bool,
}

impl Target {
    /// Whether it is Linux, for which any Linux compiles with zig as the linker.
    pub fn is_linux(&self) -> bool {
        self.triple.contains("-linux-")
    }

    /// Whether its C library is musl.
    pub fn is_musl(&self) -> bool {
        self.triple.ends_with("-musl")
    }

    /// Its name for zig, with the oldest glibc that the product runs on.
    pub fn for_zig(&self) -> String {
        if self.triple.ends_with("-gnu") {
            format!("{}.2.17", self.triple)
        } else {
            self.triple.to_owned()
        }
    }

    /// Its processor as images name it.
    pub fn image_arch(&self) -> &'static str {
        if self.triple.starts_with("aarch64") { "arm64" } else { "amd64" }
    }
}

/// Every platform.
pub const ALL: &[Target] = &[
    Target {
        triple: "x86_64-unknown-linux-gnu",
        npm: "linux-x64-gnu",
        wheel: Some("manylinux_2_17"),
        has_binary: false,
    },
    Target {
        triple: "aarch64-unknown-linux-gnu",
        npm: "linux-arm64-gnu",
        wheel: Some("manylinux_2_17"),
        has_binary: false,
    },
    Target {
        triple: "x86_64-unknown-linux-musl",
        npm: "linux-x64-musl",
        wheel: Some("musllinux_1_2"),
        has_binary: true,
    },
    Target {
        triple: "aarch64-unknown-linux-musl",
        npm: "linux-arm64-musl",
        wheel: Some("musllinux_1_2"),
        has_binary: true,
    },
    Target { triple: "x86_64-apple-darwin", npm: "darwin-x64", wheel: None, has_binary: true },
    Target { triple: "aarch64-apple-darwin", npm: "darwin-arm64", wheel: None, has_binary: true },
    Target { triple: "x86_64-pc-windows-msvc", npm: "win32-x64", wheel: None, has_binary: false },
];

/// The named one, or all that can be made on this machine.
pub fn chosen(name: Option<&str>) -> Outcome<Vec<&'static Target>> {
    let system = if cfg!(target_os = "linux") {
        "-linux-"
    } else if cfg!(target_os = "macos") {
        "-apple-"
    } else {
        "-windows-"
    };
    let here = |target: &&Target| target.triple.contains(system);
    match name {
        None => Ok(ALL.iter().filter(here).collect()),
        Some(name) => match ALL.iter().find(|target| target.triple == name) {
            Some(target) if here(&target) => Ok(vec![target]),
            Some(_) => Err(format!("`{name}` is made on its own system, not here")),
            None => {
                let names: Vec<_> = ALL.iter().map(|target| target.triple).collect();
                Err(format!("there is no target `{name}`: {}", names.join(", ")))
            }
        },
    }
}

/// The target of this machine's own processor, with this C library.
pub fn own(end: &str) -> Outcome<&'static Target> {
    let name = format!("{}-{end}", std::env::consts::ARCH);
    let found = ALL.iter().find(|target| target.triple == name);
    found.ok_or_else(|| format!("there is no target `{name}`"))
}

/// A file in cargo's target folder of a target.
pub fn built(target: &Target, file: &str) -> std::path::PathBuf {
    project::target().join(target.triple).join("release").join(file)
}
