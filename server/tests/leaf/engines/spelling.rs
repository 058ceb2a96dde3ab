//! Names that differ in case only are one tag where Leaf's column folds case, as by default.

use leafid_servers::{Databases, Mariadb, for_test};

use super::running::database;
use super::table::{row, serve};
use crate::client::Running;
use crate::support::play;

const EXACT: &str = "ALTER TABLE leaf_alloc MODIFY biz_tag \
                     varchar(128) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL DEFAULT ''";

#[test]
fn another_spelling_is_refused_with_the_one_that_is_there() {
    let Some(server) = for_test::<Mariadb>() else { return };
    let rows = "('orders', 900001, 2000, NULL), ('sixteen-long.tag', 5, 10, NULL)";
    let url = database(&server, "spelled", rows);
    let script = "init => created
                  tag delete ORDERS =1 TAG_UNKNOWN & `orders`
                  tag set ORDERS --until 900100 =1 TAG_UNKNOWN & `orders`
                  tag advance Orders --to 950000 =1 TAG_UNKNOWN & `orders`
                  tag create ORDERS --if-missing =1 `orders`
                  tag create ORDERS =1 TAG_EXISTS & `orders`";
    play(&url, script);
    assert_eq!(row(&server, "spelled", "orders"), "900001\t2000", "nothing was changed");

    // A client of Leaf is told that the key is unknown, as Leaf does.
    let answer = Running::start(&["--store", &url]).call("GET", "/api/segment/get/ORDERS", &[]);
    assert!(answer.status == 500 && answer.body.contains("id=-2"), "{answer:?}");
    let script = r#"
        POST /v1/segments/ORDERS/lease {@} =404 TAG_UNKNOWN
        POST /v1/segments/orders/lease {@} => "start":"900001"
        POST /v1/segments/sixteen-long.tag/lease {@} => "start":"5""#;
    play(&serve(&url).url, script);
}

#[test]
fn a_deleted_tag_keeps_its_position_for_every_spelling() {
    let Some(server) = for_test::<Mariadb>() else { return };
    let url = database(&server, "deleted", "('orders', 900001, 2000, NULL)");
    let script = "init => created
                  tag delete orders => deleted
                  tag create ORDERS => next number 900001,
                  tag advance ORDERS --to 900500 => advanced
                  tag delete ORDERS => deleted";
    play(&url, script);
    // Two tombstones now; the first has the lower position.
    let kept = "SELECT count(*), min(max_id), max(max_id) FROM leafid_tags";
    assert_eq!(server.run("deleted", kept).expect("rows").trim(), "2\t900001\t900500");
    play(&url, "tag create orders => next number 900500,");
    play(&serve(&url).url, r#"POST /v1/segments/orders/lease {@} => "start":"900500""#);
}

#[test]
fn where_the_column_tells_them_apart_they_are_two() {
    let Some(server) = for_test::<Mariadb>() else { return };
    let url = database(&server, "exact", "('orders', 7000, 100, NULL)");
    server.run("exact", EXACT).expect("another collation");
    let script = "init => created
                  tag set orders --max-step 200 => max_step 200
                  tag create ORDERS => next number 1,
                  tag advance ORDERS --to 95 => advanced
                  tag delete ORDERS => deleted
                  tag create ORDERS => next number 95,";
    play(&url, script);
    let script = r#"
        POST /v1/segments/ORDERS/lease {@} => "start":"95"
        POST /v1/segments/orders/lease {@} => "start":"7000""#;
    play(&serve(&url).url, script);
}
