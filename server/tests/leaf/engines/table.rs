//! `leaf_alloc` as the table of tags: read as it is, written as Leaf reads it, and what it lacks kept
//! beside it.

use leafid_servers::{Databases, Mariadb, Server, for_test};
use serde_json::{Value, json};

use super::running::database;
use crate::support::{Serving, fails, has, play, says};

pub fn serve(url: &str) -> Serving {
    Serving::of(url, &["--create"])
}

/// Leases; `n` is the number of the request.
pub fn lease(serving: &Serving, tag: &str, n: u32) -> (u16, Value) {
    let ask = json!({ "request": format!("{n:032x}") });
    serving.post(&format!("/v1/segments/{tag}/lease"), &ask)
}

/// What Leaf's row says.
pub fn row(server: &Mariadb, database: &str, tag: &str) -> String {
    let text = format!("SELECT max_id, step FROM leaf_alloc WHERE biz_tag = '{tag}'");
    server.run(database, &text).expect("a row").trim().to_owned()
}

#[test]
fn a_row_that_only_leaf_knows_is_served_at_once() {
    let Some(server) = for_test::<Mariadb>() else { return };
    let url = database(&server, "plain", "('orders', 1, 2000, 'Test leaf Segment Mode')");
    let before = server.run("plain", "SHOW CREATE TABLE leaf_alloc").expect("a table");
    let serving = serve(&url);
    assert!(serving.first.contains("1 tag"), "{}", serving.first);
    let (status, grant) = lease(&serving, "orders", 1);
    assert_eq!((status, &grant["start"], &grant["end"]), (200, &json!("1"), &json!("2001")));
    assert_eq!(row(&server, "plain", "orders"), "2001\t2000");
    // One that an operator of Leaf's adds now.
    let insert = "INSERT INTO leaf_alloc (biz_tag, max_id, step) VALUES ('late', 0, 100)";
    server.run("plain", insert).expect("a row");
    let (status, grant) = lease(&serving, "late", 2);
    assert_eq!((status, &grant["start"], &grant["end"]), (200, &json!("1"), &json!("101")));
    // What Leaf cannot keep stands beside its table, which stays as it was made.
    let (_, list) = serving.get("/v1/tags");
    assert_eq!(list["tags"][0]["tag"], "late");
    assert_eq!(list["tags"][1]["max_step"], 1_000_000);
    let after = server.run("plain", "SHOW CREATE TABLE leaf_alloc").expect("a table");
    assert_eq!(before, after);
    let tables = server.run("plain", "SHOW TABLES").expect("tables");
    let ours = tables.lines().filter(|name| name.starts_with("leafid_")).count();
    assert_eq!(ours + 1, tables.lines().count(), "{tables}");
}

#[test]
fn tags_are_made_changed_and_deleted_by_the_command() {
    let Some(server) = for_test::<Mariadb>() else { return };
    let url = database(&server, "verbs", "('old', 5001, 2000, NULL)");
    says(&url, &["init"]);
    says(&url, &["tag", "create", "new", "--from", "70", "--step", "10", "--until", "95"]);
    assert_eq!(row(&server, "verbs", "new"), "70\t10", "a running Leaf reads it");
    play(&url, "tag set old --step 50 --max-step 60 => next number 5001, step 50, max_step 60");
    assert_eq!(row(&server, "verbs", "old"), "5001\t50");
    let script = "tag set old --until 6000 => until 6000
                  tag list => 6000 & 95
                  tag advance old --to 5500 => next number 5500";
    play(&url, script);
    // The last lease before the end is shorter, and then there is none.
    let serving = serve(&url);
    for (n, start, end) in [(1, "70", "80"), (2, "80", "90"), (3, "90", "95")] {
        let (_, grant) = lease(&serving, "new", n);
        assert_eq!((&grant["start"], &grant["end"]), (&json!(start), &json!(end)), "{grant}");
    }
    assert_eq!(lease(&serving, "new", 4).1["code"], "TAG_SPENT");
    drop(serving);
    // A tombstone keeps the position, and Leaf sees no row.
    says(&url, &["tag", "delete", "new"]);
    assert_eq!(row(&server, "verbs", "new"), "");
    // Two that differ in case only are one there.
    let script = "tag set new --step 5 =1 TAG_UNKNOWN
                  tag create new => next number 95, step 1000
                  tag create new =1 TAG_EXISTS
                  tag create OLD =1 TAG_EXISTS";
    play(&url, script);
    assert_eq!(row(&server, "verbs", "new"), "95\t1000");
}

#[test]
fn a_row_that_cannot_be_served_is_refused_alone() {
    let Some(server) = for_test::<Mariadb>() else { return };
    let rows = "('good', 1, 10, NULL), ('none', 1, 0, NULL), ('minus', 1, -5, NULL), \
                ('end', 9223372036854775800, 10, NULL), ('spent', 9223372036854775807, 10, NULL), \
                ('größe', 1, 10, NULL)";
    let url = database(&server, "strange", rows);
    let serving = serve(&url);
    for (n, tag, code) in
        [(1, "none", "STEP_INVALID"), (2, "minus", "STEP_INVALID"), (3, "spent", "TAG_SPENT")]
    {
        let (status, problem) = lease(&serving, tag, n);
        assert_eq!(problem["code"], code, "{status} {problem}");
        assert!(problem["detail"].as_str().expect("text").contains(&format!("`{tag}`")));
        // The server's own generator for the tag says so, too.
        let path = format!("/v1/segments/{tag}/ids");
        let (_, problem) = serving.post(&path, &json!({ "count": 1 }));
        assert_eq!(problem["code"], code, "{problem}");
    }
    serving.logs(&["WARN", "tag `minus` has `step` -5 in `leaf_alloc`"]);
    let (_, grant) = lease(&serving, "end", 4);
    assert_eq!(grant["end"], "9223372036854775807", "{grant}");
    assert_eq!(lease(&serving, "good", 5).0, 200);
    let (_, list) = serving.get("/v1/tags");
    assert_eq!(list["tags"].as_array().expect("a list").len(), 6, "{list}");
    serving.ready(200, &["\"ok\""]);
    // The cure that the message names.
    says(&url, &["tag", "set", "none", "--step", "7"]);
    assert_eq!(lease(&serving, "none", 6).0, 200);
}

#[test]
fn a_table_that_was_edited_lower_is_one_that_went_back() {
    let Some(server) = for_test::<Mariadb>() else { return };
    let url = database(&server, "lower", "('orders', 1, 100, NULL), ('other', 1, 100, NULL)");
    let serving = serve(&url);
    let ids = |tag: &str, count: u32| {
        let path = format!("/v1/segments/{tag}/ids");
        serving.post(&path, &json!({ "count": count }))
    };
    assert_eq!(ids("orders", 60).0, 200);
    server.run("lower", "UPDATE leaf_alloc SET max_id = 40").expect("an update");
    // What it has in hand it may hand out; then it asks, and the server, which knows what it wrote,
    // moves every tag past all that may have been granted.
    let gap = 100 * 1_000_000;
    let above = crate::support::until(|| {
        let (_, answer) = ids("orders", 30);
        answer["ids"][0].as_str()?.parse::<u64>().ok().filter(|id| *id > gap)
    });
    assert!(above.is_some_and(|id| id > gap + 100), "{above:?}");
    assert!(serving.log().contains("STORE_WENT_BACK"), "{}", serving.log());
    let ask = json!({ "request": format!("{:032x}", 9), "have_until": "101" });
    let (status, grant) = serving.post("/v1/segments/other/lease", &ask);
    assert_eq!((status, &grant["start"]), (200, &json!((gap + 40).to_string())), "{grant}");
}

#[test]
fn a_database_without_leafs_table_is_refused() {
    let Some(server) = for_test::<Mariadb>() else { return };
    let url = format!("{}?tags=leaf_alloc", server.fresh("empty"));
    has(&fails(&url, &["init"], 1), &["SCHEMA_MISMATCH", "no table `leaf_alloc`"]);
    let columns = "biz_tag VARCHAR(128), max_id BIGINT, step INT";
    for (made, code, words) in [
        ("(id INT)", "SCHEMA_MISMATCH", "not Leaf's"),
        (&format!("({columns}) ENGINE = MyISAM"), "STORE_REFUSED", "in MyISAM"),
    ] {
        server.run("empty", &format!("CREATE TABLE leaf_alloc {made}")).expect("a table");
        has(&fails(&url, &["init"], 1), &[code, words]);
        server.run("empty", "DROP TABLE leaf_alloc").expect("it goes");
    }
    // Tables of other programs that are called as ours are elsewhere do no harm.
    let url = database(&server, "crowded", "('orders', 1, 100, NULL)");
    for name in ["tags", "meta", "workers"] {
        server.run("crowded", &format!("CREATE TABLE {name} (id INT)")).expect("a table");
    }
    let plain = url.strip_suffix("?tags=leaf_alloc").expect("a store of Leaf's");
    assert!(fails(plain, &["init"], 1).contains("SCHEMA_MISMATCH"));
    // An empty store is made by a command, there as everywhere.
    let refused = fails(&url, &["serve", "--listen", "127.0.0.1:0"], 1);
    has(&refused, &["leafid init --store mysql://", "?tags=leaf_alloc"]);
    says(&url, &["init"]);
    assert_eq!(lease(&serve(&url), "orders", 1).1["end"], "101");
}
