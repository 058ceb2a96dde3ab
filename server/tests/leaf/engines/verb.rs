//! Runs [`crate::verb`] over a tree in ZooKeeper and over a table.

use leafid_servers::{Mariadb, Server, Zookeeper, for_test};
use zookeeper_client::CreateMode;

use super::leaf::{Table, Tree, now};
use crate::support::{Serving, fails, has, says};
use crate::verb::Store;

#[test]
fn a_tree_is_taken_in_beside_running_leafs_and_taken_over_when_they_have_stopped() {
    let Some(server) = for_test::<Zookeeper>() else { return };
    let tree = Tree::in_zookeeper(&server, "com.example.leaf");
    let store = Store::new();
    let zookeeper = ["--leaf-zookeeper", tree.url.as_str()];
    let with = |more: &[&'static str]| [&zookeeper, more].concat();

    store.refuses(&zookeeper, &["REQUEST_INVALID", "no Leaf has registered", "leaf.name"]);
    for ip in ["192.0.2.2", "192.0.2.3"] {
        tree.register(&format!("{ip}:54215"), now());
    }
    has(&store.import(&zookeeper), &["512 numbers set aside", "leaf has 2"]);
    assert!(store.list()[0].contains("2080-07-10") && store.list()[0].contains("192.0.2.2:54215"));
    let rest = store.list().pop().unwrap_or_default();
    assert!(rest.trim_start().starts_with("2..512 ") && store.list().len() == 3, "{rest}");
    assert_eq!(store.draws(), "512", "leafid has the others");
    let granted = ["number 512 is leafid's", "starts for the first time"];
    store.refuses(&with(&["--leave", "600"]), &granted);
    let said = store.import(&zookeeper);
    has(&said, &["0 numbers set aside", "512 as they were; set aside now: 512"]);

    // The command claims that the Leafs have stopped, but they run.
    let running = ["has a Leaf that runs", "wait 3600 s", "forever/192"];
    store.refuses(&with(&["--stopped", "all", "--quiet", "1h"]), &running);
    store
        .refuses(&with(&["--stopped", "192.0.2.9:1"]), &["names `192.0.2.9:1`", "192.0.2.2:54215"]);
    // A new Leaf gets a number that leafid leaves to Leafs; one that leafid has granted is reported.
    for n in 4..8 {
        tree.register(&format!("192.0.2.{n}:54215"), now());
    }
    store.import(&zookeeper);
    let strange = format!("{}/forever/192.0.2.8:54215-0000000512", tree.path);
    tree.make(&strange, &Tree::data("192.0.2.8:54215", now()), CreateMode::Persistent);
    let twice = ["number 512 is leafid's", "a Leaf uses it", "--back 192.0.2.8:54215"];
    store.refuses(&with(&["--leave", "600", "--quiet", "1h"]), &twice);
    store.refuses(&zookeeper, &["the next Leaf takes number 513", "--leave 577"]);

    let quiet = ["--quiet", "0s", "--leave", "577"];
    let one = [&quiet[..], &["--stopped", "192.0.2.2:54215"]].concat();
    store.refuses(&with(&one), &["number 512 is leafid's", "--stopped 192.0.2.8:54215"]);
    let both = [&quiet[..], &["--stopped", "192.0.2.2:54215,192.0.2.8:54215"]].concat();
    let said = store.import(&with(&both));
    assert!(said.contains("worker 0 is kept for `192.0.2.2:54215`, from 2"), "{said}");
    assert!(said.contains("worker 512 is kept for `192.0.2.8:54215`, from 2"), "{said}");
    assert!(store.list()[0].contains("192.0.2.2:54215 (keeps it)"), "{}", store.list()[0]);
    assert!(!store.list()[0].contains("2080"), "{}", store.list()[0]);
}

#[test]
fn nonsense_in_a_tree_and_a_clock_that_was_wrong_are_refused_with_a_cure() {
    let Some(mut server) = for_test::<Zookeeper>() else { return };
    let tree = Tree::in_zookeeper(&server, "leaf");
    let store = Store::new();
    let at = |name: &str| tree.url.replace("/snowflake/leaf", &format!("/snowflake/{name}"));
    let stopped = |name: &str, words: &[&str]| {
        let url = at(name);
        let more = ["--leaf-zookeeper", url.as_str(), "--stopped", "all", "--quiet", "0s"];
        store.refuses(&more, words);
    };
    let node = |name: &str, node: &str, data: &str| {
        tree.make(&format!("/snowflake/{name}/{node}"), data, CreateMode::Persistent);
    };
    node("name", "forever/hello", "");
    stopped("name", &["`/snowflake/name/forever/hello` is not a node of Leaf", "delete it"]);
    node("data", "forever/192.0.2.2:1-0000000000", "hello");
    stopped("data", &["number 0", "not JSON", "leave this one out of --stopped"]);
    let day = now() + 86_400_000;
    node("ahead", "forever/192.0.2.2:1-0000000000", &Tree::data("192.0.2.2:1", day));
    stopped("ahead", &["one of the two clocks is wrong", "Leaf would not start here either"]);
    node("both", "forever/192.0.2.2:1-0000000000", &Tree::data("192.0.2.2:1", 1));
    node("both", "recycle/notuse/workId:0", "{}");
    stopped("both", &["zk_normal", "zk_recycle", "two modes"]);
    node("pool", "recycle/notuse/worker 1", "{}");
    stopped("pool", &["`/snowflake/pool/recycle/notuse/worker 1` is not a node of Leaf"]);
    // An unreadable node still reserves its number.
    let url = at("data");
    store.import(&["--leaf-zookeeper", &url, "--leave", "65"]);
    assert_eq!(store.draws(), "65");

    store.refuses(&["--leaf-zookeeper", "http://h:1"], &["--leaf-zookeeper takes zk://"]);
    server.stop().unwrap();
    store.refuses(
        &["--leaf-zookeeper", &url],
        &["STORE_UNAVAILABLE", "Leaf's ZooKeeper", "start it"],
    );
}

#[test]
fn a_recycled_pool_goes_over_as_a_whole_or_not_at_all() {
    let Some(server) = for_test::<Zookeeper>() else { return };
    let tree = Tree::in_zookeeper(&server, "pool");
    let fresh = |n: u32| {
        format!(
            "{{\"workId\":{n},\"lastUsedIp\":null,\"lastUsedPort\":null,\"lastUsedTimestamp\":null}}"
        )
    };
    for n in [0, 2, 3, 1_023, 1_024] {
        let path = format!("{}/recycle/notuse/workId:{n}", tree.path);
        tree.make(&path, &fresh(n), CreateMode::Persistent);
    }
    let used = format!(
        "{{\"workId\":1,\"lastUsedIp\":\"192.0.2.2\",\"lastUsedPort\":\"8080\",\"lastUsedTimestamp\":{}}}",
        now()
    );
    let inuse = format!("{}/recycle/inuse/workId:1", tree.path);
    tree.make(&inuse, &used, CreateMode::Persistent);
    let store = Store::new();
    let pool = ["--leaf-zookeeper", tree.url.as_str()];
    let all = [&pool[..], &["--stopped", "all"]].concat();
    store.refuses(&pool, &["zk_recycle", "any number", "--stopped all"]);
    let long = [&all[..], &["--quiet", "1h"]].concat();
    store.refuses(&long, &["number 1 has a Leaf that runs", "inuse/workId:1"]);
    let said = store.import(&[&all[..], &["--quiet", "0s", "--margin", "2h"]].concat());
    has(&said, &["1 taken over"]);
    assert_eq!(store.list().len(), 1, "the others were never used");
    let firsts = [store.draws(), store.draws()];
    assert!(!firsts.contains(&"1".to_owned()), "1 rests: {firsts:?}");
}

#[test]
fn a_table_is_taken_in_over_http_too() {
    let Some(server) = for_test::<Mariadb>() else { return };
    let table = Table::in_mariadb(server);
    let serving = Serving::fresh();
    let url = table.url();
    let args = ["worker", "import", "leaf", "--leaf-table", &url];
    let import = |more: &[&str]| says(&serving.url, &[&args[..], more].concat());
    let refuses = |more: &[&str], words: &[&str]| {
        has(&fails(&serving.url, &[&args[..], more].concat(), 1), words);
    };
    assert_eq!(table.register("192.0.2.2:8080", now()), 1, "an id begins at 1");
    // A deleted id is never given out again.
    assert_eq!(table.register("192.0.2.3:8080", now()), 2);
    table.run("DELETE FROM leaf_workerid_alloc WHERE id = 2");
    refuses(&["--leave", "66"], &["takes number 3", "--leave 67"]);
    has(&import(&["--leave", "67"]), &["namespace `leaf`: 67 numbers set aside"]);
    let stopped = ["--leave", "67", "--stopped", "192.0.2.2:8080", "--quiet"];
    let runs = "number 1 has a Leaf that runs: row 1 of leaf_workerid_alloc";
    refuses(&[&stopped[..], &["1h"]].concat(), &[runs]);
    let said = import(&[&stopped[..], &["0s"]].concat());
    has(&said, &["worker 1 is kept for `192.0.2.2:8080`"]);
    let list = says(&serving.url, &["worker", "list", "leaf"]);
    assert!(list.lines().count() == 4 && list.contains(" 2..67 "), "{list}");
    // The way back: while leafid does not use the number, a Leaf may have it again.
    refuses(&["--back", "192.0.2.2:8080"], &["WORKERS_EXHAUSTED", "free from"]);

    table.run("DROP TABLE leaf_workerid_alloc");
    refuses(&[], &["leaf.jdbc.url", "doesn't exist"]);
}
