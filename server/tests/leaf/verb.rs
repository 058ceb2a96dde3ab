//! `leafid worker import`: its output and refusals; a refusal changes nothing.

use crate::support::{Home, has, leafid, play, says, until};

/// A store in a folder, on which to run `worker import default …`.
pub struct Store {
    pub home: Home,
}

impl Store {
    pub fn new() -> Store {
        Store { home: Home::with_store() }
    }

    /// Plays `worker import default …`, one a line, where `LEAFS` stands for these words. A refusal changes nothing.
    pub fn plays(&self, leafs: &str, script: &str) {
        let lines = script.lines().map(str::trim);
        for line in lines.filter(|line| !line.is_empty() && !line.starts_with("# ")) {
            let before = self.list();
            let import = format!("worker import default {}", line.replace("LEAFS", leafs));
            play(&self.home.store, &import);
            assert!(!line.contains(" =1 ") || self.list() == before, "{line}: nothing changes");
        }
    }

    pub fn list(&self) -> Vec<String> {
        let list = says(&self.home.store, &["worker", "list", "default"]);
        list.lines().skip(1).map(str::to_owned).collect()
    }

    pub fn draws(&self) -> String {
        let store = &self.home.store;
        let id = says(store, &["next", "--namespace", "default"]);
        let decoded = says(store, &["decode", id.trim(), "--namespace", "default"]);
        let worker = decoded.lines().find_map(|line| line.trim().strip_prefix("worker"));
        worker.unwrap_or_else(|| panic!("{decoded}")).trim().to_owned()
    }
}

#[test]
fn files_are_taken_in_and_given_back() {
    let store = Store::new();
    let list = "leaf.snowflake.local.workIdMap={\"192.0.2.2:8080\":0,\"b:1\":2}\n";
    let list = store.home.write("leaf.properties", list);
    let local = format!("--leaf-local {list}");
    store.plays(&local, "LEAFS => set aside");
    assert_eq!(store.draws(), "1");
    store.plays(&local, "LEAFS --stopped b:1 --margin 0s => worker 2 is kept for `b:1`");
    // The way back: repeated until the safety margin is over.
    let back = until(|| {
        let args = ["worker", "import", "default", "--leaf-local", &list, "--back", "b:1"];
        let output = leafid(&store.home.store, &args);
        output.status.success().then(|| String::from_utf8(output.stdout).unwrap())
    });
    let again = "worker 2 is `b:1`'s again: start its Leaf when its own clock is past 2";
    has(&back.expect("10 s after its window has ended"), &["1 number set aside", again]);
    let listed = store.list();
    // The year, and not a part of a random name.
    assert_eq!(listed.iter().filter(|line| line.contains(" 2080-")).count(), 2, "{listed:?}");

    let cached = format!("--leaf-local {}", store.home.write("workerID.properties", "workerID=7"));
    // This Leaf was granted its number; the next one will get another.
    let script = "LEAFS =1 whose number 7 is & --owner IP:PORT
                  LEAFS --owner 192.0.2.7:8080 =1 number 1 is leafid's & first time
                  --leaf-local /no/such/file =1 REQUEST_INVALID & /no/such/file";
    store.plays(&cached, script);
    let another = Store::new();
    another.plays(&cached, "LEAFS --owner 192.0.2.7:8080 => 512 numbers set aside");
    assert_eq!(another.draws(), "512");
    says(&store.home.store, &["namespace", "create", "edge", "--layout", "edge"]);
    play(&store.home.store, &format!("worker import edge {local} =1 LAYOUT_MISMATCH"));
}
