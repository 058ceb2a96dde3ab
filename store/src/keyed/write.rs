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

/// The effect of one write of a group, once it is done.
enum Becomes {
    /// The key stays at this revision.
    Same(u64),
    Space(Name, Space),
    Worker(Name, u32, Held),
    Other,
}

#[derive(Default)]
struct Plan {
    commit: Commit,
    becomes: Vec<Becomes>,
}

impl Plan {
    fn check(&mut self, name: Name, revision: u64) {
        self.commit.checks.push((Key::Space(name), revision));
        self.becomes.push(Becomes::Same(revision));
    }

    fn set(&mut self, key: Key, before: Option<u64>, text: String, becomes: Becomes) {
        self.commit.sets.push(Set { key, before, text });
        self.becomes.push(becomes);
    }
}

impl<E: Engine> Keyed<E> {
    pub(super) async fn put(&mut self, groups: &[Group]) -> Result<Vec<Outcome>, Problem> {
        let mut plans: Vec<Option<Plan>> = groups.iter().map(|group| self.plan(group)).collect();
        let commits: Vec<Commit> =
            plans.iter_mut().flatten().map(|plan| std::mem::take(&mut plan.commit)).collect();
        let mut ended = Vec::new();
        if !commits.is_empty() {
            let store = self.identity();
            ended = self.link.ask(async |engine| Ok(engine.commit(store, &commits).await)).await?;
        }
        let mut ended = ended.into_iter();
        let mut outcomes = Vec::new();
        for (group, plan) in groups.iter().zip(plans) {
            let outcome = match plan {
                Some(plan) => match ended.next() {
                    Some(ended) => self.finish(plan, ended),
                    None => Outcome::Failed(Problem::unavailable("no answer for a group")),
                },
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
    fn plan(&self, group: &Group) -> Option<Plan> {
        let mut plan = Plan::default();
        // The changes of ranges in this group.
        let mut moved: BTreeMap<Name, u64> = BTreeMap::new();
        for write in group {
            match write {
                Write::Same(name, seen) => {
                    self.known(name, seen)?;
                    plan.check(*name, seen.revision);
                }
                Write::Tag { tag, before, after } => {
                    let before = before.map(|seen| seen.revision);
                    plan.set(Key::Tag(*tag), before, text::tag(after), Becomes::Other);
                }
                Write::Namespace { namespace, before: Some(seen), after }
                    if seen.row.namespace == after.namespace =>
                {
                    // Only `used_until` differs, which is not stored: the rows of the numbers tell it.
                    self.known(namespace, seen)?;
                    plan.check(*namespace, seen.revision);
                }
                Write::Namespace { namespace, before, after } => {
                    let mut space = Space::new(after.namespace);
                    if let Some(seen) = before {
                        let known = self.known(namespace, seen)?;
                        if depends_on_rows(&seen.row.namespace, &after.namespace) {
                            // Read up to the newest before the decision.
                            (known.turn == self.turn).then_some(())?;
                            plan.commit.guard = Some((*namespace, known.mark));
                        }
                        space = known.space.then(after.namespace);
                    }
                    moved.insert(*namespace, space.moves);
                    let text = text::space(&space);
                    let before = before.map(|seen| seen.revision);
                    let becomes = Becomes::Space(*namespace, space);
                    plan.set(Key::Space(*namespace), before, text, becomes);
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
                    let key = Key::Worker(write.namespace, write.worker);
                    let becomes = Becomes::Worker(write.namespace, write.worker, held);
                    plan.set(key, before, text::worker(&held), becomes);
                }
                Write::Fence { before, after } => {
                    // A fence's revision is stored plus one, so that 0 means none.
                    let before = before.revision.checked_sub(1);
                    plan.set(Key::Fence, before, text::fence(after), Becomes::Other);
                }
                Write::Beat(now) => {
                    plan.commit.sets.push(Set::beat(*now));
                    plan.becomes.push(Becomes::Other);
                }
            }
        }
        Some(plan)
    }

    fn known(&self, name: &Name, seen: &Seen<NamespaceRow>) -> Option<&Known> {
        self.spaces.get(name).filter(|known| known.revision == seen.revision)
    }

    fn finish(&mut self, plan: Plan, ended: Ended) -> Outcome {
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
        for becomes in plan.becomes {
            if let Becomes::Same(revision) = becomes {
                all.push(revision);
                continue;
            }
            let revision = revisions.next().unwrap_or(0);
            all.push(revision);
            match becomes {
                Becomes::Space(name, space) => match self.spaces.get_mut(&name) {
                    Some(known) => known.settle(space, revision),
                    None => drop(self.spaces.insert(name, Known::new(space, revision))),
                },
                Becomes::Worker(name, worker, held) => {
                    if let Some(known) = self.spaces.get_mut(&name) {
                        known.learn(worker, Some(held), revision);
                    }
                }
                Becomes::Same(_) | Becomes::Other => {}
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

/// Whether a change of a namespace was decided on the rows of its numbers.
fn depends_on_rows(before: &Namespace, after: &Namespace) -> bool {
    (before.layout, before.max_window_ms, before.workers)
        != (after.layout, after.max_window_ms, after.workers)
}
