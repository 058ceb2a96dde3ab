//! The two slots of a state file: which of them counts, and which is written next.

use super::slot::{SLOT, Seen, Slot};
use super::{StatePlace, StateRecord};
use crate::values::HostTime;

/// A write of a state file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::large_enum_variant, reason = "there is no allocator, and one at a time")]
pub enum StateWrite {
    /// From now on the file gives no right.
    Void,
    /// The file gives this right.
    Record(StateRecord),
}

/// Why the content of a state file gives no right.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unread {
    /// It is no state file: leave it alone.
    Strange,
    /// It is damaged, or of a form that this version does not know.
    Damaged,
    /// It was written elsewhere: on another machine, before this one was started, or under another
    /// lock.
    Elsewhere,
}

/// A host's position in its state file. The host reads the bytes once, and then writes slot after
/// slot: a slot counts only once it is on the disk.
///
/// ```
/// use leafid_core::{HostTime, StateFile, StatePlace, StateWrite};
/// let place = StatePlace { machine: [1; 16], boot: [2; 16], device: 3, lock: 4 };
/// let mut bytes = [0; StateFile::BYTES];
/// let since_boot = HostTime::new(60_000);
/// let (mut file, found) = StateFile::read(place, since_boot, &bytes);
/// assert_eq!(found, Ok(None));
///
/// let (at, slot) = file.slot(&StateWrite::Void, since_boot);
/// bytes[at..at + slot.len()].copy_from_slice(&slot); // and `fdatasync`
/// file.written();
/// assert_eq!(StateFile::read(place, since_boot, &bytes), (file, Ok(None)));
/// // After a restart of the machine it gives no right.
/// let after = StatePlace { boot: [9; 16], ..place };
/// assert!(StateFile::read(after, since_boot, &bytes).1.is_err());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StateFile {
    place: StatePlace,
    counter: u64,
}

impl StateFile {
    /// The length of a state file. A new one is zeros.
    pub const BYTES: usize = 2 * SLOT;

    /// A file of zeros.
    pub const fn new(place: StatePlace) -> StateFile {
        StateFile { place, counter: 0 }
    }

    /// Reads a file that its process has locked: where the next write goes, and the right that it gives.
    /// On an error the host reports it, writes zeros over the file, and goes on with
    /// [`StateFile::new`]; but not on [`Unread::Strange`], which is another program's file. From
    /// `since_boot`, the time since the machine was started, the file derives the store's time.
    ///
    /// # Errors
    /// [`Unread`].
    pub fn read(
        place: StatePlace,
        since_boot: HostTime,
        bytes: &[u8; StateFile::BYTES],
    ) -> (StateFile, Result<Option<StateRecord>, Unread>) {
        let fresh = StateFile::new(place);
        match newest(place, bytes) {
            Ok(Some(slot)) => {
                let record = slot.record.map(|record| later(record, since_boot.get()));
                (StateFile { place, counter: slot.counter }, Ok(record))
            }
            Ok(None) => (fresh, Ok(None)),
            Err(unread) => (fresh, Err(unread)),
        }
    }

    /// Reads the file's counters again: another image of this memory, such as the one that a snapshot was
    /// taken of, may have written since, and a [`StateWrite::Void`] must outrank all its writes.
    pub fn look(&mut self, bytes: &[u8; StateFile::BYTES]) {
        let Ok(slots) = slots(bytes) else { return };
        for slot in slots {
            if let Seen::Whole(slot) = slot
                && slot.place == self.place
            {
                self.counter = self.counter.max(slot.counter);
            }
        }
    }

    /// The bytes of the next write, made `since_boot` after the machine was started, and where in the
    /// file they go.
    pub fn slot(&self, write: &StateWrite, since_boot: HostTime) -> (usize, [u8; SLOT]) {
        let counter = self.counter.saturating_add(1);
        let record = match write {
            StateWrite::Void => None,
            StateWrite::Record(record) => Some(later(*record, since_boot.get().saturating_neg())),
        };
        (at(counter), Slot { counter, place: self.place, record }.write())
    }

    /// Notes that the slot is on the disk. Without this call the next write goes to the same place.
    pub fn written(&mut self) {
        self.counter = self.counter.saturating_add(1);
    }
}

fn later(record: StateRecord, ms: i64) -> StateRecord {
    StateRecord { now: record.now.plus(ms), ..record }
}

fn at(counter: u64) -> usize {
    if counter & 1 == 0 { SLOT } else { 0 }
}

fn slots(bytes: &[u8; StateFile::BYTES]) -> Result<[Seen; 2], Unread> {
    let (Some(first), Some(second)) = (bytes.first_chunk(), bytes.last_chunk()) else {
        return Err(Unread::Strange);
    };
    Ok([Slot::read(first), Slot::read(second)])
}

/// The slot that counts. Each write is on the disk before the next, so two whole slots have successive
/// counters. Beside a broken slot nothing counts: the end of a process breaks off no write of this
/// length, so the slot was damaged later, and what it reserved may have been used.
fn newest(place: StatePlace, bytes: &[u8; StateFile::BYTES]) -> Result<Option<Slot>, Unread> {
    let [first, second] = slots(bytes)?;
    let whole = match (first, second) {
        (Seen::Zeros, Seen::Zeros) => return Ok(None),
        (Seen::Whole(first), Seen::Whole(second)) => {
            if first.place != place || second.place != place {
                return Err(Unread::Elsewhere);
            }
            let ascend = first.counter < second.counter;
            let (older, newer) = if ascend { (first, second) } else { (second, first) };
            if older.counter.checked_add(1) != Some(newer.counter) {
                return Err(Unread::Damaged);
            }
            newer
        }
        (Seen::Whole(slot), Seen::Zeros) if slot.counter == 1 => slot,
        (Seen::Strange, Seen::Strange | Seen::Zeros) | (Seen::Zeros, Seen::Strange) => {
            return Err(Unread::Strange);
        }
        _ => return Err(Unread::Damaged),
    };
    if whole.place != place {
        return Err(Unread::Elsewhere);
    }
    Ok(Some(whole))
}
