//! The store behind its servers: rows, decided by the core's registry, written only if nobody
//! else wrote them since they were read. What is written is told to the oracle.

use leafid_core::registry::{self, Acquired, Candidates, Namespace, TagRow, Worker, WorkerRow};
use leafid_core::{
    AcquireAsk, Ask, Code, Failure, Grant, Name, Range, Refusal, Release, RenewAsk, SegmentAsk,
    StoreTime, Token, WindowGrant,
};

use crate::ledger::{Ledger, LineName};
use crate::tally::Tally;
use crate::verdict::{Check, Verdict, wrong};

/// A namespace and its rows.
#[derive(Clone, Debug)]
pub struct Space {
    /// Its own row.
    pub namespace: Namespace,
    /// The workers' rows, and how often each was written.
    pub rows: Vec<(WorkerRow, u64)>,
}

/// A mistake of the store itself, which the core cannot have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StoreBug {
    /// Rows are written whatever they are by now.
    BlindWrite,
    /// The rest of a segment can be returned.
    SegmentReturn,
}

/// One store.
#[derive(Clone, Debug)]
pub struct Database {
    /// Its id.
    pub id: Token,
    /// The tags' rows; none before a tag is created.
    pub tags: Vec<TagRow>,
    /// The namespaces.
    pub spaces: Vec<Space>,
    /// The oracle.
    pub ledger: Ledger,
    /// The greatest `granted` in it.
    pub anchor: StoreTime,
    /// A mistake that it makes.
    pub bug: Option<StoreBug>,
    /// Whether its rows are looked at, or only what was granted.
    pub rules: bool,
}

/// A decision about a worker's row, not written yet.
#[derive(Clone, Debug)]
pub struct Decision {
    space: usize,
    worker: u32,
    version: u64,
    row: WorkerRow,
    what: What,
}

#[derive(Clone, Copy, Debug)]
enum What {
    Window(WindowGrant, Token),
    Release(Release),
}

/// What came of an ask before anything is written.
#[expect(clippy::large_enum_variant, reason = "an answer leaves at once, a decision waits")]
pub enum Decided {
    /// An answer: nothing is to be written, or it is.
    Answer(Grant),
    /// This is to be written.
    Write(Box<Decision>),
}

/// The number in a name such as `t17`.
fn number(name: &Name) -> usize {
    name.as_str().get(1..).and_then(|digits| digits.parse().ok()).unwrap_or(usize::MAX)
}

fn failure(refusal: Refusal<StoreTime>, now: StoreTime) -> Failure {
    let wait = refusal.until.map(|until| until.since(now).clamp(0, i64::from(u32::MAX)) as u32);
    Failure { code: refusal.code, retry_after_ms: wait }
}

impl Space {
    /// The row of a worker number and how often it was written.
    pub fn row(&self, worker: u32) -> Option<&(WorkerRow, u64)> {
        let first = self.namespace.workers.start as u32;
        self.rows.get(worker.checked_sub(first)? as usize)
    }

    /// All rows, by worker number.
    pub fn workers(&self) -> impl Iterator<Item = Worker> + '_ {
        (self.namespace.workers.start as u32..).zip(self.rows.iter().map(|(row, _)| *row))
    }

    /// Whether this owner could have a number now; of a sticky owner that is strict, its own.
    pub fn has_free(&self, owner: &Name, strict: bool, now: StoreTime) -> bool {
        let Ok(tick) = self.namespace.layout.tick(now) else { return false };
        let free = |row: &WorkerRow| row.is_free(self.namespace.floor, owner, now, tick);
        let is_own = |row: &WorkerRow| row.sticky && row.owner == *owner;
        let own = self.rows.iter().find(|(row, _)| is_own(row)).filter(|_| strict);
        match own {
            Some((row, _)) => free(row),
            None => self.rows.iter().any(|(row, _)| free(row)),
        }
    }
}

impl Database {
    /// Decides an ask at the store's time `now`. SegmentIds are leased in one statement.
    pub fn ask(&mut self, ask: &Ask, now: StoreTime, tally: &mut Tally) -> Verdict<Answered> {
        match ask {
            Ask::Segment(ask) => self.lease_segment(ask, now, tally),
            Ask::Acquire(ask) => self.acquire(ask, now, tally),
            Ask::Renew(ask) => self.renew(ask, now),
        }
    }

    fn lease_segment(
        &mut self,
        ask: &SegmentAsk,
        now: StoreTime,
        tally: &mut Tally,
    ) -> Verdict<Answered> {
        let tag = number(&ask.tag);
        let Some(row) = self.tags.get_mut(tag) else {
            return Ok(Err(Code::TagUnknown.into()));
        };
        let (after, grant) = match registry::lease_segment(self.id, row, ask, now) {
            Ok(leased) => leased,
            Err(refusal) => {
                tally.tags_spent += u64::from(refusal.code == Code::TagSpent);
                return Ok(Err(failure(refusal, now)));
            }
        };
        if after.max_id != grant.range.end || grant.range.start < row.max_id {
            return wrong(Check::RowRule, format!("{row:?} became {after:?} for {grant:?}"));
        }
        *row = after;
        self.ledger.grant(LineName::Tag(tag), grant.range, ask.request)?;
        Ok(Ok(Decided::Answer(Grant::Segment(grant))))
    }

    fn acquire(
        &mut self,
        ask: &AcquireAsk,
        now: StoreTime,
        tally: &mut Tally,
    ) -> Verdict<Answered> {
        let index = number(&ask.namespace);
        let Some(space) = self.spaces.get(index) else {
            return Ok(Err(Code::NamespaceUnknown.into()));
        };
        let mine = space.workers().find(|(_, row)| row.key == Some(ask.request));
        let own = space.workers().find(|(_, row)| row.sticky && row.owner == ask.owner);
        let rested = space
            .workers()
            .min_by_key(|(_, row)| (row.is_kept_from(&ask.owner, now), row.reserved_until));
        let namespace = &space.namespace;
        let candidates = Candidates { mine, own: [own, None], rested };
        let decided = registry::acquire(self.id, namespace, &candidates, ask, now);
        let Acquired { worker: (worker, row), grant, .. } = match decided {
            Ok(decided) => decided,
            Err(refusal) => {
                tally.exhausted += u64::from(refusal.code == Code::WorkersExhausted);
                return Ok(Err(failure(refusal, now)));
            }
        };
        if mine.is_some() {
            tally.repeated += 1;
            self.ledger.grant(LineName::Worker(index, worker), grant.ticks, ask.request)?;
            return Ok(Ok(Decided::Answer(Grant::Window(grant))));
        }
        if let Some((kept, _)) = own.filter(|(kept, _)| ask.sticky && *kept != worker) {
            tally.borrowed += 1;
            if row.sticky {
                let detail = format!("{} keeps {kept} and now {worker} as well", ask.owner);
                return wrong(Check::Leak, detail);
            }
        }
        Ok(Ok(self.to_write(index, worker, row, What::Window(grant, ask.request))))
    }

    fn renew(&mut self, ask: &RenewAsk, now: StoreTime) -> Verdict<Answered> {
        let index = number(&ask.namespace);
        let Some(space) = self.spaces.get(index) else {
            return Ok(Err(Code::NamespaceUnknown.into()));
        };
        let Some((row, _)) = space.row(ask.worker) else {
            return Ok(Err(Code::WorkerInvalid.into()));
        };
        match registry::renew(self.id, &space.namespace, row, ask, now) {
            Ok((row, grant)) => {
                Ok(Ok(self.to_write(index, ask.worker, row, What::Window(grant, ask.key))))
            }
            Err(refusal) => Ok(Err(failure(refusal, now))),
        }
    }

    /// Decides a release.
    pub fn release(&self, release: &Release) -> Result<Decided, Failure> {
        let index = number(&release.namespace);
        let space = self.spaces.get(index).ok_or(Code::NamespaceUnknown)?;
        let (row, _) = space.row(release.worker).ok_or(Code::WorkerInvalid)?;
        let row = registry::release(self.id, row, release).map_err(|refusal| refusal.code)?;
        Ok(self.to_write(index, release.worker, row, What::Release(*release)))
    }

    fn to_write(&self, space: usize, worker: u32, row: WorkerRow, what: What) -> Decided {
        let known = self.spaces.get(space).and_then(|space| space.row(worker));
        let version = known.map_or(0, |(_, version)| *version);
        Decided::Write(Box::new(Decision { space, worker, version, row, what }))
    }

    /// Writes a decision if the row is still what it was when it was decided; `None` if not.
    /// `furthest` is what the furthest of the store's clocks shows.
    pub fn write(&mut self, decision: &Decision, furthest: i64) -> Verdict<Option<Written>> {
        let Decision { space: index, worker, version, row, what } = decision;
        let Some(space) = self.spaces.get_mut(*index) else { return Ok(None) };
        let namespace = space.namespace;
        let first = namespace.workers.start as u32;
        let Some(place) = space.rows.get_mut((*worker - first) as usize) else {
            return Ok(None);
        };
        if place.1 != *version && self.bug != Some(StoreBug::BlindWrite) {
            return Ok(None);
        }
        if self.rules {
            check_row(&namespace, &place.0, row, what, furthest)?;
        }
        *place = (*row, place.1 + 1);
        let line = LineName::Worker(*index, *worker);
        self.anchor = self.anchor.max(row.granted);
        match what {
            What::Window(grant, key) => {
                self.ledger.grant(line, grant.ticks, *key)?;
                Ok(Some(Written::Window(*grant)))
            }
            What::Release(release) => {
                self.ledger.give_back(line, release.unused_from, release.key);
                Ok(Some(Written::Release))
            }
        }
    }

    /// An operator takes a row from its holder.
    pub fn revoke(&mut self, space: usize, row: usize) {
        let rows = self.spaces.get_mut(space).map(|space| &mut space.rows);
        if let Some(place) = rows.and_then(|rows| rows.get_mut(row)) {
            *place = (place.0.revoked(), place.1 + 1);
        }
    }

    /// Takes the rest of a segment back: what no store may do.
    pub fn take_back(&mut self, tag: usize, rest: Range, request: Token) {
        if let Some(row) = self.tags.get_mut(tag).filter(|row| row.max_id == rest.end) {
            row.max_id = rest.start;
            self.ledger.give_back(LineName::Tag(tag), rest.start, request);
        }
    }
}

/// A decision, or the refusal to answer with.
pub type Answered = Result<Decided, Failure>;

/// What was written.
#[derive(Clone, Copy, Debug)]
pub enum Written {
    /// A window, to be answered.
    Window(WindowGrant),
    /// A release.
    Release,
}

fn check_row(
    namespace: &Namespace,
    before: &WorkerRow,
    after: &WorkerRow,
    what: &What,
    furthest: i64,
) -> Verdict {
    let layout = &namespace.layout;
    let now = layout.tick(StoreTime::new(furthest)).unwrap_or(layout.end_tick());
    let most = now + layout.ticks(namespace.max_window_ms.max(1_000).into()).max(2) + 1;
    let fell = after.reserved_until < before.reserved_until;
    let too_far = after.reserved_until > most.max(before.reserved_until);
    if (fell && matches!(what, What::Window(..))) || too_far || after.held_from < before.held_from {
        let detail = format!("{before:?} became {after:?} at {furthest} ms by {what:?}");
        return wrong(Check::RowRule, detail);
    }
    Ok(())
}
