//! Operators' changes of a store: they revoke rows, delete and recreate tags, and move the range
//! of a namespace's worker numbers.

use leafid_core::bugs::{self, Bug};
use leafid_core::registry::{TagRow, TagSpec};
use leafid_core::{LINE_END, Range, StoreTime, Token};

use crate::database::Tag;
use crate::ledger::{BY_HAND, LineName, request};
use crate::verdict::{Verdict, fail};
use crate::wire::Event;
use crate::world::World;

impl World {
    pub(crate) fn revoke(&mut self) {
        let spaces = self.stores[0].spaces.len() as u64;
        if spaces > 0 {
            let store = &mut self.stores[0];
            let space = &mut store.spaces[self.rng.below(spaces) as usize];
            let number = space.territory.start + self.rng.below(space.rows.len() as u64);
            store.writes += 1;
            space.revoke(number as u32, store.writes);
        }
    }

    pub(crate) fn delete_tag(&mut self) {
        let tag = self.rng.below(self.stores[0].tags.len() as u64) as usize;
        for store in &mut self.stores {
            store.tags[tag].row.deleted = true;
        }
        self.tally.tags_deleted += 1;
        self.put_within(100, 60_000, Event::Recreate(tag));
    }

    /// Recreates a tag over its tombstone, without a first number (PROTOCOL R11).
    pub(crate) fn recreate(&mut self, tag: usize) -> Verdict {
        let step = self.rng.magnitude(1, 10_000) as u32;
        for store in &mut self.stores {
            let row = &store.tags[tag].row;
            if !row.deleted {
                continue;
            }
            let spec = TagSpec { step: Some(step), ..TagSpec::default() };
            match TagRow::create(Some(row), &spec) {
                Ok(row) => (store.tags[tag].row, store.tags[tag].end) = (row, LINE_END),
                Err(refusal) => {
                    fail!(RowRule, "tag {tag} made anew: {refusal}");
                }
            }
        }
        Ok(())
    }

    /// Moves a tag above every number that is in use.
    pub(crate) fn settle_tag(&mut self, store: usize, tag: usize) -> Verdict {
        let at = &mut self.stores[store].tags[tag];
        let row = at.row;
        if row.deleted {
            self.queue.put(self.t + 60_000, Event::Settle(store, tag));
            return Ok(());
        }
        let to = row.max_id.max(at.highest).min(row.end());
        if let Ok(after) = row.advance(to) {
            if after.is_stopped() {
                fail!(RowRule, "{row:?} became {after:?}");
            }
            (at.row, at.in_use) = (after, to);
        }
        self.trace.note(self.t, || format!("tag {tag} was {row:?}, settled at {to}"));
        Ok(())
    }

    /// Advances a tag, or moves its upper end; by mistake an operator may want it lower than allowed.
    pub(crate) fn move_tag(&mut self) -> Verdict {
        let tag = self.rng.below(self.stores[0].tags.len() as u64) as usize;
        let Tag { row, end, .. } = self.stores[0].tags[tag];
        let by = self.rng.magnitude(1, 100_000);
        let to = match self.rng.chance(300) {
            true => row.max_id.saturating_sub(by),
            false => row.max_id.saturating_add(by),
        };
        let may = !row.deleted && (row.max_id..=LINE_END).contains(&to);
        let at = &mut self.stores[0].tags[tag];
        if self.rng.chance(500) {
            match row.advance(to) {
                Ok(after) => (at.row, at.in_use) = (after, to),
                Err(_) if may && to <= end => {
                    fail!(RowRule, "{row:?} cannot be advanced to {to}");
                }
                Err(_) => return Ok(()),
            }
        } else {
            // An upper end that exists is removed half of the time.
            let takes_away = row.until.is_some() && self.rng.chance(500);
            let until = if takes_away { LINE_END } else { to };
            let spec = TagSpec { until: Some(until), ..TagSpec::default() };
            match row.with(&spec) {
                Ok(after) => (at.row, at.end) = (after, until),
                Err(_) if !row.deleted && (may || takes_away) => {
                    fail!(RowRule, "{row:?} cannot end at {until}");
                }
                Err(_) => return Ok(()),
            }
        }
        self.trace.note(self.t, || format!("tag {tag} was {row:?}, an operator said {to}"));
        Ok(())
    }

    /// Shrinks, moves or grows the range of a namespace's worker numbers, and changes its longest window. A
    /// number leaves only when its last window is over; then it is given away by hand until it comes back.
    pub(crate) fn move_workers(&mut self) -> Verdict {
        let spaces = self.stores[0].spaces.len() as u64;
        if spaces == 0 || !self.plan.moves {
            return Ok(());
        }
        let index = self.rng.below(spaces) as usize;
        let server = self.rng.below(self.plan.servers as u64) as usize;
        let now = self.servers[server].clock.read(self.t);
        let (slowest, _) = self.store_times();
        let store = &mut self.stores[0];
        let space = &mut store.spaces[index];
        let layout = space.namespace.layout;
        let Ok(tick) = layout.tick(now) else { return Ok(()) };
        let before = space.namespace.workers;
        let held = |number: &u64| {
            space.row(*number as u32).is_some_and(|(row, _)| row.reserved_until > tick)
        };
        let held: Vec<u64> = (before.start..before.end).filter(held).collect();
        let Range { start, end } = space.territory;
        let first = start + self.rng.below(end - start);
        let last = first + 1 + self.rng.below(end - first);
        let first = held.first().map_or(first, |held| first.min(*held));
        let last = held.last().map_or(last, |held| last.max(held + 1));
        let after = Range::new(first, last);
        let shortest = if self.plan.is_slow() { 10_000 } else { 1_000 };
        let max_window_ms = match self.rng.below(3) {
            0 => self.rng.magnitude(shortest, 600_000) as u32,
            _ => space.namespace.max_window_ms,
        };
        store.writes += 1;
        let write = store.writes;
        space.version = write;
        space.namespace.workers = after;
        space.namespace.max_window_ms = max_window_ms;
        space.longest_ms = space.longest_ms.max(max_window_ms);
        let by_hand = Token::new(request(BY_HAND, 0, 0));
        let slowest = layout.tick(StoreTime::new(slowest)).unwrap_or(0);
        for number in start..end {
            let line = LineName::Worker(index, number as u32);
            let (was, is) = (before.contains(number), after.contains(number));
            if was && !is {
                store.ledger.grant(line, Range::new(tick, layout.end_tick()), by_hand)?;
            } else if is && !was {
                // A holder that still has a key to the number would be granted the time since, too.
                if !bugs::on(Bug::KeyComesBack) {
                    space.revoke(number as u32, write);
                }
                store.ledger.give_back(line, slowest, by_hand);
            }
        }
        self.trace.note(self.t, || format!("namespace {index} has {after:?}, had {before:?}"));
        Ok(())
    }
}
