//! Ten thousand connections that say nothing and a thousand that say it slowly, beside a few that work.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use leafid_benches::Outcome;
use leafid_benches::connection::{Asked, Connection, Load, load, runtime};
use leafid_benches::server::{Asks, Server};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::task::JoinSet;

use crate::start;

const IDLE: usize = 10_000;
const SLOW: usize = 1_000;
const BUSY: usize = 32;
/// The server gives a request's head 10 s; so long the busy ones ask beside the slow ones.
const LENGTH: Duration = Duration::from_secs(14);
const DRIP: Duration = Duration::from_millis(500);
/// A slow one that is not closed by then is not closed in time.
const IN_TIME: Duration = Duration::from_secs(12);
/// So long the server has to let go of what it does not need.
const SETTLED: Duration = Duration::from_secs(2);

pub fn run(binary: &Path, folder: &Path) -> Outcome {
    let server = Arc::new(start(binary, folder, Asks::default())?);
    runtime()?.block_on(crowd(&server))
}

async fn crowd(server: &Arc<Server>) -> Outcome {
    let control = load(server, Asked::Ids, BUSY, LENGTH).await?;
    settle().await;
    let alone = server.resident_kb("RssAnon")?;

    let mut silent = Vec::new();
    for _ in 0..IDLE {
        let stream = TcpStream::connect(server.address).await;
        silent.push(stream.map_err(|error| format!("{} idle: {error}", silent.len()))?);
    }
    settle().await;
    let with_silent = server.resident_kb("RssAnon")?;
    drop(silent);
    settle().await;

    let before = server.resident_kb("RssAnon")?;
    let mut idle = Vec::new();
    for number in 0..IDLE {
        let asked = asked_once(server).await;
        idle.push(asked.map_err(|error| format!("idle connection {number}: {error}"))?);
    }
    settle().await;
    let with_idle = server.resident_kb("RssAnon")?;
    let began = Instant::now();
    let mut slow = JoinSet::new();
    for _ in 0..SLOW {
        slow.spawn(drip(Arc::clone(server), began));
    }
    let beside = load(server, Asked::Ids, BUSY, LENGTH).await?;
    let mut closed = Vec::new();
    while let Some(task) = slow.join_next().await {
        closed.push(task.map_err(|error| error.to_string())??);
    }
    closed.sort_unstable();
    let mut kept = 0;
    for stream in &mut idle {
        kept += usize::from(stream.ask(Asked::Ids).await.is_ok_and(|answer| answer.status == 200));
    }

    let kb = |more: f64, less: f64| (more - less).max(0.0) / IDLE as f64;
    println!("\n| {IDLE} idle connections, without TLS | KB each |\n|---|---|");
    println!("| that have asked nothing | {:.1} |", kb(with_silent, alone));
    println!("| that have asked for an ID and had it | {:.1} |", kb(with_idle, before.min(alone)));
    println!("\n| {BUSY} busy connections | per second | CPU µs | p50 ms | p99 ms | failed |");
    println!("|---|---|---|---|---|---|");
    row("alone", &control);
    row(&format!("beside {IDLE} idle and {SLOW} slow ones"), &beside);
    let late = closed.iter().filter(|after| **after > IN_TIME).count();
    println!(
        "\n{} slow connections were closed after {:.1} to {:.1} s, {late} of them late; {kept} of {IDLE} \
         idle ones asked once more afterwards and were answered",
        closed.len(),
        closed.first().map_or(0.0, Duration::as_secs_f64),
        closed.last().map_or(0.0, Duration::as_secs_f64),
    );
    let failed = control.failed.len() + beside.failed.len();
    match (failed, late, kept) {
        (0, 0, IDLE) => Ok(()),
        _ => Err(format!("{failed} busy requests failed, as {:?}", beside.failed.first())),
    }
}

fn row(name: &str, load: &Load) {
    let round = &load.answered;
    println!(
        "| {name} | {:.0} | {:.1} | {:.2} | {:.2} | {} |",
        round.per_second,
        round.cpu_us,
        round.p50_ms,
        round.p99_ms,
        load.failed.len() as f64 + round.refused * LENGTH.as_secs_f64()
    );
}

async fn settle() {
    tokio::time::sleep(SETTLED).await;
}

async fn asked_once(server: &Server) -> Outcome<Connection> {
    let mut connection = Connection::open(server).await.map_err(|error| error.to_string())?;
    match connection.ask(Asked::Ids).await {
        Ok(answer) if answer.status == 200 => Ok(connection),
        other => Err(format!("{other:?}")),
    }
}

/// Sends a head byte by byte until the server closes; after how long that was.
async fn drip(server: Arc<Server>, began: Instant) -> Outcome<Duration> {
    let failed = |error: std::io::Error| format!("a slow connection: {error}");
    let stream = TcpStream::connect(server.address).await.map_err(failed)?;
    let (mut reader, mut writer) = stream.into_split();
    writer.write_all(b"GET /healthz HTTP/1.1\r\nhost: localhost\r\nx: ").await.map_err(failed)?;
    let began = began.max(Instant::now());
    let mut read = [0; 64];
    loop {
        tokio::select! {
            // An end, or a reset: closed either way.
            _ = reader.read(&mut read) => return Ok(began.elapsed()),
            () = tokio::time::sleep(DRIP) => {
                if writer.write_all(b"x").await.is_err() {
                    return Ok(began.elapsed());
                }
            }
        }
    }
}
