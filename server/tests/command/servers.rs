//! The servers of a store: listed, waited for, removed.

use serde_json::{Value, json};

use crate::machine::Machine;
use crate::restored::lease;
use crate::support::{Serving, call, fails, has, play, refusal, says, until};

/// Two servers, each with a folder of its own.
pub fn two(machine: &Machine) -> [Serving; 2] {
    ["one", "two"].map(|name| {
        let folder = machine.at(name);
        std::fs::create_dir_all(&folder).expect("a folder");
        let serving = machine.serve(&["--journal", &folder.display().to_string()]);
        serving.ready(200, &["\"ok\""]);
        serving
    })
}

fn rows(at: &str) -> Vec<Value> {
    let listed = says(at, &["server", "list", "--json"]);
    let listed: Value = serde_json::from_str(&listed).expect("JSON");
    listed["servers"].as_array().expect("rows").clone()
}

fn id(row: &Value) -> &str {
    row["id"].as_str().expect("an id")
}

#[test]
fn servers_are_listed_and_one_that_runs_is_not_removed() {
    let machine = Machine::new();
    let [one, two] = two(&machine);
    let all = rows(&one.url);
    assert_eq!(all.len(), 2, "{all:?}");
    for row in &all {
        assert_eq!((&row["kind"], &row["state"]), (&json!("member"), &json!("running")), "{row}");
    }
    has(&says(&two.url, &["server", "list"]), &["waits for", "member", "running", id(&all[0])]);
    for serving in [&one, &two] {
        let told = serving.ready(200, &["\"ok\""]);
        assert_eq!((&told["servers"], &told["waits_for"]), (&json!(2), &json!([])), "{told}");
    }
    // Both have the name of this machine, and this server is not removed through itself.
    let name = all[0]["name"].as_str().expect("a name").to_owned();
    let other =
        |row: &&Value| !fails(&one.url, &["server", "remove", id(row)], 1).contains("no other");
    let running = all.iter().find(other).expect("the other server");
    for named in [&name, id(running)] {
        play(&one.url, &format!("server remove {named} =1 REQUEST_INVALID & so it runs"));
    }
    play(&one.url, "server remove nobody =1 REQUEST_INVALID & no other server `nobody`");
    assert_eq!(rows(&one.url).len(), 2);
    // A process that keeps no record watches nobody, and removes nobody.
    play(
        &machine.store,
        &format!("server remove {} =1 REQUEST_INVALID & keeps a journal", id(running)),
    );
    assert_eq!(rows(&machine.store)[0].get("state"), None);
}

/// A server that starts alone waits for the one that was killed with it, and names it, until that is back.
#[test]
fn a_server_that_waits_says_for_whom() {
    let machine = Machine::new();
    let [mut one, mut two] = two(&machine);
    lease(&one, 3);
    one.kill();
    two.kill();
    let folder = |name: &str| machine.at(name).display().to_string();
    let mut one = machine.serve(&["--journal", &folder("one")]);
    refusal(one.lease("orders", &json!({})), 503, "STORE_UNAVAILABLE");
    one.ready(503, &["STORE_UNAVAILABLE", "have not noted the request", "leafid repair"]);
    let waits = || {
        let overview = one.get("/v1/overview").1;
        overview["store"]["waits_for"].as_array().and_then(|all| all.first().cloned())
    };
    let missing = until(waits).expect("a server that is waited for");
    let silent = || rows(&one.url).into_iter().find(|row| row["state"] == "silent");
    let silent = until(silent).expect("a silent server");
    assert_eq!(id(&silent), id(&missing));
    let waiting =
        rows(&one.url).into_iter().find(|row| row["id"] != silent["id"]).expect("this one");
    assert_eq!(waiting["waits_for"], json!([missing]), "{waiting}");
    play(
        &one.url,
        &format!("server remove {} =1 STORE_UNAVAILABLE & {}", id(&silent), &id(&silent)[..8]),
    );
    let two = machine.serve(&["--journal", &folder("two")]);
    for serving in [&one, &two] {
        let told = serving.ready(200, &["\"ok\""]);
        assert_eq!(told["servers"], json!(2), "{told}");
        assert_eq!(told["generation"], json!(0), "nothing was lost");
    }
    one.kill();
}

/// A confirmed server no longer waits for one that an operator has removed.
#[test]
fn a_server_that_is_gone_is_removed() {
    let machine = Machine::new();
    let [one, mut two] = two(&machine);
    let before = rows(&one.url);
    two.kill();
    // Its record has to be the same for 2 s; after 8 s it goes by itself.
    let is_gone = || rows(&one.url).iter().any(|row| row["state"] == "removed");
    let removed = until(|| {
        for row in &before {
            call(&one.url, "DELETE", &format!("/v1/servers/{}", id(row)), &Value::Null);
        }
        is_gone().then_some(())
    });
    assert!(removed.is_some(), "{:?}", rows(&one.url));
    one.ready(200, &["\"ok\"", "\"servers\":1"]);
    let gone = rows(&one.url).into_iter().find(|row| row["state"] == "removed").expect("its row");
    play(&one.url, &format!("server remove {} =1 no other server", id(&gone)));
    assert_eq!(lease(&one, 3).len(), 7);
    // It comes back as it was left, so nothing was lost.
    let two = machine.serve(&["--journal", &machine.at("two").display().to_string()]);
    let told = two.ready(200, &["\"ok\"", "\"servers\":2"]);
    assert_eq!(told["generation"], json!(0), "{told}");
}
