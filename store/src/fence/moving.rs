//! Moves every line of a store that is below its bound, and reads the bounds of a store that is whole.

use std::collections::{BTreeMap, BTreeSet};

use leafid_core::registry::{DEFAULT_MAX_WINDOW_MS, FIRST_WINDOW_MS, WorkerRow, fence_time};
use leafid_core::{Name, StoreTime};
use leafid_turn::journal::tombstone;
use leafid_turn::register::Line;

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
        let longest = bounds.longest_ms.max(DEFAULT_MAX_WINDOW_MS);
        let windows = bounds.lines.values().filter(|line| line.row.1.is_some());
        let last = windows.map(Line::granted).max().max(now).unwrap_or(StoreTime::new(0));
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
        let mut names: BTreeSet<Name> = bounds.tags().map(|(tag, _)| tag).collect();
        if with_gap || above > 0 {
            names.extend(positions(back_end).await?.into_iter().map(|(tag, _)| tag));
        }
        for (tag, answer) in read(back_end, names, |tag| Want::Tag(*tag)).await? {
            let before = match answer {
                Answer::Tag(before) => before,
                Answer::Removed(seen) => Some(seen),
                _ => continue,
            };
            let bound = bounds.lines.get(&(tag, None)).map_or(0, |line| line.end).max(above);
            let row = before.map_or_else(tombstone, |seen| seen.row);
            let after = if with_gap { Some(row.fenced(bound)) } else { row.raised(bound) };
            let after = after.or((before.is_none()).then_some(row));
            self.writes.extend(after.map(|after| Write::Tag { tag, before, after }));
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
        let windows = bounds.lines.values();
        let windows = windows.filter_map(|line| Some((line.row.0, line.row.1?, *line)));
        let spaces: BTreeSet<Name> = windows.clone().map(|(name, ..)| name).collect();
        // A first window that began earlier is over.
        let since = now.map(|now| now.plus(-FIRST_WINDOW_MS));
        let mut young = BTreeMap::new();
        for (name, answer) in
            read(back_end, spaces.iter().copied(), |name| Want::Namespace(*name)).await?
        {
            if let Answer::Namespace(Some(seen)) = answer {
                let layout = seen.row.namespace.layout;
                let first = since.map_or(u64::MAX, |since| layout.tick(since).unwrap_or(0));
                young.insert(name, first);
            }
        }
        let there = windows.filter(|(name, ..)| young.contains_key(name));
        let want = |(name, worker, _): &(Name, u32, Line)| Want::Worker(*name, *worker);
        for ((namespace, worker, line), answer) in read(back_end, there, want).await? {
            let Answer::Workers(rows) = answer else { continue };
            let before = rows.first().map(|(_, seen)| *seen);
            let row = before.map_or_else(WorkerRow::default, |seen| seen.row);
            let young = young.get(&namespace).copied().unwrap_or(0);
            if let Some(after) = row.raised(line.granted(), line.end, young) {
                let write = WorkerWrite { namespace, worker, before, after };
                self.writes.push(Write::Worker(Box::new(write)));
            }
        }
        Ok(young.len() < spaces.len())
    }

    async fn plan_namespaces<B: BackEnd>(
        &mut self,
        back_end: &mut B,
        last: StoreTime,
    ) -> Result<(), Problem> {
        let names = namespaces(back_end).await?;
        for (namespace, answer) in read(back_end, names, |name| Want::Namespace(*name)).await? {
            let Answer::Namespace(Some(before)) = answer else { continue };
            let after =
                NamespaceRow { namespace: before.row.namespace.fenced(last, 0), ..before.row };
            if after != before.row {
                let before = Some(before);
                self.writes.push(Write::Namespace { namespace, before, after });
            }
        }
        Ok(())
    }
}

/// Reads rows, and leaves out those that cannot be read, which the log names.
async fn read<B: BackEnd, T>(
    back_end: &mut B,
    rows: impl IntoIterator<Item = T>,
    want: impl Fn(&T) -> Want,
) -> Result<Vec<(T, Answer)>, Problem> {
    let rows: Vec<T> = rows.into_iter().collect();
    let wants: Vec<Want> = rows.iter().map(want).collect();
    let mut answers = Vec::with_capacity(rows.len());
    for some in wants.chunks(AT_ONCE) {
        answers.extend(back_end.read(some).await?);
    }
    let mut read: Vec<(T, Answer)> = rows.into_iter().zip(answers).collect();
    read.retain(|(_, answer)| match answer {
        Answer::Unreadable(problem) => {
            tracing::error!("a row is not moved: {}", problem.detail);
            false
        }
        _ => true,
    });
    Ok(read)
}

/// Reads the bounds of every row.
pub async fn survey<B: BackEnd>(back_end: &mut B) -> Result<(Vec<Line>, u32), Problem> {
    let tags = positions(back_end).await?.into_iter();
    let mut lines: Vec<Line> = tags.map(|(tag, end)| Line::tag(tag, end)).collect();
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
                let granted = seen.row.granted.get().unsigned_abs();
                Line::worker(name, *worker, granted, seen.row.reserved_until)
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
