//! A tag that begins above a table of the database that keeps the store, or of another.

use leafid_servers::{Databases, Mariadb, Postgres, for_test};

use crate::support::{fails, says};

fn begins_above_a_table<S: Databases>(read_only: &str) {
    let Some(server) = for_test::<S>() else { return };
    let url = server.make_database("shop").expect("a database");
    says(&url, &["init"]);
    server.run("shop", "CREATE TABLE orders (id BIGINT PRIMARY KEY)").expect("a table");
    let create =
        |tag| says(&url, &["tag", "create", tag, "--from-max", "SELECT max(id) FROM orders"]);
    assert!(create("empty").contains("next number 1,"));
    server.run("shop", "INSERT INTO orders VALUES (7), (5000000)").expect("rows");
    assert!(create("orders").contains("next number 5000001"));
    server.run("shop", "INSERT INTO orders VALUES (5000001)").expect("a row");
    let advance = ["tag", "advance", "orders", "--from-max", "SELECT max(id) FROM orders"];
    assert!(says(&url, &advance).contains("next number 5000002"));

    let ask = |sql| fails(&url, &["tag", "create", "other", "--from-max", sql], 1);
    let writes = ask("DELETE FROM orders");
    assert!(writes.contains(read_only), "{writes}");
    let unknown = ask("SELECT max(id) FROM ordres");
    assert!(unknown.contains("REQUEST_INVALID") && unknown.contains("ordres"), "{unknown}");
    assert!(ask("SELECT 'a'").contains("gives `a`"));
    let all = server.run("shop", "SELECT count(*) FROM orders").expect("rows");
    assert_eq!(all.trim(), "3");
}

#[test]
fn a_tag_begins_above_a_table_of_postgres() {
    begins_above_a_table::<Postgres>("read-only transaction");
}

#[test]
fn a_tag_begins_above_a_table_of_mariadb() {
    begins_above_a_table::<Mariadb>("READ ONLY transaction");
}
