//! A store that goes back to an older copy of itself, and its fence: by its servers' journals, or without
//! them above what it may have granted since.

use leafid_core::bugs::{self, Bug};
use leafid_core::registry::{FIRST_WINDOW_MS, Namespace, TagRow, WorkerRow};
use leafid_core::{LINE_END, StoreTime};

use crate::database::{Database, Space, Tag};
use crate::plan::Loss;
use crate::wire::Event;
use crate::world::World;

/// The limit of the differences between the servers' clocks, in ms; beyond it there is no fence without
/// journals.
const CLOCKS_DIFFER_MS: i64 = 5_000;
/// The gap of a fence without journals, in leases of the largest step: more is not lost, or is known.
const GAP_STEPS: u64 = 100;

#[derive(Clone, Debug)]
pub struct StoreCopy {
    tags: Vec<TagRow>,
    spaces: Vec<Space>,
    anchor: StoreTime,
}

impl World {
    /// Copies the store, and schedules the next copy.
    pub(crate) fn copy_store(&mut self) {
        let Database { tags, spaces, anchor, .. } = &self.stores[0];
        let tags = tags.iter().map(|tag| tag.row).collect();
        self.copy = Some(StoreCopy { tags, spaces: spaces.clone(), anchor: *anchor });
        self.put_within(5_000, 400_000, Event::Copy);
    }

    pub(crate) fn lose(&mut self) {
        let loss = self.plan.loss;
        self.put_within(60_000, 1_200_000, Event::Lose);
        let now = self.servers[0].clock.read(self.t);
        let (_, furthest) = self.store_times();
        let Some(copy) = self.copy.clone() else { return };
        if loss == Loss::Repaired && furthest - now.get() >= CLOCKS_DIFFER_MS {
            return;
        }
        let store = &mut self.stores[0];
        let ends: Vec<u64> = store.tags.iter().map(|tag| tag.row.max_id).collect();
        for (tag, row) in store.tags.iter_mut().zip(copy.tags) {
            // Holders' proofs are forgotten, too.
            (tag.row, tag.end, tag.in_use) = (row, row.until.unwrap_or(LINE_END), 0);
        }
        let spaces = std::mem::replace(&mut store.spaces, copy.spaces);
        store.anchor = copy.anchor;
        // Decisions on the former rows must not be written over these.
        store.writes += 1;
        let write = store.writes;
        for space in &mut store.spaces {
            space.version = write;
            space.rows.iter_mut().for_each(|(_, at)| *at = write);
        }
        store.went_back = true;
        match loss {
            Loss::Unfenced | Loss::None => store.ledger.mute(),
            _ if bugs::on(Bug::NoFence) => {}
            Loss::Fenced => fence(store, now, &ends, &spaces),
            Loss::Repaired => repair(store, now, &ends),
        }
        let anchor = store.anchor;
        for server in self.servers.iter_mut().filter(|server| server.store == 0) {
            server.epoch += 1;
            // No server starts while its source is wrong by an hour.
            if !server.astray {
                server.clock.restart(self.t, anchor);
            }
        }
        self.trace.note(self.t, || format!("the store goes back, {loss:?}"));
        if loss == Loss::Unfenced {
            self.fork_all_shared();
        }
    }

    /// Forks holders on shared lines: the children resume above the store's position.
    fn fork_all_shared(&mut self) {
        for i in 0..self.holders.len() {
            if self.is_shared(i) && self.holders[i].state == crate::holder::State::Running {
                self.fork(i);
            }
        }
    }
}

/// Fences a store by journals, which have the bound of each line: rows that are below it are raised to it.
fn fence(store: &mut Database, now: StoreTime, ends: &[u64], known: &[Space]) {
    for (Tag { row, .. }, end) in store.tags.iter_mut().zip(ends) {
        *row = row.raised(*end).unwrap_or(*row);
    }
    for (space, known) in store.spaces.iter_mut().zip(known) {
        let since = now.plus(-FIRST_WINDOW_MS);
        let young = space.namespace.layout.tick(since).unwrap_or(0);
        for ((row, _), (known, _)) in space.rows.iter_mut().zip(&known.rows) {
            *row = row.raised(known.granted, known.reserved_until, young).unwrap_or(*row);
        }
    }
}

/// Fences a store without journals: no window begins before all that may have been granted are over, and tags
/// go on above all numbers that may have been.
fn repair(store: &mut Database, now: StoreTime, ends: &[u64]) {
    let last = now.max(store.anchor);
    for space in &mut store.spaces {
        if bugs::on(Bug::FenceAdds) {
            let layout = space.namespace.layout;
            let above = layout.ticks(u64::from(space.namespace.max_window_ms) + 5_000);
            let add = |row: &mut WorkerRow| row.reserved_until += above;
            let rows = space.rows.iter_mut().map(|(row, _)| row);
            rows.filter(|row| row.reserved_until > 0).for_each(add);
            continue;
        }
        let changed = bugs::on(Bug::WindowChanged);
        let known = if changed { 1_000 } else { space.namespace.max_window_ms };
        let known = Namespace { max_window_ms: known, ..space.namespace };
        space.namespace.floor = known.fenced(last, 0).floor;
    }
    for (Tag { row, .. }, end) in store.tags.iter_mut().zip(ends) {
        let gap = GAP_STEPS * u64::from(row.max_step);
        // If more was granted since the copy was made, an operator says how far.
        let known = if end.saturating_sub(row.max_id) < gap { row.max_id } else { *end };
        *row = row.fenced(known);
    }
}
