//! Writes groups of rows as keys and values.

use std::collections::BTreeMap;

use leafid_core::Name;
use leafid_core::registry::Namespace;

use super::Keyed;
use super::engine::{Commit, Ended, Engine, Key, Set};
use super::space::{Held, Known, Space};
use super::text;
use crate::backends::link::{Breakage, Kind};
use crate::backends::{Group, NamespaceRow, Outcome, Seen, Write};
use crate::problem::Problem;
use leafid_turn::hex;

impl<E: Engine> Keyed<E> {
    pub(super) async fn put(&mut self, groups: &[Group]) -> Result<Vec<Outcome>, Problem> {
        let plans: Vec<Option<Commit>> = groups.iter().map(|group| self.plan(group)).collect();
        let planned: Vec<bool> = plans.iter().map(Option::is_some).collect();
        let commits: Vec<Commit> = plans.into_iter().flatten().collect();
        let mut ended = Vec::new();
        if !commits.is_empty() {
            let store = self.identity();
            ended = self.link.ask(async |engine| Ok(engine.commit(store, &commits).await)).await?;
        }
        let mut ended = ended.into_iter();
        let mut outcomes = Vec::new();
        for (group, is_planned) in groups.iter().zip(planned) {
            let outcome = match is_planned.then(|| ended.next()) {
                Some(Some(ended)) => self.finish(group, ended),
                Some(None) => Outcome::Failed(Problem::unavailable("no answer for a group")),
                None => Outcome::Conflict,
            };
            if outcome == Outcome::Conflict {
                self.doubt(group);
            }
            outcomes.push(outcome);
        }
        Ok(outcomes)
    }

    /// Plans a group's write; `None` if a row is known to have changed since it was read.
    fn plan(&self, group: &Group) -> Option<Commit> {
        let mut commit = Commit::default();
        // The changes of ranges in this group.
        let mut moved: BTreeMap<Name, u64> = BTreeMap::new();
        for write in group {
            if let Some((name, seen)) = condition(write) {
                self.known(&name, seen)?;
                commit.checks.push((Key::Space(name), seen.revision));
                continue;
            }
            let (key, before, text) = match write {
                Write::Same(..) => continue,
                Write::Tag { tag, before, after } => {
                    (Key::Tag(*tag), before.map(|seen| seen.revision), text::tag(after))
                }
                Write::Namespace { namespace, before, after } => {
                    if let Some(seen) = before {
                        let known = self.known(namespace, seen)?;
                        if depends_on_rows(&seen.row.namespace, &after.namespace) {
                            // Read up to the newest before the decision.
                            (known.turn == self.turn).then_some(())?;
                            commit.guard = Some((*namespace, known.mark));
                        }
                    }
                    let space = self.next(namespace, before.is_none(), after.namespace);
                    moved.insert(*namespace, space.moves);
                    let before = before.map(|seen| seen.revision);
                    (Key::Space(*namespace), before, text::space(&space))
                }
                Write::Worker(write) => {
                    let known = self.spaces.get(&write.namespace);
                    let now = known.and_then(|known| known.worker(write.worker));
                    let there = known.is_some_and(|known| known.has(write.worker));
                    // Others may have moved it out of the range and back, which writes no row.
                    (now == write.before && there == now.is_some()).then_some(())?;
                    let moves = moved.get(&write.namespace).copied();
                    let known = known.map_or(0, |known| known.space.moves);
                    let held = Held { row: write.after, moves: moves.unwrap_or(known) };
                    let before = write.before.map(|seen| seen.revision);
                    (Key::Worker(write.namespace, write.worker), before, text::worker(&held))
                }
                Write::Server(write) => {
                    let named = write.after.as_ref().or(write.before.as_ref());
                    let key = Key::Server(Name::owner(&hex(named?.id)).ok()?);
                    let before = write.before.as_ref().map(|server| server.revision);
                    let Some(after) = &write.after else {
                        commit.deletes.extend(before.map(|revision| (key, revision)));
                        continue;
                    };
                    (key, before, text::server(after))
                }
                // A fence's revision is stored plus one, so that 0 means none.
                Write::Fence { before, after } => {
                    (Key::Fence, before.revision.checked_sub(1), text::fence(after))
                }
                Write::Beat(now) => (Key::Beat, None, text::beat(*now)),
            };
            commit.sets.push(Set { key, before, text });
        }
        Some(commit)
    }

    fn known(&self, name: &Name, seen: &Seen<NamespaceRow>) -> Option<&Known> {
        self.spaces.get(name).filter(|known| known.revision == seen.revision)
    }

    /// A namespace as it is stored after a change.
    fn next(&self, name: &Name, is_new: bool, after: Namespace) -> Space {
        let known = self.spaces.get(name).filter(|_| !is_new);
        known.map_or_else(|| Space::new(after), |known| known.space.then(after))
    }

    fn finish(&mut self, group: &Group, ended: Ended) -> Outcome {
        let (revisions, moved) = match ended {
            Ended::Done { revisions, moved } => (revisions, moved),
            Ended::Conflict => return Outcome::Conflict,
            Ended::Gone => return Outcome::Failed(self.link.another("other content")),
            Ended::Broken(broken) => {
                if broken.kind == Breakage::Of(Kind::Lost) {
                    self.link.lose(&broken.detail);
                }
                return Outcome::Failed(self.link.failed(&broken));
            }
        };
        let mut revisions = revisions.into_iter();
        let mut all = Vec::new();
        for write in group {
            if let Some((_, seen)) = condition(write) {
                all.push(seen.revision);
                continue;
            }
            if matches!(write, Write::Server(write) if write.after.is_none()) {
                all.push(0);
                continue;
            }
            let revision = revisions.next().unwrap_or(0);
            all.push(revision);
            match write {
                Write::Namespace { namespace, before, after } => {
                    let space = self.next(namespace, before.is_none(), after.namespace);
                    match self.spaces.get_mut(namespace) {
                        Some(known) => known.settle(space, revision),
                        None => drop(self.spaces.insert(*namespace, Known::new(space, revision))),
                    }
                }
                Write::Worker(write) => {
                    if let Some(known) = self.spaces.get_mut(&write.namespace) {
                        let held = Held { row: write.after, moves: known.space.moves };
                        known.learn(write.worker, Some(held), revision);
                    }
                }
                _ => {}
            }
        }
        for (name, mark) in moved {
            if let Some(known) = self.spaces.get_mut(&name)
                && known.mark.count + 1 == mark.count
            {
                known.mark = mark;
            }
        }
        Outcome::Done(all)
    }

    /// Marks the numbers of a group to be read again, as one may have been written by hand.
    fn doubt(&mut self, group: &Group) {
        for write in group {
            if let Write::Worker(write) = write
                && let Some(known) = self.spaces.get_mut(&write.namespace)
                && known.has(write.worker)
            {
                known.doubtful.insert(write.worker);
            }
        }
    }
}

/// The namespace that a write only requires to be as it was. `used_until` is not stored: the rows of the numbers
/// tell it.
fn condition(write: &Write) -> Option<(Name, &Seen<NamespaceRow>)> {
    match write {
        Write::Same(name, seen) => Some((*name, seen)),
        Write::Namespace { namespace, before: Some(seen), after }
            if seen.row.namespace == after.namespace =>
        {
            Some((*namespace, seen))
        }
        _ => None,
    }
}

/// Whether a change of a namespace was decided on the rows of its numbers.
fn depends_on_rows(before: &Namespace, after: &Namespace) -> bool {
    (before.layout, before.max_window_ms, before.workers)
        != (after.layout, after.max_window_ms, after.workers)
}
