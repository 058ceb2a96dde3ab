//! A server that stands in for a Leaf: before it serves, it takes in which numbers Leaf has. The one of this
//! machine it takes over only where a person has said that this Leaf has stopped: a Leaf that is still to be
//! started, or cannot reach its registry, is as silent as one that has.

use std::collections::BTreeMap;

use leafid_core::{Code, Name, StoreTime};
use leafid_store::problem::Problem;
use leafid_store::registry::Registry;
use leafid_store::registry::aside::is_aside;
use leafid_store::store::{NamespaceChange, Page};

use super::place::{Place, Source};
use super::plan::{LEFT, Plan, QUIET_MS, Row, Wish, check_layout, plan, usual};
use super::{Found, Growth, LAYOUT, Node};

/// The numbers of a namespace that have rows. It is made with Leaf's layout where it is missing.
///
/// # Errors
/// `LAYOUT_MISMATCH` where it has another, and the store's own refusals.
pub async fn rows(store: &Registry, namespace: Name) -> Result<BTreeMap<u32, Row>, Problem> {
    let there = match store.namespace(namespace).await {
        Err(problem) if problem.code == Code::NamespaceUnknown => {
            let layout = Some(LAYOUT);
            let change = NamespaceChange { layout, only_create: true, ..Default::default() };
            store.put_namespace(namespace, change).await?
        }
        there => there?,
    };
    check_layout(&namespace, &there.layout)?;
    let mut rows = BTreeMap::new();
    loop {
        let after = rows.last_key_value().map(|(worker, _)| *worker);
        let found = store.workers(namespace, Page { after, limit: 1_000 }).await?;
        if found.is_empty() {
            return Ok(rows);
        }
        rows.extend(found.into_iter().map(|(worker, row)| {
            let owner = row.owner.as_str().to_owned();
            let reserved_until = LAYOUT.time(row.reserved_until);
            (worker, Row { owner, aside: is_aside(&LAYOUT, &row), reserved_until })
        }));
    }
}

/// Does what is planned.
///
/// # Errors
/// The store's own refusals, after which some numbers are done and others not.
pub async fn carry_out(plan: &mut Plan, store: &Registry, space: Name) -> Result<(), Problem> {
    for step in &mut plan.steps {
        let row = store.set_aside(space, step.worker, step.aside).await?;
        step.from = LAYOUT.time(row.reserved_until);
    }
    Ok(())
}

/// Takes in the numbers, and gives the owner that this machine has been, if it has been one. Its number is
/// taken over where `stopped` says that its Leaf has stopped for good; where a Leaf that starts takes any
/// number, it says that all have, or nothing is served. `tell` is told what a person should know.
///
/// # Errors
/// What [`plan`], the store and the reading of Leaf's registry refuse; a registry that cannot be read is
/// needed until all was taken in once.
pub async fn take_over(
    place: &Place,
    store: &Registry,
    namespace: Name,
    stopped: bool,
    now: StoreTime,
    tell: impl Fn(String),
) -> Result<Option<Name>, Problem> {
    let found = match place.read(now).await {
        // What was taken in before keeps no Leaf of a pool from taking any number.
        Err(problem)
            if problem.code == Code::StoreUnavailable
                && !matches!(place.source, Source::Pool(_)) =>
        {
            return without(place, &rows(store, namespace).await?, problem, tell);
        }
        found => found?,
    };
    let own = place.own(found.nodes.iter().filter_map(|node| node.owner.as_deref()));
    let stopped = if stopped { stopped_leafs(&found, own, &tell) } else { Vec::new() };
    let wish = Wish { stopped, left: usual(found.growth), ..Wish::default() };
    let mut plan = plan(&found, &rows(store, namespace).await?, &wish)?;
    carry_out(&mut plan, store, namespace).await?;
    for line in plan.lines(&namespace, &found) {
        tell(format!("leafid: {line}"));
    }
    let rows = rows(store, namespace).await?;
    let waits = rows.iter().find(|(_, row)| row.aside && own == Some(row.owner.as_str()));
    if let Some((worker, row)) = waits {
        tell(format!(
            "leafid: number {worker} is left to the Leaf of this machine, and another is used; once that \
             Leaf has stopped for good: leafid worker import {namespace} {} --stopped {}; or serve with \
             --leaf-stopped",
            place.option(),
            row.owner
        ));
    }
    own.map(|own| Ok(Name::owner(own)?)).transpose()
}

/// Which Leafs have stopped, where a person says that this machine's has. It may have been stopped a moment
/// ago, or not yet: then its number is left alone, and this start gets on with another.
fn stopped_leafs(found: &Found, own: Option<&str>, tell: impl Fn(String)) -> Vec<String> {
    if found.growth == Growth::Any {
        return vec!["all".to_owned()];
    }
    let mine = found.nodes.iter().filter(|node| own.is_some() && node.owner.as_deref() == own);
    let quiet_ms = mine.filter_map(Node::wrote).max().map(|wrote| found.now.since(wrote));
    if let Some(quiet_ms) = quiet_ms.filter(|quiet_ms| *quiet_ms < QUIET_MS) {
        tell(format!(
            "leafid: the Leaf of this machine wrote its time {quiet_ms} ms ago: its number is left \
             alone until a start at least {} s after that, and another is used",
            QUIET_MS / 1_000
        ));
        return Vec::new();
    }
    own.iter().map(|own| (*own).to_owned()).collect()
}

/// Leaf's registry is away: what was taken in before still holds, if it was all that a Leaf may have.
fn without(
    place: &Place,
    rows: &BTreeMap<u32, Row>,
    problem: Problem,
    tell: impl Fn(String),
) -> Result<Option<Name>, Problem> {
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
    let own = place.own(rows.values().map(|row| row.owner.as_str()));
    own.map(|own| Ok(Name::owner(own)?)).transpose()
}
