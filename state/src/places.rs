//! Where no store's file may be: SQLite needs locks that work, and keeps its log beside the name that was opened, so two
//! programs that open a file by two names would have a log each and grant the same numbers.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use leafid_core::Code;
use leafid_turn::problem::Problem;

/// Refuses a file that must not be opened as a store. Gives why it has no content (`does not exist`, …) before SQLite
/// makes or touches it.
///
/// # Errors
/// `STORE_UNKNOWN` for a folder and without one; `STORE_REFUSED` on a network file system, for a file with another
/// name, and for the log of a missing one; `FORBIDDEN` and `STORE_UNAVAILABLE` for what cannot be examined.
pub fn check(path: &Path) -> Result<Option<&'static str>, Problem> {
    refuse_folders(path)?;
    #[cfg(target_os = "linux")]
    refuse_network(path)?;
    // Before a log is looked for: a file with two names has two.
    #[cfg(unix)]
    refuse_second(path)?;
    refuse_orphan(path)?;
    Ok(absence(path))
}

/// The folder of a file.
pub fn folder(path: &Path) -> &Path {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    folder.unwrap_or(Path::new("."))
}

/// The error of a file that this user may not use.
pub fn cannot_write(path: &Path) -> Problem {
    let path = path.display();
    let detail =
        format!("this user cannot write `{path}`; allow writing to the file and its folder");
    Problem::new(Code::Forbidden, detail)
}

fn absence(path: &Path) -> Option<&'static str> {
    match fs::metadata(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => Some("does not exist"),
        Ok(metadata) if metadata.is_file() && metadata.len() == 0 => Some("is an empty file"),
        _ => None,
    }
}

/// Refuses a missing or empty file with a log still beside it: the log has grants that were not written
/// to the file yet, and SQLite would delete it.
///
/// # Errors
/// `STORE_REFUSED`.
pub fn refuse_orphan(path: &Path) -> Result<(), Problem> {
    // SQLite resolves symbolic links: the log is beside the real file.
    let linked = || path.read_link().map(|target| folder(path).join(target));
    let real = path.canonicalize().or_else(|_| linked()).unwrap_or_else(|_| path.to_owned());
    let mut log = real.into_os_string();
    log.push("-wal");
    let log = PathBuf::from(log);
    let has_log = fs::metadata(&log).is_ok_and(|metadata| metadata.len() > 0);
    if !has_log || absence(path).is_none() {
        return Ok(());
    }
    let (path, log) = (path.display(), log.display());
    let detail = format!(
        "`{path}` is gone, but its log `{log}` is there, and holds what was granted last; put \
         that very file back beside it; if it is lost, no copy or backup can take its place: move \
         `{log}` and `{path}-shm` away, those that are there, and make a new store: leafid init \
         --replaces-lost --store sqlite:{path}"
    );
    Err(Problem::new(Code::StoreRefused, detail))
}

/// Refuses a folder, and a missing one instead of making it: its disk may not be mounted.
fn refuse_folders(path: &Path) -> Result<(), Problem> {
    let (place, folder) = (path.display(), folder(path));
    let is_missing = |error: std::io::Error| error.kind() == ErrorKind::NotFound;
    let detail = if path.is_dir() {
        format!("sqlite:{place} is a folder; name a file in it: sqlite:{place}/leafid.db")
    } else if folder.metadata().is_err_and(is_missing) {
        let folder = folder.display();
        format!(
            "the folder `{folder}` does not exist; if the path is right, make it first: mkdir -p \
             {folder}"
        )
    } else {
        return Ok(());
    };
    Err(Problem::new(Code::StoreUnknown, detail))
}

#[cfg(target_os = "linux")]
fn refuse_network(path: &Path) -> Result<(), Problem> {
    let folder = folder(path);
    let stat = rustix::fs::statfs(folder).map_err(|error| {
        Problem::unavailable(format!("cannot look at the folder `{}`: {error}", folder.display()))
    })?;
    match crate::networks::name(&stat, &[]) {
        Some(name) => Err(Problem::new(
            Code::StoreRefused,
            format!(
                "`{}` lies on a network file system ({name}), where locks cannot be trusted; move \
                 it to a local disk",
                path.display()
            ),
        )),
        None => Ok(()),
    }
}

/// Refuses a file that has another name (hard link), or is a mount point itself.
#[cfg(unix)]
fn refuse_second(path: &Path) -> Result<(), Problem> {
    use std::os::unix::fs::MetadataExt;

    let cannot = |error: std::io::Error| match error.kind() {
        ErrorKind::PermissionDenied => cannot_write(path),
        _ => Problem::unavailable(format!("cannot look at `{}`: {error}", path.display())),
    };
    let (real, metadata) = match path.canonicalize().and_then(|real| Ok((real.metadata()?, real))) {
        Ok((metadata, real)) => (real, metadata),
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(cannot(error)),
    };
    if !metadata.is_file() {
        return Ok(());
    }
    let refused = |what: &str, cure: &str| {
        let detail = format!(
            "`{}` {what}, and a program that opens it at its other place would grant the same \
             numbers again; {cure}",
            path.display()
        );
        Err(Problem::new(Code::StoreRefused, detail))
    };
    let names = metadata.nlink();
    if names > 1 {
        let what = format!("has {names} names (hard links)");
        return refused(&what, "remove all names but the one that it is opened by");
    }
    let mounted = match fs::read("/proc/self/mountinfo") {
        Ok(mounts) => is_mounted(&mounts, &real),
        // Without a list of mounts, a device of its own shows a mount. With the list it is no sign: an
        // overlay may give each file the device of its layer.
        Err(_) => folder(&real).metadata().map_err(cannot)?.dev() != metadata.dev(),
    };
    match mounted {
        true => refused("is mounted by itself", "mount the folder that it lies in, not the file"),
        false => Ok(()),
    }
}

/// Whether a path is a mount point in this list: the fifth word of a line, with blanks and backslashes as
/// three octal digits.
#[cfg(unix)]
fn is_mounted(mounts: &[u8], path: &Path) -> bool {
    use std::os::unix::ffi::OsStrExt;

    let mut written = Vec::new();
    for byte in path.as_os_str().as_bytes() {
        match byte {
            b' ' | b'\t' | b'\n' | b'\\' => {
                written.extend_from_slice(format!("\\{byte:03o}").as_bytes());
            }
            byte => written.push(*byte),
        }
    }
    let mut points =
        mounts.split(|byte| *byte == b'\n').map(|line| line.split(|byte| *byte == b' ').nth(4));
    points.any(|point| point == Some(&written))
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    /// A program makes the file, then its log.
    #[test]
    fn a_file_that_is_made_while_it_is_looked_at_is_no_orphan() {
        let folder = tempfile::tempdir().unwrap();
        let name = |n: u32| folder.path().join(format!("{n}.db"));
        let (goes_on, go) = mpsc::sync_channel::<std::path::PathBuf>(0);
        std::thread::scope(|scope| {
            scope.spawn(move || {
                for path in go {
                    std::fs::write(&path, "a page").unwrap();
                    std::fs::write(path.with_extension("db-wal"), "a frame").unwrap();
                }
            });
            for path in (0..300).map(name) {
                goes_on.send(path.clone()).unwrap();
                while super::check(&path).unwrap().is_some() {}
            }
            drop(goes_on);
        });
    }

    #[cfg(unix)]
    #[test]
    fn a_mount_point_is_the_whole_path() {
        let mounts = b"21 1 8:1 / / rw - ext4 /dev/a rw\n\
            30 21 8:1 /s/leafid.db /data/leafid.db rw - ext4 /dev/a rw\n\
            31 21 8:1 /s /my\\040data/a\\134b.db rw shared:1 - ext4 /dev/a rw\n";
        for (path, mounted) in [
            ("/data/leafid.db", true),
            ("/my data/a\\b.db", true),
            ("/", true),
            ("/data", false),
            ("/data/leafid.db-wal", false),
            ("/s/leafid.db", false),
            ("8:1", false),
        ] {
            let is_mounted = super::is_mounted(mounts, std::path::Path::new(path));
            assert_eq!(is_mounted, mounted, "{path}");
        }
    }
}
