//! Converts configurations, actions and results of generators.

use leafid_core::{
    Ask, Carryover, HostTime, Outcome, Refusal, SegmentConfig, SnowflakeConfig, Stance, Stats,
};

use crate::bindings::exports::leafid::generator::generators as wit;
use crate::bindings::leafid::generator::types;
use crate::code_cases::{code, shown_code};
use crate::values::{Crosses, records};

/// # Errors
/// `TAG_INVALID`.
pub fn segment(wanted: &wit::SegmentConfig) -> Result<SegmentConfig, Refusal> {
    let mut config = SegmentConfig::new(&wanted.tag)?;
    config.step = wanted.step;
    config.max_step = wanted.max_step;
    let policy = &mut config.policy;
    policy.max_growth = wanted.max_growth.unwrap_or(policy.max_growth);
    policy.short_ms = wanted.short_ms.unwrap_or(policy.short_ms);
    policy.long_ms = wanted.long_ms.unwrap_or(policy.long_ms);
    config.ask_below_percent = wanted.ask_below_percent.unwrap_or(config.ask_below_percent);
    Ok(config)
}

/// # Errors
/// `NAMESPACE_INVALID`, `REQUEST_INVALID`, `LAYOUT_INVALID`.
pub fn snowflake(wanted: &wit::SnowflakeConfig) -> Result<SnowflakeConfig, Refusal> {
    let mut config = SnowflakeConfig::new(&wanted.namespace, &wanted.owner)?;
    config.layout = Crosses::read(wanted.layout)?;
    config.length_ms = wanted.length_ms;
    config.sticky = wanted.sticky;
    config.strict = wanted.strict;
    config.max_ahead_ms = wanted.max_ahead_ms.unwrap_or(config.max_ahead_ms);
    config.spread = wanted.spread;
    Ok(config)
}

records! {
    wit::Carryover { ; store, position, have_until }
}

pub fn shown_ask(ask: Ask) -> types::Ask {
    match ask {
        Ask::Segment(ask) => types::Ask::Segment(ask.shown()),
        Ask::Acquire(ask) => types::Ask::Acquire(ask.shown()),
        Ask::Renew(ask) => types::Ask::Renew(ask.shown()),
    }
}

pub fn shown_outcome(outcome: Outcome) -> wit::Outcome {
    match outcome {
        Outcome::Applied => wit::Outcome::Applied,
        Outcome::Ignored => wit::Outcome::Ignored,
        Outcome::Release(release) => wit::Outcome::Release(release.shown()),
    }
}

/// Reads a refusal that came from a generator.
pub fn refusal(refusal: types::Refusal) -> Refusal {
    Refusal { code: code(refusal.code), until: refusal.until.map(HostTime::new) }
}

pub fn shown_stance(stance: Stance) -> wit::Stance {
    match stance {
        Stance::Raise(code) => wit::Stance::Raise(shown_code(code)),
        Stance::Wait(until) => wit::Stance::Wait(until.map(Into::into)),
    }
}

pub fn shown_stats(stats: Stats) -> wit::Stats {
    wit::Stats {
        ids: stats.ids,
        asks: stats.asks,
        grants: stats.grants,
        failures: stats.failures,
        waits: stats.waits,
        dropped: stats.dropped,
        gaps: stats.gaps,
        in_hand: stats.in_hand,
        step: stats.step,
        offset_ms: stats.offset_ms,
        last_code: stats.last_code.shown(),
    }
}
