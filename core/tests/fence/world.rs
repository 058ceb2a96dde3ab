//! The world of the model: one store, its servers with their memories and journals, and all that can
//! happen in one step.

use std::fmt;

/// The most servers.
pub const MOST: usize = 3;
/// The most copies of the store.
pub const COPIES: usize = 2;

/// A server's record in the store's register.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Record {
    /// Counts the writes of this record; 0: there is none, so the server is no member.
    pub beat: u8,
    /// The latest joining when this was written.
    pub view: u8,
    /// The bound that its journal had then.
    pub noted: u8,
}

/// The store: what a restore puts back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Store {
    /// Nothing at or above it was ever reserved; 0 for a copy that was not made.
    pub bound: u8,
    /// The next number, where all servers grant from one row.
    pub next: u8,
    /// The latest joining.
    pub view: u8,
    pub register: [Record; MOST],
}

/// A server's journal, on its disk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Journal {
    pub bound: u8,
    /// The members as bits; 0: there is no journal.
    pub members: u8,
    /// Its record as it left it.
    pub beat: u8,
    /// The servers that it took over journals of, which are gone.
    pub taken: u8,
}

/// A server's memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Server {
    pub up: bool,
    /// Every member has written its record since this server joined.
    pub sound: bool,
    /// Whether it has written its record in this period.
    pub heard: bool,
    /// Its joining; 0: it has to join.
    pub joined: u8,
    /// The end of the range in hand, of one number that is not used yet; 0: none.
    pub range: u8,
    /// The latest joining when it was reserved.
    pub since: u8,
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
    /// Servers that ever joined: they do not come back without a journal.
    pub used: u8,
    /// The numbers that were granted, or may be granted at any time.
    pub granted: u8,
    pub left: Left,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    Join(usize),
    Round(usize),
    Reserve(usize),
    Drop(usize, usize),
    Remove(usize, usize),
    Leave(usize),
    Read(usize, usize),
    Crash(usize),
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
            Step::Join(i) => write!(f, "{} joins", name(i)),
            Step::Round(i) => write!(f, "{} looks, notes and writes its record", name(i)),
            Step::Reserve(i) => write!(f, "{} reserves a range", name(i)),
            Step::Drop(i, j) => write!(f, "{} drops {}, which was not heard of", name(i), name(j)),
            Step::Remove(i, j) => write!(f, "an operator has {} drop {}", name(i), name(j)),
            Step::Leave(i) => write!(f, "{} leaves", name(i)),
            Step::Read(i, j) => write!(f, "{} takes over the journal of {}", name(i), name(j)),
            Step::Crash(i) => write!(f, "{} crashes", name(i)),
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

impl World {
    /// A store as the first server makes it, with itself in the register.
    pub fn new(left: Left) -> World {
        let mut world = World { left, used: 1, ..World::default() };
        world.store = Store { bound: 1, next: 1, ..Store::default() };
        world.store.register[0] = Record { beat: 1, view: 0, noted: 1 };
        world.journals[0] = Journal { bound: 1, members: 1, beat: 1, taken: 0 };
        world
    }

    /// The same for all worlds that differ in names alone: only the order of joinings matters, and whether
    /// beats are equal.
    pub fn renamed(mut self) -> World {
        let mut used = 0_u32;
        for server in &self.servers {
            used |= 1 << server.joined | 1 << server.since;
        }
        used &= !1;
        let below = |view: u8| (used & ((1 << view) - 1)).count_ones() as u8;
        self.views(|view| *view = below(*view) + below(*view + 1));
        for j in 0..MOST {
            let (mut names, mut last) = ([0_u8; 32], 0);
            self.beats(j, |beat| {
                let name = &mut names[usize::from(*beat)];
                if *beat > 0 && *name == 0 {
                    last += 1;
                    *name = last;
                }
                *beat = *name;
            });
        }
        self
    }

    fn views(&mut self, mut each: impl FnMut(&mut u8)) {
        for store in std::iter::once(&mut self.store).chain(&mut self.copies) {
            each(&mut store.view);
            store.register.iter_mut().for_each(|record| each(&mut record.view));
        }
        for server in &mut self.servers {
            each(&mut server.joined);
            each(&mut server.since);
        }
    }

    fn beats(&mut self, j: usize, mut each: impl FnMut(&mut u8)) {
        for store in std::iter::once(&mut self.store).chain(&mut self.copies) {
            each(&mut store.register[j].beat);
        }
        each(&mut self.journals[j].beat);
        if j == 0 {
            each(&mut self.old.beat);
        }
        self.servers.iter_mut().for_each(|server| each(&mut server.seen[j]));
    }

    /// A joining above all earlier ones.
    pub fn next_view(&mut self) -> u8 {
        let mut last = 0;
        self.views(|view| last = last.max(*view));
        last + 1
    }

    /// A beat that no record of this server ever had.
    pub fn next_beat(&mut self, j: usize) -> u8 {
        let mut last = 0;
        self.beats(j, |beat| last = last.max(*beat));
        last + 1
    }
}
