//! The files of journals: lines are appended, and the file is rewritten when it has grown too much. A folder
//! has as many files of a store as servers of it ran at once.

use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use leafid_core::{Code, StoreTime, Token};

use super::text;
use super::witness::{Note, Witness};
use crate::problem::Problem;
use leafid_turn::hex;

/// The start of each file: a format name, and the version of its lines.
pub const FIRST: &str = "leafid-journal 1";
/// A file of more than this many bytes, and more than four times its first size, is rewritten with what
/// still counts.
const LARGE: u64 = 256 * 1024;
/// The most servers of one store with journals in one folder.
const SERVERS: u32 = 1_000;

/// The first line of a journal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Head {
    /// The store.
    pub store: Token,
    /// When the store's journal was begun here, by this machine's clock.
    pub since: StoreTime,
    /// Where the store is, without a password.
    pub place: String,
}

/// An open journal file, with its contents.
#[derive(Debug)]
pub struct Log {
    /// The path of the file.
    pub path: PathBuf,
    /// Its first line.
    pub head: Head,
    file: File,
    /// The lock, in a file of its own because the journal's is replaced when it is rewritten.
    lock: File,
    witness: Witness,
    size: u64,
    began: u64,
    torn: bool,
}

impl Log {
    /// Opens a journal of the store that no server uses, or begins one, and gives what all the store's
    /// journals know. Other unused ones are merged into this one.
    pub fn open(folder: &Path, mut head: Head) -> Result<(Log, Witness), Problem> {
        let store = head.store;
        let (path, lock) = free(folder, store)?;
        let mut witness = Witness::default();
        let mut left = Vec::new();
        for (other, id) in all(folder)? {
            if id != store {
                continue;
            }
            if other != path
                && let Some(lock) = self::lock(folder, &other)?
            {
                left.push((other.clone(), lock));
            }
            if let Some((known, noted)) = read(&other, id)? {
                head.since = head.since.min(known.since);
                witness = noted.and(Some(witness));
            }
        }
        let cannot = |error: std::io::Error| unusable(&path, &error);
        let (file, size) = begin(&path, &head, &witness).map_err(cannot)?;
        for (other, _lock) in left {
            std::fs::remove_file(&other).map_err(cannot)?;
        }
        let found = witness.clone();
        let log = Log { path, head, file, lock, witness, size, began: size, torn: false };
        Ok((log, found))
    }

    /// Appends notes to the file.
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

    /// Syncs the added notes to the disk.
    pub fn sync(&mut self) -> std::io::Result<()> {
        self.stand()?;
        self.file.sync_data()
    }

    /// Rewrites the file if it was removed or replaced: the next start would find nothing there, or
    /// foreign content.
    fn stand(&mut self) -> std::io::Result<()> {
        // If the lock file is gone, another server may have taken the name.
        let is_locked = is_at(&self.lock, &self.path.with_extension("lock"))?;
        if is_locked && is_at(&self.file, &self.path)? {
            return Ok(());
        }
        if !is_locked {
            let folder = self.path.parent().unwrap_or(Path::new("."));
            let found = free(folder, self.head.store);
            (self.path, self.lock) = found.map_err(|why| std::io::Error::other(why.detail))?;
        }
        self.begin_again()?;
        let path = self.path.display().to_string();
        tracing::warn!(
            path,
            "the journal was removed, and is written again with all that is known"
        );
        Ok(())
    }

    /// Makes the file read-only, as on a full disk, and gives the writable one back.
    #[cfg(test)]
    pub(super) fn fill(&mut self) -> std::io::Result<File> {
        Ok(std::mem::replace(&mut self.file, File::open(&self.path)?))
    }

    #[cfg(test)]
    pub(super) fn empty(&mut self, file: File) {
        self.file = file;
    }

    fn begin_again(&mut self) -> std::io::Result<()> {
        (self.file, self.size) = begin(&self.path, &self.head, &self.witness)?;
        (self.began, self.torn) = (self.size, false);
        Ok(())
    }
}

/// The path of the journal of a store's nth server.
pub fn path(folder: &Path, store: Token, n: u32) -> PathBuf {
    folder.join(format!("{}-{n}.journal", hex(store)))
}

fn all(folder: &Path) -> Result<Vec<(PathBuf, Token)>, Problem> {
    let cannot = |error: std::io::Error| unusable(folder, &error);
    let entries = match std::fs::read_dir(folder) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.map_err(cannot)?,
    };
    let mut all = Vec::new();
    for entry in entries {
        let name = entry.map_err(cannot)?.file_name();
        let id = name.to_str().and_then(|name| {
            let (id, n) = name.strip_suffix(".journal")?.split_once('-')?;
            Token::parse(id).ok().filter(|_| n.parse::<u32>().is_ok())
        });
        all.extend(id.map(|id| (folder.join(&name), id)));
    }
    all.sort();
    Ok(all)
}

/// Merges the journals of a store in a folder, which may be in use; `None` without any.
///
/// # Errors
/// As [`read`].
pub fn known(folder: &Path, store: Token) -> Result<Option<Witness>, Problem> {
    let mut known = None;
    for (path, id) in all(folder)? {
        if id == store
            && let Some((_, noted)) = read(&path, id)?
        {
            known = Some(noted.and(known));
        }
    }
    Ok(known)
}

/// Merges the journals in a folder of stores that were at this place and granted something, with the path
/// of one of them; `None` without any.
///
/// # Errors
/// As [`read`].
pub fn lost(folder: &Path, place: &str) -> Result<Option<(PathBuf, Witness)>, Problem> {
    let mut lost: Option<(PathBuf, Witness)> = None;
    for (path, id) in all(folder)? {
        let found =
            read(&path, id)?.filter(|(head, noted)| head.place == place && noted.has_granted());
        if let Some((_, noted)) = found {
            lost = Some((path, noted.and(lost.map(|(_, known)| known))));
        }
    }
    Ok(lost)
}

/// Reads a journal of a store, which may be in use; `None` if there is no file.
///
/// # Errors
/// `STORE_UNAVAILABLE` if it cannot be read, `SCHEMA_MISMATCH` if it is no journal, or another store's.
pub fn read(path: &Path, store: Token) -> Result<Option<(Head, Witness)>, Problem> {
    // Opening a pipe would block.
    if std::fs::metadata(path).is_ok_and(|found| !found.is_file()) {
        return Err(unusable(path, &ErrorKind::InvalidInput.into()));
    }
    let content = match std::fs::read(path) {
        Ok(content) => content,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(unusable(path, &error)),
    };
    let content = String::from_utf8_lossy(&content);
    let (first, rest) = content.split_once('\n').unwrap_or((&content, ""));
    let Some(head) = text::read_head(first) else {
        let detail = format!(
            "`{}` is no journal that this program writes (its first line does not begin with \
             `{FIRST}`); move it away if nothing needs it, or name another folder: --journal DIR",
            path.display()
        );
        return Err(Problem::new(Code::SchemaMismatch, detail));
    };
    if head.store != store {
        let detail = format!(
            "`{}` is the journal of store {}, under the name of store {}; give it its own name back, or \
             move it away",
            path.display(),
            hex(head.store),
            hex(store)
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
    Ok(Some((head, witness)))
}

fn is_at(file: &File, path: &Path) -> std::io::Result<bool> {
    match std::fs::metadata(path) {
        #[cfg(unix)]
        Ok(found) => {
            use std::os::unix::fs::MetadataExt;
            let open = file.metadata()?;
            Ok((found.dev(), found.ino()) == (open.dev(), open.ino()))
        }
        // Without Unix semantics an open file cannot be replaced.
        #[cfg(not(unix))]
        Ok(_) => Ok(true),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

/// Writes a new file with what still counts, atomically.
fn begin(path: &Path, head: &Head, witness: &Witness) -> std::io::Result<(File, u64)> {
    let mut content = text::head(head);
    content.extend(witness.notes().map(|note| text::line(&note)));
    let part = path.with_extension("part");
    let mut file = private().create(true).truncate(true).write(true).open(&part)?;
    file.write_all(content.as_bytes())?;
    file.sync_all()?;
    std::fs::rename(&part, path)?;
    #[cfg(unix)]
    File::open(path.parent().unwrap_or(Path::new(".")))?.sync_all()?;
    Ok((file, content.len() as u64))
}

fn free(folder: &Path, store: Token) -> Result<(PathBuf, File), Problem> {
    let free = (1..=SERVERS).find_map(|n| {
        let path = path(folder, store, n);
        lock(folder, &path).transpose().map(|lock| Ok((path, lock?)))
    });
    free.unwrap_or_else(|| Err(no_more(folder)))
}

/// Locks a journal, so that only one server writes to it; `None` if another has it.
fn lock(folder: &Path, path: &Path) -> Result<Option<File>, Problem> {
    let path = path.with_extension("lock");
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
        Ok(()) => Ok(Some(file)),
        Err(std::fs::TryLockError::WouldBlock) => Ok(None),
        Err(std::fs::TryLockError::Error(error)) => Err(unusable(&path, &error)),
    }
}

fn no_more(folder: &Path) -> Problem {
    let detail = format!(
        "{SERVERS} servers of this store keep journals in `{}`, and it takes no more; name another \
         folder: --journal DIR",
        folder.display()
    );
    Problem::new(Code::StoreRefused, detail)
}

/// Options for files that only this user may read.
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
    let detail = format!(
        "the journal `{}` cannot be used: {error}; name a folder that this user can write, --journal \
         DIR, or keep no journal: --no-journal",
        path.display()
    );
    Problem::unavailable(detail)
}

#[cfg(test)]
mod tests;
