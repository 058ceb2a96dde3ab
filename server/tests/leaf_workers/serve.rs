//! `leafid serve --leaf-config` with the snowflake mode on: a server that stands in for the Leaf of its machine.

use std::path::Path;
use std::process::Command;

use leafid_core::Layout;

use crate::support::{LEAFID, Serving, agent, fails, says, until};

/// A file as Leaf has it, and the arguments that serve it on free ports.
pub fn args(folder: &Path, more: &str) -> Vec<String> {
    let (file, store) = (folder.join("leaf.properties"), folder.join("store.db"));
    let text = format!(
        "leaf.name=com.example.leaf\nleaf.segment.enable=false\nleaf.snowflake.enable=true\n\
         leaf.snowflake.port=54215\n{more}\n"
    );
    std::fs::write(&file, text).unwrap();
    let args = [
        "serve",
        "--create",
        "--listen",
        "127.0.0.1:0",
        "--listen-leaf",
        "127.0.0.1:0",
        "--leaf-config",
        &file.display().to_string(),
        "--store",
        &format!("sqlite:{}", store.display()),
    ];
    args.map(str::to_owned).into()
}

/// A server, the worker of an ID of Leaf's path, and what it said first. It has ended in good order.
pub fn one_start(args: &[String]) -> (u32, String) {
    let mut serving = Serving::spawn(Command::new(LEAFID).args(args));
    let leaf = serving.first.lines().find_map(|line| line.split("Leaf's paths are at ").nth(1));
    let leaf = leaf.unwrap_or_else(|| panic!("{}", serving.first)).to_owned();
    let mut answer = agent().get(format!("{leaf}/api/snowflake/get/any")).call().expect("an ID");
    let id = answer.body_mut().read_to_string().expect("text");
    let id = id.parse().unwrap_or_else(|_| panic!("{id}"));
    let said = serving.first.clone();
    assert_eq!(serving.end("-TERM").0, Some(0));
    (Layout::LEAF.decompose(id).unwrap().worker, said)
}

#[test]
fn it_does_not_start_blind() {
    let folder = tempfile::tempdir().unwrap();
    let starts = |more: &str, says: &[&str]| {
        let args = args(folder.path(), more);
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        let said = fails("", &args, 1);
        for word in says {
            assert!(said.contains(word), "no `{word}` in {said}");
        }
    };
    // ZooKeeper away, and nothing was ever taken in.
    let away = "leaf.snowflake.zk.address=127.0.0.1:1";
    starts(
        away,
        &["Leaf's ZooKeeper at zk://127.0.0.1:1/snowflake/com.example.leaf", "--leaf-local"],
    );
    starts("leaf.snowflake.mode=local", &["leaf.snowflake.local.workIdMap", "is empty or missing"]);
    starts("leaf.snowflake.mode=mysql", &["leaf.jdbc.url"]);
}

#[test]
fn a_list_says_which_number_is_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let list = "leaf.snowflake.mode=local\n\
                leaf.snowflake.local.workIdMap={\"127.0.0.1:54215\":5,\"192.0.2.3:54215\":0}";
    let args = args(folder.path(), list);
    let (first, said) = one_start(&args);
    let command = "--leaf-local leaf.properties --stopped 127.0.0.1:54215";
    assert!(said.contains("number 5 is left to the Leaf") && said.contains(command), "{said}");
    assert_eq!(first, 1, "0 and 5 are Leafs', which write no time down");
    let stopped = [args, vec!["--leaf-stopped".to_owned()]].concat();
    let (_, said) = one_start(&stopped);
    assert!(said.contains("worker 5 is kept for `127.0.0.1:54215`"), "{said}");
    let own = until(|| (one_start(&stopped).0 == 5).then_some(()));
    assert!(own.is_some());
}

#[test]
fn without_zookeeper_it_starts_where_all_that_a_leaf_may_have_was_taken_in() {
    let away = "leaf.snowflake.zk.address=127.0.0.1:1";
    let (used, taken) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let store =
        |folder: &tempfile::TempDir| format!("sqlite:{}", folder.path().join("store.db").display());
    for folder in [&used, &taken] {
        says("", &["init", "--store", &store(folder)]);
    }
    // A snowflake that was drawn once says nothing of Leaf.
    says("", &["next", "--namespace", "default", "--store", &store(&used)]);
    let args_used = args(used.path(), away);
    let args_used: Vec<&str> = args_used.iter().map(String::as_str).collect();
    let said = fails("", &args_used, 1);
    for word in ["511 of the numbers below 512", "the first is 1", "--leaf-local"] {
        assert!(said.contains(word), "no `{word}` in {said}");
    }
    // The file of one machine sets aside what the others may have.
    let file = taken.path().join("workerID.properties");
    std::fs::write(&file, "workerID=7").unwrap();
    let (file, owner) = (file.display().to_string(), "192.0.2.7:54215");
    let import = ["worker", "import", "default", "--leaf-local", &file, "--owner", owner];
    says("", &[&import[..], &["--store", &store(&taken)]].concat());
    let (worker, said) = one_start(&args(taken.path(), away));
    assert!(worker >= 512 && said.contains("what was taken in before holds"), "{worker}: {said}");
}
