//! What a connection is doing, since when, and until when it may: a client that is idle, or slower
//! than anybody has to be, makes room for others.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU32, AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

/// How long a client may take for what it does, and how many there may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The connections of one listener.
    pub connections: usize,
    /// From the first byte of a request's head to its last; a TLS handshake.
    pub head: Duration,
    /// From the end of a request's head to the end of its body.
    pub body: Duration,
    /// Between two requests.
    pub idle: Duration,
    /// Between two requests, until it is put to rest: it goes on with less memory then.
    pub rest: Duration,
    /// For taking in any part of an answer.
    pub write: Duration,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            connections: 10_000,
            head: Duration::from_secs(10),
            body: Duration::from_secs(10),
            // Clients keep connections for a shorter time, so that it is they who close them: no
            // request meets a connection that is just being closed.
            idle: Duration::from_secs(75),
            // A client of a crowd asks a few times a second: to wake its connection each time costs more
            // than the memory that a rest frees.
            rest: Duration::from_secs(1),
            write: Duration::from_secs(20),
        }
    }
}

const IDLE: u8 = 0;
const HEAD: u8 = 1;
const BUSY: u8 = 2;

/// What a connection is doing. It is told from its bytes and from its requests.
#[derive(Debug)]
pub struct Life {
    begun: Instant,
    phase: AtomicU8,
    /// Since when, in ms since it began.
    since_ms: AtomicU64,
    /// Since when an answer cannot be sent, in ms since it began and 1 more; 0 where it can.
    stalled_ms: AtomicU64,
    requests: AtomicU32,
    /// The answers of HTTP/2 that the client has not taken in, each with when it took in a part of it
    /// last: their frames wait for it, and the connection is not stalled.
    owed: Mutex<BTreeMap<u64, u64>>,
    /// Its frames are HTTP/2's: bytes alone do not tell that a request begins.
    framed: AtomicBool,
}

/// What a connection has been doing for too long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overdue {
    /// Nothing, for a moment.
    Rest,
    /// Nothing.
    Idle,
    /// It sends a request's head.
    Head,
    /// It does not take in an answer.
    Write,
}

impl Life {
    /// A connection that begins.
    pub fn beginning() -> Life {
        Life {
            begun: Instant::now(),
            phase: AtomicU8::new(IDLE),
            since_ms: AtomicU64::new(0),
            stalled_ms: AtomicU64::new(0),
            requests: AtomicU32::new(0),
            owed: Mutex::default(),
            framed: AtomicBool::new(false),
        }
    }

    /// These bytes came in.
    pub fn read(&self, bytes: &[u8]) {
        if bytes.is_empty() || self.phase.load(Relaxed) != IDLE || self.framed.load(Relaxed) {
            return;
        }
        if bytes.starts_with(b"PRI ") {
            self.framed.store(true, Relaxed);
        } else {
            self.enter(HEAD);
        }
    }

    /// Bytes go out, or cannot.
    pub fn written(&self, stalled: bool) {
        let since = self.stalled_ms.load(Relaxed);
        match (since, stalled) {
            (0, true) => self.stalled_ms.store(self.now_ms() + 1, Relaxed),
            (0, false) | (_, true) => {}
            (_, false) => self.stalled_ms.store(0, Relaxed),
        }
    }

    /// A request's head is read whole.
    pub fn begin(&self) {
        self.requests.fetch_add(1, Relaxed);
        self.phase.store(BUSY, Relaxed);
    }

    /// A request is answered.
    pub fn end(&self) {
        if self.requests.fetch_sub(1, Relaxed) == 1 {
            self.enter(IDLE);
        }
    }

    /// An answer is there that the client has to take in.
    pub fn owe(&self, answer: u64) {
        self.owed().insert(answer, self.now_ms());
    }

    /// The client took in a part of it.
    pub fn took(&self, answer: u64) {
        let now_ms = self.now_ms();
        self.owed().entry(answer).and_modify(|since_ms| *since_ms = now_ms);
    }

    /// The client has all of it, or wants no more.
    pub fn settle(&self, answer: u64) {
        self.owed().remove(&answer);
        if self.phase.load(Relaxed) == IDLE {
            self.enter(IDLE);
        }
    }

    /// Until when it may go on as it does, or, where it `rests` before it is idle for too long, until
    /// then; `None` while the server is busy for it.
    pub fn due(&self, limits: &Limits, rests: bool) -> Option<(Instant, Overdue)> {
        let at = |since_ms: u64, limit| self.begun + Duration::from_millis(since_ms) + limit;
        if let Some(since_ms) = self.stalled_ms.load(Relaxed).checked_sub(1) {
            return Some((at(since_ms, limits.write), Overdue::Write));
        }
        if let Some(since_ms) = self.owed().values().min() {
            return Some((at(*since_ms, limits.write), Overdue::Write));
        }
        let since_ms = self.since_ms.load(Relaxed);
        match self.phase.load(Relaxed) {
            IDLE if rests && limits.rest < limits.idle => {
                Some((at(since_ms, limits.rest), Overdue::Rest))
            }
            IDLE => Some((at(since_ms, limits.idle), Overdue::Idle)),
            HEAD => Some((at(since_ms, limits.head), Overdue::Head)),
            _ => None,
        }
    }

    /// Whether it has done nothing for so long that it may rest.
    pub fn may_rest(&self, limits: &Limits) -> bool {
        self.due(limits, true)
            .is_some_and(|(at, overdue)| overdue == Overdue::Rest && at <= Instant::now())
    }

    fn enter(&self, phase: u8) {
        self.since_ms.store(self.now_ms(), Relaxed);
        self.phase.store(phase, Relaxed);
    }

    fn owed(&self) -> MutexGuard<'_, BTreeMap<u64, u64>> {
        self.owed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn now_ms(&self) -> u64 {
        u64::try_from(self.begun.elapsed().as_millis()).unwrap_or(u64::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn doing(life: &Life) -> Option<Overdue> {
        life.due(&Limits::default(), false).map(|(_, overdue)| overdue)
    }

    #[test]
    fn it_is_told_from_bytes_and_requests() {
        let life = Life::beginning();
        assert_eq!(doing(&life), Some(Overdue::Idle));
        life.read(b"");
        assert_eq!(doing(&life), Some(Overdue::Idle));
        life.read(b"G");
        assert_eq!(doing(&life), Some(Overdue::Head));
        life.read(b"ET");
        life.begin();
        life.read(b"a body");
        assert_eq!(doing(&life), None);
        life.written(true);
        assert_eq!(doing(&life), Some(Overdue::Write));
        life.written(false);
        life.end();
        assert_eq!(doing(&life), Some(Overdue::Idle));
    }

    #[test]
    fn frames_that_are_no_request_begin_none() {
        let life = Life::beginning();
        life.read(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
        life.read(b"a ping");
        assert_eq!(doing(&life), Some(Overdue::Idle));
        life.begin();
        life.begin();
        life.end();
        assert_eq!(doing(&life), None);
        life.end();
        assert_eq!(doing(&life), Some(Overdue::Idle));
    }

    /// Of many answers the one that waits longest counts.
    #[test]
    fn an_answer_that_is_not_taken_in_is_overdue_whatever_else_is_asked() {
        let life = Life::beginning();
        life.begin();
        life.owe(1);
        life.end();
        life.begin();
        assert_eq!(doing(&life), Some(Overdue::Write));
        let due = life.due(&Limits::default(), false);
        std::thread::sleep(Duration::from_millis(5));
        life.owe(2);
        assert_eq!(life.due(&Limits::default(), false), due);
        life.took(1);
        assert_ne!(life.due(&Limits::default(), false), due);
        life.settle(1);
        life.settle(2);
        assert_eq!(doing(&life), None, "a request is under way");
        life.end();
        assert_eq!(doing(&life), Some(Overdue::Idle));
    }

    /// A head that comes byte by byte is as old as its first byte.
    #[test]
    fn each_byte_of_a_head_does_not_make_it_young() {
        let life = Life::beginning();
        life.read(b"G");
        let due = life.due(&Limits::default(), false);
        std::thread::sleep(Duration::from_millis(5));
        life.read(b"E");
        assert_eq!(life.due(&Limits::default(), false), due);
    }
}
