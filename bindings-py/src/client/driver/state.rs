//! The state behind a generator's mutex: asks, grants, failures, pending releases.
//!
//! Rules of the lock: it is held for moments only; its holder neither waits for the interpreter
//! lock nor calls a store; a forked child never takes an inherited one.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use leafid_core::{
    Action, Ask, Clocks, Code, Event, Failure, Grant, HostTime, Outcome, Release, SharedLine,
    StateWrite, Stats,
};
use leafid_wire::{Subject, advice};

use crate::client::driver::kept::Kept;
use crate::client::driver::{Held, Kind};
use crate::client::host::clock::Clock;
use crate::client::{Failed, log};

/// The core's generator, and its requests to the store.
pub struct State<K: Kind> {
    pub generator: Held<K>,
    kind: Arc<K>,
    clock: Clock,
    /// The number of answers so far, failures included.
    pub answers: u64,
    pub last: Option<Arc<Failed>>,
    /// When the first worker number will be free, if callers wait for that and no message has it.
    pub free_at: Option<HostTime>,
    pub driven: bool,
    /// Closed: the driver sends the pending releases, then ends.
    pub closing: bool,
    /// The state file is not open yet; nothing is asked for before.
    pub unopened: bool,
    /// `forget` was called before the state file was open: its record counts no more.
    pub forgotten: bool,
    pub saving: bool,
    pub said: Vec<String>,
    /// Why the state file cannot be used: without it no ID is handed out.
    pub unkept: Option<Failed>,
    reconnect: bool,
    /// The core's wishes, until their thread fetches them: this one the driver, `write` the saver.
    ask: Option<Ask>,
    write: Option<StateWrite>,
    outbox: VecDeque<Release>,
    pub sending: bool,
    /// The counters of earlier generators, replaced when everything was given back.
    counted: Option<Stats>,
    clocks: Clocks,
}

/// A task for the driver.
pub enum Errand {
    /// Ask the store; with the time when the ask left, on the host's clock.
    Ask(Ask, HostTime),
    Release(Release),
    Reconnect,
    End,
    /// Rest for this long, or until a call.
    Rest(Option<Duration>),
}

impl<K: Kind> State<K> {
    pub fn new(generator: Held<K>, kind: Arc<K>, clock: Clock) -> State<K> {
        let unopened = kind.state().is_some();
        State {
            generator,
            unopened,
            forgotten: false,
            saving: false,
            said: Vec::new(),
            unkept: None,
            kind,
            clock,
            answers: 0,
            last: None,
            free_at: None,
            driven: false,
            closing: false,
            reconnect: false,
            ask: None,
            write: None,
            outbox: VecDeque::new(),
            sending: false,
            counted: None,
            clocks: Clocks::default(),
        }
    }

    /// Takes the driver's next task, if there is one now.
    pub fn errand(&mut self, entropy: [u8; 16]) -> Option<Errand> {
        if std::mem::take(&mut self.reconnect) {
            return Some(Errand::Reconnect);
        }
        self.advance(entropy);
        if let Some(release) = self.outbox.pop_front() {
            self.sending = true;
            return Some(Errand::Release(release));
        }
        if self.closing {
            // The state file's last write may free a window, which is released after it.
            return (!self.saving).then_some(Errand::End);
        }
        self.ask.take().map(|ask| Errand::Ask(ask, self.clock.exact()))
    }

    /// Takes the next write to the state file, if one is due.
    pub fn write(&mut self, entropy: [u8; 16]) -> Option<StateWrite> {
        self.advance(entropy);
        self.write.take()
    }

    /// When to look again without a call, on the host's clock.
    pub fn look_at(&self) -> Option<HostTime> {
        if self.is_ready() { self.generator.poll_at() } else { None }
    }

    /// Whether the state file is open, or none is kept.
    fn is_ready(&self) -> bool {
        !self.unopened && self.unkept.is_none()
    }

    fn advance(&mut self, entropy: [u8; 16]) {
        if !self.is_ready() {
            return;
        }
        // Exact, as everywhere but on the hot path: coarse time lags, and would seem to have gone
        // back since the last answer.
        let now = self.clock.exact();
        self.notice_leap(now);
        while let Some(action) = self.generator.poll(now, entropy) {
            match action {
                Action::Ask(ask) => self.ask = Some(ask.into()),
                Action::Write(write) => self.write = Some(write),
            }
        }
    }

    /// Whether the driver has a task.
    pub fn wants_driver(&self) -> bool {
        self.ask.is_some() || !self.outbox.is_empty()
    }

    fn notice_leap(&mut self, now: HostTime) {
        if K::READS_CLOCK && self.clocks.look(now, self.clock.wall()) != 0 {
            self.generator.resumed();
        }
    }

    /// Takes the answer of an ask that left at `sent`.
    pub fn answered(
        &mut self,
        kept: &Kept,
        ask: &Ask,
        sent: HostTime,
        answer: Result<Grant, Failed>,
    ) {
        let now = self.clock.exact();
        self.answers += 1;
        let failure =
            |failed: &Failed| Failure { code: failed.code, retry_after_ms: failed.retry_after_ms };
        let heard = answer.as_ref().copied().map_err(failure);
        let event = Event::Answer { request: ask.request(), sent, answer: heard };
        let outcome = self.generator.handle(event.of(), now);
        // Drops an ask that the core repeated meanwhile.
        self.ask = self.ask.filter(|again| again.request() != ask.request());
        if let Ok(Outcome::Release(release)) = outcome {
            self.outbox.push_back(release);
        }
        let failed = match (answer, outcome) {
            (Ok(grant), Ok(_)) => {
                kept.note(&grant);
                if self.last.is_some() {
                    log::note(false, || format!("{} has IDs again", self.kind.subject()));
                }
                (self.last, self.free_at) = (None, None);
                return;
            }
            (Ok(grant), Err(refusal)) => unfit(refusal.code, ask, &grant, self.kind.subject()),
            (Err(failed), _) => failed,
        };
        // After a permanent failure the store is asked again only on a caller's next call, or while
        // IDs are at hand: an operator may repair it before they are used up.
        if failed.code.is_permanent() && self.generator.stats().in_hand == 0 {
            self.generator.rest();
        }
        self.free_at = free_at(&failed, &self.clock, now);
        // Logged once per change: an outage of hours is one line.
        if self.last.as_ref().is_none_or(|last| last.code != failed.code) {
            let left = self.generator.stats().in_hand;
            let about = self.kind.subject();
            let code = failed.code.as_str();
            log::note(true, || format!("{about}: {code}: {failed} ({left} IDs at hand)"));
        }
        self.last = Some(Arc::new(failed));
    }

    /// Closes the line for good; the driver sends the releases, with `gives_up` also that of a window
    /// that a state file would keep.
    pub fn retire(&mut self, gives_up: bool) {
        let release = match gives_up {
            true => self.generator.give_up(),
            false => self.generator.retire(),
        };
        self.outbox.extend(release);
        self.closing = true;
    }

    /// Takes the result of a write; whether it changed anything.
    pub fn written(&mut self, is_done: bool) -> bool {
        let event = if is_done { Event::Written } else { Event::NotWritten };
        let outcome = self.generator.handle(event, self.clock.exact());
        if let Ok(Outcome::Release(release)) = outcome {
            self.outbox.push_back(release);
        }
        outcome == Ok(Outcome::Applied)
    }

    /// Gives back what is in hand as [`retire`](Self::retire) does, and puts a new, empty generator on
    /// the same line, which continues above it. A generator that has stopped for good stays.
    pub fn give_back(&mut self, seed: u64, line: &Arc<SharedLine>) -> Result<(), Failed> {
        // A state file keeps its window for the next start.
        let keeps = self.kind.state().is_some();
        if keeps || self.closing || self.generator.failure().is_some_and(Code::stops) {
            return Ok(());
        }
        let refused = |refusal| Failed::about(refusal, self.kind.subject());
        let counted = self.stats();
        let mut next = self.kind.build(seed, Arc::clone(line)).map_err(refused)?;
        self.outbox.extend(self.generator.retire());
        next.resume(self.generator.carryover()).map_err(refused)?;
        self.generator = next;
        self.counted = Some(counted);
        (self.last, self.free_at, self.ask) = (None, None, None);
        self.generator.rest();
        Ok(())
    }

    /// Whether every release was sent. Also true without a driver, which alone could send them.
    pub fn has_given_back(&self) -> bool {
        !self.driven || (self.outbox.is_empty() && !self.sending)
    }

    /// Whether neither the driver nor the thread of a state file runs.
    pub fn is_done(&self) -> bool {
        !self.driven && !self.saving
    }

    /// Whether the state file is void, so that the next process takes nothing from it. Also true where no
    /// file is kept.
    pub fn is_void(&self) -> bool {
        !self.saving || !self.generator.is_voiding()
    }

    /// The counters, including those of earlier generators.
    pub fn stats(&self) -> Stats {
        let now = self.generator.stats();
        let Some(before) = self.counted else { return now };
        Stats {
            ids: before.ids + now.ids,
            asks: before.asks + now.asks,
            grants: before.grants + now.grants,
            failures: before.failures + now.failures,
            waits: before.waits + now.waits,
            dropped: before.dropped + now.dropped + before.in_hand,
            gaps: before.gaps + now.gaps,
            ..now
        }
    }

    /// Drops every right without a release, and the connections.
    pub fn forget(&mut self) {
        self.generator.forget();
        self.generator.rest();
        self.forgotten |= self.unopened;
        self.outbox.clear();
        (self.last, self.free_at, self.ask) = (None, None, None);
        self.reconnect = self.driven;
    }
}

/// When the first worker number will be free, on the host's clock, if none was free.
fn free_at(failed: &Failed, clock: &Clock, now: HostTime) -> Option<HostTime> {
    if failed.code != Code::WorkersExhausted || failed.says_when {
        return None;
    }
    let until_ms = failed.until_ms.map(|until_ms| HostTime::new(until_ms).since(clock.wall()));
    failed.retry_after_ms.map(i64::from).or(until_ms).map(|ms| now.plus(ms))
}

/// The failure for an unusable grant, with its figures.
fn unfit(code: Code, ask: &Ask, grant: &Grant, about: Subject<'_>) -> Failed {
    let advice = advice(code);
    if grant.request() != ask.request() {
        let message = format!("the store's answer for {about} is to another request: {advice}");
        return Failed::new(code, message);
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
        Code::GrantInvalid => {
            let what = format!("the store's answer for {about} cannot be right");
            Failed::new(code, format!("{what}: it grants {figures}; {advice}"))
        }
        _ => Failed::about(code.into(), about),
    }
}
