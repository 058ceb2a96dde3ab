//! What a server does: it starts or fences, notes, acks, reserves, drops others, stops.

use super::rules::{Periods, Rules, SILENT, Without as No};
use super::world::{EMPTY, MOST, Record, Server, Then, World, has};

impl Rules<'_> {
    /// The members that others wait for.
    pub fn members(&self, world: &World, i: usize) -> u8 {
        let is_member = |j: &usize| {
            let record = world.store.register[*j];
            *j != i && record.beat > 0 && !record.out && !self.is_guest(*j)
        };
        (0..MOST).filter(is_member).map(|j| 1 << j).sum()
    }

    /// The members without those that stopped, where it is known that they acked everything.
    fn awaited(&self, world: &World, i: usize) -> u8 {
        let knows = world.servers[i].confirmed || self.is_guest(i);
        let goes = |j: &usize| !(knows && world.store.register[*j].stopped);
        let members = self.members(world, i);
        (0..MOST).filter(|j| has(members, *j)).filter(goes).map(|j| 1 << j).sum()
    }

    fn is_acked(&self, world: &World, i: usize, by: u8, beat: u8) -> bool {
        let is_acked = |record: &Record| {
            let is_now = record.generation == world.store.generation;
            record.acks[i] >= beat && (is_now || !self.keep(No::AckGeneration))
        };
        (0..MOST).filter(|j| has(by, *j)).all(|j| is_acked(&world.store.register[j]))
    }

    /// Whether the record is as this server left it, while it runs.
    pub fn is_as_left(&self, world: &World, i: usize) -> bool {
        let (record, server) = (world.store.register[i], world.servers[i]);
        let is_left = record.beat == server.left && !record.out;
        server.start > 0 && (is_left || !self.keep(No::OwnRecord) && record.beat > 0)
    }

    /// The same for a server that starts, or was dropped: a crash may have kept the last write from the journal.
    fn was_left(&self, world: &World, i: usize) -> bool {
        let (record, journal) = (world.store.register[i], world.journals[i]);
        let is_next = self.keep(No::EitherBeat) && record.beat == journal.next;
        record.beat > 0 && (record.beat == journal.beat || is_next)
    }

    /// Whether the row has gone back.
    fn is_low(&self, world: &World, i: usize) -> bool {
        world.store.row < world.journals[i].bound
    }

    /// Whether a server has to be acked.
    fn is_news(&self, world: &World, i: usize, j: usize) -> bool {
        let register = &world.store.register;
        let noted = register[i].acks[j].max(world.servers[i].noted[j]);
        i != j && noted < register[j].waits && !register[j].out
    }

    /// Whether another server has reserved what waits here for its ack, or what a guest has that was acked here.
    fn is_met(&self, world: &World, i: usize) -> bool {
        let register = &world.store.register;
        let mine = (world.servers[i].from, world.servers[i].to);
        let is_acked = |j: &usize| {
            let acks = register[i].acks[*j].max(world.servers[i].noted[*j]);
            let is_now = register[*j].generation == world.store.generation;
            self.is_guest(*j) && is_now && acks >= register[*j].waits && self.keep(No::GuestsMet)
        };
        let guests = (0..MOST).filter(is_acked).map(|j| (register[j].from, register[j].line));
        let waiting: Vec<(u8, u8)> = guests.chain([mine]).collect();
        let meets = |j: usize| {
            let Record { from, line, .. } = register[j];
            let meets = waiting.iter().any(|range| range.0 < line && from < range.1);
            meets && !self.is_guest(j) && self.is_news(world, i, j)
        };
        self.keep(No::Ranges) && (0..MOST).any(meets)
    }

    /// Whether a row shows that something is missing.
    pub fn is_shown(&self, world: &World, i: usize) -> bool {
        self.is_as_left(world, i) && (self.is_low(world, i) || self.is_met(world, i))
    }

    pub fn start(&self, world: &World, i: usize) -> Option<World> {
        let is_new = world.journals[i].beat == 0 && !has(world.used, i);
        let may = if world.servers[i].up { world.store.register[i].out } else { true };
        if !may || !(is_new || world.journals[i].beat > 0 && self.was_left(world, i)) {
            return None;
        }
        let mut after = *world;
        after.used |= 1 << i;
        after.store.register[i].acks = [0; MOST];
        self.begin(&mut after, i);
        Some(after)
    }

    pub fn fence(&self, world: &World, i: usize) -> Option<World> {
        let (server, journal) = (world.servers[i], world.journals[i]);
        let record = world.store.register[i];
        let doubts = match server.up {
            true if record.out && self.was_left(world, i) => false,
            true => !self.is_as_left(world, i) || self.is_shown(world, i),
            // A later record than the journal's is refused.
            false => !self.was_left(world, i) && record.beat <= journal.beat,
        };
        if journal.beat == 0 || !doubts || server.then == Then::Sign {
            return None;
        }
        let mut after = *world;
        if self.keep(No::RaisedBound) && self.is_low(world, i) {
            after.store.row = journal.bound;
            after.store.held |= self.scope.windows && self.keep(No::FenceHolds);
        }
        for j in (0..MOST).filter(|j| has(journal.members, *j)) {
            let found = &mut after.store.register[j];
            if (found.beat == 0 || found.out) && self.keep(No::JournalsMembers) {
                *found = Record { beat: EMPTY, ..Record::default() };
            }
        }
        if self.keep(No::GenerationRaised) {
            after.store.generation += 1;
        }
        if !server.up {
            after.store.register[i].acks = [0; MOST];
        }
        self.begin(&mut after, i);
        Some(after)
    }

    /// Writes the first record of a server that starts or fences.
    fn begin(&self, world: &mut World, i: usize) {
        let beat = world.next_beat(i);
        let (record, journal) = (&mut world.store.register[i], &mut world.journals[i]);
        let (acks, generation) = (record.acks, world.store.generation);
        (journal.beat, journal.next) = (beat, beat + 1);
        *record = Record { beat, waits: beat, acks, generation, ..Record::default() };
        let (start, left) = (beat, beat);
        world.servers[i] =
            Server { up: true, start, left, generation, heard: true, ..Server::default() };
    }

    /// Journals the next beat.
    fn note_beat(world: &mut World, i: usize) {
        let (journal, server) = (&mut world.journals[i], world.servers[i]);
        // The write before this one may have failed.
        if journal.beat == server.left {
            (journal.beat, journal.next) = (journal.next, journal.next + 1);
        }
    }

    /// Writes the record with the journal's beat.
    fn write<'w>(&self, world: &'w mut World, i: usize) -> &'w mut Record {
        let beat = world.journals[i].beat;
        let server = &mut world.servers[i];
        (server.left, server.heard) = (beat, true);
        let record = &mut world.store.register[i];
        (record.beat, record.generation, record.stopped) = (beat, server.generation, false);
        if beat <= server.start {
            (record.waits, server.start) = (beat, beat);
        }
        record.all = server.surveyed && !server.confirmed && self.keep(No::All);
        if server.confirmed && server.to == 0 {
            (record.from, record.line, record.waits) = (0, 0, 0);
        }
        record
    }

    /// A server reads the register, and rows that it has to read, and notes them in its journal.
    pub fn look(&self, world: &World, i: usize) -> Option<World> {
        let runs = self.is_as_left(world, i) && !self.is_met(world, i);
        if world.servers[i].then != Then::Anything || !runs {
            return None;
        }
        let mut after = *world;
        let register = &world.store.register;
        let members = self.members(world, i);
        let server = &mut after.servers[i];
        if server.generation != world.store.generation {
            if self.keep(No::GenerationChecked) {
                (server.from, server.to, server.beat) = (0, 0, 0);
            }
            if server.surveyed && !server.confirmed && self.keep(No::SurveyAgain) {
                (server.surveyed, server.start) = (false, u8::MAX);
            }
        }
        server.generation = world.store.generation;
        server.alone = members == 0;
        let mut reads = false;
        let mut due = register[i].generation != world.store.generation || server.start == u8::MAX;
        if !server.confirmed && self.is_acked(world, i, members, server.start) {
            if !server.surveyed {
                (server.surveyed, reads, due) = (true, true, true);
                server.start = u8::MAX;
            }
            server.confirmed = server.start < u8::MAX || members == 0;
            reads |= server.confirmed && self.keep(No::ReadAgain);
        }
        if server.confirmed {
            server.start = EMPTY;
        }
        let acks = register[i].acks;
        server.noted = acks;
        let journal = &mut after.journals[i];
        if reads && world.store.row >= journal.bound {
            // Before it judges what guests have.
            journal.bound = world.store.row;
        }
        for j in (0..MOST).filter(|j| self.is_news(world, i, *j)) {
            let record = register[j];
            let is_free = record.from >= journal.bound || !self.keep(No::GuestsRange);
            let knows = server.confirmed || !self.keep(No::GuestsAck);
            if self.is_guest(j) && !(is_free && knows) {
                continue;
            }
            if self.keep(No::Noting) {
                journal.bound = journal.bound.max(record.line);
            }
            reads |= record.all;
            server.noted[j] = record.waits;
            due = true;
        }
        for j in (0..MOST).filter(|j| self.scope.periods != Periods::None && *j != i) {
            if server.seen[j] != register[j].beat {
                (server.seen[j], server.age[j]) = (register[j].beat, 0);
            }
        }
        if reads {
            if world.store.row < journal.bound {
                return None;
            }
            journal.bound = world.store.row;
        }
        if self.keep(No::NotingMembers) {
            journal.members = members;
        }
        due |= self.scope.periods != Periods::None && !server.heard;
        self.answer(world, &mut after, i);
        if due {
            after.servers[i].then = Then::Ack;
            Self::note_beat(&mut after, i);
        } else {
            after.servers[i].noted = [0; MOST];
        }
        Some(after)
    }

    pub fn guest_reserve(&self, world: &World, i: usize) -> Option<World> {
        let mut after = *world;
        let (from, generation) = (world.store.row, world.store.generation);
        if world.servers[i].up || world.store.held || from >= self.scope.rows {
            return None;
        }
        (after.store.row, after.store.held) = (from + 1, self.scope.windows);
        let (up, then) = (true, Then::Sign);
        after.servers[i] = Server { up, from, to: from + 1, generation, then, ..Server::default() };
        Some(after)
    }

    pub fn guest_sign(&self, world: &World, i: usize) -> Option<World> {
        let mut after = *world;
        let beat = after.next_beat(i);
        let Server { from, to: line, generation, then, .. } = world.servers[i];
        (after.servers[i].left, after.servers[i].beat) = (beat, beat);
        after.servers[i].then = Then::Anything;
        after.store.register[i] =
            Record { beat, waits: beat, from, line, generation, ..Record::default() };
        (then == Then::Sign).then_some(after)
    }

    /// A guest is granted what all members have acked, if there are any, and leaves.
    pub fn guest_look(&self, world: &World, i: usize) -> Option<World> {
        let Server { beat, generation, .. } = world.servers[i];
        let by = self.awaited(world, i);
        let is_now = generation == world.store.generation || !self.keep(No::GenerationChecked);
        let is_left = world.store.register[i].beat == beat || !self.keep(No::OwnRecord);
        if beat == 0 || by == 0 || !is_now || !is_left || !self.is_acked(world, i, by, beat) {
            return None;
        }
        let mut after = *world;
        self.grant(&mut after, i);
        Some(leave(&after, i))
    }

    /// Grants what is acked.
    fn answer(&self, world: &World, after: &mut World, i: usize) {
        let Server { to, beat, .. } = after.servers[i];
        let by = self.awaited(after, i);
        if to > 0 && (self.is_acked(world, i, by, beat) || !self.keep(No::Waiting)) {
            self.grant(after, i);
        }
    }

    fn grant(&self, world: &mut World, i: usize) {
        let server = &mut world.servers[i];
        for number in server.from + 1..=server.to {
            world.twice |= has(world.granted, number.into()) || world.holder;
            world.granted |= 1 << number;
        }
        world.holder = self.scope.windows;
        (server.from, server.to, server.beat) = (0, 0, 0);
    }

    /// A server writes its acks of what it has noted.
    pub fn ack(&self, world: &World, i: usize) -> Option<World> {
        if world.servers[i].then != Then::Ack {
            return None;
        }
        let mut after = *world;
        after.servers[i].then = Then::Anything;
        if self.is_as_left(world, i) {
            self.write(&mut after, i).acks = world.servers[i].noted;
        }
        after.servers[i].noted = [0; MOST];
        Some(after)
    }

    /// A server raises the row.
    pub fn reserve(&self, world: &World, i: usize, count: u8) -> Option<World> {
        let server = world.servers[i];
        let (from, to) = (world.store.row, world.store.row + count);
        let runs = server.start > 0 && server.then == Then::Anything;
        let runs = runs && (server.confirmed || !self.keep(No::ConfirmedRows));
        let may = runs && server.to == 0 && !world.store.held && to <= self.scope.rows;
        if !may || self.is_low(world, i) && self.keep(No::OwnRows) {
            return None;
        }
        let mut after = *world;
        (after.store.row, after.store.held) = (to, self.scope.windows);
        (after.servers[i].from, after.servers[i].to) = (from, to);
        after.servers[i].then = Then::Sign;
        Some(after)
    }

    /// It announces that in its record, or, alone, grants it, and notes it.
    pub fn sign(&self, world: &World, i: usize) -> Option<World> {
        let server = world.servers[i];
        if server.then != Then::Sign {
            return None;
        }
        let mut after = *world;
        after.servers[i].then = Then::Anything;
        let journal = &mut after.journals[i];
        if server.alone || self.is_as_left(world, i) {
            journal.bound = journal.bound.max(server.to);
        }
        if server.alone {
            self.grant(&mut after, i);
        } else if self.is_as_left(world, i) {
            Self::note_beat(&mut after, i);
            let record = self.write(&mut after, i);
            (record.from, record.line, record.waits) = (server.from, server.to, record.beat);
            after.servers[i].beat = after.servers[i].left;
        } else {
            (after.servers[i].from, after.servers[i].to) = (0, 0);
        }
        Some(after)
    }

    /// Writes that a worker number is free: its holder has stopped, or the window is over of one that never
    /// got an answer.
    pub fn free(&self, world: &World, i: usize) -> Option<World> {
        let waits = world.servers.iter().any(|server| server.to > 0) || !self.scope.windows;
        let runs = world.servers[i].start > 0 && world.servers[i].then == Then::Anything;
        if !world.store.held || world.holder || waits || !runs || self.is_low(world, i) {
            return None;
        }
        let mut after = *world;
        after.store.held = false;
        Some(after)
    }

    /// Marks a server as dropped.
    pub fn drop(&self, world: &World, i: usize, j: usize) -> Option<World> {
        let (server, record) = (world.servers[i], world.store.register[j]);
        let silent = if self.keep(No::Watching) { SILENT } else { 0 };
        let watched = self.scope.periods != Periods::None
            && server.heard
            && server.seen[j] == record.beat
            && server.age[j] >= silent;
        let named = self.scope.operators && !world.servers[j].up;
        let confirmed = server.confirmed || !self.keep(No::ConfirmedDrops);
        let runs = server.then == Then::Anything && self.is_as_left(world, i) && confirmed;
        let there = record.beat > 0 && !record.out && !self.is_guest(j);
        if !runs || !there || !(record.stopped || watched || named) {
            return None;
        }
        let mut after = *world;
        Self::note_beat(&mut after, i);
        self.write(&mut after, i);
        let beat = record.beat;
        after.store.register[j] = Record { beat, out: true, ..Record::default() };
        Some(after)
    }

    /// Stops cleanly.
    pub fn stop(&self, world: &World, i: usize) -> Option<World> {
        let server = world.servers[i];
        if world.left.stops == 0 || server.then != Then::Anything || !self.is_as_left(world, i) {
            return None;
        }
        let mut after = *world;
        Self::note_beat(&mut after, i);
        let before = world.store.register[i];
        let record = self.write(&mut after, i);
        *record = Record { beat: record.beat, stopped: true, ..before };
        after.servers[i] = Server::default();
        after.left.stops -= 1;
        Some(after)
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
                if self.keep(No::OwnSilence) {
                    server.start = u8::MAX;
                    (server.confirmed, server.surveyed) = (false, false);
                }
            }
            server.heard = false;
        }
        (after != *world).then_some(after)
    }
}

/// A guest leaves the register.
pub fn leave(world: &World, i: usize) -> World {
    let mut after = *world;
    (after.store.register[i], after.servers[i]) = Default::default();
    after
}
