//! `leafid init …`.

use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use leafid_core::registry::DEFAULT_MAX_WINDOW_MS;
use leafid_core::{Code, StoreTime};
use leafid_store::backends::opening::Options;
use leafid_store::clock::SystemClock;
use leafid_store::hex;
use leafid_store::opening::Place;
use leafid_store::problem::Problem;
use leafid_store::utc;
use serde_json::json;

use leafid_store::fence::{Repair, Repaired};

use super::Failure;
use super::args::longest_window_ms;
use super::journal::{Lost, lost, refusal, usual};
use super::named::DEFAULT_FILE;
use super::output::show;
use super::repair::fence;
use super::store::place;

#[derive(Args, Debug)]
pub struct Init {
    /// The store to create: the file `sqlite:PATH` or a plain path, tables in a database,
    /// `postgres://USER:PASSWORD@HOST:PORT/DATABASE` or `mysql://USER:PASSWORD@HOST:PORT/DATABASE`,
    /// keys `etcd://HOST:PORT,HOST:PORT/PREFIX`, or nodes `zk://HOST:PORT,HOST:PORT/PATH`
    #[arg(long, env = "LEAFID_STORE", value_name = "STORE", default_value = DEFAULT_FILE,
          hide_env_values = true)]
    store: String,
    /// The new store replaces one that was lost: its snowflake IDs begin after the last one that the
    /// old store can have granted, the tags that its journal knows continue above it, and each other tag
    /// needs --from
    #[arg(long)]
    replaces_lost: bool,
    /// The longest window of the lost store's namespaces [default: 10m]
    #[arg(long, value_name = "TIME", value_parser = longest_window_ms, requires = "replaces_lost")]
    max_window: Option<u32>,
    /// The folder of this machine's journals: beside that of a store which was at this place no new one is
    /// made, but with --replaces-lost one that continues above it [default: as for `leafid serve`]
    #[arg(long, env = "LEAFID_JOURNAL", value_name = "DIR")]
    journal: Option<PathBuf>,
}

impl Init {
    pub fn run(self) -> Result<(), Failure> {
        let longest = self.max_window.unwrap_or(DEFAULT_MAX_WINDOW_MS);
        let replaces_lost_ms = self.replaces_lost.then_some(longest);
        // A database's settings are checked only when it is served: this grants nothing.
        let options =
            Options { new: true, replaces_lost_ms, allow_unsafe: true, ..Options::default() };
        let place = place(&self.store, "leafid init --store")?;
        let lost = self.lost(&place)?;
        let store = place.open(None, Arc::new(SystemClock), &options).map_err(Problem::from)?;
        let moved = lost.map(|(_, mut bounds)| {
            // Its servers are not the new store's.
            bounds.members.clear();
            fence(&store, Repair { bounds, ..Repair::default() })
        });
        let moved = moved.transpose()?;
        let (place, id) = (store.place(), hex(store.id()));
        let tags = moved.as_ref().map_or(0, Repaired::tags);
        let floor = store.found()?.floor.max(moved.map(|moved| moved.floor));
        // A URL is shown without its password, so it cannot be copied from here.
        let way = match place
            .split_once("://")
            .and_then(|(scheme, at)| Some((scheme, at.split_once('@')?)))
        {
            Some((scheme, (user, at))) => {
                format!("LEAFID_STORE='{scheme}://{user}:PASSWORD@{at}' leafid serve")
            }
            None => format!("leafid serve --store {place}"),
        };
        let mut text = format!("created {place}, store id {id}; serve it: {way}");
        if let Some(floor) = floor {
            text.push_str(&format!(
                "\nit replaces a lost store: snowflake IDs begin at {}, after every window of up to \
                 {longest} ms that the lost one granted; if its clock may have run ahead of this \
                 machine's, or its windows were longer, delete this store and create it again with \
                 that much added to --max-window; the journal knew {tags} tags, which continue above it \
                 once they are created; each other tag needs --from, a number above all that are in use",
                utc::text(floor)
            ));
        }
        let floor_ms = floor.map(StoreTime::get);
        show(&json!({ "place": place, "store": id, "floor_ms": floor_ms, "tags": tags }), text)
    }

    /// With `--replaces-lost`, reads what the journals know of the store that was at this place; without, refuses
    /// a new store there if they know of one.
    fn lost(&self, place: &Place) -> Result<Option<Lost>, Problem> {
        let (folder, shown) = (self.journal.clone(), place.shown());
        let lost = folder.or_else(usual).map(|folder| lost(&folder, &shown));
        let (clock, options) =
            (Arc::new(SystemClock), Options { allow_unsafe: true, ..Options::default() });
        match lost.transpose()?.flatten() {
            Some(lost) if !self.replaces_lost => match place.open(None, clock, &options) {
                Err(unopened) if unopened.problem.code == Code::StoreUnknown => {
                    Err(refusal(&lost, &format!("no store was found at {shown}"), &shown))
                }
                // Creating the store reports anything else.
                _ => Ok(None),
            },
            lost => Ok(lost),
        }
    }
}
