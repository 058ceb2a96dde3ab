//! `leafid worker import …`

use std::path::PathBuf;

use clap::{ArgGroup, Args};
use leafid_core::{Code, Layout, Name, StoreTime};
use leafid_leaf::workers::plan::{
    LEFT, MARGIN_MS, Plan, QUIET_MS, Row, Step, Wish, check_layout, plan,
};
use leafid_leaf::workers::{Found, LAYOUT, files, read};
use leafid_store::clock::{Clock, SystemClock};
use leafid_store::json::{Reader, Writer};
use leafid_store::opening::Place;
use leafid_store::problem::Problem;
use leafid_wire::{FieldWriter, Fields, path};
use serde_json::{Value, json};

use super::args::span_ms;
use super::client::{Client, Target};
use super::output::show;
use super::{Failure, invalid, runtime};
use crate::routes::input::namespace;

const ORDER: &str = "\
Without --stopped every number that a Leaf has, or may take at its first start, is set aside: leafid
grants the others, beside the Leafs. Once a Leaf has stopped, `--stopped IP:PORT` takes its number over:
it begins above every time that the Leaf can have stamped, and is kept for this owner. Import as often as
you like. A wish that contradicts Leaf's registry is refused before anything is written. If the store
refuses a number, such as one that is still held, what was written before it stays: fix that, and import
again.";

#[derive(Args, Debug)]
#[command(after_help = ORDER, group(ArgGroup::new("leaf").required(true)
    .args(["leaf_zookeeper", "leaf_table", "leaf_local"])))]
pub struct Import {
    /// The namespace; it is created with Leaf's layout if it is missing
    namespace: String,
    /// Where Leaf registers, by /snowflake/ and its leaf.name: `zk://HOST:PORT,HOST:PORT/snowflake/NAME`
    #[arg(long, value_name = "URL")]
    leaf_zookeeper: Option<String>,
    /// The database that has Leaf's table leaf_workerid_alloc: `mysql://USER:PASSWORD@HOST:PORT/DATABASE`
    #[arg(long, value_name = "URL")]
    leaf_table: Option<String>,
    /// A file of Leaf's: leaf.properties with a workIdMap, workerID.json, or workerID.properties
    #[arg(long, value_name = "FILE")]
    leaf_local: Option<PathBuf>,
    /// Whose number a workerID.properties has, which does not say it
    #[arg(long, value_name = "IP:PORT", requires = "leaf_local")]
    owner: Option<String>,
    /// The Leafs that have stopped for good, separated by commas, or `all`
    #[arg(long, value_name = "IP:PORT|all", value_delimiter = ',')]
    stopped: Vec<String>,
    /// The Leafs that are to run again on a number that leafid took over, for the way back; the processes
    /// that have these numbers of leafid are stopped before
    #[arg(long, value_name = "IP:PORT|all", value_delimiter = ',')]
    back: Vec<String>,
    /// The numbers below this one are left to Leafs that start for the first time
    #[arg(long, value_name = "N", default_value_t = LEFT,
          value_parser = clap::value_parser!(u64).range(0..=LAYOUT.workers()))]
    leave: u64,
    /// How long ago a Leaf named by --stopped must have written its time last [default: 15s]
    #[arg(long, value_name = "TIME", value_parser = span_ms)]
    quiet: Option<u32>,
    /// How far above the last time that a Leaf can have stamped its number begins [default: 10s]
    #[arg(long, value_name = "TIME", value_parser = span_ms)]
    margin: Option<u32>,
    #[command(flatten)]
    target: Target,
}

impl Import {
    pub fn run(self) -> Result<(), Failure> {
        let name = namespace(&self.namespace)?;
        let wish = Wish {
            stopped: self.stopped,
            back: self.back,
            left: self.leave,
            quiet_ms: self.quiet.map_or(QUIET_MS, i64::from),
            margin_ms: self.margin.map_or(MARGIN_MS, i64::from),
        };
        let found = if let Some(url) = &self.leaf_zookeeper {
            let takes = "--leaf-zookeeper takes zk://[USER:PASSWORD@]HOST:PORT[,…]/snowflake/NAME";
            registry(url, &["zk://"], takes)?
        } else if let Some(url) = &self.leaf_table {
            let takes = "--leaf-table takes mysql://USER:PASSWORD@HOST:PORT/DATABASE";
            registry(url, &["mysql:", "mariadb:"], takes)?
        } else {
            // One of the three is required.
            let file = self.leaf_local.unwrap_or_default();
            files::read(&file, self.owner.as_deref(), SystemClock.wall())?
        };
        let client = self.target.connect()?;
        let done = import(&client, &name, &found, &wish)?;
        show(&summary(&done, &name), done.lines(&name, &found).join("\n"))
    }
}

fn summary(done: &Plan, name: &Name) -> Value {
    let over = done.over().map(|Step { worker, aside, from, .. }| {
        json!({ "worker": worker, "owner": aside.owner.as_str(), "from_ms": from.get() })
    });
    let back = done.back().map(|(Step { worker, aside, .. }, until)| {
        json!({ "worker": worker, "owner": aside.owner.as_str(), "until_ms": until.get() })
    });
    json!({
        "namespace": name.as_str(), "set_aside": done.aside().count(), "as_they_were": done.as_wanted,
        "set_aside_now": done.aside_now, "taken_over": over.collect::<Vec<_>>(),
        "given_back": back.collect::<Vec<_>>(),
    })
}

/// Reads Leaf's registry at a URL of one of these schemes.
fn registry(url: &str, schemes: &[&str], takes: &str) -> Result<Found, Problem> {
    let fits = schemes.iter().any(|scheme| url.starts_with(scheme));
    let place = Place::parse(url).filter(|_| fits).unwrap_or_else(|| Err(invalid(takes)))?;
    runtime()?.block_on(read(&place))
}

/// Plans the import and carries it out through the API.
fn import(client: &Client, name: &Name, found: &Found, wish: &Wish) -> Result<Plan, Problem> {
    check_layout(name, &layout(client, *name)?)?;
    let rows = client.list(&path::workers(*name), "workers", "worker")?;
    let mut plan = plan(found, &rows.iter().filter_map(row).collect(), wish)?;
    for Step { worker, aside, from, .. } in &mut plan.steps {
        let mut body = Writer::default();
        aside.put(&mut body);
        let row = client.call("PUT", &path::aside(*name, *worker), body.end())?;
        *from = StoreTime::new(row["reserved_until_ms"].as_i64().unwrap_or(0));
    }
    Ok(plan)
}

/// The layout of the namespace; a missing one is created with Leaf's.
fn layout(client: &Client, name: Name) -> Result<Layout, Problem> {
    let path = path::namespace(name);
    let row = match client.get(&path) {
        Err(problem) if problem.code == Code::NamespaceUnknown => {
            let mut body = Writer::default();
            body.nested("layout", |writer| LAYOUT.put(writer));
            client.create(&path, body.end())?
        }
        row => row?,
    };
    let layout = row["layout"].as_object().cloned().unwrap_or_default();
    Ok(Reader::new(layout).all(Layout::get)?)
}

fn row(row: &Value) -> Option<(u32, Row)> {
    let worker = u32::try_from(row["worker"].as_u64()?).ok()?;
    let end = LAYOUT.last_end().to_string();
    let aside = row["held"] == false && row["reserved_until"] == end.as_str();
    let owner = row["owner"].as_str().unwrap_or_default().to_owned();
    let reserved_until = StoreTime::new(row["reserved_until_ms"].as_i64()?);
    Some((worker, Row { owner, aside, reserved_until }))
}
