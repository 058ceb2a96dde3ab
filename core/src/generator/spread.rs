//! Where the sequence of a fresh tick begins.
//!
//! Whoever draws one ID a second would get sequence 0 each time, and `id % 16` would put every row
//! into one shard. So a fresh tick begins somewhere in a small range. It costs a few IDs of a tick
//! that is not used up anyway; a burst, which does use it up, skips nothing (`SnowflakeIds`).

/// Mixes two words into one that looks random (splitmix64's finaliser).
pub(crate) const fn mix(seed: u64, word: u64) -> u64 {
    let mut z = seed.wrapping_add(word.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// The start of a fresh tick's sequence lies below this: it keeps sharding by the last bits even
/// where few IDs are drawn. Without state: the start is a function of seed and tick.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Spread(u64);

impl Spread {
    /// The default for a tick of that many IDs: `min(100, per_tick / 16)`.
    pub(crate) fn default_for(per_tick: u64) -> Spread {
        Spread((per_tick / 16).min(100))
    }

    /// Starts below `below`, at most `per_tick`; 0 is off.
    pub(crate) fn below(below: u32, per_tick: u64) -> Spread {
        Spread(u64::from(below).min(per_tick))
    }

    /// The largest start there can be: what a batch that must fit has to reckon with.
    pub(crate) fn most(self) -> u64 {
        self.0.saturating_sub(1)
    }

    /// The start in this tick, the same however often it is asked for: nothing is kept, so many
    /// threads agree on it without a shared word.
    #[inline]
    pub(crate) fn start(self, seed: u64, tick: u64) -> u64 {
        mix(seed, tick).checked_rem(self.0).unwrap_or(0)
    }
}
