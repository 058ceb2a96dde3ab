//! Carries out what is planned with Leaf's numbers.

use std::collections::BTreeMap;
use std::sync::Arc;

use leafid_core::{Code, Layout, Name, StoreTime};
use leafid_store::problem::Problem;
use leafid_store::registry::aside::is_aside;
use leafid_store::registry::{Answer, Registry};
use leafid_store::store::{Aside, NamespaceChange, Page};
use leafid_store::utc;

use super::plan::{Plan, Row, Wish, plan};
use super::{Found, LAYOUT};

/// The numbers of one namespace, wherever they are.
///
/// # Errors
/// Each verb gives the store's own refusals.
pub trait Numbers {
    /// The layout of the namespace, which is made with Leaf's where it is missing.
    fn layout(&self) -> Result<Layout, Problem>;
    /// The numbers that have rows.
    fn rows(&self) -> Result<BTreeMap<u32, Row>, Problem>;
    /// Sets a number aside, or takes it over; from when on it is granted.
    fn set_aside(&self, worker: u32, aside: &Aside) -> Result<StoreTime, Problem>;
}

/// What became of the numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Done {
    /// How many are set aside for Leaf by this import.
    pub aside: usize,
    /// Those that were taken over: for whom, and from when on.
    pub over: Vec<(u32, Name, StoreTime)>,
    /// Those that leafid had, and gave back: to whom, and up to when it may have stamped.
    pub back: Vec<(u32, Name, StoreTime)>,
    /// How many were as they should be.
    pub as_wanted: usize,
    /// How many are set aside now, whoever uses them.
    pub aside_now: usize,
}

/// Does it. It can be done again at any time, and goes on where it was broken off.
///
/// # Errors
/// `REQUEST_INVALID` with all that speaks against it, and nothing was written; `LAYOUT_MISMATCH` for a
/// namespace whose IDs are not laid out as Leaf's; and the store's own refusals, after which some numbers
/// may be done and others not.
pub fn import(
    numbers: &impl Numbers,
    namespace: &Name,
    found: &Found,
    wish: &Wish,
) -> Result<Done, Problem> {
    if numbers.layout()? != LAYOUT {
        let detail = format!(
            "namespace `{namespace}` does not have Leaf's layout, so its IDs would not continue where \
             Leaf's end: create another with --layout leaf"
        );
        return Err(Problem::new(Code::LayoutMismatch, detail));
    }
    let rows = numbers.rows()?;
    let Plan { steps, as_wanted } = plan(found, &rows, wish)
        .map_err(|wrong| Problem::new(Code::RequestInvalid, wrong.join("; also: ")))?;
    let aside_now = rows.values().filter(|row| row.aside).count();
    let mut done = Done { aside: 0, over: Vec::new(), back: Vec::new(), as_wanted, aside_now };
    for step in steps {
        let from = numbers.set_aside(step.worker, &step.aside)?;
        let was = rows.get(&step.worker).is_some_and(|row| row.aside);
        match (was, step.aside.until.is_none()) {
            (false, true) => done.aside_now += 1,
            (true, false) => done.aside_now -= 1,
            _ => {}
        }
        let ours = rows.get(&step.worker).filter(|row| !row.aside && !step.aside.owner.is_empty());
        match step.aside.until {
            None => {
                done.aside += 1;
                let until = ours.map(|row| (step.worker, step.aside.owner, row.reserved_until));
                done.back.extend(until);
            }
            Some(_) => done.over.push((step.worker, step.aside.owner, from)),
        }
    }
    Ok(done)
}

impl Done {
    /// It in words, a line each.
    pub fn lines(&self, namespace: &Name, found: &Found) -> Vec<String> {
        let mut lines = vec![format!(
            "namespace `{namespace}`: {} set aside, {} taken over, {} as they were; set aside now: {}; {} \
             has {}",
            numbers(self.aside),
            self.over.len(),
            self.as_wanted,
            self.aside_now,
            found.place,
            found.nodes.len()
        )];
        let owned = self.over.iter().filter(|(_, owner, _)| !owner.is_empty());
        lines.extend(owned.map(|(worker, owner, from)| {
            format!("worker {worker} is kept for `{owner}`, from {} on", utc::text(*from))
        }));
        // By now its time is over by the store's clock, and a Leaf stamps by its own.
        lines.extend(self.back.iter().map(|(worker, owner, until)| {
            format!(
                "worker {worker} is `{owner}`'s again: start its Leaf when its own clock is past {}",
                utc::text(*until)
            )
        }));
        lines
    }
}

fn numbers(count: usize) -> String {
    format!("{count} number{}", if count == 1 { "" } else { "s" })
}

/// The numbers of a namespace of a store in this process.
#[derive(Debug)]
pub struct Direct {
    store: Arc<Registry>,
    namespace: Name,
    runtime: tokio::runtime::Runtime,
}

impl Direct {
    /// Those of this namespace.
    ///
    /// # Errors
    /// `INTERNAL` where nothing can wait for the store.
    pub fn of(store: Arc<Registry>, namespace: Name) -> Result<Direct, Problem> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime
            .map_err(|error| Problem::new(Code::Internal, format!("no runtime: {error}")))?;
        Ok(Direct { store, namespace, runtime })
    }

    fn wait<T>(&self, answer: impl Answer<T>) -> Result<T, Problem> {
        self.runtime.block_on(answer)
    }
}

impl Numbers for Direct {
    fn layout(&self) -> Result<Layout, Problem> {
        let namespace = match self.wait(self.store.namespace(self.namespace)) {
            Err(problem) if problem.code == Code::NamespaceUnknown => {
                let layout = Some(LAYOUT);
                let change = NamespaceChange { layout, only_create: true, ..Default::default() };
                self.wait(self.store.put_namespace(self.namespace, change))
            }
            found => found,
        };
        Ok(namespace?.layout)
    }

    fn rows(&self) -> Result<BTreeMap<u32, Row>, Problem> {
        let mut rows = BTreeMap::new();
        loop {
            let after = rows.last_key_value().map(|(worker, _)| *worker);
            let page = Page { after, limit: 1_000 };
            let found = self.wait(self.store.workers(self.namespace, page))?;
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

    fn set_aside(&self, worker: u32, aside: &Aside) -> Result<StoreTime, Problem> {
        let row = self.wait(self.store.set_aside(self.namespace, worker, *aside))?;
        Ok(LAYOUT.time(row.reserved_until))
    }
}
