//! Plans what to do with each worker number, from Leaf's registry and the store's rows.

use std::collections::{BTreeMap, BTreeSet};

use leafid_core::{Code, Layout, Name, StoreTime};
use leafid_store::problem::Problem;
use leafid_store::store::Aside;
use leafid_store::utc;

use super::{Found, Growth, LAYOUT, Node};
use crate::invalid;

/// The default limit below which numbers are left to new Leafs: half of all numbers.
pub const LEFT: u64 = 512;
/// The fewest numbers that are left to Leafs that start for the first time.
const ROOM: u64 = 64;
/// A Leaf that wrote its time less than this ago is running: it writes every 3 s.
pub const QUIET_MS: i64 = 15_000;
/// How far above the last time of a Leaf its number begins: that was written up to 3 s before the Leaf
/// stopped, and writing takes time.
pub const MARGIN_MS: i64 = 10_000;
/// A clock that was further ahead than this is left to a person.
const AHEAD_MS: i64 = 3_600_000;

/// A person's orders about Leafs, each named by its `ip:port`, or `all` of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wish {
    /// Leafs that have stopped for good.
    pub stopped: Vec<String>,
    /// Leafs that are to run again on a number that leafid took over.
    pub back: Vec<String>,
    /// The limit below which numbers are left to Leafs that start for the first time.
    pub left: u64,
    /// How long a node has to have been quiet before it counts as stopped, in ms.
    pub quiet_ms: i64,
    /// How far above the last time of a Leaf its number begins, in ms.
    pub margin_ms: i64,
}

impl Default for Wish {
    fn default() -> Wish {
        let (stopped, back) = Default::default();
        Wish { stopped, back, left: LEFT, quiet_ms: QUIET_MS, margin_ms: MARGIN_MS }
    }
}

fn all(named: &[String]) -> bool {
    named.iter().any(|name| name == "all")
}

fn has(named: &[String], owner: Option<&str>) -> bool {
    all(named) || named.iter().any(|name| Some(name.as_str()) == owner)
}

/// A worker number's row in the store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// Its present, last or intended owner; empty for none.
    pub owner: String,
    /// Whether the number is set aside.
    pub aside: bool,
    /// The end of its reserved time, by the store's clock.
    pub reserved_until: StoreTime,
}

/// One write of the plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The worker number.
    pub worker: u32,
    /// The row to write.
    pub aside: Aside,
    /// If the number was leafid's, the end of the time that it may have stamped with it.
    pub ours_until: Option<StoreTime>,
    /// The time from which the number may be granted; set when the step is written.
    pub from: StoreTime,
}

/// The steps to write, and the summary once they are written. A plan that was interrupted can be made again
/// and goes on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// The writes, by number.
    pub steps: Vec<Step>,
    /// How many numbers need no write.
    pub as_wanted: usize,
    /// How many numbers are set aside afterwards.
    pub aside_now: usize,
}

impl Plan {
    /// The steps that set a number aside for Leaf.
    pub fn aside(&self) -> impl Iterator<Item = &Step> {
        self.steps.iter().filter(|step| step.aside.until.is_none())
    }

    /// The steps that take a number over.
    pub fn over(&self) -> impl Iterator<Item = &Step> {
        self.steps.iter().filter(|step| step.aside.until.is_some())
    }

    /// The steps that give a number of leafid's back to a Leaf, with the end of leafid's time.
    pub fn back(&self) -> impl Iterator<Item = (&Step, StoreTime)> {
        let owned = self.aside().filter(|step| !step.aside.owner.is_empty());
        owned.filter_map(|step| Some((step, step.ours_until?)))
    }

    /// Describes what was done, for the operator, in lines.
    pub fn lines(&self, namespace: &Name, found: &Found) -> Vec<String> {
        let (aside, over, nodes) = (self.aside().count(), self.over().count(), found.nodes.len());
        let numbers = if aside == 1 { "number" } else { "numbers" };
        let mut lines = vec![format!(
            "namespace `{namespace}`: {aside} {numbers} set aside, {over} taken over, {} as they were; set \
             aside now: {}; {} has {nodes}",
            self.as_wanted, self.aside_now, found.place
        )];
        let owned = self.over().filter(|step| !step.aside.owner.is_empty());
        lines.extend(owned.map(|Step { worker, aside, from, .. }| {
            format!("worker {worker} is kept for `{}`, from {} on", aside.owner, utc::text(*from))
        }));
        // The time has passed by the store's clock, but a Leaf stamps by its own.
        lines.extend(self.back().map(|(Step { worker, aside, .. }, until)| {
            format!(
                "worker {worker} is `{}`'s again: start its Leaf when its own clock is past {}",
                aside.owner,
                utc::text(until)
            )
        }));
        lines
    }
}

/// Checks that the namespace has Leaf's layout.
///
/// # Errors
/// `LAYOUT_MISMATCH`.
pub fn check_layout(namespace: &Name, layout: &Layout) -> Result<(), Problem> {
    if *layout == LAYOUT {
        return Ok(());
    }
    let detail = format!(
        "namespace `{namespace}` does not have Leaf's layout, so its IDs would not continue where \
         Leaf's end: create another with --layout leaf"
    );
    Err(Problem::new(Code::LayoutMismatch, detail))
}

/// Plans what to do.
///
/// # Errors
/// `REQUEST_INVALID` with every objection; then nothing is to be written.
pub fn plan(found: &Found, rows: &BTreeMap<u32, Row>, wish: &Wish) -> Result<Plan, Problem> {
    let mut wrong = Vec::new();
    let nodes = by_number(found, &mut wrong);
    named(found, wish, &mut wrong);
    let known = match all(&wish.stopped) {
        true => LAYOUT.workers(),
        false => taken_in(found, &nodes, rows),
    };
    let left = left(found, wish, &mut wrong);
    let below_left = 0..u32::try_from(left.min(LAYOUT.workers())).unwrap_or(0);
    let aside = rows.iter().filter(|(_, row)| row.aside).map(|(worker, _)| *worker);
    let mut aside_now = aside.clone().count();
    let numbers: BTreeSet<u32> = nodes.keys().copied().chain(below_left).chain(aside).collect();
    let (mut steps, mut as_wanted, mut granted) = (Vec::new(), 0, Vec::new());
    for worker in numbers.into_iter().filter(|worker| u64::from(*worker) < LAYOUT.workers()) {
        let (node, row) = (nodes.get(&worker).copied(), rows.get(&worker));
        let ours = row.filter(|row| !row.aside);
        let is_known = u64::from(worker) < known;
        if let (None, Some(row), false) = (node, ours, is_known || all(&wish.back)) {
            granted.push((worker, &row.owner));
            continue;
        }
        match (Number { worker, node, row, is_known, found, wish }).wanted() {
            Ok(None) => as_wanted += 1,
            Ok(Some(aside)) => {
                aside_now -= usize::from(row.is_some_and(|row| row.aside));
                aside_now += usize::from(aside.until.is_none());
                let ours_until = ours.map(|row| row.reserved_until);
                steps.push(Step { worker, aside, ours_until, from: StoreTime::new(0) });
            }
            Err(why) => wrong.push(why),
        }
    }
    if let Some((worker, owner)) = granted.first() {
        wrong.push(format!(
            "number {worker} is leafid's (last owner: `{owner}`), as are {} more below {left}, and a Leaf that \
             starts for the first time may take it: leave less to Leaf with --leave, or stop what draws \
             from this namespace and say --back all",
            granted.len() - 1
        ));
    }
    match wrong.is_empty() {
        true => Ok(Plan { steps, as_wanted, aside_now }),
        false => Err(invalid(wrong.join("; also: "))),
    }
}

/// The limit below which numbers are left to new Leafs.
fn left(found: &Found, wish: &Wish, wrong: &mut Vec<String>) -> u64 {
    let all_stop = all(&wish.stopped);
    match found.growth {
        Growth::Next(next) => {
            let enough = next.saturating_add(ROOM).min(LAYOUT.workers());
            if all_stop || enough <= wish.left {
                return wish.left;
            }
            wrong.push(format!(
                "the next Leaf takes number {next}, and only the numbers below {} are left to Leaf: say \
                 --leave {enough} or more, up to {}",
                wish.left,
                LAYOUT.workers()
            ));
            next
        }
        Growth::Any => {
            if !all_stop {
                wrong.push(format!(
                    "in zk_recycle a Leaf that starts takes any number that no other Leaf uses, so leafid \
                     has no number beside it: stop all Leafs that use {}, then add --stopped all (for \
                     `leafid serve`: --leaf-stopped)",
                    found.place
                ));
            }
            LAYOUT.workers()
        }
        Growth::Listed => 0,
    }
}

/// The default limit below which numbers are, or may soon be, a Leaf's.
pub fn usual(growth: Growth) -> u64 {
    match growth {
        Growth::Next(next) => next.saturating_add(ROOM).clamp(LEFT, LAYOUT.workers()),
        Growth::Any | Growth::Listed => LEFT,
    }
}

/// The limit below which every number was once set aside, so that one that is granted now was taken over.
/// The highest that still waits for a new Leaf shows it; if none does, all were taken over, provided that
/// each has a row.
fn taken_in(found: &Found, nodes: &BTreeMap<u32, &Node>, rows: &BTreeMap<u32, Row>) -> u64 {
    let without_gap = || (0_u32..).zip(rows).take_while(|(number, (worker, _))| number == *worker);
    let waits =
        |worker: &u32, row: &Row| row.aside && row.owner.is_empty() && !nodes.contains_key(worker);
    let last = without_gap().filter(|(worker, (_, row))| waits(worker, row)).last();
    if let Some((worker, _)) = last {
        return u64::from(worker) + 1;
    }
    let all = usual(found.growth);
    if without_gap().count() as u64 >= all { all } else { 0 }
}

/// The nodes by number; two Leafs with the same number are an objection.
fn by_number<'n>(found: &'n Found, wrong: &mut Vec<String>) -> BTreeMap<u32, &'n Node> {
    let mut nodes: BTreeMap<u32, &Node> = BTreeMap::new();
    for node in &found.nodes {
        if let Some(other) = nodes.insert(node.worker, node)
            && other.owner != node.owner
        {
            wrong.push(format!(
                "number {} is there twice: {} and {}; two Leafs with one number make equal IDs: stop one, \
                 and delete its entry",
                node.worker, other.place, node.place
            ));
        }
    }
    nodes
}

/// Objects to names that the registry lacks: a misspelt one would leave a Leaf out.
fn named(found: &Found, wish: &Wish, wrong: &mut Vec<String>) {
    let known: BTreeSet<&str> =
        found.nodes.iter().filter_map(|node| node.owner.as_deref()).collect();
    let there = match known.is_empty() {
        true => "nobody".to_owned(),
        false => known.iter().copied().collect::<Vec<_>>().join(", "),
    };
    for (option, owners) in [("--stopped", &wish.stopped), ("--back", &wish.back)] {
        let unknown = owners.iter().filter(|owner| !all(owners) && !known.contains(owner.as_str()));
        wrong.extend(unknown.map(|owner| {
            let place = &found.place;
            format!("{option} names `{owner}`, which {place} does not know; it has: {there}")
        }));
    }
}

/// A worker number with everything that decides its step.
struct Number<'a> {
    worker: u32,
    node: Option<&'a Node>,
    row: Option<&'a Row>,
    /// Whether the number was set aside once.
    is_known: bool,
    found: &'a Found,
    wish: &'a Wish,
}

impl Number<'_> {
    /// The write that the number needs; none if it is as wanted.
    fn wanted(&self) -> Result<Option<Aside>, String> {
        let Number { node, row, found, wish, worker, .. } = *self;
        let owner = node.and_then(|node| node.owner.as_deref());
        let name = match owner.filter(|_| node.is_some_and(|node| self.is_latest(node))) {
            Some(owner) => Name::owner(owner).map_err(|_| {
                format!("number {worker} has an owner that cannot be kept: `{owner}`")
            })?,
            None => Name::EMPTY,
        };
        let outside = Aside { owner: name, until: None };
        if has(&wish.back, owner) {
            return Ok(Some(outside));
        }
        if let Some(row) = row.filter(|row| !row.aside) {
            return self.leafids(row, name, owner.unwrap_or("all"));
        }
        // A number of another registry: this one cannot show that its Leaf has stopped.
        let is_foreign = |row: &Row| found.growth == Growth::Listed || !row.owner.is_empty();
        if node.is_none() && row.is_some_and(is_foreign) {
            return Ok(None);
        }
        if !has(&wish.stopped, owner) {
            let as_wanted = row.is_some_and(|row| row.owner == name.as_str());
            return Ok((!as_wanted).then_some(outside));
        }
        if let Some(wrote) = self.runs() {
            let s = (wish.quiet_ms + 999) / 1_000;
            return Err(format!(
                "number {worker} has a Leaf that runs: {wrote}; stop it, wait {s} s, and try again"
            ));
        }
        let until = match node {
            None if row.is_none() => return Ok(None),
            // A node that zk_recycle made for later use.
            Some(Node { stamped: Ok(None), .. })
                if row.is_none() && found.growth == Growth::Any =>
            {
                return Ok(None);
            }
            None => found.now.plus(wish.margin_ms),
            Some(node) => self.last(node)?,
        };
        Ok(Some(Aside { owner: name, until: Some(until) }))
    }

    /// The write for a number that leafid granted or took over: no Leaf may use it.
    fn leafids(&self, row: &Row, name: Name, owner: &str) -> Result<Option<Aside>, String> {
        let Some(node) = self.node else { return Ok(None) };
        let is_leafids =
            format!("number {} is leafid's (last owner: `{}`)", self.worker, row.owner);
        if let Some(wrote) = self.runs() {
            return Err(format!(
                "{is_leafids}, and a Leaf uses it: {wrote}; stop that Leaf at once, or what holds the \
                 number of leafid, and say --back {owner}"
            ));
        }
        // Taken over before: for its machine, or for anybody if the number had no machine.
        let went_over = if name.is_empty() { self.is_known } else { row.owner == name.as_str() };
        if went_over {
            return Ok(None);
        }
        if has(&self.wish.stopped, node.owner.as_deref()) {
            return Ok(Some(Aside { owner: name, until: Some(self.last(node)?) }));
        }
        Err(format!(
            "{is_leafids}, and {} says that it is `{owner}`'s: if that Leaf has stopped for good, say \
             --stopped {owner}; if not, stop what holds the number of leafid, and say --back {owner}",
            node.place
        ))
    }

    /// Where and when a Leaf wrote its time, if that shows that it is running.
    fn runs(&self) -> Option<String> {
        let (node, now) = (self.node?, self.found.now);
        let wrote = node.wrote().filter(|wrote| now.since(*wrote) < self.wish.quiet_ms)?;
        let (wrote, now) = (utc::text(wrote), utc::text(now));
        Some(format!("{} was written at {wrote}, and it is {now} there", node.place))
    }

    /// Whether no other number of the same owner was stamped later: a machine owns only its last number.
    fn is_latest(&self, node: &Node) -> bool {
        let rank = |node: &Node| (node.stamp(), node.worker);
        let same = self.found.nodes.iter().filter(|other| other.owner == node.owner);
        same.map(rank).max() == Some(rank(node))
    }

    /// The last time that a stopped Leaf can have stamped, by its own clock, plus the margin. It stopped
    /// before now, and its last write shows how far its clock was ahead.
    fn last(&self, node: &Node) -> Result<StoreTime, String> {
        let (now, Node { worker, place, .. }) = (self.found.now, node);
        let stamped = node.stamped.as_ref().map_err(|why| {
            format!(
                "the last time of number {worker} cannot be read: {why} ({place}); put the time there in ms \
                 since 1970, above its last ID's, or leave this one out of --stopped"
            )
        })?;
        let ahead = match (stamped, node.seen) {
            (Some(stamped), Some(seen)) => stamped.since(seen).max(0),
            _ => 0,
        };
        let last = stamped.unwrap_or(now).max(now.plus(ahead));
        if last.since(now) > AHEAD_MS {
            return Err(format!(
                "number {worker} was stamped up to {}, and now it is {}: one of the two clocks is wrong, \
                 which is why Leaf would not start here either; put the clock right, or leave this one out \
                 of --stopped until then ({place})",
                utc::text(last),
                utc::text(now)
            ));
        }
        Ok(last.plus(self.wish.margin_ms))
    }
}

#[cfg(test)]
mod tests;
