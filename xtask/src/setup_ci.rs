//! `cargo xtask setup-ci`: what `cargo xtask test --all` needs beyond the prerequisites, and those too where
//! Debian has them; nothing to do costs nothing.

use crate::args::Args;
use crate::process::Run;
use crate::{Outcome, prerequisites, tools};

/// A program, how to see that it works, and the package that brings it.
struct Wanted {
    probe: &'static [&'static str],
    package: &'static str,
}

const PACKAGES: &[Wanted] = &[
    // The servers that tests start: where each package keeps its programs stands in `tests/servers`.
    Wanted { probe: &["test", "-x", "/usr/sbin/mariadbd"], package: "mariadb-server" },
    // What PyPI's mysqlclient is compiled against.
    Wanted { probe: &["pkg-config", "--version"], package: "pkg-config" },
    Wanted { probe: &["pkg-config", "--exists", "libmariadb"], package: "libmariadb-dev" },
    Wanted { probe: &["python3", "-c", PYTHON_H], package: "python3-dev" },
    Wanted { probe: &["sh", "-c", "ls /usr/lib/postgresql/*/bin/initdb"], package: "postgresql" },
    Wanted { probe: &["test", "-f", "/usr/share/java/zookeeper.jar"], package: "zookeeper" },
    Wanted { probe: &["etcd", "--version"], package: "etcd-server" },
    // The browser of the tests that need one, and the tool that tries the alert rules.
    Wanted { probe: &["/usr/bin/chromium", "--version"], package: "chromium" },
    Wanted { probe: &["promtool", "--version"], package: "prometheus" },
    // Makes the certificates of servers that are spoken to by TLS.
    Wanted { probe: &["openssl", "version"], package: "openssl" },
];

const PYTHON_H: &str = "import os, sysconfig; \
                        assert os.path.exists(sysconfig.get_path('include') + '/Python.h')";

const TARGETS: &[&str] = &[prerequisites::WASM, "wasm32v1-none", "thumbv7em-none-eabi"];

const COMPONENTS: &[(&str, &str)] = &[("rustfmt", "rustfmt"), ("cargo-clippy", "clippy")];

/// The verb.
pub fn main(args: Args) -> Outcome {
    args.finish()?;
    packages()?;
    prerequisites::check()?;
    for target in TARGETS {
        tools::rust_target(target)?;
    }
    for (program, component) in COMPONENTS {
        let said = Run::new(program).quiet().arg("--version").listen();
        if !said.is_ok_and(|said| said.success) {
            Run::new("rustup").args(["component", "add", component]).done()?;
        }
    }
    println!("setup-ci: everything is there");
    Ok(())
}

fn packages() -> Outcome {
    let missing = |wanted: &&Wanted| {
        let (program, args) = wanted.probe.split_first().unwrap_or((&"true", &[]));
        !Run::new(program).quiet().args(args).listen().is_ok_and(|said| said.success)
    };
    let mut names: Vec<_> = PACKAGES.iter().filter(missing).map(|wanted| wanted.package).collect();
    names.extend(prerequisites::missing_packages());
    if names.is_empty() {
        return Ok(());
    }
    println!("missing: {}", names.join(", "));
    apt(&["update"])?;
    apt(&[&["install", "--yes", "--no-install-recommends"], names.as_slice()].concat())
}

fn apt(words: &[&str]) -> Outcome {
    if !Run::new("apt-get").quiet().arg("--version").listen().is_ok_and(|said| said.success) {
        return Err("no `apt-get` here: install the missing programs by hand".to_owned());
    }
    let root = Run::new("id").quiet().arg("-u").output()?.trim() == "0";
    let (program, first) = if root { ("apt-get", None) } else { ("sudo", Some("apt-get")) };
    // Another apt may be at work: wait for its lock instead of failing.
    Run::new(program)
        .args(first)
        .args(["-o", "DPkg::Lock::Timeout=300"])
        .args(words)
        .env("DEBIAN_FRONTEND", "noninteractive")
        .done()
}
