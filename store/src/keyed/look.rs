//! Finding what a decision wants: a trip for the keys that are named and for what was touched since,
//! one for the buckets that were, and one for the numbers that look free.

use leafid_core::registry::TagRow;
use leafid_core::{Code, Name};

use super::Keyed;
use super::engine::{Engine, Folder, Key, Marks, Stored};
use super::space::Known;
use super::text;
use crate::backends::{Answer, BackEnd, Fault, Seen, Want};
use crate::problem::Problem;
use crate::store::Page;

/// How many numbers that look free are read with the first trip.
const FIRST: usize = 4;
/// How many numbers are read again at once, at least and at most.
const LEAST: usize = 16;
const MOST: usize = 512;
/// How many buckets are read at once: few enough that it does not take long.
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
                _ => spaces.extend(space_of(want)),
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
            let whole = space_of(want).map(Key::Space);
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
                // Said in the log, and handed out to nobody.
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
        Ok(match *want {
            Want::Tag(_) => Answer::Tag(None),
            Want::Fenced => Answer::Fenced(self.standing().await?.fenced),
            Want::TagNames(page) => self.names(Folder::Tags, page).await?,
            Want::NamespaceNames(page) => self.names(Folder::Spaces, page).await?,
            Want::Tags(page) => Answer::Tags(self.tags(page).await?),
            Want::Namespaces(page) => self.namespaces(page).await?,
            Want::Namespace(name) => {
                Answer::Namespace(self.spaces.get(&name).map(Known::namespace))
            }
            Want::Worker(name, worker) => self.rows(name, [worker]),
            Want::Mine(name, request) => {
                self.rows(name, self.spaces.get(&name).and_then(|known| known.mine(request)))
            }
            Want::Own(name, owner) => {
                let own = self.spaces.get(&name).map(|known| known.own(&owner));
                self.rows(name, own.unwrap_or_default())
            }
            Want::Unused { namespace, from, end, count } => {
                let known = self.spaces.get(&namespace);
                Answer::Unused(known.map(|k| k.unused(from, end, count)).unwrap_or_default())
            }
            Want::Rested(name, count) => {
                let rested = |known: &Known, n| known.rested().take(n).collect();
                self.looks_free(name, count, rested).await?
            }
            Want::Kept(name, count) => {
                let kept = |known: &Known, n| known.kept().take(n).collect();
                self.looks_free(name, count, kept).await?
            }
            Want::Workers(name, page) => {
                let limit = page.limit as usize;
                let known = self.spaces.get(&name);
                let rows: Vec<u32> = known
                    .into_iter()
                    .flat_map(|known| known.after(page.after))
                    .take(limit)
                    .collect();
                self.again(name, &rows).await?;
                self.rows(name, rows)
            }
            Want::Leaving { namespace, before, after } => {
                let known = self.spaces.get(&namespace);
                let leaves = |worker: &u32| {
                    let worker = u64::from(*worker);
                    before.contains(worker) && !after.contains(worker)
                };
                let all = known.into_iter().flat_map(|known| known.after(None));
                let all: Vec<u32> = all.filter(leaves).collect();
                self.again(namespace, &all).await?;
                let known = self.spaces.get(&namespace);
                self.rows(namespace, known.and_then(|known| known.leaving(before, after)))
            }
        })
    }

    /// The first numbers in an order in which numbers can only move back by being read.
    async fn looks_free(
        &mut self,
        name: Name,
        count: usize,
        first: impl Fn(&Known, usize) -> Vec<u32>,
    ) -> Result<Answer, Fault> {
        let (turn, mut batch) = (self.turn, LEAST);
        loop {
            let Some(known) = self.spaces.get(&name) else { return Ok(self.rows(name, [])) };
            let found = first(known, count);
            if found.iter().all(|worker| known.is_of(*worker, turn)) {
                return Ok(self.rows(name, found));
            }
            let mut next = first(known, count.max(batch));
            next.retain(|worker| !known.is_of(*worker, turn));
            self.again(name, &next).await?;
            batch = (batch * 2).min(MOST);
        }
    }

    /// Reads numbers again, those aside that were read in this turn.
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

    /// Notes what a change of a namespace is decided on, before that is read.
    async fn guard(&mut self, name: Name) -> Result<(), Fault> {
        if !self.guards.contains_key(&name) {
            let guard = self.link.ask(async |engine| engine.guard(name).await).await?;
            self.guards.insert(name, guard);
            // Whatever was read before is read again.
            self.turn += 1;
        }
        Ok(())
    }

    fn rows(&self, name: Name, workers: impl IntoIterator<Item = u32>) -> Answer {
        let known = self.spaces.get(&name);
        let row = |worker| Some((worker, known?.worker(worker)?));
        Answer::Workers(workers.into_iter().filter_map(row).collect())
    }

    async fn tags(&mut self, page: Page<Name>) -> Result<Vec<(Name, TagRow)>, Fault> {
        let (mut rows, mut after) = (Vec::new(), page.after);
        let limit = page.limit as usize;
        loop {
            let list = self.link.ask(async |e| e.list(Folder::Tags, after, limit).await);
            let list = list.await?;
            let last = list.len() < limit;
            for (name, stored) in list {
                after = Some(name);
                match self.tag(name, Some(&stored)) {
                    Ok(Some(Seen { row, .. })) if !row.deleted => rows.push((name, row)),
                    // Said in the log: the list of the others helps to find out what happened.
                    _ => {}
                }
                if rows.len() == limit {
                    return Ok(rows);
                }
            }
            if last {
                return Ok(rows);
            }
        }
    }

    async fn names(&mut self, folder: Folder, page: Page<Name>) -> Result<Answer, Fault> {
        let (after, limit) = (page.after, page.limit as usize);
        let list = self.link.ask(async |e| e.list(folder, after, limit).await);
        Ok(Answer::Names(list.await?.into_iter().map(|(name, _)| name).collect()))
    }

    async fn namespaces(&mut self, page: Page<Name>) -> Result<Answer, Fault> {
        let (after, limit) = (page.after, page.limit as usize);
        let list = self.link.ask(async |e| e.list(Folder::Spaces, after, limit).await);
        let mut rows = Vec::new();
        for (name, stored) in list.await? {
            if let Ok(space) = text::read_space(&stored.text) {
                rows.push((name, space.namespace));
            }
        }
        Ok(Answer::Namespaces(rows))
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

fn space_of(want: &Want) -> Option<Name> {
    match *want {
        Want::Fenced
        | Want::TagNames(_)
        | Want::NamespaceNames(_)
        | Want::Tag(_)
        | Want::Tags(_)
        | Want::Namespaces(_) => None,
        Want::Namespace(name)
        | Want::Worker(name, _)
        | Want::Mine(name, _)
        | Want::Own(name, _)
        | Want::Unused { namespace: name, .. }
        | Want::Rested(name, _)
        | Want::Kept(name, _)
        | Want::Leaving { namespace: name, .. }
        | Want::Workers(name, _) => Some(name),
    }
}

impl Known {
    /// The numbers that are read with the first trip: what is in doubt, and what looks free.
    fn guess(&self) -> Vec<u32> {
        let mut workers: Vec<u32> = self.doubtful.iter().copied().collect();
        if self.is_used_up() {
            workers.extend(self.rested().take(FIRST).chain(self.kept().take(2)));
        }
        workers
    }
}
