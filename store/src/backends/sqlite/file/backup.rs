//! Copies a store's file while programs use it.

use std::error::Error;
use std::ffi::OsString;
use std::fs::OpenOptions;
use std::path::{Path, PathBuf};

use leafid_core::Code;
use leafid_state::places;
use rusqlite::{Connection, OpenFlags};

use super::{found, open, store};
use crate::backends::opening::Found;
use crate::problem::Problem;
use leafid_turn::hex;

/// A finished copy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Copied {
    /// The id of the store and of its copy.
    pub store: String,
    /// The contents of the copy.
    pub found: Found,
}

/// Copies a store as of one moment. Nothing is overwritten, and `to` is never a partial copy.
///
/// # Errors
/// `STORE_REFUSED` if `to` exists, `STORE_UNAVAILABLE` if something cannot be read or written, or those
/// of [`Sqlite::open`](crate::backends::sqlite::Sqlite::open).
pub fn copy(from: &Path, to: &Path) -> Result<Copied, Problem> {
    let connection = open::existing(from)?;
    let id = store(&connection, from)?;
    places::refuse_orphan(to)?;
    let cannot = |error: std::io::Error| match error.kind() {
        std::io::ErrorKind::AlreadyExists => {
            let detail = format!(
                "`{}` is there already, and a backup overwrites nothing; name another file",
                to.display()
            );
            Problem::new(Code::StoreRefused, detail)
        }
        _ => Problem::unavailable(format!("cannot write `{}`: {error}", to.display())),
    };
    // Takes the name with an empty file, which the complete copy replaces.
    OpenOptions::new().write(true).create_new(true).open(to).map_err(cannot)?;
    let part = part(to);
    let written = write(&connection, from, &part).map_err(|error| {
        Problem::unavailable(format!("cannot write `{}`: {error}", part.display()))
    });
    let written = written.and_then(|found| {
        std::fs::rename(&part, to).map_err(cannot)?;
        sync_folder(to).map_err(cannot)?;
        Ok(Copied { store: hex(id), found })
    });
    if written.is_err() {
        // If removing fails, the names show what the remains are.
        let _ = std::fs::remove_file(&part);
        let _ = std::fs::remove_file(to);
    }
    written
}

fn part(to: &Path) -> PathBuf {
    let mut name = OsString::from(to);
    name.push(format!(".{}.part", std::process::id()));
    PathBuf::from(name)
}

fn write(connection: &Connection, from: &Path, part: &Path) -> Result<Found, Box<dyn Error>> {
    let file = OpenOptions::new().write(true).create_new(true).open(part)?;
    // The copy has the keys of leases, so it gets the permissions of the store.
    file.set_permissions(std::fs::metadata(from)?.permissions())?;
    let name = part.to_str().ok_or("its name is not UTF-8")?;
    connection.execute("VACUUM INTO ?1", [name])?;
    file.sync_all()?;
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let copy = Connection::open_with_flags(part, flags)?;
    let check: String = copy.query_row("PRAGMA quick_check(1)", [], |row| row.get(0))?;
    match &*check {
        "ok" => Ok(found(&copy)?),
        wrong => Err(format!("the copy is not sound: {wrong}").into()),
    }
}

/// Syncs the folder of a file, which makes the file's name durable.
fn sync_folder(to: &Path) -> std::io::Result<()> {
    match cfg!(unix) {
        true => std::fs::File::open(places::folder(to))?.sync_all(),
        false => Ok(()),
    }
}
