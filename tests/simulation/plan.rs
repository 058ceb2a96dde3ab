//! The plan of a world, drawn from its seed.

use leafid_core::Range;
use leafid_core::registry::{Namespace, TagRow};

use crate::places;
use crate::rng::Rng;

const DAY_MS: u64 = 86_400_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Theme {
    /// Minutes, with short-lived holders and many faults.
    Storm,
    /// Hours, with few long-lived holders that draw little and are seldom disturbed.
    Calm,
    /// Months, of which most passes in long jumps.
    Months,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Loss {
    None,
    /// The store goes back to an older copy, and is not fenced.
    Unfenced,
    /// The store goes back, and its servers fence it: each line is raised to its bound in their journals.
    Fenced,
    /// The store goes back, its journals are lost, and an operator fences it by a gap above what it knows.
    Repaired,
}

/// How often each fault happens, in thousandths.
#[derive(Clone, Copy, Debug)]
pub struct Rates {
    pub lost: u64,
    pub late: u64,
    pub doubled: u64,
    /// Answers that go to another holder.
    pub swapped: u64,
    pub garbled: u64,
    pub slow_writes: u64,
    /// The delay of calls and answers without faults, in ms.
    pub delay_ms: (u64, u64),
}

#[derive(Clone, Copy, Debug)]
pub struct SpacePlan {
    pub namespace: Namespace,
    /// The numbers that may ever be granted: its `workers` stay inside.
    pub territory: Range,
}

#[derive(Clone, Debug)]
pub struct Plan {
    pub theme: Theme,
    /// True time at the beginning, in ms since 1970.
    pub start: i64,
    pub length: i64,
    pub servers: usize,
    /// Whether another store sometimes answers behind the same name.
    pub alien: bool,
    pub loss: Loss,
    /// Whether operators change the worker numbers and longest windows of namespaces.
    pub moves: bool,
    /// The tags, each with whether the store grants less of it than it is asked for.
    pub tags: Vec<(TagRow, bool)>,
    pub spaces: Vec<SpacePlan>,
    pub holders: usize,
    /// The number of sloppy clients of the registry.
    pub sloppy: usize,
    pub rates: Rates,
    /// The average time between two faults, in ms.
    pub chaos_every: u64,
}

impl Rates {
    /// How long a holder that can reach its store, and is not told to wait, may be without IDs: some
    /// forty attempts, of which one is enough.
    pub fn dead_after_ms(&self) -> i64 {
        let Rates { lost, late, swapped, garbled, slow_writes, delay_ms, .. } = *self;
        let troubles = 700 * (lost + late + swapped + garbled) + 200 * slow_writes;
        (40_000 + troubles + 80 * delay_ms.1) as i64
    }

    fn draw(rng: &mut Rng, slow: bool) -> Rates {
        let rough = rng.below(4);
        let upto = |rng: &mut Rng, most: u64| rng.below(most * rough / 3 + 1);
        Rates {
            lost: upto(rng, 200),
            late: upto(rng, 120),
            doubled: upto(rng, 150),
            swapped: upto(rng, 100),
            garbled: upto(rng, 40),
            slow_writes: upto(rng, 300),
            delay_ms: match rng.pick(&[2, 40, 40, 40, 40, 40, 40, 300, 1_400]) {
                // 1.2 to 2.8 s for each round trip.
                _ if slow => (600, 1_400),
                most => (1, most),
            },
        }
    }
}

impl Plan {
    /// Draws a world's plan. Its main features alternate with the seed, so that even a few worlds in a row
    /// have some of each; as the periods have no common factor, any two features meet.
    pub fn draw(rng: &mut Rng, seed: u64) -> Plan {
        let theme = match seed % 13 {
            0..=9 => Theme::Storm,
            10 | 11 => Theme::Calm,
            _ => Theme::Months,
        };
        let slow = theme != Theme::Months && seed % 6 == 1;
        let loss = match seed % 11 {
            _ if theme == Theme::Months => Loss::None,
            3 => Loss::Unfenced,
            7 => Loss::Fenced,
            9 => Loss::Repaired,
            _ => Loss::None,
        };
        let start = 1_800_000_000_000 + rng.between(0, 100_000_000_000);
        let (length, chaos_every, holders) = match theme {
            Theme::Storm => {
                (rng.magnitude(300_000, 2_400_000), rng.magnitude(500, 60_000), rng.between(4, 20))
            }
            Theme::Calm => (
                rng.magnitude(7_200_000, 18_000_000),
                rng.magnitude(60_000, 900_000),
                rng.between(3, 8),
            ),
            Theme::Months => (
                rng.magnitude(40 * DAY_MS, 100 * DAY_MS),
                rng.magnitude(DAY_MS / 12, 2 * DAY_MS),
                rng.between(3, 8),
            ),
        };
        let rates = Rates::draw(rng, slow);
        let length = length as i64;
        let tags = (0..rng.between(1, 3))
            .filter_map(|_| Some((places::tag(rng)?, rng.chance(150))))
            .collect();
        let spaces = (0..rng.between(1, 4))
            .filter_map(|_| places::space(rng, start, length, slow))
            .collect();
        Plan {
            theme,
            start,
            length,
            servers: rng.between(2, 3) as usize,
            alien: loss == Loss::None && rng.chance(150),
            loss,
            moves: loss == Loss::None && rng.chance(400),
            tags,
            spaces,
            holders: holders as usize,
            sloppy: if theme == Theme::Months { 0 } else { rng.between(0, 2) as usize },
            rates,
            chaos_every,
        }
    }

    pub fn is_slow(&self) -> bool {
        self.rates.delay_ms.0 > 1
    }

    pub fn longest_window_ms(&self) -> i64 {
        let windows = self.spaces.iter().map(|space| space.namespace.max_window_ms);
        windows.max().unwrap_or(0).into()
    }
}
