//! `leafid backup …`: a copy of a store's file.

use std::path::Path;

use clap::Args;

use super::client::{DEFAULT_FILE, file, path};
use super::{Failure, say};
use crate::backends::sqlite::file::backup;

const MEANING: &str = "\
The copy is complete and consistent, even while a server uses the store. It is a second store with
the same id that knows nothing of what is granted later: do not serve it, beside the original or in
its place, or IDs are handed out twice. After a loss it tells you how far each tag had come and which
namespaces there were: create a new store with `leafid init --replaces-lost`, and each tag with
`--from` a number above all that are in use.";

#[derive(Args, Debug)]
#[command(after_help = MEANING)]
pub struct Backup {
    /// The file to write: `sqlite:PATH` or a plain path; it must not exist yet
    to: String,
    /// The store's file: `sqlite:PATH` or a plain path
    #[arg(long, env = "LEAFID_STORE", value_name = "STORE", default_value = DEFAULT_FILE)]
    store: String,
}

impl Backup {
    /// Copies it.
    pub fn run(self) -> Result<(), Failure> {
        let from = file(&self.store, "leafid backup TO --store")?;
        let to = path(&self.to)?;
        let copied = backup::copy(&from, &to)?;
        say(format_args!(
            "copied sqlite:{} to {}, {} bytes, store id {}: {}",
            from.display(),
            to.display(),
            size(&to),
            copied.store,
            copied.found
        ))?;
        say(
            "do not serve the copy: it lacks what is granted from now on and would grant it again; \
             `leafid backup --help` says how to restore",
        )
    }
}

fn size(path: &Path) -> u64 {
    std::fs::metadata(path).map_or(0, |metadata| metadata.len())
}
