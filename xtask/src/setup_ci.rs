//! `cargo xtask setup-ci`: installs what `cargo xtask test --all` needs, prerequisites included where Debian
//! has them; does nothing if nothing is missing.

use crate::args::Args;
use crate::process::Run;
use crate::{Outcome, prerequisites, tools};

/// A shell command that succeeds if the package is installed, and the package.
const PACKAGES: &[(&str, &str)] = &[
    // The servers that tests start; `tests/servers` knows where their programs are.
    ("test -x /usr/sbin/mariadbd", "mariadb-server"),
    ("ls /usr/lib/postgresql/*/bin/initdb", "postgresql"),
    ("test -f /usr/share/java/zookeeper.jar", "zookeeper"),
    ("etcd --version", "etcd-server"),
    ("etcdctl version", "etcd-client"),
    // For compiling PyPI's mysqlclient.
    ("pkg-config --version", "pkg-config"),
    ("pkg-config --exists libmariadb", "libmariadb-dev"),
    (PYTHON_H, "python3-dev"),
    // The tests' browser, and the tool that tries the alert rules.
    ("/usr/bin/chromium --version", "chromium"),
    ("promtool --version", "prometheus"),
    // Makes the certificates of TLS servers.
    ("openssl version", "openssl"),
];

const PYTHON_H: &str =
    "test -f $(python3 -c 'import sysconfig; print(sysconfig.get_path(\"include\"))')/Python.h";

const TARGETS: &[&str] = &[prerequisites::WASM, "wasm32v1-none", "thumbv7em-none-eabi"];

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
    // Waits for the lock of another apt instead of failing.
    Run::new(first)
        .args(["DEBIAN_FRONTEND=noninteractive", "apt-get", "-o", "DPkg::Lock::Timeout=300"])
        .args([verb, "--yes", "--no-install-recommends"])
        .args(names)
        .done()
}
