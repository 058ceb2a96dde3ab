//! The files of journals: lines that are added, and written anew when they grew too many. In a folder
//! each store has as many as servers noted it at once.

use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use leafid_core::{Code, StoreTime, Token};

use super::text;
use super::witness::{Note, Witness};
use crate::problem::Problem;
use leafid_turn::hex;

/// The first word of each file, and the version of its lines.
pub const FIRST: &str = "leafid-journal 1";
/// A file that grew to more than this many bytes, and to four times what it began with, is written
/// again with what still counts.
const LARGE: u64 = 256 * 1024;
/// Servers of one store that keep journals in one folder, at most.
const SERVERS: u32 = 1_000;

/// What the first line of a journal says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Head {
    /// The store.
    pub store: Token,
    /// Since when the store has a journal here, by this machine's clock.
    pub since: StoreTime,
    /// Where the store lies, without a password.
    pub place: String,
}

/// A journal's file, and all that stands in it.
#[derive(Debug)]
pub struct Log {
    /// Where it lies.
    pub path: PathBuf,
    /// Its first line.
    pub head: Head,
    file: File,
    /// Held as long as the file is used: another file, since this one is replaced.
    lock: File,
    witness: Witness,
    size: u64,
    began: u64,
    torn: bool,
}

impl Log {
    /// Opens a journal of a store that no other server uses, or begins one; gives what this and all
    /// others of the store knew. Those that no server uses any more are taken over into this one.
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
        // Without its lock another server may have taken the name since.
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

    /// As on a full disk: the same file, which takes no line. Gives the one that takes them.
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

/// Where the journal of a store's nth server lies.
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

/// What the journals of a store in a folder know together; nothing without one. They may be in use.
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

/// What the journals in a folder know together of stores that lay at this place and granted something,
/// with the file of one; nothing without one.
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

/// What the journal of a store says; nothing where it is not there. It may be in use.
///
/// # Errors
/// `STORE_UNAVAILABLE` if it cannot be read, `SCHEMA_MISMATCH` if it is no journal, or another
/// store's.
pub fn read(path: &Path, store: Token) -> Result<Option<(Head, Witness)>, Problem> {
    // A pipe in its place would be waited for.
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
        // Where a file is open there, nobody can take its place.
        #[cfg(not(unix))]
        Ok(_) => Ok(true),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

/// Writes a file with what still counts, whole or not at all.
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

/// Keeps other servers from a journal: each notes what it wrote itself. Nothing if one has it.
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
    let detail = format!(
        "the journal `{}` cannot be used: {error}; name a folder that this user can write, --journal \
         DIR, or keep no journal: --no-journal",
        path.display()
    );
    Problem::unavailable(detail)
}

#[cfg(test)]
mod tests;
