//! What clients ask for.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use crate::Outcome;
use crate::client::Client;

/// One kind of request.
#[derive(Clone, Copy, Debug)]
pub enum Work {
    /// A request that the bare handler answers.
    Bare,
    /// One number of a tag, handed out by the server itself.
    Ids {
        /// The tag.
        tag: &'static str,
    },
    /// A lease of a step, which is on disk before it is answered.
    Lease {
        /// The tag.
        tag: &'static str,
    },
    /// A window in a namespace with so many rows, and its release; the acquire alone is timed.
    Acquire {
        /// The rows, which name the namespace.
        rows: u32,
    },
}

/// A window that is held.
pub struct Held {
    /// The worker number.
    pub worker: u64,
    release: String,
}

impl Work {
    /// As a table names it.
    pub fn name(self) -> String {
        match self {
            Work::Bare => "a bare axum handler (the floor)".to_owned(),
            Work::Ids { .. } => "`POST /v1/segments/{tag}/ids`, one ID".to_owned(),
            Work::Lease { .. } => "`POST /v1/segments/{tag}/lease`, durable".to_owned(),
            Work::Acquire { rows } => format!("among {rows} numbers, each with a row"),
        }
    }

    /// Does it once; how long it took.
    pub fn call(self, client: &mut Client) -> Outcome<Duration> {
        let begin = Instant::now();
        match self {
            Work::Bare => client.post("/ids", "{\"count\":1}")?,
            Work::Ids { tag } => {
                client.post(&format!("/v1/segments/{tag}/ids"), "{\"count\":1}")?;
            }
            Work::Lease { tag } => {
                let body = format!("{{\"request\":\"{}\"}}", request_id());
                client.post(&format!("/v1/segments/{tag}/lease"), &body)?;
            }
            Work::Acquire { rows } => {
                let held = acquire(client, rows)?;
                let took = begin.elapsed();
                release(client, rows, &held)?;
                return Ok(took);
            }
        }
        Ok(begin.elapsed())
    }
}

/// The namespace with so many numbers.
pub fn namespace(rows: u32) -> String {
    format!("rows-{rows}")
}

/// Acquires a window in it.
pub fn acquire(client: &mut Client, rows: u32) -> Outcome<Held> {
    let request = request_id();
    let body = format!("{{\"request\":\"{request}\",\"owner\":\"bench/{request}\"}}");
    client.post(&format!("/v1/workers/{}/acquire", namespace(rows)), &body)?;
    let answer = client.answer()?;
    let text = |name: &str| answer[name].as_str().ok_or(format!("no `{name}` in {answer}"));
    let worker = answer["worker"].as_u64().ok_or(format!("no `worker` in {answer}"))?;
    let (store, start) = (text("store")?, text("start")?);
    // None of it was used, so that the number is free again at once.
    let release = format!(
        "{{\"store\":\"{store}\",\"worker\":{worker},\"key\":\"{request}\",\
         \"unused_from\":\"{start}\"}}"
    );
    Ok(Held { worker, release })
}

/// Gives it back.
pub fn release(client: &mut Client, rows: u32, held: &Held) -> Outcome {
    client.post(&format!("/v1/workers/{}/release", namespace(rows)), &held.release)
}

/// 32 hex digits that this run has not used.
fn request_id() -> String {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let run = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs());
    format!("{run:016x}{:016x}", NEXT.fetch_add(1, Ordering::Relaxed))
}
