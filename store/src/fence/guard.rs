//! This server among the servers of a store: its record, what the others wrote and it has to note, and the
//! fence, where the store is not as this server left it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use leafid_core::{Code, HostTime, StoreTime, Token};
use leafid_turn::groups::{Groups, Scope};
use leafid_turn::register::{self, Beat, Line, Record, Server};

use super::bounds::{Note, longest_ms};
use super::journal::Noted;
use super::moving::{self, Moves};
use super::{Bounds, Desk, Journal, Orders, Register, Repair, Repaired, Reply};
use crate::backends::{Answer, BackEnd, Fenced, Group, Outcome, Seen, ServerWrite, Want, Write};
use crate::problem::Problem;
use crate::registry::hands::Hands;
use crate::{random, utc};

/// How long a server may go without writing its record, in ms, while there are others.
const PERIOD_MS: i64 = 2_000;
/// How long a server's record has to stay the same before it is dropped, in ms.
const SILENT_MS: i64 = 4 * PERIOD_MS;
/// How long a dropped server is remembered, in ms: one that comes back later fences the store, which costs
/// little.
const FORGOTTEN_MS: i64 = 3_600_000;
/// How often the register is read while something waits for the others, in ms.
const WAITING_MS: i64 = 20;
/// The same while there are others, and nothing waits.
const AMONG_OTHERS_MS: i64 = 100;
/// How long after a guest more of them are expected, in ms: each waits until the register was read.
const VISITED_MS: i64 = 10_000;
/// The same while there are none.
const ALONE_MS: i64 = 1_000;
/// The least time between two tries of what was refused, in ms.
const AGAIN_MS: i64 = 1_000;
/// The fewest letters of an id that name a server.
const ID_LETTERS: usize = 8;
/// How often a write is tried that others were faster than.
const TRIES: u32 = 12;

pub struct Guard {
    desk: Arc<Desk>,
    hands: Arc<Hands>,
    journal: Option<Journal>,
    bounds: Bounds,
    id: Token,
    name: String,
    /// How often a server has started with this journal, and the random number of this start.
    life: Beat,
    /// This server's row as it was written last; none before the first write.
    me: Option<Server>,
    /// A write of it with an unknown outcome.
    maybe: Option<Server>,
    /// The first write since this server started or fenced: until the others have acked it, others may know
    /// of a loss that this server does not.
    start: Beat,
    /// Whether all rows were read since it was written, and whether that was after it was acked: the others do
    /// not announce to this server what they wrote before they knew of it.
    surveyed: Option<bool>,
    others: Vec<Server>,
    /// When each other one's beat was first seen.
    ages: BTreeMap<Token, (Beat, HostTime)>,
    generation: u64,
    looked: Option<HostTime>,
    /// When the last guest was seen.
    visited: Option<HostTime>,
    /// When the record was written last, and since when it was in each period.
    wrote: HostTime,
    steady: HostTime,
    /// Whether the journal may lack the last write.
    is_behind: bool,
    refused: Option<(Problem, HostTime)>,
    repair: Option<(Repair, Reply<Repaired>)>,
    remove: Option<(String, Reply<()>)>,
}

impl Guard {
    /// A guard that keeps no journal yet.
    pub fn new(desk: Arc<Desk>, hands: Arc<Hands>) -> Guard {
        // Without randomness nothing is granted later: requests need it, too.
        let [id, salt] = [random::bytes().unwrap_or_default(); 2];
        let salt = u32::from_le_bytes([salt[0], salt[1], salt[2], salt[3]]);
        Guard {
            desk,
            hands,
            journal: None,
            bounds: Bounds::default(),
            id: Token::new(id),
            name: String::new(),
            life: Beat { life: 1, salt, count: 0 },
            me: None,
            maybe: None,
            start: Beat::default(),
            surveyed: None,
            is_behind: false,
            others: Vec::new(),
            ages: BTreeMap::new(),
            generation: 0,
            looked: None,
            visited: None,
            wrote: HostTime::new(0),
            steady: HostTime::new(0),
            refused: None,
            repair: None,
            remove: None,
        }
    }

    /// How long until the register has to be read again, in ms; `None` without a record.
    pub fn due_in(&self, boot: HostTime, waits: bool) -> Option<i64> {
        self.me.as_ref()?;
        let is_visited = self.visited.is_some_and(|at| boot.since(at) < VISITED_MS);
        let every = match (self.is_deserted() && !is_visited, waits) {
            (_, true) => WAITING_MS,
            (false, false) => AMONG_OTHERS_MS,
            (true, false) => ALONE_MS,
        };
        let since = self.looked.map_or(i64::MAX, |looked| boot.since(looked));
        Some(every.saturating_sub(since).max(0))
    }

    /// Looks at the register if that is due, in a turn that has begun, and tells whether it fenced the store:
    /// then rows that were read before may have changed.
    ///
    /// # Errors
    /// `STORE_REFUSED` if only an operator can tell what was granted, `STORE_UNAVAILABLE` if the store or
    /// the journal cannot be used.
    pub async fn begin<B: BackEnd>(
        &mut self,
        back_end: &mut B,
        now: StoreTime,
        boot: HostTime,
        waits: bool,
    ) -> Result<bool, Problem> {
        if let Some(orders) = self.desk.take() {
            self.follow(orders)?;
        }
        if let Some((problem, at)) = &self.refused
            && self.repair.is_none()
            && boot.since(*at) < AGAIN_MS
        {
            let problem = problem.clone();
            self.refuse_removal(&problem);
            return Err(problem);
        }
        let before = self.generation;
        let done = self.look_about(back_end, now, boot, waits).await;
        if let Err(problem) = &done {
            self.refuse_removal(problem);
        }
        let refused = done.as_ref().err().filter(|why| why.code == Code::StoreRefused);
        let known = self.refused.take();
        self.refused = refused.map(|why| {
            if known.is_none_or(|(known, _)| known != *why) {
                tracing::error!(code = %why.code, "{}", why.detail);
            }
            (why.clone(), boot)
        });
        done.map(|()| self.generation != before)
    }

    async fn look_about<B: BackEnd>(
        &mut self,
        back_end: &mut B,
        now: StoreTime,
        boot: HostTime,
        waits: bool,
    ) -> Result<(), Problem> {
        if self.is_behind
            && let Some(me) = &self.me
        {
            synced(self.note([Note::Beat(me.beat)])).await?;
            self.is_behind = false;
        }
        if let Some(order) = self.repair.take() {
            self.repair(back_end, now, boot, order).await?;
            back_end.begin().await?;
        }
        if self.me.is_none() && !self.name.is_empty() {
            self.start(back_end, now, boot).await?;
            back_end.begin().await?;
        }
        while self.me.is_some()
            && (self.maybe.is_some()
                || self.remove.is_some()
                || self.due_in(boot, waits) == Some(0))
        {
            if !self.look(back_end, now, boot).await? {
                break;
            }
            back_end.begin().await?;
        }
        if self.remove.is_some() {
            self.refuse_removal(&keeps_none());
        }
        Ok(())
    }

    fn refuse_removal(&mut self, why: &Problem) {
        // The caller may be gone.
        let _ = self.remove.take().map(|(_, reply)| reply.send(Err(why.clone())));
    }

    fn follow(&mut self, orders: Orders) -> Result<(), Problem> {
        let Orders { journal, name, repair, remove } = orders;
        self.repair = repair.or(self.repair.take());
        self.remove = remove.or(self.remove.take());
        if !name.is_empty() {
            self.name = name;
        }
        if let Some(journal) = journal {
            self.bounds.merge(&journal.found);
            let known = &journal.found;
            (self.id, self.bounds.server) = match known.server {
                Some(id) => (id, Some(id)),
                None => (self.id, None),
            };
            self.bounds.beat = known.beat;
            self.life = Beat { life: known.beat.life + 1, ..self.life };
            (self.me, self.maybe) = (None, None);
            self.journal = Some(journal);
        }
        Ok(())
    }

    /// Reads the servers, and after them the fence: an ack that was written behind a fence is never seen
    /// without it.
    async fn register<B: BackEnd>(
        back_end: &mut B,
    ) -> Result<(Vec<Server>, Seen<Fenced>), Problem> {
        let mut read = back_end.read(&[Want::Servers, Want::Fenced]).await?.into_iter();
        match (read.next(), read.next()) {
            (Some(Answer::Servers(servers)), Some(Answer::Fenced(fenced))) => Ok((servers, fenced)),
            (Some(Answer::Unreadable(problem)), _) | (_, Some(Answer::Unreadable(problem))) => {
                Err(problem)
            }
            _ => Err(Problem::unavailable("the store does not say which servers it has")),
        }
    }

    /// Begins to write a record, in a store that is as the journal left it; else fences the store.
    async fn start<B: BackEnd>(
        &mut self,
        back_end: &mut B,
        now: StoreTime,
        boot: HostTime,
    ) -> Result<(), Problem> {
        for _ in 0..TRIES {
            let (servers, fenced) = Self::register(back_end).await?;
            let mine = servers.iter().find(|server| server.id == self.id).cloned();
            if !self.is_as_left(mine.as_ref())? || !self.took_whole(&servers) {
                return self.fence(back_end, now, boot, None).await;
            }
            let mut after = self.next(self.life.next());
            // Acks from the first record on: where this server ends at once, it leaves the others confirmed.
            let others = servers.iter().filter(|server| server.id != self.id);
            let others: Vec<&Server> =
                others.filter(|server| server.record.out.is_none()).collect();
            if self.journal.is_some() && !others.is_empty() {
                let (lines, longest_ms) = moving::survey(back_end).await?;
                let announced = others.iter().flat_map(|server| server.record.lines.clone());
                let lines = lines.into_iter().chain(announced).map(Note::Line);
                let mut notes: Vec<Note> =
                    [Note::Longest(longest_ms)].into_iter().chain(lines).collect();
                notes.retain(|note| self.bounds.note(note.clone()));
                synced(self.note(notes)).await?;
                after.record.acks = others.iter().map(|server| (server.id, server.beat)).collect();
            }
            let mut group = vec![change(mine, Some(after.clone()))];
            let taken = self.taken();
            let gone = servers.iter().filter(|server| taken.contains(&server.id));
            group.extend(gone.map(|server| change(Some(server.clone()), None)));
            let noted = self.note([Note::Server(self.id), Note::Beat(after.beat)]);
            let outcome = self.put(back_end, group, &after).await?;
            synced(noted).await?;
            if outcome {
                self.journal.as_ref().inspect(|journal| journal.take_over());
                self.started(after, boot, &fenced);
                return Ok(());
            }
            back_end.begin().await?;
        }
        Err(busy())
    }

    /// The servers whose journals this one has taken over.
    fn taken(&self) -> BTreeSet<Token> {
        let taken = self.journal.iter().flat_map(|journal| &journal.taken);
        taken.map(|(id, _)| *id).collect()
    }

    /// Whether their records are as they left them.
    fn took_whole(&self, servers: &[Server]) -> bool {
        let mut taken = self.journal.iter().flat_map(|journal| &journal.taken);
        taken.all(|(id, beat)| {
            let found = servers.iter().find(|server| server.id == *id);
            found.is_some_and(|found| found.is_as_left(*beat))
        })
    }

    fn started(&mut self, me: Server, boot: HostTime, fenced: &Seen<Fenced>) {
        self.start = me.beat;
        (self.me, self.maybe, self.surveyed) = (Some(me), None, None);
        (self.looked, self.wrote, self.steady) = (None, boot, boot);
        self.ages.clear();
        self.learn_fence(fenced);
    }

    /// Whether the store has this server's record as the journal has it, or as the write after that left it,
    /// which the journal need not know.
    ///
    /// # Errors
    /// `STORE_REFUSED` where the journal is older than the store, or another server uses a copy of it.
    fn is_as_left(&self, found: Option<&Server>) -> Result<bool, Problem> {
        let left = self.bounds.beat;
        let Some(found) = found else { return Ok(left == Beat::default()) };
        if found.is_as_left(left) {
            return Ok(true);
        }
        let Beat { life, salt, count } = found.record.out.unwrap_or(found.beat);
        let is_older = (life, salt) == (left.life, left.salt) && count < left.count;
        if is_older || life < left.life {
            return Ok(false);
        }
        let path = self.journal.as_ref().map(|journal| journal.path.display().to_string());
        Err(Problem::new(
            Code::StoreRefused,
            format!(
                "the journal `{}` is older than what its server wrote into the store ({left} and {}), or \
             another server uses a copy of it: nothing is granted, as what was granted since is not \
             known here; stop the other server, put the journal back that was written last, or move \
             this one away, and then: leafid repair --journal DIR",
                path.unwrap_or_default(),
                found.beat
            ),
        ))
    }

    /// Raises every line to its bound, and begins anew: what waits and what is in hand is given up.
    async fn fence<B: BackEnd>(
        &mut self,
        back_end: &mut B,
        now: StoreTime,
        boot: HostTime,
        repair: Option<&Repair>,
    ) -> Result<(), Problem> {
        let is_dry_run = repair.is_some_and(|repair| repair.dry_run);
        if !is_dry_run {
            self.hands.clear();
        }
        let with_gap = repair.is_some_and(|repair| repair.with_gap);
        let above = repair.map_or(0, |repair| repair.above);
        for _ in 0..TRIES {
            back_end.begin().await?;
            let (servers, fenced) = Self::register(back_end).await?;
            let moves = Moves::plan(back_end, &self.bounds, with_gap, above, now).await?;
            let mine = servers.iter().find(|server| server.id == self.id).cloned();
            let beat = self.me.as_ref().map_or(self.life, |me| me.beat).max(self.life).next();
            let mut me = self.next(beat);
            (me.record.waits, me.record.all) = (Some(beat), !moves.writes.is_empty());
            let (mut last, mut removed, mut awaited) = (Vec::new(), Vec::new(), Vec::new());
            if !self.name.is_empty() || mine.is_some() {
                last.push(change(mine, Some(me.clone())));
            }
            let mut taken = self.taken();
            taken.extend(repair.iter().flat_map(|repair| &repair.taken));
            for server in &servers {
                let is_gone = taken.contains(&server.id) || with_gap && server.id != self.id;
                if is_gone {
                    removed.push(server.clone());
                    last.push(change(Some(server.clone()), None));
                } else if server.id != self.id && server.is_member() {
                    awaited.push(server.clone());
                }
            }
            for id in &self.bounds.members {
                let found = servers.iter().find(|server| server.id == *id).cloned();
                let is_there = found.as_ref().is_some_and(Server::is_member);
                if !is_there && !taken.contains(id) && !with_gap && *id != self.id {
                    awaited.push(empty(*id));
                    last.push(change(found, Some(empty(*id))));
                }
            }
            let generation = fenced.row.generation + 1;
            let after = Fenced { generation, at: now, floor: fenced.row.floor.max(moves.floor) };
            let Moves { writes, tags, floor } = moves;
            let workers = writes.len() - tags;
            let raised = if repair.is_some() { writes.clone() } else { Vec::new() };
            let repaired = Repaired { generation, raised, removed, awaited, floor };
            if is_dry_run {
                let _ = self.repair.take().map(|(_, reply)| reply.send(Ok(repaired)));
                return Ok(());
            }
            let noted = self.note([Note::Server(self.id), Note::Beat(me.beat)]);
            synced(noted).await?;
            if !write(back_end, writes, last, fenced, after).await? {
                continue;
            }
            self.journal.as_ref().inspect(|journal| journal.take_over());
            let floor_said = utc::text(floor);
            if repair.is_some() {
                tracing::warn!(
                    generation,
                    tags,
                    workers,
                    "the store was fenced, as an operator said"
                );
            } else {
                tracing::error!(
                    code = %Code::StoreWentBack, generation, tags, workers, floor = floor_said,
                    "the store is not as this server left it, and was fenced: every line that was \
                     below its bound in the journal was raised to it"
                );
            }
            if !self.name.is_empty() {
                self.started(me, boot, &Seen { row: after, revision: 0 });
            } else {
                (self.me, self.maybe) = (None, None);
            }
            self.desk.tell(generation, after.floor);
            if let Some((_, reply)) = self.repair.take() {
                let _ = reply.send(Ok(repaired));
            }
            return Ok(());
        }
        Err(busy())
    }

    async fn repair<B: BackEnd>(
        &mut self,
        back_end: &mut B,
        now: StoreTime,
        boot: HostTime,
        (repair, reply): (Repair, Reply<Repaired>),
    ) -> Result<(), Problem> {
        self.bounds.merge(&repair.bounds);
        self.bounds.members.retain(|id| !repair.taken.contains(id));
        self.repair = Some((repair.clone(), reply));
        let done = self.fence(back_end, now, boot, Some(&repair)).await;
        if let (Err(problem), Some((_, reply))) = (&done, self.repair.take()) {
            let _ = reply.send(Err(problem.clone()));
        }
        done
    }

    /// Reads the register, notes what others wrote, and writes the own record if they wait for it or a
    /// period is over; tells whether it wrote.
    async fn look<B: BackEnd>(
        &mut self,
        back_end: &mut B,
        now: StoreTime,
        boot: HostTime,
    ) -> Result<bool, Problem> {
        let (servers, fenced) = Self::register(back_end).await?;
        let mine = servers.iter().find(|server| server.id == self.id);
        let known: Vec<Server> = self.me.iter().chain(&self.maybe).cloned().collect();
        match known.iter().find(|known| mine.is_some_and(|mine| mine.beat == known.beat)) {
            Some(known) => {
                let revision = mine.map_or(0, |mine| mine.revision);
                (self.me, self.maybe) = (Some(Server { revision, ..known.clone() }), None);
            }
            None => {
                // A write that was sent long ago never lands later: it has the record before as its condition.
                self.bounds.beat = known.iter().map(|known| known.beat).max().unwrap_or_default();
                if let Some(mine) = mine
                    && self.is_as_left(Some(mine))?
                {
                    tracing::warn!(
                        "other servers have not heard of this one, and went on without it; it is back"
                    );
                    self.hands.clear();
                    self.life = self.bounds.beat;
                    (self.me, self.maybe) = (None, None);
                    self.start(back_end, now, boot).await?;
                    return Ok(true);
                }
                self.fence(back_end, now, boot, None).await?;
                return Ok(true);
            }
        }
        self.looked = Some(boot);
        self.learn_fence(&fenced);
        self.others = servers.into_iter().filter(|server| server.id != self.id).collect();
        self.learn_others(boot);
        self.show(boot);
        let members = self.members().map(|server| server.id).collect();
        let mut notes = vec![Note::Members(members)];
        let is_confirmed = self.is_confirmed();
        let is_read = self.surveyed.is_some_and(|confirmed| confirmed || !is_confirmed);
        if !is_read && self.journal.is_some() {
            let (lines, longest_ms) = moving::survey(back_end).await?;
            notes.push(Note::Longest(longest_ms));
            notes.extend(lines.into_iter().map(Note::Line));
            self.surveyed = Some(is_confirmed);
        }
        let announced = self.others.iter().flat_map(|server| &server.record.lines);
        notes.extend(announced.map(|line| Note::Line(*line)));
        notes.retain(|note| self.bounds.note(note.clone()));
        self.trust();
        let removal = self.remove.take().and_then(|(name, reply)| {
            match self.removable(&name, boot, is_confirmed) {
                Ok(server) => Some((server, reply)),
                Err(problem) => {
                    let _ = reply.send(Err(problem));
                    None
                }
            }
        });
        let (removed, reply) = removal.unzip();
        let Some(group) = self.answer(boot, is_confirmed, removed) else {
            if !notes.is_empty() {
                synced(self.note(notes)).await?;
            }
            return Ok(false);
        };
        let Some(Write::Server(own)) = group.first() else { return Ok(false) };
        let Some(after) = own.after.clone() else { return Ok(false) };
        notes.push(Note::Beat(after.beat));
        // An ack says that it is noted.
        synced(self.note(notes)).await?;
        let removes = group.len() > 1;
        let is_written = self.put(back_end, group, &after).await?;
        if is_written {
            (self.me, self.wrote) = (Some(after), boot);
            self.trust();
        }
        if let Some(reply) = reply {
            let _ = reply.send(if is_written { Ok(()) } else { Err(busy()) });
        }
        // The next look finds the row's revision.
        if removes || !is_written || back_end.facts().abilities.counts_revisions {
            self.looked = None;
        }
        Ok(true)
    }

    /// The record to write after a look, and the servers to drop with it; `None` if nothing waits for it.
    fn answer(
        &mut self,
        boot: HostTime,
        is_confirmed: bool,
        removed: Option<Server>,
    ) -> Option<Group> {
        let me = self.me.clone()?;
        let is_member = self.journal.is_some();
        let mut after = self.next(me.beat.next());
        let mut is_due = !self.is_deserted() && boot.since(self.wrote) >= PERIOD_MS / 2;
        if is_member {
            for server in self.others.iter().filter(|server| server.record.out.is_none()) {
                // Its start is acked even if it waits for nobody: else it would count as not confirmed.
                let start = Beat { count: 0, ..server.beat };
                is_due |= !me.has_acked(server.id, server.record.waits.unwrap_or(start));
                after.record.acks.insert(server.id, server.beat);
            }
        }
        let mut gone = Vec::new();
        let is_steady = boot.since(self.steady) >= SILENT_MS;
        for server in &self.others {
            let age = self.silent_ms(server, boot);
            let (is_silent, is_known) =
                (age >= SILENT_MS, server.record.guest || age >= FORGOTTEN_MS);
            let is_removed = removed.as_ref() == Some(server);
            if is_steady && is_silent && is_known || is_removed && server.record.guest {
                gone.push(change(Some(server.clone()), None));
            } else if is_confirmed
                && server.is_member()
                && (server.record.stopped || is_steady && is_silent || is_removed)
            {
                let server_name = server.title();
                tracing::info!(
                    server = server_name,
                    "a server stopped, or is silent, and is not waited for any more"
                );
                gone.push(change(Some(server.clone()), Some(server.dropped())));
            }
        }
        if !is_due && gone.is_empty() {
            return None;
        }
        let mut group = vec![change(Some(me), Some(after))];
        group.extend(gone);
        Some(group)
    }

    /// The server that an operator means, if it may be removed through this one.
    fn removable(&self, name: &str, boot: HostTime, is_confirmed: bool) -> Result<Server, Problem> {
        if self.journal.is_none() {
            return Err(keeps_none());
        }
        if !is_confirmed {
            return Err(self.waited_too_long(self.start));
        }
        let is_meant = |server: &&Server| {
            let id = leafid_turn::hex(server.id);
            server.record.name == name || name.len() >= ID_LETTERS && id.starts_with(name)
        };
        let others = self.others.iter().filter(|server| server.record.out.is_none());
        let mut meant = others.filter(is_meant);
        let invalid = |detail: String| Err(Problem::new(Code::RequestInvalid, detail));
        let Some(server) = meant.next() else {
            return invalid(format!("the store has no other server `{name}`"));
        };
        if let Some(other) = meant.next() {
            let (one, other) = (leafid_turn::hex(server.id), leafid_turn::hex(other.id));
            return invalid(format!(
                "several servers are called `{name}`: name one by its id, {one} or {other}"
            ));
        }
        if !server.record.stopped && self.silent_ms(server, boot) < PERIOD_MS {
            return invalid(format!(
                "{} has written its record within the last 2 s, so it runs: stop it first, and ask again \
                 after that",
                server.title()
            ));
        }
        Ok(server.clone())
    }

    /// How long a server has written nothing, as far as this one saw.
    fn silent_ms(&self, server: &Server, boot: HostTime) -> i64 {
        self.ages.get(&server.id).map_or(0, |(_, since)| boot.since(*since))
    }

    /// Shows readers the register.
    fn show(&self, boot: HostTime) {
        let is_silent = |server: &&Server| self.silent_ms(server, boot) >= PERIOD_MS;
        let waits = self.me.as_ref().and_then(|me| me.record.waits);
        let waited = self
            .awaited()
            .filter(is_silent)
            .filter(|server| waits.is_some_and(|beat| !server.has_acked(self.id, beat)));
        self.desk.see(Register {
            members: self.members().count() + usize::from(self.journal.is_some()),
            silent: Some(self.others.iter().filter(is_silent).map(|server| server.id).collect()),
            waits_for: waited.map(|server| (server.record.name.clone(), server.id)).collect(),
        });
    }

    fn learn_fence(&mut self, fenced: &Seen<Fenced>) {
        self.generation = fenced.row.generation;
        self.desk.tell(fenced.row.generation, fenced.row.floor);
    }

    fn learn_others(&mut self, boot: HostTime) {
        if boot.since(self.wrote) >= PERIOD_MS {
            self.steady = boot;
        }
        let others = &self.others;
        if others.iter().any(|server| server.record.guest) {
            self.visited = Some(boot);
        }
        self.ages.retain(|id, _| others.iter().any(|server| server.id == *id));
        for server in &self.others {
            let known = self.ages.entry(server.id).or_insert((server.beat, boot));
            if known.0 != server.beat {
                *known = (server.beat, boot);
            } else if *known != (server.beat, boot) {
                continue;
            }
            if server.record.all {
                self.surveyed = None;
            }
            for line in &server.record.lines {
                self.hands.learn(line);
            }
        }
    }

    /// Lets ranges in hand be used for as long as no other server may have dropped this one.
    fn trust(&self) {
        let is_alone = self.members().next().is_none();
        self.hands.trust(if is_alone {
            HostTime::new(i64::MAX)
        } else {
            self.wrote.plus(PERIOD_MS)
        });
    }

    /// Whether there is no other server, not counting dropped ones.
    fn is_deserted(&self) -> bool {
        self.others.iter().all(|server| server.record.out.is_some())
    }

    /// The servers that keep a journal.
    fn members(&self) -> impl Iterator<Item = &Server> {
        self.others.iter().filter(|server| server.is_member())
    }

    /// Whether every other member has acked the start: then none of them knows of a loss before it.
    fn is_confirmed(&self) -> bool {
        self.journal.is_some() && self.members().all(|server| server.has_acked(self.id, self.start))
    }

    /// The servers that this one waits for. One that stopped knows nothing that those who were there do not.
    fn awaited(&self) -> impl Iterator<Item = &Server> {
        let knows = self.journal.is_none() || self.is_confirmed();
        self.members().filter(move |server| !(knows && server.record.stopped))
    }

    /// Whether there is no other server that has to ack.
    pub fn is_alone(&self) -> bool {
        self.awaited().next().is_none()
    }

    /// Whether every other server has acked a beat.
    pub fn is_acked(&self, beat: Beat) -> bool {
        self.awaited().all(|server| server.has_acked(self.id, beat))
    }

    /// Changes with each fence, and when this server starts again: what was written before counts no more.
    pub fn epoch(&self) -> (u64, Beat) {
        (self.generation, self.start)
    }

    /// The refusal of what waits too long for the other servers.
    pub fn waited_too_long(&self, beat: Beat) -> Problem {
        let waits = self.awaited().filter(|server| !server.has_acked(self.id, beat));
        register::waited_too_long(waits, self.is_confirmed() || self.journal.is_none())
    }

    /// This server's next row.
    fn next(&self, beat: Beat) -> Server {
        let record = match &self.me {
            Some(me) => me.record.clone(),
            None => Record {
                name: self.name.clone(),
                guest: self.journal.is_none(),
                ..Record::default()
            },
        };
        let mut record = Record { stopped: false, ..record };
        if record.waits.is_none_or(|waits| self.is_acked(waits)) {
            (record.waits, record.lines, record.all) = (None, Vec::new(), false);
        }
        if self.me.is_none() {
            record.waits = Some(beat);
        }
        record.acks.retain(|id, _| self.others.iter().any(|server| server.id == *id));
        Server { id: self.id, beat, record, revision: 0 }
    }

    /// Whether these bounds are no news.
    pub fn knows(&self, lines: &[Line]) -> bool {
        lines.iter().all(|line| self.bounds.knows(line))
    }

    /// Adds this server's record to the groups of a turn, and has their bounds noted. `None` if there is
    /// nobody to tell.
    ///
    /// # Errors
    /// `STORE_UNAVAILABLE` if the register cannot be read.
    pub async fn sign<B: BackEnd>(
        &mut self,
        back_end: &mut B,
        groups: &mut Groups,
        all: Vec<Line>,
        boot: HostTime,
    ) -> Result<Option<Signed>, Problem> {
        if self.me.is_none() {
            let (servers, fenced) = Self::register(back_end).await?;
            self.others = servers;
            self.learn_fence(&fenced);
            if self.is_alone() {
                return Ok(None);
            }
        }
        let longest = groups.groups.iter().map(longest_ms).max().unwrap_or(0);
        let beat = self.me.as_ref().map_or(self.life, |me| me.beat).next();
        let mut after = self.next(beat);
        if self.members().next().is_some() {
            after.record.waits = Some(beat);
            after.record.announce(all.iter().copied());
        }
        let place = groups.groups.len();
        groups.push(Scope::Server, vec![change(self.me.clone(), Some(after.clone()))]);
        let mut notes: Vec<Note> = all.into_iter().map(Note::Line).collect();
        notes.push(Note::Longest(longest));
        notes.retain(|note| self.bounds.note(note.clone()));
        notes.push(Note::Beat(beat));
        let noted = self.note(notes);
        self.maybe = Some(after);
        Ok(Some(Signed { beat, place, noted, boot }))
    }

    /// Takes in how the write of the own record ended, and waits until its bounds are noted; tells whether the
    /// record was as it was left.
    ///
    /// # Errors
    /// `STORE_UNAVAILABLE` if the journal cannot be written.
    pub async fn signed(&mut self, signed: Signed, outcomes: &[Outcome]) -> Result<bool, Problem> {
        let Signed { place, noted, boot, .. } = signed;
        let is_left = match outcomes.get(place) {
            Some(Outcome::Done(revisions)) => {
                let revision = revisions.first().copied().unwrap_or(0);
                self.me = self.maybe.take().map(|me| Server { revision, ..me });
                self.wrote = boot;
                self.trust();
                true
            }
            Some(Outcome::Conflict) => {
                self.maybe = None;
                self.looked = None;
                false
            }
            _ => {
                self.looked = None;
                false
            }
        };
        self.is_behind = true;
        synced(noted).await?;
        self.is_behind = false;
        Ok(is_left)
    }

    /// Says in the register that this server has stopped; a guest leaves it.
    pub async fn leave<B: BackEnd>(&mut self, back_end: &mut B) {
        let Some(me) = self.me.take() else { return };
        if let Err(problem) = self.left(back_end, me).await {
            tracing::warn!(
                "the store's register does not say that this server stopped: {}",
                problem.detail
            );
        }
    }

    async fn left<B: BackEnd>(&mut self, back_end: &mut B, me: Server) -> Result<(), Problem> {
        back_end.begin().await?;
        let mut after = Server { beat: me.beat.next(), ..me.clone() };
        after.record.stopped = true;
        let noted = self.note([Note::Beat(after.beat)]);
        let after = Some(after).filter(|_| noted.is_some());
        back_end.write(&[vec![change(Some(me), after)]]).await?;
        synced(noted).await
    }

    fn note(&self, notes: impl IntoIterator<Item = Note>) -> Option<Noted> {
        let journal = self.journal.as_ref()?;
        Some(journal.note(notes.into_iter().collect()))
    }

    /// Writes a group with the own record in it; tells whether it is written.
    async fn put<B: BackEnd>(
        &mut self,
        back_end: &mut B,
        group: Group,
        after: &Server,
    ) -> Result<bool, Problem> {
        self.maybe = Some(after.clone());
        let is_written = is_done(back_end.write(&[group]).await?)?;
        self.maybe = None;
        Ok(is_written)
    }
}

/// A write of the own record in a turn.
#[derive(Debug)]
pub struct Signed {
    /// Its beat.
    pub beat: Beat,
    place: usize,
    noted: Option<Noted>,
    boot: HostTime,
}

async fn synced(noted: Option<Noted>) -> Result<(), Problem> {
    match noted {
        Some(noted) => noted.synced().await,
        None => Ok(()),
    }
}

fn keeps_none() -> Problem {
    let detail =
        "only a server that runs and keeps a journal removes another one: ask one of those";
    Problem::new(Code::RequestInvalid, detail)
}

fn change(before: Option<Server>, after: Option<Server>) -> Write {
    Write::Server(Box::new(ServerWrite { before, after }))
}

/// The row of a server that a journal knows and the register lacks.
fn empty(id: Token) -> Server {
    let record = Record { name: "?".to_owned(), ..Record::default() };
    Server { id, beat: Beat::default(), record, revision: 0 }
}

fn busy() -> Problem {
    Problem::unavailable(format!(
        "others wrote the rows that were to be moved, {TRIES} times in a row"
    ))
}

/// Writes the rows of a fence, the last of them together with the fence's row; false if a row has changed
/// since it was read.
async fn write<B: BackEnd>(
    back_end: &mut B,
    writes: Vec<Write>,
    last: Vec<Write>,
    before: Seen<Fenced>,
    after: Fenced,
) -> Result<bool, Problem> {
    let whole = back_end.facts().abilities.whole.max(1);
    let room = whole.saturating_sub(last.len()).max(1);
    let (mut parts, mut rest) = (Vec::new(), writes);
    while rest.len() > room {
        let next = rest.split_off(rest.len().min(whole));
        parts.push(std::mem::replace(&mut rest, next));
    }
    for part in parts {
        if !is_done(back_end.write(&[part]).await?)? {
            return Ok(false);
        }
        back_end.begin().await?;
    }
    let fence = Write::Fence { before: Box::new(before), after: Box::new(after) };
    is_done(back_end.write(&[[vec![fence], rest, last].concat()]).await?)
}

fn is_done(mut outcomes: Vec<Outcome>) -> Result<bool, Problem> {
    match outcomes.pop() {
        Some(Outcome::Done(_)) => Ok(true),
        Some(Outcome::Conflict) | None => Ok(false),
        Some(Outcome::Failed(problem) | Outcome::Locked(problem)) => Err(problem),
    }
}
