//! A copy of a store's file, while others use it.

use std::error::Error;
use std::ffi::OsString;
use std::fs::OpenOptions;
use std::path::{Path, PathBuf};

use leafid_core::Code;
use rusqlite::{Connection, OpenFlags};

use super::{found, open, refuse_orphan, store};
use crate::backends::opening::Found;
use crate::problem::Problem;
use leafid_turn::hex;

/// A copy that was made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Copied {
    /// The id of the store, which the copy has too.
    pub store: String,
    /// What is in the copy.
    pub found: Found,
}

/// Copies a store as it is at one moment. Nothing is overwritten, and what stands at `to` is whole.
///
/// # Errors
/// `STORE_REFUSED` if something is there; `STORE_UNAVAILABLE` if it cannot be read or written; else
/// as [`Sqlite::open`](crate::backends::sqlite::Sqlite::open).
pub fn copy(from: &Path, to: &Path) -> Result<Copied, Problem> {
    let connection = open::existing(from)?;
    let id = store(&connection, from)?;
    refuse_orphan(to)?;
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
    // The name is ours from here on; until the copy is whole it is an empty file.
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
        // What is left says by its name what it is.
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
    // Who may not read the store does not read the keys of its leases here.
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

/// A name is durable when its folder is.
fn sync_folder(to: &Path) -> std::io::Result<()> {
    match cfg!(unix) {
        true => std::fs::File::open(open::folder(to))?.sync_all(),
        false => Ok(()),
    }
}
