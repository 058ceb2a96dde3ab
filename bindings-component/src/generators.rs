//! The interface `generators`.

use leafid_bindings::AnyGenerator;
use leafid_core::{Carryover, Clocks, Code, Event, HostTime, Refusal, Segment, Snowflake};

use crate::bindings::exports::leafid::generator::generators as wit;
use crate::bindings::leafid::generator::types::{
    Ask, Code as ShownCode, Failure, Grant, Layout as ShownLayout, Millis, Refusal as Refused,
    Release, Token,
};
use crate::carried::{refusal, shown_ask, shown_outcome};
use crate::cases::{code, shown_code};
use crate::held::Held;
use crate::values::{Crosses, refused, token};
use crate::{Component, configs, counting, host};

/// How many IDs cross the border in one call at most: 8 MiB. A runtime that has a limit of its own
/// (wasmtime 50: 128 MiB, at 40 bytes an ID) traps above it, and a trap is the end of every generator.
const MOST: u64 = 1 << 20;

fn build(
    make: impl FnOnce(u64) -> Result<AnyGenerator, Refusal>,
) -> Result<wit::Generator, Refused> {
    let generator = make(host::seed()).map_err(refused)?;
    Ok(wit::Generator::new(Held::new(generator)))
}

impl wit::Guest for Component {
    type Generator = Held;
}

impl wit::GuestGenerator for Held {
    fn segment(config: wit::SegmentConfig) -> Result<wit::Generator, Refused> {
        build(|seed| {
            let ids = Segment::new(configs::segment(&config)?, seed)?;
            Ok(AnyGenerator::Segment(Box::new(ids)))
        })
    }

    fn snowflake(config: wit::SnowflakeConfig) -> Result<wit::Generator, Refused> {
        build(|seed| {
            let ids = Snowflake::new(configs::snowflake(&config)?, seed)?;
            Ok(AnyGenerator::Snowflake(Box::new(ids), Clocks::default()))
        })
    }

    fn next(&self) -> Result<u64, Refused> {
        if cfg!(feature = "counting") {
            return Ok(counting::next());
        }
        // One number has no time, and to ask for it is half of what this call costs.
        let is_timed = self.with(|generator| matches!(generator, AnyGenerator::Snowflake(..)));
        let now = if is_timed { host::now() } else { HostTime::MIN };
        self.with(|generator| generator.next(now)).map_err(refused)
    }

    fn fill(&self, n: u32) -> Result<Vec<u64>, Refused> {
        if cfg!(feature = "counting") {
            return Ok(counting::fill(n));
        }
        let filled = self.at_now(|generator, now| {
            // Before there is room for them: the count may be more than can ever be had.
            generator.ready(now, within(n.into())?)?;
            let mut ids = vec![0; n as usize];
            generator.fill(now, &mut ids).map(|()| ids)
        });
        filled.map_err(refused)
    }

    fn fill_available(&self, most: u32) -> Result<Vec<u64>, Refused> {
        let filled = self.at_now(|generator, now| {
            // No more room than can be filled; for one at least, to be told why there is none.
            let at_hand = generator.stats().in_hand.clamp(1, MOST);
            let mut ids = vec![0; at_hand.min(most.into()) as usize];
            let count = generator.fill_available(now, &mut ids)?;
            ids.truncate(count);
            Ok(ids)
        });
        filled.map_err(|refusal: Refusal| refused(refusal))
    }

    fn ready(&self, n: u64) -> Result<(), Refused> {
        self.at_now(|generator, now| generator.ready(now, within(n)?)).map_err(refused)
    }

    fn most(&self) -> u64 {
        self.with(|generator| generator.most()).min(MOST)
    }

    fn stance(&self, given: Refused) -> wit::Stance {
        let stance = self.at_now(|generator, now| generator.stance(refusal(given), now));
        configs::shown_stance(stance)
    }

    fn refill(&self) -> Result<bool, Refused> {
        self.carry_ask().map_err(refused)
    }

    fn close(&self) -> Result<(), Refused> {
        let release = self.with(|generator| generator.retire());
        release.map_or(Ok(()), host::give_back).map_err(refused)
    }

    fn wants_ask(&self) -> bool {
        self.at_now(|generator, now| generator.wants(now))
    }

    fn poll_at(&self) -> Option<Millis> {
        self.with(|generator| generator.poll_at()).map(HostTime::get)
    }

    fn poll_ask(&self) -> Result<Option<Ask>, Refused> {
        self.ask_at(host::now()).map(|ask| ask.map(shown_ask)).map_err(refused)
    }

    fn handle_grant(&self, grant: Grant, sent: Option<Millis>) -> Result<wit::Outcome, Refused> {
        let outcome = self.apply(grant, sent.map(HostTime::new));
        outcome.map(shown_outcome).map_err(refused)
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
        let resume = || {
            let (before, known) = (Carryover::read(before)?, Crosses::read(known)?);
            self.with(|generator| generator.resume(before, highest, known))
        };
        resume().map_err(refused::<HostTime>)
    }

    fn layout(&self) -> Option<ShownLayout> {
        self.with(|generator| generator.layout()).shown()
    }

    fn failing(&self) -> Option<ShownCode> {
        self.with(|generator| generator.failing()).map(shown_code)
    }

    fn stats(&self) -> wit::Stats {
        configs::shown_stats(self.with(|generator| generator.stats()))
    }
}

/// `n`, if one call can give that many.
///
/// # Errors
/// `COUNT_INVALID`.
fn within(n: u64) -> Result<u64, Refusal> {
    if n > MOST { Err(Code::CountInvalid.into()) } else { Ok(n) }
}
