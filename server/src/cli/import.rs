//! `leafid worker import …`

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use clap::{ArgGroup, Args};
use leafid_core::{Code, FieldWriter, Fields, Layout, Name, StoreTime};
use leafid_leaf::workers::import::{Done, Numbers, import};
use leafid_leaf::workers::plan::{LEFT, MARGIN_MS, QUIET_MS, Row, Who, Wish};
use leafid_leaf::workers::{Found, LAYOUT, files, table, zookeeper as tree};
use leafid_store::backends::mysql;
use leafid_store::clock::{Clock, SystemClock};
use leafid_store::json::Writer;
use leafid_store::keyed::zookeeper;
use leafid_store::problem::Problem;
use leafid_store::store::Aside;
use leafid_wire::path;
use serde_json::{Value, json};

use super::args::span_ms;
use super::client::{Client, Target};
use super::output::is_json;
use super::{Failure, say};
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
    /// Does it.
    pub fn run(self) -> Result<(), Failure> {
        let name = namespace(&self.namespace)?;
        let wish = Wish {
            stopped: who(self.stopped),
            back: who(self.back),
            left: self.leave,
            quiet_ms: self.quiet.map_or(QUIET_MS, i64::from),
            margin_ms: self.margin.map_or(MARGIN_MS, i64::from),
        };
        let found = match (self.leaf_zookeeper, self.leaf_table, self.leaf_local) {
            (Some(url), _, _) => read_tree(&url)?,
            (None, Some(url), _) => table::read(&mysql::Address::parse(&url)?)?,
            (None, None, Some(file)) => {
                files::read(&file, self.owner.as_deref(), SystemClock.wall())?
            }
            // One of them is required.
            (None, None, None) => return Ok(()),
        };
        let client = self.target.connect()?;
        let done = import(&Asked { client: &client, name }, &name, &found, &wish);
        client.close();
        let done = done?;
        if is_json() {
            return say(summary(&done, &name));
        }
        for line in done.lines(&name, &found) {
            say(line)?;
        }
        Ok(())
    }
}

fn summary(done: &Done, name: &Name) -> Value {
    let over = done.over.iter().map(|(worker, owner, from)| {
        json!({ "worker": worker, "owner": owner.as_str(), "from_ms": from.get() })
    });
    let back = done.back.iter().map(|(worker, owner, until)| {
        json!({ "worker": worker, "owner": owner.as_str(), "until_ms": until.get() })
    });
    json!({
        "namespace": name.as_str(), "set_aside": done.aside, "as_they_were": done.as_wanted,
        "set_aside_now": done.aside_now, "taken_over": over.collect::<Vec<_>>(),
        "given_back": back.collect::<Vec<_>>(),
    })
}

/// Leaf's tree in ZooKeeper.
fn read_tree(url: &str) -> Result<Found, Problem> {
    if url.split_once("://").is_none_or(|(scheme, _)| scheme != "zk") {
        let detail = "--leaf-zookeeper takes zk://[USER:PASSWORD@]HOST:PORT[,…]/snowflake/NAME";
        return Err(Problem::new(Code::RequestInvalid, detail));
    }
    tree::read(&zookeeper::Address::parse(url)?)
}

fn who(named: Vec<String>) -> Who {
    let named: BTreeSet<String> = named.into_iter().collect();
    match (named.is_empty(), named.contains("all")) {
        (true, _) => Who::Nobody,
        (_, true) => Who::All,
        _ => Who::These(named),
    }
}

/// The numbers of a namespace, through the paths of the API.
struct Asked<'c> {
    client: &'c Client,
    name: Name,
}

impl Numbers for Asked<'_> {
    fn layout(&self) -> Result<Layout, Problem> {
        let path = path::namespace(self.name);
        let row = match self.client.call("GET", &path, None, false) {
            Err(problem) if problem.code == Code::NamespaceUnknown => {
                let mut body = Writer::default();
                body.nested("layout", |writer| LAYOUT.put(writer));
                self.client.call("PUT", &path, Some(body.end()), true)?
            }
            row => row?,
        };
        let field = |field: &str| row["layout"][field].as_i64().unwrap_or(-1);
        let small = |name: &str| u8::try_from(field(name)).unwrap_or(u8::MAX);
        Ok(Layout::new(
            field("epoch_ms"),
            u32::try_from(field("tick_ms")).unwrap_or(0),
            small("time_bits"),
            small("worker_bits"),
            small("sequence_bits"),
        )?)
    }

    fn rows(&self) -> Result<BTreeMap<u32, Row>, Problem> {
        let rows = self.client.list(&path::workers(self.name), "workers", "worker")?;
        Ok(rows.iter().filter_map(row).collect())
    }

    fn set_aside(&self, worker: u32, aside: &Aside) -> Result<StoreTime, Problem> {
        let mut body = Writer::default();
        aside.put(&mut body);
        let path = path::aside(self.name, worker);
        let row = self.client.call("PUT", &path, Some(body.end()), false)?;
        Ok(StoreTime::new(row["reserved_until_ms"].as_i64().unwrap_or(0)))
    }
}

fn row(row: &Value) -> Option<(u32, Row)> {
    let worker = u32::try_from(row["worker"].as_u64()?).ok()?;
    let end = LAYOUT.last_end().to_string();
    let aside = row["held"] == false && row["reserved_until"] == end.as_str();
    let owner = row["owner"].as_str().unwrap_or_default().to_owned();
    let reserved_until = StoreTime::new(row["reserved_until_ms"].as_i64()?);
    Some((worker, Row { owner, aside, reserved_until }))
}
