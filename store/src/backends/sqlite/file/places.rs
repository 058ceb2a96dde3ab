//! Refuses a file that can be opened by two names: SQLite keeps its log beside the name that was opened,
//! so two programs could have a log each and grant the same numbers.

use std::path::Path;

#[cfg(unix)]
use leafid_core::Code;

use crate::problem::Problem;

/// Refuses a file that has another name (hard link), or is a mount point itself.
///
/// # Errors
/// `STORE_REFUSED`, or `STORE_UNAVAILABLE` if the file cannot be examined.
#[cfg(unix)]
pub fn refuse_second(path: &Path) -> Result<(), Problem> {
    use std::os::unix::fs::MetadataExt;

    let cannot = |error: std::io::Error| {
        Problem::unavailable(format!("cannot look at `{}`: {error}", path.display()))
    };
    // SQLite resolves symbolic links, too: the log is beside the real file.
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
        // Without a list of mounts, a device of its own shows a mount. With the list it is no sign: an
        // overlay may give each file the device of its layer.
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

/// Refuses nothing: this platform offers only names to compare.
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
