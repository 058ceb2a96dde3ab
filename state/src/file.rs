//! A state file that this process has locked.

use std::fs::File;
use std::io;
use std::mem::ManuallyDrop;
use std::os::fd::AsRawFd;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};

use leafid_core::{StateFile, StatePlace, StateWrite, Unread};

use crate::found::Found;
use crate::{Problem, boot, files, fork};

/// A state file, locked until this is dropped.
#[derive(Debug)]
pub struct State {
    path: PathBuf,
    files: ManuallyDrop<[File; 2]>,
    at: StateFile,
    place: StatePlace,
    process: u32,
}

impl State {
    pub(crate) fn open_file(path: &Path, boot: [u8; 16]) -> Result<(State, Found), Problem> {
        let lock = files::lock(path)?;
        let file = files::open(path)?;
        let facts = lock.metadata().map_err(|error| Problem::of(path, "looked at", &error))?;
        let place = StatePlace {
            machine: boot::machine_id(),
            boot,
            device: facts.dev(),
            lock: facts.ino(),
        };
        let mut bytes = [0; StateFile::BYTES];
        let whole = read(&file, &mut bytes).map_err(|error| Problem::of(path, "read", &error))?;
        let read = StateFile::read(place, boot::since_boot(), &bytes);
        let (at, found) = match whole {
            Some(true) => read,
            None => (StateFile::new(place), Err(Unread::Strange)),
            // All zeros: a full disk cut its creation short, so it is created now. Any other content that
            // is cut short says nothing.
            Some(false) if bytes.iter().all(|byte| *byte == 0) => read,
            Some(false) => {
                let is_ours = read.1 != Err(Unread::Strange);
                (
                    StateFile::new(place),
                    Err(if is_ours { Unread::Damaged } else { Unread::Strange }),
                )
            }
        };
        if found == Err(Unread::Strange) {
            let is = "is not a state file of leafid: pass another path, or remove it";
            return Err(Problem::invalid(path, is));
        }
        for held in [&lock, &file] {
            if !fork::close_in_children(held.as_raw_fd()) {
                return Err(Problem::invalid(path, "is one too many: a process has 128 at most"));
            }
        }
        let process = std::process::id();
        let files = ManuallyDrop::new([file, lock]);
        let state = State { path: path.to_owned(), files, at, place, process };
        match found {
            Ok(Some(record)) => Ok((state, Found::Right(Box::new(record)))),
            Ok(None) if at != StateFile::new(place) => Ok((state, Found::Nothing)),
            Ok(None) => state.clear().map(|state| (state, Found::Nothing)),
            Err(unread) => {
                let ignored = state.ignored(match unread {
                    Unread::Elsewhere => {
                        "comes from another machine, from before this one was started, or was \
                         copied, and is not used"
                    }
                    _ => "is damaged, or of another version, and is not used",
                });
                state.clear().map(|state| (state, Found::Ignored(ignored)))
            }
        }
    }

    /// Empties the file, because its right is of another namespace or layout than its generator's.
    ///
    /// # Errors
    /// The error of the system.
    pub fn refuse(self) -> Result<(State, Problem), Problem> {
        let ignored = self.ignored("is of another namespace or layout, and is not used");
        Ok((self.clear()?, ignored))
    }

    fn ignored(&self, is: &str) -> Problem {
        Problem::invalid(&self.path, is)
    }

    /// Writes zeros, and syncs file and folder: later writes need no more room.
    fn clear(mut self) -> Result<State, Problem> {
        let said = |error| Problem::of(&self.path, "written", &error);
        let [file, _] = &*self.files;
        file.write_all_at(&[0; StateFile::BYTES], 0).map_err(said)?;
        file.sync_all().map_err(said)?;
        let folder = self.path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let folder = File::open(folder.unwrap_or(Path::new("."))).map_err(said)?;
        folder.sync_all().map_err(said)?;
        self.at = StateFile::new(self.place);
        Ok(self)
    }

    /// Writes durably.
    ///
    /// # Errors
    /// `STATE_INVALID` if the file or its lock was removed, or the write failed. It may be on the disk all the
    /// same.
    pub fn write(&mut self, write: &StateWrite) -> Result<(), Problem> {
        let [file, lock] = &*self.files;
        if !files::is_at(&self.path, file) || !files::is_at(&files::lock_path(&self.path), lock) {
            let is =
                "was removed or replaced while its process runs: leave it and its `.lock` alone";
            return Err(Problem::invalid(&self.path, is));
        }
        if matches!(write, StateWrite::Void) {
            let mut bytes = [0; StateFile::BYTES];
            let whole = read(file, &mut bytes);
            if whole.map_err(|error| Problem::of(&self.path, "read", &error))? == Some(true) {
                self.at.look(&bytes);
            }
        }
        let (at, slot) = self.at.slot(write, boot::since_boot());
        let written = file.write_all_at(&slot, at as u64).and_then(|()| file.sync_data());
        written.map_err(|error| Problem::of(&self.path, "written", &error))?;
        self.at.written();
        Ok(())
    }
}

impl Drop for State {
    fn drop(&mut self) {
        // A forked child has closed them already, and their descriptors may be other files'.
        if self.process == std::process::id() {
            for file in &*self.files {
                fork::closed(file.as_raw_fd());
            }
            #[expect(
                unsafe_code,
                reason = "files of a process that forked are not its child's to close"
            )]
            // SAFETY: dropped once, here.
            unsafe {
                ManuallyDrop::drop(&mut self.files);
            }
        }
    }
}

/// Reads the file, padded with zeros; says whether it is complete, `None` if it is longer.
fn read(file: &File, bytes: &mut [u8; StateFile::BYTES]) -> io::Result<Option<bool>> {
    let len = file.metadata()?.len();
    let Some(begun) = usize::try_from(len).ok().and_then(|len| bytes.get_mut(..len)) else {
        return Ok(None);
    };
    file.read_exact_at(begun, 0)?;
    Ok(Some(begun.len() == StateFile::BYTES))
}
