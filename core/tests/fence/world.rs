//! The world of the model: one store, its servers with their memories and journals, and all that can
//! happen in one step.

use std::fmt;

/// The most servers.
pub const MOST: usize = 3;
/// The most copies of the store.
pub const COPIES: usize = 2;
/// The beat of a record that another server added: its own server never wrote it.
pub const EMPTY: u8 = 1;

/// A server's record in the store's register.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Record {
    /// Counts the writes of this record; 0: there is none, so the server is no member.
    pub beat: u8,
    /// The beat of its last start or fence.
    pub start: u8,
    /// The beat of each other server that this one has noted.
    pub acks: [u8; MOST],
    /// The bound that it wrote and that is not answered yet; 0: none.
    pub line: u8,
}

/// The store: what a restore puts back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Store {
    /// Nothing at or above it was ever reserved; 0 for a copy that was not made.
    pub bound: u8,
    /// Where the line is a worker number, its count of grants is the bound: whether it is held.
    pub held: bool,
    /// Counts the fences.
    pub generation: u8,
    pub register: [Record; MOST],
}

/// A server's journal, on its disk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Journal {
    pub bound: u8,
    /// The members as bits; 0: there is no journal.
    pub members: u8,
    /// Its record as it left it, that before, and that which it may be writing.
    pub beat: u8,
    pub prev: u8,
    pub next: u8,
    /// The members that it noted first with `beat`.
    pub fresh: u8,
    /// The servers that it took over journals of, which are gone.
    pub taken: u8,
}

/// A server's memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Server {
    pub up: bool,
    /// The beat of its start or fence; 0: it has to start or to fence.
    pub start: u8,
    /// Every other member has acked its start.
    pub confirmed: bool,
    /// Whether it has written its record in this period.
    pub heard: bool,
    /// It has read the register and noted it, and has yet to write its acks.
    pub looked: bool,
    /// The end of the range of one number that waits for acks; 0: none.
    pub range: u8,
    /// The beat of the record with which it was written, and the generation then.
    pub beat: u8,
    pub generation: u8,
    /// It has read every member's ack of the range.
    pub acked: bool,
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
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct World {
    pub store: Store,
    pub copies: [Store; COPIES],
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

/// What of a write is done when its server crashes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Torn {
    Store,
    Journal,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    Start(usize),
    Fence(usize),
    Look(usize),
    Ack(usize),
    Answer(usize),
    Reserve(usize),
    Stop,
    Free(usize),
    Drop(usize, usize),
    Remove(usize, usize),
    Leave(usize),
    Read(usize, usize),
    Crash(usize),
    /// The start, fence, ack, and so on, of a server that crashes in it.
    Tears(usize, &'static str, Torn),
    Lose(usize),
    CopyJournal,
    PutBack,
    Copy(usize),
    Restore(usize),
    Period,
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = |server: usize| ["A", "B", "C"][server];
        match *self {
            Step::Start(i) => write!(f, "{} starts", name(i)),
            Step::Fence(i) => write!(f, "{} fences", name(i)),
            Step::Look(i) => write!(f, "{} looks and notes", name(i)),
            Step::Ack(i) => write!(f, "{} writes its acks", name(i)),
            Step::Answer(i) => write!(f, "{} reads the generation", name(i)),
            Step::Reserve(i) => write!(f, "{} reserves a range", name(i)),
            Step::Stop => write!(f, "the holder stops"),
            Step::Free(i) => write!(f, "{} frees the worker number", name(i)),
            Step::Drop(i, j) => write!(f, "{} drops {}, which was not heard of", name(i), name(j)),
            Step::Remove(i, j) => write!(f, "an operator has {} drop {}", name(i), name(j)),
            Step::Leave(i) => write!(f, "{} leaves", name(i)),
            Step::Read(i, j) => write!(f, "{} takes over the journal of {}", name(i), name(j)),
            Step::Crash(i) => write!(f, "{} crashes", name(i)),
            Step::Tears(i, what, torn) => {
                write!(f, "{} {what} and crashes, when only the {torn:?} has it", name(i))
            }
            Step::Lose(i) => write!(f, "the disk of {} is lost", name(i)),
            Step::CopyJournal => write!(f, "the journal of A is copied"),
            Step::PutBack => write!(f, "the copy of A's journal is put back"),
            Step::Copy(n) => write!(f, "copy {n} of the store is made"),
            Step::Restore(n) => write!(f, "the store is restored from copy {n}"),
            Step::Period => write!(f, "a period is over"),
        }
    }
}

pub fn has(members: u8, server: usize) -> bool {
    members & (1 << server) != 0
}

impl Store {
    /// A start that every other member's record acks is as good as any earlier one.
    fn forget_starts(&mut self) {
        for j in 0..MOST {
            let start = self.register[j].start;
            let lacks = |k: &Record| k.beat > 0 && k.acks[j] < start;
            let is_open = (0..MOST).any(|k| k != j && lacks(&self.register[k]));
            if start > 0 && !is_open {
                self.register[j].start = EMPTY;
            }
        }
    }
}

impl World {
    /// A store as the first server makes it, with itself in the register.
    pub fn new(left: Left) -> World {
        let mut world = World { left, used: 1, ..World::default() };
        world.store = Store { bound: 1, ..Store::default() };
        world.store.register[0] = Record { beat: 2, start: 2, ..Record::default() };
        world.journals[0] =
            Journal { bound: 1, members: 1, beat: 2, next: 3, ..Journal::default() };
        world
    }

    /// The same for all worlds that differ in names alone: only the order of beats and generations
    /// matters, whether one is the next of another is written in no record (see `raise`), and of an ack only
    /// what it covers.
    pub fn renamed(mut self) -> World {
        self.forget_seen();
        self.store.forget_starts();
        self.copies.iter_mut().for_each(Store::forget_starts);
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
        let mut used = 0_u64;
        self.generations(|generation| used |= 1 << *generation);
        let below = |generation: u8| (used & ((1 << generation) - 1)).count_ones() as u8;
        self.generations(|generation| *generation = below(*generation));
        self
    }

    /// A beat that is in no store is not seen again.
    fn forget_seen(&mut self) {
        let stores = [self.store, self.copies[0], self.copies[1]];
        for server in self.servers.iter_mut().filter(|server| !server.looked) {
            for j in 0..MOST {
                if stores.iter().all(|store| store.register[j].beat != server.seen[j]) {
                    (server.seen[j], server.age[j]) = (0, 0);
                }
            }
        }
    }

    /// An ack of a beat below all that its server waits for is none.
    fn shorten_acks(&mut self, j: usize) {
        let server = self.servers[j];
        let starts =
            [self.store, self.copies[0], self.copies[1]].map(|store| store.register[j].start);
        let journal = self.journals[j];
        let mut last = if journal.members == 0 { u8::MAX } else { journal.next - 1 };
        if j == 0 && self.old.members > 0 {
            last = last.min(self.old.next - 1);
        }
        let stores = std::iter::once(&mut self.store).chain(&mut self.copies);
        for record in stores.flat_map(|store| &mut store.register) {
            let ack = &mut record.acks[j];
            if *ack <= last {
                let covered = |beat: u8| if beat <= *ack { beat } else { 0 };
                let waits = starts.into_iter().chain([server.start, server.beat]);
                *ack = waits.map(covered).max().unwrap_or(0).max(EMPTY.min(*ack));
            }
        }
    }

    fn generations(&mut self, mut each: impl FnMut(&mut u8)) {
        for store in std::iter::once(&mut self.store).chain(&mut self.copies) {
            each(&mut store.generation);
        }
        for server in self.servers.iter_mut().filter(|server| server.range > 0) {
            each(&mut server.generation);
        }
    }

    fn beats(&mut self, j: usize, mut each: impl FnMut(&mut u8)) {
        for store in std::iter::once(&mut self.store).chain(&mut self.copies) {
            each(&mut store.register[j].beat);
            each(&mut store.register[j].start);
            store.register.iter_mut().for_each(|record| each(&mut record.acks[j]));
        }
        let journal = |journal: &mut Journal| {
            [&mut journal.prev, &mut journal.beat, &mut journal.next]
                .into_iter()
                .for_each(&mut each);
        };
        std::iter::once(&mut self.journals[j])
            .chain((j == 0).then_some(&mut self.old))
            .for_each(journal);
        each(&mut self.servers[j].start);
        each(&mut self.servers[j].beat);
        self.servers.iter_mut().for_each(|server| each(&mut server.seen[j]));
    }

    /// Raises the generation, to one that never was or, as a store that was put back counts again, to the
    /// next that was.
    pub fn raise(&mut self, is_fresh: bool) {
        let last = self.store.generation;
        if is_fresh {
            self.generations(|generation| *generation += u8::from(*generation > last));
        }
        self.store.generation = last + 1;
    }

    /// Whether there is a generation that the next one could be the same as.
    pub fn may_repeat(&self) -> bool {
        let (mut world, mut last) = (*self, 0);
        world.generations(|generation| last = last.max(*generation));
        last > self.store.generation
    }

    /// A beat that no record of this server ever had.
    pub fn next_beat(&mut self, j: usize) -> u8 {
        let mut last = EMPTY;
        self.beats(j, |beat| last = last.max(*beat));
        last + 1
    }
}
