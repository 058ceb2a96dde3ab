//! Whether a clock is believed at start.

use leafid_core::StoreTime;

/// A wall clock that stands further above the last time that a store knows is not believed at
/// start: a store that stood still over a holiday starts without a word.
const MOST_AHEAD_MS: i64 = 30 * 86_400_000;
/// A wall clock that stands further below the last grant of a store is not believed at start.
const MOST_BEHIND_MS: i64 = 86_400_000;

/// Whether a store's wall clock stands where no pause explains it.
///
/// `granted` is the latest time of a grant, `seen` the latest time that the store has written at
/// all; without a grant nothing is known. Gives the time that the source strays from.
pub fn strays(source: StoreTime, granted: StoreTime, seen: StoreTime) -> Option<StoreTime> {
    let known = granted.max(seen);
    if granted.get() <= 0 {
        None
    } else if granted.since(source) > MOST_BEHIND_MS {
        Some(granted)
    } else if source.since(known) > MOST_AHEAD_MS {
        Some(known)
    } else {
        None
    }
}
