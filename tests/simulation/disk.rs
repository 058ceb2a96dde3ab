//! State files: their locks and contents, and writes that are slow, fail, or are broken off.

use leafid_core::bugs::{self, Bug};
use leafid_core::{
    Action, Code, Event as Came, HostTime, Layout, Outcome, StateFile, StatePlace, StateWrite,
};

use crate::generator::Config;
use crate::holder::{Holder, Make, State};
use crate::ledger::identity;
use crate::plan::Theme;
use crate::rng::Rng;
use crate::verdict::{Verdict, fail};
use crate::wire::{Body, Event};
use crate::world::World;

/// How long before a world's start its machines were booted, in ms.
const UP_MS: i64 = 7_777_777;
/// The length of a slot; a disk writes `SECTOR` bytes at once.
const SLOT: usize = StateFile::BYTES / 2;
const SECTOR: usize = 64;
/// Waiting that is no slow disk's fault, in ms: a write that stalls or fails, and the way to the store.
const STALL_MS: u64 = 8_000;
/// The most state files of a world.
const MOST_DISKS: usize = 24;

#[derive(Clone, Copy)]
pub struct Disk {
    bytes: [u8; StateFile::BYTES],
    /// The namespace of its holder.
    place: usize,
    /// Identifies the lock's file; a cloned machine has the same.
    lock: u64,
    /// The life that has it locked.
    held_by: Option<u64>,
    takes: (u64, u64),
    fails_until: i64,
    /// Facts of the last life that the next one's checks need: its last ID, and until when it was
    /// excused and ahead, as its clock had leapt.
    left: (Option<u64>, i64, i64),
}

impl Disk {
    fn new(place: usize, lock: usize, rng: &mut Rng) -> Disk {
        let (bytes, lock) = ([0; StateFile::BYTES], lock as u64);
        let slow = rng.magnitude(100, 5_000);
        let takes = if rng.chance(300) { (slow * 3 / 4, slow) } else { (1, 12) };
        Disk { bytes, place, lock, held_by: None, takes, fails_until: 0, left: (None, 0, 0) }
    }

    fn is_slow(&self) -> bool {
        self.takes.0 > 12
    }
}

/// A process's state file.
#[derive(Clone, Copy, Debug)]
pub struct Open {
    pub disk: usize,
    pub file: StateFile,
    pub writing: Option<(usize, [u8; SLOT])>,
    gives_right: bool,
    pub abandoned: bool,
    pub is_gone: bool,
    /// When the process will look at the file again.
    pub planned: i64,
}

impl Open {
    /// Whether a right is being written into an abandoned file.
    pub fn is_written_again(&self) -> bool {
        self.abandoned && self.gives_right && self.writing.is_some()
    }
}

impl World {
    /// Gives some holders of windows a state file; a few get another one's.
    pub(crate) fn give_disk(&mut self, make: &mut Make) {
        if matches!(make.config, Config::Tag(_)) || !self.rng.chance(400) {
            return;
        }
        let theirs = |disk: &usize| self.disks[*disk].place == make.place;
        let shared: Vec<usize> = (0..self.disks.len()).filter(theirs).collect();
        if !shared.is_empty() && (self.rng.chance(150) || self.disks.len() >= MOST_DISKS) {
            make.disk = Some(self.rng.pick(&shared));
        } else if self.disks.len() < MOST_DISKS {
            make.disk = Some(self.disks.len());
            self.disks.push(Disk::new(make.place, self.disks.len(), &mut self.rng));
        }
    }

    pub(crate) fn open_state(&mut self, holder: &mut Holder) {
        let Some(number) = holder.make.disk else { return };
        let disk = &mut self.disks[number];
        if disk.held_by.is_some() && !bugs::on(Bug::SharedState) {
            return;
        }
        disk.held_by = Some(holder.life);
        let place = StatePlace { machine: [7; 16], boot: [8; 16], device: 9, lock: disk.lock };
        let (mut file, found) = StateFile::read(place, since_boot(self.t), &disk.bytes);
        let now = holder.clock.read(self.t);
        let found = found.unwrap_or_else(|_| {
            disk.bytes = [0; StateFile::BYTES];
            file = StateFile::new(place);
            None
        });
        let kept = holder.generator.keep(found, now);
        let found = found.filter(|_| kept.is_ok());
        if kept.is_err() {
            // The file has another layout, as its namespace was created again.
            disk.bytes = [0; StateFile::BYTES];
            file = StateFile::new(place);
            holder.generator.keep(None, now).expect("it is new");
        }
        let open = Open {
            disk: number,
            file,
            writing: None,
            gives_right: false,
            abandoned: false,
            is_gone: false,
            planned: i64::MAX,
        };
        holder.open = Some(open);
        let Some(record) = found else { return };
        let up = |server: &crate::world::Server| server.up && server.store == 0;
        self.tally.states_used_alone += u64::from(!self.servers.iter().any(up));
        holder.identity = identity(record.key);
        holder.book.store = self.stores.iter().position(|store| store.id == record.store);
        let (last_id, excused_until, ahead_until) = disk.left;
        holder.book.last_id = last_id;
        (holder.excused_until, holder.ahead_until) = (excused_until, ahead_until);
        // The file's time is as wrong as the former life's clock.
        holder.clock.error_ms = i64::MAX / 2;
        holder.now(self.t);
    }

    fn begin_write(&mut self, i: usize, write: &StateWrite) {
        let Some(open) = &mut self.holders[i].open else { return };
        let voids = *write == StateWrite::Void;
        if voids {
            open.file.look(&self.disks[open.disk].bytes);
        }
        open.writing = Some(open.file.slot(write, since_boot(self.t)));
        open.gives_right = !voids;
    }

    pub(crate) fn save(&mut self, i: usize, write: &StateWrite) -> Verdict {
        self.begin_write(i, write);
        let holder = &self.holders[i];
        if holder.open.is_some_and(|open| open.is_written_again()) {
            fail!(AbandonedFile, "holder {}: {:?}", holder.identity, holder.open);
        }
        let Some((life, open)) = holder.open.map(|open| (holder.life, open)) else { return Ok(()) };
        self.trace.note(self.t, || format!("holder {i} writes {write:?}"));
        let stalls = self.rng.chance(10);
        let (least, most) = if stalls { (100, 3_000) } else { self.disks[open.disk].takes };
        let delay = self.rng.magnitude(least, most);
        let slow = most > 12;
        if slow && self.rng.chance(100) {
            self.put_within(1, delay, Event::Die(i, life));
        }
        self.queue.put(self.t + delay as i64, Event::Synced(i, life));
        Ok(())
    }

    pub(crate) fn synced(&mut self, i: usize) -> Verdict {
        let holder = &mut self.holders[i];
        match holder.state {
            State::Paused(until) => self.queue.put(until + 1, Event::Synced(i, holder.life)),
            State::Running => {
                let fails = self.rng.chance(1);
                self.end_write(i, fails);
                return self.poll(i);
            }
            _ => {}
        }
        Ok(())
    }

    /// Ends the write under way, which succeeds, or fails and may have been made all the same.
    fn end_write(&mut self, i: usize, fails: bool) {
        let holder = &mut self.holders[i];
        let now = holder.clock.read(self.t);
        let Some(open) = &mut holder.open else { return };
        let Some((at, slot)) = open.writing.take() else { return };
        let disk = &mut self.disks[open.disk];
        let gaps = holder.generator.stats().gaps;
        let mut release = None;
        if fails || open.is_gone || disk.fails_until > self.t {
            if !open.is_gone {
                tear(&mut disk.bytes[at..at + SLOT], &slot, &mut self.rng);
            }
            open.abandoned = true;
            if holder.generator.handle(Came::NotWritten, now) == Ok(Outcome::Applied) {
                holder.thrift.abandoned();
            }
        } else {
            disk.bytes[at..at + SLOT].copy_from_slice(&slot);
            open.file.written();
            if let Ok(Outcome::Release(due)) = holder.generator.handle(Came::Written, now) {
                release = Some(due);
            }
        }
        if holder.generator.stats().gaps > gaps {
            // The line went on in another window.
            holder.book.last_position = None;
        }
        if let Some(release) = release {
            self.send(i, 0, Body::Release(release));
        }
    }

    pub(crate) fn end_writes(&mut self, i: usize) {
        for _ in 0..8 {
            let fails = self.rng.chance(30);
            self.end_write(i, fails);
            match self.holders[i].action(self.t, &mut self.rng) {
                Some(Action::Write(write)) => self.begin_write(i, &write),
                _ => break,
            }
        }
        self.let_go(i);
    }

    /// Ends a process's use of its file: a write under way may be partial, and the lock is free.
    pub(crate) fn let_go(&mut self, i: usize) {
        let holder = &mut self.holders[i];
        let Some(open) = holder.open.take().filter(|open| !open.is_gone) else { return };
        let disk = &mut self.disks[open.disk];
        if let Some((at, slot)) = open.writing {
            tear(&mut disk.bytes[at..at + SLOT], &slot, &mut self.rng);
        }
        if self.rng.chance(200) {
            let at = self.rng.below(StateFile::BYTES as u64) as usize;
            disk.bytes[at] ^= 1 << self.rng.below(8);
        }
        if disk.held_by == Some(holder.life) {
            disk.held_by = None;
        }
        let Holder { book, excused_until, ahead_until, .. } = holder;
        // After an abandoned file the next life cannot know the last ID.
        let last_id = book.last_id.filter(|_| !open.abandoned);
        disk.left = (last_id, *excused_until, *ahead_until);
    }

    /// Counts the `ms` that a holder on a slow disk waits. A holder that has a window but is refused waits
    /// for its file's write: each such wait is bounded, and so is their sum.
    pub(crate) fn note_disk(&mut self, i: usize, refused: Option<Code>, ms: i64) -> Verdict {
        let holder = &self.holders[i];
        let is_slow = |open: &Open| !open.abandoned && self.disks[open.disk].is_slow();
        let Some(open) = holder.open.filter(is_slow) else { return Ok(()) };
        if self.plan.theme != Theme::Storm || self.is_too_slow(i) {
            return Ok(());
        }
        let takes = self.disks[open.disk].takes.1;
        let now = holder.clock.read(self.t);
        // Without a window the holder waits for the store, not for its disk.
        let left = holder.thrift.window_left(now).filter(|left| *left > 0);
        // Not a holder whose position is above its window, from another image or as its clock had leapt.
        let has_room = |layout: Layout| {
            let tick = holder.generator.carryover().position >> layout.sequence_bits();
            let over = now.get() + holder.generator.stats().offset_ms + left.unwrap_or(0);
            layout.time(tick + 2).get() < over
        };
        let has_room = left.is_some() && holder.generator.layout().is_some_and(has_room);
        let waits = refused == Some(Code::WindowSpent) && has_room;
        let ms = ms as u64;
        let holder = &mut self.holders[i];
        if refused.is_none() {
            holder.waits_for_disk_ms = 0;
        }
        if !waits {
            return Ok(());
        }
        holder.waits_for_disk_ms += ms;
        if holder.waits_for_disk_ms > 4 * takes + STALL_MS {
            fail!(
                KeptBack,
                "holder {}: {left:?} ms of its window left, {} ms waited for a disk of {takes} ms",
                holder.identity,
                holder.waits_for_disk_ms
            );
        }
        Ok(())
    }

    /// Whether writing a holder's file takes longer than its windows last.
    pub(crate) fn is_too_slow(&self, i: usize) -> bool {
        let holder = &self.holders[i];
        let open = holder.open.filter(|open| !open.abandoned);
        let (Some(open), Config::Space(config)) = (open, holder.make.config) else { return false };
        let longest_ms = self.stores[0].spaces[holder.make.place].namespace.max_window_ms;
        let window_ms = config.length_ms.unwrap_or(u32::MAX).min(longest_ms).max(1_000);
        u64::from(window_ms) < 4 * self.disks[open.disk].takes.1
    }

    /// Makes a disk fail, for good or for a while, or removes a state file and its lock.
    pub(crate) fn disk_fault(&mut self) {
        let open = self.holders.iter_mut().filter(|holder| holder.state == State::Running);
        let mut open: Vec<&mut Open> = open.filter_map(|holder| holder.open.as_mut()).collect();
        if open.is_empty() {
            return;
        }
        let at = self.rng.below(open.len() as u64) as usize;
        let disk = &mut self.disks[open[at].disk];
        match self.rng.below(3) {
            0 => disk.fails_until = i64::MAX,
            1 => disk.fails_until = self.t + self.rng.magnitude(100, 60_000) as i64,
            _ => {
                // A lock that no other file has: those count up from 0.
                let (bytes, lock) = ([0; StateFile::BYTES], self.rng.word());
                *disk = Disk { bytes, lock, held_by: None, left: (None, 0, 0), ..*disk };
                open[at].is_gone = true;
                self.tally.states_removed += 1;
            }
        }
    }

    /// Copies a state file, and starts a process on the copy.
    pub(crate) fn copy_state(&mut self) {
        let from = self.holders.iter().filter(|holder| holder.open.is_some());
        let from: Vec<Make> = from.map(|holder| holder.make).collect();
        let n = self.disks.len();
        if from.is_empty() || (n >= MOST_DISKS && self.disks.iter().all(|d| d.held_by.is_some())) {
            return;
        }
        let make = self.rng.pick(&from);
        let Some(disk) = make.disk else { return };
        // Not between a machine and its clone, where a copy would look like the file itself.
        let lock = self.disks[disk].lock;
        let free = |to: &Disk| to.held_by.is_none() && to.place == make.place && to.lock != lock;
        let to = match self.disks.iter().position(free) {
            Some(to) => to,
            None if n < MOST_DISKS => {
                self.disks.push(Disk::new(make.place, self.disks.len(), &mut self.rng));
                n
            }
            None => return,
        };
        self.disks[to].bytes = self.disks[disk].bytes;
        self.start_as(Some(Make { disk: Some(to), ..make }), 1);
    }
}

impl World {
    /// Clones a running machine with its state file, which both take for their own. Gives the clone's
    /// file; the original is `from`.
    pub(crate) fn clone_state(&mut self, from: Open, life: u64) -> Option<Open> {
        if self.disks.len() >= MOST_DISKS {
            return None;
        }
        self.disks.push(Disk { held_by: Some(life), ..self.disks[from.disk] });
        Some(Open { disk: self.disks.len() - 1, planned: i64::MAX, ..from })
    }

    /// Voids a clone's file, without which the clone has not forgotten.
    pub(crate) fn void_state(&mut self, i: usize) {
        self.end_write(i, false);
        if let Some(Action::Write(write)) = self.holders[i].action(self.t, &mut self.rng) {
            self.begin_write(i, &write);
        }
        self.end_write(i, false);
    }
}

fn since_boot(t: i64) -> HostTime {
    HostTime::new(t + UP_MS)
}

/// Breaks a write off: nothing, all, its beginning, or any part of it is written.
fn tear(bytes: &mut [u8], slot: &[u8; SLOT], rng: &mut Rng) {
    let kind = rng.below(4);
    let begins = rng.below((SLOT / SECTOR) as u64) as usize;
    for (n, (old, new)) in bytes.chunks_mut(SECTOR).zip(slot.chunks(SECTOR)).enumerate() {
        let comes = match kind {
            0 => false,
            1 => true,
            2 => n < begins,
            _ => rng.chance(500),
        };
        if comes {
            old.copy_from_slice(new);
        }
    }
}
