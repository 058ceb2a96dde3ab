//! `cargo xtask bench`: every figure of `benches/README.md`, from what is published.

use leafid_stream::store::Store;

use crate::args::Args;
use crate::parts::Parts;
use crate::process::Run;
use crate::run::scratch::Scratch;
use crate::{Outcome, build, consumers, files, project};

/// Libraries of PyPI that make 64-bit IDs, at the versions that the README names …
const PEERS: &[&str] = &[
    "snowflake-id==1.0.2",
    "sonyflake-turbo==1.0.1",
    "flakeid==0.1.1",
    "snowflake-id-toolkit==0.6.0",
    "typing_extensions",
];

/// … and of npm.
const NPM_PEERS: &[&str] = &[
    "@sapphire/snowflake@3.5.5",
    "flake-idgen@1.4.0",
    "hyperid@4.0.0",
    "nodejs-snowflake@2.0.1",
    "snowflake-uuid@1.0.0",
];

/// Runs the bench of one face.
type Face = fn() -> Outcome<String>;

const FACES: &[(&str, Face)] = &[
    ("core", core),
    ("store", store),
    ("network", network),
    ("leaf", leaf),
    ("databases", databases),
    ("holders", holders),
    ("python", python),
    ("peers", peers),
    ("node", node),
    ("edge", edge),
    ("beside", beside),
    ("cold", cold),
];

/// The verb: one face after another, each beside the floor of its own run.
pub fn main(mut args: Args) -> Outcome {
    let only = args.value("--only")?;
    args.finish()?;
    if only.as_ref().is_some_and(|only| FACES.iter().all(|(name, _)| name != only)) {
        let names: Vec<_> = FACES.iter().map(|(name, _)| *name).collect();
        return Err(format!("`--only` takes one of {}", names.join(", ")));
    }
    let chosen: Vec<_> =
        FACES.iter().filter(|(name, _)| only.as_deref().is_none_or(|only| only == *name)).collect();
    let parts = Parts::shown("bench", chosen.len());
    for (name, face) in chosen {
        parts.part(name, face);
    }
    parts.close()
}

fn core() -> Outcome<String> {
    let bench = ["run", "--release", "--locked", "-p", "leafid-benches", "--bin", "core"];
    Run::cargo(&bench).done()?;
    Ok("see the table above".to_owned())
}

fn store() -> Outcome<String> {
    build::need(&["server"])?;
    let bench = ["run", "--release", "--locked", "-p", "leafid-benches", "--bin", "store", "--"];
    Run::cargo(&bench).arg(build::server_binary()).done()?;
    Ok("see the tables above".to_owned())
}

fn network() -> Outcome<String> {
    build::need(&["server"])?;
    let bench = ["run", "--release", "--locked", "-p", "leafid-benches", "--bin", "network", "--"];
    Run::cargo(&bench).arg(build::server_binary()).done()?;
    Ok("see the tables above".to_owned())
}

fn leaf() -> Outcome<String> {
    build::need(&["server"])?;
    let bench = ["run", "--release", "--locked", "-p", "leafid-benches", "--bin", "leaf", "--"];
    Run::cargo(&bench).arg(build::server_binary()).done()?;
    Ok("see the table above".to_owned())
}

fn databases() -> Outcome<String> {
    build::need(&["server"])?;
    let bench =
        ["run", "--release", "--locked", "-p", "leafid-benches", "--bin", "databases", "--"];
    Run::cargo(&bench).arg(build::server_binary()).done()?;
    Ok("see the tables above".to_owned())
}

/// Holders of the package that start at once, on a store that the bench of the store fills.
fn holders() -> Outcome<String> {
    let python = consumers::python("bench", &[])?;
    let bench = ["run", "--release", "--locked", "-p", "leafid-benches", "--bin", "store", "--"];
    Run::cargo(&bench).arg(build::server_binary()).arg("--holders").arg(python).done()?;
    Ok("see the table above".to_owned())
}

/// The package beside a native module that does nothing, which is built as its engine is.
fn python() -> Outcome<String> {
    let python = consumers::python("bench", &[])?;
    let scratch = Scratch::make()?;
    let floor = ["build", "--release", "--locked", "--quiet", "-p", "leafid-py", "--example"];
    Run::cargo(&floor).arg("floor").done()?;
    let built = project::target().join("release/examples").join(dylib("floor"));
    files::install(&built, &scratch.path().join("leafid_floor.abi3.so"))?;
    let mut store = Store::start(&build::server_binary(), scratch.path())?;
    store.operate(&["tag", "create", "bench"])?;
    let run = |script: &str| {
        let script = Run::new(&python).arg(format!("benches/python/{script}.py"));
        script.env("PYTHONPATH", scratch.path()).env("LEAFID_STORE", store.url()).done()
    };
    let said = ["ids", "stalls", "start"].into_iter().try_for_each(run);
    store.terminate()?;
    let wheel = std::fs::metadata(build::wheel_file()?).map_err(|error| error.to_string())?;
    said.map(|()| format!("see the tables above; the wheel has {} KB", wheel.len() / 1_000))
}

fn dylib(name: &str) -> String {
    format!("{}{name}{}", std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX)
}

/// The package beside four libraries that are installed for it.
fn peers() -> Outcome<String> {
    let python = consumers::python("peers", PEERS)?;
    Run::new(python).arg("benches/python/peers.py").without("PYTHONPATH").done()?;
    Ok("see the table above".to_owned())
}

fn node() -> Outcome<String> {
    script("node", &[])
}

fn edge() -> Outcome<String> {
    script("edge", &[])
}

/// The first ID of a Worker that has just been started.
fn cold() -> Outcome<String> {
    script("cold", &[])
}

/// Processes, threads, restarts and clocks, with leafid and with four libraries.
fn beside() -> Outcome<String> {
    build::need(&["server"])?;
    let scratch = Scratch::make()?;
    let mut store = Store::start(&build::server_binary(), scratch.path())?;
    store.operate(&["tag", "create", "beside"])?;
    let said = script("beside", &[("LEAFID_STORE", &store.url())]);
    store.terminate()?;
    said
}

/// Runs a script beside the packages and the peers: an import finds them from the file that imports, so all of the scripts are
/// copied there.
fn script(name: &str, settings: &[(&str, &str)]) -> Outcome<String> {
    let folder = consumers::node_beside(NPM_PEERS)?;
    for script in files::ending(&project::at("benches"), ".mjs") {
        files::install(&script, &folder.join(script.file_name().unwrap_or_default()))?;
    }
    let mut run = Run::new("node").arg(folder.join(format!("{name}.mjs"))).dir(&folder);
    for (setting, value) in settings {
        run = run.env(setting, value);
    }
    run.done()?;
    Ok("see the table above".to_owned())
}
