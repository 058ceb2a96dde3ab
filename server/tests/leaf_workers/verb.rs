//! `leafid worker import`: what it says, what it refuses, and that a refusal changes nothing.

use std::path::Path;

use crate::support::{fails, has, leafid, says, until};

/// A store in a folder, with a way to say `worker import default …` to it.
pub struct Store {
    _folder: tempfile::TempDir,
    pub file: String,
}

impl Store {
    pub fn new() -> Store {
        let folder = tempfile::tempdir().unwrap();
        let file = format!("sqlite:{}", folder.path().join("store.db").display());
        says(&file, &["init"]);
        Store { _folder: folder, file }
    }

    pub fn args<'a>(&'a self, more: &[&'a str]) -> Vec<&'a str> {
        [&["worker", "import", "default", "--store", self.file.as_str()], more].concat()
    }

    pub fn import(&self, more: &[&str]) -> String {
        says(&self.file, &self.args(more))
    }

    pub fn refuses(&self, more: &[&str], words: &[&str]) {
        let before = self.list();
        let said = fails(&self.file, &self.args(more), 1);
        for word in words {
            assert!(said.contains(word), "no `{word}` in {said}");
        }
        assert_eq!(self.list(), before, "a refusal changes nothing");
    }

    /// The lines of the list but its head.
    pub fn list(&self) -> Vec<String> {
        let list = says(&self.file, &["worker", "list", "default", "--store", &self.file]);
        list.lines().skip(1).map(str::to_owned).collect()
    }

    /// The worker of a fresh ID.
    pub fn draws(&self, namespace: &str) -> String {
        let id = says(&self.file, &["next", "--namespace", namespace, "--store", &self.file]);
        let args = ["decode", id.trim(), "--namespace", namespace, "--store", &self.file];
        let decoded = says(&self.file, &args);
        let worker = decoded.lines().find_map(|line| line.trim().strip_prefix("worker"));
        worker.unwrap_or_else(|| panic!("{decoded}")).trim().to_owned()
    }
}

#[test]
fn files_are_taken_in_and_given_back() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.display().to_string()
    };
    let store = Store::new();
    let list = file(
        "leaf.properties",
        "leaf.snowflake.local.workIdMap={\"192.0.2.2:8080\":0,\"b:1\":2}\n",
    );
    let local = ["--leaf-local", list.as_str()];
    store.import(&local);
    assert_eq!(store.draws("default"), "1");
    let said = store.import(&[&local[..], &["--stopped", "b:1", "--margin", "0s"]].concat());
    has(&said, &["worker 2 is kept for `b:1`"]);
    // The margin is over when the next verb starts: the way back.
    let back = until(|| {
        let args = store.args(&["--leaf-local", &list, "--back", "b:1"]);
        let output = leafid(&store.file, &args);
        output.status.success().then(|| String::from_utf8(output.stdout).unwrap())
    });
    let back = back.expect("10 s after its window has ended");
    assert!(back.contains("1 number set aside"), "{back}");
    assert!(
        back.contains("worker 2 is `b:1`'s again: start its Leaf when its own clock is past 2")
    );
    assert!(
        store.list().iter().filter(|line| line.contains("2080")).count() == 2,
        "{:?}",
        store.list()
    );

    let cached = file("workerID.properties", "workerID=7");
    store.refuses(&["--leaf-local", &cached], &["whose number 7 is", "--owner IP:PORT"]);
    let owned = ["--leaf-local", cached.as_str(), "--owner", "192.0.2.7:8080"];
    // Such a Leaf was given its number, and the next one will be given another.
    store.refuses(&owned, &["number 1 is leafid's", "first time"]);
    let another = Store::new();
    let said = another.import(&owned);
    assert!(said.contains("512 numbers set aside"), "{said}");
    assert_eq!(another.draws("default"), "512");
    store.refuses(&["--leaf-local", "/no/such/file"], &["REQUEST_INVALID", "/no/such/file"]);
    // A namespace of another kind of ID.
    let other = ["namespace", "create", "edge", "--layout", "edge", "--store", &store.file];
    says(&store.file, &other);
    let args = ["worker", "import", "edge", "--leaf-local", &list, "--store", &store.file];
    assert!(fails(&store.file, &args, 1).contains("LAYOUT_MISMATCH"));
    assert!(Path::new(&list).exists());
}
