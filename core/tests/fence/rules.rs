//! The rules of the fence, each of which can be switched off, and the steps that they allow.

use super::world::{COPIES, Journal, Left, MOST, Record, Server, Step, Store, World, has};

/// How many periods a record has to stay the same before its server is dropped.
pub const SILENT: u8 = 4;

/// A rule that is switched off, by what happens without it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Without {
    Nothing,
    /// Every server grants the row's next number below the bound.
    OwnRange,
    /// A range is used before the others have noted it.
    Waiting,
    /// A server claims to have noted what is not on its disk.
    Noting,
    /// A server does not check that its record is as it left it.
    OwnRecord,
    /// A server goes on at once by its own journal.
    Confirmed,
    /// A server without a journal goes on at once.
    NewConfirmed,
    /// A server that was silent for a period goes on.
    OwnSilence,
    /// A server is dropped after one period less.
    Watching,
    /// A server drops others before it is confirmed itself.
    SoundDrops,
    /// A joining server trusts the register alone, though its record there is not as it left it.
    JournalsMembers,
    /// A joining server waits for all servers in its journal, though its record is as it left it.
    OwnRecordTrusted,
    /// A joining server leaves the bound as it is in the store.
    RaisedBound,
    /// A range is used though a server has joined since it was reserved.
    RangeGivenUp,
    /// A server that has left keeps its journal.
    LeftJournal,
    /// A journal that was taken over stays in its place.
    TakenJournal,
    /// A guest drops members.
    GuestDropsNobody,
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
    /// Whether servers leave, are removed, and take over journals.
    pub operators: bool,
    pub periods: Periods,
    pub left: Left,
}

pub struct Rules {
    pub without: Without,
    pub scope: Scope,
}

impl Rules {
    fn keep(&self, rule: Without) -> bool {
        self.without != rule
    }

    fn is_guest(&self, i: usize) -> bool {
        self.scope.guest && i + 1 == self.scope.servers
    }

    /// The servers that others wait for.
    fn members(&self, store: &Store) -> u8 {
        let is_member = |j: &usize| store.register[*j].beat > 0 && !self.is_guest(*j);
        (0..MOST).filter(is_member).map(|j| 1 << j).sum()
    }

    /// Every possible step, with the world after it; `None` if it grants a number twice.
    pub fn steps(&self, world: &World, mut each: impl FnMut(Step, Option<World>)) {
        let mut step = |step, after: Option<Option<World>>| {
            if let Some(after) = after {
                each(step, after);
            }
        };
        for i in 0..self.scope.servers {
            step(Step::Join(i), self.join(world, i));
            step(Step::Round(i), self.round(world, i));
            step(Step::Reserve(i), self.reserve(world, i));
            step(Step::Crash(i), self.crash(world, i).map(Some));
            step(Step::Lose(i), lose(world, i).map(Some));
            for j in (0..self.scope.servers).filter(|j| *j != i) {
                step(Step::Drop(i, j), self.drop(world, i, j));
                if self.scope.operators {
                    step(Step::Remove(i, j), self.remove(world, i, j));
                    step(Step::Read(i, j), self.read(world, i, j).map(Some));
                }
            }
            if self.scope.operators {
                step(Step::Leave(i), self.leave(world, i).map(Some));
            }
        }
        step(Step::CopyJournal, copy_journal(world).map(Some));
        step(Step::PutBack, put_back(world).map(Some));
        for n in 0..self.scope.copies {
            step(Step::Copy(n), copy(world, n).map(Some));
            step(Step::Restore(n), restore(world, n).map(Some));
        }
        if self.scope.periods != Periods::None {
            step(Step::Period, self.period(world).map(Some));
        }
    }

    /// Whether the store may not be as this server left it.
    fn doubts(&self, world: &World, i: usize) -> bool {
        let record = world.store.register[i];
        if self.keep(Without::OwnRecord) {
            record.beat != world.journals[i].beat
        } else {
            record.beat == 0
        }
    }

    /// Whether a server is up, was not silent and does not doubt the store.
    fn runs(&self, world: &World, i: usize) -> bool {
        world.servers[i].joined > 0 && !self.doubts(world, i)
    }

    fn acts(&self, world: &World, i: usize) -> bool {
        self.runs(world, i) && world.servers[i].sound
    }

    fn join(&self, world: &World, i: usize) -> Option<Option<World>> {
        let (server, journal) = (world.servers[i], world.journals[i]);
        let is_new = journal.members == 0;
        if self.runs(world, i) || is_new && has(world.used, i) {
            return None;
        }
        let mut after = *world;
        let is_as_left = journal.beat > 0 && world.store.register[i].beat == journal.beat;
        let by_store = match self.without {
            Without::JournalsMembers => true,
            Without::OwnRecordTrusted => false,
            _ => is_as_left,
        };
        let known = if by_store { 0 } else { journal.members };
        let members = (self.members(&world.store) | known | 1 << i) & !journal.taken;
        for j in (0..MOST).filter(|j| !has(members, *j) && !self.is_guest(*j)) {
            after.store.register[j] = Record::default();
        }
        for j in (0..MOST).filter(|j| has(members, *j) && world.store.register[*j].beat == 0) {
            let beat = after.next_beat(j);
            after.store.register[j] = Record { beat, view: 0, noted: 0 };
        }
        if self.keep(Without::RaisedBound) {
            after.store.bound = world.store.bound.max(journal.bound);
        }
        if !self.keep(Without::OwnRange) {
            after.store.next = after.store.bound;
        }
        let sound = !self.keep(Without::Confirmed) || is_new && !self.keep(Without::NewConfirmed);
        let joined = after.next_view();
        after.store.view = joined;
        let Server { range, since, .. } = server;
        after.servers[i] = Server { up: true, sound, joined, range, since, ..Server::default() };
        after.used |= 1 << i;
        Some(self.write(after, i))
    }

    /// A server's periodic round: once in each period, and again whenever a round changes what it knows.
    fn round(&self, world: &World, i: usize) -> Option<Option<World>> {
        let (server, before) = (world.servers[i], world.journals[i]);
        if !self.runs(world, i) {
            return None;
        }
        let after = self.write(*world, i);
        let learns = after.is_none_or(|after| {
            let now = Journal { beat: before.beat, ..after.journals[i] };
            after.servers[i] != server || now != before
        });
        learns.then_some(after)
    }

    /// Notes the store in the journal, then that in the register, and reads the other records. `None` if
    /// a number is granted twice.
    fn write(&self, mut world: World, i: usize) -> Option<World> {
        let beat = world.next_beat(i);
        let store = &mut world.store;
        let bound = if self.keep(Without::Noting) { store.bound } else { world.journals[i].bound };
        store.register[i] = Record { beat, view: store.view, noted: store.bound };
        let members = self.members(&world.store);
        let taken = world.journals[i].taken;
        world.journals[i] = Journal { bound, members, beat, taken };
        if i == 0 && world.old.members != members {
            // A copy from before that is never restored.
            world.old = Journal::default();
        }
        let register = world.store.register;
        let others = (0..MOST).filter(|j| *j != i && !self.is_guest(*j));
        let others = others.map(|j| (j, register[j]));
        let server = &mut world.servers[i];
        server.heard = true;
        let (mut confirmed, mut noted) = (true, true);
        if self.keep(Without::RangeGivenUp) && world.store.view > server.since {
            // The server that joined may have been granted this range, in a store that was restored.
            (server.range, server.since) = (0, 0);
        }
        for (j, record) in others {
            confirmed &= record.beat == 0 || record.view >= server.joined;
            noted &= record.beat == 0 || record.noted >= server.range;
            if server.seen[j] != record.beat {
                (server.seen[j], server.age[j]) = (record.beat, 0);
            }
        }
        server.sound |= confirmed;
        if !server.sound {
            // It drops no server.
            if self.keep(Without::SoundDrops) {
                (server.seen, server.age) = Default::default();
            }
            return Some(world);
        }
        let ready = noted || !self.keep(Without::Waiting);
        let number = if self.keep(Without::OwnRange) { server.range } else { world.store.next };
        if server.range == 0 || !ready {
            return Some(world);
        }
        (server.range, server.since) = (0, 0);
        world.store.next = number + 1;
        if self.keep(Without::OwnRange) {
            world.store.next = 1;
        }
        if has(world.granted, number.into()) {
            return None;
        }
        world.granted |= 1 << number;
        Some(world)
    }

    fn reserve(&self, world: &World, i: usize) -> Option<Option<World>> {
        let mut after = *world;
        let server = &mut after.servers[i];
        if !self.acts(world, i) || server.range > 0 {
            return None;
        }
        let shared = !self.keep(Without::OwnRange) && after.store.next < after.store.bound;
        if !shared {
            after.store.bound += if self.keep(Without::OwnRange) { 1 } else { 2 };
        }
        if after.store.bound > self.scope.bound {
            return None;
        }
        (server.range, server.since) = (after.store.bound, after.store.view);
        Some(self.write(after, i))
    }

    fn drop(&self, world: &World, i: usize, j: usize) -> Option<Option<World>> {
        let server = world.servers[i];
        let may = server.sound || !self.keep(Without::SoundDrops);
        let may = may && (!self.is_guest(i) || !self.keep(Without::GuestDropsNobody));
        let beat = world.store.register[j].beat;
        let silent = if self.keep(Without::Watching) { SILENT } else { SILENT - 1 };
        let watched = server.heard && beat > 0 && server.seen[j] == beat && server.age[j] >= silent;
        (self.runs(world, i) && may && watched).then(|| self.without(world, i, j))
    }

    fn without(&self, world: &World, i: usize, j: usize) -> Option<World> {
        let mut after = *world;
        after.store.register[j] = Record::default();
        self.write(after, i)
    }

    fn remove(&self, world: &World, i: usize, j: usize) -> Option<Option<World>> {
        let is_there = world.store.register[j].beat > 0 && !world.servers[j].up;
        (self.acts(world, i) && is_there && !self.is_guest(i)).then(|| self.without(world, i, j))
    }

    fn leave(&self, world: &World, i: usize) -> Option<World> {
        let mut after = *world;
        if !self.acts(world, i) || self.members(&world.store) == 1 << i {
            return None;
        }
        after.store.register[i] = Record::default();
        after.servers[i] = Server::default();
        if self.keep(Without::LeftJournal) {
            after.journals[i] = Journal::default();
        }
        Some(after)
    }

    /// A server that does not run takes over another one's journal as its own.
    fn read(&self, world: &World, i: usize, j: usize) -> Option<World> {
        let mut after = *world;
        let (mine, theirs) = (world.journals[i], world.journals[j]);
        let guest = self.is_guest(i) || self.is_guest(j);
        let can = !guest && theirs.members > 0 && (mine.members > 0 || !has(world.used, i));
        if !can || world.servers[i].up || world.servers[j].up {
            return None;
        }
        after.used |= 1 << i;
        let bound = mine.bound.max(theirs.bound);
        let members = mine.members | theirs.members;
        let taken = mine.taken | theirs.taken | 1 << j;
        after.journals[i] = Journal { bound, members, beat: mine.beat, taken };
        if self.keep(Without::TakenJournal) {
            after.journals[j] = Journal::default();
        }
        if i == 0 {
            after.old = Journal::default();
        }
        Some(after)
    }

    fn crash(&self, world: &World, i: usize) -> Option<World> {
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

    fn period(&self, world: &World) -> Option<World> {
        let mut after = *world;
        for server in after.servers.iter_mut().filter(|server| server.joined > 0) {
            if server.heard {
                server.age.iter_mut().for_each(|age| *age = (*age + 1).min(SILENT));
            } else if self.scope.periods == Periods::Heard {
                return None;
            } else if self.keep(Without::OwnSilence) {
                *server = Server { up: true, ..Server::default() };
            } else {
                server.age = [0; MOST];
            }
            server.heard = false;
        }
        (after != *world).then_some(after)
    }
}

fn lose(world: &World, i: usize) -> Option<World> {
    let mut after = *world;
    if world.servers[i].up || world.left.losses == 0 || world.journals[i].members == 0 {
        return None;
    }
    after.journals[i] = Journal::default();
    after.left.losses -= 1;
    Some(after)
}

fn copy_journal(world: &World) -> Option<World> {
    let mut after = *world;
    after.old = world.journals[0];
    (world.left.stale > 0 && world.old.members == 0).then_some(after)
}

/// Restores the old copy of a journal. Not if the server is alone, or has noted other members since:
/// with the store also restored to that time, no server could notice.
fn put_back(world: &World) -> Option<World> {
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

fn copy(world: &World, n: usize) -> Option<World> {
    let mut after = *world;
    after.copies[n] = world.store;
    let first = world.copies[..n].iter().all(|copy| copy.bound > 0) && world.copies[n].bound == 0;
    (world.left.restores > 0 && first).then_some(after)
}

fn restore(world: &World, n: usize) -> Option<World> {
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
