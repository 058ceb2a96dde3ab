//! `leaf_alloc` as the table of tags: read as it is, written as Leaf expects it; settings that it lacks
//! are kept beside it.

use leafid_servers::{Databases, Mariadb, Server, for_test};

use super::running::database;
use crate::support::{Serving, fails, has, play};

pub fn serve(url: &str) -> Serving {
    Serving::of(url, &["--create"])
}

pub fn row(server: &Mariadb, database: &str, tag: &str) -> String {
    let text = format!("SELECT max_id, step FROM leaf_alloc WHERE biz_tag = '{tag}'");
    server.run(database, &text).expect("a row").trim().to_owned()
}

#[test]
fn a_row_that_only_leaf_knows_is_served_at_once() {
    let Some(server) = for_test::<Mariadb>() else { return };
    let url = database(&server, "plain", "('orders', 1, 2000, 'Test leaf Segment Mode')");
    let run = |sql: &str| server.run("plain", sql).expect("it is done");
    let before = run("SHOW CREATE TABLE leaf_alloc");
    let serving = serve(&url);
    assert!(serving.first.contains("1 tag"), "{}", serving.first);
    play(&serving.url, r#"POST /v1/segments/orders/lease {@} => "start":"1" & "end":"2001""#);
    assert_eq!(row(&server, "plain", "orders"), "2001\t2000");
    run("INSERT INTO leaf_alloc (biz_tag, max_id, step) VALUES ('late', 0, 100)");
    play(&serving.url, r#"POST /v1/segments/late/lease {@} => "start":"1" & "end":"101""#);
    // Settings without a column are kept beside Leaf's table, which keeps its form.
    let (_, list) = serving.get("/v1/tags");
    assert_eq!(list["tags"][0]["tag"], "late");
    assert_eq!(list["tags"][1]["max_step"], 1_000_000);
    assert_eq!(before, run("SHOW CREATE TABLE leaf_alloc"));
    let tables = run("SHOW TABLES");
    let ours = tables.lines().filter(|name| name.starts_with("leafid_")).count();
    assert_eq!(ours + 1, tables.lines().count(), "{tables}");
}

#[test]
fn tags_are_made_changed_and_deleted_by_the_command() {
    let Some(server) = for_test::<Mariadb>() else { return };
    let url = database(&server, "verbs", "('old', 5001, 2000, NULL)");
    let script = "init => created
                  tag create new --from 70 --step 10 --until 95 => next number 70";
    play(&url, script);
    assert_eq!(row(&server, "verbs", "new"), "70\t10", "a running Leaf reads it");
    play(&url, "tag set old --step 50 --max-step 60 => next number 5001, step 50, max_step 60");
    assert_eq!(row(&server, "verbs", "old"), "5001\t50");
    let script = "tag set old --until 6000 => until 6000
                  tag list => 6000 & 95
                  tag advance old --to 5500 => next number 5500";
    play(&url, script);
    // The last lease before the end is shorter; then the tag is spent.
    let script = r#"
        POST /v1/segments/new/lease {@} => "start":"70" & "end":"80"
        POST /v1/segments/new/lease {@} => "start":"80" & "end":"90"
        POST /v1/segments/new/lease {@} => "start":"90" & "end":"95"
        POST /v1/segments/new/lease {@} =422 TAG_SPENT"#;
    play(&serve(&url).url, script);
    // A tombstone beside the table keeps the position; Leaf sees no row.
    play(&url, "tag delete new => deleted");
    assert_eq!(row(&server, "verbs", "new"), "");
    // Names that differ in case only are one tag here.
    let script = "tag set new --step 5 =1 TAG_UNKNOWN
                  tag create new => next number 95, step 1000
                  tag create new =1 TAG_EXISTS
                  tag create OLD =1 TAG_EXISTS";
    play(&url, script);
    assert_eq!(row(&server, "verbs", "new"), "95\t1000");
}

#[test]
fn a_database_without_leafs_table_is_refused() {
    let Some(server) = for_test::<Mariadb>() else { return };
    let url = format!("{}?tags=leaf_alloc", server.fresh("empty"));
    play(&url, "init =1 SCHEMA_MISMATCH & no table `leaf_alloc`");
    let columns = "biz_tag VARCHAR(128), max_id BIGINT, step INT";
    for (made, refused) in [
        ("(id INT)", "SCHEMA_MISMATCH & not Leaf's"),
        (&format!("({columns}) ENGINE = MyISAM"), "STORE_REFUSED & in MyISAM"),
    ] {
        server.run("empty", &format!("CREATE TABLE leaf_alloc {made}")).expect("a table");
        play(&url, &format!("init =1 {refused}"));
        server.run("empty", "DROP TABLE leaf_alloc").expect("it goes");
    }
    // Other programs' tables with the names that ours have elsewhere do no harm.
    let url = database(&server, "crowded", "('orders', 1, 100, NULL)");
    for name in ["tags", "meta", "workers"] {
        server.run("crowded", &format!("CREATE TABLE {name} (id INT)")).expect("a table");
    }
    let plain = url.strip_suffix("?tags=leaf_alloc").expect("a store of Leaf's");
    play(plain, "init =1 SCHEMA_MISMATCH");
    // Here too an empty store is created by a command only.
    let refused = fails(&url, &["serve", "--listen", "127.0.0.1:0"], 1);
    has(&refused, &["leafid init --store mysql://", "?tags=leaf_alloc"]);
    play(&url, "init => created");
    play(&serve(&url).url, r#"POST /v1/segments/orders/lease {@} => "end":"101""#);
}
