//! Creates tags and namespaces that go on above IDs an application already has.

use rusqlite::Connection;

use crate::support::{Home, Serving, fails, has, play, says};

const GREATEST: &str = "SELECT max(id) FROM orders";

/// A store, the application's own database, and its name.
fn adopting() -> (Home, Connection, String) {
    let home = Home::with_store();
    let shop = Connection::open(home.at("shop.db")).unwrap();
    shop.execute_batch("CREATE TABLE orders (id INTEGER PRIMARY KEY, note TEXT)").unwrap();
    let named = format!("sqlite:{}", home.at("shop.db"));
    (home, shop, named)
}

#[test]
fn a_tag_begins_above_a_table_and_is_moved_past_what_came_meanwhile() {
    let (home, shop, named) = adopting();
    let store = &home.store;
    let above = ["--from-max", GREATEST, "--in", &named];
    let create =
        |tag, more: &[&str]| says(store, &[&["tag", "create", tag], &above[..], more].concat());
    has(&create("empty", &[]), &["tag `empty` created: next number 1,"]);
    shop.execute_batch("INSERT INTO orders (id) VALUES (7), (5000000)").unwrap();
    let said = create("orders", &[]);
    assert!(said.contains("next number 5000001"), "{said}");
    let then = said.lines().nth(1).expect("what is to be done next");
    assert!(then.contains("stop what still numbers rows"), "{then}");
    // The application still numbers rows itself; the command in the message repairs that.
    shop.execute_batch("INSERT INTO orders (note) VALUES ('late')").unwrap();
    let advance = [&["tag", "advance", "orders"], &above[..]].concat();
    assert!(then.contains("leafid tag advance orders, with the same --from-max"), "{then}");
    assert!(says(store, &advance).contains("next number 5000002"));
    assert!(says(store, &advance).contains("next number 5000002"), "it is past that already");
    assert_eq!(says(store, &["next", "orders"]), "5000002\n");
    has(&says(store, &advance), &["advanced: next number 50"]);
    assert!(create("roomy", &["--headroom", "1000"]).contains("next number 5001002"));

    // Over HTTP, and from a table of the store's own file.
    let serving = Serving::of(&home.at("other.db"), &["--create"]);
    let over = says(&serving.url, &[&["tag", "create", "orders"], &above[..]].concat());
    has(&over, &["next number 5000002"]);
    play(store, "tag create own --from-max 'SELECT count(*) FROM tags' => next number 4");
}

#[test]
fn a_query_that_gives_no_number_is_refused_with_what_would_do() {
    let (home, shop, named) = adopting();
    let store = &home.store;
    let rows = "INSERT INTO orders VALUES (9223372036854775806, 'x'), (3, 'y'); \
                CREATE TABLE odd (t TEXT, r REAL); \
                INSERT INTO odd VALUES ('999', 9007199254740993), ('1000', 7)";
    shop.execute_batch(rows).unwrap();
    for (sql, code, says) in [
        ("SELECT max(id) FROM ordres", "REQUEST_INVALID", "no such table: ordres"),
        ("SELECT note FROM orders", "REQUEST_INVALID", "gives 2 values"),
        ("SELECT note FROM orders WHERE id = 3", "REQUEST_INVALID", "gives `y`"),
        ("SELECT 1.5", "REQUEST_INVALID", "gives `1.5`"),
        ("SELECT id FROM orders WHERE id = 4", "REQUEST_INVALID", "gives 0 values"),
        ("INSERT INTO orders (note) VALUES ('z') RETURNING id", "REQUEST_INVALID", "readonly"),
        ("SELECT max(t) FROM odd", "REQUEST_INVALID", "gives `999`, of type text"),
        ("SELECT max(t) FROM odd", "REQUEST_INVALID", "max(CAST(id AS INTEGER))"),
        ("SELECT max(r) FROM odd", "REQUEST_INVALID", "gives `9007199254740992`, of type real"),
        (GREATEST, "TAG_SPENT", "up to 9223372036854775806"),
    ] {
        let create = ["tag", "create", "orders", "--from-max", sql, "--in", &named];
        has(&fails(store, &create, 1), &[code, says]);
    }
    let create = format!("tag create orders --from-max '{GREATEST}'");
    let none = "--in postgres:// & --from NUMBER";
    play("http://127.0.0.1:1", &format!("{create} =1 {none}"));
    play(store, &format!("{create} --in etcd://127.0.0.1:1 =1 has none"));
    play(store, &format!("{create} --from 5 =2 cannot be used with"));
    play(store, "tag advance orders =2 --to <N>");
    assert_eq!(says(store, &["tag", "list"]).lines().count(), 1, "nothing was created");
    let cast = "SELECT max(CAST(t AS INTEGER)) FROM odd";
    let said = says(store, &["tag", "create", "odd", "--from-max", cast, "--in", &named]);
    has(&said, &["next number 1001,"]);
}

const PAGE: &str = include_str!("../../../docs/ADOPTING.md");

#[test]
fn the_layouts_of_the_page_are_those_of_the_ids() {
    let home = Home::with_store();
    let store = &home.store;
    let command = PAGE.lines().find(|line| line.starts_with("leafid namespace create"));
    let args: Vec<&str> = command.expect("a command").split(' ').skip(1).collect();
    // The ID was made at 2026-11-21 08:33:20.123.
    assert!(says(store, &args).contains("to 2026-11-21T08:33:20.123Z, worker 7"));
    // The epoch of this layout is in 2025, so new IDs would lie below: the namespace is not created.
    let below = "namespace create edge --layout edge --above 2124058566972174397 =1 RANGE_INVALID
                 namespace list => !edge";
    play(store, below);
    let rows: Vec<&str> = PAGE.lines().filter(|line| line.contains(" | `--")).collect();
    assert_eq!(rows.len(), 8);
    for (n, row) in rows.iter().enumerate() {
        let options = row.split('`').find(|cell| cell.starts_with("--")).expect("options");
        let name = format!("n{n}");
        let mut args = vec!["namespace", "create", &name];
        args.extend(options.split(' '));
        let made = says(store, &[&args[..], &["--above", "4000000000"]].concat());
        assert!(made.contains(&format!("namespace `{name}`")), "{row}: {made}");
        assert!(row.contains("](https://"), "where that stands: {row}");
    }
    // Machine 7 of a Sonyflake, sequence 2: another of our workers can make the same ID.
    let sony = rows.iter().position(|row| row.contains("Sonyflake")).expect("Sonyflake");
    let id = ((37_000_000_000_u64 << 24) | (2 << 16) | 7).to_string();
    let said = says(store, &["decode", &id, "--namespace", &format!("n{sony}")]);
    assert!(said.contains("512") && rows[sony].contains("worker 512 with sequence 7"), "{said}");
    assert!(rows[sony].contains("stop it everywhere first"));
    let discord = rows.iter().position(|row| row.contains("Discord")).expect("Discord");
    let name = format!("n{discord}");
    let said = says(store, &["decode", "105484726235607040", "--namespace", &name]);
    has(&said, &["2015-10-19", "01:58:38.546"]);
}
