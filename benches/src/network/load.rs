//! Connections that ask as fast as they are answered, all on one thread: cheap, so that the server is
//! what is measured.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::task::JoinSet;

use crate::round::Round;
use crate::servers::Server;
use crate::stream::{Asked, Stream};
use crate::{Outcome, cpu};

/// What a round of requests came to.
pub struct Load {
    /// Those that were answered by 200.
    pub answered: Round,
    /// How many were answered by 503.
    pub refused: u64,
    /// What went wrong otherwise, the first of each connection.
    pub failed: Vec<String>,
}

/// A runtime of one thread.
pub fn runtime() -> Outcome<tokio::runtime::Runtime> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.map_err(|error| error.to_string())
}

/// Asks for so long, on so many connections. Who is refused waits as long as the answer says.
pub async fn round(
    server: &Arc<Server>,
    asked: Asked,
    connections: usize,
    length: Duration,
) -> Outcome<Load> {
    let mut streams = Vec::new();
    for _ in 0..connections {
        let number = fresh_number();
        let stream = Stream::connect(server, number).await;
        streams.push(stream.map_err(|error| format!("no connection: {error}"))?);
    }
    let (before, begin) = (cpu::time_of(server.id())?, Instant::now());
    let mut tasks = JoinSet::new();
    for mut stream in streams {
        tasks.spawn(async move {
            let (mut waits, mut refused) = (Vec::new(), 0);
            while begin.elapsed() < length {
                let sent = Instant::now();
                match stream.ask(asked).await {
                    Ok(answer) if answer.status == 200 => waits.push(sent.elapsed()),
                    Ok(answer) if answer.status == 503 => {
                        refused += 1;
                        let left = length.saturating_sub(begin.elapsed());
                        let after = answer.after.unwrap_or_default().min(left);
                        tokio::time::sleep(after).await;
                    }
                    Ok(answer) => return (waits, refused, Some(format!("{answer:?}"))),
                    Err(error) => return (waits, refused, Some(error.to_string())),
                }
            }
            (waits, refused, None)
        });
    }
    let (mut waits, mut all_refused, mut failed) = (Vec::new(), 0, Vec::new());
    while let Some(task) = tasks.join_next().await {
        let (own, refused, error) = task.map_err(|error| error.to_string())?;
        waits.extend(own);
        all_refused += refused;
        failed.extend(error);
    }
    let (took, spent) = (begin.elapsed(), cpu::time_of(server.id())?);
    let spent = spent.saturating_sub(before);
    Ok(Load { answered: Round::of(waits, took, spent), refused: all_refused, failed })
}

/// A number that no stream of this run has had.
fn fresh_number() -> u64 {
    use std::sync::atomic::{AtomicU64, Ordering};
    static NEXT: AtomicU64 = AtomicU64::new(0);
    u64::from(std::process::id()) << 32 | NEXT.fetch_add(1, Ordering::Relaxed)
}

/// How busy the machine was before anything was measured.
pub fn of_the_machine() -> String {
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let load = load.split(' ').next().unwrap_or("?").to_owned();
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    format!("{cores} cores; load average of the last minute, before: {load}")
}
