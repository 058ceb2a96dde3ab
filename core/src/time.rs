//! Time as the core knows it: whole milliseconds that a host passes in, and what they are on the
//! store's clock.

/// Milliseconds on some clock: the host's, or (since 1970) the store's.
///
/// A host's clock may begin anywhere, below zero as well; it only has to tick. Arithmetic
/// saturates.
///
/// ```
/// use leafid_core::Millis;
/// assert_eq!(Millis::new(5).plus(10).since(Millis::new(3)), 12);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Millis(i64);

impl Millis {
    /// The latest moment there is.
    pub const MAX: Millis = Millis(i64::MAX);
    /// The earliest moment there is.
    pub const MIN: Millis = Millis(i64::MIN);

    /// That many milliseconds.
    pub const fn new(ms: i64) -> Millis {
        Millis(ms)
    }

    /// The number of milliseconds.
    pub const fn get(self) -> i64 {
        self.0
    }

    /// The moment `ms` milliseconds later (earlier, if negative).
    pub const fn plus(self, ms: i64) -> Millis {
        Millis(self.0.saturating_add(ms))
    }

    /// How many milliseconds have passed since `earlier` (negative if it lies ahead).
    pub const fn since(self, earlier: Millis) -> i64 {
        self.0.saturating_sub(earlier.0)
    }
}

/// What the store's clock shows when the host's clock shows zero, as far as answers have proved it.
///
/// An answer that was asked for at `sent` and came at `received` (host's clock) and says that it
/// was written at `now` (store's clock) proves `now - received <= offset <= now - sent`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Offset(Option<i64>);

impl Offset {
    /// The offset after this answer: the middle of the first bounds, then the old one moved no
    /// further than the new bounds demand. The bounds of a slow answer are wide, not wrong.
    pub(crate) fn after(self, sent: Millis, received: Millis, now: Millis) -> Offset {
        let low = now.since(received);
        let high = now.since(sent).max(low);
        Offset(Some(match self.0 {
            None => low.saturating_add(high.saturating_sub(low) / 2),
            Some(known) if bug!(SlowAnswerIgnored) && high.saturating_sub(low) > 1_000 => known,
            Some(known) => known.clamp(low, high),
        }))
    }

    /// Whether an answer has proved anything yet.
    pub(crate) fn is_known(self) -> bool {
        self.0.is_some()
    }

    /// The offset in milliseconds, 0 while none is known.
    pub(crate) fn get(self) -> i64 {
        self.0.unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(n: i64) -> Millis {
        Millis::new(n)
    }

    #[test]
    fn the_first_answer_sets_the_middle_and_later_ones_only_pull() {
        let first = Offset::default().after(ms(100), ms(120), ms(1_110));
        assert_eq!(first.get(), 1_000);
        // Inside the new bounds: stays.
        assert_eq!(first.after(ms(200), ms(260), ms(1_230)).get(), 1_000);
        // Outside: moves to the nearer bound.
        assert_eq!(first.after(ms(300), ms(310), ms(1_250)).get(), 950);
        assert_eq!(first.after(ms(300), ms(310), ms(1_350)).get(), 1_040);
    }

    #[test]
    fn a_slow_answer_has_wide_bounds_and_moves_what_lies_outside_them() {
        let known = Offset::default().after(ms(0), ms(0), ms(500));
        assert_eq!(known.after(ms(0), ms(60_000), ms(30_000)).get(), 500);
        assert_eq!(known.after(ms(0), ms(1_001), ms(90_000)).get(), 88_999);
        assert_eq!(Offset::default().after(ms(0), ms(2_000), ms(10_000)).get(), 9_000);
    }

    #[test]
    fn extremes_saturate() {
        let wild = Offset::default().after(Millis::MIN, Millis::MAX, Millis::MAX);
        assert_eq!(Millis::MAX.plus(wild.get()), Millis::MAX);
        assert_eq!(Millis::MIN.since(Millis::MAX), i64::MIN);
    }
}
