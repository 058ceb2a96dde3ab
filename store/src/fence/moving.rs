//! Moves every tag and namespace of a store past what may have been granted.

use std::collections::BTreeSet;

use leafid_core::registry::{
    DEFAULT_MAX_STEP, DEFAULT_MAX_WINDOW_MS, DEFAULT_STEP, TagRow, fence_time,
};
use leafid_core::{Name, StoreTime};

use super::Repaired;
use super::witness::Witness;
use crate::backends::{
    Answer, BackEnd, Fenced, Group, NamespaceRow, Outcome, Seen, Standing, Want, Write,
};
use crate::problem::Problem;
use crate::store::Page;

const AT_ONCE: usize = 200;
const PAGE: u32 = 500;
const TRIES: u32 = 12;

#[derive(Debug)]
pub enum Stop {
    Fault(Problem),
    /// Another server fenced the store meanwhile.
    Raced,
}

impl From<Problem> for Stop {
    fn from(fault: Problem) -> Stop {
        Stop::Fault(fault)
    }
}

/// Fences a store if its generation is still the one that was found: in one transaction if the database
/// can, else in parts with the fence's row in the last one, and rows that were moved before a [`Stop`] stay
/// moved.
pub async fn fence<B: BackEnd>(
    back_end: &mut B,
    witness: &Witness,
    found: &Standing,
    now: StoreTime,
) -> Result<Repaired, Stop> {
    let generation = found.fenced.row.generation;
    let noted = witness.store.as_ref().map_or(0, |noted| noted.mark.generation);
    for _ in 0..TRIES {
        back_end.begin().await?;
        let moves = Moves::plan(back_end, witness, now).await?;
        let before = back_end.standing().await?.fenced;
        if before.row.generation != generation {
            return Err(Stop::Raced);
        }
        let after = Fenced {
            generation: generation.max(noted).saturating_add(1),
            at: now,
            floor: before.row.floor.max(moves.floor),
            database: found.database.clone(),
        };
        let done = Repaired {
            generation: after.generation,
            tags: moves.tags,
            namespaces: moves.namespaces,
            floor: after.floor,
        };
        if write(back_end, moves.writes, before, after).await? {
            return Ok(done);
        }
    }
    Err(busy().into())
}

/// Moves tags that are below this server's witness, in a store that another server has fenced.
pub async fn raise<B: BackEnd>(back_end: &mut B, witness: &Witness) -> Result<usize, Stop> {
    for _ in 0..TRIES {
        back_end.begin().await?;
        let names: Vec<Name> = witness.tags.keys().copied().collect();
        let mut writes = tags(back_end, witness, &names).await?;
        writes.retain(|write| match write {
            Write::Tag { tag, before, .. } => {
                let stands = before.map_or(0, |seen| seen.row.max_id);
                witness.tags.get(tag).is_some_and(|end| *end > stands)
            }
            _ => false,
        });
        let (count, mut held) = (writes.len(), true);
        for (at, some) in writes.chunks(back_end.facts().abilities.whole.max(1)).enumerate() {
            if at > 0 {
                back_end.begin().await?;
            }
            held &= group(back_end, some.to_vec()).await?;
        }
        if held {
            return Ok(count);
        }
    }
    Err(busy().into())
}

fn busy() -> Problem {
    Problem::unavailable(format!(
        "others wrote the rows that were to be moved, {TRIES} times in a row"
    ))
}

/// Writes the moved rows, the last of them together with the fence's row; false if a row has changed since
/// it was read.
async fn write<B: BackEnd>(
    back_end: &mut B,
    writes: Vec<Write>,
    mut before: Seen<Fenced>,
    after: Fenced,
) -> Result<bool, Stop> {
    let size = back_end.facts().abilities.whole.saturating_sub(1).max(1);
    let mut parts: Vec<Vec<Write>> = writes.chunks(size).map(<[Write]>::to_vec).collect();
    let last = parts.pop().unwrap_or_default();
    for part in parts {
        // An unchanged fence is a condition: no other server may have fenced the store meanwhile.
        let same = Box::new(before.row.clone());
        let fence = Write::Fence { before: Box::new(before.clone()), after: same };
        if !group(back_end, [vec![fence], part].concat()).await? {
            return Ok(false);
        }
        back_end.begin().await?;
        let found = back_end.standing().await?.fenced;
        if found.row != before.row {
            return Err(Stop::Raced);
        }
        before = found;
    }
    let fence = Write::Fence { before: Box::new(before), after: Box::new(after) };
    group(back_end, [vec![fence], last].concat()).await
}

async fn group<B: BackEnd>(back_end: &mut B, group: Group) -> Result<bool, Stop> {
    match back_end.write(&[group]).await?.pop() {
        Some(Outcome::Done(_)) => Ok(true),
        Some(Outcome::Conflict) | None => Ok(false),
        Some(Outcome::Failed(fault) | Outcome::Locked(fault)) => Err(fault.into()),
    }
}

struct Moves {
    writes: Vec<Write>,
    tags: usize,
    namespaces: usize,
    /// The floor for windows, which also holds for namespaces that were lost.
    floor: StoreTime,
}

impl Moves {
    async fn plan<B: BackEnd>(
        back_end: &mut B,
        witness: &Witness,
        now: StoreTime,
    ) -> Result<Moves, Stop> {
        let mut all = names(back_end, Want::TagNames).await?;
        all.extend(witness.tags.keys());
        let all: Vec<Name> = all.into_iter().collect();
        let mut writes = tags(back_end, witness, &all).await?;
        let tags = writes.len();
        let last = now.max(witness.latest());
        let noted = witness.store.as_ref().map_or(0, |noted| noted.longest_ms);
        let mut longest = noted.max(DEFAULT_MAX_WINDOW_MS);
        let spaces: Vec<Name> = names(back_end, Want::NamespaceNames).await?.into_iter().collect();
        for some in spaces.chunks(AT_ONCE) {
            let wants: Vec<Want> = some.iter().map(|name| Want::Namespace(*name)).collect();
            for (name, answer) in some.iter().zip(back_end.read(&wants).await?) {
                let before = match answer {
                    Answer::Namespace(Some(seen)) => seen,
                    Answer::Unreadable(problem) => {
                        tracing::error!("namespace `{name}` is not moved: {}", problem.detail);
                        continue;
                    }
                    _ => continue,
                };
                longest = longest.max(before.row.namespace.max_window_ms);
                let namespace = before.row.namespace.fenced(last, witness.highest(*name));
                let after = NamespaceRow { namespace, ..before.row };
                writes.push(Write::Namespace { namespace: *name, before: Some(before), after });
            }
        }
        let namespaces = writes.len() - tags;
        Ok(Moves { writes, tags, namespaces, floor: fence_time(last, longest) })
    }
}

/// The writes that move every tag. A noted tag without a row was lost: a tombstone keeps its position for
/// when it is created again.
async fn tags<B: BackEnd>(
    back_end: &mut B,
    witness: &Witness,
    names: &[Name],
) -> Result<Vec<Write>, Stop> {
    let mut writes = Vec::new();
    for some in names.chunks(AT_ONCE) {
        let wants: Vec<Want> = some.iter().map(|name| Want::Tag(*name)).collect();
        for (tag, answer) in some.iter().zip(back_end.read(&wants).await?) {
            let noted = witness.tags.get(tag).copied().unwrap_or(0);
            let before = match answer {
                Answer::Tag(before) => before,
                Answer::Removed(seen) => Some(seen),
                Answer::Unreadable(problem) => {
                    tracing::error!("tag `{tag}` is not moved: {}", problem.detail);
                    continue;
                }
                _ => continue,
            };
            let (step, max_step) = (DEFAULT_STEP, DEFAULT_MAX_STEP);
            let (until, claimed_until) = (None, None);
            let lost = TagRow { max_id: 1, step, max_step, deleted: true, until, claimed_until };
            let after = before.map_or(lost, |seen| seen.row).fenced(noted);
            writes.push(Write::Tag { tag: *tag, before, after });
        }
    }
    Ok(writes)
}

async fn names<B: BackEnd>(
    back_end: &mut B,
    want: impl Fn(Page<Name>) -> Want,
) -> Result<BTreeSet<Name>, Stop> {
    let mut all = BTreeSet::new();
    let mut after = None;
    loop {
        let read = back_end.read(&[want(Page { after, limit: PAGE })]).await?.pop();
        let names = match read {
            Some(Answer::Names(names)) => names,
            Some(Answer::Unreadable(problem)) => {
                return Err(Problem::unavailable(problem.detail).into());
            }
            _ => return Ok(all),
        };
        let Some(last) = names.last() else { return Ok(all) };
        after = Some(*last);
        all.extend(names);
    }
}
