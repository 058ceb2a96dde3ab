//! Worker numbers and the windows on them.

use leafid_core::registry::{self, Acquired, Candidates, Namespace, Worker, WorkerRow};
use leafid_core::{AcquireAsk, Name, Release, RenewAsk, WindowGrant};

use super::namespaces;
use super::rows::{Stop, TurnRows};
use crate::backends::NamespaceRow;
use crate::registry::explain;
use crate::store::NamespaceChange;

/// Gives a worker number and a first window.
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
    let namespace = row.namespace;
    let mine = turn.mine(name, ask.request)?;
    let mut candidates = Candidates { mine, ..Candidates::default() };
    let (mut unused, mut next, mut fresh) = (row.used_until, row.used_until, None);
    // A request that comes again is answered from its row, and nothing else is looked for.
    if mine.is_none() {
        candidates.own = turn.own(name, &ask.owner)?;
        (unused, next) = first_unused(turn, name, &row)?;
        fresh = u32::try_from(unused).ok().filter(|_| namespace.workers.contains(unused));
        candidates.rested = match fresh {
            Some(number) => Some((number, WorkerRow::default())),
            None => rested(turn, &namespace, candidates.own, ask)?,
        };
    }
    let acquired = registry::acquire(turn.store, &namespace, &candidates, ask, turn.now)
        .map_err(|refusal| explain::acquire(refusal, turn.store, &namespace, ask, turn.now))?;
    let Acquired { worker, freed, grant } = acquired;
    if mine == Some(worker) {
        return Ok(grant);
    }
    for changed in freed.into_iter().chain([worker]) {
        turn.join_worker(name, changed);
    }
    let used_until = if fresh == Some(worker.0) { next } else { unused };
    if used_until != row.used_until {
        turn.put_namespace(name, NamespaceRow { namespace, used_until });
    }
    Ok(grant)
}

/// The lowest number that was never handed out, beyond the range if all of it was; and the next.
fn first_unused(turn: &mut TurnRows, name: &Name, row: &NamespaceRow) -> Result<(u64, u64), Stop> {
    let (used_until, workers) = (row.used_until, row.namespace.workers);
    if used_until >= workers.end {
        return Ok((used_until, used_until));
    }
    // What is noted is not believed without a look: a number with a row may be held.
    turn.unused(name, used_until.max(workers.start), workers.end)
}

/// Of the numbers that were handed out, the one that rested longest and nobody else keeps; if
/// none is free, the one that will be free first.
fn rested(
    turn: &mut TurnRows,
    namespace: &Namespace,
    own: [Option<Worker>; 2],
    ask: &AcquireAsk,
) -> Result<Option<Worker>, Stop> {
    // If the kept one of these is still kept, then so are all other kept ones.
    let found = turn.resting(&ask.namespace)?.into_iter().chain(own.into_iter().flatten());
    let inside = found.filter(|(number, _)| namespace.hands_out(*number));
    Ok(inside.min_by_key(|(_, row)| (row.is_kept_from(&ask.owner, turn.now), row.reserved_until)))
}

/// Moves the end of a window forward.
pub fn renew(turn: &mut TurnRows, ask: &RenewAsk) -> Result<WindowGrant, Stop> {
    let (namespace, row) = find(turn, &ask.namespace, ask.worker)?;
    let (after, grant) = registry::renew(turn.store, &namespace, &row, ask, turn.now)
        .map_err(|refusal| explain::renew(refusal, turn.store, &namespace, &row, ask, turn.now))?;
    turn.put_worker(&ask.namespace, ask.worker, after);
    Ok(grant)
}

/// Takes back what of a window was not used.
pub fn release(turn: &mut TurnRows, ask: &Release) -> Result<(), Stop> {
    let (_, row) = find(turn, &ask.namespace, ask.worker)?;
    let after = registry::release(turn.store, &row, ask)
        .map_err(|refusal| explain::release(refusal, turn.store, &row, ask))?;
    turn.put_worker(&ask.namespace, ask.worker, after);
    Ok(())
}

/// An operator's release, of a number that left the range too. A number that was never handed out
/// has nothing to release.
pub fn revoke(turn: &mut TurnRows, name: &Name, worker: u32) -> Result<(), Stop> {
    let namespace = namespaces::namespace(turn, name)?;
    // With a range its numbers' rows change, and this turn has them as they were.
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
    let known = turn.settled(name)?.map(|row| row.namespace);
    let namespace = known.ok_or_else(|| explain::namespace_unknown(name))?;
    if u64::from(worker) >= namespace.layout.workers() {
        return Err(explain::worker_invalid(name, &namespace, worker).into());
    }
    Ok((namespace, turn.known_worker(name, worker)?.unwrap_or_default()))
}
