//! A folder of state files, for servers of many processes that share one option: each generator takes a file
//! that is free, or creates one.

use std::cmp::Reverse;
use std::fs::{self, File};
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{MAIN_SEPARATOR, Path, PathBuf};

use leafid_core::{Code, StateFile, StatePlace};

use crate::file::State;
use crate::{Found, Problem, boot, files};

const MOST: usize = 1_024;
const ENDING: &str = ".state";

/// Whether a path names a folder: it ends with a slash, or is one.
pub fn is_folder(path: &Path) -> bool {
    let ends_like_one = path.as_os_str().as_encoded_bytes().ends_with(&[MAIN_SEPARATOR as u8]);
    ends_like_one || path.is_dir()
}

/// Opens the best free file: the one whose right lasts longest, then one without a right, then a new one.
/// Reading without the lock gives only a hint; the lock decides.
pub fn open(folder: &Path, namespace: &str, boot: [u8; 16]) -> Result<(State, Found), Problem> {
    let said = |error| Problem::of_folder(folder, &error);
    let mut known = Vec::new();
    for entry in fs::read_dir(folder).map_err(said)? {
        let name = entry.map_err(said)?.file_name();
        if let Some(number) = name.to_str().and_then(|name| number(name, namespace)) {
            let end = end(&file(folder, namespace, number), boot);
            known.push((Reverse(end), number));
        }
    }
    known.sort_unstable();
    let taken: Vec<usize> = known.into_iter().map(|(_, number)| number).collect();
    let new = (0..MOST).filter(|number| !taken.contains(number));
    for number in taken.iter().copied().chain(new) {
        match State::open_file(&file(folder, namespace, number), boot) {
            Err(Problem { code: Code::StateLocked, .. }) => {}
            opened => return opened,
        }
    }
    let message = format!(
        "all {MOST} state files of namespace `{namespace}` in `{}` are locked by other processes: \
         pass a folder of another name to some of them",
        folder.display()
    );
    Err(Problem { code: Code::StateLocked, message })
}

fn file(folder: &Path, namespace: &str, number: usize) -> PathBuf {
    folder.join(format!("{namespace}.{number}{ENDING}"))
}

fn number(name: &str, namespace: &str) -> Option<usize> {
    let (of, number) = name.strip_suffix(ENDING)?.rsplit_once('.')?;
    let parsed = number.parse::<usize>().ok().filter(|parsed| *parsed < MOST)?;
    (of == namespace && number == parsed.to_string()).then_some(parsed)
}

/// The last tick of the right that a file seems to have.
fn end(path: &Path, boot: [u8; 16]) -> Option<u64> {
    let lock = fs::symlink_metadata(files::lock_path(path)).ok()?;
    // Not a pipe, which would block, nor a link.
    if !fs::symlink_metadata(path).ok()?.is_file() {
        return None;
    }
    let mut bytes = [0; StateFile::BYTES];
    File::open(path).ok()?.read_exact_at(&mut bytes, 0).ok()?;
    let place =
        StatePlace { machine: boot::machine_id(), boot, device: lock.dev(), lock: lock.ino() };
    let (_, found) = StateFile::read(place, boot::since_boot(), &bytes);
    Some(found.ok()??.end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_of_one_namespace_and_one_number() {
        assert_eq!(number("default.0.state", "default"), Some(0));
        assert_eq!(number("default.17.state", "default"), Some(17));
        assert_eq!(number("a.0.1.state", "a.0"), Some(1));
        for strange in [
            "default.0.state.lock",
            "default.state",
            "default.00.state",
            "default.+1.state",
            "default.1024.state",
            "default.x.state",
            "other.0.state",
            "a.0.1.state",
        ] {
            assert_eq!(number(strange, "default"), None, "{strange}");
        }
        assert_eq!(number("a.0.1.state", "a"), None);
    }
}
