//! The world of the model: one store, its servers with their memories and journals, and what may happen
//! to them.

use std::fmt;

/// The most servers.
pub const MOST: usize = 3;
/// The beat of a record that another server added: its own server never wrote it.
pub const EMPTY: u8 = 1;
/// What a copy has of a store: the rows, the register, the count of fences.
pub const ROWS: u8 = 1;
pub const REGISTER: u8 = 2;
pub const FENCES: u8 = 4;

/// A server's record in the store's register.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Record {
    /// Counts the writes of this record; 0: there is none.
    pub beat: u8,
    /// The beat that has to be acked.
    pub waits: u8,
    /// Of each other server the beat that this one has noted, and the generation in which it wrote that.
    pub acks: [u8; MOST],
    pub generation: u8,
    /// The row before and after the write that it announces; 0: none.
    pub from: u8,
    pub line: u8,
    /// All rows are to be read.
    pub all: bool,
    pub stopped: bool,
    /// Another server has dropped it.
    pub out: bool,
}

/// The store: what a restore puts back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Store {
    /// The last number that is reserved, from 1 on; 0.
    pub row: u8,
    /// Where the row is of a worker number, it counts its windows: whether it is held.
    pub held: bool,
    /// Counts the fences.
    pub generation: u8,
    pub register: [Record; MOST],
}

/// A server's journal, on its disk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Journal {
    pub bound: u8,
    /// The other members as bits.
    pub members: u8,
    /// Its record as it left it, or is about to, and that which it may write next; 0: there is no journal.
    pub beat: u8,
    pub next: u8,
}

/// What a server is about to do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Then {
    #[default]
    Anything,
    /// It has written a row, and has yet to write its record, or, alone, its journal.
    Sign,
    /// It has noted the register, and has yet to write its acks.
    Ack,
}

/// A server's memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Server {
    pub up: bool,
    /// The beat of its start or fence; 0: it has to start or to fence.
    pub start: u8,
    /// The beat of its record as it left it.
    pub left: u8,
    /// Every other member has acked its start.
    pub confirmed: bool,
    /// All members have acked a first beat, and it has read all rows since.
    pub surveyed: bool,
    /// The generation, and whether there were no other members, at its last look.
    pub generation: u8,
    pub alone: bool,
    pub then: Then,
    /// The numbers that wait for acks, above the first up to the last, and the beat; 0: none.
    pub from: u8,
    pub to: u8,
    pub beat: u8,
    /// What it has noted of the others.
    pub noted: [u8; MOST],
    /// Whether it has written its record in this period.
    pub heard: bool,
    /// The last seen record of each other server, and for how many periods it has not changed.
    pub seen: [u8; MOST],
    pub age: [u8; MOST],
}

/// How often each event may still happen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Left {
    pub restores: u8,
    pub crashes: u8,
    pub losses: u8,
    pub stale: u8,
    pub stops: u8,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct World {
    pub store: Store,
    /// A copy of the store; without a row before it is made.
    pub copy: Store,
    pub journals: [Journal; MOST],
    /// An older copy of the first server's journal.
    pub old: Journal,
    pub servers: [Server; MOST],
    /// Servers that ever started: they do not come back without a journal.
    pub used: u8,
    /// The numbers that were granted, or may be granted at any time.
    pub granted: u8,
    /// The holder of the worker number has an answer, and has not stopped.
    pub holder: bool,
    /// A number was granted before, or a worker number to a second holder.
    pub twice: bool,
    pub left: Left,
}

/// What happens to or by a server, `@`, and perhaps another one, `#`; and whether it crashes before its
/// journal has that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    pub what: &'static str,
    pub i: usize,
    pub j: usize,
    pub torn: bool,
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = |server: usize| ["A", "B", "C"][server];
        f.write_str(&self.what.replace('@', name(self.i)).replace('#', name(self.j)))?;
        f.write_str(if self.torn { ", and crashes before its journal has it" } else { "" })
    }
}

pub fn has(members: u8, server: usize) -> bool {
    members & (1 << server) != 0
}

impl World {
    /// A store whose first servers run, and know each other.
    pub fn new(left: Left, members: usize) -> World {
        let mut world = World { left, ..World::default() };
        world.store.row = 1;
        for i in 0..members {
            let others = ((1 << members) - 1) & !(1 << i);
            world.used |= 1 << i;
            world.store.register[i].beat = 2;
            world.journals[i] = Journal { bound: 1, members: others, beat: 2, next: 3 };
            world.servers[i] = Server {
                up: true,
                start: EMPTY,
                left: 2,
                confirmed: true,
                surveyed: true,
                alone: members == 1,
                heard: true,
                ..Server::default()
            };
        }
        world
    }

    /// The same for all worlds that differ in names alone: only the order of beats matters.
    pub fn renamed(mut self) -> World {
        for j in 0..MOST {
            self.shorten_acks(j);
            let mut used = 0_u64;
            self.beats(j, |beat| used |= 1 << *beat);
            used &= !0b11;
            let below = |beat: u8| (used & ((1 << beat) - 1)).count_ones() as u8;
            self.beats(j, |beat| {
                if *beat > EMPTY {
                    *beat = below(*beat) + 2;
                }
            });
        }
        self
    }

    /// Of an ack matters which beats it covers that are waited for.
    fn shorten_acks(&mut self, j: usize) {
        let [now, then] = [self.store, self.copy].map(|store| store.register[j].waits);
        let waits = [now, then, self.servers[j].start, self.servers[j].beat];
        let shorten = |ack: &mut u8| {
            let covered = waits.into_iter().filter(|beat| *beat <= *ack);
            *ack = covered.max().unwrap_or(0);
        };
        for store in [&mut self.store, &mut self.copy] {
            store.register.iter_mut().for_each(|record| shorten(&mut record.acks[j]));
        }
        self.servers.iter_mut().for_each(|server| shorten(&mut server.noted[j]));
    }

    fn beats(&mut self, j: usize, mut each: impl FnMut(&mut u8)) {
        for store in [&mut self.store, &mut self.copy] {
            each(&mut store.register[j].beat);
            each(&mut store.register[j].waits);
            store.register.iter_mut().for_each(|record| each(&mut record.acks[j]));
        }
        let old = (j == 0).then_some(&mut self.old);
        for journal in std::iter::once(&mut self.journals[j]).chain(old) {
            [&mut journal.beat, &mut journal.next].into_iter().for_each(&mut each);
        }
        let server = &mut self.servers[j];
        [&mut server.left, &mut server.beat].into_iter().for_each(&mut each);
        if server.start < u8::MAX {
            each(&mut server.start);
        }
        for server in &mut self.servers {
            each(&mut server.seen[j]);
            each(&mut server.noted[j]);
        }
    }

    /// A beat that no record of this server ever had.
    pub fn next_beat(&mut self, j: usize) -> u8 {
        let mut last = EMPTY;
        self.beats(j, |beat| last = last.max(*beat));
        last + 1
    }

    pub fn crash(&self, i: usize) -> Option<World> {
        let mut after = *self;
        if !self.servers[i].up || self.left.crashes == 0 {
            return None;
        }
        after.servers[i] = Server::default();
        after.left.crashes -= 1;
        Some(after)
    }

    /// A crash that keeps the last write from the journal.
    pub fn torn(&self, before: &World, i: usize) -> Option<World> {
        let mut after = self.crash(i)?;
        // Planned is noted before.
        after.journals[i] = Journal { next: self.journals[i].beat, ..before.journals[i] };
        (after.granted, after.holder, after.twice) = (before.granted, before.holder, before.twice);
        Some(after)
    }

    pub fn lose(&self, i: usize) -> Option<World> {
        let mut after = *self;
        if self.servers[i].up || self.left.losses == 0 || self.journals[i].beat == 0 {
            return None;
        }
        after.journals[i] = Journal::default();
        after.left.losses -= 1;
        Some(after)
    }

    pub fn copy_journal(&self) -> Option<World> {
        let mut after = *self;
        after.old = self.journals[0];
        (self.left.stale > 0 && self.old.beat == 0).then_some(after)
    }

    /// Restores the old copy of a journal. Not if the server is alone, or has noted other members since:
    /// with the store also restored to that time, no server could notice.
    pub fn put_back(&self) -> Option<World> {
        let mut after = *self;
        let (old, journal) = (self.old, self.journals[0]);
        let can = old.members != 0 && old.members == journal.members && old != journal;
        if self.left.stale == 0 || self.servers[0].up || !can {
            return None;
        }
        (after.journals[0], after.old) = (old, Journal::default());
        after.left.stale -= 1;
        Some(after)
    }

    pub fn copied(&self) -> Option<World> {
        let after = World { copy: self.store, ..*self };
        (self.left.restores > 0 && self.copy.row == 0).then_some(after)
    }

    /// Puts back parts of the copy.
    pub fn restore(&self, parts: u8) -> Option<World> {
        let (mut after, copy) = (*self, self.copy);
        if parts & ROWS != 0 {
            (after.store.row, after.store.held) = (copy.row, copy.held);
        }
        if parts & REGISTER != 0 {
            after.store.register = copy.register;
        }
        if parts & FENCES != 0 {
            after.store.generation = copy.generation;
        }
        if self.left.restores == 0 || copy.row == 0 || after.store == self.store {
            return None;
        }
        after.left.restores -= 1;
        if after.left.restores == 0 {
            after.copy = Store::default();
        }
        Some(after)
    }
}
