//! Machines move from Leaf to leafid one by one, on a clock that is passed in: no ID comes twice, and
//! each machine keeps its number. The controls: without the import, or its times, some IDs do.

use std::collections::HashSet;
use std::sync::Arc;

use leafid_core::{
    AcquireAsk, Failure, HostTime, Layout, Name, OwnLine, Release, RenewAsk, SegmentAsk,
    SegmentGrant, Snowflake, SnowflakeConfig, StoreTime, WindowGrant, refill,
};
use leafid_leaf::workers::plan::{Plan, Wish, plan};
use leafid_leaf::workers::start::{carry_out, rows};
use leafid_leaf::workers::{Found, read};
use leafid_servers::{Mariadb, Zookeeper, for_test};
use leafid_store::backends::opening::Options;
use leafid_store::clock::{Clock, ManualClock, SystemClock};
use leafid_store::opening::{Place, open_sqlite};
use leafid_store::problem::Problem;
use leafid_store::registry::{self, Answer};

use super::leaf::{Leaf, Registry, Table, Tree, draw};

const STEP_MS: i64 = 250;
/// How many IDs each process makes in a step, all in its first ms if possible.
const IDS: usize = 120;

#[derive(Clone, Copy, PartialEq, Eq)]
enum LeftOut {
    Nothing,
    Ownership,
    Times,
}

struct Asked<'s> {
    store: &'s Arc<registry::Registry>,
    runtime: &'s tokio::runtime::Runtime,
}

impl Asked<'_> {
    fn wait<T>(&self, answer: impl Answer<T>) -> Result<T, Failure> {
        self.runtime.block_on(answer).map_err(|problem| Failure {
            code: problem.code,
            retry_after_ms: problem.retry_after_ms,
        })
    }
}

impl leafid_core::Store for Asked<'_> {
    fn lease_segment(&mut self, ask: &SegmentAsk) -> Result<SegmentGrant, Failure> {
        self.wait(self.store.lease_segment(*ask))
    }
    fn acquire(&mut self, ask: &AcquireAsk) -> Result<WindowGrant, Failure> {
        self.wait(self.store.acquire(*ask))
    }
    fn renew(&mut self, ask: &RenewAsk) -> Result<WindowGrant, Failure> {
        self.wait(self.store.renew(*ask))
    }
    fn release(&mut self, release: &Release) -> Result<(), Failure> {
        self.wait(self.store.release(*release))
    }
}

struct Holder {
    generator: Snowflake<OwnLine>,
    workers: Vec<u32>,
    drawn: usize,
}

impl Holder {
    fn new(owner: &str, sticky: bool, seed: u64) -> Holder {
        let config = SnowflakeConfig::new("default", owner).unwrap();
        let config = SnowflakeConfig { sticky, spread: Some(0), ..config };
        Holder { generator: Snowflake::new(config, seed).unwrap(), workers: Vec::new(), drawn: 0 }
    }

    fn ids(&mut self, store: &mut Asked<'_>, now: HostTime, random: &mut u64) -> Vec<u64> {
        let mut entropy = || {
            let mut bytes = [0; 16];
            bytes.iter_mut().for_each(|byte| *byte = draw(random) as u8);
            bytes
        };
        while refill(&mut self.generator, store, || now, &mut entropy).unwrap_or(false) {}
        let mut ids = Vec::with_capacity(IDS);
        while ids.len() < IDS
            && let Ok(id) = self.generator.next(now)
        {
            ids.push(id);
        }
        self.drawn += ids.len();
        let worker = ids.last().map(|id| Layout::LEAF.decompose(*id).unwrap().worker);
        self.workers.extend(worker);
        ids
    }
}

struct Ended {
    ids: usize,
    twice: usize,
    /// Each machine, its number from Leaf, and its last one from leafid.
    numbers: Vec<(String, u32, Option<u32>)>,
    by_leafid: usize,
    by_leaf: usize,
    done: Vec<Plan>,
}

fn live(registry: &impl Registry, read: impl Fn() -> Found, left_out: LeftOut) -> Ended {
    let seed: u64 = 20_261_121;
    println!("seed {seed}");
    let mut random = seed;
    // Ahead of the registry's clock, so that this machine's speed does not matter.
    let begun = SystemClock.wall().plus(600_000);
    let clock = Arc::new(ManualClock::at(begun));
    let folder = tempfile::tempdir().unwrap();
    let options = Options { create: true, ..Options::default() };
    let store = open_sqlite(&folder.path().join("store.db"), clock.clone(), &options).unwrap();
    let store: Arc<registry::Registry> = Arc::new(store);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let name = Name::namespace("default").unwrap();
    let take_in = |stopped: &[&str]| {
        if left_out == LeftOut::Ownership {
            return None;
        }
        // Simulated seconds are shorter than real ones, so no Leaf was quiet for long in real time.
        let stopped = stopped.iter().map(|owner| (*owner).to_owned()).collect();
        let wish = Wish { stopped, quiet_ms: 0, ..Wish::default() };
        let found = read();
        let done = runtime.block_on(async {
            let mut plan = plan(&found, &rows(&store, name).await?, &wish)?;
            if left_out == LeftOut::Times {
                let until = plan.steps.iter_mut().filter_map(|step| step.aside.until.as_mut());
                until.for_each(|until| *until = StoreTime::new(Layout::LEAF.epoch_ms()));
            }
            carry_out(&mut plan, &store, name).await?;
            Ok::<_, Problem>(plan)
        });
        Some(done.unwrap_or_else(|problem| panic!("{problem}")))
    };

    let now = begun.get();
    let mut leafs: Vec<Leaf> = [("192.0.2.2", 400), ("192.0.2.3", -200), ("192.0.2.4", 7_000)]
        .into_iter()
        .map(|(ip, ahead_ms)| Leaf::start(registry, ip, ahead_ms, now))
        .collect();
    let mut done: Vec<Plan> = take_in(&[]).into_iter().collect();
    let mut holders: Vec<(String, Holder)> = Vec::new();
    for n in 0..2 {
        holders.push((String::new(), Holder::new(&format!("new/{n}"), false, n)));
    }
    let (mut seen, mut twice, mut by_leaf) = (HashSet::new(), 0, 0);
    for step in 0..320 {
        let now = begun.get() + step * STEP_MS;
        clock.set(StoreTime::new(now));
        match step * STEP_MS {
            // The first machine moves alone; its Leaf reported its time up to 3 s ago.
            20_000 => {
                leafs[0].runs = false;
                let owner = leafs[0].owner();
                done.extend(take_in(&[&owner]));
                holders.push((owner.clone(), Holder::new(&owner, true, 7)));
            }
            30_000 => leafs.push(Leaf::start(registry, "192.0.2.5", 0, now)),
            40_000 => {
                for leaf in &mut leafs {
                    leaf.runs = false;
                }
                done.extend(take_in(&["all"]));
                for leaf in &leafs[1..] {
                    holders.push((leaf.owner(), Holder::new(&leaf.owner(), true, 8)));
                }
            }
            // The machines' processes restart once, and find their numbers free.
            60_000 => {
                for (owner, holder) in holders.iter_mut().filter(|(owner, _)| !owner.is_empty()) {
                    let mut asked = Asked { store: &store, runtime: &runtime };
                    if let Some(release) = holder.generator.retire() {
                        leafid_core::Store::release(&mut asked, &release).unwrap();
                    }
                    *holder = Holder::new(owner, true, 9);
                }
            }
            _ => {}
        }
        let mut made = Vec::new();
        for leaf in leafs.iter_mut().filter(|leaf| leaf.runs) {
            leaf.tick(registry, now);
            made.extend(leaf.ids(now, IDS, &mut random));
        }
        by_leaf += made.len();
        for (_, holder) in &mut holders {
            let mut asked = Asked { store: &store, runtime: &runtime };
            made.extend(holder.ids(&mut asked, clock.boot(), &mut random));
        }
        twice += made.into_iter().filter(|id| !seen.insert(*id)).count();
    }
    let number = |leaf: &Leaf| {
        let holder = holders.iter().find(|(owner, _)| *owner == leaf.owner());
        let last = holder.and_then(|(_, holder)| holder.workers.last().copied());
        (leaf.owner(), leaf.worker, last)
    };
    let numbers = leafs.iter().map(number).collect();
    let ids = seen.len() + twice;
    Ended { ids, twice, numbers, by_leafid: ids - by_leaf, by_leaf, done }
}

fn goes_over(registry: &impl Registry, read: impl Fn() -> Found) {
    let ended = live(registry, read, LeftOut::Nothing);
    let Ended { ids, twice, numbers, by_leafid, by_leaf, done } = ended;
    println!("{ids} IDs, {by_leaf} of them Leaf's; {twice} twice; {numbers:?}");
    assert!(by_leaf > 50_000 && by_leafid > 80_000, "{by_leaf} and {by_leafid}");
    assert_eq!(twice, 0);
    assert_eq!(numbers.len(), 4);
    for (owner, leaf, leafid) in numbers {
        assert_eq!(leafid, Some(leaf), "{owner} keeps its number");
    }
    assert_eq!(done.len(), 3);
    let counts = |done: &Plan| (done.aside().count(), done.over().count(), done.as_wanted);
    assert_eq!(counts(&done[0]), (512, 0, 0));
    assert_eq!(counts(&done[1]), (0, 1, 511));
    // All other machines, with and without a Leaf; the list names the new one's owner and number.
    assert_eq!(counts(&done[2]), (0, 511, 1));
}

fn found(place: &Place) -> Found {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(read(place)).unwrap_or_else(|problem| panic!("{problem}"))
}

fn a_tree(server: &Zookeeper, name: &str) -> (Tree, impl Fn() -> Found + use<>) {
    let tree = Tree::in_zookeeper(server, name);
    let place = Place::parse(&tree.url).unwrap().unwrap();
    (tree, move || found(&place))
}

#[test]
fn numbers_of_a_tree_go_over_without_an_equal_id() {
    let Some(server) = for_test::<Zookeeper>() else { return };
    let (tree, read) = a_tree(&server, "com.example.leaf");
    goes_over(&tree, read);
}

#[test]
fn numbers_of_a_table_go_over_without_an_equal_id() {
    let Some(server) = for_test::<Mariadb>() else { return };
    let table_of_leaf = Table::in_mariadb(Arc::new(server), "leaf");
    let place = Place::parse(&table_of_leaf.url()).unwrap().unwrap();
    goes_over(&table_of_leaf, || found(&place));
}

#[test]
fn without_owners_or_without_times_ids_are_equal() {
    let Some(server) = for_test::<Zookeeper>() else { return };
    for (left_out, name) in [(LeftOut::Ownership, "no-owners"), (LeftOut::Times, "no-times")] {
        let (tree, read) = a_tree(&server, name);
        let ended = live(&tree, read, left_out);
        println!("{name}: {} of {} twice", ended.twice, ended.ids);
        assert!(ended.twice > 0, "{name}");
    }
}
