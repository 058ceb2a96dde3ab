//! `leafid repair`: moves every line of a store past what it may have granted.

use std::path::PathBuf;

use clap::Args;
use leafid_core::Code;

use super::client::{DEFAULT_FILE, open};
use super::named::{file, or_usual};
use super::output::show;
use super::{Failure, database};
use crate::backends::opening::Options;
use crate::fence::file as journal;
use crate::problem::Problem;
use crate::store::Store;
use crate::utc;

const MEANING: &str = "\
Run it when a store stands where it stood before: after a backup was restored, a replica without the
last commits was promoted, or a server says STORE_WENT_BACK or STORE_REFUSED for that reason. Servers
may run meanwhile, and go on from there.

What it does, in one step: each tag goes on 100 x its max_step numbers above the highest one that the
store or a journal knows to be granted, deleted tags included; in each namespace no window begins
before the longest one that may have been granted is over, and 5 s more, so a process that starts
waits so long; a tag that is created later needs --from. Nothing is handed out twice as long as what
was lost of a tag is less than that gap. Holders of worker numbers go on to the end of their windows.

It does not look whether anything was lost: each run moves all lines once more. A tag that has less
left than the gap is used up (TAG_SPENT): raise its upper end, or create another tag.";

#[derive(Args, Debug)]
#[command(after_help = MEANING)]
pub struct Repair {
    /// The store: `sqlite:PATH`, a plain path, or the URL of a database
    #[arg(long, env = "LEAFID_STORE", value_name = "STORE", default_value = DEFAULT_FILE,
          hide_env_values = true)]
    store: String,
    /// The folder of a server's journal of this store; what it knows is moved past, too. Say it once
    /// for each server that kept one
    #[arg(long, env = "LEAFID_JOURNAL", value_name = "DIR")]
    journal: Vec<PathBuf>,
}

impl Repair {
    /// Fences the store.
    pub fn run(self) -> Result<(), Failure> {
        let store = match database::open(or_usual(&self.store), true) {
            Some(store) => store?,
            None => {
                open(&file(or_usual(&self.store), "leafid repair --store")?, Options::default())?
            }
        };
        let mut heard = None;
        for folder in &self.journal {
            let Some(witness) = journal::read(folder, store.id())? else {
                let detail = format!(
                    "`{}` is not there, and nothing was moved; name the folder that the server was \
                     given as --journal, or leave the option out",
                    journal::path(folder, store.id()).display()
                );
                return Err(Problem::unavailable(detail).into());
            };
            heard = Some(witness.and(heard));
        }
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime
            .map_err(|error| Problem::new(Code::Internal, format!("no runtime: {error}")))?;
        let done = runtime.block_on(store.repair(heard))?;
        let value = serde_json::json!({
            "place": store.place(), "generation": done.generation, "tags": done.tags,
            "namespaces": done.namespaces, "floor_ms": done.floor.get(),
        });
        let line = format_args!(
            "{}: fenced, generation {}: {} tags moved; {} namespaces grant no window that begins \
             before {}",
            store.place(),
            done.generation,
            done.tags,
            done.namespaces,
            utc::text(done.floor)
        );
        show(value, line)
    }
}
