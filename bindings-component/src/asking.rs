//! Carrying an ask to the imported store, and applying answers.

use leafid_core::{Action, Ask, Event, HostTime, Outcome, Refusal};

use crate::bindings::leafid::generator::types as wit;
use crate::held::Held;
use crate::values::token;
use crate::{carried, host};

impl Held {
    /// The ask that is due.
    ///
    /// # Errors
    /// [`host::entropy`]'s.
    pub fn ask_at(&self, now: HostTime) -> Result<Option<Ask>, Refusal> {
        if !self.with(|generator| generator.wants(now)) {
            return Ok(None);
        }
        let entropy = host::entropy(self.sent.last())?;
        let ask = self.with(|generator| generator.poll(now, entropy)).and_then(Action::ask);
        if let Some(ask) = ask {
            self.sent.note(ask.request(), now);
        }
        Ok(ask)
    }

    /// Applies an answer that a host has carried.
    ///
    /// # Errors
    /// `GRANT_INVALID` for one that cannot be read, which fails its ask; the core's.
    pub fn apply(&self, grant: wit::Grant, sent: Option<HostTime>) -> Result<Outcome, Refusal> {
        let now = host::now();
        let request = token(match &grant {
            wit::Grant::Segment(grant) => grant.request,
            wit::Grant::Window(grant) => grant.request,
        });
        let sent = sent.unwrap_or_else(|| self.sent.when(request, now));
        let answer = carried::grant(grant).map_err(|refusal| refusal.code.into());
        self.with(|generator| generator.handle(Event::Answer { request, sent, answer }, now))
    }

    /// Carries the ask that is due to the imported store, and its answer back. Whether one was due.
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
