//! Reads what a decision needs: one round trip for the named keys and the touches since the last read, one
//! for the touched buckets, and one for the numbers that look free.

use leafid_core::registry::TagRow;
use leafid_core::{Code, Name};

use super::Keyed;
use super::engine::{Engine, Folder, Key, Marks, Stored};
use super::space::Known;
use super::text;
use crate::backends::{Answer, BackEnd, Fault, Seen, Want};
use crate::problem::Problem;
use crate::store::Page;

const FIRST: usize = 4;
const LEAST: usize = 16;
const MOST: usize = 512;
/// How many buckets are read at once: few, to keep each read short.
const TOGETHER: usize = 8;

impl<E: Engine> Keyed<E> {
    pub(super) async fn look(&mut self, wants: &[Want]) -> Result<Vec<Answer>, Fault> {
        let mut keys = Vec::new();
        let mut spaces: Vec<Name> = Vec::new();
        for want in wants {
            match *want {
                Want::Tag(tag) => keys.push(Key::Tag(tag)),
                Want::Worker(name, worker) => {
                    keys.extend([Key::Space(name), Key::Worker(name, worker)])
                }
                _ => spaces.extend(want.space()),
            }
        }
        for want in wants {
            if let Want::Leaving { namespace: name, .. } | Want::Workers(name, _) = *want {
                self.guard(name).await?;
            }
        }
        spaces.sort_unstable();
        spaces.dedup();
        let asked = keys.len();
        let stale = |known: &Known| known.turn != self.turn || !known.doubtful.is_empty();
        spaces.retain(|name| self.spaces.get(name).is_none_or(stale));
        let mut read = keys.clone();
        let mut marks = Vec::new();
        for name in &spaces {
            read.push(Key::Space(*name));
            let known = self.spaces.get(name);
            let workers = known.map(Known::guess).unwrap_or_default();
            read.extend(workers.into_iter().map(|worker| Key::Worker(*name, worker)));
            marks.push((*name, known.map(|known| known.marks.clone()).unwrap_or_default()));
        }
        let mut bad = Vec::new();
        let mut tags = Vec::new();
        if !read.is_empty() {
            let survey = self.link.ask(async |engine| engine.survey(&read, &marks).await);
            let (found, touched) = survey.await?;
            let known = read.iter().zip(&found).enumerate();
            for (at, (key, stored)) in known {
                match (key, stored) {
                    (Key::Tag(tag), stored) => match self.tag(*tag, stored.as_ref()) {
                        Ok(row) => tags.push((*tag, row)),
                        Err(problem) => bad.push((*key, problem)),
                    },
                    (Key::Space(name), stored) => {
                        if let Err(problem) = self.settle(*name, stored.as_ref()) {
                            bad.push((*key, problem));
                        }
                    }
                    (Key::Worker(name, worker), Some(stored)) => {
                        if let Err(problem) = self.learn(*name, *worker, stored)
                            && at < asked
                        {
                            bad.push((*key, problem));
                        }
                    }
                    _ => {}
                }
            }
            self.freshen(&spaces, touched).await?;
        }
        let mut answers = Vec::new();
        for want in wants {
            let key = match *want {
                Want::Tag(tag) => Some(Key::Tag(tag)),
                Want::Worker(name, worker) => Some(Key::Worker(name, worker)),
                _ => None,
            };
            let whole = want.space().map(Key::Space);
            let wrong = bad.iter().find(|(of, _)| Some(*of) == key || Some(*of) == whole);
            if let Some((_, problem)) = wrong {
                answers.push(Answer::Unreadable(problem.clone()));
                continue;
            }
            let tag = |tag: Name| tags.iter().find(|(of, _)| *of == tag).and_then(|(_, row)| *row);
            answers.push(match *want {
                Want::Tag(name) => Answer::Tag(tag(name)),
                _ => self.answer(want).await?,
            });
        }
        Ok(answers)
    }

    async fn freshen(&mut self, spaces: &[Name], touched: Vec<Marks>) -> Result<(), Fault> {
        let mut buckets = Vec::new();
        for (name, marks) in spaces.iter().zip(&touched) {
            let here = self.spaces.get(name);
            let news = |(of, mark): &(&u32, &u64)| {
                here.is_some_and(|known| known.marks.buckets.get(*of) != Some(*mark))
            };
            buckets.extend(marks.buckets.iter().filter(news).map(|(of, _)| (*name, *of)));
        }
        for some in buckets.chunks(TOGETHER) {
            let rows = self.link.ask(async |engine| engine.buckets(some).await).await?;
            for (name, worker, stored) in rows {
                // An unreadable row is logged, and its number is not granted.
                let _ = self.learn(name, worker, &stored);
            }
        }
        for (name, marks) in spaces.iter().zip(touched) {
            if let Some(known) = self.spaces.get_mut(name) {
                known.marks.root = marks.root;
                known.marks.buckets.extend(marks.buckets);
                known.turn = self.turn;
                known.doubtful.clear();
            }
        }
        Ok(())
    }

    async fn answer(&mut self, want: &Want) -> Result<Answer, Fault> {
        match *want {
            Want::Fenced => return Ok(Answer::Fenced(self.standing().await?.fenced)),
            Want::TagNames(page) => return self.names(Folder::Tags, page).await,
            Want::NamespaceNames(page) => return self.names(Folder::Spaces, page).await,
            Want::Tags(page) => return self.tags(page).await,
            Want::Namespaces(page) => return self.namespaces(page).await,
            _ => {}
        }
        let known = want.space().and_then(|name| Some((name, self.spaces.get(&name)?)));
        let Some((name, known)) = known else { return Ok(Answer::none(want)) };
        Ok(match *want {
            Want::Namespace(_) => Answer::Namespace(Some(known.namespace())),
            Want::Worker(_, worker) => known.rows([worker]),
            Want::Mine(_, request) => known.rows(known.mine(request)),
            Want::Own(_, owner) => known.rows(known.own(&owner)),
            Want::Unused { from, end, count, .. } => Answer::Unused(known.unused(from, end, count)),
            Want::Rested(_, count) => {
                self.looks_free(name, count, |known, n| known.rested().take(n).collect()).await?
            }
            Want::Kept(_, count) => {
                self.looks_free(name, count, |known, n| known.kept().take(n).collect()).await?
            }
            Want::Workers(_, page) => {
                let rows: Vec<u32> = known.after(page.after).take(page.limit as usize).collect();
                self.again(name, &rows).await?;
                self.rows(name, |_| rows)
            }
            Want::Leaving { before, after, .. } => {
                let leaves = |worker: &u32| {
                    let worker = u64::from(*worker);
                    before.contains(worker) && !after.contains(worker)
                };
                let all: Vec<u32> = known.after(None).filter(leaves).collect();
                self.again(name, &all).await?;
                self.rows(name, |known| known.leaving(before, after))
            }
            _ => Answer::none(want),
        })
    }

    /// The first numbers in an order in which a fresh read can only move a number back.
    async fn looks_free(
        &mut self,
        name: Name,
        count: usize,
        first: impl Fn(&Known, usize) -> Vec<u32>,
    ) -> Result<Answer, Fault> {
        let (turn, mut batch) = (self.turn, LEAST);
        loop {
            let Some(known) = self.spaces.get(&name) else {
                return Ok(Answer::Workers(Vec::new()));
            };
            let found = first(known, count);
            if found.iter().all(|worker| known.is_of(*worker, turn)) {
                return Ok(known.rows(found));
            }
            let mut next = first(known, count.max(batch));
            next.retain(|worker| !known.is_of(*worker, turn));
            self.again(name, &next).await?;
            batch = (batch * 2).min(MOST);
        }
    }

    /// Reads numbers again, except those that were read in this turn.
    async fn again(&mut self, name: Name, workers: &[u32]) -> Result<(), Fault> {
        let turn = self.turn;
        let known = self.spaces.get(&name);
        let old = |worker: &&u32| known.is_none_or(|known| !known.is_of(**worker, turn));
        let keys: Vec<Key> =
            workers.iter().filter(old).map(|worker| Key::Worker(name, *worker)).collect();
        for keys in keys.chunks(MOST) {
            let survey = self.link.ask(async |engine| engine.survey(keys, &[]).await);
            for (key, stored) in keys.iter().zip(survey.await?.0) {
                match (key, stored) {
                    (Key::Worker(name, worker), Some(stored)) => {
                        let _ = self.learn(*name, *worker, &stored);
                    }
                    (key, _) => return Err(self.vanished(key)),
                }
            }
        }
        Ok(())
    }

    /// Reads the marks that a change of a namespace depends on, before its rows are read.
    async fn guard(&mut self, name: Name) -> Result<(), Fault> {
        if !self.guards.contains_key(&name) {
            let guard = self.link.ask(async |engine| engine.guard(name).await).await?;
            self.guards.insert(name, guard);
            // A new turn number, so that earlier reads are repeated.
            self.turn += 1;
        }
        Ok(())
    }

    fn rows<N: IntoIterator<Item = u32>>(
        &self,
        name: Name,
        which: impl FnOnce(&Known) -> N,
    ) -> Answer {
        let known = self.spaces.get(&name);
        known.map_or(Answer::Workers(Vec::new()), |known| known.rows(which(known)))
    }

    pub(super) async fn list(
        &mut self,
        folder: Folder,
        after: Option<Name>,
        limit: usize,
    ) -> Result<Vec<(Name, Stored)>, Fault> {
        self.link.ask(async |engine| engine.list(folder, after, limit).await).await
    }

    async fn tags(&mut self, page: Page<Name>) -> Result<Answer, Fault> {
        let (mut rows, mut after) = (Vec::new(), page.after);
        let limit = page.limit as usize;
        loop {
            let list = self.list(Folder::Tags, after, limit).await?;
            let last = list.len() < limit;
            for (name, stored) in list {
                after = Some(name);
                // An unreadable one is only logged: the list of the others helps to find out what happened.
                if let Ok(Some(Seen { row, .. })) = self.tag(name, Some(&stored))
                    && !row.deleted
                {
                    rows.push((name, row));
                }
                if rows.len() == limit {
                    return Ok(Answer::Tags(rows));
                }
            }
            if last {
                return Ok(Answer::Tags(rows));
            }
        }
    }

    async fn names(&mut self, folder: Folder, page: Page<Name>) -> Result<Answer, Fault> {
        let list = self.list(folder, page.after, page.limit as usize).await?;
        Ok(Answer::Names(list.into_iter().map(|(name, _)| name).collect()))
    }

    async fn namespaces(&mut self, page: Page<Name>) -> Result<Answer, Fault> {
        let list = self.list(Folder::Spaces, page.after, page.limit as usize).await?;
        let row = |(name, stored): (Name, Stored)| {
            Some((name, text::read_space(&stored.text).ok()?.namespace))
        };
        Ok(Answer::Namespaces(list.into_iter().filter_map(row).collect()))
    }

    fn tag(&self, tag: Name, stored: Option<&Stored>) -> Result<Option<Seen<TagRow>>, Problem> {
        let Some(stored) = stored else { return Ok(None) };
        let row = text::read_tag(&stored.text);
        let row = row.map_err(|nonsense| self.nonsense(&Key::Tag(tag), &nonsense))?;
        Ok(Some(Seen { row, revision: stored.revision }))
    }

    pub(super) fn settle(&mut self, name: Name, stored: Option<&Stored>) -> Result<(), Problem> {
        let Some(Stored { text, revision }) = stored else {
            self.spaces.remove(&name);
            return Ok(());
        };
        let known = self.spaces.get_mut(&name);
        if known.as_ref().is_some_and(|known| known.revision == *revision) {
            return Ok(());
        }
        match (text::read_space(text), known) {
            (Ok(space), Some(known)) => known.settle(space, *revision),
            (Ok(space), None) => drop(self.spaces.insert(name, Known::new(space, *revision))),
            (Err(nonsense), _) => return Err(self.nonsense(&Key::Space(name), &nonsense)),
        }
        Ok(())
    }

    pub(super) fn learn(
        &mut self,
        name: Name,
        worker: u32,
        stored: &Stored,
    ) -> Result<(), Problem> {
        let read = text::read_worker(&stored.text);
        let Some(known) = self.spaces.get_mut(&name) else { return Ok(()) };
        match read {
            Ok(held) => {
                known.learn(worker, held, stored.revision, self.turn);
                Ok(())
            }
            Err(nonsense) => {
                known.shun(worker, stored.revision, self.turn);
                Err(self.nonsense(&Key::Worker(name, worker), &nonsense))
            }
        }
    }

    pub(super) fn nonsense(&self, key: &Key, nonsense: &str) -> Problem {
        let place = self.place_of(key);
        let detail = format!(
            "`{place}` has a value that leafid did not write: {nonsense}; put back what it was, or \
             a higher position and later times, and nothing is granted twice"
        );
        tracing::error!(place, "{detail}");
        Problem::new(Code::SchemaMismatch, detail)
    }

    fn place_of(&self, key: &Key) -> String {
        match &self.link.client {
            Some(engine) => engine.place(key),
            None => format!("{key:?}"),
        }
    }

    fn vanished(&mut self, key: &Key) -> Fault {
        if let Key::Worker(name, _) = key {
            self.spaces.remove(name);
        }
        let place = self.place_of(key);
        Fault {
            detail: format!("`{place}` was there and is gone; leafid deletes no key: put it back"),
        }
    }
}

impl Known {
    fn guess(&self) -> Vec<u32> {
        let mut workers: Vec<u32> = self.doubtful.iter().copied().collect();
        if self.is_used_up() {
            workers.extend(self.rested().take(FIRST).chain(self.kept().take(2)));
        }
        workers
    }
}
