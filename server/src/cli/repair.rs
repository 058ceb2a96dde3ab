//! `leafid repair`: raises every line of a store to what is known to be granted, or beyond.

use std::path::PathBuf;
use std::sync::Arc;

use clap::{ArgGroup, Args};
use leafid_core::{Code, Name, Token};
use leafid_store::backends::Write;
use leafid_store::backends::opening::Options;
use leafid_store::clock::SystemClock;
use leafid_store::fence::bounds::Note;
use leafid_store::fence::file::{self as journal, Found};
use leafid_store::fence::{Repair as Order, Repaired};
use leafid_store::hex;
use leafid_store::json::shown;
use leafid_store::problem::Problem;
use leafid_store::random;
use leafid_store::registry::{Line, Registry, Server};
use leafid_store::utc;
use serde_json::{Value, json};

use super::adopt::FromMax;
use super::args::number;
use super::named::DEFAULT_FILE;
use super::output::{complain, remark, show};
use super::store::place;
use super::{Failure, runtime};
use crate::routes::input::tag;

const WAY: &str = "leafid repair --store";

const MEANING: &str = "\
A server raises a store that went back by itself, from its journal. Run this only where no server can:
where one says STORE_REFUSED, or waits for servers that never come back, or none keeps a journal. Stop
all servers first.

With the journals of all servers in the store's register, every tag and worker number is raised to what
they know to be granted, and no further. Nothing is handed out twice then. The servers of these journals
are removed, and so are the journals that no server uses: a server that starts begins a new one.

--without-journal is for a journal that is lost, or that nobody kept: each tag goes on 100 x its max_step
numbers above what is known, deleted ones included (one with less left is used up, TAG_SPENT: raise its
upper end); no window of a namespace begins before the longest one that may have been granted is over, and
5 s more; a tag that is created later needs --from; all servers are removed. Nothing is handed out twice
as long as less than that was granted since the copy was made. If your tables know more, name them:
--from-max, or --above with one number for all. Take a new backup at once, and throw the old one away: what is
granted from here on is in no journal that it could be raised to.

What it will do is printed first; with --dry-run that is all.";

/// The most raised rows that are printed.
const LINES: usize = 20;

#[derive(Args, Debug)]
#[command(after_help = MEANING, group = ArgGroup::new("known").required(true).multiple(true))]
pub struct Repair {
    /// The store: `sqlite:PATH`, a plain path, or the URL of a database
    #[arg(long, env = "LEAFID_STORE", value_name = "STORE", default_value = DEFAULT_FILE,
          hide_env_values = true)]
    store: String,
    /// A folder with journals of servers of this store; once for each folder
    #[arg(long, env = "LEAFID_JOURNAL", value_name = "DIR", group = "known")]
    journal: Vec<PathBuf>,
    /// A journal is lost, or none was kept: moves every tag and namespace past what may have been granted
    #[arg(long, group = "known")]
    without_journal: bool,
    /// Raises every tag to at least this number, which is the next one that it grants
    #[arg(long, value_name = "N", value_parser = number, group = "known")]
    above: Option<u64>,
    /// Raises this tag alone to --above
    #[arg(long, value_name = "TAG", requires = "above")]
    tag: Option<String>,
    /// Gives a copy that shall live beside its original an id of its own, and raises nothing: holders of the
    /// original refuse it (STORE_CHANGED), and neither fences the other. Stop the servers of the copy first
    #[arg(long, group = "known", conflicts_with_all = ["journal", "without_journal", "above", "dry_run"])]
    new_id: bool,
    /// A tag and a query for the largest number of it in use, as in `orders=SELECT max(id) FROM orders`; it
    /// is raised past that, too. Once for each tag
    #[arg(long, value_name = "TAG=SQL", conflicts_with = "new_id", value_parser = tag_and_query)]
    from_max: Vec<(Name, String)>,
    /// The database that --from-max asks: `postgres://…`, `mysql://…` or `sqlite:PATH` [default: the one of
    /// --store]
    #[arg(long = "in", value_name = "DATABASE", requires = "from_max")]
    database: Option<String>,
    /// Prints what it would do, and does nothing
    #[arg(long)]
    dry_run: bool,
}

fn tag_and_query(text: &str) -> Result<(Name, String), String> {
    let (tag, sql) = text.split_once('=').ok_or("use TAG=SQL")?;
    let tag = Name::tag(tag).map_err(|_| format!("`{}` is no tag", shown(tag)))?;
    Ok((tag, sql.to_owned()))
}

/// Fences a store.
pub fn fence(store: &Registry, order: Order) -> Result<Repaired, Problem> {
    runtime()?.block_on(store.repair(order))
}

impl Repair {
    pub fn run(self) -> Result<(), Failure> {
        if self.new_id {
            return self.renamed();
        }
        let options = Options { allow_unsafe: true, ..Options::default() };
        let store = place(&self.store, WAY)?.open(None, Arc::new(SystemClock), &options);
        let store = store.map_err(Problem::from)?;
        let (order, journals) = self.order(&store)?;
        let plan = fence(&store, Order { dry_run: true, ..order.clone() })?;
        if !plan.awaited.is_empty() {
            return Err(unknown(&plan.awaited).into());
        }
        let mut value = described(&plan);
        let place = store.place();
        value["place"] = place.as_str().into();
        let lines = lines(&plan).join("\n");
        if self.dry_run {
            return show(&value, lines);
        }
        remark(lines)?;
        let done = fence(&store, order)?;
        value["generation"] = done.generation.into();
        let mut removed = Vec::new();
        for found in journals {
            let path = found.path.display().to_string();
            match found.remove() {
                Ok(true) => removed.push(path),
                Ok(false) => remark(format_args!("{path} stays: a server uses it"))?,
                Err(error) => complain(format_args!("{path} cannot be removed: {error}")),
            }
        }
        value["journals"] = removed.clone().into();
        for path in removed {
            remark(format_args!("{path} is taken over, and removed"))?;
        }
        let (generation, tags) = (done.generation, done.tags());
        show(
            &value,
            format_args!("{place}: fenced, generation {generation}; tags raised: {tags}"),
        )?;
        if self.without_journal {
            complain(
                "back up the store now, and never restore the old copy again: no journal knows what is \
                 granted from here on, and it would be granted twice",
            );
        }
        Ok(())
    }

    /// What is to be done, and the journals that it is known from.
    fn order(&self, store: &Registry) -> Result<(Order, Vec<Found>), Problem> {
        let mut order = Order { with_gap: self.without_journal, ..Order::default() };
        let mut journals = Vec::new();
        for folder in &self.journal {
            let known = journal::known(folder, store.id())?;
            if known.is_empty() {
                return Err(Problem::unavailable(format!(
                    "`{}` has no journal of store {}, and nothing was raised; name the folder that the \
                     server was given as --journal; if it is lost, use --without-journal instead",
                    folder.display(),
                    hex(store.id())
                )));
            }
            for found in known {
                order.bounds.merge(&found.bounds);
                order.taken.extend(found.bounds.server);
                journals.push(found);
            }
        }
        match (self.above, &self.tag) {
            (Some(above), Some(name)) => {
                order.bounds.note(Note::Line(Line::tag(tag(name)?, above)));
            }
            (above, _) => order.above = above.unwrap_or(0),
        }
        for (tag, sql) in &self.from_max {
            let asked = FromMax::of(sql.clone(), self.database.clone());
            let first = asked.first(tag.as_str(), Some(&self.store))?;
            if let Some(first) = first {
                order.bounds.note(Note::Line(Line::tag(*tag, first)));
            }
        }
        Ok((order, journals))
    }

    fn renamed(self) -> Result<(), Failure> {
        let place = place(&self.store, WAY)?;
        let id = Token::new(random::bytes()?);
        place.rename(id)?;
        let place = place.shown();
        let value = serde_json::json!({ "place": place, "store": hex(id) });
        show(&value, format_args!("{place}: store id {}, another store from now on", hex(id)))
    }
}

/// The refusal to raise a store while grants may be missing in the journals.
fn unknown(awaited: &[Server]) -> Problem {
    let names: Vec<String> = awaited.iter().map(Server::title).collect();
    let detail = format!(
        "the store has servers whose journal was not given: {}; what they granted is not known, and \
         nothing was raised: name the folder of each one's journal, --journal DIR; if one is lost, add \
         --without-journal",
        names.join(", ")
    );
    Problem::new(Code::StoreRefused, detail)
}

/// A raised row: its names, what a person is told of it, and where it stood before and stands now.
fn raised(write: &Write) -> Option<(Value, String, Option<u64>, u64)> {
    Some(match write {
        Write::Tag { tag, before, after } => (
            json!({ "tag": tag.as_str() }),
            format!("tag `{tag}`:"),
            before.map(|seen| seen.row.max_id),
            after.max_id,
        ),
        Write::Worker(write) => (
            json!({ "namespace": write.namespace.as_str(), "worker": write.worker }),
            format!("worker {} of namespace `{}`: rests until tick", write.worker, write.namespace),
            write.before.map(|seen| seen.row.reserved_until),
            write.after.reserved_until,
        ),
        Write::Namespace { namespace, before, after } => (
            json!({ "namespace": namespace.as_str() }),
            format!("namespace `{namespace}`: no window begins before tick"),
            before.map(|seen| seen.row.namespace.floor),
            after.namespace.floor,
        ),
        _ => return None,
    })
}

fn described(plan: &Repaired) -> Value {
    let raised = plan.raised.iter().filter_map(raised).map(|(mut row, _, from, to)| {
        row["from"] = json!(from.map(|from| from.to_string()));
        row["to"] = to.to_string().into();
        row
    });
    let removed = plan
        .removed
        .iter()
        .map(|server| json!({ "name": server.record.name, "id": hex(server.id) }));
    json!({
        "raised": raised.collect::<Vec<_>>(),
        "removed": removed.collect::<Vec<_>>(),
        "floor_ms": plan.floor.get(),
    })
}

/// What a fence does, for a person.
fn lines(plan: &Repaired) -> Vec<String> {
    let raised = plan.raised.iter().filter_map(raised).map(|(_, what, from, to)| {
        let from = from.map_or("none".to_owned(), |from| from.to_string());
        format!("{what} {from} → {to}")
    });
    let mut lines: Vec<String> = raised.take(LINES).collect();
    let more = plan.raised.len() - lines.len();
    if more > 0 {
        lines.push(format!("and {more} more"));
    }
    if plan.floor.get() > 0 {
        lines.push(format!("no window begins before {}", utc::text(plan.floor)));
    }
    lines.extend(plan.removed.iter().map(|server| format!("server {} is removed", server.title())));
    if lines.is_empty() {
        lines.push("nothing is below what is known".to_owned());
    }
    lines
}
