//! What is to be done with each number, decided on what Leaf's registry and the store say.

use std::collections::{BTreeMap, BTreeSet};

use leafid_core::{Name, StoreTime};
use leafid_store::store::Aside;
use leafid_store::utc;

use super::{Found, Growth, LAYOUT, Node};

/// The numbers that are left to Leaf's new nodes unless said otherwise: half of them.
pub const LEFT: u64 = 512;
/// At least this many numbers are left to Leafs that start for the first time.
pub const ROOM: u64 = 64;
/// A node that wrote its time less than this ago has a Leaf that runs: it does so every 3 s.
pub const QUIET_MS: i64 = 15_000;
/// So far above the last time that a Leaf can have stamped its number begins: it wrote that up to 3 s
/// before it stopped, and the writing took its time.
pub const MARGIN_MS: i64 = 10_000;
/// A clock that was further ahead is looked at by a person.
const AHEAD_MS: i64 = 3_600_000;

/// Whose numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Who {
    /// Nobody's.
    #[default]
    Nobody,
    /// Everybody's.
    All,
    /// Those of these `ip:port`.
    These(BTreeSet<String>),
}

impl Who {
    fn has(&self, owner: Option<&str>) -> bool {
        match self {
            Who::Nobody => false,
            Who::All => true,
            Who::These(owners) => owner.is_some_and(|owner| owners.contains(owner)),
        }
    }
}

/// What a person says of the Leafs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wish {
    /// Those that have stopped for good.
    pub stopped: Who,
    /// Those that are to run again on a number which leafid took over.
    pub back: Who,
    /// The numbers below this one are left to Leafs that start for the first time.
    pub left: u64,
    /// How long a node has to have been quiet before it counts as stopped, in ms.
    pub quiet_ms: i64,
    /// How far above the last time of a Leaf its number begins, in ms.
    pub margin_ms: i64,
}

impl Default for Wish {
    fn default() -> Wish {
        Wish {
            stopped: Who::Nobody,
            back: Who::Nobody,
            left: LEFT,
            quiet_ms: QUIET_MS,
            margin_ms: MARGIN_MS,
        }
    }
}

/// A number as the store has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// Who has it, had it last, or is to have it; empty for nobody.
    pub owner: String,
    /// Whether it is set aside.
    pub aside: bool,
    /// Up to when it is reserved, by the store's clock.
    pub reserved_until: StoreTime,
}

/// A number that is to be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// The number.
    pub worker: u32,
    /// What of it.
    pub aside: Aside,
}

/// What is to be done.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// What is to be written, by number.
    pub steps: Vec<Step>,
    /// How many numbers are as they should be.
    pub as_wanted: usize,
}

/// What is to be done.
///
/// # Errors
/// Everything that speaks against it, a line each. Then nothing is to be done.
pub fn plan(found: &Found, rows: &BTreeMap<u32, Row>, wish: &Wish) -> Result<Plan, Vec<String>> {
    let mut wrong = Vec::new();
    let nodes = by_number(found, &mut wrong);
    named(found, wish, &mut wrong);
    let known = taken_in(found, &nodes, rows);
    let all_stop = wish.stopped == Who::All;
    let left = match found.growth {
        Growth::Next(next)
            if !all_stop && next.saturating_add(ROOM).min(LAYOUT.workers()) > wish.left =>
        {
            wrong.push(format!(
                "the next Leaf takes number {next}, and only the numbers below {} are left to Leaf: say \
                 --leave {} or more, up to {}",
                wish.left,
                next.saturating_add(ROOM).min(LAYOUT.workers()),
                LAYOUT.workers()
            ));
            next
        }
        Growth::Next(_) => wish.left,
        Growth::Any => LAYOUT.workers(),
        Growth::Listed => 0,
    };
    if found.growth == Growth::Any && wish.stopped != Who::All {
        wrong.push(format!(
            "in zk_recycle a Leaf that starts takes any number that no other Leaf uses, so leafid has no \
             number beside it: stop all Leafs that use {}, then add --stopped all (for `leafid serve`: \
             --leaf-stopped)",
            found.place
        ));
    }
    let numbers: BTreeSet<u32> = nodes
        .keys()
        .copied()
        .chain(0..u32::try_from(left.min(LAYOUT.workers())).unwrap_or(0))
        .chain(rows.iter().filter(|(_, row)| row.aside).map(|(worker, _)| *worker))
        .filter(|worker| u64::from(*worker) < LAYOUT.workers())
        .collect();
    let mut plan = Plan::default();
    let mut granted = Vec::new();
    for worker in numbers {
        let (node, row) = (nodes.get(&worker).copied(), rows.get(&worker));
        let is_known = all_stop || u64::from(worker) < known;
        if node.is_none()
            && !is_known
            && !wish.back.has(None)
            && let Some(row) = row.filter(|row| !row.aside)
        {
            granted.push((worker, &row.owner));
            continue;
        }
        match one(worker, node, row, is_known, found, wish) {
            Ok(Some(aside)) => plan.steps.push(Step { worker, aside }),
            Ok(None) => plan.as_wanted += 1,
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
    if wrong.is_empty() { Ok(plan) } else { Err(wrong) }
}

/// All numbers below this one were set aside once, so that what is granted of them was taken over before.
/// Those that still wait for a new Leaf show how far that went; where none does, all were taken over, if
/// each has a row.
fn taken_in(found: &Found, nodes: &BTreeMap<u32, &Node>, rows: &BTreeMap<u32, Row>) -> u64 {
    let without_gap = || (0_u32..).zip(rows).take_while(|(number, (worker, _))| number == *worker);
    let waits =
        |worker: &u32, row: &Row| row.aside && row.owner.is_empty() && !nodes.contains_key(worker);
    let last = without_gap().filter(|(worker, (_, row))| waits(worker, row)).last();
    if let Some((worker, _)) = last {
        return u64::from(worker) + 1;
    }
    let all = match found.growth {
        Growth::Next(next) => next.saturating_add(ROOM).clamp(LEFT, LAYOUT.workers()),
        Growth::Any | Growth::Listed => LEFT,
    };
    if without_gap().count() as u64 >= all { all } else { 0 }
}

/// The nodes by number. A machine that has two is the owner of the one that it stamped last.
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

/// Whoever is named has to be there: a misspelt name would leave a Leaf out.
fn named(found: &Found, wish: &Wish, wrong: &mut Vec<String>) {
    for (option, who) in [("--stopped", &wish.stopped), ("--back", &wish.back)] {
        let Who::These(owners) = who else { continue };
        let known: BTreeSet<&str> =
            found.nodes.iter().filter_map(|node| node.owner.as_deref()).collect();
        for owner in owners.iter().filter(|owner| !known.contains(owner.as_str())) {
            let all: Vec<&str> = known.iter().copied().collect();
            wrong.push(format!(
                "{option} names `{owner}`, which {} does not know; it has: {}",
                found.place,
                if all.is_empty() { "nobody".to_owned() } else { all.join(", ") }
            ));
        }
    }
}

/// What is to be done with a number; nothing where it is as wanted.
fn one(
    worker: u32,
    node: Option<&Node>,
    row: Option<&Row>,
    is_known: bool,
    found: &Found,
    wish: &Wish,
) -> Result<Option<Aside>, String> {
    let owner = node.and_then(|node| node.owner.as_deref());
    let name = match owner.filter(|_| node.is_some_and(|node| is_latest(node, found))) {
        Some(owner) => Name::owner(owner)
            .map_err(|_| format!("number {worker} has an owner that cannot be kept: `{owner}`"))?,
        None => Name::EMPTY,
    };
    let outside = Aside { owner: name, until: None };
    let runs = node.and_then(|node| {
        let wrote = node.seen.or(node.stamped)?;
        (found.now.since(wrote) < wish.quiet_ms).then_some((node, wrote))
    });
    let at = |wrote: StoreTime| {
        format!("was written at {}, and it is {} there", utc::text(wrote), utc::text(found.now))
    };
    let ours = row.filter(|row| !row.aside);
    if wish.back.has(owner) {
        return Ok(Some(outside));
    }
    if let Some(row) = ours {
        // Taken over before, or granted: a Leaf has no business with it.
        return match (node, runs) {
            (_, Some((node, wrote))) => Err(format!(
                "number {worker} is leafid's (last owner: `{}`), and a Leaf uses it: {} {}; stop that \
                 Leaf at once, or what holds the number of leafid, and say --back {}",
                row.owner,
                node.place,
                at(wrote),
                owner.unwrap_or("all")
            )),
            // It went over to the machine that had it, or to anybody where no machine has it.
            (Some(_), None) if !name.is_empty() && row.owner == name.as_str() => Ok(None),
            (Some(_), None) if name.is_empty() && is_known => Ok(None),
            (Some(node), None) if wish.stopped.has(owner) => {
                Ok(Some(Aside { owner: name, until: Some(last(node, found, wish)?) }))
            }
            (Some(node), None) => Err(format!(
                "number {worker} is leafid's (last owner: `{}`), and {} says that it is `{}`'s: if \
                 that Leaf has stopped for good, say --stopped {}; if not, stop what holds the number of \
                 leafid, and say --back {}",
                row.owner,
                node.place,
                owner.unwrap_or("all"),
                owner.unwrap_or("all"),
                owner.unwrap_or("all"),
            )),
            (None, None) => Ok(None),
        };
    }
    if node.is_none()
        && let Some(row) = row
        && (found.growth == Growth::Listed || !row.owner.is_empty())
    {
        // Another registry's: this one cannot say that its Leaf has stopped.
        return Ok(None);
    }
    if !wish.stopped.has(owner) {
        let as_wanted = row.is_some_and(|row| row.owner == name.as_str());
        return Ok((!as_wanted).then_some(outside));
    }
    let until = match (node, runs) {
        (_, Some((node, wrote))) => {
            return Err(format!(
                "number {worker} has a Leaf that runs: {} {}; stop it, wait {} s, and try again",
                node.place,
                at(wrote),
                (wish.quiet_ms + 999) / 1_000
            ));
        }
        (None, None) if row.is_none() => return Ok(None),
        (Some(node), None) if row.is_none() && was_never_used(node, found) => return Ok(None),
        (None, None) => found.now.plus(wish.margin_ms),
        (Some(node), None) => last(node, found, wish)?,
    };
    Ok(Some(Aside { owner: name, until: Some(until) }))
}

/// Whether it is one that zk_recycle made for a use to come.
fn was_never_used(node: &Node, found: &Found) -> bool {
    found.growth == Growth::Any && node.stamped.is_none() && node.unreadable.is_none()
}

/// Whether no other number of the same owner was stamped later.
fn is_latest(node: &Node, found: &Found) -> bool {
    let rank = |node: &Node| (node.stamped, node.worker);
    let same = found.nodes.iter().filter(|other| other.owner == node.owner);
    same.map(rank).max() == Some(rank(node))
}

/// The last time that a Leaf which has stopped can have stamped, by its own clock, with the margin. It
/// stopped before now; how far its clock was ahead, its last writing tells.
fn last(node: &Node, found: &Found, wish: &Wish) -> Result<StoreTime, String> {
    if let Some(why) = &node.unreadable {
        return Err(format!(
            "the last time of number {} cannot be read: {why} ({}); put the time there in ms since 1970, \
             above its last ID's, or leave this one out of --stopped",
            node.worker, node.place
        ));
    }
    let now = found.now;
    let ahead = match (node.stamped, node.seen) {
        (Some(stamped), Some(seen)) => stamped.since(seen).max(0),
        _ => 0,
    };
    let last = node.stamped.unwrap_or(now).max(now.plus(ahead));
    if last.since(now) > AHEAD_MS {
        return Err(format!(
            "number {} was stamped up to {}, and now it is {}: one of the two clocks is wrong, which is \
             why Leaf would not start here either; put the clock right, or leave this one out of --stopped \
             until then ({})",
            node.worker,
            utc::text(last),
            utc::text(now),
            node.place
        ));
    }
    Ok(last.plus(wish.margin_ms))
}

#[cfg(test)]
mod tests;
