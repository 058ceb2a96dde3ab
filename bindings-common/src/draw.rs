//! A generator, and what its last draw said.

use leafid_core::{HostTime, Offset, Refusal};

use crate::any::AnyGenerator;

/// Set in what [`Entry::fill`] and [`Entry::fill_available`] return when there is something to do.
pub const ASK_IS_DUE: u32 = 1 << 31;

/// A generator whose draws answer with one number, because that is what crosses every border fast.
#[derive(Debug)]
pub struct Entry {
    /// The generator.
    pub generator: AnyGenerator,
    /// Why the last draw, or `ready`, gave nothing.
    pub refusal: Option<Refusal>,
    /// When the tick of the last draw's first ID is over, on the host's clock.
    pub good_until: HostTime,
}

impl Entry {
    /// An entry that has drawn nothing.
    pub fn new(generator: AnyGenerator) -> Entry {
        Entry { generator, refusal: None, good_until: HostTime::MIN }
    }

    /// IDs for all of `out`: how many, 0 when not all can be had, and then nothing is written or
    /// spent; and [`ASK_IS_DUE`].
    pub fn fill(&mut self, now: HostTime, out: &mut [u64]) -> u32 {
        let filled = self.generator.fill(now, out).map(|()| out.len());
        self.drawn(now, filled, out)
    }

    /// As many IDs as are at hand: how many, 0 when none is; and [`ASK_IS_DUE`].
    pub fn fill_available(&mut self, now: HostTime, out: &mut [u64]) -> u32 {
        let filled = self.generator.fill_available(now, out);
        self.drawn(now, filled, out)
    }

    fn drawn(&mut self, now: HostTime, filled: Result<usize, Refusal>, out: &[u64]) -> u32 {
        let due = self.generator.wants(now);
        let count = filled.unwrap_or_else(|refusal| {
            self.refusal = Some(refusal);
            0
        });
        if count > 1 {
            self.note_tick(out);
        }
        count as u32 | if due { ASK_IS_DUE } else { 0 }
    }

    /// Whether `n` IDs can be had in one go now.
    pub fn ready(&mut self, now: HostTime, n: u64) -> bool {
        self.refusal = self.generator.ready(now, n).err();
        self.refusal.is_none()
    }

    /// Segments have no time, and one ID is handed out at once: this is told of more snowflakes.
    fn note_tick(&mut self, out: &[u64]) {
        if let AnyGenerator::Snowflake(ids, _) = &self.generator
            && let Some(layout) = ids.layout()
            && let Some(Ok(parts)) = out.first().map(|first| layout.decompose(*first))
        {
            let offset = Offset::new(ids.stats().offset_ms);
            self.good_until = offset.to_host(layout.time(parts.tick.saturating_add(1)));
        }
    }
}
