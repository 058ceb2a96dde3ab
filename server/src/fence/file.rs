//! The file of a journal: lines that are added, and written anew when they grew too many.

use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use leafid_core::{Code, Token};

use super::text;
use super::witness::{Note, Witness};
use crate::hex::hex;
use crate::problem::Problem;

/// The first word of each file, and the version of its lines.
const FIRST: &str = "leafid-journal 1";
/// A file that grew to more than this many bytes, and to four times what it began with, is written
/// again with what still counts.
const LARGE: u64 = 256 * 1024;

/// A journal's file, and all that stands in it.
#[derive(Debug)]
pub struct Log {
    path: PathBuf,
    file: File,
    /// Held as long as the file is used: another file, since this one is replaced.
    _lock: File,
    witness: Witness,
    size: u64,
    began: u64,
    /// Whether the last line may be a part of one.
    torn: bool,
}

impl Log {
    /// Opens the journal of a store, or begins it; gives what it knew.
    pub fn open(folder: &Path, store: Token) -> Result<(Log, Witness), Problem> {
        let path = path(folder, store);
        let lock = lock(folder, store)?;
        let witness = read(folder, store)?.unwrap_or_default();
        let cannot = |error: std::io::Error| unusable(&path, &error);
        let (file, size) = begin(&path, folder, &witness).map_err(cannot)?;
        let found = witness.clone();
        Ok((Log { path, file, _lock: lock, witness, size, began: size, torn: false }, found))
    }

    /// Adds notes.
    pub fn add(&mut self, notes: Vec<Note>) -> std::io::Result<()> {
        self.stand()?;
        let lines: String = notes.iter().map(text::line).collect();
        if self.torn {
            self.file.write_all(b"\n")?;
        }
        self.torn = true;
        self.file.write_all(lines.as_bytes())?;
        self.torn = false;
        self.size += lines.len() as u64;
        notes.into_iter().for_each(|note| self.witness.note(note));
        if self.size > LARGE.max(self.began.saturating_mul(4)) {
            self.witness.prune();
            self.begin_again()?;
        }
        Ok(())
    }

    /// Has what was added reach the disk.
    pub fn sync(&mut self) -> std::io::Result<()> {
        self.stand()?;
        self.file.sync_data()
    }

    /// Writes the file whole again if it was removed or replaced: the next start would find nothing
    /// there, or what somebody else wrote.
    fn stand(&mut self) -> std::io::Result<()> {
        if is_at(&self.file, &self.path)? {
            return Ok(());
        }
        self.begin_again()?;
        let path = self.path.display().to_string();
        tracing::warn!(
            path,
            "the journal was removed, and is written again with all that is known"
        );
        Ok(())
    }

    /// As on a full disk: the same file, which takes no line. Gives the one that takes them.
    #[cfg(test)]
    pub fn fill(&mut self) -> std::io::Result<File> {
        Ok(std::mem::replace(&mut self.file, File::open(&self.path)?))
    }

    /// There is room again.
    #[cfg(test)]
    pub fn empty(&mut self, file: File) {
        self.file = file;
    }

    fn begin_again(&mut self) -> std::io::Result<()> {
        let folder = self.path.parent().unwrap_or(Path::new("."));
        (self.file, self.size) = begin(&self.path, folder, &self.witness)?;
        (self.began, self.torn) = (self.size, false);
        Ok(())
    }
}

/// Where the journal of a store lies.
pub fn path(folder: &Path, store: Token) -> PathBuf {
    folder.join(format!("{}.journal", hex(store)))
}

/// What a journal knows; nothing without one. It may be in use.
///
/// # Errors
/// `STORE_UNAVAILABLE` if it cannot be read, `SCHEMA_MISMATCH` if it is no journal.
pub fn read(folder: &Path, store: Token) -> Result<Option<Witness>, Problem> {
    let path = path(folder, store);
    let content = match std::fs::read(&path) {
        Ok(content) => content,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(unusable(&path, &error)),
    };
    let content = String::from_utf8_lossy(&content);
    let (first, rest) = content.split_once('\n').unwrap_or((&content, ""));
    if first != FIRST {
        let detail = format!(
            "`{}` is no journal that this program writes (its first line is not `{FIRST}`); move it \
             away if nothing needs it, or name another folder: --journal DIR",
            path.display()
        );
        return Err(Problem::new(Code::SchemaMismatch, detail));
    }
    let (mut witness, mut bad) = (Witness::default(), 0);
    for line in rest.split_terminator('\n') {
        match text::read(line) {
            Some(note) => witness.note(note),
            None => bad += usize::from(!line.is_empty()),
        }
    }
    if bad > 0 {
        let path = path.display().to_string();
        tracing::warn!(path, lines = bad, "lines of the journal cannot be read and are left out");
    }
    Ok(Some(witness))
}

/// Whether a path still leads to this open file.
fn is_at(file: &File, path: &Path) -> std::io::Result<bool> {
    match std::fs::metadata(path) {
        #[cfg(unix)]
        Ok(found) => {
            use std::os::unix::fs::MetadataExt;
            let open = file.metadata()?;
            Ok((found.dev(), found.ino()) == (open.dev(), open.ino()))
        }
        // Where a file is open there, nobody can take its place.
        #[cfg(not(unix))]
        Ok(_) => Ok(true),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

/// Writes a file with what still counts, whole or not at all.
fn begin(path: &Path, folder: &Path, witness: &Witness) -> std::io::Result<(File, u64)> {
    let mut content = format!("{FIRST}\n");
    content.extend(witness.notes().map(|note| text::line(&note)));
    let part = path.with_extension("part");
    let mut file = private().create(true).truncate(true).write(true).open(&part)?;
    file.write_all(content.as_bytes())?;
    file.sync_all()?;
    std::fs::rename(&part, path)?;
    #[cfg(unix)]
    File::open(folder)?.sync_all()?;
    #[cfg(not(unix))]
    let _ = folder;
    Ok((file, content.len() as u64))
}

/// Keeps other servers from the same journal: each notes what it wrote itself.
fn lock(folder: &Path, store: Token) -> Result<File, Problem> {
    let path = path(folder, store).with_extension("lock");
    let file = private().create(true).truncate(false).write(true).open(&path);
    let file = file.map_err(|error| match error.kind() {
        ErrorKind::NotFound => {
            let folder = folder.display();
            Problem::unavailable(format!(
                "the folder `{folder}` of the journal does not exist; if the path is right, make it \
                 first: mkdir -p {folder}"
            ))
        }
        _ => unusable(&path, &error),
    })?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(std::fs::TryLockError::WouldBlock) => {
            let detail = format!(
                "another server keeps its journal in `{}`; give each a folder of its own: \
                 --journal DIR",
                folder.display()
            );
            Err(Problem::new(Code::StoreRefused, detail))
        }
        Err(std::fs::TryLockError::Error(error)) => Err(unusable(&path, &error)),
    }
}

/// Nobody else needs to read what was granted when.
fn private() -> OpenOptions {
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.mode(0o600);
    }
    options
}

fn unusable(path: &Path, error: &std::io::Error) -> Problem {
    Problem::unavailable(format!("the journal `{}` cannot be used: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use leafid_core::Name;

    use super::*;

    const STORE: Token = Token::new([7; 16]);

    fn tag(n: u64) -> Note {
        Note::Tag(Name::tag("orders").unwrap(), n)
    }

    #[test]
    fn it_goes_on_after_a_crash_and_is_one_servers_alone() {
        let folder = tempfile::tempdir().unwrap();
        let (mut log, found) = Log::open(folder.path(), STORE).unwrap();
        assert_eq!(found, Witness::default());
        log.add(vec![tag(10), tag(20)]).unwrap();
        let second = Log::open(folder.path(), STORE).unwrap_err();
        assert_eq!(second.code, Code::StoreRefused, "{second}");
        let known = log.witness.clone();
        drop(log);
        // A crash in the middle of a line, and a disk that spoilt another.
        let path = path(folder.path(), STORE);
        let mut content = std::fs::read(&path).unwrap();
        content.extend(b"tag orders 9999 #00000000\ntag orders 88");
        std::fs::write(&path, content).unwrap();
        let (_log, found) = Log::open(folder.path(), STORE).unwrap();
        assert_eq!(found, known);
        assert_eq!(found.tags.values().copied().collect::<Vec<_>>(), [20]);
    }

    #[test]
    fn it_stays_small_and_forgets_nothing_that_counts() {
        let folder = tempfile::tempdir().unwrap();
        let (mut log, _) = Log::open(folder.path(), STORE).unwrap();
        let mut largest = 0;
        for n in 1..=30_000 {
            log.add(vec![tag(n)]).unwrap();
            largest = largest.max(log.size);
        }
        assert!((LARGE / 2..LARGE + 100).contains(&largest), "{largest}");
        drop(log);
        let (log, found) = Log::open(folder.path(), STORE).unwrap();
        assert_eq!(found.tags.values().copied().collect::<Vec<_>>(), [30_000]);
        assert!(log.size < 200, "{}", log.size);
    }

    /// A folder that is cleared under a running server: the next start finds all the same what counts.
    #[test]
    fn one_that_is_removed_or_replaced_is_written_again_whole() {
        let folder = tempfile::tempdir().unwrap();
        let path = path(folder.path(), STORE);
        let known = |log: Log| {
            drop(log);
            let (log, found) = Log::open(folder.path(), STORE).unwrap();
            (log, found.tags.values().copied().collect::<Vec<_>>())
        };
        let (mut log, _) = Log::open(folder.path(), STORE).unwrap();
        log.add(vec![tag(10)]).unwrap();
        std::fs::remove_file(&path).unwrap();
        log.sync().unwrap();
        let (mut log, found) = known(log);
        assert_eq!(found, [10]);
        std::fs::rename(&path, folder.path().join("elsewhere")).unwrap();
        std::fs::write(&path, "").unwrap();
        log.add(vec![tag(20)]).unwrap();
        assert_eq!(known(log).1, [20]);
    }

    #[test]
    fn what_is_no_journal_is_not_written_over() {
        let folder = tempfile::tempdir().unwrap();
        let path = path(folder.path(), STORE);
        std::fs::write(&path, "a letter to a friend\n").unwrap();
        let refused = Log::open(folder.path(), STORE).unwrap_err();
        assert_eq!(refused.code, Code::SchemaMismatch, "{refused}");
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "a letter to a friend\n");
        let missing = Log::open(&folder.path().join("none"), STORE).unwrap_err();
        assert_eq!(missing.code, Code::StoreUnavailable, "{missing}");
    }
}
