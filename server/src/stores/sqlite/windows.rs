//! Worker numbers and the windows on them.

use leafid_core::registry::{self, Candidates, Namespace, Worker, WorkerRow};
use leafid_core::{AcquireAsk, Name, Release, RenewAsk, WindowGrant};

use super::catalog;
use super::writer::{Desk, Stop};
use crate::explain;
use crate::store::NamespaceChange;

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
    let key = ask.request.bytes();
    let mine = desk.rows.worker_where("key = ?2", (name.as_str(), &key))?;
    let own = "sticky = 1 AND owner = ?2 ORDER BY worker";
    let own = desk.rows.worker_where(own, (name.as_str(), ask.owner.as_str()))?;
    let (unused, passed) = unused(desk, name, &namespace, used_until)?;
    let rested = match unused {
        Some(number) => Some((number, WorkerRow::default())),
        None => rested(desk, &namespace, own, ask)?,
    };
    let candidates = Candidates { mine, own: [own, None], rested };
    let acquired = registry::acquire(desk.store, &namespace, &candidates, ask, desk.now)
        .map_err(|refusal| explain::acquire(refusal, desk.store, &namespace, ask, desk.now))?;
    let registry::Acquired { worker: (number, row), freed, grant } = acquired;
    if let Some((freed, row)) = freed {
        desk.rows.put_worker(name, freed, &row)?;
    }
    if mine != Some((number, row)) {
        desk.rows.put_worker(name, number, &row)?;
        let used = if unused == Some(number) { passed + 1 } else { passed };
        if used != used_until {
            desk.rows.put_used(name, used)?;
        }
    }
    Ok(grant)
}

/// The lowest number that was never handed out, and up to where all were.
fn unused(
    desk: &Desk<'_>,
    name: &Name,
    namespace: &Namespace,
    used_until: u64,
) -> Result<(Option<u32>, u64), Stop> {
    let mut number = used_until.max(namespace.workers.start);
    while let Ok(worker) = u32::try_from(number)
        && number < namespace.workers.end
    {
        if desk.rows.worker(name, worker)?.is_none() {
            return Ok((Some(worker), number));
        }
        number += 1;
    }
    Ok((None, number))
}

/// Of the numbers that were handed out, the one that rested longest and nobody else keeps; if
/// none is free, the one that will be free first.
fn rested(
    desk: &Desk<'_>,
    namespace: &Namespace,
    own: Option<Worker>,
    ask: &AcquireAsk,
) -> Result<Option<Worker>, Stop> {
    let name = ask.namespace.as_str();
    let signed = |value: u64| i64::try_from(value).unwrap_or(i64::MAX);
    let (start, end) = (signed(namespace.workers.start), signed(namespace.workers.end));
    let loose = "sticky = 0 AND worker >= ?2 AND worker < ?3 ORDER BY reserved_until";
    let oldest = "sticky = 1 AND worker >= ?2 AND worker < ?3 ORDER BY granted_ms";
    let kept = "sticky = 1 AND worker >= ?2 AND worker < ?3
                ORDER BY reserved_until, granted_ms";
    let loose = desk.rows.worker_where(loose, (name, start, end))?;
    // The owner that was not seen for longest is the first that keeps nothing any more.
    let oldest = desk.rows.worker_where(oldest, (name, start, end))?;
    let given_up = oldest.filter(|(_, row)| !row.is_kept_from(&ask.owner, desk.now));
    let inside = |worker: &Worker| namespace.workers.contains(u64::from(worker.0));
    let found = [loose, own.filter(inside), given_up].into_iter().flatten();
    match found.min_by_key(|(_, row)| row.reserved_until) {
        Some(worker) => Ok(Some(worker)),
        None => Ok(desk.rows.worker_where(kept, (name, start, end))?),
    }
}

/// Moves the end of a window forward.
pub fn renew(desk: &Desk<'_>, ask: &RenewAsk) -> Result<WindowGrant, Stop> {
    let (namespace, row) = find(desk, &ask.namespace, ask.worker)?;
    let (after, grant) = registry::renew(desk.store, &namespace, &row, ask, desk.now)
        .map_err(|refusal| explain::renew(refusal, desk.store, &namespace, &row, ask, desk.now))?;
    desk.rows.put_worker(&ask.namespace, ask.worker, &after)?;
    Ok(grant)
}

/// Takes back what of a window was not used.
pub fn release(desk: &Desk<'_>, ask: &Release) -> Result<(), Stop> {
    let (_, row) = find(desk, &ask.namespace, ask.worker)?;
    let after = registry::release(desk.store, &row, ask)
        .map_err(|refusal| explain::release(refusal, desk.store, &row, ask))?;
    desk.rows.put_worker(&ask.namespace, ask.worker, &after)?;
    Ok(())
}

/// An operator's release. A number that left the range may still be held.
pub fn revoke(desk: &Desk<'_>, namespace: &Name, worker: u32) -> Result<(), Stop> {
    let (space, row) = find(desk, namespace, worker)?;
    if !space.hands_out(worker) && desk.rows.worker(namespace, worker)?.is_none() {
        return Err(explain::worker_invalid(namespace, &space, worker).into());
    }
    if row != row.revoked() {
        desk.rows.put_worker(namespace, worker, &row.revoked())?;
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
