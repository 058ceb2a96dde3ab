//! Worker numbers and the windows on them.

use leafid_core::registry::{self, Acquired, Candidates, Namespace, Worker, WorkerRow};
use leafid_core::{AcquireAsk, Name, Release, RenewAsk, WindowGrant};

use super::catalog;
use super::desk::{Desk, Stop};
use crate::explain;
use crate::store::NamespaceChange;

#[cfg(test)]
mod tests;

/// Gives a worker number and a first window.
pub fn acquire(desk: &Desk<'_>, ask: &AcquireAsk) -> Result<WindowGrant, Stop> {
    let name = &ask.namespace;
    let (namespace, used_until) = match desk.rows.namespace(name)? {
        Some(found) => found,
        None if desk.options.first_use => {
            let change = NamespaceChange { layout: ask.layout, ..NamespaceChange::default() };
            let row = catalog::put(desk, name, &change)?;
            (row, row.workers.start)
        }
        None => return Err(explain::namespace_unknown(name).into()),
    };
    let (mut unused, mut fresh) = (used_until, None);
    let mine = desk.rows.mine(name, &ask.request)?;
    let mut candidates = Candidates { mine, ..Candidates::default() };
    // A request that comes again is answered from its row, and nothing else is looked for.
    if mine.is_none() {
        candidates.own = desk.rows.own(name, &ask.owner)?;
        unused = first_unused(desk, name, &namespace, used_until)?;
        fresh = u32::try_from(unused).ok().filter(|_| namespace.workers.contains(unused));
        candidates.rested = match fresh {
            Some(number) => Some((number, WorkerRow::default())),
            None => rested(desk, &namespace, candidates.own, ask)?,
        };
    }
    let acquired = registry::acquire(desk.store, &namespace, &candidates, ask, desk.now)
        .map_err(|refusal| explain::acquire(refusal, desk.store, &namespace, ask, desk.now))?;
    let Acquired { worker, freed, grant } = acquired;
    if mine == Some(worker) {
        return Ok(grant);
    }
    // What is written was read before, except for the row of a fresh number.
    let [own, other] = candidates.own;
    let read = [own, other, candidates.rested.filter(|_| fresh.is_none())];
    for (number, row) in freed.into_iter().chain([worker]) {
        let before = read.iter().flatten().find(|(read, _)| *read == number);
        desk.rows.put_worker(name, number, before.map(|(_, row)| row), &row)?;
    }
    if fresh == Some(worker.0) {
        unused = desk.rows.unused(name, unused + 1)?;
    }
    if unused != used_until {
        desk.rows.put_used(name, unused)?;
    }
    Ok(grant)
}

/// The lowest number that was never handed out; beyond the range if all of it was.
fn first_unused(
    desk: &Desk<'_>,
    name: &Name,
    namespace: &Namespace,
    used_until: u64,
) -> Result<u64, Stop> {
    if used_until >= namespace.workers.end {
        return Ok(used_until);
    }
    // What is noted is not believed without a look: a number with a row may be held.
    Ok(desk.rows.unused(name, used_until.max(namespace.workers.start))?)
}

/// Of the numbers that were handed out, the one that rested longest and nobody else keeps; if
/// none is free, the one that will be free first.
fn rested(
    desk: &Desk<'_>,
    namespace: &Namespace,
    own: [Option<Worker>; 2],
    ask: &AcquireAsk,
) -> Result<Option<Worker>, Stop> {
    let loose = desk.rows.rested(&ask.namespace)?;
    // If this one is still kept, then so are all other kept ones.
    let kept = desk.rows.kept(&ask.namespace)?;
    let found = own.into_iter().chain([loose, kept]).flatten();
    let inside = found.filter(|(number, _)| namespace.hands_out(*number));
    Ok(inside.min_by_key(|(_, row)| (row.is_kept_from(&ask.owner, desk.now), row.reserved_until)))
}

/// Moves the end of a window forward.
pub fn renew(desk: &Desk<'_>, ask: &RenewAsk) -> Result<WindowGrant, Stop> {
    let (namespace, row) = find(desk, &ask.namespace, ask.worker)?;
    let (after, grant) = registry::renew(desk.store, &namespace, &row, ask, desk.now)
        .map_err(|refusal| explain::renew(refusal, desk.store, &namespace, &row, ask, desk.now))?;
    desk.rows.put_worker(&ask.namespace, ask.worker, Some(&row), &after)?;
    Ok(grant)
}

/// Takes back what of a window was not used.
pub fn release(desk: &Desk<'_>, ask: &Release) -> Result<(), Stop> {
    let (_, row) = find(desk, &ask.namespace, ask.worker)?;
    let after = registry::release(desk.store, &row, ask)
        .map_err(|refusal| explain::release(refusal, desk.store, &row, ask))?;
    desk.rows.put_worker(&ask.namespace, ask.worker, Some(&row), &after)?;
    Ok(())
}

/// An operator's release, of a number that left the range too. A number that was never handed out
/// has nothing to release.
pub fn revoke(desk: &Desk<'_>, name: &Name, worker: u32) -> Result<(), Stop> {
    let namespace = catalog::namespace(desk, name)?;
    let row = desk.rows.worker(name, worker)?;
    if row.is_none() && !namespace.hands_out(worker) {
        return Err(explain::worker_invalid(name, &namespace, worker).into());
    }
    if let Some(row) = row {
        desk.rows.put_worker(name, worker, Some(&row), &row.revoked())?;
    }
    Ok(())
}

fn find(desk: &Desk<'_>, name: &Name, worker: u32) -> Result<(Namespace, WorkerRow), Stop> {
    let namespace = catalog::namespace(desk, name)?;
    if u64::from(worker) >= namespace.layout.workers() {
        return Err(explain::worker_invalid(name, &namespace, worker).into());
    }
    Ok((namespace, desk.rows.worker(name, worker)?.unwrap_or_default()))
}
