//! `leafid backup …`: a copy of a store's file.

use clap::Args;
use leafid_store::backends::sqlite::file::backup;
use serde_json::json;

use super::named::{DEFAULT_FILE, file, masked, path};
use super::output::show;
use super::{Failure, invalid};

const MEANING: &str = "\
The copy is complete and consistent, even while a server uses the store. It is a second store with
the same id that knows nothing of what is granted later: never serve it beside the original, or IDs
are handed out twice. After a loss put it in the place of the original, and start its server with the
journal: it raises every tag and worker number to what was granted. Without a journal, run `leafid repair
--without-journal` before you serve it. A copy that shall live beside its original needs an id of its
own: `leafid repair --new-id`.";

#[derive(Args, Debug)]
#[command(after_help = MEANING)]
pub struct Backup {
    /// The file to write: `sqlite:PATH` or a plain path; it must not exist yet
    to: String,
    /// The store's file: `sqlite:PATH` or a plain path
    #[arg(long, env = "LEAFID_STORE", value_name = "STORE", default_value = DEFAULT_FILE,
          hide_env_values = true)]
    store: String,
}

impl Backup {
    pub fn run(self) -> Result<(), Failure> {
        let store = &self.store;
        if let Some(tool) = dump(store) {
            let detail = format!(
                "`{}` is a database, and this verb copies a file: use {tool}; as with a file, \
                 the servers of a database that is restored need their journals, `leafid repair --help` \
                 says why",
                masked(store)
            );
            return Err(invalid(detail).into());
        }
        let from = file(store, "leafid backup TO --store")?;
        let to = path(&self.to)?;
        let copied = backup::copy(&from, &to)?;
        let bytes = std::fs::metadata(&to).map_or(0, |metadata| metadata.len());
        let [from, to] = [from, to].map(|file| file.display().to_string());
        let (store, found) = (&copied.store, &copied.found);
        let line = format_args!(
            "copied sqlite:{from} to {to}, {bytes} bytes, store id {store}: {found}\n\
             do not serve the copy as it is: it lacks what is granted from now on and would grant it \
             again; `leafid backup --help` says how to restore"
        );
        show(&json!({ "from": from, "to": to, "bytes": bytes, "store": store }), line)
    }
}

fn dump(named: &str) -> Option<&'static str> {
    match named.split_once(':')?.0 {
        "postgres" | "postgresql" => Some("pg_dump --schema=leafid"),
        "mysql" => Some("mysqldump --single-transaction"),
        _ => None,
    }
}
