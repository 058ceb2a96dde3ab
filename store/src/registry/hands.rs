//! Numbers in hand (PROTOCOL R31): ranges of tags that are reserved in their rows, and that every server of
//! the store has noted, so that a lease takes its numbers from memory. How many are reserved ahead depends on
//! how fast a tag is leased from.

use std::collections::HashMap;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use leafid_core::registry::{self, TagRow};
use leafid_core::{HostTime, Name, Range, SegmentAsk, SegmentGrant, StoreTime, Token};
use leafid_turn::register::Line;
use leafid_turn::rows::{InHand, TurnRows};
use leafid_turn::segments;
use leafid_turn::stop::Stop;

use super::opened::Shared;
use crate::clock::Clock as _;

/// For how long numbers are reserved ahead, in ms.
const AHEAD_MS: u64 = 10_000;
/// The least time over which leases are counted, in ms.
const COUNTED_MS: u64 = 1_000;

/// Leases the next numbers of a tag's row in a turn, and reserves more.
///
/// # Errors
/// [`segments::lease`]'s.
pub fn lease(
    turn: &mut TurnRows,
    shared: Option<&Shared>,
    ask: &SegmentAsk,
) -> Result<SegmentGrant, Stop> {
    let grant = segments::lease(turn, ask)?;
    if let Some(shared) = shared {
        let ahead = shared.hands.ahead(&ask.tag, grant.range.len(), shared.facts.clock.boot());
        turn.reserve(&ask.tag, ahead);
    }
    Ok(grant)
}

/// Reserves numbers of a tag ahead of use.
///
/// # Errors
/// `TAG_UNKNOWN`.
pub fn fill(turn: &mut TurnRows, shared: &Shared, tag: &Name, granted: u64) -> Result<(), Stop> {
    let row = segments::tag(turn, tag)?;
    if !row.is_stopped() {
        let ahead = shared.hands.ahead(tag, granted, shared.facts.clock.boot());
        turn.put_tag(tag, row);
        turn.reserve(tag, ahead);
    }
    Ok(())
}

#[derive(Debug, Default)]
pub struct Hands {
    tags: Mutex<HashMap<Name, Hand>>,
    /// Until when they may be used, in ms of the monotonic clock; 0 before it is known.
    trusted: AtomicI64,
    /// How far the store's time is ahead of the monotonic clock, in ms.
    ahead_ms: AtomicI64,
}

#[derive(Debug)]
struct Hand {
    /// The tag's row.
    row: TagRow,
    /// The highest known position of the row, of which other servers may have reserved some.
    bound: u64,
    rest: Range,
    /// The numbers to go on with.
    next: Option<Range>,
    /// Whether more are being reserved.
    is_filling: bool,
    /// How many numbers were leased, and since when.
    leased: u64,
    since: HostTime,
}

/// A lease from memory.
#[derive(Debug)]
pub struct Lease {
    /// The grant.
    pub grant: SegmentGrant,
    /// Whether it is time to reserve more.
    pub is_low: bool,
}

impl Hands {
    fn lock(&self) -> MutexGuard<'_, HashMap<Name, Hand>> {
        self.tags.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets the numbers be used until then.
    pub fn trust(&self, until: HostTime) {
        self.trusted.store(until.get(), Ordering::Release);
    }

    /// Sets the store's time.
    pub fn tell(&self, now: StoreTime, boot: HostTime) {
        self.ahead_ms.store(now.get().saturating_sub(boot.get()), Ordering::Relaxed);
    }

    /// Leases numbers in hand; `None` if the row has to be asked.
    pub fn lease(&self, store: Token, ask: &SegmentAsk, boot: HostTime) -> Option<Lease> {
        if boot.get() >= self.trusted.load(Ordering::Acquire) {
            return None;
        }
        let now = StoreTime::new(boot.get().saturating_add(self.ahead_ms.load(Ordering::Relaxed)));
        let mut tags = self.lock();
        let hand = tags.get_mut(&ask.tag)?;
        if ask.have_until > Some(hand.bound) {
            return None;
        }
        let is_above = |range: &Range| ask.have_until <= Some(range.start);
        let unguarded = SegmentAsk { have_until: None, ..*ask };
        loop {
            // The caller has numbers of another server that are above: it gets none below those. What is
            // there is for others.
            let is_passed = !hand.rest.is_empty() && !is_above(&hand.rest);
            let range = if is_passed { hand.next.filter(is_above)? } else { hand.rest };
            // What others have reserved above counts as granted.
            let others = hand.bound.saturating_sub(range.end);
            let until = hand.row.until.map(|until| until.saturating_sub(others));
            let row = TagRow { max_id: range.start, until, ..hand.row };
            let (_, grant) = registry::lease_segment(store, &row, &unguarded, now).ok()?;
            let grant = grant.ok()?;
            match (grant.range.end > range.end, is_passed) {
                (true, true) => return None,
                (true, false) => {
                    hand.rest = hand.next.take()?;
                    continue;
                }
                (false, true) => hand.next = Some(Range::new(grant.range.end, range.end)),
                (false, false) => hand.rest.start = grant.range.end,
            }
            hand.count(grant.range.len(), boot);
            let is_low = !hand.is_filling && hand.left() < hand.ahead(boot) / 2;
            hand.is_filling |= is_low;
            return Some(Lease { grant, is_low });
        }
    }

    /// How many numbers to reserve beyond a lease of so many: at least as many again, if a lease from the row
    /// waits for other servers; else none if that is not enough for another lease.
    fn ahead(&self, tag: &Name, granted: u64, boot: HostTime) -> u64 {
        let tags = self.lock();
        let hand = tags.get(tag);
        // Both ranges lie below what the caller has, and are for others.
        if hand.is_some_and(|hand| {
            !hand.rest.is_empty() && hand.next.is_some_and(|next| !next.is_empty())
        }) {
            return 0;
        }
        let known = hand.map_or(0, |hand| hand.ahead(boot).saturating_sub(hand.left()));
        match self.trusted.load(Ordering::Acquire) {
            // A server without a record uses none from memory.
            0 => 0,
            i64::MAX if known < granted => 0,
            i64::MAX => known,
            _ => known.max(granted),
        }
    }

    /// Puts numbers in hand that are reserved in the rows of their tags, and drops those of changed tags.
    pub fn put(&self, new: &[InHand], changed: &[Name], boot: HostTime) {
        let mut tags = self.lock();
        for new in new {
            let fresh = || Hand {
                row: new.row,
                bound: new.row.max_id,
                rest: Range::new(new.rest.start, new.rest.start),
                next: None,
                is_filling: false,
                leased: 0,
                since: boot,
            };
            tags.entry(new.tag).or_insert_with(fresh).put(new, boot);
        }
        for tag in changed {
            tags.remove(tag);
        }
    }

    /// Takes in what another server wrote.
    pub fn learn(&self, line: &Line) {
        let (tag, None) = &line.row else { return };
        let mut tags = self.lock();
        if line.changed {
            tags.remove(tag);
        } else if let Some(hand) = tags.get_mut(tag) {
            hand.bound = hand.bound.max(line.end);
        }
    }

    /// Drops everything.
    pub fn clear(&self) {
        self.lock().clear();
    }
}

impl Hand {
    fn put(&mut self, new: &InHand, boot: HostTime) {
        let InHand { row, rest, granted, .. } = *new;
        (self.row, self.bound, self.is_filling) = (row, self.bound.max(row.max_id), false);
        self.count(granted, boot);
        if self.rest.is_empty() {
            self.rest = rest;
        } else if self.rest.end == rest.start {
            self.rest.end = rest.end;
        } else if !rest.is_empty() {
            self.next = Some(rest);
        }
    }

    /// Counts leased numbers; what was counted long ago weighs as much as a second.
    fn count(&mut self, leased: u64, boot: HostTime) {
        let elapsed = u64::try_from(boot.since(self.since)).unwrap_or(0);
        if elapsed >= AHEAD_MS {
            self.leased = self.ahead(boot) / (AHEAD_MS / COUNTED_MS);
            self.since = HostTime::new(boot.get() - COUNTED_MS as i64);
        }
        self.leased += leased;
    }

    /// How many numbers are left.
    fn left(&self) -> u64 {
        self.rest.len() + self.next.map_or(0, |next| next.len())
    }

    /// How many numbers are used in [`AHEAD_MS`].
    fn ahead(&self, boot: HostTime) -> u64 {
        let elapsed = u64::try_from(boot.since(self.since)).unwrap_or(0).max(COUNTED_MS);
        u64::try_from(u128::from(self.leased) * u128::from(AHEAD_MS) / u128::from(elapsed))
            .unwrap_or(u64::MAX)
    }
}

#[cfg(test)]
mod tests {
    use leafid_core::registry::TagSpec;

    use super::*;

    const STORE: Token = Token::new([9; 16]);
    const START: HostTime = HostTime::new(1_000_000);

    fn tag() -> Name {
        Name::tag("orders").unwrap()
    }

    fn row(max_id: u64) -> TagRow {
        let spec = TagSpec { step: Some(10), ..TagSpec::default() };
        TagRow { max_id, ..TagRow::create(None, &spec).unwrap() }
    }

    fn ask() -> SegmentAsk {
        SegmentAsk::new(tag(), Token::new([1; 16]))
    }

    /// Has the numbers from `start` to `row.max_id`, and is alone.
    fn with(row: TagRow, start: u64) -> Hands {
        let hands = Hands::default();
        hands.trust(HostTime::new(i64::MAX));
        put(&hands, row, start, START);
        hands
    }

    fn put(hands: &Hands, row: TagRow, start: u64, boot: HostTime) {
        let rest = Range::new(start, row.max_id);
        hands.put(&[InHand { tag: tag(), row, rest, granted: 10 }], &[], boot);
    }

    fn lease(hands: &Hands, ask: &SegmentAsk) -> Option<(u64, u64)> {
        let lease = hands.lease(STORE, ask, START)?;
        assert_eq!((lease.grant.store, lease.grant.request), (STORE, ask.request));
        Some((lease.grant.range.start, lease.grant.range.end))
    }

    #[test]
    fn leases_come_from_the_range_and_the_next_one_and_then_from_the_row() {
        let hands = with(row(31), 11);
        assert_eq!(lease(&hands, &ask()), Some((11, 21)));
        // What follows on it is one range; another server has the numbers between it and a later one.
        put(&hands, row(36), 31, START);
        put(&hands, row(91), 71, START);
        let leases: Vec<_> = (0..4).map(|_| lease(&hands, &ask())).collect();
        assert_eq!(leases, [Some((21, 31)), Some((71, 81)), Some((81, 91)), None]);
        assert_eq!(lease(&hands, &SegmentAsk { tag: Name::tag("users").unwrap(), ..ask() }), None);
    }

    /// A caller with numbers of another server refuses numbers below those, and one that has more than the row
    /// is refused by the row itself, which is read for that.
    #[test]
    fn a_caller_gets_nothing_below_what_it_has() {
        let hands = with(row(31), 11);
        let has = |until| SegmentAsk { have_until: Some(until), ..ask() };
        hands.learn(&Line::tag(tag(), 71));
        assert_eq!(lease(&hands, &has(71)), None, "from the row");
        put(&hands, row(101), 81, START);
        assert_eq!(lease(&hands, &has(71)), Some((81, 91)));
        assert_eq!(lease(&hands, &has(11)), Some((11, 21)), "others get what is below");
        assert_eq!(lease(&hands, &has(91)), Some((91, 101)));
        assert_eq!(lease(&hands, &has(101)), None);
        assert_eq!(lease(&hands, &ask()), Some((21, 31)));
    }

    #[test]
    fn what_is_dropped_is_leased_by_nobody() {
        for drop in [|hands: &Hands| hands.put(&[], &[tag()], START), Hands::clear] {
            let hands = with(row(31), 11);
            put(&hands, row(61), 31, START);
            drop(&hands);
            assert_eq!(lease(&hands, &ask()), None);
        }
    }

    #[test]
    fn a_range_is_used_until_it_is_no_longer_trusted() {
        let hands = with(row(51), 11);
        hands.trust(START);
        assert_eq!(lease(&hands, &ask()), None);
        hands.trust(START.plus(1));
        assert_eq!(lease(&hands, &ask()), Some((11, 21)));
        assert!(Hands::default().lease(STORE, &ask(), START).is_none());
    }

    #[test]
    fn a_range_is_given_up_once_another_server_has_changed_the_tag() {
        let hands = with(row(51), 11);
        hands.learn(&Line::tag(tag(), 91));
        hands.learn(&Line { changed: true, ..Line::tag(Name::tag("users").unwrap(), 91) });
        assert_eq!(lease(&hands, &ask()), Some((11, 21)), "others have reserved above");
        hands.learn(&Line { changed: true, ..Line::tag(tag(), 91) });
        assert_eq!(lease(&hands, &ask()), None);
    }

    #[test]
    fn a_tag_is_leased_up_to_its_end_and_shows_what_all_have_reserved_as_used() {
        let hands = with(TagRow { until: Some(100), ..row(31) }, 11);
        hands.learn(&Line::tag(tag(), 81));
        let remaining = |hands: &Hands| hands.lease(STORE, &ask(), START).unwrap().grant.remaining;
        let alone = with(TagRow { until: Some(100), ..row(31) }, 11);
        assert_eq!(remaining(&alone) - remaining(&hands), 50);
        let refused = SegmentAsk { step: Some(u32::MAX), ..ask() };
        assert_eq!(lease(&hands, &refused), None, "the row refuses it");
    }

    #[test]
    fn what_is_reserved_ahead_follows_the_rate() {
        let hands = with(row(1_001), 11);
        let ahead = |hands: &Hands, ms| hands.ahead(&tag(), 10, START.plus(ms));
        assert_eq!(ahead(&Hands::default(), 0), 0);
        assert_eq!(ahead(&with(row(11), 11), 0), 100, "ten in the first second");
        assert_eq!(ahead(&with(row(71), 11), 0), 40, "of which 60 are left");
        for _ in 0..99 {
            lease(&hands, &ask()).unwrap();
        }
        assert_eq!([1_000, 2_000, 10_000].map(|ms| ahead(&hands, ms)), [10_000, 5_000, 1_000]);
        assert_eq!(ahead(&hands, 1_000_001), 0, "at rest: less than another lease");
        hands.trust(START.plus(2_000));
        assert_eq!(ahead(&hands, 1_000_001), 10, "the next lease would wait for the others");
    }

    #[test]
    fn more_is_reserved_once_half_of_it_is_left() {
        let hands = with(row(101), 1);
        let low = || hands.lease(STORE, &ask(), START).unwrap().is_low;
        let low: Vec<bool> = (0..6).map(|_| low()).collect();
        assert_eq!(low.iter().filter(|is_low| **is_low).count(), 1, "said once: {low:?}");
        put(&hands, row(161), 101, START);
        assert!(hands.lease(STORE, &ask(), START).unwrap().is_low, "and again after that");
    }
}
