//! The places where a test finds the server and the packages, and keeps its files.

use std::path::{Path, PathBuf};
use std::time::Duration;

use leafid_stream::hosts::{Installed, Stage};
use leafid_stream::store::Store;
use leafid_stream::stream::Stream;
use tempfile::TempDir;

/// The time limit of every wait, for a busy machine.
pub const LIMIT: Duration = Duration::from_secs(180);

/// A folder, a store in it, and the host programs beside the installed packages. Where something that a test needs
/// is missing: `None` with a loud message, and in CI a failure.
pub fn setting(name: &str) -> Option<(TempDir, Store, Stage)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let root = root.canonicalize().expect("the checkout is there");
    let place = |variable: &str, usual: &str| {
        std::env::var_os(variable).map_or_else(|| root.join(usual), PathBuf::from)
    };
    let binary = place("LEAFID_BIN", "dist/leafid");
    let python = place("LEAFID_PYTHON", ".cache/consumer-py/bin/python");
    let consumer = place("LEAFID_CONSUMER", ".cache/consumer-js");
    let needed = [&binary, &python, &consumer.join("node_modules/leafid")];
    if let Some(missing) = needed.iter().find(|path| !path.exists()) {
        let missing = missing.display();
        leafid_servers::missing(name, &format!("`{missing}` (cargo xtask test --only e2e)"));
        return None;
    }
    let folder = tempfile::tempdir().expect("the temporary folder can be written");
    let store = Store::start(&binary, &folder.path().join("store"));
    let store = store.and_then(|store| store.prepare().map(|()| store));
    let store = store.unwrap_or_else(|error| panic!("{error}"));
    let installed = Installed { root, python, consumer };
    let stage = Stage::make(&installed, folder.path(), LIMIT).expect("the programs can be copied");
    Some((folder, store, stage))
}

/// Reads the hosts' output until `so` holds; fails with that output if it does not in time.
pub fn until(stream: &mut Stream, what: &str, so: impl Fn(&Stream) -> bool) {
    let done = |stream: &Stream| so(stream) || stream.hosts().iter().any(|host| host.unasked_end());
    let came = stream.pump(LIMIT, done);
    if let Some(fault) = stream.fault() {
        panic!("waiting for {what}: {fault}");
    }
    if !came {
        let told = stream.hosts().iter().map(|host| {
            let (name, ids, refused) = (&host.name, host.ids(), host.refused());
            format!("{name}: {ids} IDs, refused: {refused:?}\n{}", host.stderr())
        });
        panic!("no {what} within {LIMIT:?}\n{}", told.collect::<Vec<_>>().join("\n"));
    }
}

/// Closes every host; fails if any was refused anything.
pub fn close(stream: &mut Stream) {
    stream.close(LIMIT).expect("every host closes");
    for host in stream.hosts() {
        assert_eq!(host.refused(), None, "{} was refused", host.name);
    }
}
