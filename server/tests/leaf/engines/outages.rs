//! Answers to Leaf's clients while the database is down.

use leafid_servers::{Databases, Mariadb, Server, for_test};

use super::running::database;
use crate::client::Running;
use crate::support::{has, says, until};

const PATH: &str = "/api/segment/get/orders";

/// Asks for an ID: `Ok` with the number of a 200, `Err` with the body of a 500.
fn failure(leaf: &mut Running) -> Result<u64, String> {
    let answer = leaf.call("GET", PATH, &[]);
    match answer.status {
        200 => Ok(answer.body.parse().expect("a number")),
        500 => Err(answer.body),
        other => panic!("{other}: {}", answer.body),
    }
}

#[test]
fn a_known_tag_outlives_its_database_and_goes_on_above() {
    let Some(mut server) = for_test::<Mariadb>() else { return };
    let url = database(&server, "outage", "('orders', 1, 10, NULL)");
    let mut leaf = Running::start(&["--store", &url]);
    assert_eq!(leaf.number(PATH), 1);
    let mut last = 1;
    // Waits for the next range, so that no lease is under way.
    let ready = until(|| {
        let ready = leaf.get("/cache").contains("<td>orders</td><td>true</td><td>true</td>");
        if !ready {
            last += 1;
            assert_eq!(leaf.number(PATH), last);
        }
        ready.then_some(())
    });
    assert!(ready.is_some(), "no next range at number {last}");
    server.crash();
    let said = loop {
        match failure(&mut leaf) {
            Ok(id) => {
                last += 1;
                assert_eq!(id, last);
            }
            Err(said) => break said,
        }
    };
    assert!(said.contains("Result{id=-3, status=EXCEPTION}"), "{said}");
    leaf.serving.logs(&["WARN", "no ID for a client of Leaf's", "STORE_UNAVAILABLE"]);
    server.start_again().expect("it comes back");
    // The server may have reserved numbers in the row just before, which are lost.
    let next = until(|| failure(&mut leaf).ok()).expect("it goes on by itself");
    assert!(next > last, "{next} after {last}");
}

#[test]
fn a_row_is_served_as_soon_as_it_is_there_and_not_after_it_is_gone() {
    let Some(server) = for_test::<Mariadb>() else { return };
    let rows = "('orders', 1, 10, NULL), ('<b>', 1, 10, NULL), \
                (_utf8mb4 0x6772C3B6C39F65, 1, 10, NULL)";
    let url = database(&server, "deleted", rows);
    let mut leaf = Running::start(&["--store", &url]);
    let late = "/api/segment/get/late";
    let unknown = leaf.call("GET", late, &[]);
    assert!(unknown.body.contains("id=-2"), "{}", unknown.body);
    server
        .run("deleted", "INSERT INTO leaf_alloc (biz_tag, step) VALUES ('late', 10)")
        .expect("a row");
    assert_eq!(leaf.number(late), 1, "without a minute's wait");
    // Keys that are not names for leafid may be names for Leaf.
    for key in ["%3Cb%3E", "gr%C3%B6%C3%9Fe"] {
        assert_eq!(leaf.number(&format!("/api/segment/get/{key}")), 1, "{key}");
    }
    let page = leaf.get("/db");
    assert!(page.contains("<td>&lt;b&gt;</td>") && !page.contains("<b>"), "{page}");

    // A key that the table's character set cannot hold.
    let unknown = leaf.call("GET", "/api/segment/get/%E8%AE%A2%E5%8D%95", &[]);
    assert!(unknown.body.contains("id=-2"), "{}\n{}", unknown.body, leaf.serving.log());

    assert_eq!(leaf.number(PATH), 1);
    server.run("deleted", "DELETE FROM leaf_alloc WHERE biz_tag = 'orders'").expect("a row less");
    let mut last = 1;
    let said = loop {
        match failure(&mut leaf) {
            Ok(id) => {
                assert!(id > last);
                last = id;
            }
            Err(said) => break said,
        }
    };
    assert!(said.contains("id=-3"), "a tag that was known: {said}");
    assert!(failure(&mut leaf).unwrap_err().contains("id=-2"));
    assert_eq!(leaf.number(late), 2, "others go on");
}

#[test]
fn a_server_starts_before_its_database() {
    let Some(mut server) = for_test::<Mariadb>() else { return };
    let url = database(&server, "later", "('orders', 5001, 10, NULL)");
    says(&url, &["init"]);
    server.stop().expect("it ends");
    let mut leaf = Running::start(&["--store", &url]);
    assert!(leaf.serving.first.contains("waiting for"), "{}", leaf.serving.first);
    has(&failure(&mut leaf).unwrap_err(), &["id=-3"]);
    server.start_again().expect("it comes back");
    assert_eq!(until(|| failure(&mut leaf).ok()), Some(5001));
}
