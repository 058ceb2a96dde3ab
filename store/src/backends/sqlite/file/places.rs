//! Refuses a file that can be opened at two places: SQLite keeps its log beside the name that it was
//! opened by, so two programs would each grant by a log of their own, and both the same numbers.

use std::path::Path;

#[cfg(unix)]
use leafid_core::Code;

use crate::problem::Problem;

/// Refuses a file that has another name, or is mounted by itself.
///
/// # Errors
/// `STORE_REFUSED`; `STORE_UNAVAILABLE` if it cannot be looked at.
#[cfg(unix)]
pub fn refuse_second(path: &Path) -> Result<(), Problem> {
    use std::os::unix::fs::MetadataExt;

    let cannot = |error: std::io::Error| {
        Problem::unavailable(format!("cannot look at `{}`: {error}", path.display()))
    };
    // SQLite follows links as well: the log lies beside the file that they lead to.
    let (real, metadata) = match path.canonicalize().and_then(|real| Ok((real.metadata()?, real))) {
        Ok((metadata, real)) => (real, metadata),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(cannot(error)),
    };
    if !metadata.is_file() {
        return Ok(());
    }
    let names = metadata.nlink();
    if names > 1 {
        return Err(refused(
            path,
            &format!("has {names} names (hard links)"),
            "remove all names but the one that it is opened by",
        ));
    }
    let mounted = match std::fs::read("/proc/self/mountinfo") {
        Ok(mounts) => is_mounted(&mounts, &real),
        // Without that list a device of its own tells. It is no sign where there is one: an overlay
        // may give each file the device of its layer.
        Err(_) => {
            let folder = real.parent().unwrap_or(&real).metadata().map_err(cannot)?;
            folder.dev() != metadata.dev()
        }
    };
    if mounted {
        let what = "is mounted by itself";
        return Err(refused(path, what, "mount the folder that it lies in, not the file"));
    }
    Ok(())
}

/// A name is all there is to compare by.
#[cfg(not(unix))]
pub fn refuse_second(_path: &Path) -> Result<(), Problem> {
    Ok(())
}

#[cfg(unix)]
fn refused(path: &Path, what: &str, cure: &str) -> Problem {
    let detail = format!(
        "`{}` {what}, and a program that opens it at its other place would grant the same numbers \
         again; {cure}",
        path.display()
    );
    Problem::new(Code::StoreRefused, detail)
}

/// Whether a path is a mount point of this list: the fifth word of a line, with blanks and
/// backslashes as three octal digits.
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

#[cfg(all(test, unix))]
mod tests {
    use super::*;

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
            assert_eq!(is_mounted(mounts, Path::new(path)), mounted, "{path}");
        }
    }
}
