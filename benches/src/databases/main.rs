//! What a durable lease costs over a database, beside the database's own bare statement by the same
//! client crate, on a server that is started for this run alone.
//!
//! `databases PATH-TO-LEAFID [ENGINE]`; `cargo xtask bench --only databases` runs all with the published
//! binary.

mod bare;
#[path = "../store/client.rs"]
mod client;
mod keyed;
mod leases;
mod sending;
mod whole;

use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use leafid_servers::{Databases, Etcd, Mariadb, Postgres, Server, Zookeeper};

use bare::{Bare, Mysql, Postgresql, Sql};
use keyed::{Gateway, Nodes};
use leases::{Served, Stored};

/// The clients of the rows with many.
const CLIENTS: usize = 32;
/// How long a round of one kind takes: short, for an engine is slower now and then for seconds.
const ROUND: Duration = Duration::from_millis(250);
/// The row of what the server hands out from memory.
const WITHOUT: &str = "over HTTP without the database";
/// Rounds that count, after one that warms up.
const ROUNDS: usize = 20;

type Outcome<T = ()> = Result<T, String>;

/// One kind of work: `clients` at once for so long; how many were done.
type Work<'a> = Box<dyn FnMut(usize, Duration) -> Outcome<u64> + 'a>;

/// Measures one engine with this server.
type Measure = fn(&Path) -> Outcome;

fn main() -> ExitCode {
    let Some(binary) = std::env::args().nth(1) else {
        eprintln!("databases: `databases PATH-TO-LEAFID`");
        return ExitCode::FAILURE;
    };
    let binary = Path::new(&binary);
    let only = std::env::args().nth(2);
    let engines: [(&str, Measure); 4] = [
        (Postgres::NAME, over::<Postgres, Postgresql>),
        (Mariadb::NAME, over::<Mariadb, Mysql>),
        (Etcd::NAME, keyed::over::<Etcd, Gateway>),
        (Zookeeper::NAME, keyed::over::<Zookeeper, Nodes>),
    ];
    let wanted = |name: &str| only.as_ref().is_none_or(|only| only.eq_ignore_ascii_case(name));
    let mut wanted = engines.iter().filter(|(name, _)| wanted(name)).peekable();
    let done = match wanted.peek() {
        Some(_) => wanted.try_for_each(|(_, over)| over(binary)),
        None => Err("ENGINE is one of PostgreSQL, MariaDB, etcd and ZooKeeper".to_owned()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("databases: {message}");
            ExitCode::FAILURE
        }
    }
}

fn over<S: Databases, B: Sql>(binary: &Path) -> Outcome {
    let server = start::<S>()?;
    let url = server.make_database("bench")?;
    measure::<B>(S::NAME, &url, binary, || {
        let said = server.run("bench", B::CHANGES)?;
        said.trim().parse().map_err(|_| format!("expected a count of commits, got `{said}`"))
    })
}

/// A server for this run.
fn start<S: Server>() -> Outcome<S> {
    match S::missing() {
        Some(missing) => Err(format!("there is no `{missing}`: run `cargo xtask setup-ci`")),
        None => S::start_with(&[]),
    }
}

/// Measures a store; `changed` counts what the engine wrote.
fn measure<B: Bare>(
    engine: &str,
    url: &str,
    binary: &Path,
    changed: impl Fn() -> Outcome<u64>,
) -> Outcome {
    let stored = Stored::create(url)?;
    let served = Served::start(binary, url)?;
    let mut bare = B::prepare(url, CLIENTS)?;
    let mut also = B::also(url, CLIENTS)?;
    let mut kinds = Vec::new();
    let mut runs: Vec<(&str, Work<'_>)> = vec![
        ("the bare statement", Box::new(|clients, length| bare.run(clients, length))),
        ("a lease, in the server", Box::new(|clients, length| stored.run(clients, length))),
        ("a lease over HTTP", Box::new(|clients, length| served.run(clients, length))),
        (
            "over HTTP without the database",
            Box::new(|clients, length| served.take(clients, length)),
        ),
    ];
    if let Some((name, also)) = &mut also {
        runs.insert(1, (name, Box::new(|clients, length| also.run(clients, length))));
    }
    let mut rows = Vec::new();
    for (name, run) in runs {
        for clients in [1, CLIENTS] {
            rows.push(Row { name, clients, kind: kinds.len(), per_second: Vec::new(), batch: 0.0 });
        }
        kinds.push(run);
    }
    // All rounds of one client first: what many have written an engine tidies up for a while, on the
    // same disk.
    let all = [1, CLIENTS].into_iter().flat_map(|clients| (0..=ROUNDS).map(move |n| (clients, n)));
    for (clients, round) in all {
        for row in rows.iter_mut().filter(|row| row.clients == clients) {
            let before = changed()?;
            let run = kinds.get_mut(row.kind).ok_or("no such kind")?;
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
            // What the engine counts then is not its work.
            WITHOUT => ("–".to_owned(), "–".to_owned()),
            _ => (format!("{batch:.1}"), format!("{commits:.2}")),
        };
        println!("| {name} | {clients} | {rate:.0} | {ratio:.2} | {batch} | {commits} |");
    }
    Ok(())
}

/// One kind of work by so many clients.
struct Row {
    name: &'static str,
    clients: usize,
    kind: usize,
    per_second: Vec<f64>,
    /// How many were done for each change of the row in the database.
    batch: f64,
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(0.0)
}
