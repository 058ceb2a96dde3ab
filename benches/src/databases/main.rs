//! The cost of a durable lease over a database, beside the database's own bare statement by the same
//! client crate, on a server started for this run alone.
//!
//! `databases PATH-TO-LEAFID [ENGINE]`; `cargo xtask bench --only databases` runs all with the published
//! binary.

mod keyed;
mod leases;
mod sending;
mod sql;

use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use leafid_benches::{Outcome, median, program};
use leafid_servers::{Etcd, Mariadb, Postgres, Server, Zookeeper};

use leases::{Served, Stored};
use sending::{Make, Work};

const CLIENTS: usize = 32;
/// The length of a round: short, since an engine slows down now and then for seconds.
const ROUND: Duration = Duration::from_millis(250);
/// The row of numbers that the server hands out from memory.
const WITHOUT: &str = "over HTTP without the database";
/// Rounds that count, after a warm-up round.
const ROUNDS: usize = 20;

type Measure = fn(&Path) -> Outcome;

const ENGINES: [(&str, Measure); 4] = [
    (Postgres::NAME, |binary| {
        let changes = "SELECT txid_current()";
        sql::over::<Postgres>(binary, changes, sql::bare_postgres)
    }),
    (Mariadb::NAME, |binary| {
        let changes = "SELECT variable_value FROM information_schema.global_status \
                       WHERE variable_name = 'HANDLER_UPDATE'";
        sql::over::<Mariadb>(binary, changes, sql::bare_mysql)
    }),
    (Etcd::NAME, |binary| keyed::over::<Etcd>(binary, keyed::revisions, keyed::swaps)),
    (Zookeeper::NAME, |binary| keyed::over::<Zookeeper>(binary, keyed::transactions, keyed::nodes)),
];

fn main() -> ExitCode {
    program("databases", |words| {
        let (binary, only) = match words {
            [binary] => (binary, None),
            [binary, only] => (binary, Some(only)),
            _ => return Err("`databases PATH-TO-LEAFID [ENGINE]`".to_owned()),
        };
        let wanted = |name: &str| only.is_none_or(|only| only.eq_ignore_ascii_case(name));
        let mut wanted = ENGINES.iter().filter(|(name, _)| wanted(name)).peekable();
        match wanted.peek() {
            Some(_) => wanted.try_for_each(|(_, over)| over(Path::new(binary))),
            None => Err("ENGINE is one of PostgreSQL, MariaDB, etcd and ZooKeeper".to_owned()),
        }
    })
}

fn start<S: Server>() -> Outcome<S> {
    match S::missing() {
        Some(missing) => Err(format!("there is no `{missing}`: run `cargo xtask setup-ci`")),
        None => S::start_with(&[]),
    }
}

fn measure(
    engine: &str,
    url: &str,
    binary: &Path,
    bare: Make,
    changed: impl Fn() -> Outcome<u64>,
) -> Outcome {
    let stored = Stored::create(url)?;
    let served = Served::start(binary, url)?;
    let mut runs: [(&str, Work<'_>); 4] = [
        ("the bare statement", bare(url, CLIENTS)?),
        ("a lease, in the server", Box::new(|clients, length| stored.run(clients, length))),
        ("a lease over HTTP", Box::new(|clients, length| served.run(clients, length))),
        (WITHOUT, Box::new(|clients, length| served.take(clients, length))),
    ];
    let mut rows = Vec::new();
    for (kind, (name, _)) in runs.iter().enumerate() {
        for clients in [1, CLIENTS] {
            rows.push(Row { name, clients, kind, per_second: Vec::new(), batch: 0.0 });
        }
    }
    // All rounds of one client first: after many writers an engine cleans up for a while, on the same
    // disk.
    let all = [1, CLIENTS].into_iter().flat_map(|clients| (0..=ROUNDS).map(move |n| (clients, n)));
    for (clients, round) in all {
        for row in rows.iter_mut().filter(|row| row.clients == clients) {
            let before = changed()?;
            let (_, run) = runs.get_mut(row.kind).ok_or("no such kind")?;
            let done = run(row.clients, ROUND)? as f64;
            if round > 0 {
                row.per_second.push(done / ROUND.as_secs_f64());
                let changes = changed()?.saturating_sub(before).max(1);
                row.batch += done / changes as f64 / ROUNDS as f64;
            }
        }
    }
    println!(
        "\n| {engine} | clients | per second | × the bare one's time | per commit \
         | commits × one client's |"
    );
    println!("|---|---|---|---|---|---|");
    for Row { name, clients, per_second, batch, kind } in &rows {
        let alone = rows.iter().find(|row| row.kind == *kind && row.clients == 1);
        let alone = alone.into_iter().flat_map(|row| &row.per_second);
        let commits = per_second.iter().zip(alone).map(|(own, alone)| own / batch / alone);
        let commits = median(commits.collect());
        let floor = rows.iter().find(|row| row.clients == *clients).map(|row| &row.per_second);
        let ratios =
            per_second.iter().zip(floor.into_iter().flatten()).map(|(own, floor)| floor / own);
        let (ratio, rate) = (median(ratios.collect()), median(per_second.clone()));
        let (batch, commits) = match *name {
            // The engine's count is then not of this work.
            WITHOUT => ("–".to_owned(), "–".to_owned()),
            _ => (format!("{batch:.1}"), format!("{commits:.2}")),
        };
        println!("| {name} | {clients} | {rate:.0} | {ratio:.2} | {batch} | {commits} |");
    }
    Ok(())
}

/// One kind of work with a number of clients.
struct Row {
    name: &'static str,
    clients: usize,
    kind: usize,
    per_second: Vec<f64>,
    /// Leases per change of the row in the database.
    batch: f64,
}
