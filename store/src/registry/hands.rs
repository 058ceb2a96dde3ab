//! Numbers in hand: ranges of tags that are reserved in their rows, and that every server of the store has
//! noted, so that a lease takes its numbers from memory. How many are reserved ahead depends on how fast a
//! tag is leased from.

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

/// Leases numbers of a tag in a turn: those in hand with the next ones of the row.
///
/// # Errors
/// [`segments::lease`]'s.
pub fn lease(
    turn: &mut TurnRows,
    shared: Option<&Shared>,
    ask: &SegmentAsk,
) -> Result<SegmentGrant, Stop> {
    let Some(shared) = shared else { return segments::lease(turn, ask) };
    let (hands, boot) = (&shared.hands, shared.facts.clock.boot());
    turn.hold(&ask.tag, hands.take(&ask.tag));
    let grant = segments::lease(turn, ask)?;
    turn.reserve(&ask.tag, hands.ahead(&ask.tag, grant.range.len(), boot));
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

/// A tag's row as it is shown: numbers in hand count as not granted.
pub fn shown(hands: Option<&Hands>, tag: &Name, row: TagRow) -> TagRow {
    let max_id = hands.map_or(row.max_id, |hands| hands.position(tag, row.max_id));
    TagRow { max_id, ..row }
}

#[derive(Debug, Default)]
pub struct Hands {
    tags: Mutex<HashMap<Name, Hand>>,
    /// Until when they may be used, in ms of the monotonic clock.
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
        let ask = SegmentAsk { have_until: None, ..*ask };
        loop {
            // What others have reserved above counts as granted.
            let others = hand.bound.saturating_sub(hand.rest.end);
            let until = hand.row.until.map(|until| until.saturating_sub(others));
            let row = TagRow { max_id: hand.rest.start, until, ..hand.row };
            let (_, grant) = registry::lease_segment(store, &row, &ask, now).ok()?;
            let grant = grant.ok()?;
            if grant.range.end > hand.rest.end {
                hand.rest = hand.next.take()?;
                continue;
            }
            hand.rest.start = grant.range.end;
            hand.count(grant.range.len(), boot);
            let left = hand.rest.len() + hand.next.map_or(0, |next| next.len());
            let is_low = !hand.is_filling && left < hand.ahead(boot) / 2;
            hand.is_filling |= is_low;
            return Some(Lease { grant, is_low });
        }
    }

    /// Takes the numbers in hand of a tag, to be used with those after them.
    pub fn take(&self, tag: &Name) -> Option<Range> {
        let mut tags = self.lock();
        let hand = tags.get_mut(tag)?;
        let rest = hand.rest;
        hand.rest.start = rest.end;
        (!rest.is_empty()).then_some(rest)
    }

    /// How many numbers to reserve beyond a lease of so many: at least as many again, if a lease from the row
    /// waits for other servers.
    fn ahead(&self, tag: &Name, granted: u64, boot: HostTime) -> u64 {
        let known = self.lock().get(tag).map_or(0, |hand| hand.ahead(boot));
        let is_alone = self.trusted.load(Ordering::Acquire) == i64::MAX;
        if is_alone { known } else { known.max(granted) }
    }

    /// Puts numbers in hand that are reserved in the row of their tag.
    pub fn put(&self, new: &InHand, boot: HostTime) {
        let mut tags = self.lock();
        let InHand { tag, row, rest, granted } = *new;
        let hand = tags.entry(tag).or_insert_with(|| Hand {
            row,
            bound: row.max_id,
            rest: Range::new(rest.start, rest.start),
            next: None,
            is_filling: false,
            leased: 0,
            since: boot,
        });
        (hand.row, hand.bound, hand.is_filling) = (row, hand.bound.max(row.max_id), false);
        hand.count(granted, boot);
        if hand.rest.is_empty() {
            hand.rest = rest;
        } else if hand.rest.end == rest.start {
            hand.rest.end = rest.end;
        } else {
            hand.next = Some(rest);
        }
    }

    /// Takes in what another server wrote.
    pub fn learn(&self, line: &Line) {
        let mut tags = self.lock();
        match line {
            Line::Tag(tag, end) => {
                if let Some(hand) = tags.get_mut(tag) {
                    hand.bound = hand.bound.max(*end);
                }
            }
            Line::Changed(tag, _) => drop(tags.remove(tag)),
            Line::Worker(..) => {}
        }
    }

    /// The position of a tag with a row at `max_id`, as numbers in hand count as not granted.
    pub fn position(&self, tag: &Name, max_id: u64) -> u64 {
        let last = self.lock().get(tag).map(Hand::last);
        last.filter(|rest| rest.end == max_id).map_or(max_id, |rest| rest.start)
    }

    /// Takes all numbers of a tag that are in hand: those that were reserved last.
    pub fn take_tag(&self, tag: &Name) -> Option<Range> {
        self.lock().remove(tag).map(|hand| hand.last()).filter(|rest| !rest.is_empty())
    }

    /// Drops everything.
    pub fn clear(&self) {
        self.lock().clear();
    }

    /// Takes everything, to be put back into the rows.
    pub fn take_all(&self) -> Vec<(Name, Range)> {
        let all = std::mem::take(&mut *self.lock());
        let all = all.iter().map(|(tag, hand)| (*tag, hand.last()));
        all.filter(|(_, rest)| !rest.is_empty()).collect()
    }
}

impl Hand {
    /// The numbers that were reserved last.
    fn last(&self) -> Range {
        match self.next {
            Some(next) if next.start == self.rest.end => Range::new(self.rest.start, next.end),
            Some(next) => next,
            None => self.rest,
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

    fn ahead(&self, boot: HostTime) -> u64 {
        let elapsed = u64::try_from(boot.since(self.since)).unwrap_or(0).max(COUNTED_MS);
        u64::try_from(u128::from(self.leased) * u128::from(AHEAD_MS) / u128::from(elapsed))
            .unwrap_or(u64::MAX)
    }
}
