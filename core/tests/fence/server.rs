//! What a server does: it starts or fences, notes, acks, reserves, drops others, leaves.

use super::rules::{Periods, Rules, SILENT, Without};
use super::world::{EMPTY, Journal, MOST, Record, Server, World, has};

impl Rules {
    pub fn start(&self, world: &World, i: usize) -> Option<World> {
        let is_new = world.journals[i].members == 0;
        let can = if is_new { !has(world.used, i) } else { self.was_left(world, i) };
        if world.servers[i].up || !can {
            return None;
        }
        let mut after = found(world, i);
        after.used |= 1 << i;
        let bound = &mut after.journals[i].bound;
        *bound = world.store.bound.max(*bound);
        self.begin(&mut after, i, 0, 0);
        Some(after)
    }

    pub fn fence(&self, world: &World, i: usize, is_fresh: bool) -> Option<World> {
        let (server, journal) = (world.servers[i], world.journals[i]);
        let doubts = if server.up {
            server.start == 0 || !self.is_as_left(world, i)
        } else {
            !self.was_left(world, i)
        };
        if journal.members == 0 || !doubts || !is_fresh && !world.may_repeat() {
            return None;
        }
        let mut after = found(world, i);
        if self.keep(Without::RaisedBound) {
            after.store.bound = world.store.bound.max(journal.bound);
            let holds = self.scope.windows && self.keep(Without::FenceHolds);
            after.store.held |= holds && world.store.bound < journal.bound;
        }
        let record = world.store.register[i].beat;
        let is_next = record == journal.next && self.keep(Without::EitherBeat);
        let known = match record {
            _ if !self.keep(Without::JournalsMembers) => 0,
            // After it took over a journal, its record may be as it left it.
            _ if !server.up && record > 0 && (record == journal.beat || is_next) => 0,
            _ if !server.up
                && record > 0
                && record == journal.prev
                && self.keep(Without::Fresh) =>
            {
                if self.keep(Without::FreshWaited) {
                    journal.fresh
                } else {
                    0
                }
            }
            _ => journal.members,
        };
        for j in (0..MOST).filter(|j| *j != i) {
            if has(journal.taken, j) {
                after.store.register[j] = Record::default();
            } else if has(known, j) && world.store.register[j].beat == 0 {
                after.store.register[j] = Record { beat: EMPTY, start: EMPTY, ..Record::default() };
            }
        }
        if self.keep(Without::GenerationRaised) {
            after.raise(is_fresh);
        }
        after.journals[i].bound = after.store.bound;
        let line = if self.keep(Without::FenceLines) { after.store.bound } else { 0 };
        self.begin(&mut after, i, known, line);
        Some(after)
    }

    /// Writes the first record of a server that starts or fences.
    pub fn begin(&self, world: &mut World, i: usize, known: u8, line: u8) {
        let members = self.members(&world.store) | 1 << i;
        let known = known | members & !world.journals[i].members;
        world.journals[i].members = members;
        let prev = world.store.register[i].beat;
        note_beat(&mut world.journals[i], known);
        world.journals[i].prev = prev;
        let start = world.journals[i].beat;
        world.servers[i] = Server { up: true, start, ..Server::default() };
        write(world, i, [0; MOST], line);
        self.confirm(world, i);
    }

    /// Reads whether the others have acked the start and the range.
    pub fn confirm(&self, world: &mut World, i: usize) {
        let others = self.members(&world.store) & !(1 << i);
        let register = world.store.register;
        let acked = |beat| (0..MOST).all(|j| !has(others, j) || register[j].acks[i] >= beat);
        let generation = world.store.generation;
        let server = &mut world.servers[i];
        if server.generation != generation
            && self.keep(Without::GenerationChecked)
            && self.keep(Without::OneRead)
        {
            (server.range, server.beat, server.generation, server.acked) = (0, 0, 0, false);
        }
        if acked(server.start) {
            (server.start, server.confirmed) = (EMPTY, true);
        }
        server.acked |= server.range > 0 && (acked(server.beat) || !self.keep(Without::Waiting));
        if self.keep(Without::OneRead) {
            self.answer(world, i);
        }
    }

    /// A server reads the register and notes it in its journal.
    pub fn look(&self, world: &World, i: usize) -> Option<World> {
        if !self.runs(world, i) || world.servers[i].looked {
            return None;
        }
        let mut after = *world;
        self.confirm(&mut after, i);
        if self.is_guest(i) {
            return Some(after);
        }
        let server = &mut after.servers[i];
        server.looked = true;
        let journal = &mut after.journals[i];
        for (j, record) in world.store.register.iter().enumerate().filter(|(j, _)| *j != i) {
            if server.seen[j] != record.beat {
                (server.seen[j], server.age[j]) = (record.beat, 0);
            }
            if self.keep(Without::Noting) {
                journal.bound = journal.bound.max(record.line);
            }
        }
        let members = self.members(&world.store);
        note_beat(journal, members & !acked(world, i));
        if self.keep(Without::NotingMembers) {
            journal.members = members;
        }
        self.forget_old(&mut after, i);
        Some(after)
    }

    /// The old copy of a journal with other members is never restored.
    pub fn forget_old(&self, world: &mut World, i: usize) {
        if i == 0 && world.old.members != world.journals[0].members {
            world.old = Journal::default();
        }
    }

    /// A server writes its acks of what it has read.
    pub fn ack(&self, world: &World, i: usize) -> Option<World> {
        let server = world.servers[i];
        if !server.looked {
            return None;
        }
        let mut after = *world;
        let runs = self.runs(world, i);
        after.servers[i].looked = false;
        if self.scope.periods == Periods::None {
            after.servers[i].seen = [0; MOST];
        }
        if runs {
            let is_acked = server.confirmed && server.range == 0;
            let line = if is_acked { 0 } else { world.store.register[i].line };
            write(&mut after, i, server.seen, line);
        } else {
            after.servers[i] = Server { up: true, ..Server::default() };
        }
        Some(after)
    }

    /// Grants the range if it is acked.
    pub fn answer(&self, world: &mut World, i: usize) {
        let server = &mut world.servers[i];
        if !server.acked {
            return;
        }
        let is_same = server.generation == world.store.generation || self.keep(Without::OneRead);
        let number = server.range;
        (server.range, server.beat, server.generation, server.acked) = (0, 0, 0, false);
        if is_same {
            world.twice |= has(world.granted, number.into()) || world.holder;
            world.granted |= 1 << number;
            world.holder = self.scope.windows;
        }
    }

    pub fn reserve(&self, world: &World, i: usize) -> Option<World> {
        let server = world.servers[i];
        let bound = world.store.bound + 1;
        if server.start == 0
            || server.range > 0
            || server.looked
            || bound > self.scope.bound
            || world.store.held
        {
            return None;
        }
        let mut after = *world;
        (after.store.bound, after.store.held) = (bound, self.scope.windows);
        if !self.runs(world, i) {
            // The row knows nothing of the record.
            after.servers[i] = Server { up: true, ..Server::default() };
            return Some(after);
        }
        note_beat(&mut after.journals[i], 0);
        write(&mut after, i, world.store.register[i].acks, bound);
        let journal = &mut after.journals[i];
        journal.bound = journal.bound.max(bound);
        let server = &mut after.servers[i];
        (server.range, server.beat, server.generation) =
            (bound, journal.beat, world.store.generation);
        self.confirm(&mut after, i);
        Some(after)
    }

    /// Writes that a worker number is free: its holder has stopped, or the window is over of one that never
    /// got an answer.
    pub fn free(&self, world: &World, i: usize) -> Option<World> {
        let waits = world.servers.iter().any(|server| server.range > 0);
        if !world.store.held
            || world.holder
            || waits
            || !self.runs(world, i)
            || world.servers[i].looked
        {
            return None;
        }
        let mut after = *world;
        after.store.held = false;
        let Record { acks, line, .. } = world.store.register[i];
        note_beat(&mut after.journals[i], 0);
        write(&mut after, i, acks, line);
        Some(after)
    }

    pub fn drop(&self, world: &World, i: usize, j: usize) -> Option<World> {
        let server = world.servers[i];
        let beat = world.store.register[j].beat;
        let silent = if self.keep(Without::AnyWatching) { SILENT } else { 0 };
        let may = server.confirmed || !self.keep(Without::ConfirmedDrops);
        let watched = server.heard && server.seen[j] == beat && server.age[j] >= silent;
        (may && watched).then(|| self.without(world, i, j))?
    }

    pub fn without(&self, world: &World, i: usize, j: usize) -> Option<World> {
        if !self.runs(world, i) || world.servers[i].looked || world.store.register[j].beat == 0 {
            return None;
        }
        let mut after = *world;
        after.store.register[j] = Record::default();
        let Record { acks, line, .. } = world.store.register[i];
        note_beat(&mut after.journals[i], 0);
        write(&mut after, i, acks, line);
        after.journals[i].members = self.members(&after.store);
        self.forget_old(&mut after, i);
        self.confirm(&mut after, i);
        Some(after)
    }

    pub fn remove(&self, world: &World, i: usize, j: usize) -> Option<World> {
        let may = world.servers[i].confirmed || !self.keep(Without::ConfirmedRemoves);
        (may && !world.servers[j].up).then(|| self.without(world, i, j))?
    }

    pub fn leave(&self, world: &World, i: usize, is_fresh: bool) -> Option<World> {
        let others = self.members(&world.store) & !(1 << i);
        let acked_by = if self.keep(Without::LeaveAcked) { acked(world, i) } else { others };
        // One that has not would wait for this server if it crashed in that ack.
        let all_ack = (0..MOST).all(|j| !has(others, j) || has(acked(world, j), i));
        let may = all_ack && others & acked_by > 0 && !world.servers[i].looked;
        if !self.runs(world, i) || !may || !is_fresh && !world.may_repeat() {
            return None;
        }
        let mut after = *world;
        after.raise(is_fresh);
        after.store.register[i] = Record::default();
        after.servers[i] = Server::default();
        after.journals[i] = Journal::default();
        Some(after)
    }

    /// A server that does not run takes over another one's journal as its own.
    pub fn read(&self, world: &World, i: usize, j: usize) -> Option<World> {
        let mut after = *world;
        let (mine, theirs) = (world.journals[i], world.journals[j]);
        let can = !self.is_guest(j) && theirs.members > 0 && mine.members > 0;
        if !can || world.servers[i].up || world.servers[j].up {
            return None;
        }
        let bound = mine.bound.max(theirs.bound);
        let members = mine.members | theirs.members;
        let taken = mine.taken | theirs.taken | 1 << j;
        let beat = if self.was_left(world, i) && self.was_left(world, j) { mine.beat } else { 0 };
        after.journals[i] = Journal { bound, members, beat, taken, ..mine };
        if beat == 0 {
            after.journals[i].prev = 0;
        }
        if self.keep(Without::TakenJournal) {
            after.journals[j] = Journal::default();
        }
        if i == 0 {
            after.old = Journal::default();
        }
        Some(after)
    }
}

/// The members whose last start or fence this server's record acks, and itself.
pub fn acked(world: &World, i: usize) -> u8 {
    let register = &world.store.register;
    let is_acked = |j: &usize| *j == i || register[*j].start <= register[i].acks[*j];
    (0..MOST).filter(is_acked).map(|j| 1 << j).sum()
}

/// Journals the next beat.
pub fn note_beat(journal: &mut Journal, fresh: u8) {
    (journal.prev, journal.beat, journal.next) = (journal.beat, journal.next, journal.next + 1);
    journal.fresh = fresh;
}

/// Writes the record with the journal's beat.
pub fn write(world: &mut World, i: usize, mut acks: [u8; MOST], line: u8) {
    acks[i] = 0;
    let (server, record) = (world.servers[i], world.store.register[i]);
    let beat = world.journals[i].beat;
    let start = if server.confirmed { record.start } else { server.start };
    world.store.register[i] = Record { beat, start, acks, line };
    world.servers[i].heard = true;
}

/// A server that starts or fences notes first which of its last records it has found, and plans a beat that it
/// may not have written yet.
pub fn found(world: &World, i: usize) -> World {
    let mut found = *world;
    let (journal, record) = (&mut found.journals[i], world.store.register[i].beat);
    if journal.members == 0 {
        let next = found.next_beat(i);
        found.journals[i] = Journal { members: 1 << i, next, ..Journal::default() };
        return found;
    }
    if record == journal.next {
        journal.beat = record;
    }
    // An older journal was put back if the record is above what it plans.
    journal.next = journal.next.max(record + 1) + u8::from(!world.servers[i].up);
    found
}
