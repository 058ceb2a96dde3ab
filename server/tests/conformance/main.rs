//! The conformance suite of a store (`tests/vectors`, scripts of kind `store`), replayed against
//! every back end, with an injected clock.

#[path = "../../../tests/tests/vectors/compare.rs"]
mod compare;
#[cfg(unix)]
mod engines;
#[expect(dead_code, reason = "other kinds of scripts use more of it")]
#[path = "../../../tests/tests/vectors/json.rs"]
mod json;
mod races;
mod ranges;
#[path = "../../../tests/tests/vectors/script.rs"]
mod script;
#[path = "../../../tests/tests/vectors/stores.rs"]
mod stores;
mod troubled;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use leafid_core::Token;
use leafid_store::backends::opening::Options;
use leafid_store::clock::ManualClock;
use leafid_store::opening::open_sqlite;
use leafid_store::registry::Registry;
use serde_json::{Value, json};
use tokio::runtime::Runtime;

use races::World;
use stores::replay;
use troubled::Trouble;

type Open = fn(&Path, Token, Arc<ManualClock>) -> Arc<Registry>;

const BACK_ENDS: [(&str, Open); 2] = [("sqlite", sqlite), ("every third race lost", beaten)];

fn sqlite(folder: &Path, id: Token, clock: Arc<ManualClock>) -> Arc<Registry> {
    let options = Options { create: true, id: Some(id), ..Options::default() };
    let store = open_sqlite(&folder.join("store.db"), clock, options);
    Arc::new(store.expect("the store opens"))
}

fn beaten(folder: &Path, id: Token, clock: Arc<ManualClock>) -> Arc<Registry> {
    let world = World { clock, ..World::new() };
    Arc::new(world.server_at(folder, id, Trouble::EveryThirdRace))
}

#[test]
fn back_ends_give_what_the_vectors_say() {
    let runtime = Runtime::new().unwrap();
    for (back_end, open) in BACK_ENDS {
        conforms(&runtime, back_end, open);
    }
}

fn conforms(
    runtime: &Runtime,
    back_end: &str,
    open: impl Fn(&Path, Token, Arc<ManualClock>) -> Arc<Registry> + Copy,
) {
    let mut replayed = 0;
    for file in ["registry", "errors"] {
        let path = vectors().join(format!("{file}.json"));
        let text = std::fs::read_to_string(&path)
            .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let file: Value = serde_json::from_str(&text).expect("vectors are JSON");
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

fn vectors() -> PathBuf {
    let by_default = || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../tests/vectors");
    std::env::var_os("LEAFID_VECTORS").map_or_else(by_default, PathBuf::from)
}

/// The control: a store that gave one number more would be found.
#[test]
fn a_wrong_answer_is_found() {
    let runtime = Runtime::new().unwrap();
    let ask = json!({ "tag": "t", "request": "01010101010101010101010101010101" });
    let script = |end: &str| {
        json!({
            "store": "5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a",
            "tags": [{ "tag": "t", "step": 10 }],
            "steps": [{ "at": "1800000000000", "do": "lease_segment", "ask": ask,
                        "gives": { "start": "1", "end": end } }],
        })
    };
    replay(&script("11"), &runtime, sqlite).expect("ten numbers from 1 on");
    let why = replay(&script("12"), &runtime, sqlite).expect_err("eleven are not right");
    assert!(why.contains("expected \"12\", got \"11\""), "{why}");
}
