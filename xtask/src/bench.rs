//! `cargo xtask bench`: measures the figures of `benches/README.md`, with the published products.

use std::path::Path;

use crate::args::Args;
use crate::parts::{self, Parts};
use crate::process::Run;
use crate::test::interpreters::{self, FREE_THREADED};
use crate::{Outcome, build, consumers, files, project};

/// Libraries of 64-bit IDs on PyPI and npm, at the versions in the README.
const PEERS: &[&str] = &[
    "snowflake-id==1.0.2",
    "sonyflake-turbo==1.0.1",
    "flakeid==0.1.1",
    "snowflake-id-toolkit==0.6.0",
    "typing_extensions",
];

const NPM_PEERS: &[&str] = &[
    "@sapphire/snowflake@3.5.5",
    "flake-idgen@1.4.0",
    "hyperid@4.0.0",
    "nodejs-snowflake@2.0.1",
    "snowflake-uuid@1.0.0",
];

/// The bench of one face.
type Face = fn() -> Outcome;

const FACES: &[(&str, Face)] = &[
    ("core", || binary("core", &[])),
    ("rust", rust),
    ("store", store),
    ("python", python),
    ("threads", threads),
    ("peers", peers),
    ("node", || script("node")),
    ("edge", || script("edge")),
    // What a new process, and a new Worker, pay before their first ID.
    ("import", || script("import")),
    ("cold", || script("cold")),
];

pub fn main(mut args: Args) -> Outcome {
    let only = args.value("--only")?;
    args.finish()?;
    let parts = Parts::new("bench", false);
    for (name, face) in parts::chosen(FACES, only.as_deref(), |(name, _)| name)? {
        parts.part(name, || face().map(|()| "see the tables above".to_owned()));
    }
    parts.close()
}

fn store() -> Outcome {
    build::need(&["server"])?;
    binary("served", &[build::server_binary().as_path()])
}

/// Benches the crate beside other crates.
fn rust() -> Outcome {
    build::need(&["server"])?;
    let bench = ["run", "--release", "--locked", "-p", "leafid-benches", "--features", "peers"];
    Run::cargo(&bench).args(["--bin", "rust", "--"]).arg(build::server_binary()).done()
}

fn binary(name: &str, words: &[&Path]) -> Outcome {
    let bench = ["run", "--release", "--locked", "-p", "leafid-benches", "--bin", name, "--"];
    Run::cargo(&bench).args(words).done()
}

/// Benches the package beside a native module that does nothing, built as leafid's is.
fn python() -> Outcome {
    let python = consumers::python("bench", &[])?;
    let floor = ["build", "--release", "--locked", "--quiet", "-p", "leafid-py", "--example"];
    Run::cargo(&floor).arg("floor").done()?;
    let name = format!("{}floor{}", std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX);
    let floor = project::target().join("bench");
    let built = project::target().join("release/examples").join(name);
    files::install(&built, &floor.join("leafid_floor.abi3.so"))?;
    for script in ["ids", "start"] {
        let bench = Run::new(&python).arg(format!("benches/python/{script}.py"));
        bench.env("PYTHONPATH", &floor).done()?;
    }
    Ok(())
}

/// Benches threads of an interpreter without the global lock.
fn threads() -> Outcome {
    match interpreters::with_leafid(FREE_THREADED, "threads", &[])? {
        Some(python) => {
            Run::new(python).arg("benches/python/threads.py").without("PYTHONPATH").done()
        }
        None => {
            Err(format!("no free-threaded CPython {FREE_THREADED} on the path, or among pyenv's"))
        }
    }
}

/// Benches the package beside four libraries.
fn peers() -> Outcome {
    let python = consumers::python("peers", PEERS)?;
    Run::new(python).arg("benches/python/peers.py").without("PYTHONPATH").done()
}

/// Runs a script beside the packages and the peers. Imports resolve from the importing file, so all
/// scripts are copied there.
fn script(name: &str) -> Outcome {
    let folder = consumers::node_beside(NPM_PEERS)?;
    for script in files::ending(&project::at("benches"), ".mjs") {
        files::install(&script, &folder.join(script.file_name().unwrap_or_default()))?;
    }
    Run::new("node").arg(format!("{name}.mjs")).dir(folder).done()
}
