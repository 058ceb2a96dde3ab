//! What happens to servers, journals and the store.

use super::rules::{Periods, Rules, SILENT, Without};
use super::world::{COPIES, Journal, MOST, Server, Step, Store, Torn, World};

impl Rules {
    pub fn crash(&self, world: &World, i: usize) -> Option<World> {
        let mut after = *world;
        if !world.servers[i].up || world.left.crashes == 0 {
            return None;
        }
        after.servers[i] = Server::default();
        if self.is_guest(i) {
            after.journals[i] = Journal::default();
        }
        after.left.crashes -= 1;
        Some(after)
    }

    pub fn may_tear(&self, before: &World, i: usize, step: Step, torn: Torn) -> bool {
        let possible = match (step, torn) {
            (Step::Start(_), Torn::Journal) => before.journals[i].beat > 0,
            (Step::Ack(_), Torn::Store) => !self.keep(Without::AckJournaled),
            (Step::Leave(_), Torn::Journal) => false,
            _ => true,
        };
        self.scope.torn && before.left.crashes > 0 && possible
    }

    pub fn period(&self, world: &World) -> Option<World> {
        let mut after = *world;
        for i in (0..MOST).filter(|i| world.servers[*i].start > 0 && !self.is_guest(*i)) {
            let server = &mut after.servers[i];
            if server.heard {
                server.age.iter_mut().for_each(|age| *age = (*age + 1).min(SILENT));
            } else if self.scope.periods == Periods::Heard {
                return None;
            } else {
                server.age = [0; MOST];
                if self.keep(Without::OwnSilence) {
                    (server.start, server.confirmed) = (world.journals[i].next, false);
                }
            }
            server.heard = false;
        }
        (after != *world).then_some(after)
    }
}

pub fn tear(before: &World, mut after: World, i: usize, step: Step, torn: Torn) -> World {
    match (torn, step) {
        (Torn::Store, Step::Ack(_)) => {
            let journal = &mut after.journals[i];
            let Journal { beat, prev, .. } = *journal;
            (journal.beat, journal.next, journal.prev, journal.fresh) = (prev, beat, 0, 0);
        }
        (Torn::Store, _) => after.journals[i] = before.journals[i],
        (Torn::Journal, _) => after.store = before.store,
    }
    after.servers[i] = Server::default();
    // What waits for its journal is not granted.
    (after.granted, after.holder, after.twice) = (before.granted, before.holder, false);
    after.left.crashes -= 1;
    after
}

pub fn lose(world: &World, i: usize) -> Option<World> {
    let mut after = *world;
    if world.servers[i].up || world.left.losses == 0 || world.journals[i].members == 0 {
        return None;
    }
    after.journals[i] = Journal::default();
    after.left.losses -= 1;
    Some(after)
}

pub fn copy_journal(world: &World) -> Option<World> {
    let mut after = *world;
    after.old = world.journals[0];
    (world.left.stale > 0 && world.old.members == 0).then_some(after)
}

/// Restores the old copy of a journal. Not if the server is alone, or has noted other members since:
/// with the store also restored to that time, no server could notice.
pub fn put_back(world: &World) -> Option<World> {
    let mut after = *world;
    let (old, journal) = (world.old, world.journals[0]);
    let alone = old.members & !1 == 0;
    if world.left.stale == 0 || world.servers[0].up || old == journal || alone {
        return None;
    }
    (after.journals[0], after.old) = (old, Journal::default());
    after.left.stale -= 1;
    Some(after)
}

pub fn copy(world: &World, n: usize) -> Option<World> {
    let mut after = *world;
    after.copies[n] = world.store;
    let first = world.copies[..n].iter().all(|copy| copy.bound > 0) && world.copies[n].bound == 0;
    (world.left.restores > 0 && first).then_some(after)
}

pub fn restore(world: &World, n: usize) -> Option<World> {
    let mut after = *world;
    let copy = world.copies[n];
    if world.left.restores == 0 || copy.bound == 0 || copy == world.store {
        return None;
    }
    after.store = copy;
    after.left.restores -= 1;
    if after.left.restores == 0 {
        after.copies = [Store::default(); COPIES];
    }
    Some(after)
}
