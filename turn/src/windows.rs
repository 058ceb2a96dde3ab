//! Worker numbers and the windows on them.

use leafid_core::registry::{self, Acquired, Look, Namespace, Search, WorkerRow};
use leafid_core::{AcquireAsk, Name, Range, Release, RenewAsk, WindowGrant};

use crate::change::NamespaceChange;
use crate::explain;
use crate::namespaces;
use crate::row::NamespaceRow;
use crate::rows::TurnRows;
use crate::stop::Stop;

/// Requests every row that an acquire may need in one read, for stores where each read is a round trip.
pub fn want(turn: &mut TurnRows, ask: &AcquireAsk) {
    let name = &ask.namespace;
    // Looking at a row that was not read yet requests it.
    let _ = (turn.namespace(name), turn.mine(name, ask.request), turn.own(name, &ask.owner));
    let _ = turn.resting(name);
}

/// Requests both rows that a renewal or a release needs in one read.
pub fn want_held(turn: &mut TurnRows, name: &Name, worker: u32) {
    let _ = (turn.namespace(name), turn.worker(name, worker));
}

/// Grants a worker number and a window on it.
///
/// # Errors
/// [`registry::acquire`]'s, `NAMESPACE_UNKNOWN`.
pub fn acquire(turn: &mut TurnRows, ask: &AcquireAsk) -> Result<WindowGrant, Stop> {
    let name = &ask.namespace;
    let row = match turn.settled(name)? {
        Some(row) => row,
        None if turn.first_use => {
            let change = NamespaceChange { layout: ask.layout, ..NamespaceChange::default() };
            let namespace = namespaces::put(turn, name, &change)?;
            NamespaceRow { namespace, used_until: namespace.workers.start }
        }
        None => return Err(explain::namespace_unknown(name).into()),
    };
    let NamespaceRow { namespace, used_until } = row;
    let mine = turn.mine(name, ask.request)?;
    let mut search = Search { used_until, mine, ..Search::default() };
    if mine.is_none() {
        search.own = turn.own(name, &ask.owner)?;
    }
    let candidates = loop {
        match search.next(&namespace, &ask.owner, turn.now) {
            Look::Unused { from } => {
                search.unused = Some(turn.unused(name, from, namespace.workers.end)?);
            }
            Look::Resting => {
                let found = turn.resting(name)?.into_iter();
                let first = namespace.longest_rested(found, &ask.owner, turn.now);
                search.resting = Some([first, None]);
            }
            Look::Enough(candidates) => break candidates,
        }
    };
    let acquired = registry::acquire(turn.store, &namespace, &candidates, ask, turn.now)
        .map_err(|refusal| explain::acquire(refusal, turn.store, &namespace, ask, turn.now))?;
    let Acquired { worker, freed, grant } = acquired;
    turn.grant(name, worker.0);
    if mine == Some(worker) {
        return Ok(grant);
    }
    for changed in freed.into_iter().chain([worker]) {
        turn.join_worker(name, changed);
    }
    let used_until = search.used_until(worker.0);
    if used_until != row.used_until {
        turn.put_namespace(name, NamespaceRow { namespace, used_until });
    }
    Ok(grant)
}

/// Moves the end of a window forward, unless its worker number is outside of `within`: a declaration that
/// shrinks the range lets the windows of other numbers run out.
///
/// # Errors
/// [`registry::renew`]'s, `NAMESPACE_UNKNOWN`, `WORKER_INVALID`.
pub fn renew(
    turn: &mut TurnRows,
    ask: &RenewAsk,
    within: Option<Range>,
) -> Result<WindowGrant, Stop> {
    let (known, row) = find(turn, &ask.namespace, ask.worker)?;
    let namespace = Namespace { workers: within.unwrap_or(known.workers), ..known };
    let (store, now) = (turn.store, turn.now);
    let refused = |refusal| explain::renew(refusal, store, &namespace, &row, ask, now);
    let (after, answer) = registry::renew(store, &namespace, &row, ask, now).map_err(refused)?;
    turn.claim(Some(ask.have_until), row.reserved_until);
    turn.put_worker(&ask.namespace, ask.worker, after);
    turn.grant(&ask.namespace, ask.worker);
    Ok(answer.map_err(refused)?)
}

/// Takes back the rest of a window.
///
/// # Errors
/// [`registry::release`]'s, `NAMESPACE_UNKNOWN`, `WORKER_INVALID`.
pub fn release(turn: &mut TurnRows, ask: &Release) -> Result<(), Stop> {
    let (_, row) = find(turn, &ask.namespace, ask.worker)?;
    let after = registry::release(turn.store, &row, ask)
        .map_err(|refusal| explain::release(refusal, turn.store, &row, ask))?;
    turn.put_worker(&ask.namespace, ask.worker, after);
    Ok(())
}

/// An operator's release, also of a number that has left the range. A number that was never granted has
/// nothing to release.
pub fn revoke(turn: &mut TurnRows, name: &Name, worker: u32) -> Result<(), Stop> {
    let namespace = namespaces::namespace(turn, name)?;
    // A change of the range in this turn changes rows that are at hand as they were.
    turn.settled(name)?;
    let row = turn.worker(name, worker)?;
    if row.is_none() && !namespace.hands_out(worker) {
        return Err(explain::worker_invalid(name, &namespace, worker).into());
    }
    if let Some(row) = row {
        turn.put_worker(name, worker, row.revoked());
    }
    Ok(())
}

fn find(turn: &mut TurnRows, name: &Name, worker: u32) -> Result<(Namespace, WorkerRow), Stop> {
    let NamespaceRow { namespace, .. } = with(turn, name, worker)?;
    Ok((namespace, turn.known_worker(name, worker)?.unwrap_or_default()))
}

/// A namespace with this number in its layout.
pub(crate) fn with(turn: &mut TurnRows, name: &Name, worker: u32) -> Result<NamespaceRow, Stop> {
    let row = turn.settled(name)?.ok_or_else(|| explain::namespace_unknown(name))?;
    if u64::from(worker) >= row.namespace.layout.workers() {
        return Err(explain::worker_invalid(name, &row.namespace, worker).into());
    }
    Ok(row)
}
