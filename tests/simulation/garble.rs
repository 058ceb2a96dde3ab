//! Answers that cannot be right, as from a broken store or proxy.

use leafid_core::{Ask, Grant, LINE_END, Range};

use crate::wire::Reply;
use crate::world::World;

impl World {
    pub(crate) fn garble(&mut self, reply: &mut Reply, ask: &Ask) {
        let kind = self.rng.below(6);
        let Ok(grant) = &mut reply.answer else { return };
        let done = match (grant, ask) {
            (Grant::Segment(grant), Ask::Segment(ask)) => {
                let range = &mut grant.range;
                match kind {
                    0 => *range = Range::new(range.start, range.start),
                    1 => *range = Range::new(range.end, range.start),
                    2 => *range = Range::new(LINE_END - 5, LINE_END + 5),
                    3 => grant.step = 0,
                    4 => grant.max_step = 0,
                    _ => match ask.have_until.and_then(|end| end.checked_sub(1)) {
                        Some(below) => *range = Range::new(below, below + 10),
                        None => return,
                    },
                }
                true
            }
            (Grant::Window(grant), Ask::Acquire(_)) => {
                let ticks = &mut grant.ticks;
                match kind {
                    0 | 3 => *ticks = Range::new(ticks.start, ticks.start),
                    1 | 4 => *ticks = Range::new(ticks.end, ticks.start),
                    2 => ticks.end = grant.layout.end_tick() + 1,
                    _ if grant.layout.workers() > u64::from(u32::MAX) => return,
                    _ => grant.worker = grant.layout.workers() as u32,
                }
                true
            }
            (Grant::Window(grant), Ask::Renew(ask)) => {
                let ticks = &mut grant.ticks;
                match kind {
                    0 | 3 => *ticks = Range::new(ask.have_until + 1, ticks.end + 10),
                    1 => *ticks = Range::new(ask.have_until, ask.have_until.saturating_sub(1)),
                    2 => ticks.end = grant.layout.end_tick() + 1,
                    4 => *ticks = Range::new(ask.have_until.saturating_sub(1), ticks.end),
                    _ => grant.worker ^= 1,
                }
                true
            }
            _ => false,
        };
        reply.garbled = done;
    }
}
