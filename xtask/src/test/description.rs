//! Sends the store requests that its OpenAPI description allows, and ones that it forbids.

use std::path::PathBuf;

use leafid_stream::store::Store;

use crate::build;
use crate::process::{Run, Said};
use crate::report::Report;
use crate::{Outcome, files, project, tools};

const SCHEMATHESIS: &str = "schemathesis==4.32.5";
/// The seed, on which all requests depend.
const SEED: &str = "1";
/// Random requests per operation, besides the derived ones.
const MOST_EACH: &str = "50";
/// The folder of hooks for what a schema cannot express.
const FOLDER: &str = "server/tests/openapi";

/// Tries every operation in every phase against a real store: all answers must be described.
pub fn agrees() -> Outcome<Report> {
    build::need(&["server"])?;
    let program = schemathesis()?;
    let scratch = files::scratch()?;
    let mut store = Store::start(&build::server_binary(), scratch.path())?;
    // The names in the description's examples.
    store.operate(&["tag", "create", "orders"])?;
    store.operate(&["namespace", "create", "edge", "--layout", "edge"])?;
    let folder = project::at(FOLDER);
    let said = Run::new(program)
        .arg("--config-file")
        .arg(folder.join("schemathesis.toml"))
        .args(["run", &format!("{}/openapi.json", store.url()), "--seed", SEED])
        .args(["--max-examples", MOST_EACH])
        .env("PYTHONPATH", &folder)
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .dir(scratch.path())
        .tee();
    let ended = store.terminate()?;
    match closing_line(&said?) {
        Ok(line) if ended.success() => Ok(line.into()),
        Ok(_) => Err(format!("the store did not end well: {ended}")),
        Err(line) => Err(line),
    }
}

fn schemathesis() -> Outcome<PathBuf> {
    Ok(tools::venv("schemathesis", &[SCHEMATHESIS])?.with_file_name("schemathesis"))
}

/// Finds `2361 generated, 2361 passed`; a run without requests is a failure.
fn closing_line(said: &Said) -> Outcome<String> {
    let count = said.stdout.lines().map(str::trim).find(|line| line.contains(" generated, "));
    let line = format!("{}, seed {SEED}", count.unwrap_or("nothing was asked"));
    if said.success && count.is_some_and(|count| !count.starts_with("0 ")) {
        Ok(line)
    } else {
        Err(line)
    }
}
