//! Writes groups of rows as keys and values.

use std::collections::{BTreeMap, BTreeSet};

use leafid_core::registry::Namespace;
use leafid_core::{Name, Range};

use super::Keyed;
use super::engine::{Commit, Ended, Engine, Key, Set, Touch, Touched, bucket};
use super::space::{Held, Known, Moves, Space};
use super::text;
use crate::backends::link::Breakage;
use crate::backends::{Fault, Group, NamespaceRow, Outcome, Seen, WorkerWrite, Write};

enum Becomes {
    Space(Name, Space),
    Worker(Name, u32, Held),
    Other,
}

struct Plan {
    commit: Commit,
    becomes: Vec<Becomes>,
    /// For each write the index of the key that it sets, or the revision that stays.
    revisions: Vec<Result<usize, u64>>,
}

impl<E: Engine> Keyed<E> {
    pub(super) async fn put(&mut self, groups: &[Group]) -> Result<Vec<Outcome>, Fault> {
        let mut beat = None;
        let mut made = BTreeSet::new();
        let mut plans = Vec::new();
        for group in groups {
            beat = group
                .iter()
                .find_map(|write| match write {
                    Write::Beat(now) => Some(text::beat(*now)),
                    _ => None,
                })
                .or(beat);
            plans.push(self.plan(group, &mut made));
        }
        let commits: Vec<Commit> = plans.iter().flatten().map(|plan| plan.commit.clone()).collect();
        if commits.is_empty() {
            groups.iter().for_each(|group| self.doubt(group));
            return Ok(vec![Outcome::Conflict; groups.len()]);
        }
        let store = self.identity();
        let ended =
            self.link.ask(async |engine| Ok(engine.commit(store, &commits, beat.as_deref()).await));
        let ended = match ended.await {
            Ok(ended) => ended,
            Err(fault) => {
                groups.iter().for_each(|group| self.doubt(group));
                return Err(fault);
            }
        };
        let mut ended = ended.into_iter();
        let mut outcomes = Vec::new();
        for (group, plan) in groups.iter().zip(plans) {
            let outcome = match plan {
                Some(plan) => match ended.next() {
                    Some(ended) => self.finish(plan, ended),
                    None => Outcome::Failed(Fault { detail: "no answer for a group".to_owned() }),
                },
                None => Outcome::Conflict,
            };
            if !matches!(outcome, Outcome::Done(_)) {
                self.doubt(group);
            }
            outcomes.push(outcome);
        }
        Ok(outcomes)
    }

    /// Plans a group's write; `None` if a row is known to have changed since it was read.
    fn plan(&self, group: &Group, made: &mut BTreeSet<(Name, u32)>) -> Option<Plan> {
        let mut plan =
            Plan { commit: Commit::default(), becomes: Vec::new(), revisions: Vec::new() };
        // The changes of ranges in this group.
        let mut moved: BTreeMap<Name, Moves> = BTreeMap::new();
        let mut touches = BTreeSet::new();
        for write in group {
            match write {
                Write::Same(name, seen) => {
                    self.same(name, seen)?;
                    self.check(&mut plan, *name, seen.revision);
                }
                Write::Tag { tag, before, after } => {
                    let before = before.map(|seen| seen.revision);
                    self.set(&mut plan, Key::Tag(*tag), before, text::tag(after), Becomes::Other);
                }
                Write::Namespace { namespace, before: Some(seen), after }
                    if seen.row.namespace == after.namespace =>
                {
                    // Only `used_until` differs, which is not stored: the rows of the numbers tell it.
                    self.same(namespace, seen)?;
                    self.check(&mut plan, *namespace, seen.revision);
                }
                Write::Namespace { namespace, before, after } => {
                    let moves = self.moves(namespace, before.as_ref(), &after.namespace)?;
                    moved.insert(*namespace, moves.clone());
                    let space = Space { namespace: after.namespace, moves };
                    if let Some(Seen { row, .. }) = before
                        && let Some(numbers) = concerned(&row.namespace, &space)
                    {
                        let guard = self.guards.get(namespace)?.clone();
                        plan.commit.guard = Some((*namespace, guard, numbers));
                    }
                    let text = text::space(&space);
                    let before = before.map(|seen| seen.revision);
                    let becomes = Becomes::Space(*namespace, space);
                    self.set(&mut plan, Key::Space(*namespace), before, text, becomes);
                }
                Write::Worker(write) => {
                    let known = self.spaces.get(&write.namespace);
                    let now = known.and_then(|known| known.worker(write.worker));
                    let there = known.is_some_and(|known| known.has(write.worker));
                    // Others may have moved it out of the range and back, which writes no row.
                    (now == write.before && there == now.is_some()).then_some(())?;
                    let moves = match moved.get(&write.namespace) {
                        Some(moves) => moves.count,
                        None => known.map_or(0, |known| known.space.moves.count),
                    };
                    let held = Held { row: write.after, moves };
                    let before = write.before.map(|seen| seen.revision);
                    let key = Key::Worker(write.namespace, write.worker);
                    let becomes = Becomes::Worker(write.namespace, write.worker, held);
                    self.set(&mut plan, key, before, text::worker(&held), becomes);
                    let place = (write.namespace, bucket(write.worker));
                    let first = known
                        .is_none_or(|known| !known.marks.buckets.contains_key(&place.1))
                        && !made.contains(&place);
                    if (first || !is_silent(write)) && touches.insert(place) {
                        if first {
                            made.insert(place);
                        }
                        let (namespace, bucket) = place;
                        plan.commit.touches.push(Touch { namespace, bucket, first });
                    }
                }
                Write::Fence { before, after } => {
                    // A fence's revision is stored plus one, so that 0 means none.
                    let before = before.revision.checked_sub(1);
                    self.set(&mut plan, Key::Fence, before, text::fence(after), Becomes::Other);
                }
                Write::Beat(_) => plan.revisions.push(Err(0)),
            }
        }
        Some(plan)
    }

    fn same(&self, name: &Name, seen: &Seen<NamespaceRow>) -> Option<()> {
        let known = self.spaces.get(name)?;
        (known.revision == seen.revision).then_some(())
    }

    fn check(&self, plan: &mut Plan, name: Name, revision: u64) {
        plan.commit.checks.push((Key::Space(name), revision));
        plan.revisions.push(Err(revision));
    }

    fn set(&self, plan: &mut Plan, key: Key, before: Option<u64>, text: String, becomes: Becomes) {
        plan.revisions.push(Ok(plan.commit.sets.len()));
        plan.commit.sets.push(Set { key, before, text });
        plan.becomes.push(becomes);
    }

    fn moves(
        &self,
        name: &Name,
        before: Option<&Seen<NamespaceRow>>,
        after: &Namespace,
    ) -> Option<Moves> {
        let Some(seen) = before else { return Some(Moves::default()) };
        let known = self.spaces.get(name).filter(|known| known.revision == seen.revision)?;
        let (before, after) = (seen.row.namespace.workers, after.workers);
        let moves = &known.space.moves;
        Some(if before == after { moves.clone() } else { moves.then(before, after) })
    }

    fn finish(&mut self, plan: Plan, ended: Ended) -> Outcome {
        let (revisions, touched) = match ended {
            Ended::Done { revisions, touched } => (revisions, touched),
            Ended::Conflict => return Outcome::Conflict,
            Ended::Gone => return Outcome::Failed(self.link.another("other content")),
            Ended::Broken(broken) => {
                if broken.kind == Breakage::Lost {
                    self.link.lose(&broken.detail);
                }
                return Outcome::Failed(self.link.failed(&broken));
            }
        };
        for (becomes, revision) in plan.becomes.into_iter().zip(&revisions) {
            match becomes {
                Becomes::Space(name, space) => match self.spaces.get_mut(&name) {
                    Some(known) => known.settle(space, *revision),
                    None => drop(self.spaces.insert(name, Known::new(space, *revision))),
                },
                Becomes::Worker(name, worker, held) => {
                    if let Some(known) = self.spaces.get_mut(&name) {
                        known.learn(worker, held, *revision, self.turn);
                    }
                }
                Becomes::Other => {}
            }
        }
        for Touched { namespace, bucket, before, after } in touched {
            let Some(known) = self.spaces.get_mut(&namespace) else { continue };
            match bucket {
                None if known.marks.root == before => known.marks.root = after,
                Some(of) if known.marks.buckets.get(&of).copied().unwrap_or(0) == before => {
                    known.marks.buckets.insert(of, after);
                }
                // Others touched the bucket meanwhile, so it will be read.
                _ => {}
            }
        }
        let revision = |of: &Result<usize, u64>| match of {
            Ok(at) => revisions.get(*at).copied().unwrap_or(0),
            Err(revision) => *revision,
        };
        Outcome::Done(plan.revisions.iter().map(revision).collect())
    }

    /// Marks the rows of a group to be read again before the next decision.
    fn doubt(&mut self, group: &Group) {
        for write in group {
            match write {
                Write::Worker(write) => {
                    if let Some(known) = self.spaces.get_mut(&write.namespace) {
                        if known.has(write.worker) {
                            known.doubtful.insert(write.worker);
                        }
                        known.turn = 0;
                    }
                }
                Write::Same(name, _) | Write::Namespace { namespace: name, .. } => {
                    if let Some(known) = self.spaces.get_mut(name) {
                        known.turn = 0;
                    }
                }
                Write::Tag { .. } | Write::Fence { .. } | Write::Beat(_) => {}
            }
        }
    }
}

/// The numbers whose rows must not be written during a change of a namespace: none (`None`), those that
/// leave or enter its range, or all (an empty list) if the change allows no window.
fn concerned(before: &Namespace, after: &Space) -> Option<Vec<Range>> {
    let Space { namespace, moves } = after;
    if (before.layout, before.max_window_ms) != (namespace.layout, namespace.max_window_ms) {
        return Some(Vec::new());
    }
    let moved = moves.parts.iter().filter(|part| part.at == moves.count);
    (before.workers != namespace.workers).then(|| moved.map(|part| part.numbers).collect())
}

/// Whether a write only reserves for longer, which other servers need not notice.
fn is_silent(write: &WorkerWrite) -> bool {
    let after = write.after;
    write.before.is_some_and(|Seen { row, .. }| {
        (row.owner, row.sticky, row.key, row.held_from)
            == (after.owner, after.sticky, after.key, after.held_from)
            && row.reserved_until <= after.reserved_until
            && row.granted <= after.granted
    })
}
