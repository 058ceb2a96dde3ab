//! Files: read, write, copy, with the path in every error.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::Outcome;
use crate::project;

/// The whole text of a file.
pub fn read(path: &Path) -> Outcome<String> {
    fs::read_to_string(path).map_err(|error| about("read", path, &error))
}

/// The whole content of a file.
pub fn bytes(path: &Path) -> Outcome<Vec<u8>> {
    fs::read(path).map_err(|error| about("read", path, &error))
}

/// How many bytes a file has.
pub fn size(path: &Path) -> Outcome<u64> {
    fs::metadata(path).map(|data| data.len()).map_err(|error| about("read", path, &error))
}

/// Writes a file and the folders above it; a file that is equal already keeps its time.
/// Whether it was written.
pub fn write(path: &Path, content: impl AsRef<[u8]>) -> Outcome<bool> {
    let content = content.as_ref();
    if fs::read(path).is_ok_and(|old| old == content) {
        return Ok(false);
    }
    if let Some(folder) = path.parent() {
        make_dir(folder)?;
    }
    fs::write(path, content).map_err(|error| about("write", path, &error))?;
    Ok(true)
}

/// Copies a file under its final name only when it is whole: who reads meanwhile sees the old one.
pub fn install(from: &Path, to: &Path) -> Outcome {
    if let Some(folder) = to.parent() {
        make_dir(folder)?;
    }
    let name = to.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let half = to.with_file_name(format!(".{name}.{}", std::process::id()));
    fs::copy(from, &half).map_err(|error| about("copy", from, &error))?;
    fs::rename(&half, to).map_err(|error| about("write", to, &error))
}

/// Copies a folder with everything in it.
pub fn copy_dir(from: &Path, to: &Path) -> Outcome {
    for file in walk(from)? {
        let below = file.strip_prefix(from).unwrap_or(&file);
        install(&file, &to.join(below))?;
    }
    Ok(())
}

/// Makes a folder and those above it.
pub fn make_dir(path: &Path) -> Outcome {
    fs::create_dir_all(path).map_err(|error| about("make", path, &error))
}

/// Removes a folder with everything in it, where there is one.
pub fn remove_dir(path: &Path) -> Outcome {
    if !path.exists() {
        return Ok(());
    }
    fs::remove_dir_all(path).map_err(|error| about("remove", path, &error))
}

/// Removes a file, where there is one.
pub fn remove(path: &Path) -> Outcome {
    if !path.exists() {
        return Ok(());
    }
    fs::remove_file(path).map_err(|error| about("remove", path, &error))
}

/// Every file below a folder, in order; what tools leave behind is left out.
pub fn walk(folder: &Path) -> Outcome<Vec<PathBuf>> {
    let mut found = Vec::new();
    let entries = fs::read_dir(folder).map_err(|error| about("read", folder, &error))?;
    for entry in entries {
        let entry = entry.map_err(|error| about("read", folder, &error))?;
        let (path, name) = (entry.path(), entry.file_name());
        let leavings = ["target", "node_modules", "dist", "__pycache__", ".git", ".venv", ".cache"];
        if leavings.iter().any(|left| name == *left) {
            continue;
        }
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => found.extend(walk(&path)?),
            _ => found.push(path),
        }
    }
    found.sort();
    Ok(found)
}

/// The files right in a folder whose names end so; empty where there is no folder.
pub fn ending(folder: &Path, end: &str) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let paths = entries.filter_map(Result::ok).map(|entry| entry.path());
    let mut found: Vec<_> = paths.filter(|path| path.to_string_lossy().ends_with(end)).collect();
    found.sort();
    found
}

/// Whether every product is there and younger than every source; folders count with all below.
pub fn fresh(products: &[PathBuf], sources: &[PathBuf]) -> bool {
    let newest = sources.iter().flat_map(|source| {
        if source.is_dir() { walk(source).unwrap_or_default() } else { vec![source.clone()] }
    });
    let Some(newest) = newest.map(|path| changed(&path)).max() else { return false };
    let Some(newest) = newest else { return false };
    products.iter().all(|product| changed(product).is_some_and(|time| time > newest))
}

/// Gives a file the time of now, so that whoever watches it takes it for changed.
pub fn touch(path: &Path) -> Outcome {
    let file = fs::File::options().append(true).open(path);
    let touched = file.and_then(|file| file.set_modified(SystemTime::now()));
    touched.map_err(|error| about("touch", path, &error))
}

/// A path as a user would write it.
pub fn shown(path: &Path) -> String {
    path.strip_prefix(project::root()).unwrap_or(path).display().to_string()
}

fn changed(path: &Path) -> Option<SystemTime> {
    fs::metadata(path).and_then(|data| data.modified()).ok()
}

fn about(verb: &str, path: &Path, error: &std::io::Error) -> String {
    format!("cannot {verb} `{}`: {error}", shown(path))
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, SystemTime};

    use super::{fresh, install, read, remove_dir, write};
    use crate::project;

    #[test]
    fn a_product_is_fresh_when_it_is_younger_than_every_source() {
        let folder = project::target().join("xtask-tests/files");
        remove_dir(&folder).expect("the folder of the last run can go");
        let (source, product) = (folder.join("sources/a"), folder.join("product"));
        assert_eq!(write(&source, "1"), Ok(true));
        assert_eq!(write(&source, "1"), Ok(false), "an equal file keeps its time");
        let sources = [folder.join("sources")];
        assert!(!fresh(std::slice::from_ref(&product), &sources));
        install(&source, &product).expect("it can be copied");
        assert_eq!(read(&product).as_deref(), Ok("1"));
        let later = SystemTime::now() + Duration::from_secs(9);
        let touch = |path| std::fs::File::options().append(true).open(path);
        touch(&product).and_then(|file| file.set_modified(later)).expect("it is ours");
        assert!(fresh(std::slice::from_ref(&product), &sources));
        touch(&source).and_then(|file| file.set_modified(later)).expect("it is ours");
        assert!(!fresh(&[product], &sources));
    }
}
