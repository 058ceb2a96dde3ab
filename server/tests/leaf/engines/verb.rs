//! Runs [`crate::verb`] over a tree in ZooKeeper and over a table.

use leafid_servers::{Databases, Mariadb, Server, Zookeeper, for_test};
use zookeeper_client::CreateMode;

use super::leaf::{Tree, now};
use crate::support::{Serving, play, says};
use crate::verb::Store;

#[test]
fn a_tree_is_taken_in_beside_running_leafs_and_taken_over_when_they_have_stopped() {
    let Some(server) = for_test::<Zookeeper>() else { return };
    let tree = Tree::in_zookeeper(&server, "com.example.leaf");
    let store = Store::new();
    let plays = |script: &str| store.plays(&format!("--leaf-zookeeper {}", tree.url), script);

    plays("LEAFS =1 REQUEST_INVALID & no Leaf has registered & leaf.name");
    for ip in ["192.0.2.2", "192.0.2.3"] {
        tree.register(&format!("{ip}:54215"), now());
    }
    plays("LEAFS => 512 numbers set aside & leaf has 2");
    assert!(store.list()[0].contains("2080-07-10") && store.list()[0].contains("192.0.2.2:54215"));
    let rest = store.list().pop().unwrap_or_default();
    assert!(rest.trim_start().starts_with("2..512 ") && store.list().len() == 3, "{rest}");
    assert_eq!(store.draws(), "512", "leafid has the others");
    plays(
        "
        LEAFS --leave 600 =1 number 512 is leafid's & starts for the first time
        LEAFS => 0 numbers set aside & 512 as they were; set aside now: 512
        # The command claims that the Leafs have stopped, but they run.
        LEAFS --stopped all --quiet 1h =1 has a Leaf that runs & wait 3600 s & forever/192
        LEAFS --stopped 192.0.2.9:1 =1 names `192.0.2.9:1` & 192.0.2.2:54215
        ",
    );
    // A new Leaf gets a number that leafid leaves to Leafs; one that leafid has granted is reported.
    for n in 4..8 {
        tree.register(&format!("192.0.2.{n}:54215"), now());
    }
    plays("LEAFS => set aside");
    let strange = format!("{}/forever/192.0.2.8:54215-0000000512", tree.path);
    tree.make(&strange, &Tree::data("192.0.2.8:54215", now()), CreateMode::Persistent);
    let (one, other) = ("192.0.2.2:54215", "192.0.2.8:54215");
    plays(&format!(
        "
        LEAFS --leave 600 --quiet 1h =1 number 512 is leafid's & a Leaf uses it & --back {other}
        LEAFS =1 the next Leaf takes number 513 & --leave 577
        LEAFS --quiet 0s --leave 577 --stopped {one} =1 number 512 is leafid's & --stopped {other}
        LEAFS --quiet 0s --leave 577 --stopped {one},{other} => worker 0 is kept for `{one}`, from 2 \
                                                    & worker 512 is kept for `{other}`, from 2
        "
    ));
    assert!(store.list()[0].contains("192.0.2.2:54215 (keeps it)"), "{}", store.list()[0]);
    assert!(!store.list()[0].contains("2080"), "{}", store.list()[0]);
}

#[test]
fn nonsense_in_a_tree_and_a_clock_that_was_wrong_are_refused_with_a_cure() {
    let Some(mut server) = for_test::<Zookeeper>() else { return };
    let tree = Tree::in_zookeeper(&server, "leaf");
    let store = Store::new();
    let from = |name: &str| {
        format!(
            "--leaf-zookeeper {}",
            tree.url.replace("/snowflake/leaf", &format!("/snowflake/{name}"))
        )
    };
    let (day, old) = (Tree::data("192.0.2.2:1", now() + 86_400_000), Tree::data("192.0.2.2:1", 1));
    let first = "forever/192.0.2.2:1-0000000000";
    for (name, node, data) in [
        ("name", "forever/hello", ""),
        ("data", first, "hello"),
        ("ahead", first, &day),
        ("both", first, &old),
        ("both", "recycle/notuse/workId:0", "{}"),
        ("pool", "recycle/notuse/worker 1", "{}"),
    ] {
        tree.make(&format!("/snowflake/{name}/{node}"), data, CreateMode::Persistent);
    }
    for (name, refused) in [
        ("name", "`/snowflake/name/forever/hello` is not a node of Leaf & delete it"),
        ("data", "number 0 & not JSON & leave this one out of --stopped"),
        ("ahead", "one of the two clocks is wrong & Leaf would not start here either"),
        ("both", "zk_normal & zk_recycle & two modes"),
        ("pool", "`/snowflake/pool/recycle/notuse/worker 1` is not a node of Leaf"),
    ] {
        store.plays(&from(name), &format!("LEAFS --stopped all --quiet 0s =1 {refused}"));
    }
    // An unreadable node still reserves its number.
    store.plays(&from("data"), "LEAFS --leave 65 => set aside");
    assert_eq!(store.draws(), "65");

    store.plays("--leaf-zookeeper http://h:1", "LEAFS =1 --leaf-zookeeper takes zk://");
    server.stop().unwrap();
    store.plays(&from("data"), "LEAFS =1 STORE_UNAVAILABLE & Leaf's ZooKeeper & start it");
}

#[test]
fn a_recycled_pool_goes_over_as_a_whole_or_not_at_all() {
    let Some(server) = for_test::<Zookeeper>() else { return };
    let tree = Tree::in_zookeeper(&server, "pool");
    let make = |node: &str, n: u32, used: &str| {
        let [ip, port, at] = match used {
            "" => ["null"; 3].map(str::to_owned),
            ip => [format!("\"{ip}\""), "\"8080\"".to_owned(), now().to_string()],
        };
        let data = format!(
            "{{\"workId\":{n},\"lastUsedIp\":{ip},\"lastUsedPort\":{port},\"lastUsedTimestamp\":{at}}}"
        );
        tree.make(
            &format!("{}/recycle/{node}/workId:{n}", tree.path),
            &data,
            CreateMode::Persistent,
        );
    };
    for n in [0, 2, 3, 1_023, 1_024] {
        make("notuse", n, "");
    }
    make("inuse", 1, "192.0.2.2");
    let store = Store::new();
    store.plays(
        &format!("--leaf-zookeeper {}", tree.url),
        "LEAFS =1 zk_recycle & any number & --stopped all
         LEAFS --stopped all --quiet 1h =1 number 1 has a Leaf that runs & inuse/workId:1
         LEAFS --stopped all --quiet 0s --margin 2h => 1 taken over",
    );
    assert_eq!(store.list().len(), 1, "the others were never used");
    let firsts = [store.draws(), store.draws()];
    assert!(!firsts.contains(&"1".to_owned()), "1 rests: {firsts:?}");
}

const TABLE: &str = "CREATE TABLE `leaf_workerid_alloc` (`id` bigint(20) NOT NULL AUTO_INCREMENT, \
    `ip` varchar(127) DEFAULT NULL, `port` varchar(127) DEFAULT NULL, \
    `ip_port` varchar(127) NOT NULL, `max_timestamp` bigint(20) DEFAULT NULL, \
    `create_time` timestamp NULL DEFAULT NULL, \
    `update_time` timestamp NULL DEFAULT NULL ON UPDATE CURRENT_TIMESTAMP, \
    PRIMARY KEY (`id`), UNIQUE KEY `idx_ipport` (`ip_port`) USING BTREE) \
    ENGINE=InnoDB AUTO_INCREMENT=0";

#[test]
fn a_table_is_taken_in_over_http_too() {
    let Some(server) = for_test::<Mariadb>() else { return };
    let import = format!("worker import leaf --leaf-table {}", server.fresh("leaf"));
    let run = |sql: &str| server.run("leaf", sql).unwrap_or_else(|said| panic!("{sql}: {said}"));
    run(TABLE);
    let serving = Serving::fresh();
    let plays = |script: &str| play(&serving.url, &script.replace("IMPORT", &import));
    for ip in ["192.0.2.2", "192.0.2.3"] {
        let values = format!("'{ip}', '8080', '{ip}:8080', {}, NOW(), NOW()", now());
        run(&format!("INSERT INTO leaf_workerid_alloc VALUES (NULL, {values})"));
    }
    // A deleted id is never given out again.
    assert_eq!(run("SELECT id FROM leaf_workerid_alloc ORDER BY id"), "1\n2");
    run("DELETE FROM leaf_workerid_alloc WHERE id = 2");
    let stopped = "IMPORT --leave 67 --stopped 192.0.2.2:8080 --quiet";
    plays(&format!(
        "IMPORT --leave 66 =1 takes number 3 & --leave 67
         IMPORT --leave 67 => namespace `leaf`: 67 numbers set aside
         {stopped} 1h =1 number 1 has a Leaf that runs: row 1 of leaf_workerid_alloc
         {stopped} 0s => worker 1 is kept for `192.0.2.2:8080`"
    ));
    let list = says(&serving.url, &["worker", "list", "leaf"]);
    assert!(list.lines().count() == 4 && list.contains(" 2..67 "), "{list}");
    // The way back: while leafid does not use the number, a Leaf may have it again.
    plays("IMPORT --back 192.0.2.2:8080 =1 WORKERS_EXHAUSTED & free from");

    run("DROP TABLE leaf_workerid_alloc");
    plays("IMPORT =1 leaf.jdbc.url & doesn't exist");
}
