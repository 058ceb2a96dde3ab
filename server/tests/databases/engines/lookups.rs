//! The candidates of an acquire are found by index, however many worker rows a namespace has.

use crate::support::says;
use leafid_servers::Databases;

macro_rules! text {
    ($lookup:literal) => {
        include_str!(concat!("../../../../turn/common/lookups/", $lookup, ".sql"))
    };
}

/// Checks the query plan of each statement over 20,000 rows of one time, as after a restart of every holder.
fn are_found_by_index<S: Databases>(
    server: S,
    schema: &str,
    fill: &str,
    [column, key]: [&str; 2],
    lookups: [(&'static str, &str); 5],
) {
    let url = server.fresh("many");
    says(&url, &["init"]);
    let run = |sql: &str| server.run("many", &format!("{schema}{sql}")).expect("it runs");
    run(fill);
    for (text, index) in lookups {
        let text = text
            .replace("{workers}", "workers")
            .replace("{key}", column)
            .replace("{true}", "TRUE")
            .replace("{false}", "FALSE")
            .replace(":namespace", "'default'")
            .replace(":owner", "'owner-77'")
            .replace(":key", key)
            .replace(":count", "2")
            .replace(":from", "19000");
        // The index is named to SQLite alone.
        let lines = text.lines().filter(|line| !line.starts_with("--"));
        let lines = lines.map(|line| line.split("{indexed").next().unwrap_or_default());
        let sql = lines.collect::<Vec<_>>().join(" ");
        let plan = run(&format!("EXPLAIN {sql}"));
        println!("{}: {index}: {plan}", S::NAME);
        assert!(plan.contains(index), "not by {index}: {plan}");
        let by_time = index.contains("rested") || index.contains("kept");
        let sorted = plan.contains("Sort") || plan.contains("filesort");
        assert!(!(by_time && sorted), "all rows of one time are read: {plan}");
    }
}

each!(
    are_found_by_index:
    postgres Postgres(
        "SET search_path = leafid; ",
        "INSERT INTO workers SELECT 'default', n, 'owner-' || n, n % 2 = 0, \
         decode(md5(n::text), 'hex'), 9, 9, 9 FROM generate_series(0, 19999) AS n; \
         ANALYZE workers",
        ["key", "decode(md5('77'), 'hex')"],
        [
            (text!("kept"), "workers_kept"),
            (text!("mine"), "workers_mine"),
            (text!("own"), "workers_own"),
            (text!("rested"), "workers_rested"),
            (text!("unused"), "workers_pkey"),
        ]
    ),
    mariadb Mariadb(
        "",
        "INSERT INTO workers SELECT 'default', seq, CONCAT('owner-', seq), seq % 2 = 0, \
         UNHEX(MD5(seq)), 9, 9, 9, TRUE FROM seq_0_to_19999; ANALYZE TABLE workers",
        ["`key`", "UNHEX(MD5(77))"],
        [
            (text!("kept"), "\tworkers_kept\t"),
            (text!("mine"), "\tworkers_mine\t"),
            (text!("own"), "\tworkers_own\t"),
            (text!("rested"), "\tworkers_rested\t"),
            (text!("unused"), "\tPRIMARY\t"),
        ]
    ),
);
