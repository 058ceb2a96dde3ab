//! The interface `generators`.

use leafid_bindings::AnyGenerator;
use leafid_core::{Carryover, Clocks, Code, Event, HostTime, Refusal, Segment, Snowflake};

use crate::bindings::exports::leafid::generator::generators as wit;
use crate::bindings::leafid::generator::types::{
    Ask, Code as ShownCode, Failure, Grant, Layout as ShownLayout, Millis, Refusal as Refused,
    Release, Token,
};
use crate::bindings::wasi::random::random::get_random_u64;
use crate::code_cases::{code, shown_code};
use crate::configs::{self, refusal, shown_ask, shown_outcome, shown_stance, shown_stats};
use crate::held::Held;
use crate::values::{Crosses, token};
use crate::{Component, host};

/// The most IDs per call: 8 MiB. A runtime with its own limit (wasmtime 50: 128 MiB, at 40 bytes per
/// ID) traps above it, and a trap ends every generator.
const MOST: u64 = 1 << 20;

impl wit::Guest for Component {
    type Generator = Held;
}

impl wit::GuestGenerator for Held {
    fn segment(config: wit::SegmentConfig) -> Result<wit::Generator, Refused> {
        let ids = Box::new(Segment::new(configs::segment(&config)?, get_random_u64())?);
        Ok(wit::Generator::new(Held::new(AnyGenerator::Segment(ids))))
    }

    fn snowflake(config: wit::SnowflakeConfig) -> Result<wit::Generator, Refused> {
        let ids = Box::new(Snowflake::new(configs::snowflake(&config)?, get_random_u64())?);
        let ids = AnyGenerator::Snowflake(ids, Clocks::default());
        Ok(wit::Generator::new(Held::new(ids)))
    }

    fn next(&self) -> Result<u64, Refused> {
        // A number needs no time, and reading the clock is half of this call's cost.
        let is_timed = self.with(|generator| matches!(generator, AnyGenerator::Snowflake(..)));
        let now = if is_timed { host::now() } else { HostTime::MIN };
        Ok(self.with(|generator| generator.next(now))?)
    }

    fn fill(&self, n: u32) -> Result<Vec<u64>, Refused> {
        self.at_now(|generator, now| {
            // Checked before the allocation, as the count may be more than can ever be had.
            generator.ready(now, within(n.into())?)?;
            let mut ids = vec![0; n as usize];
            generator.fill(now, &mut ids)?;
            Ok(ids)
        })
    }

    fn fill_available(&self, most: u32) -> Result<Vec<u64>, Refused> {
        self.at_now(|generator, now| {
            // Room only for what is at hand, but at least for one, to get the reason if there is none.
            let at_hand = generator.stats().in_hand.clamp(1, MOST);
            let mut ids = vec![0; at_hand.min(most.into()) as usize];
            let count = generator.fill_available(now, &mut ids)?;
            ids.truncate(count);
            Ok(ids)
        })
    }

    fn ready(&self, n: u64) -> Result<(), Refused> {
        Ok(self.at_now(|generator, now| generator.ready(now, within(n)?))?)
    }

    fn most(&self) -> u64 {
        self.with(|generator| generator.most()).min(MOST)
    }

    fn stance(&self, given: Refused) -> wit::Stance {
        shown_stance(self.at_now(|generator, now| generator.stance(refusal(given), now)))
    }

    fn refill(&self) -> Result<bool, Refused> {
        Ok(self.carry_ask()?)
    }

    fn close(&self) -> Result<(), Refused> {
        let release = self.with(|generator| generator.retire());
        Ok(release.map_or(Ok(()), host::give_back)?)
    }

    fn wants_ask(&self) -> bool {
        self.at_now(|generator, now| generator.wants(now))
    }

    fn poll_at(&self) -> Option<Millis> {
        self.with(|generator| generator.poll_at()).map(HostTime::get)
    }

    fn poll_ask(&self) -> Result<Option<Ask>, Refused> {
        Ok(self.ask_at(host::now())?.map(shown_ask))
    }

    fn handle_grant(&self, grant: Grant, sent: Option<Millis>) -> Result<wit::Outcome, Refused> {
        Ok(shown_outcome(self.apply(grant, sent.map(HostTime::new))?))
    }

    fn handle_failure(&self, request: Token, failure: Failure) {
        let (request, code) = (token(request), code(failure.code));
        let answer = Err(leafid_core::Failure { code, retry_after_ms: failure.retry_after_ms });
        let _ = self.at_now(|generator, now| {
            generator.handle(Event::Answer { request, sent: now, answer }, now)
        });
    }

    fn retire(&self) -> Option<Release> {
        self.with(|generator| generator.retire()).map(Crosses::shown)
    }

    fn forget(&self) {
        self.with(|generator| generator.forget());
    }

    fn resumed(&self) {
        self.with(|generator| generator.resumed());
    }

    fn look(&self, wall: Millis) -> Millis {
        self.at_now(|generator, now| generator.look(now, HostTime::new(wall)))
    }

    fn carryover(&self) -> wit::Carryover {
        self.with(|generator| generator.carryover()).shown()
    }

    fn resume(
        &self,
        before: wit::Carryover,
        highest: Option<u64>,
        known: Option<ShownLayout>,
    ) -> Result<(), Refused> {
        let (before, known) = (Carryover::read(before)?, Crosses::read(known)?);
        Ok(self.with(|generator| generator.resume(before, highest, known))?)
    }

    fn layout(&self) -> Option<ShownLayout> {
        self.with(|generator| generator.layout()).shown()
    }

    fn failing(&self) -> Option<ShownCode> {
        self.with(|generator| generator.failing()).map(shown_code)
    }

    fn stats(&self) -> wit::Stats {
        shown_stats(self.with(|generator| generator.stats()))
    }
}

/// Checks that one call can give `n` IDs.
///
/// # Errors
/// `COUNT_INVALID`.
fn within(n: u64) -> Result<u64, Refusal> {
    if n > MOST { Err(Code::CountInvalid.into()) } else { Ok(n) }
}
