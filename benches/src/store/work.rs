//! What clients ask for.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use leafid_core::{
    AcquireAsk, Ask, Fields, Name, Refusal, Release, SegmentAsk, Token, WindowGrant,
};
use leafid_wire::{Call, path};

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
    pub worker: u32,
    release: Call,
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
                client.post(&path::numbers(tag), "{\"count\":1}")?;
            }
            Work::Lease { tag } => {
                let tag = Name::tag(tag).map_err(words)?;
                let call = Call::ask(&Ask::Segment(SegmentAsk::new(tag, request())));
                client.post(&call.path, &call.body)?;
            }
            Work::Acquire { rows } => {
                let held = acquire(client, rows)?;
                let took = begin.elapsed();
                release(client, &held)?;
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
    let (space, request) = (Name::namespace(&namespace(rows)).map_err(words)?, request());
    let owner = format!("bench/{}", String::from_utf8_lossy(&request.to_hex()));
    let ask = AcquireAsk::new(space, request, Name::owner(&owner).map_err(words)?);
    let call = Call::ask(&Ask::Acquire(ask));
    client.post(&call.path, &call.body)?;
    let window = client.answer(WindowGrant::get)?;
    // None of it was used, so that the number is free again at once.
    let release = Call::release(&Release::new(space, &window));
    Ok(Held { worker: window.worker, release })
}

/// Gives it back.
pub fn release(client: &mut Client, held: &Held) -> Outcome {
    client.post(&held.release.path, &held.release.body)
}

/// A request id that this run has not used.
fn request() -> Token {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let run = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs());
    let count = NEXT.fetch_add(1, Ordering::Relaxed);
    Token::new((u128::from(run) << 64 | u128::from(count)).to_be_bytes())
}

fn words(refusal: Refusal) -> String {
    refusal.to_string()
}
