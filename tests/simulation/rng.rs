//! Randomness from a seed: splitmix64, so that a seed replays a world on every machine.

#[derive(Clone, Debug)]
pub struct Rng(u64);

impl Rng {
    pub fn new(seed: u64) -> Rng {
        Rng(seed)
    }

    pub fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `n`; 0 if `n` is 0.
    pub fn below(&mut self, n: u64) -> u64 {
        ((u128::from(self.word()) * u128::from(n)) >> 64) as u64
    }

    /// A number from `low` to `high`, both included.
    pub fn between(&mut self, low: i64, high: i64) -> i64 {
        low + self.below((high - low + 1).max(1) as u64) as i64
    }

    /// A number from `low` to `high`, log-uniform: as many from 1 to 10 as from 10 to 100.
    pub fn magnitude(&mut self, low: u64, high: u64) -> u64 {
        let (low_f, high_f) = (low.max(1) as f64, high.max(1) as f64);
        let share = (self.word() >> 11) as f64 / (1u64 << 53) as f64;
        ((low_f * (high_f / low_f).powf(share)) as u64).clamp(low, high)
    }

    pub fn chance(&mut self, permille: u64) -> bool {
        permille > 0 && self.below(1_000) < permille
    }

    pub fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len() as u64) as usize]
    }
}
