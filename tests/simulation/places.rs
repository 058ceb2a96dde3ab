//! The tags and namespaces of a world.

use leafid_core::registry::{Namespace, TagRow, TagSpec};
use leafid_core::{LINE_END, Layout, Range};

use crate::plan::SpacePlan;
use crate::rng::Rng;

/// Draws a tag: its first number, step, largest step, and end.
pub fn tag(rng: &mut Rng) -> Option<TagRow> {
    let from = match rng.below(10) {
        0 => LINE_END - rng.magnitude(1_000, 20_000_000),
        1 => rng.below(LINE_END / 2),
        _ => 1,
    };
    let step = rng.magnitude(1, 10_000) as u32;
    // Some tags grant less at once than callers will want.
    let most = rng.pick(&[1_000_000, 1_000_000, 3 * u64::from(step)]);
    let max_step = rng.magnitude(step.into(), most) as u32;
    let from = from.max(1);
    let until = from.saturating_add(rng.magnitude(1_000, 50_000_000));
    let until = Some(until).filter(|until| rng.chance(300) && *until < LINE_END);
    let spec = TagSpec { from: Some(from), step: Some(step), max_step: Some(max_step), until };
    TagRow::create(None, &spec).ok()
}

pub fn space(rng: &mut Rng, start: i64, length: i64, slow: bool) -> Option<SpacePlan> {
    let layout = layout(rng, start, length)?;
    let workers = layout.workers().min(rng.pick(&[1, 2, 3, 5, 8, 16, 32, 64]));
    let territory = layout.workers().min(2 * workers);
    let first = rng.below(layout.workers() - territory + 1);
    let territory = Range::new(first, first + territory);
    let first = first + rng.below(territory.len() - workers + 1);
    // Where each answer takes seconds, a window has to outlast several.
    let shortest = if slow { 10_000 } else { 1_000 };
    let max_window_ms = match rng.below(4) {
        0 => shortest,
        1 => 600_000,
        _ => rng.magnitude(shortest.into(), 300_000) as u32,
    };
    let workers = Range::new(first, first + workers);
    let namespace = Namespace::create(layout, Some(workers), Some(max_window_ms)).ok()?;
    Some(SpacePlan { namespace, territory })
}

fn layout(rng: &mut Rng, start: i64, length: i64) -> Option<Layout> {
    let epoch = start - rng.between(0, 50_000_000_000);
    let sequence = rng.below(13) as u8;
    match rng.below(14) {
        0 | 1 => Some(Layout::LEAF),
        2 => Some(Layout::EDGE),
        3 => Some(Layout::LONG),
        4 => Some(Layout::JS53),
        5 => Layout::new(epoch, 1_000, 33, 8, 12).ok(),
        6 => Layout::new(epoch, 10, 40, 5, rng.below(18) as u8).ok(),
        7 => Layout::new(epoch, 1, 45, 6, rng.below(12) as u8).ok(),
        // The layout's time ends, or begins, within the world.
        8 => ending(rng, start, length),
        9 => Layout::new(start + rng.between(1, length / 4), 1, 41, 10, 12).ok(),
        // Few bits: ticks of a minute for an hour, long ticks, odd ones.
        10 => {
            let epoch = start - rng.between(0, 2_400_000);
            Layout::new(epoch, 60_000, 6, rng.below(6) as u8, sequence).ok()
        }
        11 => Layout::new(epoch, 60_000, 24, rng.below(9) as u8, sequence).ok(),
        12 => Layout::new(epoch, 7, 41, rng.below(11) as u8, sequence).ok(),
        _ => Layout::new(epoch, 1, 41, 4, rng.below(4) as u8).ok(),
    }
}

fn ending(rng: &mut Rng, start: i64, length: i64) -> Option<Layout> {
    let (tick_ms, time_bits) = rng.pick(&[(1, 28), (10, 24), (1_000, 16)]);
    let end = start + rng.between(length / 4, length);
    Layout::new(end - (1i64 << time_bits) * i64::from(tick_ms), tick_ms, time_bits, 8, 10).ok()
}
