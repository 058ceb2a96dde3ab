//! File operations with the path in every error.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::{Outcome, project};

/// Folders that tools create.
const LEAVINGS: &[&str] =
    &["target", "node_modules", "dist", "__pycache__", ".git", ".venv", ".cache"];

fn told<T>(verb: &str, path: &Path, result: std::io::Result<T>) -> Outcome<T> {
    result.map_err(|error| format!("cannot {verb} `{}`: {error}", shown(path)))
}

pub fn read(path: &Path) -> Outcome<String> {
    told("read", path, fs::read_to_string(path))
}

pub fn bytes(path: &Path) -> Outcome<Vec<u8>> {
    told("read", path, fs::read(path))
}

pub fn size(path: &Path) -> Outcome<u64> {
    told("read", path, fs::metadata(path)).map(|data| data.len())
}

/// Writes a file and the folders above it; an equal file keeps its time. Returns whether it was written.
pub fn write(path: &Path, content: impl AsRef<[u8]>) -> Outcome<bool> {
    if fs::read(path).is_ok_and(|old| old == content.as_ref()) {
        return Ok(false);
    }
    make_dir(path.parent().unwrap_or(path))?;
    told("write", path, fs::write(path, content)).map(|()| true)
}

/// Copies a file, and renames it when it is whole: meanwhile readers see the old one.
pub fn install(from: &Path, to: &Path) -> Outcome {
    make_dir(to.parent().unwrap_or(to))?;
    let name = to.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let half = to.with_file_name(format!(".{name}.{}", std::process::id()));
    told("copy", from, fs::copy(from, &half))?;
    told("write", to, fs::rename(&half, to))
}

/// Copies a folder with everything in it.
pub fn copy_dir(from: &Path, to: &Path) -> Outcome {
    let below = |file: &Path| to.join(file.strip_prefix(from).unwrap_or(file));
    walk(from)?.iter().try_for_each(|file| install(file, &below(file)))
}

pub fn make_dir(path: &Path) -> Outcome {
    told("make", path, fs::create_dir_all(path))
}

/// Makes a temporary folder, removed on drop.
pub fn scratch() -> Outcome<tempfile::TempDir> {
    told("make", &std::env::temp_dir(), tempfile::tempdir())
}

/// Removes a file, or a folder with its content, if it exists.
pub fn remove(path: &Path) -> Outcome {
    let remove = if path.is_dir() { fs::remove_dir_all } else { fs::remove_file };
    if path.exists() { told("remove", path, remove(path)) } else { Ok(()) }
}

/// Does a job unless its mark has the text `wanted`; an interrupted one is done again.
pub fn once(mark: &Path, wanted: &str, job: impl FnOnce() -> Outcome) -> Outcome {
    if read(mark).is_ok_and(|done| done == wanted) {
        return Ok(());
    }
    remove(mark)?;
    job()?;
    write(mark, wanted).map(drop)
}

/// Identifies files by their paths and times.
pub fn stamps(of: &[&Path]) -> Outcome<String> {
    of.iter().map(|path| Ok(format!("{} {:?}\n", path.display(), changed(path)?))).collect()
}

/// All files below a folder, in order, without [`LEAVINGS`].
pub fn walk(folder: &Path) -> Outcome<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in told("read", folder, fs::read_dir(folder))? {
        let entry = told("read", folder, entry)?;
        match entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            _ if LEAVINGS.iter().any(|left| entry.file_name() == *left) => {}
            true => found.extend(walk(&entry.path())?),
            false => found.push(entry.path()),
        }
    }
    found.sort();
    Ok(found)
}

/// The files directly in a folder with this ending; none if there is no folder.
pub fn ending(folder: &Path, end: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
    let paths = entries.map(|entry| entry.path());
    let mut found: Vec<_> = paths.filter(|path| path.to_string_lossy().ends_with(end)).collect();
    found.sort();
    found
}

pub fn changed(path: &Path) -> Outcome<SystemTime> {
    told("read", path, fs::metadata(path).and_then(|data| data.modified()))
}

/// Sets a file's time to now, so that it counts as changed.
pub fn touch(path: &Path) -> Outcome {
    let file = fs::File::options().append(true).open(path);
    told("touch", path, file.and_then(|file| file.set_modified(SystemTime::now())))
}

/// A path as a user would write it.
pub fn shown(path: &Path) -> String {
    path.strip_prefix(project::root()).unwrap_or(path).display().to_string()
}

#[cfg(test)]
mod tests {
    use super::{once, read, remove, write};
    use crate::project;

    #[test]
    fn a_job_is_done_once_and_again_where_it_stopped_half_way() {
        let folder = project::target().join("xtask-tests/files");
        remove(&folder).expect("the folder of the last run can go");
        let mark = folder.join("mark");
        let mut count = 0;
        for wanted in ["a", "a", "b"] {
            let job = || {
                count += 1;
                Ok(())
            };
            once(&mark, wanted, job).expect("it can be written");
        }
        assert_eq!(count, 2);
        assert!(once(&mark, "c", || Err("stopped".to_owned())).is_err());
        assert!(read(&mark).is_err());
        assert_eq!((write(&mark, "1"), write(&mark, "1")), (Ok(true), Ok(false)));
    }
}
