//! What a world is made of, drawn from its seed.

use leafid_core::registry::{Namespace, TagRow};
use leafid_core::{LINE_END, Layout, Range, SegmentConfig, SnowflakeConfig, StepPolicy};

use crate::generator::Config;
use crate::holder::{Make, Pace};
use crate::rng::Rng;

/// How often what goes wrong, in thousandths.
#[derive(Clone, Copy, Debug)]
pub struct Rates {
    /// Calls and answers lost.
    pub lost: u64,
    /// Calls and answers late.
    pub late: u64,
    /// Calls and answers twice.
    pub doubled: u64,
    /// Answers to somebody else.
    pub swapped: u64,
    /// Answers garbled.
    pub garbled: u64,
    /// Writes that take long.
    pub slow_writes: u64,
    /// How long calls and answers are on their way at most, in ms, where nothing goes wrong.
    pub delay_ms: u64,
}

/// A world.
#[derive(Clone, Debug)]
pub struct Plan {
    /// True time at the beginning, in ms since 1970.
    pub start: i64,
    /// How long it lasts, in ms.
    pub length: i64,
    /// How many servers the store has.
    pub servers: usize,
    /// Whether another store answers behind the same name now and then.
    pub alien: bool,
    /// The tags.
    pub tags: Vec<TagRow>,
    /// The namespaces.
    pub spaces: Vec<Namespace>,
    /// How many holders there are at first.
    pub holders: usize,
    /// How many sloppy clients of the registry.
    pub sloppy: usize,
    /// What goes wrong on the way.
    pub rates: Rates,
    /// How long it takes until something else goes wrong, in ms on average.
    pub chaos_every: u64,
}

impl Rates {
    /// A holder that wants IDs, can reach its store and is told nothing else has them in this
    /// time: some forty attempts of which each would do.
    pub fn dead_after_ms(&self) -> i64 {
        let Rates { lost, late, swapped, garbled, slow_writes, delay_ms, .. } = *self;
        let troubles = 700 * (lost + late + swapped + garbled) + 200 * slow_writes;
        (40_000 + troubles + 80 * delay_ms) as i64
    }
}

impl Plan {
    /// A world's plan.
    pub fn draw(rng: &mut Rng) -> Plan {
        let start = 1_800_000_000_000 + rng.between(0, 100_000_000_000);
        let length = rng.magnitude(300_000, 2_400_000) as i64;
        let rough = rng.below(4);
        let upto = |rng: &mut Rng, most: u64| rng.below(most * rough / 3 + 1);
        let rates = Rates {
            lost: upto(rng, 200),
            late: upto(rng, 120),
            doubled: upto(rng, 150),
            swapped: upto(rng, 100),
            garbled: upto(rng, 40),
            slow_writes: upto(rng, 300),
            delay_ms: rng.pick(&[2, 40, 40, 40, 40, 40, 40, 300, 1_400]),
        };
        let tags = (0..rng.between(1, 3)).filter_map(|_| tag(rng)).collect();
        let spaces = (0..rng.between(1, 4)).filter_map(|_| space(rng, start, length)).collect();
        Plan {
            start,
            length,
            servers: rng.between(2, 3) as usize,
            alien: rng.chance(150),
            tags,
            spaces,
            holders: rng.between(4, 20) as usize,
            sloppy: rng.between(0, 2) as usize,
            rates,
            chaos_every: rng.magnitude(500, 60_000),
        }
    }

    /// A holder's make.
    pub fn make(&self, rng: &mut Rng, label: u64) -> Option<Make> {
        let numbers = self.spaces.is_empty() || (!self.tags.is_empty() && rng.chance(350));
        let (place, config) = if numbers {
            let place = rng.below(self.tags.len() as u64) as usize;
            (place, Config::Tag(segment(rng, place)?))
        } else {
            let place = rng.below(self.spaces.len() as u64) as usize;
            (place, Config::Space(snowflake(rng, place, &self.spaces[place].layout, label)?))
        };
        let shared = rng.chance(300);
        Some(Make {
            place,
            config,
            shared,
            timers: rng.chance(700),
            gives_up: rng.chance(600).then(|| rng.magnitude(200, 8_000)),
            // A lock-free line relies on a clock that does not go back by itself.
            monotonic: shared || rng.chance(600),
            pace: pace(rng),
        })
    }
}

fn tag(rng: &mut Rng) -> Option<TagRow> {
    let from = match rng.below(10) {
        0 => LINE_END - rng.magnitude(1_000, 20_000_000),
        1 => rng.below(LINE_END / 2),
        _ => 1,
    };
    let step = rng.magnitude(1, 10_000) as u32;
    let max_step = rng.magnitude(step.into(), 1_000_000) as u32;
    TagRow::create(None, Some(from.max(1)), Some(step), Some(max_step)).ok()
}

fn segment(rng: &mut Rng, place: usize) -> Option<SegmentConfig> {
    let mut config = SegmentConfig::new(&format!("t{place}")).ok()?;
    config.step = rng.chance(300).then(|| rng.magnitude(1, 100_000) as u32);
    config.ask_below_percent = rng.pick(&[90, 90, 50, 10, 1, 100]);
    if rng.chance(300) {
        let short_ms = rng.magnitude(1, 900_000) as u32;
        let long_ms = short_ms.saturating_mul(2);
        let max_growth = rng.magnitude(1, 1_000) as u32;
        config.policy = StepPolicy { short_ms, long_ms, max_growth };
    }
    Some(config)
}

fn space(rng: &mut Rng, start: i64, length: i64) -> Option<Namespace> {
    let epoch = start - rng.between(0, 50_000_000_000);
    let layout = match rng.below(10) {
        0 | 1 => Layout::LEAF,
        2 => Layout::EDGE,
        3 => Layout::LONG,
        4 => Layout::JS53,
        5 => Layout::new(epoch, 1_000, 33, 8, 12).ok()?,
        6 => Layout::new(epoch, 10, 40, 5, rng.below(18) as u8).ok()?,
        7 => Layout::new(epoch, 1, 45, 6, rng.below(12) as u8).ok()?,
        // It ends, or begins, while the world lasts.
        8 => ending(rng, start, length)?,
        _ => Layout::new(start + rng.between(1, length / 4), 1, 41, 10, 12).ok()?,
    };
    let workers = layout.workers().min(rng.pick(&[1, 2, 3, 5, 8, 16, 32, 64]));
    let first = rng.below(layout.workers() - workers + 1);
    let max_window_ms = match rng.below(4) {
        0 => 1_000,
        1 => 600_000,
        _ => rng.magnitude(1_000, 300_000) as u32,
    };
    Namespace::create(layout, Some(Range::new(first, first + workers)), Some(max_window_ms)).ok()
}

fn ending(rng: &mut Rng, start: i64, length: i64) -> Option<Layout> {
    let (tick_ms, time_bits) = rng.pick(&[(1, 28), (10, 24), (1_000, 16)]);
    let end = start + rng.between(length / 4, length);
    Layout::new(end - (1i64 << time_bits) * i64::from(tick_ms), tick_ms, time_bits, 8, 10).ok()
}

fn snowflake(rng: &mut Rng, place: usize, layout: &Layout, label: u64) -> Option<SnowflakeConfig> {
    let sticky = rng.chance(300);
    let owner = if sticky { format!("host-{label}") } else { format!("process/{label}") };
    let mut config = SnowflakeConfig::new(&format!("n{place}"), &owner).ok()?;
    config.layout = rng.chance(500).then_some(*layout);
    config.length_ms = rng.chance(600).then(|| rng.magnitude(1, 900_000) as u32);
    config.sticky = sticky;
    config.strict = sticky && rng.chance(400);
    config.max_ahead_ms = rng.pick(&[1_000, 1_000, 0, 1, 100, 3_000]);
    config.spread = rng.pick(&[None, None, Some(0), Some(1), Some(7), Some(u32::MAX)]);
    Some(config)
}

fn pace(rng: &mut Rng) -> Pace {
    match rng.below(10) {
        0 | 1 => Pace { every: (500, 20_000), count: (1, 3), repeat: 1 },
        2..=5 => Pace { every: (20, 400), count: (1, 300), repeat: 1 },
        6 | 7 => Pace { every: (50, 1_000), count: (500, 16_000), repeat: 1 },
        8 => Pace { every: (2_000, 30_000), count: (1_000, 16_384), repeat: 12 },
        _ => Pace { every: (1, 10), count: (1, 40), repeat: 1 },
    }
}
