//! When to ask again after a failure.
//!
//! Pauses double so that a store which is down is not kept down, and have jitter by holder and
//! failure so that a thousand holders which lost the store together do not come back together. While
//! callers wait, pauses stay short. Jitter is a function of the seed, so that simulations replay.

use crate::generator::spread::mix;

const FIRST_MS: i64 = 100;
const DRY_MS: i64 = 800;
const AT_HAND_MS: i64 = 10_000;

/// The pause after the `failures`-th failure in a row (1, 2, …), in ms: 100, doubling to 800 while
/// dry or to 10,000 while IDs are at hand, ± 20 % by `seed`. So a dry holder asks about 75 times a
/// minute, one with IDs at hand 6 times.
pub(crate) fn pause_ms(seed: u64, failures: u32, dry: bool) -> i64 {
    let cap = if dry { DRY_MS } else { AT_HAND_MS };
    let doublings = failures.saturating_sub(1).min(16);
    let pause = FIRST_MS.checked_shl(doublings).unwrap_or(cap).min(cap);
    jitter(seed, u64::from(failures), pause, 20)
}

/// `ms` plus or minus up to `percent`: a function of `seed` and `word`.
fn jitter(seed: u64, word: u64, ms: i64, percent: i64) -> i64 {
    let width = percent.saturating_mul(2).saturating_add(1);
    let drawn = (mix(seed, word) >> 1) as i64;
    let share = drawn.checked_rem(width).unwrap_or(0).saturating_sub(percent);
    ms.saturating_add(ms.saturating_mul(share) / 100)
}

/// `ms` shortened by up to a fifth, so that holders which began together do not ask together.
pub(crate) fn early_ms(seed: u64, word: u64, ms: i64) -> i64 {
    let moved = jitter(seed, word, ms, 10);
    moved.saturating_sub(ms / 10)
}
