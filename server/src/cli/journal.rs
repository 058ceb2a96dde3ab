//! The options for a server's journal.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use clap::builder::BoolishValueParser;
use leafid_core::Code;
use leafid_store::backends::opening::{Options, Unopened};
use leafid_store::clock::SystemClock;
use leafid_store::fence::{Bounds, Journal, file};
use leafid_store::opening::Place;
use leafid_store::problem::Problem;
use leafid_store::registry::Registry;
use tokio::runtime::Handle;

use crate::host;

#[derive(Args, Debug)]
pub struct Folder {
    /// The folder of this server's journal of what the servers of the store granted, by which it notices
    /// that the store was put back, and raises it; best on another disk than the store [default: the
    /// machine's state folder: $STATE_DIRECTORY, $XDG_STATE_HOME/leafid or ~/.local/state/leafid; none
    /// with --dev]
    #[arg(long, env = "LEAFID_JOURNAL", value_name = "DIR")]
    journal: Option<PathBuf>,
    /// Keeps no journal: after each restore run `leafid repair --without-journal`
    #[arg(long, env = "LEAFID_NO_JOURNAL", value_parser = BoolishValueParser::new())]
    no_journal: bool,
}

impl Folder {
    /// The folder, unless there is to be none; the usual one is created.
    pub fn folder(self, dev: bool) -> Result<Option<PathBuf>, Problem> {
        if self.no_journal || (dev && self.journal.is_none()) {
            return Ok(None);
        }
        if self.journal.is_some() {
            return Ok(self.journal);
        }
        let folder = usual().ok_or_else(|| cannot("no variable says where it is"))?;
        host::make_private(&folder)
            .map_err(|error| cannot(&format!("`{}`: {error}", folder.display())))?;
        Ok(Some(folder))
    }
}

/// The machine's folder for the state of programs.
pub fn usual() -> Option<PathBuf> {
    let variable = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
    // The XDG standard ignores a relative one: each working folder would have another.
    let under = |name: &str, rest: &str| {
        variable(name).map(|root| Path::new(&root).join(rest)).filter(|path| path.is_absolute())
    };
    // If a unit has several, the first one counts.
    let of_unit = variable("STATE_DIRECTORY");
    let of_unit = of_unit.and_then(|all| std::env::split_paths(&all).next());
    let of_user = match std::env::consts::OS {
        "macos" => under("HOME", "Library/Application Support/leafid"),
        "windows" => under("LOCALAPPDATA", "leafid"),
        _ => under("HOME", ".local/state/leafid"),
    };
    of_unit.or_else(|| under("XDG_STATE_HOME", "leafid")).or(of_user)
}

fn cannot(why: &str) -> Problem {
    Problem::unavailable(format!(
        "the machine's state folder cannot be used for the journal ({why}); name a folder, --journal \
         DIR, or keep no journal: --no-journal"
    ))
}

/// Opens the store at this place and begins its journal, before anything is granted; never creates one in
/// place of a lost one.
pub fn open(
    folder: Option<&Path>,
    place: &Place,
    on: Option<&Handle>,
    options: &Options,
) -> Result<Registry, Unopened> {
    let shown = place.shown();
    let kept = folder.filter(|_| options.create);
    let lost = kept.map(|folder| lost(folder, &shown)).transpose()?.flatten();
    let options = Options { create: options.create && lost.is_none(), ..options.clone() };
    let store = place.open(on, Arc::new(SystemClock), &options).map_err(|unopened| match lost {
        Some(lost) if unopened.problem.code == Code::StoreUnknown => {
            refusal(&lost, &format!("no store was found at {shown}"), &shown).into()
        }
        _ => unopened,
    })?;
    let journal = folder.map(|folder| begin(folder, &store, options.believe_clock)).transpose()?;
    store.attend(machine(), journal)?;
    Ok(store)
}

/// Begins the journal; it ignores the times in it if the clock is to be believed.
fn begin(folder: &Path, store: &Registry, believe_clock: bool) -> Result<Journal, Problem> {
    let (found, shown) = (store.found()?, store.place());
    // A store that replaces a lost one has a floor, and begins above its journal.
    let is_new = found.floor.is_none() && !file::is_known(folder, store.id())?;
    if let Some(lost) = is_new.then(|| lost(folder, &shown)).transpose()?.flatten() {
        let what = format!("{shown} is not the store that was there before");
        return Err(refusal(&lost, &what, &shown));
    }
    let journal = Journal::open(folder, store.id(), place(&shown), believe_clock)?;
    let path = journal.path.display().to_string();
    match journal.found.server {
        Some(_) => tracing::info!(path, "the store is compared with its journal"),
        None if found.created => tracing::info!(path, "a new journal is begun"),
        None => tracing::warn!(
            path,
            "a new journal is begun: what happened to the store before is not known"
        ),
    }
    Ok(journal)
}

/// The machine's name, by which operators know a server.
fn machine() -> String {
    let name: String = host::machine().chars().filter(|c| !c.is_control()).collect();
    if name.is_empty() { "server".to_owned() } else { name }
}

/// The journal of a store that is gone from its place, and what it knows.
pub type Lost = (PathBuf, Bounds);

/// The store that the journals in a folder know at this place.
pub fn lost(folder: &Path, shown: &str) -> Result<Option<Lost>, Problem> {
    file::lost(folder, &place(shown))
}

/// The refusal to create or serve another store at its place.
pub fn refusal((journal, known): &Lost, what: &str, place: &str) -> Problem {
    let folder = journal.parent().unwrap_or(Path::new(".")).display();
    let journal = journal.display();
    let knows = match known.tags().max_by_key(|(_, end)| *end) {
        Some((tag, end)) => format!("tag `{tag}` up to {end}"),
        None => "worker numbers".to_owned(),
    };
    let detail = format!(
        "{what}, and `{journal}` is the journal of one that was there and \
         granted numbers ({knows}): a new one would hand them out again; look for the old one first \
         (the address, the mount, the name of the database); if it is lost: leafid init \
         --replaces-lost --store {place} --journal {folder}, which continues above the journal; if nothing uses its numbers, move the \
         journal away"
    );
    Problem::new(Code::StoreRefused, detail)
}

/// The place as a journal has it: the same from every working folder, and for every user of a database.
fn place(shown: &str) -> String {
    if let Some(file) = shown.strip_prefix("sqlite:") {
        let file = Path::new(file);
        let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty());
        let whole = folder.unwrap_or(Path::new(".")).canonicalize();
        let name = file.file_name().unwrap_or_default();
        return format!("sqlite:{}", whole.map_or(file.to_owned(), |w| w.join(name)).display());
    }
    match shown.split_once("://") {
        Some((scheme, rest)) => {
            format!("{scheme}://{}", rest.rsplit_once('@').map_or(rest, |(_, at)| at))
        }
        None => shown.to_owned(),
    }
}
