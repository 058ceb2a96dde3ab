//! The caller of a request, and the limits of its principal.

use std::future::Future;
use std::net::SocketAddr;
use std::sync::Arc;

use leafid_core::{AcquireAsk, Code, Name, Release, RenewAsk, SegmentAsk, SegmentGrant, StoreTime};
use leafid_core::{WindowGrant, registry};
use leafid_store::clock::{Clock, SystemClock};
use leafid_store::problem::{Figure, Problem};
use leafid_store::registry::Registry;
use tracing::Instrument;

use super::meter::Asking;
use super::principal::Principal;
use super::tokens::Member;

#[derive(Clone, Debug)]
pub struct Caller {
    /// The name of the listener.
    pub listener: &'static str,
    /// The peer's address; `None` for a verb that calls the handlers in its own process.
    pub peer: Option<SocketAddr>,
    /// The principal of its token, where tokens are required.
    pub member: Option<Arc<Member>>,
}

impl std::fmt::Display for Caller {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.listener)?;
        if let Some(peer) = self.peer {
            write!(f, "/{peer}")?;
        }
        match &self.member {
            Some(member) => write!(f, "/{}", member.who.name),
            None => Ok(()),
        }
    }
}

/// A reservation against the daily quota: what is not used of it is given back in the end.
#[derive(Debug)]
pub struct Charge {
    member: Option<Arc<Member>>,
    unused: u64,
}

impl Caller {
    pub fn ids(&self, ids: u64) -> Result<Charge, Problem> {
        if let Some(member) = &self.member {
            member.meter.take(&member.who, ids, SystemClock.wall())?;
        }
        Ok(Charge { member: self.member.clone(), unused: ids })
    }

    /// Cuts a segment's ask down to the principal's limits, and counts it.
    pub async fn segment(
        &self,
        ask: SegmentAsk,
        store: &Registry,
    ) -> Result<(SegmentAsk, Charge), Problem> {
        let is_limited = |who: &&Principal| who.max_step.is_some() || who.ids_per_day.is_some();
        let Some(who) = self.member.as_ref().map(|member| &member.who).filter(is_limited) else {
            return Ok((ask, self.ids(0)?));
        };
        let most = who.max_step.unwrap_or(u32::MAX);
        if let Some(exactly) = ask.exactly {
            if exactly > most {
                return Err(too_many(who, exactly, most));
            }
            return Ok((ask, self.ids(exactly.into())?));
        }
        let step = match ask.step {
            Some(step) => step,
            None => store.tag(ask.tag).await?.step,
        };
        let least = ask.at_least.map(|least| least.min(most));
        let wanted = step.min(most).max(least.unwrap_or(0));
        // An ask within the limit is passed on unchanged.
        let said = if step > most { Some(most) } else { ask.step };
        let charge = self.ids(wanted.into())?;
        Ok((SegmentAsk { step: said, at_least: least, ..ask }, charge))
    }

    /// Lowers the steps in the answer to the principal's limit, so that the holder asks for no more.
    pub fn granted(&self, grant: SegmentGrant) -> SegmentGrant {
        match self.member.as_ref().and_then(|member| member.who.max_step) {
            Some(most) => {
                let (step, max_step) = (grant.step.min(most), grant.max_step.min(most));
                SegmentGrant { step, max_step, ..grant }
            }
            None => grant,
        }
    }

    /// Runs a counted action. For a principal it runs to its end even if the caller hangs up: whatever it
    /// grants meanwhile counts.
    pub async fn counted<T: Send + 'static>(
        &self,
        work: impl Future<Output = Result<T, Problem>> + Send + 'static,
    ) -> Result<T, Problem> {
        if self.member.is_none() {
            return work.await;
        }
        let done = tokio::spawn(work.in_current_span()).await;
        done.unwrap_or_else(|_| {
            Err(Problem::unavailable("the server stops; ask another, or later"))
        })
    }

    /// Cuts a window's ask down to the principal's limits, and counts it while it is under way.
    pub fn acquire(
        &self,
        ask: AcquireAsk,
        now: StoreTime,
    ) -> Result<(AcquireAsk, Option<Asking>), Problem> {
        let Some(member) = &self.member else { return Ok((ask, None)) };
        let asking = member.meter.ask(&member.who, ask.request, now)?;
        let length_ms = self.length_ms(ask.length_ms);
        Ok((AcquireAsk { length_ms, ..ask }, Some(asking)))
    }

    /// Cuts a renewal's ask down to the principal's limits.
    pub fn renew(&self, ask: RenewAsk) -> RenewAsk {
        RenewAsk { length_ms: self.length_ms(ask.length_ms), ..ask }
    }

    pub fn holds(&self, namespace: Name, key: leafid_core::Token, grant: &WindowGrant) {
        if let Some(member) = &self.member {
            member.meter.holds(namespace, grant, key);
        }
    }

    pub fn lets_go(&self, release: &Release) {
        if let Some(member) = &self.member {
            member.meter.lets_go(release);
        }
    }

    fn length_ms(&self, said: Option<u32>) -> Option<u32> {
        let most = self.member.as_ref().and_then(|member| member.who.max_window_ms);
        match (said, most) {
            (Some(said), Some(most)) => Some(said.min(most)),
            (None, Some(most)) => Some(most.min(registry::MAX_WINDOW_CAP_MS)),
            (said, None) => said,
        }
    }
}

impl Charge {
    pub fn had(mut self, ids: u64) {
        self.unused = self.unused.saturating_sub(ids);
    }
}

impl Drop for Charge {
    fn drop(&mut self) {
        if let Some(member) = &self.member {
            member.meter.give_back(&member.who, self.unused);
        }
    }
}

fn too_many(who: &Principal, asked: u32, most: u32) -> Problem {
    let detail = format!(
        "principal `{}` may have {most} numbers in one lease, and asks for {asked}; ask for fewer, or \
         ask the operator for more",
        who.name
    );
    Problem::new(Code::Forbidden, detail).with("max_step", Figure::Number(most.into()))
}
