//! Takes in Leaf's worker numbers before a server that replaces a Leaf serves. This machine's number is
//! taken over only if a person declares its Leaf stopped: a Leaf that is yet to start, or cannot reach its
//! registry, is as silent as a stopped one.

use std::collections::BTreeMap;

use leafid_core::{Code, Name, StoreTime};
use leafid_store::problem::Problem;
use leafid_store::registry::Registry;
use leafid_store::registry::aside::is_aside;
use leafid_store::store::{NamespaceChange, Page};

use super::place::{Place, Source};
use super::plan::{LEFT, QUIET_MS, Row, Wish, check_layout, plan, usual};
use super::{Found, Growth, LAYOUT, Node};

/// The rows of a namespace's numbers. A missing namespace is made, with Leaf's layout.
async fn rows(store: &Registry, namespace: Name) -> Result<BTreeMap<u32, Row>, Problem> {
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

/// Takes in Leaf's numbers, and gives the name of this machine's Leaf, if it had one. `stopped` means that
/// this Leaf has stopped for good, so its number is taken over; where a starting Leaf takes any number, it
/// must mean all Leafs, or nothing is served. `tell` gets messages for the operator.
///
/// # Errors
/// The refusals of [`plan`], the store and the reader of Leaf's registry; without the registry only if not
/// all numbers were taken in once.
pub async fn take_over(
    place: &Place,
    store: &Registry,
    namespace: Name,
    stopped: bool,
    now: StoreTime,
    tell: impl Fn(String),
) -> Result<Option<Name>, Problem> {
    let found = match place.read(now).await {
        // With a pool a new Leaf may take any number, whatever was taken in before.
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
    for step in &mut plan.steps {
        let row = store.set_aside(namespace, step.worker, step.aside).await?;
        step.from = LAYOUT.time(row.reserved_until);
    }
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

/// The Leafs to count as stopped after a person declared this machine's stopped. If that one wrote a moment
/// ago, it may be running still: its number is left alone, and this start uses another.
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

/// Starts without Leaf's registry, if all numbers that a Leaf may have were taken in before.
fn without(
    place: &Place,
    rows: &BTreeMap<u32, Row>,
    problem: Problem,
    tell: impl Fn(String),
) -> Result<Option<Name>, Problem> {
    // A number without a row was neither taken in nor granted.
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
