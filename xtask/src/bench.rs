//! `cargo xtask bench`: measures every figure of `benches/README.md`, with the published products.

use std::path::Path;

use leafid_stream::store::Store;

use crate::args::Args;
use crate::parts::{self, Parts};
use crate::process::Run;
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

/// The bench of one face; takes its name.
type Face = fn(&str) -> Outcome;

const FACES: &[(&str, Face)] = &[
    ("core", |_| binary("core", &[])),
    ("store", served),
    ("network", served),
    ("leaf", served),
    ("databases", served),
    ("python", python),
    ("peers", peers),
    ("node", |name| script(name, "")),
    ("edge", |name| script(name, "")),
    // Duplicates among processes, threads, restarts and clocks, with leafid and four libraries.
    ("beside", |name| beside_store(|store| script(name, &store.url()), name)),
    // The first ID of a new Worker.
    ("cold", |name| script(name, "")),
];

pub fn main(mut args: Args) -> Outcome {
    let only = args.value("--only")?;
    args.finish()?;
    let parts = Parts::new("bench", false);
    for (name, face) in parts::chosen(FACES, only.as_deref(), |(name, _)| name)? {
        parts.part(name, || face(name).map(|()| "see the tables above".to_owned()));
    }
    parts.close()
}

fn served(name: &str) -> Outcome {
    build::need(&["server"])?;
    let words = [Path::new(name), &build::server_binary()];
    if name == "databases" { binary(name, &words[1..]) } else { binary("served", &words) }
}

fn binary(name: &str, words: &[&Path]) -> Outcome {
    let bench = ["run", "--release", "--locked", "-p", "leafid-benches", "--bin", name, "--"];
    Run::cargo(&bench).args(words).done()
}

/// Benches the package beside a native module that does nothing, built as leafid's is.
fn python(_: &str) -> Outcome {
    let python = consumers::python("bench", &[])?;
    let floor = ["build", "--release", "--locked", "--quiet", "-p", "leafid-py", "--example"];
    Run::cargo(&floor).arg("floor").done()?;
    let name = format!("{}floor{}", std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX);
    let floor = project::target().join("bench");
    let built = project::target().join("release/examples").join(name);
    files::install(&built, &floor.join("leafid_floor.abi3.so"))?;
    let run = |store: &mut Store| {
        ["ids", "start"].into_iter().try_for_each(|script| {
            let script = Run::new(&python).arg(format!("benches/python/{script}.py"));
            script.env("PYTHONPATH", &floor).env("LEAFID_STORE", store.url()).done()
        })
    };
    beside_store(run, "bench")
}

/// Benches the package beside four libraries.
fn peers(_: &str) -> Outcome {
    let python = consumers::python("peers", PEERS)?;
    Run::new(python).arg("benches/python/peers.py").without("PYTHONPATH").done()
}

/// Runs a bench with a store that has one tag.
fn beside_store(run: impl FnOnce(&mut Store) -> Outcome, tag: &str) -> Outcome {
    build::need(&["server"])?;
    let scratch = files::scratch()?;
    let mut store = Store::start(&build::server_binary(), scratch.path())?;
    store.operate(&["tag", "create", tag])?;
    let said = run(&mut store);
    store.terminate()?;
    said
}

/// Runs a script beside the packages and the peers. Imports resolve from the importing file, so all
/// scripts are copied there.
fn script(name: &str, store: &str) -> Outcome {
    let folder = consumers::node_beside(NPM_PEERS)?;
    for script in files::ending(&project::at("benches"), ".mjs") {
        files::install(&script, &folder.join(script.file_name().unwrap_or_default()))?;
    }
    let run = Run::new("node").arg(format!("{name}.mjs")).dir(folder);
    run.env("LEAFID_STORE", store).done()
}
