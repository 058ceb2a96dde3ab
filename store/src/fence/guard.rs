//! The guard between requests and a back end: compares the store with the witness, fences the store if
//! something is missing, and notes what is written.

use std::sync::Arc;

use leafid_core::registry::{Finding, Mark, Sight, fences_itself};
use leafid_core::{Code, HostTime, StoreTime};
use tokio::sync::oneshot;

use super::moving::{self, Stop};
use super::witness::{Below, Note, Noted, Witness, is_evidence, longest_ms, notes};
use super::{Desk, Journal, Orders, Repaired};
use crate::backends::{Answer, BackEnd, Group, Outcome, Standing, Want};
use crate::problem::Problem;
use crate::utc;

/// How often the store's standing is read while it is written, in ms.
const STANDING_MS: i64 = 1_000;
/// The shortest pause between two comparisons of a store that grants nothing, or after evidence from
/// holders, in ms.
const AGAIN_MS: i64 = 1_000;
/// The longest pause between two comparisons after evidence, in ms.
const LONG_MS: i64 = 60_000;
/// How long nothing is granted after a fence, in ms: a second fail-over could undo it.
const QUIET_MS: i64 = 5_000;
const AT_ONCE: usize = 200;
/// How often the store is compared again because another server fenced it before this one could.
const LOOKS: u32 = 4;

#[derive(Default)]
pub struct Guard {
    desk: Arc<Desk>,
    /// The writes of this server and, from the journals, those before it.
    witness: Witness,
    journal: Option<Arc<Journal>>,
    compared: Option<u64>,
    /// Whether a row was read that is below what was written.
    doubt: bool,
    /// Whether a holder has shown that something is missing, and when that last led to a comparison.
    evidence: bool,
    shown: Option<HostTime>,
    /// How long such evidence leads to no other comparison, in ms.
    pause_ms: i64,
    refused: Option<(Problem, HostTime)>,
    quiet_until: StoreTime,
    /// Whether something was written since the store's standing was read, and when it was read.
    wrote: bool,
    asked: Option<HostTime>,
    longest_ms: u32,
    keeps_tags: bool,
}

impl Guard {
    pub fn new(desk: Arc<Desk>) -> Guard {
        Guard { desk, keeps_tags: true, ..Guard::default() }
    }

    /// Compares the store if that is due, in a turn that has begun, and tells whether it did: then rows that
    /// were read before may have changed, and the turn has to begin again.
    ///
    /// # Errors
    /// `STORE_REFUSED` if the store went back and only an operator may fence it, `STORE_UNAVAILABLE` if it
    /// cannot be compared, and in the first seconds after a fence.
    pub async fn begin<B: BackEnd>(
        &mut self,
        back_end: &mut B,
        now: StoreTime,
        boot: HostTime,
    ) -> Result<bool, Problem> {
        let mut repair = None;
        let mut look = self.compared != Some(back_end.connection()) || self.doubt;
        // A comparison reads every known row, so false claims must not cause many.
        let since = self.shown.map(|at| boot.since(at));
        if self.evidence && since.is_none_or(|since| since >= self.pause_ms.max(AGAIN_MS)) {
            (look, self.evidence, self.shown) = (true, false, Some(boot));
            let often = since.is_some_and(|since| since < LONG_MS);
            let longer = self.pause_ms.max(AGAIN_MS) * 4;
            self.pause_ms = if often { longer.min(LONG_MS) } else { AGAIN_MS };
        }
        if let Some(orders) = self.desk.take() {
            look = true;
            repair = self.follow(orders);
        }
        if !back_end.facts().abilities.notices {
            return Ok(false);
        }
        match &self.refused {
            Some((_, at)) if boot.since(*at) >= AGAIN_MS => look = true,
            Some((problem, _)) if !look => return Err(problem.clone()),
            _ => {}
        }
        if !look {
            return self.quiet(now).map(|()| false);
        }
        self.keeps_tags = back_end.facts().abilities.keeps_tags;
        let connection = back_end.connection();
        let compared = self.compare(back_end, now, &mut repair).await;
        match compared {
            Ok(()) => {
                (self.compared, self.doubt, self.refused) = (Some(connection), false, None);
                self.quiet(now).map(|()| true)
            }
            Err(problem) => {
                if problem.code == Code::StoreRefused {
                    let known = self.refused.replace((problem.clone(), boot));
                    if known.is_none_or(|(known, _)| known != problem) {
                        tracing::error!(code = %problem.code, "{}", problem.detail);
                    }
                }
                if let Some(asked) = repair {
                    // The caller may be gone.
                    let _ = asked.send(Err(problem.clone()));
                }
                Err(problem)
            }
        }
    }

    /// Checks rows that were read; true if one is below what was written, so that nothing may be decided on
    /// it.
    pub fn doubts(&mut self, wants: &[Want], answers: &[Answer]) -> bool {
        let mut below = wants.iter().zip(answers).filter_map(|(w, a)| self.witness.below(w, a));
        let Some(below) = below.find(|below| self.keeps_tags || !below.is_missing_tag) else {
            return false;
        };
        tracing::error!(code = %Code::StoreWentBack, "{}", below.said);
        self.doubt = true;
        true
    }

    pub fn wrote(&mut self, groups: &[Group], outcomes: &[Outcome]) {
        let written = groups.iter().zip(outcomes);
        let all: Vec<Note> = written.flat_map(|(group, outcome)| notes(group, outcome)).collect();
        if all.is_empty() {
            return;
        }
        self.wrote = true;
        let done = groups.iter().zip(outcomes).filter(|(_, is)| matches!(is, Outcome::Done(_)));
        self.evidence |= done.flat_map(|(group, _)| group).any(is_evidence);
        let longest = groups.iter().map(longest_ms).max().unwrap_or(0);
        self.longest_ms = self.longest_ms.max(longest);
        if let Some(journal) = &self.journal {
            journal.note(all.iter().cloned());
        }
        all.into_iter().for_each(|note| self.witness.note(note));
    }

    pub async fn note<B: BackEnd>(&mut self, back_end: &mut B, now: StoreTime, boot: HostTime) {
        let due = self.asked.is_none_or(|asked| boot.since(asked) >= STANDING_MS);
        if self.journal.is_none() || !self.wrote || !due || self.refused.is_some() {
            return;
        }
        (self.wrote, self.asked) = (false, Some(boot));
        // If the read fails, the next turn notices.
        if let Ok(standing) = back_end.standing().await {
            self.learn(&standing, now);
            self.witness.prune();
        }
    }

    fn follow(&mut self, orders: Orders) -> Option<oneshot::Sender<Result<Repaired, Problem>>> {
        let Orders { journal, heard, repair } = orders;
        let found = journal.as_ref().map(|journal| journal.found.clone());
        for found in [found, heard].into_iter().flatten() {
            // The writes of this server since it started count, too.
            let mut all = found;
            let lines = self.witness.notes().filter(|note| !matches!(note, Note::Store(_)));
            lines.collect::<Vec<_>>().into_iter().for_each(|note| all.note(note));
            self.witness = all;
            self.compared = None;
        }
        if let Some(journal) = journal {
            journal.note(self.witness.notes());
            self.journal = Some(journal);
        }
        repair
    }

    fn quiet(&self, now: StoreTime) -> Result<(), Problem> {
        if let Some(journal) = &self.journal {
            journal.stands()?;
        }
        let left = self.quiet_until.since(now);
        if left <= 0 || left > QUIET_MS {
            return Ok(());
        }
        let mut problem = Problem::unavailable(format!(
            "the store was fenced a moment ago: in case its database fails over once more, nothing \
             is granted for another {left} ms"
        ));
        problem.retry_after_ms = u32::try_from(left).ok();
        Err(problem)
    }

    async fn compare<B: BackEnd>(
        &mut self,
        back_end: &mut B,
        now: StoreTime,
        repair: &mut Option<oneshot::Sender<Result<Repaired, Problem>>>,
    ) -> Result<(), Problem> {
        for _ in 0..LOOKS {
            let found = back_end.standing().await?;
            let below = self.below(back_end).await?;
            let finding = self.finding(&found, below.first());
            if finding == Finding::Whole && repair.is_none() {
                self.learn(&found, now);
                return Ok(());
            }
            if finding == Finding::Fenced && repair.is_none() {
                match moving::raise(back_end, &self.witness).await {
                    Ok(moved) => {
                        let generation = found.fenced.row.generation;
                        tracing::warn!(generation, moved, "the store was fenced by another server");
                    }
                    Err(Stop::Fault(problem)) => return Err(problem),
                    Err(Stop::Raced) => continue,
                }
                return self.behind(back_end, now).await;
            }
            let why = self.why(&found, &below);
            // An older copy of a store may lack its last fence, so the noted time counts, too.
            let noted = self.witness.store.as_ref().map(|noted| noted.fenced);
            let last = noted.max(Some(found.fenced.row.at)).unwrap_or(found.fenced.row.at);
            if repair.is_none() && !fences_itself(last, now) {
                return Err(self.refusal(&why, last));
            }
            match moving::fence(back_end, &self.witness, &found, now).await {
                Ok(done) => {
                    let Repaired { generation, tags, namespaces, floor } = done;
                    let floor = utc::text(floor);
                    match finding {
                        Finding::WentBack if repair.is_none() => tracing::error!(
                            code = %Code::StoreWentBack, generation, tags, namespaces, floor,
                            "the store lost grants, and was fenced: every tag was moved past what \
                             may have been granted, and no window begins before the floor: {why}"
                        ),
                        _ => tracing::warn!(
                            generation,
                            tags,
                            namespaces,
                            floor,
                            "the store was fenced, as an operator said"
                        ),
                    }
                    if let Some(asked) = repair.take() {
                        let _ = asked.send(Ok(done));
                    }
                    return self.behind(back_end, now).await;
                }
                Err(Stop::Raced) => {}
                Err(Stop::Fault(problem)) => return Err(problem),
            }
        }
        Err(Problem::unavailable("other servers fence the store over and over; ask again"))
    }

    async fn behind<B: BackEnd>(
        &mut self,
        back_end: &mut B,
        now: StoreTime,
    ) -> Result<(), Problem> {
        back_end.begin().await?;
        let found = back_end.standing().await?;
        self.witness.note(Note::Afresh);
        if let Some(journal) = &self.journal {
            journal.note([Note::Afresh]);
        }
        if back_end.facts().abilities.is_remote {
            self.quiet_until = found.fenced.row.at.plus(QUIET_MS);
        }
        self.learn(&found, now);
        Ok(())
    }

    fn learn(&mut self, found: &Standing, now: StoreTime) {
        let mark = Mark { generation: found.fenced.row.generation, position: found.position };
        let known = self.witness.store.as_ref();
        let latest = known.map_or(now, |noted| noted.latest.max(now));
        let longest_ms = known.map_or(0, |noted| noted.longest_ms).max(self.longest_ms);
        let fenced =
            known.map_or(found.fenced.row.at, |noted| noted.fenced.max(found.fenced.row.at));
        let noted = Noted { mark, fenced, latest, longest_ms, database: found.database.clone() };
        self.desk.tell(mark, found.fenced.row.floor);
        if self.witness.store.as_ref() != Some(&noted) {
            if let Some(journal) = &self.journal {
                journal.note([Note::Store(noted.clone())]);
            }
            self.witness.note(Note::Store(noted));
        }
    }

    async fn below<B: BackEnd>(&self, back_end: &mut B) -> Result<Vec<Below>, Problem> {
        let tags = self.witness.tags.keys().map(|tag| Want::Tag(*tag));
        let workers = self.witness.workers.keys().map(|(name, n)| Want::Worker(*name, *n));
        let wants: Vec<Want> = tags.chain(workers).collect();
        let mut below = Vec::new();
        for some in wants.chunks(AT_ONCE) {
            let read = back_end.read(some).await?;
            let found = some.iter().zip(&read);
            let found = found.filter_map(|(want, answer)| self.witness.below(want, answer));
            below.extend(found.filter(|below| self.keeps_tags || !below.is_missing_tag));
        }
        Ok(below)
    }

    fn finding(&self, found: &Standing, below: Option<&Below>) -> Finding {
        let seen = Mark { generation: found.fenced.row.generation, position: found.position };
        let Some(noted) = &self.witness.store else {
            // No standing is noted, so only the rows that this server wrote can tell.
            return if below.is_some() { Finding::WentBack } else { Finding::Whole };
        };
        let sight = Sight {
            noted: noted.mark,
            found: seen,
            same_database: noted.database == found.database,
            fenced_here: found.fenced.row.database == found.database,
            line_below: below.is_some(),
        };
        sight.finding()
    }

    fn refusal(&self, why: &str, last: StoreTime) -> Problem {
        let folder = self.journal.as_ref().and_then(|journal| journal.path.parent());
        let known = folder.map_or_else(
            || "--without-journal".to_owned(),
            |folder| format!("--journal {}", folder.display()),
        );
        let detail = format!(
            "the store lost grants again within an hour of its last fence ({}): {why}; nothing is \
             granted: find out what puts it back (a restore, a fail-over, two databases behind one \
             name), stop that, then: leafid repair {known}",
            utc::text(last)
        );
        Problem::new(Code::StoreRefused, detail)
    }

    fn why(&self, found: &Standing, below: &[Below]) -> String {
        let mut why = Vec::new();
        if let Some(Noted { mark, database, .. }) = &self.witness.store {
            let generation = found.fenced.row.generation;
            if generation != mark.generation {
                why.push(format!(
                    "it knows of {generation} fences, and its journal of {}",
                    mark.generation
                ));
            }
            if *database != found.database {
                let now = &found.database;
                why.push(format!("its database is `{now}`, and was `{database}`"));
            }
            if found.position < mark.position && found.position > 0 {
                let (now, was) = (found.position, mark.position);
                why.push(format!("its position is {now}, and was {was}"));
            }
        }
        why.extend(below.first().map(|below| below.said.clone()));
        if below.len() > 1 {
            why.push(format!("and {} other lines", below.len() - 1));
        }
        why.join("; ")
    }
}
