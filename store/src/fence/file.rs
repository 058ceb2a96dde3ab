//! The files of journals: lines are appended, and the file is rewritten when it has grown too much. A folder
//! has as many files of a store as servers of it ran at once.

use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use leafid_core::{Code, StoreTime, Token};

use super::bounds::{Bounds, Note};
use super::text;
use crate::problem::Problem;
use leafid_turn::hex;
use leafid_turn::register::Beat;

/// The start of each file: a format name, and the version of its lines.
pub const FIRST: &str = "leafid-journal 2";
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
    /// None after a write that failed.
    file: Option<File>,
    /// The lock, in a file of its own because the journal's is replaced when it is rewritten.
    lock: File,
    bounds: Bounds,
    /// Other journals that this one has taken over.
    left: Vec<(PathBuf, File)>,
    size: u64,
    began: u64,
}

impl Log {
    /// Opens a journal of the store that no server uses, or begins one. Other unused ones are taken over
    /// (PROTOCOL R30): gives the servers that they were of, and removes them with [`Log::take_over`]. With
    /// `believe_clock` it forgets all windows: their times are of a clock that was wrong.
    pub fn open(
        folder: &Path,
        mut head: Head,
        believe_clock: bool,
    ) -> Result<(Log, Vec<(Token, Beat)>), Problem> {
        let (mut own, mut bounds) = (None, Bounds::default());
        let (mut taken, mut left) = (Vec::new(), Vec::new());
        for Found { path, head: known, bounds: noted, lock } in known(folder, head.store)? {
            let Some(lock) = lock? else { continue };
            head.since = head.since.min(known.since);
            bounds.merge(&noted);
            if own.is_none() {
                (bounds.server, bounds.beat) = (noted.server, noted.beat);
                bounds.next = noted.next;
                own = Some((path, lock));
            } else {
                taken.extend(noted.server.map(|id| (id, noted.beat)));
                left.push((path, lock));
            }
        }
        let (path, lock) = own.map_or_else(|| free(folder, head.store), Ok)?;
        bounds.members.retain(|id| taken.iter().all(|(taken, _)| taken != id));
        bounds.lines.retain(|(_, worker), _| worker.is_none() || !believe_clock);
        let cannot = |error: std::io::Error| unusable(&path, &error);
        let (file, size) = begin(&path, &head, &bounds).map_err(cannot)?;
        let file = Some(file);
        let log = Log { path, head, file, lock, bounds, left, size, began: size };
        Ok((log, taken))
    }

    /// Removes the journals that were taken over, once the store no longer waits for their servers.
    pub fn take_over(&mut self) -> std::io::Result<()> {
        self.left.drain(..).try_for_each(|(path, _lock)| std::fs::remove_file(path))
    }

    /// Writes notes, and syncs them to the disk.
    pub fn add(&mut self, notes: Vec<Note>) -> std::io::Result<()> {
        let lines: String = notes.iter().map(text::line).collect();
        for note in notes {
            self.bounds.note(note);
        }
        let file = self.file.take();
        let goes_on =
            self.stands(file.as_ref())? && self.size <= LARGE.max(self.began.saturating_mul(4));
        match file.filter(|_| goes_on) {
            Some(mut file) => {
                file.write_all(lines.as_bytes())?;
                self.size += lines.len() as u64;
                file.sync_data()?;
                self.file = Some(file);
            }
            // Also after a failure: with all that is known.
            None => {
                let (file, size) = begin(&self.path, &self.head, &self.bounds)?;
                (self.file, self.size, self.began) = (Some(file), size, size);
            }
        }
        Ok(())
    }

    /// The content.
    pub fn bounds(&self) -> &Bounds {
        &self.bounds
    }

    /// Whether the file is still under its name: if it was removed or replaced, the next start would find
    /// nothing there, or foreign content.
    fn stands(&mut self, file: Option<&File>) -> std::io::Result<bool> {
        // If the lock file is gone, another server may have taken the name.
        let is_locked = is_at(&self.lock, &self.path.with_extension("lock"))?;
        if is_locked && file.map_or(Ok(true), |file| is_at(file, &self.path))? {
            return Ok(true);
        }
        if !is_locked {
            let folder = self.path.parent().unwrap_or(Path::new("."));
            let found = free(folder, self.head.store);
            (self.path, self.lock) = found.map_err(|why| std::io::Error::other(why.detail))?;
        }
        let path = self.path.display().to_string();
        tracing::warn!(
            path,
            "the journal was removed, and is written again with all that is known"
        );
        Ok(false)
    }

    /// Makes the file read-only, as on a full disk, and gives the writable one back.
    #[cfg(test)]
    pub(super) fn fill(&mut self) -> std::io::Result<Option<File>> {
        Ok(self.file.replace(File::open(&self.path)?))
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

/// A journal in a folder.
#[derive(Debug)]
pub struct Found {
    /// The path of its file.
    pub path: PathBuf,
    /// Its content.
    pub bounds: Bounds,
    head: Head,
    /// Its lock; none if a server has it.
    lock: Result<Option<File>, Problem>,
}

impl Found {
    /// Removes the file, unless a server uses it; tells whether it did.
    ///
    /// # Errors
    /// What the file system says.
    pub fn remove(self) -> std::io::Result<bool> {
        match self.lock {
            Ok(Some(_lock)) => std::fs::remove_file(&self.path).map(|()| true),
            // One that this user cannot lock is left there, too.
            _ => Ok(false),
        }
    }
}

/// Reads the journals of a store in a folder, and locks those that no server uses.
///
/// # Errors
/// As [`read`].
pub fn known(folder: &Path, store: Token) -> Result<Vec<Found>, Problem> {
    let mut known = Vec::new();
    for (path, _) in all(folder)?.into_iter().filter(|(_, id)| *id == store) {
        let lock = lock(folder, &path);
        let found = read(&path, store)?;
        known.extend(found.map(|(head, bounds)| Found { path, bounds, head, lock }));
    }
    Ok(known)
}

/// Whether a folder has journals of a store.
///
/// # Errors
/// `STORE_UNAVAILABLE` if the folder cannot be read.
pub fn is_known(folder: &Path, store: Token) -> Result<bool, Problem> {
    Ok(all(folder)?.iter().any(|(_, id)| *id == store))
}

/// Merges the journals in a folder of stores that were at this place and granted something, with the path
/// of one of them; `None` without any.
///
/// # Errors
/// As [`read`].
pub fn lost(folder: &Path, place: &str) -> Result<Option<(PathBuf, Bounds)>, Problem> {
    let mut lost: Option<(PathBuf, Bounds)> = None;
    for (path, id) in all(folder)? {
        let found =
            read(&path, id)?.filter(|(head, noted)| head.place == place && noted.has_granted());
        if let Some((_, noted)) = found {
            let (_, known) = lost.get_or_insert_with(|| (path, Bounds::default()));
            known.merge(&noted);
        }
    }
    Ok(lost)
}

/// Reads a journal of a store, which may be in use; `None` if there is no file.
///
/// # Errors
/// `STORE_UNAVAILABLE` if it cannot be read, `SCHEMA_MISMATCH` if it is no journal, or another store's.
pub fn read(path: &Path, store: Token) -> Result<Option<(Head, Bounds)>, Problem> {
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
    let (mut bounds, mut bad) = (Bounds::default(), 0);
    for line in rest.split_terminator('\n') {
        match text::read(line) {
            Some(note) => drop(bounds.note(note)),
            None => bad += usize::from(!line.is_empty()),
        }
    }
    if bad > 0 {
        let path = path.display().to_string();
        tracing::warn!(path, lines = bad, "lines of the journal cannot be read and are left out");
    }
    Ok(Some((head, bounds)))
}

/// Whether the path still names the open file.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> std::io::Result<bool> {
    use std::os::unix::fs::MetadataExt;
    match std::fs::metadata(path) {
        Ok(found) => {
            let open = file.metadata()?;
            Ok((found.dev(), found.ino()) == (open.dev(), open.ino()))
        }
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

/// Needs no look on Windows: [`private`] opens the file so that no process can delete or rename it.
#[cfg(not(unix))]
fn is_at(_file: &File, _path: &Path) -> std::io::Result<bool> {
    Ok(true)
}

/// Writes a new file with what still counts, atomically.
fn begin(path: &Path, head: &Head, bounds: &Bounds) -> std::io::Result<(File, u64)> {
    let mut content = text::head(head);
    content.extend(bounds.notes().map(|note| text::line(&note)));
    let part = path.with_extension("part");
    let mut file = private(File::options().create(true).truncate(true).write(true)).open(&part)?;
    file.write_all(content.as_bytes())?;
    file.sync_all()?;
    // Windows renames no file that is open like that.
    drop(file);
    std::fs::rename(&part, path)?;
    #[cfg(unix)]
    File::open(path.parent().unwrap_or(Path::new(".")))?.sync_all()?;
    let file = private(File::options().append(true)).open(path)?;
    Ok((file, content.len() as u64))
}

/// The first name for a journal that no server uses.
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
    let mut options = File::options();
    let file = private(options.create(true).truncate(false).write(true)).open(&path);
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

/// Has a new file be readable by this user alone on Unix; on Windows have its folder's permissions, and be neither
/// removed nor replaced as long as it is open.
pub fn private(options: &mut OpenOptions) -> &mut OpenOptions {
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(options, 0o600);
    // Others may open the file to read or to write it, but not to delete it: FILE_SHARE_READ | FILE_SHARE_WRITE.
    #[cfg(windows)]
    std::os::windows::fs::OpenOptionsExt::share_mode(options, 0b11);
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
