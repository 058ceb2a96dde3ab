//! Where the sequence of a fresh tick begins.
//!
//! At one ID a second every sequence would be 0, and `id % 16` would put every row into one shard.
//! So a fresh tick begins somewhere in a small range. This costs a few IDs of a tick that is not
//! used up anyway; a burst, which does use it up, skips nothing (`SnowflakeIds`).

/// Mixes two words into one that looks random (splitmix64's finaliser).
pub(crate) const fn mix(seed: u64, word: u64) -> u64 {
    let mut z = seed.wrapping_add(word.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// The bound below which a fresh tick's sequence starts. The start is a function of seed and tick:
/// no state is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Spread(u64);

impl Spread {
    /// The default for a tick of `per_tick` IDs: `min(100, per_tick / 16)`.
    pub(crate) fn default_for(per_tick: u64) -> Spread {
        Spread((per_tick / 16).min(100))
    }

    /// Starts below `below`, at most `per_tick`; 0 turns it off.
    pub(crate) fn below(below: u32, per_tick: u64) -> Spread {
        Spread(u64::from(below).min(per_tick))
    }

    /// The largest possible start: the worst case for a batch that must fit.
    pub(crate) fn most(self) -> u64 {
        self.0.saturating_sub(1)
    }

    /// The start in this tick, always the same, so that threads agree on it without a shared word.
    #[inline]
    pub(crate) fn start(self, seed: u64, tick: u64) -> u64 {
        mix(seed, tick).checked_rem(self.0).unwrap_or(0)
    }
}
