//! The conformance suite of a store (`tests/vectors`, scripts of kind `store`), replayed against
//! every back end with an injected clock. The vectors' own replay in Rust does so over SQLite, and its
//! self-test finds a wrong answer.

mod asks;
#[path = "../../../tests/tests/vectors/compare.rs"]
mod compare;
#[cfg(unix)]
mod engines;
#[expect(dead_code, reason = "other kinds of scripts use more of it")]
#[path = "../../../tests/tests/vectors/json.rs"]
mod json;
mod races;
mod ranges;
#[path = "../../../tests/tests/vectors/stores.rs"]
mod stores;
mod troubled;

use std::path::Path;
use std::sync::Arc;

use leafid_core::Token;
use leafid_store::clock::ManualClock;
use leafid_store::registry::Registry;
use serde_json::Value;
use tokio::runtime::Runtime;

use races::World;
use stores::replay;
use troubled::Trouble;

const FILES: [&str; 2] = [
    include_str!("../../../tests/vectors/registry.json"),
    include_str!("../../../tests/vectors/errors.json"),
];

fn beaten(folder: &Path, id: Token, clock: Arc<ManualClock>) -> Arc<Registry> {
    let world = World { clock, ..World::new() };
    Arc::new(world.server_at(folder, id, Trouble::EveryThirdRace))
}

#[test]
fn who_loses_races_gives_what_the_vectors_say() {
    conforms(&Runtime::new().unwrap(), "every third race lost", beaten);
}

fn conforms(
    runtime: &Runtime,
    back_end: &str,
    open: impl Fn(&Path, Token, Arc<ManualClock>) -> Arc<Registry> + Copy,
) {
    let mut replayed = 0;
    for file in FILES {
        let file: Value = serde_json::from_str(file).expect("vectors are JSON");
        let scripts = file["scripts"].as_array().into_iter().flatten();
        for script in scripts.filter(|script| script["kind"] == "store") {
            let verdict = replay(script, runtime, open);
            verdict.unwrap_or_else(|why| panic!("{back_end}, {}: {why}", script["name"]));
            replayed += 1;
        }
    }
    println!("conformance: {back_end} {replayed} scripts");
    assert!(replayed >= 12, "only {replayed} scripts of kind `store` were found");
}
