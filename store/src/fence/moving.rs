//! Moves every line of a store that is below its bound, and reads the bounds of a store that is whole.

use std::collections::{BTreeMap, BTreeSet};

use leafid_core::registry::{DEFAULT_MAX_WINDOW_MS, FIRST_WINDOW_MS, WorkerRow, fence_time};
use leafid_core::{Name, StoreTime};
use leafid_turn::journal::tombstone;
use leafid_turn::register::{Line, Window};

use super::Bounds;
use crate::backends::{Answer, BackEnd, NamespaceRow, Want, WorkerWrite, Write};
use crate::problem::Problem;
use crate::store::Page;

const AT_ONCE: usize = 200;
const PAGE: u32 = 500;

/// The rows that a fence writes.
#[derive(Debug, Default)]
pub struct Moves {
    /// The writes.
    pub writes: Vec<Write>,
    /// How many tags they move.
    pub tags: usize,
    /// No window begins before; 0 if no namespace was lost and nothing is guessed.
    pub floor: StoreTime,
}

impl Moves {
    /// Plans the moves of a fence to these bounds, of all tags at least to `above`. As the bounds may not be all,
    /// tags are moved by a gap beyond them `with_gap`, and no window begins before a floor `with_floor`. Without
    /// the time, only of the rows that are below their bounds.
    pub async fn plan<B: BackEnd>(
        back_end: &mut B,
        bounds: &Bounds,
        (with_gap, with_floor): (bool, bool),
        above: u64,
        now: Option<StoreTime>,
    ) -> Result<Moves, Problem> {
        let mut moves = Moves::default();
        moves.plan_tags(back_end, bounds, with_gap, above).await?;
        moves.tags = moves.writes.len();
        let longest = bounds.longest_ms.max(DEFAULT_MAX_WINDOW_MS);
        let granted = bounds.workers.values().map(|window| window.granted);
        let last = granted.fold(now.unwrap_or(StoreTime::new(0)), StoreTime::max);
        let lost = moves.plan_workers(back_end, bounds, now).await?;
        if with_floor {
            moves.plan_namespaces(back_end, last).await?;
        }
        if with_floor || lost {
            moves.floor = fence_time(last, longest);
        }
        Ok(moves)
    }

    /// A tag without a row was lost: a tombstone keeps its bound for when it is created again.
    async fn plan_tags<B: BackEnd>(
        &mut self,
        back_end: &mut B,
        bounds: &Bounds,
        with_gap: bool,
        above: u64,
    ) -> Result<(), Problem> {
        let mut names: BTreeSet<Name> = bounds.tags.keys().copied().collect();
        if with_gap || above > 0 {
            names.extend(positions(back_end).await?.into_iter().map(|(tag, _)| tag));
        }
        let names: Vec<Name> = names.into_iter().collect();
        for some in names.chunks(AT_ONCE) {
            let wants: Vec<Want> = some.iter().map(|tag| Want::Tag(*tag)).collect();
            for (tag, answer) in some.iter().zip(back_end.read(&wants).await?) {
                let bound = bounds.tags.get(tag).copied().unwrap_or(0).max(above);
                let before = match answer {
                    Answer::Tag(before) => before,
                    Answer::Removed(seen) => Some(seen),
                    Answer::Unreadable(problem) => {
                        tracing::error!("tag `{tag}` is not moved: {}", problem.detail);
                        continue;
                    }
                    _ => continue,
                };
                let row = before.map_or_else(tombstone, |seen| seen.row);
                let after = if with_gap { Some(row.fenced(bound)) } else { row.raised(bound) };
                let after = after.or((before.is_none()).then_some(row));
                self.writes.extend(after.map(|after| Write::Tag { tag: *tag, before, after }));
            }
        }
        Ok(())
    }

    /// Plans the numbers; says whether a namespace was lost.
    async fn plan_workers<B: BackEnd>(
        &mut self,
        back_end: &mut B,
        bounds: &Bounds,
        now: Option<StoreTime>,
    ) -> Result<bool, Problem> {
        let spaces: BTreeSet<Name> = bounds.workers.keys().map(|(name, _)| *name).collect();
        let spaces: Vec<Name> = spaces.into_iter().collect();
        // A first window that began earlier is over.
        let since = now.map(|now| now.plus(-FIRST_WINDOW_MS));
        let mut young = BTreeMap::new();
        for some in spaces.chunks(AT_ONCE) {
            let wants: Vec<Want> = some.iter().map(|name| Want::Namespace(*name)).collect();
            for (name, answer) in some.iter().zip(back_end.read(&wants).await?) {
                if let Answer::Namespace(Some(seen)) = answer {
                    let layout = seen.row.namespace.layout;
                    let first = since.map_or(u64::MAX, |since| layout.tick(since).unwrap_or(0));
                    young.insert(*name, first);
                }
            }
        }
        let is_lost = young.len() < spaces.len();
        let there = bounds
            .workers
            .iter()
            .filter_map(|((name, n), window)| Some((*name, *n, *window, *young.get(name)?)));
        let there: Vec<(Name, u32, Window, u64)> = there.collect();
        for some in there.chunks(AT_ONCE) {
            let wants: Vec<Want> =
                some.iter().map(|(name, n, ..)| Want::Worker(*name, *n)).collect();
            for ((namespace, worker, window, young), answer) in
                some.iter().zip(back_end.read(&wants).await?)
            {
                let before = match answer {
                    Answer::Workers(rows) => rows.first().map(|(_, seen)| *seen),
                    Answer::Unreadable(problem) => {
                        let why = problem.detail;
                        tracing::error!("worker {worker} of `{namespace}` is not moved: {why}");
                        continue;
                    }
                    _ => continue,
                };
                let row = before.map_or_else(WorkerRow::default, |seen| seen.row);
                if let Some(after) = row.raised(window.granted, window.end, *young) {
                    let (namespace, worker) = (*namespace, *worker);
                    let write = WorkerWrite { namespace, worker, before, after };
                    self.writes.push(Write::Worker(Box::new(write)));
                }
            }
        }
        Ok(is_lost)
    }

    async fn plan_namespaces<B: BackEnd>(
        &mut self,
        back_end: &mut B,
        last: StoreTime,
    ) -> Result<(), Problem> {
        for some in namespaces(back_end).await?.chunks(AT_ONCE) {
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
                let namespace = before.row.namespace.fenced(last, 0);
                let after = NamespaceRow { namespace, ..before.row };
                if after != before.row {
                    let before = Some(before);
                    self.writes.push(Write::Namespace { namespace: *name, before, after });
                }
            }
        }
        Ok(())
    }
}

/// Reads the bounds of every row.
pub async fn survey<B: BackEnd>(back_end: &mut B) -> Result<(Vec<Line>, u32), Problem> {
    let tags = positions(back_end).await?.into_iter();
    let mut lines: Vec<Line> = tags.map(|(tag, end)| Line::Tag(tag, end)).collect();
    let mut longest_ms = 0;
    for name in namespaces(back_end).await? {
        if let Some(Answer::Namespace(Some(seen))) =
            back_end.read(&[Want::Namespace(name)]).await?.pop()
        {
            longest_ms = longest_ms.max(seen.row.namespace.max_window_ms);
        }
        let mut after = None;
        loop {
            let page = Page { after, limit: PAGE };
            let Some(Answer::Workers(rows)) =
                back_end.read(&[Want::Workers(name, page)]).await?.pop()
            else {
                break;
            };
            let Some((last, _)) = rows.last() else { break };
            after = Some(*last);
            lines.extend(rows.iter().map(|(worker, seen)| {
                let (granted, end) = (seen.row.granted, seen.row.reserved_until);
                Line::Worker(name, *worker, Window { granted, end })
            }));
        }
    }
    Ok((lines, longest_ms))
}

async fn positions<B: BackEnd>(back_end: &mut B) -> Result<Vec<(Name, u64)>, Problem> {
    let read = |answer| match answer {
        Answer::Positions(rows) => Some(rows),
        _ => None,
    };
    pages(back_end, Want::Positions, read, |(tag, _)| *tag).await
}

async fn namespaces<B: BackEnd>(back_end: &mut B) -> Result<Vec<Name>, Problem> {
    let read = |answer| match answer {
        Answer::Names(names) => Some(names),
        _ => None,
    };
    pages(back_end, Want::NamespaceNames, read, |name| *name).await
}

async fn pages<B: BackEnd, T>(
    back_end: &mut B,
    want: fn(Page<Name>) -> Want,
    read: impl Fn(Answer) -> Option<Vec<T>>,
    name: impl Fn(&T) -> Name,
) -> Result<Vec<T>, Problem> {
    let (mut all, mut after) = (Vec::new(), None);
    loop {
        let answer = back_end.read(&[want(Page { after, limit: PAGE })]).await?.pop();
        if let Some(Answer::Unreadable(problem)) = answer {
            return Err(Problem::unavailable(problem.detail));
        }
        let rows = answer.and_then(&read).unwrap_or_default();
        let Some(last) = rows.last() else { return Ok(all) };
        after = Some(name(last));
        all.extend(rows);
    }
}
