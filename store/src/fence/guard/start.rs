//! How a server begins to write its record: in a store that is as it left it, or behind a fence.

use std::collections::BTreeSet;

use leafid_core::{Code, HostTime, StoreTime, Token};
use leafid_turn::register::{Beat, Line, Record, Server};

use super::{Guard, TRIES, busy, change, is_done};
use crate::backends::{BackEnd, Fenced, Seen, Write};
use crate::fence::bounds::Note;
use crate::fence::moving::Moves;
use crate::fence::{Repair, Repaired, Reply};
use crate::problem::Problem;
use crate::utc;

impl Guard {
    /// Begins to write a record, in a store that is as the journal left it (PROTOCOL R26); else fences the store.
    pub(super) async fn start<B: BackEnd>(
        &mut self,
        back_end: &mut B,
        now: StoreTime,
        boot: HostTime,
    ) -> Result<(), Problem> {
        for _ in 0..TRIES {
            let (servers, fenced) = Self::register(back_end).await?;
            self.learn_fence(&fenced);
            let mine = servers.iter().find(|server| server.id == self.id).cloned();
            if !self.is_as_left(mine.as_ref())? || !self.took_whole(&servers) {
                return self.fence(back_end, now, boot, None).await.map(drop);
            }
            let after = self.next(self.life.next());
            let taken = self.taken();
            let gone = servers.iter().filter(|server| taken.contains(&server.id));
            let gone = gone.map(|server| change(Some(server.clone()), None)).collect();
            // Nothing was written with it before: whether the store has it or not, it is as it was left.
            self.note(vec![Note::Server(self.id), Note::Next(after.beat)]).await?;
            if self.put(back_end, mine, &after, gone).await? {
                self.note(vec![Note::Beat(after.beat)]).await?;
                self.journal.as_ref().inspect(|journal| journal.take_over());
                self.started(after, boot, &fenced);
                return Ok(());
            }
            back_end.begin().await?;
        }
        Err(busy())
    }

    /// The servers whose journals this one has taken over.
    pub(super) fn taken(&self) -> BTreeSet<Token> {
        let taken = self.journal.iter().flat_map(|journal| &journal.taken);
        taken.map(|(id, _)| *id).collect()
    }

    /// Whether their records are as they left them.
    pub(super) fn took_whole(&self, servers: &[Server]) -> bool {
        let mut taken = self.journal.iter().flat_map(|journal| &journal.taken);
        taken.all(|(id, beat)| {
            let found = servers.iter().find(|server| server.id == *id);
            found.is_some_and(|found| found.is_as_left(*beat))
        })
    }

    pub(super) fn started(&mut self, me: Server, boot: HostTime, fenced: &Seen<Fenced>) {
        self.maybe = None;
        self.waiting.clear();
        (self.is_surveyed, self.is_confirmed, self.is_doubtful) = (false, false, false);
        (self.looked, self.wrote, self.steady) = (None, boot, boot);
        self.ages.clear();
        self.learn_fence(fenced);
        self.start = (me.beat, self.generation);
        self.me = Some(me);
    }

    /// Whether the store has this server's record as the journal has it, or as the write after that left it,
    /// which the journal need not know.
    ///
    /// # Errors
    /// `STORE_REFUSED` where the journal is older than the store, or another server uses a copy of it.
    pub(super) fn is_as_left(&self, found: Option<&Server>) -> Result<bool, Problem> {
        let left = self.bounds.beat;
        let Some(found) = found else { return Ok(left == Beat::default()) };
        // Of an earlier start than the last beat it says nothing: a copy may have it from then.
        let is_next = self.bounds.next > left && found.beat == self.bounds.next;
        if found.is_as_left(left) || is_next {
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

    /// PROTOCOL R23: raises every line to its bound, and begins anew: what waits and what is in hand is given up.
    pub(super) async fn fence<B: BackEnd>(
        &mut self,
        back_end: &mut B,
        now: StoreTime,
        boot: HostTime,
        repair: Option<&Repair>,
    ) -> Result<Repaired, Problem> {
        let is_dry_run = repair.is_some_and(|repair| repair.dry_run);
        if !is_dry_run {
            self.hands.clear();
        }
        let with_gap = repair.is_some_and(|repair| repair.with_gap);
        let above = repair.map_or(0, |repair| repair.above);
        let (mut tries, mut raised) = (0, Vec::new());
        let (mut bounds, mut gap) = (self.bounds.clone(), with_gap);
        while tries < TRIES {
            back_end.begin().await?;
            let (servers, fenced) = Self::register(back_end).await?;
            let moves = Moves::plan(back_end, &bounds, (gap, with_gap), above, Some(now)).await?;
            // A gap is added once: what is planned is the bound from now on.
            gap = false;
            for write in &moves.writes {
                if let Write::Tag { tag, after, .. } = write {
                    bounds.note(Note::Line(Line::tag(*tag, after.max_id)));
                }
            }
            let mine = servers.iter().find(|server| server.id == self.id).cloned();
            let beat = self.me.as_ref().map_or(self.life, |me| me.beat).max(self.life).next();
            let mut me = self.next(beat);
            let generation = fenced.row.generation + 1;
            (me.record.waits, me.record.all) = (Some(beat), true);
            me.record.generation = generation;
            let is_undone = mine.as_ref().is_some_and(|mine| mine.beat.next() == self.bounds.beat);
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
                } else if server.id != self.id && !server.record.guest {
                    awaited.push(server.clone());
                }
            }
            for id in &self.bounds.members {
                let found = servers.iter().find(|server| server.id == *id).cloned();
                // One write alone is undone, perhaps by a crash: whom the register dropped stays so.
                let is_there = found.as_ref().is_some_and(|found| found.is_member() || is_undone);
                if !is_there && !taken.contains(id) && !with_gap && *id != self.id {
                    awaited.push(empty(*id));
                    last.push(change(found, Some(empty(*id))));
                }
            }
            let after = Fenced { generation, at: now, floor: fenced.row.floor.max(moves.floor) };
            let Moves { writes, floor } = moves;
            if is_dry_run {
                return Ok(Repaired { generation, raised: writes, removed, awaited, floor });
            }
            self.note(vec![Note::Server(self.id), Note::Next(me.beat)]).await?;
            let (done, is_whole) = write(back_end, &writes, last, fenced, after).await?;
            raised.extend(writes.into_iter().take(done));
            if !is_whole {
                tries += u32::from(done == 0);
                continue;
            }
            self.note(vec![Note::Beat(me.beat)]).await?;
            self.journal.as_ref().inspect(|journal| journal.take_over());
            let repaired = Repaired { generation, raised, removed, awaited, floor };
            let (tags, workers) = (repaired.tags(), repaired.raised.len() - repaired.tags());
            let floor_said = (floor.get() > 0).then(|| utc::text(floor));
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
            return Ok(repaired);
        }
        Err(busy())
    }

    pub(super) async fn repair<B: BackEnd>(
        &mut self,
        back_end: &mut B,
        now: StoreTime,
        boot: HostTime,
        (repair, reply): (Repair, Reply<Repaired>),
    ) -> Result<(), Problem> {
        self.bounds.merge(&repair.bounds);
        self.bounds.members.retain(|id| !repair.taken.contains(id));
        let done = self.fence(back_end, now, boot, Some(&repair)).await;
        // The caller may be gone.
        let _ = reply.send(done.clone());
        done.map(drop)
    }
}

/// The row of a server that a journal knows and the register lacks.
fn empty(id: Token) -> Server {
    let record = Record { name: "?".to_owned(), ..Record::default() };
    Server { id, beat: Beat::default(), record, revision: 0 }
}

/// Writes rows of a fence: the last of them together with the fence's row, or, if there are more, as many as fit.
/// Gives how many rows it wrote, and whether they are all: none, if one has changed since it was read.
async fn write<B: BackEnd>(
    back_end: &mut B,
    writes: &[Write],
    last: Vec<Write>,
    before: Seen<Fenced>,
    after: Fenced,
) -> Result<(usize, bool), Problem> {
    let whole = back_end.facts().abilities.whole.max(1);
    if let (Some(part), true) = (writes.get(..whole), writes.len() + last.len() > whole) {
        // A connection may break between two parts, and the next one find an older state: all is read again.
        let is_written = is_done(back_end.write(&[part.to_vec()]).await?)?;
        return Ok((if is_written { whole } else { 0 }, false));
    }
    let fence = Write::Fence { before: Box::new(before), after: Box::new(after) };
    let group = [vec![fence], writes.to_vec(), last].concat();
    let is_written = is_done(back_end.write(&[group]).await?)?;
    Ok((if is_written { writes.len() } else { 0 }, is_written))
}
