//! The rules of the fence, each of which can be switched off, and the steps that they allow.

use super::server::leave;
use super::world::{FENCES, Left, REGISTER, ROWS, Step, Then, World};

/// How many periods a record has to stay the same before its server is dropped.
pub const SILENT: u8 = 4;

/// A rule that is switched off, by what happens without it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Without {
    /// A range is used before the others have acked it.
    Waiting,
    /// A server acks what is not on its disk.
    Noting,
    /// A server does not note the members in its journal.
    NotingMembers,
    /// A server does not check that its record is as it left it.
    OwnRecord,
    /// A server writes a row that is below its bound.
    OwnRows,
    /// A server acks what it has reserved itself, and not granted yet.
    Ranges,
    /// A server does not read all rows again when it is confirmed.
    ReadAgain,
    /// A starting server goes on with rows that it read before another server fenced the store.
    SurveyAgain,
    /// A server acks numbers of a guest that it knows as reserved.
    GuestsRange,
    /// A server acks of another one what it has acked of a guest.
    GuestsMet,
    /// A server that is not confirmed acks guests.
    GuestsAck,
    /// A start does not make the others read the rows.
    All,
    /// A server writes rows before it is confirmed.
    ConfirmedRows,
    /// A range is used though the generation is another one.
    GenerationChecked,
    /// An ack counts that was written in another generation.
    AckGeneration,
    /// A fence leaves the generation as it is.
    GenerationRaised,
    /// A fence leaves the row as it is.
    RaisedBound,
    /// A fence trusts the register's members alone.
    JournalsMembers,
    /// A server drops others before it is confirmed itself.
    ConfirmedDrops,
    /// A fence that raises a worker number's count leaves it free.
    FenceHolds,
    /// A server that was silent for a period is still confirmed.
    OwnSilence,
    /// A server is dropped at once.
    Watching,
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

const REGISTER_FENCES: u8 = REGISTER | FENCES;
/// What a restore puts back: at once, or each table for itself.
pub const PARTS: &[u8] = &[ROWS | REGISTER_FENCES, ROWS, REGISTER_FENCES];
pub const TABLES: &[u8] = &[ROWS | REGISTER_FENCES, ROWS, REGISTER, FENCES];

/// The events that may happen.
#[derive(Clone, Copy, Debug)]
pub struct Scope {
    pub name: &'static str,
    pub servers: usize,
    /// Those that run at first.
    pub members: usize,
    pub rows: u8,
    /// The most numbers in a range.
    pub range: u8,
    pub parts: &'static [u8],
    /// Whether the last server is a guest: it has no journal, and no server waits for it.
    pub guest: bool,
    /// Whether a worker number is acquired, instead of ranges.
    pub windows: bool,
    /// Whether servers stop and are removed.
    pub operators: bool,
    /// Whether something may happen between what a server reads or writes and what it writes then.
    pub split: bool,
    pub periods: Periods,
    pub left: Left,
}

pub struct Rules<'r> {
    pub without: &'r [Without],
    pub scope: Scope,
}

impl Rules<'_> {
    pub fn keep(&self, rule: Without) -> bool {
        !self.without.contains(&rule)
    }

    pub fn is_guest(&self, i: usize) -> bool {
        self.scope.guest && i + 1 == self.scope.servers
    }

    /// Every possible step, with the world after it.
    pub fn steps(&self, world: &World, each: &mut impl FnMut(Step, World)) {
        let mut step = |what, i, after: Option<World>| {
            if let Some(after) = after {
                each(Step { what, i, j: 0, torn: false }, after);
            }
        };
        for i in 0..self.scope.servers {
            step("@ crashes", i, world.crash(i));
            step("the disk of @ is lost", i, world.lose(i));
        }
        let stopped = World { holder: false, ..*world };
        step("the holder stops", 0, world.holder.then_some(stopped));
        step("the journal of A is copied", 0, world.copy_journal());
        step("the copy of A's journal is put back", 0, world.put_back());
        step("a copy is made", 0, world.copied());
        for parts in self.scope.parts {
            let what = match *parts {
                ROWS => "the rows are put back",
                REGISTER => "the register is put back",
                FENCES => "the generation is put back",
                REGISTER_FENCES => "register and generation are put back",
                _ => "the copy is put back",
            };
            step(what, 0, world.restore(*parts));
        }
        if self.scope.periods != Periods::None {
            step("a period is over", 0, self.period(world));
        }
        for i in 0..self.scope.servers {
            if self.is_guest(i) {
                self.guest_steps(world, i, each);
            } else {
                self.server_steps(world, i, each);
            }
        }
    }

    fn server_steps(&self, world: &World, i: usize, each: &mut impl FnMut(Step, World)) {
        let is_split = self.scope.split;
        let mut step = |what, j, may_tear: bool, after: Option<World>| {
            let Some(after) = after else { return };
            each(Step { what, i, j, torn: false }, after);
            if let Some(after) = after.torn(world, i).filter(|_| may_tear) {
                each(Step { what, i, j, torn: true }, after);
            }
        };
        step("@ starts", 0, true, self.start(world, i));
        let why = if self.is_shown(world, i) { "@ fences, for a row" } else { "@ fences" };
        step(why, 0, true, self.fence(world, i));
        step("@ stops", 0, true, self.stop(world, i));
        step("@ writes its record", 0, true, self.sign(world, i));
        step("@ writes its acks", 0, false, self.ack(world, i));
        let looked = self.look(world, i).filter(|after| after != world);
        let acked = looked.filter(|_| !is_split).and_then(|after| self.ack(&after, i));
        step("@ looks and notes", 0, false, acked.or(looked));
        let crashed = acked.and(looked).and_then(|after| after.crash(i));
        step("@ looks and notes, and crashes", 0, false, crashed);
        for count in 1..=self.scope.range {
            let what = if count == 1 { "@ reserves a number" } else { "@ reserves two" };
            let reserved = self.reserve(world, i, count);
            let unsplit = reserved.filter(|_| !is_split);
            let signed = unsplit.and_then(|after| self.sign(&after, i));
            step(what, 0, false, signed.or(reserved));
        }
        step("@ frees the worker number", 0, false, self.free(world, i));
        for j in (0..self.scope.servers).filter(|j| *j != i) {
            step("@ drops #", j, false, self.drop(world, i, j));
        }
    }

    fn guest_steps(&self, world: &World, i: usize, each: &mut impl FnMut(Step, World)) {
        let mut step = |what, after: Option<World>| {
            if let Some(after) = after {
                each(Step { what, i, j: 0, torn: false }, after);
            }
        };
        step("guest @ reserves a number", self.guest_reserve(world, i));
        step("guest @ writes its record", self.guest_sign(world, i));
        step("guest @ is acked", self.guest_look(world, i));
        let there = world.servers[i].up && world.servers[i].then == Then::Anything;
        step("guest @ gives up", there.then(|| leave(world, i)));
    }
}
