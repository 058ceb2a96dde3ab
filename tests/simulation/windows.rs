//! Windows on worker numbers: decides from rows, writes if they are unchanged, and checks both.

use leafid_core::bugs::{self, Bug};
use leafid_core::registry::{self, Acquired, Candidates, Namespace, Worker, WorkerRow};
use leafid_core::{
    AcquireAsk, Code, Failure, Grant, Name, Refusal, Release, RenewAsk, StoreTime, Token,
    WindowGrant,
};

use crate::database::{Answered, Database, Decided, Space, failure, number};
use crate::ledger::LineName;
use crate::rng::Rng;
use crate::verdict::{Verdict, fail};

/// A decision on workers' rows, not written yet.
#[derive(Clone, Debug)]
pub struct Decision {
    space: usize,
    worker: u32,
    row: WorkerRow,
    /// Another row of the owner, written together with this one.
    freed: Option<Worker>,
    /// The store's count of writes when the rows were read.
    read_at: u64,
    what: What,
}

#[derive(Clone, Copy, Debug)]
enum What {
    /// A new window: its owner, whether by the rules the owner keeps the number, and whether this write
    /// can settle all numbers that the owner kept.
    Acquired(WindowGrant, Name, bool, bool),
    Renewed(WindowGrant, Token),
    Release(Release),
    /// The holder has more than the row remembers.
    Lost(Failure),
}

/// The write that was made.
#[derive(Clone, Copy, Debug)]
pub enum Written {
    Window(WindowGrant),
    Release,
    Refused(Failure),
}

impl Database {
    pub fn acquire(&mut self, ask: &AcquireAsk, now: StoreTime) -> Verdict<Answered> {
        let index = number(&ask.namespace);
        let Some(space) = self.spaces.get(index) else {
            return Ok(Err(Code::NamespaceUnknown.into()));
        };
        let mine = space.workers().find(|(_, row)| row.key == Some(ask.request));
        let mut own = space.workers().filter(|(_, row)| row.sticky && row.owner == ask.owner);
        let own = [own.next(), own.next()];
        let candidates = Candidates { mine, own, rested: rested(space, ask, now) };
        let namespace = &space.namespace;
        let decided = registry::acquire(self.id, namespace, &candidates, ask, now);
        if mine.is_none() {
            let given = decided.as_ref().map(|acquired| acquired.worker.0);
            let exhausted = given.is_err_and(|refusal| refusal.code == Code::WorkersExhausted);
            if given.is_ok() || exhausted {
                let (given, workers) = (given.ok(), space.namespace.workers);
                space.keeping.check(ask, given, workers, now, is_over(space, now))?;
            }
        }
        let Acquired { worker: (worker, row), freed, grant } = match decided {
            Ok(decided) => decided,
            Err(refusal) => {
                check_until(self.id, namespace, &candidates, ask, refusal)?;
                return Ok(Err(failure(refusal, now)));
            }
        };
        if mine.is_some() {
            self.ledger.grant(LineName::Worker(index, worker), grant.ticks, ask.request)?;
            return Ok(Ok(Decided::Answer(Grant::Window(grant))));
        }
        check_inside(namespace, worker, ask)?;
        let is_over = is_over(space, now);
        let may_keep = space.keeping.may_keep(&ask.owner, worker, namespace.workers, is_over);
        if row.sticky && !may_keep {
            fail!(Leak, "{} keeps a number, and now {worker} as well", ask.owner);
        }
        // A third number, or one outside the range, is left to a later acquire.
        let is_own = |(_, row): &Worker| row.sticky && row.owner == ask.owner;
        let had = space.workers().filter(is_own).count();
        let all = had <= 2 && space.inside().filter(is_own).count() == had;
        let what = What::Acquired(grant, ask.owner, ask.sticky && may_keep, all);
        Ok(Ok(self.to_write(index, worker, row, freed, what)))
    }

    pub fn renew(&mut self, ask: &RenewAsk, now: StoreTime) -> Verdict<Answered> {
        let index = number(&ask.namespace);
        let Some(space) = self.spaces.get(index) else {
            return Ok(Err(Code::NamespaceUnknown.into()));
        };
        let Some((row, _)) = space.row(ask.worker) else {
            return Ok(Err(Code::WorkerInvalid.into()));
        };
        match registry::renew(self.id, &space.namespace, row, ask, now) {
            Ok((row, Err(refusal))) => {
                let what = What::Lost(failure(refusal, now));
                Ok(Ok(self.to_write(index, ask.worker, row, None, what)))
            }
            Ok((row, Ok(grant))) => {
                check_inside(&space.namespace, ask.worker, ask)?;
                let what = What::Renewed(grant, ask.key);
                Ok(Ok(self.to_write(index, ask.worker, row, None, what)))
            }
            Err(refusal) => Ok(Err(failure(refusal, now))),
        }
    }

    pub fn release(&self, release: &Release) -> Result<Decided, Failure> {
        let index = number(&release.namespace);
        let space = self.spaces.get(index).ok_or(Code::NamespaceUnknown)?;
        let (row, _) = space.row(release.worker).ok_or(Code::WorkerInvalid)?;
        let row = registry::release(self.id, row, release).map_err(|refusal| refusal.code)?;
        Ok(self.to_write(index, release.worker, row, None, What::Release(*release)))
    }

    fn to_write(
        &self,
        space: usize,
        worker: u32,
        row: WorkerRow,
        freed: Option<Worker>,
        what: What,
    ) -> Decided {
        let read_at = self.writes;
        Decided::Write(Box::new(Decision { space, worker, row, freed, read_at, what }))
    }

    /// Writes a decision if its rows are unchanged; else gives `None`.
    pub fn write(&mut self, decision: &Decision) -> Verdict<Option<Written>> {
        let Decision { space: index, worker, row, freed, read_at, what } = decision;
        let blind = bugs::on(Bug::BlindWrite);
        let Some(space) = self.spaces.get_mut(*index) else { return Ok(None) };
        let is_old = |number: u32| space.row(number).is_some_and(|(_, at)| at <= read_at);
        let old = is_old(*worker) && freed.is_none_or(|(number, _)| is_old(number));
        if !blind && (!old || space.version > *read_at) {
            return Ok(None);
        }
        self.writes += 1;
        let Some(place) = space.row_mut(*worker) else { return Ok(None) };
        *place = (*row, self.writes);
        if let Some((number, row)) = freed
            && let Some(place) = space.row_mut(*number)
        {
            *place = (*row, self.writes);
            space.keeping.freed(*number);
        }
        let line = LineName::Worker(*index, *worker);
        self.anchor = self.anchor.max(row.granted);
        match what {
            What::Acquired(grant, owner, keeps, all) => {
                space.keeping.granted(*worker, owner, *keeps, row.granted);
                if *all && !blind {
                    check_one_kept(space, owner, *read_at, self.writes)?;
                }
                self.ledger.grant(line, grant.ticks, grant.request)?;
                Ok(Some(Written::Window(*grant)))
            }
            What::Renewed(grant, key) => {
                space.keeping.renewed(*worker, row.granted);
                self.ledger.grant(line, grant.ticks, *key)?;
                Ok(Some(Written::Window(*grant)))
            }
            What::Lost(failure) => Ok(Some(Written::Refused(*failure))),
            What::Release(release) => {
                self.ledger.give_back(line, release.unused_from, release.key);
                Ok(Some(Written::Release))
            }
        }
    }
}

/// A free number, or the one that will be free first. Half of the time it is a random free one, so
/// that two servers seldom pick the same.
fn rested(space: &Space, ask: &AcquireAsk, now: StoreTime) -> Option<Worker> {
    let Namespace { layout, floor, .. } = space.namespace;
    let tick = layout.tick(now).unwrap_or(0);
    let is_free = |(_, row): &Worker| row.is_free(floor, &ask.owner, now, tick);
    let drawn = Rng::new(now.get() as u64 ^ u64::from(ask.request.bytes()[7])).word() as usize;
    let free = space.inside().filter(is_free).count();
    match drawn.checked_rem(free).filter(|_| drawn & 1 << 40 != 0) {
        Some(nth) => space.inside().filter(is_free).nth(nth),
        None => space
            .inside()
            .min_by_key(|(_, row)| (row.is_kept_from(&ask.owner, now), row.reserved_until)),
    }
}

/// Whether a number's last window, and the floor, are over.
fn is_over(space: &Space, now: StoreTime) -> impl Fn(u32) -> bool {
    let Namespace { layout, floor, .. } = space.namespace;
    move |number| {
        let row = space.row(number).map(|(row, _)| row.rests_until(floor));
        layout.tick(now).is_ok_and(|tick| row.is_some_and(|rests_until| rests_until <= tick))
    }
}

/// Checks that only numbers of the range are granted, for the first time or again.
fn check_inside(namespace: &Namespace, worker: u32, ask: &impl std::fmt::Debug) -> Verdict {
    let workers = namespace.workers;
    if workers.contains(u64::from(worker)) {
        return Ok(());
    }
    fail!(OutsideWorkers, "{worker} outside {}..{} for {ask:?}", workers.start, workers.end)
}

/// Checks that a refusal with an end no longer holds then, if no other holder comes.
fn check_until(
    store: Token,
    namespace: &Namespace,
    candidates: &Candidates,
    ask: &AcquireAsk,
    refusal: Refusal<StoreTime>,
) -> Verdict {
    let fits = |until: &StoreTime| namespace.layout.tick(*until).is_ok();
    let Some(until) = refusal.until.filter(fits) else { return Ok(()) };
    match registry::acquire(store, namespace, candidates, ask, until) {
        Ok(_) => Ok(()),
        Err(again) => fail!(Promise, "{refusal:?} to {ask:?}, and at that time {again:?}"),
    }
}

/// Checks that the owner keeps at most one of the rows that this decision could read. Servers that decide
/// at the same time cannot know of each other.
fn check_one_kept(space: &Space, owner: &Name, read_at: u64, write: u64) -> Verdict {
    let theirs = |row: &WorkerRow| row.sticky && row.owner == *owner;
    let numbered = (space.territory.start..).zip(&space.rows);
    let known = numbered.filter(|(_, (_, at))| *at <= read_at || *at == write);
    let kept: Vec<_> = known.filter(|(_, (row, _))| theirs(row)).collect();
    let used = kept.iter().any(|(_, (_, at))| *at == write);
    if used && kept.len() > 1 {
        let numbers: Vec<_> = kept.iter().map(|(number, _)| number).collect();
        fail!(TwoKept, "{owner} keeps {numbers:?}");
    }
    Ok(())
}
