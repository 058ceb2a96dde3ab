//! `cargo xtask setup-ci`: what `cargo xtask test --all` needs beyond the prerequisites, and those too where
//! Debian has them; nothing to do costs nothing.

use crate::args::Args;
use crate::process::Run;
use crate::{Outcome, prerequisites, tools};

/// A command of the shell that works where a package is there, and the package.
const PACKAGES: &[(&str, &str)] = &[
    // The servers that tests start: where each package keeps its programs stands in `tests/servers`.
    ("test -x /usr/sbin/mariadbd", "mariadb-server"),
    ("ls /usr/lib/postgresql/*/bin/initdb", "postgresql"),
    ("test -f /usr/share/java/zookeeper.jar", "zookeeper"),
    ("etcd --version", "etcd-server"),
    // What PyPI's mysqlclient is compiled against.
    ("pkg-config --version", "pkg-config"),
    ("pkg-config --exists libmariadb", "libmariadb-dev"),
    (PYTHON_H, "python3-dev"),
    // The browser of the tests that need one, and the tool that tries the alert rules.
    ("/usr/bin/chromium --version", "chromium"),
    ("promtool --version", "prometheus"),
    // Makes the certificates of servers that are spoken to by TLS.
    ("openssl version", "openssl"),
];

const PYTHON_H: &str =
    "test -f $(python3 -c 'import sysconfig; print(sysconfig.get_path(\"include\"))')/Python.h";

const TARGETS: &[&str] = &[prerequisites::WASM, "wasm32v1-none", "thumbv7em-none-eabi"];

/// The verb.
pub fn main(args: Args) -> Outcome {
    args.finish()?;
    let missing = PACKAGES.iter().filter(|(probe, _)| !has(probe)).map(|(_, package)| *package);
    let names: Vec<_> = missing.chain(prerequisites::debian(false)).collect();
    if !names.is_empty() {
        println!("missing: {}", names.join(", "));
        apt("update", &[])?;
        apt("install", &names)?;
    }
    prerequisites::check()?;
    for target in TARGETS {
        tools::rust_target(target)?;
    }
    for (program, component) in [("rustfmt", "rustfmt"), ("cargo-clippy", "clippy")] {
        if !has(&format!("{program} --version")) {
            Run::new("rustup").args(["component", "add", component]).done()?;
        }
    }
    println!("setup-ci: everything is there");
    Ok(())
}

fn has(probe: &str) -> bool {
    prerequisites::works("sh", &["-c", probe]).is_none()
}

fn apt(verb: &str, names: &[&str]) -> Outcome {
    if !has("apt-get --version") {
        return Err("no `apt-get` here: install the missing programs by hand".to_owned());
    }
    let first = if has("test $(id -u) = 0") { "env" } else { "sudo" };
    // Another apt may be at work: wait for its lock instead of failing.
    Run::new(first)
        .args(["DEBIAN_FRONTEND=noninteractive", "apt-get", "-o", "DPkg::Lock::Timeout=300"])
        .args([verb, "--yes", "--no-install-recommends"])
        .args(names)
        .done()
}
