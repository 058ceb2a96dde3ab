//! A server that stands in for a Leaf: before it serves, it takes in which numbers Leaf has. The one of this
//! machine it takes over only where a person has said that this Leaf has stopped: a Leaf that is still to be
//! started, or cannot reach its registry, is as silent as one that has.

use std::sync::Arc;

use leafid_core::{Code, Name};
use leafid_store::clock::Clock;
use leafid_store::problem::Problem;
use leafid_store::registry::Registry;

use super::import::{Direct, Numbers, import};
use super::modes::{Place, Source};
use super::plan::{LEFT, QUIET_MS, ROOM, Row, Who, Wish};
use super::{Growth, LAYOUT, Node};

/// Takes in the numbers, and gives the owner that this machine has been, if it has been one. Its number is
/// taken over where `stopped` says that its Leaf has stopped for good; where a Leaf that starts takes any
/// number, it says that all have, or nothing is served. `tell` is told what a person should know.
///
/// # Errors
/// What [`import`] and the reading of Leaf's registry refuse; a registry that cannot be read is needed
/// until all was taken in once.
pub fn take_over(
    place: &Place,
    store: Arc<Registry>,
    namespace: Name,
    stopped: bool,
    clock: &dyn Clock,
    tell: impl Fn(String),
) -> Result<Option<Name>, Problem> {
    let numbers = Direct::of(store, namespace)?;
    let found = match (place.read(clock.wall()), &place.source) {
        // What was taken in before keeps no Leaf of a pool from taking any number.
        (found, Source::Pool(_)) => found?,
        (Err(problem), _) if problem.code == Code::StoreUnavailable => {
            return without(place, &numbers, problem, tell);
        }
        (found, _) => found?,
    };
    let own = place.own(found.nodes.iter().filter_map(|node| node.owner.as_deref()));
    let own = own.map(str::to_owned);
    // It may have been stopped a moment ago, or not yet: then its number is left alone, and this start
    // gets on with another.
    let mine = |node: &&Node| node.owner.is_some() && node.owner == own;
    let wrote = found.nodes.iter().filter(mine).filter_map(|node| node.seen.or(node.stamped)).max();
    let quiet_ms = wrote.map(|wrote| found.now.since(wrote));
    let stopped = match quiet_ms {
        _ if !stopped => Who::Nobody,
        _ if found.growth == Growth::Any => Who::All,
        Some(quiet_ms) if quiet_ms < QUIET_MS => {
            tell(format!(
                "leafid: the Leaf of this machine wrote its time {quiet_ms} ms ago: its number is left \
                 alone until a start at least {} s after that, and another is used",
                QUIET_MS / 1_000
            ));
            Who::Nobody
        }
        _ => Who::These(own.iter().cloned().collect()),
    };
    let next = match found.growth {
        Growth::Next(next) => next,
        Growth::Any | Growth::Listed => 0,
    };
    let left = LEFT.max(next.saturating_add(ROOM)).min(LAYOUT.workers());
    let wish = Wish { stopped, left, ..Wish::default() };
    for line in import(&numbers, &namespace, &found, &wish)?.lines(&namespace, &found) {
        tell(format!("leafid: {line}"));
    }
    let rows = numbers.rows()?;
    let waits = rows.iter().find(|(_, row)| row.aside && own.as_ref() == Some(&row.owner));
    if let Some((worker, row)) = waits {
        tell(format!(
            "leafid: number {worker} is left to the Leaf of this machine, and another is used; once that \
             Leaf has stopped for good: leafid worker import {namespace} {} --stopped {}; or serve with \
             --leaf-stopped",
            place.option(),
            row.owner
        ));
    }
    own.map(|own| Ok(Name::owner(&own)?)).transpose()
}

/// Leaf's registry is away: what was taken in before still holds, if it was all that a Leaf may have.
fn without(
    place: &Place,
    numbers: &impl Numbers,
    problem: Problem,
    tell: impl Fn(String),
) -> Result<Option<Name>, Problem> {
    let rows = numbers.rows()?;
    // A row says that its own number was taken in, or only that it was drawn from.
    let lacks = |worker: &u64| u32::try_from(*worker).is_ok_and(|it| !rows.contains_key(&it));
    let lacking = (0..LEFT).filter(lacks);
    if let Some(first) = lacking.clone().next() {
        let cure = match place.source {
            Source::Tree(_) => {
                "; or, if it is gone for good, import what Leaf kept beside it on each machine: leafid worker \
                 import default --leaf-local workerID.properties --owner IP:PORT"
            }
            _ => "",
        };
        let detail = format!(
            "{}; {} of the numbers below {LEFT}, which a Leaf may have, were never taken in, the first is \
             {first}{cure}",
            problem.detail,
            lacking.count()
        );
        return Err(Problem { detail, ..problem });
    }
    tell(format!(
        "leafid: {}; what was taken in before holds, a Leaf that started since would not be noticed",
        problem.detail
    ));
    let own = place.own(rows.values().map(|row: &Row| row.owner.as_str()));
    own.map(|own| Ok(Name::owner(own)?)).transpose()
}
