//! Every text of `turn/common/lookups` uses its index, without a scan or a sort, whatever statistics SQLite
//! has.

use std::collections::BTreeSet;
use std::path::Path;

use leafid_turn::sql::SQLITE;
use rusqlite::Connection;

const BARE: &str = "
    CREATE TABLE bare AS SELECT * FROM workers;
    DROP TABLE workers;
    ALTER TABLE bare RENAME TO workers;
";

/// Each text with the accesses to the table that its plan may have.
const PLANS: [(&str, &[&str]); 5] = [
    ("kept", &["SEARCH workers USING INDEX workers_kept (namespace=?)"]),
    ("mine", &["SEARCH workers USING INDEX workers_mine (namespace=? AND key=?)"]),
    ("own", &["SEARCH workers USING INDEX workers_own (namespace=? AND owner=?)"]),
    ("rested", &["SEARCH workers USING INDEX workers_rested (namespace=?)"]),
    ("unused", &["SEARCH workers USING PRIMARY KEY (namespace=? AND worker>?)"]),
];

fn text(name: &str) -> String {
    SQLITE.text(name).sql.to_owned()
}

fn store() -> Connection {
    let connection = Connection::open_in_memory().unwrap();
    connection.execute_batch(SQLITE.text("schema").sql).unwrap();
    connection
}

fn fill(connection: &Connection, rows: u32, nth: u32) {
    let fill = format!(
        "DELETE FROM workers;
         WITH RECURSIVE number (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM number
             WHERE n + 1 < {rows})
         INSERT INTO workers
         SELECT 'ns', n, 'owner', n % {nth} = 0, randomblob(16), 1, n, n, 1 FROM number;
         ANALYZE"
    );
    connection.execute_batch(&fill).unwrap();
}

fn is_planned(connection: &Connection, sql: &str, accesses: &[&str]) -> Result<(), String> {
    let mut statement = connection
        .prepare(&format!("EXPLAIN QUERY PLAN {sql}"))
        .map_err(|error| error.to_string())?;
    // A plan needs no values for its parameters.
    let lines = statement.raw_query().mapped(|row| row.get("detail"));
    let lines: Vec<String> = lines.map(Result::unwrap).collect();
    // These lines only name parts of the statement and read nothing.
    let reads = |line: &&String| *line != "SCAN CONSTANT ROW" && !line.contains("SCALAR SUBQUERY ");
    let read: Vec<&String> = lines.iter().filter(reads).collect();
    if read == accesses { Ok(()) } else { Err(lines.join("; ")) }
}

#[test]
fn every_text_is_answered_by_its_index() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../turn/common/lookups");
    let there = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path());
    let there: BTreeSet<_> =
        there.map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned()).collect();
    assert_eq!(there, PLANS.map(|(name, _)| name.to_owned()).into(), "texts without a plan");

    let connection = store();
    let all = |when: &str| {
        for (name, accesses) in PLANS {
            let planned = is_planned(&connection, &text(name), accesses);
            planned.unwrap_or_else(|lines| panic!("`{name}.sql`, {when}: {lines}"));
        }
    };
    all("without statistics");
    for (rows, nth) in [(10, 1), (10, 2), (10_000, 1), (10_000, 10_000)] {
        fill(&connection, rows, nth);
        all(&format!("with statistics of {rows} rows, one in {nth} kept"));
    }
}

/// The control: without the index each text scans the table, and the check fails. With the index, but
/// without its name in the text, SQLite may choose to read the whole namespace.
#[test]
fn a_text_without_its_index_is_found() {
    let bare = store();
    bare.execute_batch(BARE).unwrap();
    let indexed = store();
    let mut chosen = Vec::new();
    for (name, accesses) in PLANS {
        let sql = text(name);
        let line = sql.lines().find(|line| line.contains("INDEXED BY"));
        let named = line.and_then(|line| line.split("INDEXED BY ").nth(1));
        if let Some(index) = named {
            let gone = is_planned(&bare, &sql, accesses).unwrap_err();
            assert!(gone.contains(&format!("no such index: {index}")), "`{name}.sql`: {gone}");
        }
        let left_to_sqlite =
            named.map_or(sql.clone(), |index| sql.replace(&format!(" INDEXED BY {index}"), ""));
        let scanned = is_planned(&bare, &left_to_sqlite, accesses).unwrap_err();
        assert!(scanned.contains("SCAN "), "`{name}.sql`: {scanned}");
        if is_planned(&indexed, &left_to_sqlite, accesses).is_err() {
            chosen.push(name);
        }
    }
    println!("left to SQLite, these read more: {chosen:?}");
    assert!(!chosen.is_empty(), "SQLite finds every index by itself: the names are not needed");
}
