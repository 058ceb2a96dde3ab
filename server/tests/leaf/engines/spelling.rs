//! Names that differ in case only are one tag where Leaf's column folds case, as by default.

use leafid_servers::{Databases, Mariadb, for_test};

use super::running::database;
use super::table::{lease, row, serve};
use crate::client::Running;
use crate::support::{play, says};

const EXACT: &str = "ALTER TABLE leaf_alloc MODIFY biz_tag \
                     varchar(128) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL DEFAULT ''";

#[test]
fn another_spelling_is_refused_with_the_one_that_is_there() {
    let Some(server) = for_test::<Mariadb>() else { return };
    let rows = "('orders', 900001, 2000, NULL), ('sixteen-long.tag', 5, 10, NULL)";
    let url = database(&server, "spelled", rows);
    says(&url, &["init"]);
    let script = "tag delete ORDERS =1 TAG_UNKNOWN & `orders`
                  tag set ORDERS --until 900100 =1 TAG_UNKNOWN & `orders`
                  tag advance Orders --to 950000 =1 TAG_UNKNOWN & `orders`
                  tag create ORDERS --if-missing =1 `orders`
                  tag create ORDERS =1 TAG_EXISTS & `orders`";
    play(&url, script);
    assert_eq!(row(&server, "spelled", "orders"), "900001\t2000", "nothing was changed");

    // A client of Leaf is told that the key is unknown, as Leaf does.
    let answer =
        Running::start(&["--store", &url]).client.call("GET", "/api/segment/get/ORDERS", &[]);
    assert!(answer.status == 500 && answer.body.contains("id=-2"), "{answer:?}");
    let serving = serve(&url);
    let (status, problem) = lease(&serving, "ORDERS");
    assert_eq!((status, &problem["code"]), (404, &"TAG_UNKNOWN".into()), "{problem}");
    let (_, grant) = lease(&serving, "orders");
    assert_eq!(grant["start"], "900001", "{grant}");
    let (_, grant) = lease(&serving, "sixteen-long.tag");
    assert_eq!(grant["start"], "5", "{grant}");
}

#[test]
fn a_deleted_tag_keeps_its_position_for_every_spelling() {
    let Some(server) = for_test::<Mariadb>() else { return };
    let url = database(&server, "deleted", "('orders', 900001, 2000, NULL)");
    says(&url, &["init"]);
    says(&url, &["tag", "delete", "orders"]);
    play(&url, "tag create ORDERS => next number 900001,");
    says(&url, &["tag", "advance", "ORDERS", "--to", "900500"]);
    says(&url, &["tag", "delete", "ORDERS"]);
    // Two tombstones now; the first has the lower position.
    let kept = "SELECT count(*), min(max_id), max(max_id) FROM leafid_tags";
    assert_eq!(server.run("deleted", kept).expect("rows").trim(), "2\t900001\t900500");
    play(&url, "tag create orders => next number 900500,");
    let (_, grant) = lease(&serve(&url), "orders");
    assert_eq!(grant["start"], "900500", "{grant}");
}

#[test]
fn where_the_column_tells_them_apart_they_are_two() {
    let Some(server) = for_test::<Mariadb>() else { return };
    let url = database(&server, "exact", "('orders', 7000, 100, NULL)");
    server.run("exact", EXACT).expect("another collation");
    says(&url, &["init"]);
    says(&url, &["tag", "set", "orders", "--max-step", "200"]);
    play(&url, "tag create ORDERS => next number 1,");
    says(&url, &["tag", "advance", "ORDERS", "--to", "95"]);
    says(&url, &["tag", "delete", "ORDERS"]);
    play(&url, "tag create ORDERS => next number 95,");
    let serving = serve(&url);
    for (tag, start) in [("ORDERS", "95"), ("orders", "7000")] {
        let (_, grant) = lease(&serving, tag);
        assert_eq!(grant["start"], start, "{grant}");
    }
}
