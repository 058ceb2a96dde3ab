//! What the project asks of a machine: one table, which the README shows, the start of `run`, `test` and
//! `build` checks, `setup-ci` installs, and `bare` makes a system of.

use std::path::Path;

use crate::Outcome;
use crate::process::Run;

/// One row of the table.
pub struct Prerequisite {
    /// As the README names it.
    pub name: &'static str,
    /// The Debian packages that bring it; empty where Debian's own are too old.
    pub debian: &'static [&'static str],
    /// The command for Debian, where it is not `apt-get install` of these packages.
    other: &'static str,
    /// The command for Fedora.
    fedora: &'static str,
    /// The command for macOS.
    macos: &'static str,
    /// Looks for it; the complaint if it is missing or too old.
    look: fn() -> Option<String>,
}

/// All that `run`, `test` and `build` need.
pub const TABLE: &[Prerequisite] = &[
    Prerequisite {
        name: "Rust 1.95 or later, with rustup",
        debian: &[],
        other: RUSTUP,
        fedora: "sudo dnf install rustup && rustup-init -y",
        macos: RUSTUP,
        look: rust,
    },
    Prerequisite {
        name: "a C compiler",
        debian: &["build-essential"],
        other: "",
        fedora: "sudo dnf install gcc",
        macos: "xcode-select --install",
        look: || works("cc", &["--version"]),
    },
    Prerequisite {
        name: "Python 3.11 or later, with venv",
        debian: &["python3", "python3-venv"],
        other: "",
        fedora: "sudo dnf install python3",
        macos: "brew install python",
        look: python,
    },
    Prerequisite {
        name: "Node 20.19 or later, with npm",
        debian: &[],
        other: "unpack https://nodejs.org/en/download and put its `bin` on the PATH",
        fedora: "sudo dnf install nodejs npm",
        macos: "brew install node",
        look: node,
    },
    Prerequisite {
        name: "git",
        debian: &["git"],
        other: "",
        fedora: "sudo dnf install git",
        macos: "xcode-select --install",
        look: || works("git", &["--version"]),
    },
    Prerequisite {
        name: "CA certificates",
        debian: &["ca-certificates"],
        other: "",
        fedora: "sudo dnf install ca-certificates",
        macos: "brew install ca-certificates",
        look: certificates,
    },
];

const RUSTUP: &str = "curl -sSf https://sh.rustup.rs | sh";

/// The target of the npm package's wasm: rustup adds it, and nothing else can.
pub const WASM: &str = "wasm32-unknown-unknown";

impl Prerequisite {
    /// The command that installs it on Debian.
    pub fn on_debian(&self) -> String {
        match self.debian {
            [] => self.other.to_owned(),
            packages => format!("sudo apt-get install {}", packages.join(" ")),
        }
    }

    /// Its row of the README's table.
    pub fn row(&self) -> String {
        let (debian, fedora, macos) = (self.on_debian(), self.fedora, self.macos);
        let shown = |command: &str| match command.contains('`') {
            true => command.to_owned(),
            false => format!("`{}`", command.replace('|', "\\|")),
        };
        format!("| {} | {} | {} | {} |", self.name, shown(&debian), shown(fedora), shown(macos))
    }

    fn here(&self) -> String {
        if cfg!(target_os = "macos") {
            self.macos.to_owned()
        } else if Path::new("/etc/fedora-release").exists() {
            self.fedora.to_owned()
        } else {
            self.on_debian()
        }
    }
}

/// Everything that is missing, in one message, each with the command that installs it.
///
/// # Errors
/// That message.
pub fn check() -> Outcome {
    let missing: Vec<_> = TABLE
        .iter()
        .filter_map(|row| Some(format!("  {}: {}\n      {}", row.name, (row.look)()?, row.here())))
        .collect();
    if missing.is_empty() {
        return Ok(());
    }
    Err(format!("this machine lacks\n{}", missing.join("\n")))
}

/// The Debian packages of what is missing here.
pub fn missing_packages() -> impl Iterator<Item = &'static str> {
    TABLE.iter().filter(|row| (row.look)().is_some()).flat_map(|row| row.debian).copied()
}

fn rust() -> Option<String> {
    let version = works("cargo", &["--version"]);
    version.or_else(|| {
        let sysroot = said("rustc", &["--print", "sysroot"])?;
        let libraries = Path::new(sysroot.trim()).join("lib/rustlib").join(WASM).join("lib");
        match libraries.is_dir() {
            true => None,
            false => works("rustup", &["--version"])
                .map(|why| format!("{why}, and without it the target {WASM} cannot be added")),
        }
    })
}

fn python() -> Option<String> {
    let version = "import sys; print(*sys.version_info[:2], sep='.')";
    works("python3", &["--version"])
        .or_else(|| too_old("python3", &said("python3", &["-c", version])?, &[3, 11]))
        .or_else(|| works("python3", &["-c", "import venv, ensurepip"]))
}

fn node() -> Option<String> {
    works("node", &["--version"])
        .or_else(|| too_old("node", &said("node", &["--version"])?, &[20, 19]))
        .or_else(|| works("npm", &["--version"]))
}

/// Usual paths of a system's certificate bundle.
const BUNDLES: &[&str] = &[
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/cert.pem",
    "/etc/ssl/ca-bundle.pem",
];

fn certificates() -> Option<String> {
    let given = std::env::var_os("SSL_CERT_FILE").is_some_and(|file| Path::new(&file).exists());
    let there = given || BUNDLES.iter().any(|bundle| Path::new(bundle).exists());
    (!there).then(|| format!("no `{}`", BUNDLES[0]))
}

/// Refuses to go on without a program that only this step needs, and says what installs it.
///
/// # Errors
/// It is missing or does not work.
pub fn need(program: &str, probe: &[&str], install: &str) -> Outcome {
    works(program, probe).map_or(Ok(()), |why| Err(format!("{why}: {install}")))
}

/// Why a program does not work; `None` where it does.
fn works(program: &str, probe: &[&str]) -> Option<String> {
    match Run::new(program).quiet().args(probe).listen() {
        Err(_) => Some(format!("no `{program}`")),
        Ok(said) if said.success => None,
        Ok(said) => {
            let why = said.stderr.lines().rev().find(|line| !line.trim().is_empty());
            Some(format!("`{program}` does not work ({})", why.unwrap_or("it does not say why")))
        }
    }
}

fn said(program: &str, words: &[&str]) -> Option<String> {
    Run::new(program).quiet().args(words).output().ok()
}

fn too_old(program: &str, version: &str, least: &[u32]) -> Option<String> {
    let version = version.trim();
    let parts = version.trim_start_matches('v').split('.').map_while(|part| part.parse().ok());
    let parts: Vec<u32> = parts.collect();
    (parts.as_slice() < least).then(|| format!("`{program}` is {version}"))
}

#[cfg(test)]
mod tests {
    use super::{TABLE, too_old, works};

    #[test]
    fn a_missing_program_and_a_broken_one_are_told_apart() {
        assert_eq!(works("no-such-program", &[]), Some("no `no-such-program`".to_owned()));
        let broken = works("sh", &["-c", "echo no module >&2; exit 1"]);
        assert_eq!(broken, Some("`sh` does not work (no module)".to_owned()));
        assert_eq!(works("sh", &["-c", "exit 0"]), None);
    }

    #[test]
    fn a_version_is_compared_by_its_numbers() {
        let told = |version| too_old("node", version, &[20, 19]);
        assert_eq!(told("v20.19.0\n"), None);
        assert_eq!(told("v100.0.0-nightly"), None);
        assert_eq!(told("v18.19.0").as_deref(), Some("`node` is v18.19.0"));
        assert!(told("v20.9.0").is_some() && told("").is_some());
    }

    #[test]
    fn every_row_has_a_command_for_each_system() {
        for row in TABLE {
            assert!(
                ![row.on_debian().as_str(), row.fedora, row.macos].contains(&""),
                "{}",
                row.name
            );
        }
    }
}
