//! A copy of a store's file, while others use it.

use std::ffi::OsString;
use std::fs::OpenOptions;
use std::path::{Path, PathBuf};

use leafid_core::Code;
use rusqlite::{Connection, OpenFlags};

use super::{create, meta, open};
use crate::backends::opening::Found;
use crate::hex::hex;
use crate::problem::Problem;

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
    create::refuse_orphan(to)?;
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
    let written = write(&connection, from, &part).and_then(|copied| {
        std::fs::rename(&part, to).map_err(cannot)?;
        sync_folder(to).map_err(cannot)?;
        Ok(copied)
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

fn write(connection: &Connection, from: &Path, part: &Path) -> Result<Copied, Problem> {
    let failed = |error: &dyn std::fmt::Display| {
        Problem::unavailable(format!("cannot write `{}`: {error}", part.display()))
    };
    let file = OpenOptions::new().write(true).create_new(true).open(part);
    let file = file.map_err(|error| failed(&error))?;
    // Who may not read the store does not read the keys of its leases here.
    let permissions = std::fs::metadata(from).map(|metadata| metadata.permissions());
    permissions
        .and_then(|permissions| file.set_permissions(permissions))
        .map_err(|error| failed(&error))?;
    let name = part.to_str().ok_or_else(|| failed(&"its name is not UTF-8"))?;
    connection.execute("VACUUM INTO ?1", [name]).map_err(|error| failed(&error))?;
    file.sync_all().map_err(|error| failed(&error))?;
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let copy = Connection::open_with_flags(part, flags).map_err(|error| failed(&error))?;
    let check = copy.query_row("PRAGMA quick_check(1)", [], |row| row.get::<_, String>(0));
    match check {
        Ok(sound) if sound == "ok" => {}
        Ok(wrong) => return Err(failed(&format!("the copy is not sound: {wrong}"))),
        Err(error) => return Err(failed(&error)),
    }
    let store = hex(meta::store(&copy, part)?);
    let found = meta::found(&copy, false).map_err(|error| failed(&error))?;
    Ok(Copied { store, found })
}

/// A name is durable when its folder is.
fn sync_folder(to: &Path) -> std::io::Result<()> {
    let folder = to.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    match cfg!(unix) {
        true => std::fs::File::open(folder)?.sync_all(),
        false => Ok(()),
    }
}
