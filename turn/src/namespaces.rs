//! Namespaces: creation, and the changes that are still allowed.

use alloc::borrow::ToOwned;
use alloc::format;
use leafid_core::registry::Namespace;
use leafid_core::{Code, Layout, Name, Range, StoreTime};
use leafid_wire::advice;

use crate::change::{NamespaceChange, Page};
use crate::explain;
use crate::problem::Problem;
use crate::row::NamespaceRow;
use crate::rows::TurnRows;
use crate::stop::Stop;
use crate::want::Want;

/// Reads a namespace.
///
/// # Errors
/// `NAMESPACE_UNKNOWN`.
pub fn namespace(turn: &mut TurnRows, name: &Name) -> Result<Namespace, Stop> {
    let found = turn.namespace(name)?;
    found.map(|row| row.namespace).ok_or_else(|| explain::namespace_unknown(name).into())
}

/// Creates or changes a namespace.
///
/// # Errors
/// `LAYOUT_MISMATCH`, `LAYOUT_INVALID`, `WORKER_INVALID`, `RANGE_INVALID`, `WORKERS_EXHAUSTED` while a number that is to leave is granted.
pub fn put(turn: &mut TurnRows, name: &Name, change: &NamespaceChange) -> Result<Namespace, Stop> {
    let before = turn.untouched(name)?;
    let used_until = before.map(|row| row.used_until);
    let before = before.map(|row| row.namespace);
    if let Some(before) = before.filter(|_| change.only_create) {
        return existing(name, before, change);
    }
    let (layout, workers, max_window_ms) = match before {
        None => (change.layout.unwrap_or(Layout::LEAF), change.workers, change.max_window_ms),
        Some(row) => (
            change.layout.unwrap_or(row.layout),
            Some(change.workers.unwrap_or(row.workers)),
            Some(change.max_window_ms.unwrap_or(row.max_window_ms)),
        ),
    };
    if let Some(before) = before.filter(|before| before.layout != layout)
        && has_windows(turn, name)?
    {
        return Err(explain::layout_is_fixed(name, &before.layout, &layout).into());
    }
    let created = Namespace::create(layout, workers, max_window_ms)
        .map_err(|refusal| refused(refusal.code, name, &layout, workers, change))?;
    let lost_before = if before.is_none() { turn.lost_before()? } else { turn.floor };
    let row = Namespace { floor: floor(lost_before, before, &layout), ..created };
    if let Some(before) = before.filter(|before| *before != row) {
        keeps_promises(turn, name, &before, &row)?;
    }
    let used_until = match (before, used_until) {
        (Some(before), Some(used_until)) if before.workers == row.workers => used_until,
        (None, _) => row.workers.start,
        _ => turn.first_unused(name, row.workers.start, row.workers.end)?,
    };
    turn.put_namespace(name, NamespaceRow { namespace: row, used_until });
    Ok(row)
}

/// Answers a creation of a namespace that is there: nothing changes, and a difference is refused.
fn existing(name: &Name, before: Namespace, change: &NamespaceChange) -> Result<Namespace, Stop> {
    let layout = change.layout.unwrap_or(Layout::LEAF);
    let wanted = Namespace::create(layout, change.workers, change.max_window_ms)
        .map_err(|refusal| refused(refusal.code, name, &layout, change.workers, change))?;
    if wanted == (Namespace { floor: wanted.floor, ..before }) {
        return Ok(before);
    }
    Err(explain::namespace_exists(name, &before).into())
}

/// The tick below which nothing is granted; a change of the layout does not move it in time.
fn floor(lost_before: StoreTime, before: Option<Namespace>, layout: &Layout) -> u64 {
    let of_store = floor_tick(layout, lost_before);
    let own = match before {
        Some(row) if row.layout == *layout || row.floor == 0 => row.floor,
        Some(row) => floor_tick(layout, row.layout.time(row.floor)),
        None => 0,
    };
    own.max(of_store)
}

/// The first tick of a layout that begins no earlier than `floor`; 0 without a floor.
pub fn floor_tick(layout: &Layout, floor: StoreTime) -> u64 {
    if floor.get() == 0 || floor.get() < layout.epoch_ms() {
        return 0;
    }
    match layout.tick(floor) {
        Ok(tick) if layout.time(tick) == floor => tick,
        Ok(tick) => tick.saturating_add(1),
        Err(_) => layout.end_tick(),
    }
}

/// Whether any window was granted yet. The first one changes the namespace's row, so if there was none, there
/// is none when this is written.
fn has_windows(turn: &mut TurnRows, name: &Name) -> Result<bool, Stop> {
    let any = turn.list(Want::Workers(*name, Page { after: None, limit: 1 }))?;
    Ok(!any.workers().is_empty())
}

/// Refuses another longest window after the first window was granted, and a range without a number that is
/// not free.
fn keeps_promises(
    turn: &mut TurnRows,
    name: &Name,
    before: &Namespace,
    after: &Namespace,
) -> Result<(), Stop> {
    if !has_windows(turn, name)? {
        return Ok(());
    }
    if before.max_window_ms != after.max_window_ms {
        let detail = format!(
            "namespace `{name}` has windows of at most {} ms, and has granted some: this cannot \
             change any more; create another namespace",
            before.max_window_ms
        );
        return Err(Problem::new(Code::LayoutMismatch, detail).into());
    }
    let tick = before.layout.tick(turn.now).map_err(Problem::from)?;
    let leaving = Want::Leaving { namespace: *name, before: before.workers, after: after.workers };
    let longest = turn.list(leaving)?.workers().into_iter().next();
    let held = longest.filter(|(_, row)| row.reserved_until > tick);
    let Some((worker, row)) = held else { return Ok(()) };
    let free_at = before.layout.time(row.reserved_until);
    let detail = format!(
        "worker {worker} of namespace `{name}` cannot leave the range yet: it is granted until {} \
         (ms since 1970)",
        free_at.get()
    );
    let problem = Problem::new(Code::WorkersExhausted, detail);
    Err(problem.free_at(Some(free_at), turn.now).into())
}

fn refused(
    code: Code,
    name: &Name,
    layout: &Layout,
    workers: Option<Range>,
    change: &NamespaceChange,
) -> Problem {
    let fit = layout.workers();
    let detail = match (code, workers) {
        (Code::WorkerInvalid, Some(Range { start, end })) if start >= end => format!(
            "workers {start}..{end} contain no number; give namespace `{name}` at least one of \
             0..{fit}"
        ),
        (Code::WorkerInvalid, Some(Range { start, end })) if change.workers.is_none() => format!(
            "namespace `{name}` hands out workers {start}..{end}, but layout {} has only 0..{fit}; \
             give `workers` that fit it together with the layout",
            explain::words(layout)
        ),
        (Code::WorkerInvalid, Some(Range { start, end })) => format!(
            "workers {start}..{end} do not fit namespace `{name}`: its layout has only 0..{fit}"
        ),
        (Code::RangeInvalid, _) => format!(
            "max_window_ms must be 1000 to 86400000, got `{}` for namespace `{name}`",
            change.max_window_ms.unwrap_or(0)
        ),
        (code, _) => advice(code).to_owned(),
    };
    Problem::new(code, detail)
}
