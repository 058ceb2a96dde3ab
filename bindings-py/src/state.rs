//! What stands behind a generator's mutex: asks, grants, what failed, what is to be released.
//!
//! Rules of the lock: it is held for moments only; whoever holds it neither waits for the
//! interpreter nor calls a store; a forked child never opens the one that it inherited.

use std::collections::VecDeque;
use std::sync::Arc;

use leafid_core::{Ask, Code, Grant, HostTime, Outcome, Release, SharedLine, Suspend};

use crate::clock::Clock;
use crate::errors::{Failed, Shared};
use crate::kind::Kind;
use crate::seen::Seen;

/// What stands around the state, readable without its lock.
#[derive(Clone, Copy)]
pub struct Around<'a> {
    /// Where the time is read.
    pub clock: &'a Clock,
    /// Facts for a forked child.
    pub seen: &'a Seen,
    /// What the generator is, for messages.
    pub about: &'a str,
}

/// The generator itself, and its correspondence.
pub struct State<K: Kind> {
    /// The generator.
    pub reserve: leafid_core::Generator<K::Core, Arc<SharedLine>>,
    /// How many answers came, failures included.
    pub answers: u64,
    /// Why the last ask failed, in words.
    pub last: Option<Shared>,
    /// When the first worker number is free, if that is why and the words do not say it.
    pub free_at: Option<HostTime>,
    /// Somebody waits since the last answer.
    pub demand: bool,
    /// Whether the thread that carries asks runs.
    pub carried: bool,
    /// Closed: what is to be sent is sent, then the thread ends.
    pub closing: bool,
    /// The thread is to begin with new connections.
    reconnect: bool,
    /// Everything was forgotten: nothing is asked for before somebody calls.
    asleep: bool,
    outbox: VecDeque<Release>,
    suspend: Suspend,
}

/// What the carrying thread is to do.
pub enum Job {
    /// Ask the store; the moment is when the ask left, on the host's clock.
    Ask(Ask, HostTime),
    /// Give a window's rest back.
    Release(Release),
    /// Forget every connection.
    Reconnect,
    /// Nothing more, ever.
    End,
    /// Nothing until this moment (host's clock) or until somebody calls.
    Wait(Option<HostTime>),
}

impl<K: Kind> State<K> {
    /// Before the first ask.
    pub fn new(reserve: leafid_core::Generator<K::Core, Arc<SharedLine>>) -> State<K> {
        State {
            reserve,
            answers: 0,
            last: None,
            free_at: None,
            demand: false,
            carried: false,
            closing: false,
            reconnect: false,
            asleep: false,
            outbox: VecDeque::new(),
            suspend: Suspend::default(),
        }
    }

    /// What is to be done now.
    pub fn job(&mut self, clock: &Clock, entropy: [u8; 16]) -> Job {
        if std::mem::take(&mut self.reconnect) {
            return Job::Reconnect;
        }
        if let Some(release) = self.outbox.pop_front() {
            return Job::Release(release);
        }
        if self.closing {
            return Job::End;
        }
        // Exact, as everywhere but on the hot path: coarse time lags, and would look as if it had
        // gone back since the last answer.
        let now = clock.exact();
        self.notice_suspend(clock, now);
        self.asleep &= !self.demand;
        if self.asleep {
            return Job::Wait(None);
        }
        // What waiting cannot cure is asked for again only when somebody calls again, or while
        // there are IDs at hand: an operator may mend it before they are used up.
        let hopeless = self.reserve.failure().is_some_and(Code::is_permanent);
        if hopeless && !self.demand && self.reserve.stats().in_hand == 0 {
            return Job::Wait(None);
        }
        match self.reserve.poll_ask(now, entropy) {
            Some(ask) => Job::Ask(ask, now),
            None => Job::Wait(self.reserve.poll_at()),
        }
    }

    fn notice_suspend(&mut self, clock: &Clock, now: HostTime) {
        if K::READS_CLOCK && self.suspend.look(now, clock.wall()) {
            self.reserve.resumed();
        }
    }

    /// Takes the answer of an ask.
    pub fn answered(
        &mut self,
        around: Around<'_>,
        ask: &Ask,
        sent: HostTime,
        answer: Result<Grant, Failed>,
    ) {
        let now = around.clock.exact();
        self.answers += 1;
        self.demand = false;
        let failed = match answer {
            Ok(grant) => match self.granted(around, ask, &grant, sent, now) {
                Ok(()) => {
                    (self.last, self.free_at) = (None, None);
                    return;
                }
                Err(code) => Failed::new(code, unfit(code, ask, &grant, around.about)),
            },
            Err(failed) => failed,
        };
        // What the core refused itself has ended its ask: this then changes nothing.
        self.reserve.handle_failure(ask.request(), failed.code, failed.retry_after_ms, now);
        self.free_at = free_at(&failed, around.clock, now);
        self.last = Some(Arc::new(failed));
    }

    fn granted(
        &mut self,
        around: Around<'_>,
        ask: &Ask,
        grant: &Grant,
        sent: HostTime,
        now: HostTime,
    ) -> Result<(), Code> {
        // One call, one answer: what does not echo is not somebody else's, but wrong.
        if grant.request() != ask.request() {
            return Err(Code::GrantInvalid);
        }
        let outcome =
            self.reserve.handle_grant(grant, sent, now).map_err(|refusal| refusal.code)?;
        around.seen.note(grant);
        self.suspend.leased(now, around.clock.wall());
        if let Outcome::Release(release) = outcome {
            self.outbox.push_back(release);
        }
        Ok(())
    }

    /// Closes the line for good; what is to be given back is sent by the thread.
    pub fn retire(&mut self) {
        self.outbox.extend(self.reserve.retire());
        self.closing = true;
    }

    /// Drops every right without a word, and the connections.
    pub fn forget(&mut self) {
        self.reserve.forget();
        self.suspend = Suspend::default();
        self.outbox.clear();
        (self.last, self.free_at) = (None, None);
        self.reconnect = self.carried;
        self.demand = false;
        self.asleep = true;
    }
}

/// When the first worker number is free, on the host's clock, if that is what failed.
fn free_at(failed: &Failed, clock: &Clock, now: HostTime) -> Option<HostTime> {
    if failed.code != Code::WorkersExhausted || failed.says_when {
        return None;
    }
    let until_ms = failed.until_ms.map(|until_ms| HostTime::new(until_ms).since(clock.wall()));
    failed.retry_after_ms.map(i64::from).or(until_ms).map(|ms| now.plus(ms))
}

/// Why a grant is of no use, with its figures.
fn unfit(code: Code, ask: &Ask, grant: &Grant, about: &str) -> String {
    if grant.request() != ask.request() {
        return format!("the answer for {about} echoes another request: {}", code.advice());
    }
    let figures = match grant {
        Grant::Segment(grant) => {
            format!("[{}, {}) of tag `{}`", grant.range.start, grant.range.end, grant.tag)
        }
        Grant::Window(grant) => format!(
            "ticks [{}, {}) of worker {} at {} ms",
            grant.ticks.start,
            grant.ticks.end,
            grant.worker,
            grant.now.get(),
        ),
    };
    match code {
        Code::StoreChanged => {
            format!("another store answers for {about} than before: {}", code.advice())
        }
        _ => format!("the store granted {figures} for {about}, which cannot be: {}", code.advice()),
    }
}
