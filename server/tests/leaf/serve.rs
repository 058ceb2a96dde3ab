//! `leafid serve --leaf-config` in snowflake mode: a server that replaces the Leaf of its machine.

use std::process::Command;

use leafid_core::Layout;

use crate::client::Running;
use crate::support::{Home, LEAFID, fails, has, says, until};

pub fn args(home: &Home, more: &str) -> Vec<String> {
    let file = home.write(
        "leaf.properties",
        &format!(
            "leaf.name=com.example.leaf\nleaf.segment.enable=false\nleaf.snowflake.enable=true\n\
             leaf.snowflake.port=54215\n{more}\n"
        ),
    );
    let args = "serve --create --listen 127.0.0.1:0 --listen-leaf 127.0.0.1:0 --leaf-config";
    let args = args.split(' ').chain([&file[..], "--store", &home.store]);
    args.map(str::to_owned).collect()
}

pub fn refused(args: &[String]) -> String {
    fails("", &args.iter().map(String::as_str).collect::<Vec<_>>(), 1)
}

/// Runs a server until an orderly end; gives the worker of an ID of Leaf's path, and its first lines.
pub fn one_start(args: &[String]) -> (u32, String) {
    let mut leaf = Running::spawn(Command::new(LEAFID).args(args));
    let id = leaf.number("/api/snowflake/get/any");
    assert_eq!(leaf.serving.end("-TERM").0, Some(0));
    (Layout::LEAF.decompose(id).unwrap().worker, leaf.serving.first.clone())
}

#[test]
fn a_list_says_which_number_is_its_own() {
    let home = Home::new();
    let list = "leaf.snowflake.mode=local\n\
                leaf.snowflake.local.workIdMap={\"127.0.0.1:54215\":5,\"192.0.2.3:54215\":0}";
    let args = args(&home, list);
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
    let place = "Leaf's ZooKeeper at zk://127.0.0.1:1/snowflake/com.example.leaf";
    let [empty, used, taken] = [Home::new(), Home::with_store(), Home::with_store()];
    has(&refused(&args(&empty, away)), &[place, "the first is 0", "--leaf-local"]);
    // A snowflake drawn from the store is no sign of a Leaf.
    says(&used.store, &["next", "--namespace", "default"]);
    let words = ["511 of the numbers below 512", "the first is 1", "--leaf-local"];
    has(&refused(&args(&used, away)), &words);
    // The file of one machine sets aside the numbers that other machines may have.
    let file = taken.write("workerID.properties", "workerID=7");
    let import = ["worker", "import", "default", "--leaf-local", &file, "--owner"];
    says(&taken.store, &[&import[..], &["192.0.2.7:54215"]].concat());
    let (worker, said) = one_start(&args(&taken, away));
    assert!(worker >= 512 && said.contains("what was taken in before holds"), "{worker}: {said}");
}
