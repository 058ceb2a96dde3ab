//! Time-outs of connections: one that is idle, or slower than any client has to be, is closed and makes
//! room for others.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::body::Body;
use bytes::Bytes;
use http_body_util::BodyExt;
use tokio::time::{Instant, sleep};

/// Time-outs, and the limit of connections.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Connections of one listener at most.
    pub connections: usize,
    /// From the first byte of a request's head to its last; a TLS handshake.
    pub head: Duration,
    /// From the end of a request's head to the end of its body.
    pub body: Duration,
    /// Between two requests.
    pub idle: Duration,
    /// For reading the next part of an answer, and over HTTP/2 all of it.
    pub write: Duration,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            connections: 10_000,
            head: Duration::from_secs(10),
            body: Duration::from_secs(10),
            // Longer than clients and load balancers keep a connection, so that they close it: no request meets
            // a connection that the server is just closing.
            idle: Duration::from_secs(75),
            write: Duration::from_secs(20),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Overdue {
    /// No request came for too long.
    Idle,
    /// The head of a request does not end, or an answer is not read.
    Slow,
}

/// The state of one connection's time-outs. The stream and the requests report to it.
#[derive(Debug)]
pub(super) struct Deadlines {
    limits: Limits,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    /// When the last request ended or, while a head is being read, when its first byte came.
    since: Instant,
    in_head: bool,
    /// Whether it is HTTP/2: its frames come between requests, too, so bytes alone begin no head.
    http2: bool,
    /// Since when the socket takes no bytes.
    stalled: Option<Instant>,
    requests: usize,
    /// When each answer over HTTP/2 began that the client has not read whole: the oldest first.
    answers: Vec<Instant>,
}

impl Deadlines {
    pub fn new(limits: Limits) -> Arc<Deadlines> {
        let state = State {
            since: Instant::now(),
            in_head: false,
            http2: false,
            stalled: None,
            requests: 0,
            answers: Vec::new(),
        };
        Arc::new(Deadlines { limits, state: Mutex::new(state) })
    }

    pub fn read(&self) {
        let mut state = self.state();
        if !state.in_head && !state.http2 && state.requests == 0 {
            state.in_head = true;
            state.since = Instant::now();
        }
    }

    pub fn stalled(&self, stalled: bool) {
        self.state().stalled = stalled.then(Instant::now);
    }

    pub fn begin(self: &Arc<Deadlines>, http2: bool) -> Request {
        let mut state = self.state();
        state.in_head = false;
        state.http2 = http2;
        state.requests += 1;
        Request { answer: None, deadlines: Arc::clone(self) }
    }

    /// Waits until the connection is overdue, and says why; late by a quarter of the shortest limit at most.
    pub async fn overdue(&self) -> Overdue {
        let Limits { head, idle, write, .. } = self.limits;
        loop {
            sleep(head.min(idle).min(write) / 4).await;
            if let Some(overdue) = self.now_overdue() {
                return overdue;
            }
        }
    }

    fn now_overdue(&self) -> Option<Overdue> {
        let Limits { head, idle, write, .. } = self.limits;
        let state = self.state();
        let (since, limit, overdue) = match state.stalled.or(state.answers.first().copied()) {
            Some(since) => (since, write, Overdue::Slow),
            None if state.requests > 0 => return None,
            None if state.in_head => (state.since, head, Overdue::Slow),
            None => (state.since, idle, Overdue::Idle),
        };
        (since.elapsed() >= limit).then_some(overdue)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A request under way: it ends when this is dropped.
#[derive(Debug)]
pub(super) struct Request {
    answer: Option<Instant>,
    deadlines: Arc<Deadlines>,
}

impl Request {
    /// Keeps the request under way until the client has read the answer. HTTP/2 needs that: a client that
    /// opens no window stalls no socket, and its answers wait in memory.
    pub fn until_taken(mut self, answer: Body) -> Body {
        let mut state = self.deadlines.state();
        let began = Instant::now();
        state.answers.push(began);
        drop(state);
        self.answer = Some(began);
        let request = Arc::new(self);
        Body::new(answer.map_frame(move |frame| {
            let part = |bytes| Bytes::from_owner(Part { bytes, _request: Arc::clone(&request) });
            frame.map_data(part)
        }))
    }
}

impl Drop for Request {
    fn drop(&mut self) {
        let mut state = self.deadlines.state();
        state.requests -= 1;
        state.since = Instant::now();
        if let Some(place) = state.answers.iter().position(|began| Some(*began) == self.answer) {
            state.answers.remove(place);
        }
    }
}

struct Part {
    bytes: Bytes,
    _request: Arc<Request>,
}

impl AsRef<[u8]> for Part {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHORT: Duration = Duration::ZERO;
    const LONG: Limits = Limits {
        connections: 1,
        head: Duration::from_secs(3_600),
        body: Duration::from_secs(3_600),
        idle: Duration::from_secs(3_600),
        write: Duration::from_secs(3_600),
    };

    #[test]
    fn head_ends_when_its_request_begins() {
        let deadlines = Deadlines::new(Limits { head: SHORT, ..LONG });
        assert_eq!(deadlines.now_overdue(), None);
        deadlines.read();
        assert_eq!(deadlines.now_overdue(), Some(Overdue::Slow));
        let since = deadlines.state().since;
        deadlines.read();
        assert_eq!(deadlines.state().since, since, "a head is as old as its first byte");
        let request = deadlines.begin(false);
        deadlines.read();
        assert_eq!(deadlines.now_overdue(), None, "a body has its own limit");
        drop(request);
        assert_eq!(deadlines.now_overdue(), None);
    }

    #[test]
    fn idle_without_a_request() {
        let deadlines = Deadlines::new(Limits { idle: SHORT, ..LONG });
        assert_eq!(deadlines.now_overdue(), Some(Overdue::Idle));
        let requests = [deadlines.begin(true), deadlines.begin(true)];
        for request in requests {
            assert_eq!(deadlines.now_overdue(), None);
            drop(request);
        }
        deadlines.read();
        assert_eq!(deadlines.now_overdue(), Some(Overdue::Idle), "a ping begins no head");
    }
}
