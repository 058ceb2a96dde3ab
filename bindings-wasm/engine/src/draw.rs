//! A generator with the outcome of its last draw.

use leafid_bindings::AnyGenerator;
use leafid_core::{HostTime, Offset, Refusal};

/// The bit that [`Entry::fill`] and [`Entry::fill_available`] set when `poll` has an action.
pub const ASK_IS_DUE: u32 = 1 << 31;

/// A generator with draws that return one number, which is fast in every host.
#[derive(Debug)]
pub struct Entry {
    /// The generator.
    pub generator: AnyGenerator,
    /// Why the last draw, or `ready`, gave nothing.
    pub refusal: Option<Refusal>,
    /// The end of the tick of the last draw's first ID, on the host's clock.
    pub good_until: HostTime,
}

impl Entry {
    /// Wraps a generator.
    pub fn new(generator: AnyGenerator) -> Entry {
        Entry { generator, refusal: None, good_until: HostTime::MIN }
    }

    /// Fills all of `out` with IDs. Returns how many, with [`ASK_IS_DUE`]: 0, with nothing written or
    /// spent, if not all can be had.
    pub fn fill(&mut self, now: HostTime, out: &mut [u64]) -> u32 {
        let filled = self.generator.fill(now, out).map(|()| out.len());
        self.drawn(now, filled, out)
    }

    /// Draws as many IDs as are at hand. Returns how many, with [`ASK_IS_DUE`].
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

    /// Sets `good_until`, for several snowflakes only: segments have no time, and a single ID is handed
    /// out at once.
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
