//! A generator that a host holds, with its asks carried by the host or to the imported store.

use std::cell::{Cell, RefCell};

use leafid_bindings::AnyGenerator;
use leafid_core::{
    Action, Ask, Event, Grant, HostTime, Outcome, Refusal, SegmentGrant, Token, WindowGrant,
};

use crate::bindings::leafid::generator::types as wit;
use crate::host;
use crate::values::{Crosses, token};

/// A generator of the host. It is never borrowed while an import runs, as the host may call back from
/// there.
pub struct Held {
    generator: RefCell<AnyGenerator>,
    /// The ask that was last handed out, and when that was first.
    sent: Cell<Option<(Token, HostTime)>>,
}

impl Held {
    /// Wraps a generator.
    pub fn new(generator: AnyGenerator) -> Self {
        Self { generator: generator.into(), sent: Cell::default() }
    }

    /// Runs `act` on the generator. It must not call an import: a host that calls back would find the
    /// generator borrowed, which traps.
    pub fn with<T>(&self, act: impl FnOnce(&mut AnyGenerator) -> T) -> T {
        match self.generator.try_borrow_mut() {
            Ok(mut generator) => act(&mut generator),
            // `borrow_mut` would panic with a message that is never shown, and costs a kilobyte.
            Err(_) => core::arch::wasm32::unreachable(),
        }
    }

    /// Reads the clock, then runs `act` at that time.
    pub fn at_now<T>(&self, act: impl FnOnce(&mut AnyGenerator, HostTime) -> T) -> T {
        let now = host::now();
        self.with(|generator| act(generator, now))
    }

    /// The ask that is due.
    ///
    /// # Errors
    /// [`host::entropy`]'s.
    pub fn ask_at(&self, now: HostTime) -> Result<Option<Ask>, Refusal> {
        if !self.with(|generator| generator.wants(now)) {
            return Ok(None);
        }
        let before = self.sent.get().map(|(request, _)| request);
        let entropy = host::entropy(before)?;
        let ask = self.with(|generator| generator.poll(now, entropy)).and_then(Action::ask);
        if let Some(ask) = ask
            && before != Some(ask.request())
        {
            self.sent.set(Some((ask.request(), now)));
        }
        Ok(ask)
    }

    /// Applies an answer that the host has carried.
    ///
    /// # Errors
    /// `GRANT_INVALID` for one that cannot be read, which fails its ask; the core's.
    pub fn apply(&self, given: wit::Grant, sent: Option<HostTime>) -> Result<Outcome, Refusal> {
        let now = host::now();
        let request = token(match &given {
            wit::Grant::Segment(grant) => grant.request,
            wit::Grant::Window(grant) => grant.request,
        });
        let last = self.sent.get().filter(|(before, _)| *before == request);
        // For an unknown ask the time does not matter, as the answer is ignored.
        let sent = sent.unwrap_or(last.map_or(now, |(_, sent)| sent));
        let answer = grant(given).map_err(|refusal| refusal.code.into());
        self.with(|generator| generator.handle(Event::Answer { request, sent, answer }, now))
    }

    /// Carries the ask that is due to the imported store, and its answer back; whether one was due.
    ///
    /// # Errors
    /// Why the ask failed; the generator has backed off and is usable.
    pub fn carry_ask(&self) -> Result<bool, Refusal> {
        let sent = host::now();
        let Some(ask) = self.ask_at(sent)? else { return Ok(false) };
        let event = Event::Answer { request: ask.request(), sent, answer: host::carry(ask) };
        let now = host::now();
        if let Outcome::Release(release) = self.with(|generator| generator.handle(event, now))? {
            host::give_back(release)?;
        }
        Ok(true)
    }
}

/// # Errors
/// The codes of names and layouts.
pub fn grant(grant: wit::Grant) -> Result<Grant, Refusal> {
    match grant {
        wit::Grant::Segment(grant) => SegmentGrant::read(grant).map(Grant::Segment),
        wit::Grant::Window(grant) => WindowGrant::read(grant).map(Grant::Window),
    }
}
