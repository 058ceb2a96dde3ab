//! The places where a test finds the server and the packages, and keeps its files.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use leafid_stream::hosts::{Draw, Installed, Program, Stage};
use leafid_stream::store::Store;
use leafid_stream::stream::Stream;
use tempfile::TempDir;

/// The tag of every test: steps of 100, so that leases are frequent.
pub const TAG: &str = "orders";
/// The numbers in one step.
pub const STEP: u64 = 100;
/// The namespace of every test: windows of 10 s.
pub const NAMESPACE: &str = "stream";
/// The time limit of every wait, for a busy machine.
pub const LIMIT: Duration = Duration::from_secs(180);

pub struct Setting {
    name: &'static str,
    folder: TempDir,
    binary: PathBuf,
    installed: Installed,
}

impl Setting {
    /// The places of a test. Where something it needs is missing: `None` with a loud message, and in CI
    /// a failure.
    pub fn find(name: &'static str) -> Option<Setting> {
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
            let message = format!(
                "NOT RUN  {name}: no `{}` (cargo xtask test --only e2e)\n",
                missing.display()
            );
            assert!(!in_ci(), "{message}");
            tell(&message);
            return None;
        }
        let folder = tempfile::tempdir().expect("the temporary folder can be written");
        Some(Setting { name, folder, binary, installed: Installed { root, python, consumer } })
    }

    pub fn store(&self, name: &str) -> Store {
        let store = Store::start(&self.binary, &self.folder.path().join(name));
        let store = store.unwrap_or_else(|error| panic!("{}: {error}", self.name));
        store.prepare(TAG, NAMESPACE).unwrap_or_else(|error| panic!("{}: {error}", self.name));
        store
    }

    /// The host programs, beside the installed packages.
    pub fn stage(&self) -> Stage {
        Stage::make(&self.installed, self.folder.path()).expect("the programs can be copied")
    }

    /// Prints the figures of a test that passed, although the harness captures its output.
    pub fn tell(&self, figures: &str) {
        tell(&format!("{}: {figures}\n", self.name));
    }
}

/// Draws both kinds at this rate from a store's address.
pub fn draw(url: &str, rate: u32) -> Draw {
    Draw {
        store: url.to_owned(),
        tag: TAG.to_owned(),
        namespace: NAMESPACE.to_owned(),
        rate,
        timeout: LIMIT,
    }
}

pub fn start(stream: &mut Stream, stage: &Stage, program: Program, draw: &Draw) -> usize {
    stream.start(program.name(), stage.command(program, draw)).expect("the host starts")
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
            let refused = host.segment.refused.iter().chain(&host.snowflake.refused).last();
            format!("{}: {} IDs, refused: {refused:?}\n{}", host.name, host.ids(), host.stderr())
        });
        panic!("no {what} within {LIMIT:?}\n{}", told.collect::<Vec<_>>().join("\n"));
    }
}

/// Closes every host; fails if any was refused anything.
pub fn close(stream: &mut Stream) {
    stream.close(LIMIT).expect("every host closes");
    for host in stream.hosts() {
        let refused = host.segment.refused.iter().chain(&host.snowflake.refused).next();
        assert_eq!(refused, None, "{} was refused", host.name);
    }
}

/// One more than the highest number that was ever granted.
pub fn max_id(store: &Store) -> u64 {
    let list = store.list(&["tag", "list"]).expect("a list");
    let text = list["tags"][0]["max_id"].as_str().expect("`max_id` is text");
    text.parse().expect("`max_id` is a number")
}

/// How many worker numbers ever had a window, and how many are held now.
pub fn workers(store: &Store) -> (usize, usize) {
    let list = store.list(&["worker", "list", NAMESPACE]).expect("a list");
    let rows = list["workers"].as_array().expect("the list has workers");
    (rows.len(), rows.iter().filter(|row| row["held"] != false).count())
}

fn in_ci() -> bool {
    std::env::var("CI").is_ok_and(|value| !matches!(value.as_str(), "" | "0" | "false"))
}

// Not `eprintln!`: the harness captures that when the test passes.
fn tell(text: &str) {
    let _ = std::io::stderr().write_all(text.as_bytes());
}
