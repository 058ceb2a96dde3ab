//! `leafid repair`: moves every line of a store past what it may have granted.

use std::path::PathBuf;
use std::sync::Arc;

use clap::{ArgGroup, Args};
use leafid_core::{Name, Token};
use leafid_store::backends::opening::Options;
use leafid_store::clock::SystemClock;
use leafid_store::fence::bounds::Note;
use leafid_store::fence::{Repair as Order, Repaired, file as journal};
use leafid_store::hex;
use leafid_store::json::shown;
use leafid_store::problem::Problem;
use leafid_store::random;
use leafid_store::registry::Line;
use leafid_store::registry::Registry;
use leafid_store::utc;

use super::adopt::FromMax;
use super::named::DEFAULT_FILE;
use super::output::{complain, show};
use super::store::place;
use super::{Failure, runtime};

const WAY: &str = "leafid repair --store";

const MEANING: &str = "\
Run it when a store is back at an earlier state: after a backup was restored, a replica without the
last commits was promoted, or a server says STORE_WENT_BACK or STORE_REFUSED for that reason. Servers
may run meanwhile, and lease from there; restart those that hand out single IDs.

What it does, in one step: each tag continues 100 x its max_step numbers above the highest one that the
store or a journal knows to be granted, deleted tags included; in each namespace no window begins
before the longest one that may have been granted is over, and 5 s more, so a process that starts
waits that long; a tag that is created later needs --from. With its journal nothing is handed out twice.
Without one that holds as long as less than the gap was granted since the copy was made, and the
copy is restored for the first time: what was granted behind the first fence is not in it. So take a
new backup at once, and throw the old one away. Holders of worker numbers continue to the end of
their windows.

It does not check whether anything was lost: each run moves all lines once more. A tag that has less
left than the gap is used up (TAG_SPENT): raise its upper end, or create another tag.";

#[derive(Args, Debug)]
#[command(after_help = MEANING, group = ArgGroup::new("known").required(true))]
pub struct Repair {
    /// The store: `sqlite:PATH`, a plain path, or the URL of a database
    #[arg(long, env = "LEAFID_STORE", value_name = "STORE", default_value = DEFAULT_FILE,
          hide_env_values = true)]
    store: String,
    /// The folder of a server's journal of this store; what it knows is moved past, too. Once for
    /// each server that kept one
    #[arg(long, env = "LEAFID_JOURNAL", value_name = "DIR", group = "known")]
    journal: Vec<PathBuf>,
    /// No journal was kept, or it is lost: what the store alone knows has to do
    #[arg(long, group = "known")]
    without_journal: bool,
    /// Gives a copy that shall live beside its original an id of its own, and moves nothing: holders of the
    /// original refuse it (STORE_CHANGED), and neither fences the other. Stop the servers of the copy first
    #[arg(long, group = "known")]
    new_id: bool,
    /// A tag and a query for the largest number of it in use, as in `orders=SELECT max(id) FROM orders`; it
    /// is moved past that, too. Once for each tag
    #[arg(long, value_name = "TAG=SQL", conflicts_with = "new_id", value_parser = tag_and_query)]
    from_max: Vec<(Name, String)>,
    /// The database that --from-max asks: `postgres://…`, `mysql://…` or `sqlite:PATH` [default: the one of
    /// --store]
    #[arg(long = "in", value_name = "DATABASE", requires = "from_max")]
    database: Option<String>,
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
        let mut order = Order { with_gap: self.without_journal, ..Order::default() };
        for folder in &self.journal {
            let known = journal::known(folder, store.id())?;
            if known.is_empty() {
                return Err(Problem::unavailable(format!(
                    "`{}` has no journal of store {}, and nothing was moved; name the folder that the \
                     server was given as --journal; if it is lost, use --without-journal instead",
                    folder.display(),
                    hex(store.id())
                )).into());
            }
            for known in &known {
                order.bounds.merge(known);
                order.taken.extend(known.server);
            }
        }
        for (tag, sql) in &self.from_max {
            let asked = FromMax::of(sql.clone(), self.database.clone());
            let first = asked.first(tag.as_str(), Some(&self.store))?;
            if let Some(first) = first {
                order.bounds.note(Note::Line(Line::Tag(*tag, first)));
            }
        }
        let done = fence(&store, order)?;
        let value = serde_json::json!({
            "place": store.place(), "generation": done.generation, "tags": done.tags,
            "workers": done.workers, "floor_ms": done.floor.get(),
        });
        let line = format_args!(
            "{}: fenced, generation {}; tags moved: {}; no window begins before {}",
            store.place(),
            done.generation,
            done.tags,
            utc::text(done.floor)
        );
        show(&value, line)?;
        if self.without_journal {
            complain(
                "back up the store now, and never restore the old copy again: without a journal \
                 nothing knows what is granted from here on, and it would be granted twice",
            );
        }
        Ok(())
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
