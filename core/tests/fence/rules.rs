//! The rules of the fence, each of which can be switched off, and the steps that they allow.

use super::events::{copy, copy_journal, lose, put_back, restore, tear};
use super::server::found;
use super::world::{Journal, Left, MOST, Record, Server, Step, Store, Torn, World, has};

/// How many periods a record has to stay the same before its server is dropped.
pub const SILENT: u8 = 4;

/// A rule that is switched off, by what happens without it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Without {
    Nothing,
    /// A range is used before the others have acked it.
    Waiting,
    /// A server acks what is not on its disk.
    Noting,
    /// A server does not note the members in its journal when it acks.
    NotingMembers,
    /// A server does not check that its record is as it left it.
    OwnRecord,
    /// An ack's beat is written to the journal while it is written to the store, not before.
    AckJournaled,
    /// A range is used though the generation is another one.
    GenerationChecked,
    /// The generation is read after the records, not with them.
    OneRead,
    /// A fence leaves the generation as it is.
    GenerationRaised,
    /// A fence does not announce the bound.
    FenceLines,
    /// A fence leaves the bound as it is in the store.
    RaisedBound,
    /// A fence trusts the register's members alone.
    JournalsMembers,
    /// After a crash in a write that only the journal has, all noted members are waited for.
    Fresh,
    /// Then none of those is waited for that this write acked first.
    FreshWaited,
    /// A server drops others before it is confirmed itself.
    ConfirmedDrops,
    /// An operator removes others through a server that is not confirmed.
    ConfirmedRemoves,
    /// A server leaves to another one that it has not acked.
    LeaveAcked,
    /// A fence that raises a worker number's count leaves it free.
    FenceHolds,
    /// A server that was silent for a period is still confirmed.
    OwnSilence,
    /// A server is dropped at once.
    AnyWatching,
    /// A journal that was taken over stays in its place.
    TakenJournal,
    /// After a crash only the journal's beat is as the server left it.
    EitherBeat,
}

/// Whether running servers write their records in each period.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Periods {
    /// No time passes.
    None,
    /// They do, in each period.
    Heard,
    /// They may not: they hang, or cannot reach the store.
    Any,
}

/// The events that may happen.
#[derive(Clone, Copy, Debug)]
pub struct Scope {
    pub name: &'static str,
    pub servers: usize,
    pub bound: u8,
    pub copies: usize,
    /// Whether the last server is a guest: it has no journal, and no server waits for it.
    pub guest: bool,
    /// Whether a worker number is acquired, instead of ranges.
    pub windows: bool,
    /// Whether servers leave, are removed, and take over journals.
    pub operators: bool,
    /// Whether something may happen between what a server reads and what it writes then.
    pub split: bool,
    /// Whether a crash may tear a write.
    pub torn: bool,
    pub periods: Periods,
    pub left: Left,
}

pub struct Rules {
    pub without: Without,
    pub scope: Scope,
}

impl Rules {
    pub fn keep(&self, rule: Without) -> bool {
        self.without != rule
    }

    pub fn is_guest(&self, i: usize) -> bool {
        self.scope.guest && i + 1 == self.scope.servers
    }

    /// The servers that others wait for.
    pub fn members(&self, store: &Store) -> u8 {
        let is_member = |j: &usize| store.register[*j].beat > 0 && !self.is_guest(*j);
        (0..MOST).filter(is_member).map(|j| 1 << j).sum()
    }

    /// Every possible step, with the world after it.
    pub fn steps(&self, world: &World, mut each: impl FnMut(Step, World)) {
        for i in 0..self.scope.servers {
            if self.is_guest(i) {
                self.guest_steps(world, i, &mut each);
            } else {
                self.server_steps(world, i, &mut each);
            }
        }
        let mut step = |step, after: Option<World>| {
            if let Some(after) = after {
                each(step, after);
            }
        };
        for i in 0..self.scope.servers {
            step(Step::Crash(i), self.crash(world, i));
            step(Step::Lose(i), lose(world, i));
        }
        step(Step::Stop, world.holder.then_some(World { holder: false, ..*world }));
        step(Step::CopyJournal, copy_journal(world));
        step(Step::PutBack, put_back(world));
        for n in 0..self.scope.copies {
            step(Step::Copy(n), copy(world, n));
            step(Step::Restore(n), restore(world, n));
        }
        if self.scope.periods != Periods::None {
            step(Step::Period, self.period(world));
        }
    }

    pub fn server_steps(&self, world: &World, i: usize, each: &mut impl FnMut(Step, World)) {
        let others = || (0..self.scope.servers).filter(move |j| *j != i);
        let mut write = |step, what, before: &World, after: Option<World>| {
            let Some(after) = after else { return };
            each(step, after);
            let both = [Torn::Store, Torn::Journal];
            let torn = both.into_iter().filter(|torn| self.may_tear(before, i, step, *torn));
            torn.for_each(|torn| {
                each(Step::Tears(i, what, torn), tear(before, after, i, step, torn))
            });
        };
        let from = found(world, i);
        write(Step::Start(i), "starts", &from, self.start(world, i));
        for is_fresh in [true, false] {
            write(Step::Fence(i), "fences", &from, self.fence(world, i, is_fresh));
            if self.scope.operators {
                write(Step::Leave(i), "leaves", world, self.leave(world, i, is_fresh));
            }
        }
        write(Step::Reserve(i), "reserves a range", world, self.reserve(world, i));
        if self.scope.windows {
            write(Step::Free(i), "frees the worker number", world, self.free(world, i));
        }
        for j in others() {
            write(Step::Drop(i, j), "drops a server", world, self.drop(world, i, j));
            if self.scope.operators {
                write(Step::Remove(i, j), "removes a server", world, self.remove(world, i, j));
            }
        }
        if self.scope.split {
            write(Step::Ack(i), "acks", world, self.ack(world, i));
            if let Some(noted) = self.look(world, i) {
                each(Step::Look(i), noted);
            }
        } else if let Some(noted) = self.look(world, i) {
            write(Step::Ack(i), "acks", &noted, self.ack(&noted, i));
        }
        if world.servers[i].acked {
            let mut after = *world;
            self.answer(&mut after, i);
            each(Step::Answer(i), after);
        }
        if self.scope.operators {
            for j in others() {
                if let Some(after) = self.read(world, i, j) {
                    each(Step::Read(i, j), after);
                }
            }
        }
    }

    pub fn guest_steps(&self, world: &World, i: usize, each: &mut impl FnMut(Step, World)) {
        if !world.servers[i].up {
            if let Some(after) = self.guest_start(world, i) {
                each(Step::Start(i), after);
            }
            return;
        }
        let leave = |mut after: World| {
            after.store.register[i] = Record::default();
            after.servers[i] = Server::default();
            after.journals[i] = Journal::default();
            after
        };
        each(Step::Leave(i), leave(*world));
        if let Some(after) = self.look(world, i)
            && after.servers[i].range == 0
        {
            each(Step::Look(i), leave(after));
        }
    }

    /// A guest writes a range with its record. What it remembers of that stands where others have a journal.
    pub fn guest_start(&self, world: &World, i: usize) -> Option<World> {
        let mut after = *world;
        let beat = after.next_beat(i);
        let line = world.store.bound + 1;
        after.store.bound = line;
        after.store.register[i] = Record { beat, start: beat, acks: [0; MOST], line };
        after.journals[i] = Journal { beat, next: beat + 1, members: 1 << i, ..Journal::default() };
        let generation = world.store.generation;
        after.servers[i] =
            Server { up: true, start: beat, range: line, beat, generation, ..Server::default() };
        (line <= self.scope.bound).then_some(after)
    }

    /// Whether the record is as this server left it, while it runs.
    pub fn is_as_left(&self, world: &World, i: usize) -> bool {
        let (beat, journal) = (world.store.register[i].beat, world.journals[i]);
        let left = if world.servers[i].looked { journal.prev } else { journal.beat };
        if self.keep(Without::OwnRecord) { beat == left } else { beat > 0 }
    }

    /// The same for a server that starts: a crash may have kept the last write from the journal.
    pub fn was_left(&self, world: &World, i: usize) -> bool {
        let (record, journal) = (world.store.register[i], world.journals[i]);
        let is_next = self.keep(Without::EitherBeat) && record.beat == journal.next;
        let unfinished =
            (0..MOST).any(|j| has(journal.taken, j) && world.store.register[j].beat > 0);
        !unfinished && record.beat > 0 && (self.is_as_left(world, i) || is_next)
    }

    pub fn runs(&self, world: &World, i: usize) -> bool {
        world.servers[i].start > 0 && self.is_as_left(world, i)
    }
}
