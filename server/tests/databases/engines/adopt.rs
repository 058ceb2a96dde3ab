//! Creates a tag above the IDs of a table, in the store's own database or in another.

use std::process::Command;

use crate::support::{Home, LEAFID, fails, has, says};
use leafid_servers::{Databases, Postgres, Server, for_test};

fn begins_above_a_table<S: Databases>(server: S, read_only: &str, cast: &str) {
    let url = server.fresh("shop");
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
    has(&ask("DELETE FROM orders"), &[read_only]);
    has(&ask("SELECT max(id) FROM ordres"), &["REQUEST_INVALID", "ordres"]);
    assert!(ask("SELECT 'a'").contains("gives `a`"));
    // The greatest text is not the greatest number, and a float is rounded.
    let odd = "CREATE TABLE odd (t VARCHAR(20), f DOUBLE PRECISION)";
    server.run("shop", odd).expect("a table");
    server.run("shop", "INSERT INTO odd VALUES ('999', 7), ('1000', 8)").expect("rows");
    for (sql, gives) in [("SELECT max(t) FROM odd", "`999`"), ("SELECT max(f) FROM odd", "`8`")] {
        has(&ask(sql), &["REQUEST_INVALID", gives, cast]);
    }
    let cast = format!("SELECT {} FROM odd", cast.replace("id", "t"));
    has(&says(&url, &["tag", "create", "odd", "--from-max", &cast]), &["next number 1001,"]);
    let sum = "SELECT sum(id) FROM orders WHERE id < 8";
    has(&says(&url, &["tag", "create", "sum", "--from-max", sum]), &["next number 8,"]);
    let all = server.run("shop", "SELECT count(*) FROM orders").expect("rows");
    assert_eq!(all.trim(), "3");
}

each!(
    begins_above_a_table:
    postgres Postgres("read-only transaction", "max(CAST(id AS BIGINT))"),
    mariadb Mariadb("READ ONLY transaction", "max(CAST(id AS SIGNED))"),
);

#[test]
fn the_commands_of_the_page_run() {
    const PAGE: &str = include_str!("../../../../docs/ADOPTING.md");
    let Some(server) = for_test::<Postgres>() else { return };
    server.fresh("shop");
    server
        .run("shop", "CREATE TABLE orders (id BIGINT); INSERT INTO orders VALUES (41)")
        .expect("a table");
    server.run("shop", "CREATE USER shop PASSWORD 'change-me'").expect("a user");
    server.run("shop", "GRANT SELECT ON orders TO shop").expect("a right");
    let home = Home::with_store();
    let mut next = 42;
    let named = PAGE.lines().find_map(|line| line.trim().strip_prefix("export LEAFID_IN="));
    let named = named.expect("the table's database");
    let named = named.replace("db.example:5432", &format!("127.0.0.1:{}", server.port()));
    for line in PAGE.lines().map(str::trim).filter(|line| line.starts_with("leafid tag ")) {
        let [before, query, ""] = line.split('"').collect::<Vec<_>>()[..] else { panic!("{line}") };
        let mut command = Command::new(LEAFID);
        command.args(before.split_whitespace().skip(1).chain([query]));
        command.env("LEAFID_STORE", &home.store).env("LEAFID_IN", &named);
        let said = command.output().expect("it starts");
        has(&String::from_utf8_lossy(&said.stdout), &[&format!("next number {next},")]);
        server.run("shop", &format!("INSERT INTO orders VALUES ({next})")).expect("a late row");
        next += 1;
    }
    assert_eq!(next, 44, "a tag was created, and advanced");
}
