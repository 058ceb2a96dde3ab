//! Reads what a decision needs: one round trip for the named keys and the worker numbers that were written
//! since the last one, more only where many were.

use std::collections::{BTreeMap, BTreeSet};

use leafid_core::registry::TagRow;
use leafid_core::{Code, Name};

use super::Keyed;
use super::engine::{Engine, Folder, Key, Mark, SERVERS, SPACES, Stored, TAGS};
use super::space::Known;
use super::text;
use crate::backends::{Answer, Fenced, Seen, Want};
use crate::problem::Problem;
use crate::store::Page;
use leafid_turn::register::Server;

/// The most servers of a store.
const SERVERS_AT_MOST: usize = 1_000;

type Tags = BTreeMap<Name, Seen<TagRow>>;

impl<E: Engine> Keyed<E> {
    pub(super) async fn look(&mut self, wants: &[Want]) -> Result<Vec<Answer>, Problem> {
        let mut keys = BTreeSet::new();
        let mut spaces = BTreeMap::new();
        for want in wants {
            match *want {
                Want::Tag(tag) => drop(keys.insert(Key::Tag(tag))),
                Want::Namespace(name) => drop(keys.insert(Key::Space(name))),
                Want::Worker(name, worker) => {
                    keys.extend([Key::Space(name), Key::Worker(name, worker)]);
                }
                _ => {}
            }
            let Some(name) = want.space().filter(|name| self.is_stale(name, want)) else {
                continue;
            };
            let known = self.spaces.get(&name);
            let doubtful = known.into_iter().flat_map(|known| &known.doubtful);
            keys.extend(doubtful.map(|worker| Key::Worker(name, *worker)));
            keys.insert(Key::Space(name));
            spaces.insert(name, known.map_or_else(Mark::default, |known| known.mark));
        }
        let mut keys: Vec<Key> = keys.into_iter().collect();
        let mut spaces: Vec<(Name, Mark)> = spaces.into_iter().collect();
        let (mut tags, mut bad) = (Tags::new(), BTreeMap::new());
        while !keys.is_empty() || !spaces.is_empty() {
            let survey = self.link.ask(async |engine| engine.survey(&keys, &spaces).await);
            let (values, written) = survey.await?;
            for (key, stored) in keys.drain(..).zip(values) {
                if stored.is_none() && self.had(&key) {
                    return Err(self.vanished(&key));
                }
                if let Err(problem) = self.take(key, stored.as_ref(), &mut tags) {
                    bad.insert(key, problem);
                }
            }
            let mut more = Vec::new();
            for ((name, _), written) in spaces.into_iter().zip(written) {
                for (worker, stored) in &written.rows {
                    // An unreadable row is logged, and its number is not granted.
                    let _ = self.learn(name, *worker, stored);
                }
                let Some(known) = self.spaces.get_mut(&name) else { continue };
                known.mark = written.mark;
                if written.more {
                    more.push((name, written.mark));
                } else {
                    known.turn = self.turn;
                }
            }
            spaces = more;
        }
        let mut answers = Vec::new();
        for want in wants {
            let named = match *want {
                Want::Tag(tag) => bad.get(&Key::Tag(tag)),
                Want::Worker(name, worker) => bad.get(&Key::Worker(name, worker)),
                _ => None,
            };
            let whole = want.space().and_then(|name| bad.get(&Key::Space(name)));
            answers.push(match named.or(whole) {
                Some(problem) => Answer::Unreadable(problem.clone()),
                None => self.answer(want, &tags).await?,
            });
        }
        Ok(answers)
    }

    /// Whether the rows of a namespace have to be surveyed for this. A renewal needs its own row alone.
    fn is_stale(&self, name: &Name, want: &Want) -> bool {
        self.spaces.get(name).is_none_or(|known| match *want {
            Want::Namespace(_) => false,
            Want::Worker(_, worker) => known.turn != self.turn && !known.has(worker),
            _ => known.turn != self.turn,
        })
    }

    fn had(&self, key: &Key) -> bool {
        let Key::Worker(name, worker) = key else { return false };
        self.spaces.get(name).is_some_and(|known| known.has(*worker))
    }

    async fn answer(&mut self, want: &Want, tags: &Tags) -> Result<Answer, Problem> {
        let named = |_: &Self, name, _: &Stored| Some(name);
        Ok(match *want {
            Want::Tag(tag) => Answer::Tag(tags.get(&tag).copied()),
            Want::Fenced => Answer::Fenced(self.fenced().await?),
            Want::Servers => Answer::Servers(self.servers().await?),
            Want::Positions(page) => {
                let position = |this: &Self, name, stored: &Stored| {
                    Some((name, this.tag(name, stored).ok()?.row.max_id))
                };
                Answer::Positions(self.page(TAGS, page, position).await?)
            }
            Want::NamespaceNames(page) => Answer::Names(self.page(SPACES, page, named).await?),
            Want::Tags(page) => {
                // An unreadable one is only logged: the list of the others helps to find out what happened.
                let tag = |this: &Self, name, stored: &Stored| {
                    let row = this.tag(name, stored).ok()?.row;
                    (!row.deleted).then_some((name, row))
                };
                Answer::Tags(self.page(TAGS, page, tag).await?)
            }
            Want::Namespaces(page) => {
                let space = |_: &Self, name, stored: &Stored| {
                    Some((name, text::read_space(&stored.text).ok()?.namespace))
                };
                Answer::Namespaces(self.page(SPACES, page, space).await?)
            }
            _ => {
                let known = want.space().and_then(|name| self.spaces.get(&name));
                known.map_or_else(|| Answer::none(want), |known| known.answer(want))
            }
        })
    }

    async fn fenced(&mut self) -> Result<Seen<Fenced>, Problem> {
        let Some(Stored { text, revision }) = &self.one(Key::Fence).await? else {
            return Ok(Seen::default());
        };
        let row = text::read_fence(text);
        let row = row.map_err(|nonsense| self.nonsense(&Key::Fence, &nonsense))?;
        Ok(Seen { row, revision: revision + 1 })
    }

    async fn servers(&mut self) -> Result<Vec<Server>, Problem> {
        let all = self.list(SERVERS, None, SERVERS_AT_MOST).await?;
        let read = all.into_iter().map(|(id, stored)| {
            text::read_server(&id, &stored)
                .map_err(|nonsense| self.nonsense(&Key::Server(id), &nonsense))
        });
        read.collect()
    }

    pub(super) async fn list(
        &mut self,
        folder: Folder,
        after: Option<Name>,
        limit: usize,
    ) -> Result<Vec<(Name, Stored)>, Problem> {
        self.link.ask(async |engine| engine.list(folder, after, limit).await).await
    }

    /// Lists a page of those entries of a folder that can be read.
    async fn page<T>(
        &mut self,
        folder: Folder,
        Page { mut after, limit }: Page<Name>,
        read: impl Fn(&Self, Name, &Stored) -> Option<T>,
    ) -> Result<Vec<T>, Problem> {
        let (mut rows, limit) = (Vec::new(), limit as usize);
        loop {
            let list = self.list(folder, after, limit).await?;
            let is_last = list.len() < limit;
            after = list.last().map(|(name, _)| *name);
            rows.extend(list.iter().filter_map(|(name, stored)| read(self, *name, stored)));
            if is_last || rows.len() >= limit {
                rows.truncate(limit);
                return Ok(rows);
            }
        }
    }

    fn take(&mut self, key: Key, stored: Option<&Stored>, tags: &mut Tags) -> Result<(), Problem> {
        match (key, stored) {
            (Key::Space(name), stored) => self.settle(name, stored),
            (Key::Worker(name, worker), Some(stored)) => self.learn(name, worker, stored),
            (Key::Tag(tag), Some(stored)) => {
                let seen = self.tag(tag, stored)?;
                tags.insert(tag, seen);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    pub(super) fn tag(&self, tag: Name, stored: &Stored) -> Result<Seen<TagRow>, Problem> {
        let row = text::read_tag(&stored.text);
        let row = row.map_err(|nonsense| self.nonsense(&Key::Tag(tag), &nonsense))?;
        Ok(Seen { row, revision: stored.revision })
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

    fn learn(&mut self, name: Name, worker: u32, stored: &Stored) -> Result<(), Problem> {
        let Some(known) = self.spaces.get_mut(&name) else { return Ok(()) };
        let read = text::read_worker(&stored.text);
        known.learn(worker, read.as_ref().ok().copied(), stored.revision);
        read.map(drop).map_err(|nonsense| self.nonsense(&Key::Worker(name, worker), &nonsense))
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

    fn vanished(&mut self, key: &Key) -> Problem {
        if let Key::Worker(name, _) = key {
            self.spaces.remove(name);
        }
        let place = self.place_of(key);
        Problem::unavailable(format!(
            "`{place}` was there and is gone; leafid deletes no key: put it back"
        ))
    }
}
