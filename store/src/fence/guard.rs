//! This server among the servers of a store: its record, what the others wrote and it has to note, and the
//! fence, where the store is not as this server left it.

mod look;
mod sign;
mod start;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use leafid_core::{Code, HostTime, StoreTime, Token};
use leafid_turn::register::{self, Beat, Change, Record, Server};

use super::bounds::Note;
use super::{Bounds, Desk, Journal, Orders, Repair, Repaired, Reply};
use crate::backends::{BackEnd, Outcome, ServerWrite, Write};
use crate::problem::Problem;
use crate::random;
use crate::registry::hands::Hands;

pub use sign::Announced;

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
    /// of a loss that this server does not. With the number of fences then.
    start: (Beat, u64),
    /// Whether all rows were read since, once the others had acked it: what they write after that they announce
    /// to this server. Then it writes `start` again, with the others to compare all rows before they ack it.
    is_surveyed: bool,
    /// Whether every other member has acked that: then none of them knows of a loss before it.
    is_confirmed: bool,
    /// Whether another server asks that all rows are read before the next ack.
    surveys: bool,
    others: Vec<Server>,
    /// What it wrote last, until all others have acked it.
    waiting: Vec<Change>,
    /// Guests whose changes begin below what is reserved: they have to decide again.
    low: BTreeSet<Token>,
    /// When each other one's beat was first seen.
    ages: BTreeMap<Token, (Beat, HostTime)>,
    generation: u64,
    looked: Option<HostTime>,
    /// When the last guest was seen.
    visited: Option<HostTime>,
    /// When it was last seen that there is no other member.
    alone: HostTime,
    /// When the record was written last, and since when it was in each period.
    wrote: HostTime,
    steady: HostTime,
    /// Whether the journal may lack the last write.
    is_behind: bool,
    /// Whether a row was found below its bound.
    is_doubtful: bool,
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
            start: (Beat::default(), 0),
            is_surveyed: false,
            surveys: false,
            is_behind: false,
            is_doubtful: false,
            is_confirmed: false,
            others: Vec::new(),
            waiting: Vec::new(),
            low: BTreeSet::new(),
            ages: BTreeMap::new(),
            generation: 0,
            looked: None,
            visited: None,
            alone: HostTime::new(0),
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
        self.follow(self.desk.take());
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
            self.note(vec![Note::Beat(me.beat)]).await?;
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
                || self.is_doubtful
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

    fn follow(&mut self, Orders { journal, name, repair, remove }: Orders) {
        self.repair = repair.or(self.repair.take());
        self.remove = remove.or(self.remove.take());
        if !name.is_empty() {
            self.name = name;
        }
        if let Some(journal) = journal {
            self.bounds.merge(&journal.found);
            let known = &journal.found;
            self.id = known.server.unwrap_or(self.id);
            self.bounds.server = known.server;
            (self.bounds.beat, self.bounds.next) = (known.beat, known.next);
            self.life = Beat { life: known.beat.life + 1, ..self.life };
            (self.me, self.maybe) = (None, None);
            self.journal = Some(journal);
        }
    }

    /// PROTOCOL R28: lets ranges in hand be used for as long as no other server may have dropped this one. A
    /// guest has none: nobody waits until it has heard of a change.
    fn trust(&self) {
        if self.journal.is_none() {
            return;
        }
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

    /// The servers that this one waits for. One that stopped knows nothing that those who were there do not.
    fn awaited(&self) -> impl Iterator<Item = &Server> {
        let knows = self.journal.is_none() || self.is_confirmed;
        self.members().filter(move |server| !(knows && server.record.stopped))
    }

    /// Whether there is no other server that has to ack.
    pub fn is_alone(&self) -> bool {
        self.awaited().next().is_none()
    }

    fn is_acked_by(&self, server: &Server, beat: Beat) -> bool {
        server.has_acked(self.id, beat, self.generation)
    }

    /// Whether every other server has acked a beat (PROTOCOL R21).
    pub fn is_acked(&self, beat: Beat) -> bool {
        self.awaited().all(|server| self.is_acked_by(server, beat))
    }

    /// Whether this server knows all that was reserved: before, it writes no row (PROTOCOL R26). One without a
    /// journal never does.
    pub fn may_write(&self) -> bool {
        self.journal.is_none() || self.is_confirmed
    }

    /// The beat that the others have to ack before this server writes a row.
    pub fn first_beat(&self) -> Beat {
        self.start.0
    }

    /// Changes with each fence, and when this server starts again: what was written before counts no more.
    pub fn epoch(&self) -> (u64, Beat) {
        (self.generation, self.start.0)
    }

    /// The refusal of what waits too long for the other servers.
    pub fn waited_too_long(&self, beat: Beat) -> Problem {
        let waits = self.awaited().filter(|server| !self.is_acked_by(server, beat));
        register::waited_too_long(waits, self.is_confirmed || self.journal.is_none())
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
        let mut record = Record { stopped: false, generation: self.generation, ..record };
        let is_fenced = self.me.as_ref().is_some_and(|me| me.record.generation != self.generation);
        if is_fenced || record.waits.is_none_or(|waits| self.is_acked(waits)) {
            (record.waits, record.lines, record.all) = (None, Vec::new(), false);
        }
        if self.me.is_none() {
            record.waits = Some(beat);
        }
        record.acks.retain(|id, _| self.others.iter().any(|server| server.id == *id));
        Server { id: self.id, beat, record, revision: 0 }
    }

    /// Notes something in the journal, if there is one.
    async fn note(&self, notes: Vec<Note>) -> Result<(), Problem> {
        match &self.journal {
            Some(journal) if !notes.is_empty() => journal.note(notes).await,
            _ => Ok(()),
        }
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

fn busy() -> Problem {
    Problem::unavailable(format!(
        "others wrote the rows that were to be moved, {TRIES} times in a row"
    ))
}

fn is_done(mut outcomes: Vec<Outcome>) -> Result<bool, Problem> {
    match outcomes.pop() {
        Some(Outcome::Done(_)) => Ok(true),
        Some(Outcome::Conflict) | None => Ok(false),
        Some(Outcome::Failed(problem) | Outcome::Locked(problem)) => Err(problem),
    }
}
