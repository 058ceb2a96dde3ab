//! Carrying an ask to the imported store, and applying answers.

use leafid_core::{Ask, Code, Failure, HostTime, Outcome, Refusal};

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
        if !self.with(|generator| generator.wants_ask(now)) {
            return Ok(None);
        }
        let entropy = host::entropy(self.sent.last())?;
        let ask = self.with(|generator| generator.poll_ask(now, entropy));
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
        self.with(|generator| match carried::grant(grant) {
            Ok(grant) => generator.handle_grant(&grant, sent, now),
            Err(_) => {
                generator.handle_failure(request, Code::GrantInvalid, None, now);
                Err(Code::GrantInvalid.into())
            }
        })
    }

    /// Carries the ask that is due to the imported store, and its answer back. Whether one was due.
    ///
    /// # Errors
    /// Why the ask failed; the generator has backed off and is usable.
    pub fn carry_ask(&self) -> Result<bool, Refusal> {
        let sent = host::now();
        let Some(ask) = self.ask_at(sent)? else { return Ok(false) };
        let answer = host::carry(ask);
        let now = host::now();
        let failure = match answer {
            Ok(grant) if grant.request() == ask.request() => {
                let outcome = self.with(|generator| generator.handle_grant(&grant, sent, now))?;
                if let Outcome::Release(release) = outcome {
                    host::give_back(release)?;
                }
                return Ok(true);
            }
            // On this road nobody else's answer can come.
            Ok(_) => Failure::from(Code::GrantInvalid),
            Err(failure) => failure,
        };
        let Failure { code, retry_after_ms } = failure;
        self.with(|generator| {
            generator.handle_failure(ask.request(), code, retry_after_ms, now);
        });
        Err(code.into())
    }
}
