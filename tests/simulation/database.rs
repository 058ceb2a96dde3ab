//! The store behind its servers: rows, decided on by the core's registry, and written only if
//! unchanged since they were read. The oracles are told of every write.

use leafid_core::registry::{self, Namespace, TagRow, Worker, WorkerRow};
use leafid_core::{
    Ask, Code, Failure, Grant, LINE_END, Name, Range, Refusal, SegmentAsk, StoreTime, Token,
};

use crate::keeping::Keeping;
use crate::ledger::{Ledger, LineName};
use crate::verdict::{Verdict, fail};
use crate::windows::Decision;

#[derive(Clone, Debug)]
pub struct Space {
    pub namespace: Namespace,
    /// The store's write that last changed the row.
    pub version: u64,
    /// The numbers that have rows, whether they may be granted or not.
    pub territory: Range,
    /// The workers' rows, each with the store's write that last changed it.
    pub rows: Vec<(WorkerRow, u64)>,
    pub keeping: Keeping,
    pub longest_ms: u32,
}

#[derive(Clone, Debug)]
pub struct Tag {
    pub row: TagRow,
    /// The upper end that an operator set: grants stay below.
    pub end: u64,
    /// Whether the store grants less of the tag than it is asked for, as it may.
    pub stingy: bool,
    /// The highest end that was ever granted, also what the store has forgotten.
    pub highest: u64,
    /// Numbers below this are in use, by a holder's proof or an operator's word.
    pub in_use: u64,
}

#[derive(Clone, Debug)]
pub struct Database {
    pub id: Token,
    pub tags: Vec<Tag>,
    pub spaces: Vec<Space>,
    pub ledger: Ledger,
    /// The greatest `granted` of its rows.
    pub anchor: StoreTime,
    pub writes: u64,
    pub went_back: bool,
}

/// The outcome of an ask before its write.
#[expect(clippy::large_enum_variant, reason = "an answer leaves at once, a decision waits")]
pub enum Decided {
    /// An answer: nothing is to be written, or it was written already.
    Answer(Grant),
    Write(Box<Decision>),
}

pub type Answered = Result<Decided, Failure>;

/// The number in a name such as `t17`.
pub fn number(name: &Name) -> usize {
    name.as_str().get(1..).and_then(|digits| digits.parse().ok()).unwrap_or(usize::MAX)
}

pub fn failure(refusal: Refusal<StoreTime>, now: StoreTime) -> Failure {
    let wait = refusal.until.map(|until| until.since(now).clamp(0, i64::from(u32::MAX)) as u32);
    Failure { code: refusal.code, retry_after_ms: wait }
}

impl Tag {
    pub fn new(row: TagRow, stingy: bool) -> Tag {
        let end = row.until.unwrap_or(LINE_END);
        Tag { row, end, stingy, highest: 0, in_use: 0 }
    }
}

impl Space {
    pub fn new(namespace: Namespace, territory: Range) -> Space {
        let rows = vec![Default::default(); territory.len() as usize];
        let longest_ms = namespace.max_window_ms;
        Space { namespace, version: 0, territory, rows, keeping: Keeping::default(), longest_ms }
    }

    pub fn row(&self, worker: u32) -> Option<&(WorkerRow, u64)> {
        let first = self.territory.start as u32;
        self.rows.get(worker.checked_sub(first)? as usize)
    }

    pub fn row_mut(&mut self, worker: u32) -> Option<&mut (WorkerRow, u64)> {
        let first = self.territory.start as u32;
        self.rows.get_mut(worker.checked_sub(first)? as usize)
    }

    pub fn workers(&self) -> impl Iterator<Item = Worker> + '_ {
        (self.territory.start as u32..).zip(self.rows.iter().map(|(row, _)| *row))
    }

    pub fn inside(&self) -> impl Iterator<Item = Worker> + '_ {
        self.workers().filter(|(number, _)| self.namespace.workers.contains(u64::from(*number)))
    }

    /// Takes a number from its holder.
    pub fn revoke(&mut self, worker: u32, write: u64) {
        if let Some(place) = self.row_mut(worker) {
            *place = (place.0.revoked(), write);
            self.keeping.freed(worker);
        }
    }

    /// Whether this owner could get a number now; a strict owner only its own.
    pub fn has_free(&self, owner: &Name, strict: bool, now: StoreTime) -> bool {
        let Ok(tick) = self.namespace.layout.tick(now) else { return false };
        let free = |row: &WorkerRow| row.is_free(self.namespace.floor, owner, now, tick);
        let is_own = |row: &WorkerRow| row.sticky && row.owner == *owner;
        let mut own = self.inside().filter(|(_, row)| strict && is_own(row)).peekable();
        match own.peek() {
            Some(_) => own.any(|(_, row)| free(&row)),
            None => self.inside().any(|(_, row)| free(&row)),
        }
    }
}

impl Database {
    /// Decides an ask at the store's time `now`. Numbers are leased in one statement.
    pub fn ask(&mut self, ask: &Ask, now: StoreTime) -> Verdict<Answered> {
        match ask {
            Ask::Segment(ask) => self.lease_segment(ask, now),
            Ask::Acquire(ask) => self.acquire(ask, now),
            Ask::Renew(ask) => self.renew(ask, now),
        }
    }

    fn lease_segment(&mut self, ask: &SegmentAsk, now: StoreTime) -> Verdict<Answered> {
        let number = number(&ask.tag);
        let Some(tag) = self.tags.get_mut(number) else {
            return Ok(Err(Code::TagUnknown.into()));
        };
        let Tag { row, end, in_use, highest, .. } = tag;
        let little = (row.step / 3).max(1);
        let less = tag.stingy && ask.request.bytes()[7] & 1 == 0 && row.max_step >= little;
        let asked = match less {
            true => SegmentAsk { step: Some(little), at_least: None, ..*ask },
            false => *ask,
        };
        let (after, grant) = match registry::lease_segment(self.id, row, &asked, now) {
            Ok((after, Ok(grant))) => (after, grant),
            Ok((after, Err(refusal))) => {
                *row = after;
                *in_use = asked.have_until.unwrap_or(0).max(*in_use);
                return Ok(Err(failure(refusal, now)));
            }
            Err(refusal) => return Ok(Err(failure(refusal, now))),
        };
        if grant.range.start < *in_use {
            fail!(Overlap, "below {in_use} numbers are in use: {grant:?}");
        }
        *highest = grant.range.end.max(*highest);
        if after.max_id != grant.range.end || grant.range.start < row.max_id {
            fail!(RowRule, "{row:?} became {after:?} for {grant:?}");
        }
        if grant.range.end > *end {
            fail!(BeyondEnd, "tag {number} ends at {end}: {grant:?}");
        }
        *row = after;
        self.ledger.grant(LineName::Tag(number), grant.range, ask.request)?;
        Ok(Ok(Decided::Answer(Grant::Segment(grant))))
    }

    /// Takes the rest of a segment back, which no store may do.
    pub fn take_back(&mut self, tag: usize, rest: Range, request: Token) {
        if let Some(Tag { row, .. }) = self.tags.get_mut(tag)
            && row.max_id == rest.end
        {
            row.max_id = rest.start;
            self.ledger.give_back(LineName::Tag(tag), rest.start, request);
        }
    }
}
