//! The files of journals: lines that are added, and written anew when they grew too many. In a folder
//! each store has as many as servers noted it at once.

use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use leafid_core::{Code, StoreTime, Token};

use super::text;
use super::witness::{Note, Witness};
use crate::hex::hex;
use crate::problem::Problem;

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
    _lock: File,
    witness: Witness,
    size: u64,
    began: u64,
    /// Whether the last line may be a part of one.
    torn: bool,
}

impl Log {
    /// Opens a journal of a store that no other server uses, or begins one; gives what this and all
    /// others of the store knew. Those that no server uses any more are taken over into this one.
    pub fn open(folder: &Path, store: Token, mut head: Head) -> Result<(Log, Witness), Problem> {
        let free = (1..=SERVERS).find_map(|n| {
            let path = path(folder, store, n);
            lock(folder, &path).transpose().map(|lock| Ok((path, lock?)))
        });
        let (path, lock) = free.unwrap_or_else(|| Err(no_more(folder)))?;
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
            if let Some((known, noted)) = read(&other)? {
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
        let log = Log { path, head, file, _lock: lock, witness, size, began: size, torn: false };
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
        (self.file, self.size) = begin(&self.path, &self.head, &self.witness)?;
        (self.began, self.torn) = (self.size, false);
        Ok(())
    }
}

/// Where the journal of a store's nth server lies.
pub fn path(folder: &Path, store: Token, n: u32) -> PathBuf {
    folder.join(format!("{}-{n}.journal", hex(store)))
}

/// Every journal in a folder, with the store that it is about; none where there is no folder.
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
            && let Some((_, noted)) = read(&path)?
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
    for (path, _) in all(folder)? {
        let found = read(&path)?.filter(|(head, noted)| head.place == place && noted.has_granted());
        if let Some((_, noted)) = found {
            lost = Some((path, noted.and(lost.map(|(_, known)| known))));
        }
    }
    Ok(lost)
}

/// What a journal says; nothing where it is not there. It may be in use.
///
/// # Errors
/// `STORE_UNAVAILABLE` if it cannot be read, `SCHEMA_MISMATCH` if it is no journal.
pub fn read(path: &Path) -> Result<Option<(Head, Witness)>, Problem> {
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
mod tests {
    use leafid_core::Name;

    use super::*;

    const STORE: Token = Token::new([7; 16]);

    fn tag(n: u64) -> Note {
        Note::Tag(Name::tag("orders").unwrap(), n)
    }

    fn head(since: i64) -> Head {
        Head { since: StoreTime::new(since), place: "sqlite:/a # b.db".to_owned() }
    }

    fn open(folder: &Path) -> (Log, Vec<u64>) {
        let (log, found) = Log::open(folder, STORE, head(7)).unwrap();
        (log, found.tags.values().copied().collect())
    }

    #[test]
    fn it_goes_on_after_a_crash() {
        let folder = tempfile::tempdir().unwrap();
        let (mut log, found) = open(folder.path());
        assert!(found.is_empty(), "{found:?}");
        log.add(vec![tag(10), tag(20)]).unwrap();
        let (known, path) = (log.witness.clone(), log.path.clone());
        drop(log);
        // A crash in the middle of a line, and a disk that spoilt another.
        let mut content = std::fs::read(&path).unwrap();
        content.extend(b"tag orders 9999 #00000000\ntag orders 88");
        std::fs::write(&path, content).unwrap();
        let (log, found) = Log::open(folder.path(), STORE, head(9)).unwrap();
        assert_eq!((found, log.head.clone()), (known, head(7)), "it runs since the first start");
        assert_eq!(read(&path).unwrap().unwrap().0, head(7));
    }

    /// Each server has one, and a start knows what all of them know.
    #[test]
    fn servers_of_one_store_have_a_file_each_and_those_left_behind_become_one() {
        let folder = tempfile::tempdir().unwrap();
        let other = Token::new([8; 16]);
        let (_apart, _) = Log::open(folder.path(), other, head(1)).unwrap();
        let (mut first, _) = open(folder.path());
        first.add(vec![tag(10)]).unwrap();
        let (mut second, found) = open(folder.path());
        assert_eq!(found, [10]);
        second.add(vec![tag(20)]).unwrap();
        assert_ne!(first.path, second.path);
        drop(first);
        // The place of the first is free again, and the second one's is in use.
        let (third, found) = open(folder.path());
        assert_eq!((found.as_slice(), all(folder.path()).unwrap().len()), (&[20][..], 3));
        drop((second, third));
        let (_fourth, found) = open(folder.path());
        assert_eq!((found.as_slice(), all(folder.path()).unwrap().len()), (&[20][..], 2));
        assert_eq!(known(folder.path(), Token::new([9; 16])), Ok(None));
    }

    #[test]
    fn it_stays_small_and_forgets_nothing_that_counts() {
        let folder = tempfile::tempdir().unwrap();
        let (mut log, _) = open(folder.path());
        let mut largest = 0;
        for n in 1..=30_000 {
            log.add(vec![tag(n)]).unwrap();
            largest = largest.max(log.size);
        }
        assert!((LARGE / 2..LARGE + 100).contains(&largest), "{largest}");
        drop(log);
        let (log, found) = open(folder.path());
        assert_eq!(found, [30_000]);
        assert!(log.size < 200, "{}", log.size);
    }

    /// A folder that is cleared under a running server: the next start finds all the same what counts.
    #[test]
    fn one_that_is_removed_or_replaced_is_written_again_whole() {
        let folder = tempfile::tempdir().unwrap();
        let path = path(folder.path(), STORE, 1);
        let known = |log: Log| {
            drop(log);
            open(folder.path())
        };
        let (mut log, _) = open(folder.path());
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
        let path = path(folder.path(), STORE, 1);
        std::fs::write(&path, "a letter to a friend\n").unwrap();
        let refused = Log::open(folder.path(), STORE, head(7)).unwrap_err();
        assert_eq!(refused.code, Code::SchemaMismatch, "{refused}");
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "a letter to a friend\n");
        let missing = Log::open(&folder.path().join("none"), STORE, head(7)).unwrap_err();
        assert_eq!(missing.code, Code::StoreUnavailable, "{missing}");
    }
}
