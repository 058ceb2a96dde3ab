//! The make of holders, and how they draw.

use leafid_core::{Layout, SegmentConfig, SnowflakeConfig, StepPolicy};

use crate::generator::Config;
use crate::holder::{Make, Pace};
use crate::plan::{Plan, Theme};
use crate::rng::Rng;

const MINUTE: u64 = 60_000;
const HOUR: u64 = 60 * MINUTE;

pub fn make(plan: &Plan, rng: &mut Rng, label: u64) -> Option<Make> {
    let numbers = plan.spaces.is_empty() || (!plan.tags.is_empty() && rng.chance(350));
    let (place, config) = if numbers {
        let place = rng.below(plan.tags.len() as u64) as usize;
        (place, Config::Tag(segment(rng, place)?))
    } else {
        let place = rng.below(plan.spaces.len() as u64) as usize;
        let layout = &plan.spaces[place].namespace.layout;
        (place, Config::Space(snowflake(rng, place, layout, label, plan)?))
    };
    let shared = rng.chance(300);
    Some(Make {
        place,
        config,
        shared,
        // In months nearly all events would be renewals.
        timers: plan.theme != Theme::Months && rng.chance(700),
        gives_up: rng.chance(600).then(|| rng.magnitude(200, 8_000)),
        // A lock-free line relies on a clock that does not go back by itself.
        monotonic: shared || rng.chance(600),
        has_second: rng.chance(600),
        pace: pace(rng, plan.theme),
        disk: None,
        fuse: (plan.theme == Theme::Storm && rng.chance(40)).then(|| rng.magnitude(1, 20) as u32),
    })
}

fn segment(rng: &mut Rng, place: usize) -> Option<SegmentConfig> {
    let mut config = SegmentConfig::new(&format!("t{place}")).ok()?;
    config.step = rng.chance(300).then(|| rng.magnitude(1, 100_000) as u32);
    config.max_step = rng.chance(200).then(|| rng.magnitude(1, 10_000) as u32);
    config.step = config.step.map(|step| step.min(config.max_step.unwrap_or(step)));
    config.ask_below_percent = rng.pick(&[90, 90, 50, 10, 1, 100]);
    if rng.chance(300) {
        let short_ms = rng.magnitude(1, 900_000) as u32;
        let long_ms = short_ms.saturating_mul(2);
        let max_growth = rng.magnitude(1, 1_000) as u32;
        config.policy = StepPolicy { short_ms, long_ms, max_growth };
    }
    Some(config)
}

fn snowflake(
    rng: &mut Rng,
    place: usize,
    layout: &Layout,
    label: u64,
    plan: &Plan,
) -> Option<SnowflakeConfig> {
    let sticky = rng.chance(if plan.theme == Theme::Months { 700 } else { 300 });
    let owner = if sticky { format!("host-{label}") } else { format!("process/{label}") };
    let mut config = SnowflakeConfig::new(&format!("n{place}"), &owner).ok()?;
    config.layout = rng.chance(500).then_some(*layout);
    let shortest = if plan.is_slow() { 10_000 } else { 1 };
    config.length_ms = rng.chance(600).then(|| rng.magnitude(shortest, 900_000) as u32);
    config.sticky = sticky;
    config.strict = sticky && rng.chance(400);
    config.max_ahead_ms = rng.pick(&[1_000, 1_000, 0, 1, 100, 3_000]);
    config.spread = rng.pick(&[None, None, Some(0), Some(1), Some(7), Some(u32::MAX)]);
    Some(config)
}

fn pace(rng: &mut Rng, theme: Theme) -> Pace {
    match (theme, rng.below(10)) {
        (Theme::Calm, 0..=8) => Pace { every: (2_000, MINUTE), count: (1, 3), repeat: 1 },
        (Theme::Calm, _) => Pace { every: (5_000, 4 * MINUTE), count: (1, 16_384), repeat: 2 },
        (Theme::Months, 0..=2) => Pace { every: (HOUR, 45 * 24 * HOUR), count: (1, 3), repeat: 1 },
        (Theme::Months, _) => Pace { every: (MINUTE, 24 * HOUR), count: (1, 300), repeat: 1 },
        (Theme::Storm, 0 | 1) => Pace { every: (500, 20_000), count: (1, 3), repeat: 1 },
        (Theme::Storm, 2..=5) => Pace { every: (20, 400), count: (1, 300), repeat: 1 },
        (Theme::Storm, 6 | 7) => Pace { every: (50, 1_000), count: (500, 16_000), repeat: 1 },
        (Theme::Storm, 8) => Pace { every: (2_000, 30_000), count: (1_000, 16_384), repeat: 12 },
        (Theme::Storm, _) => Pace { every: (1, 10), count: (1, 40), repeat: 1 },
    }
}
