//! The state file: its bytes, what a restart may use, and what is written when.

use leafid_core::{
    Action, Ask, Code, Event, HostTime, Layout, MemoryStore, Name, Outcome, Snowflake,
    SnowflakeConfig, StateFile, StatePlace, StateRecord, StateWrite, Store, StoreTime, Token,
    Unread, refill,
};

const START: i64 = 1_800_000_000_000;
const PLACE: StatePlace = StatePlace { machine: [1; 16], boot: [2; 16], device: 3, lock: 4 };
const SLOT: usize = StateFile::BYTES / 2;

fn ms(ms: i64) -> HostTime {
    HostTime::new(ms)
}

fn record() -> StateRecord {
    StateRecord {
        namespace: Name::namespace("events").unwrap(),
        store: Token::new([0x5a; 16]),
        worker: 258,
        key: Token::new([0x6b; 16]),
        layout: Layout::EDGE,
        end: 72_057_594_037,
        reserved: 72_057_593_000,
        now: StoreTime::new(-7),
    }
}

struct Disk {
    bytes: [u8; StateFile::BYTES],
    file: StateFile,
}

impl Disk {
    fn new() -> Disk {
        Disk { bytes: [0; StateFile::BYTES], file: StateFile::new(PLACE) }
    }

    fn put(&mut self, write: &StateWrite) {
        let (at, slot) = self.file.slot(write, ms(0));
        self.bytes[at..at + SLOT].copy_from_slice(&slot);
        self.file.written();
    }

    fn found(&self) -> Result<Option<StateRecord>, Unread> {
        StateFile::read(PLACE, ms(0), &self.bytes).1
    }

    fn save(&mut self, ids: &mut Snowflake, now: HostTime) -> u32 {
        let mut writes = 0;
        while let Some(write) = due(ids, now) {
            self.put(&write);
            assert_eq!(ids.handle(Event::Written, now), Ok(Outcome::Applied));
            writes += 1;
        }
        writes
    }

    fn restart(&mut self, now: HostTime) -> Snowflake {
        let (file, found) = StateFile::read(PLACE, now, &self.bytes);
        self.file = file;
        let mut ids = generator();
        ids.keep(found.unwrap(), now).unwrap();
        ids
    }
}

/// The next write, if any. Asks given out meanwhile are lost.
fn due(ids: &mut Snowflake, now: HostTime) -> Option<StateWrite> {
    match ids.poll(now, [9; 16])? {
        Action::Write(write) => Some(write),
        Action::Ask(_) => None,
    }
}

fn generator() -> Snowflake {
    let config =
        SnowflakeConfig { spread: Some(0), ..SnowflakeConfig::new("default", "host/1").unwrap() };
    Snowflake::new(config, 7).unwrap()
}

fn store(now: i64) -> MemoryStore {
    let mut store: MemoryStore = MemoryStore::new([1; 16]);
    store.set_clock(StoreTime::new(now));
    store
}

/// A generator with a window that its file names.
fn running(disk: &mut Disk) -> (Snowflake, MemoryStore) {
    let (mut ids, mut store) = (disk.restart(ms(0)), store(START));
    refill(&mut ids, &mut store, || ms(0), || [2; 16]).unwrap();
    disk.save(&mut ids, ms(0));
    (ids, store)
}

/// Goes on until the generator asks, and refuses that with `code`; returns when.
fn is_refused(ids: &mut Snowflake, disk: &mut Disk, code: Code) -> HostTime {
    loop {
        let now = ids.poll_at().unwrap();
        let event = match ids.poll(now, [4; 16]).unwrap() {
            Action::Write(write) => {
                disk.put(&write);
                Event::Written
            }
            Action::Ask(ask) => {
                let request = Ask::from(ask).request();
                Event::Answer { request, sent: now, answer: Err(code.into()) }
            }
        };
        if ids.handle(event, now).is_err() {
            return now;
        }
    }
}

fn is_answered(ids: &mut Snowflake, store: &mut MemoryStore, now: HostTime) {
    store.set_clock(StoreTime::new(START + now.get()));
    let request = u128::from(now.get().unsigned_abs() + 1).to_be_bytes();
    // An ask that was lost before is sent again after a while.
    let mut times = [now, now.plus(3_000), now.plus(3_000)].into_iter();
    let ask = times.find_map(|at| ids.poll(at, request).and_then(Action::ask)).unwrap();
    let ask = Ask::from(ask);
    let event = Event::Answer { request: ask.request(), sent: now, answer: store.ask(&ask) };
    assert_eq!(ids.handle(event.of(), now), Ok(Outcome::Applied));
}

fn tick(id: u64) -> u64 {
    Layout::LEAF.decompose(id).unwrap().tick
}

#[test]
fn the_bytes_are_these() {
    let (at, slot) = StateFile::new(PLACE).slot(&StateWrite::Record(record()), ms(0));
    assert_eq!(at, 0);
    let mut expected = Vec::new();
    expected.extend(b"LEAFIDST\x01\x00\x01\x06");
    expected.extend(258u32.to_le_bytes());
    expected.extend(1u64.to_le_bytes());
    expected.extend([1; 16].iter().chain(&[2; 16]));
    expected.extend(3u64.to_le_bytes().iter().chain(&4u64.to_le_bytes()));
    expected.extend([0x5a; 16].iter().chain(&[0x6b; 16]));
    expected.extend(1_735_689_600_000i64.to_le_bytes());
    expected.extend(1u32.to_le_bytes());
    expected.extend([41, 16, 6, 0]);
    expected.extend(72_057_594_037u64.to_le_bytes());
    expected.extend(72_057_593_000u64.to_le_bytes());
    expected.extend((-7i64).to_le_bytes());
    expected.extend(b"events");
    expected.resize(SLOT - 8, 0);
    assert_eq!(slot[..SLOT - 8], expected);
    assert_eq!(u64::from_le_bytes(*slot.last_chunk().unwrap()), 0x4774_ab87_71f9_c27d);
}

#[test]
fn what_gives_no_right() {
    let mut disk = Disk::new();
    assert_eq!(disk.found(), Ok(None));
    disk.put(&StateWrite::Record(record()));
    let one = disk.bytes;
    disk.put(&StateWrite::Record(record()));
    let two = disk.bytes;
    let read = |place, bytes: &[u8; StateFile::BYTES]| StateFile::read(place, ms(0), bytes).1;
    for place in [
        StatePlace { machine: [9; 16], ..PLACE },
        StatePlace { boot: [9; 16], ..PLACE },
        StatePlace { device: 9, ..PLACE },
        StatePlace { lock: 9, ..PLACE },
    ] {
        assert_eq!(read(place, &disk.bytes), Err(Unread::Elsewhere));
    }
    assert_eq!(read(PLACE, &[b'x'; StateFile::BYTES]), Err(Unread::Strange));
    // Both are broken, or their counters are not successive: no single process leaves them so.
    let mut both = disk.bytes;
    both[100] ^= 1;
    both[SLOT + 100] ^= 1;
    assert_eq!(read(PLACE, &both), Err(Unread::Damaged));
    disk.put(&StateWrite::Void);
    disk.put(&StateWrite::Void);
    disk.bytes[..SLOT].copy_from_slice(&one[..SLOT]);
    assert_eq!(read(PLACE, &disk.bytes), Err(Unread::Damaged));
    // One wrong bit in a slot: what that reserved may have been used, which the other slot does not know.
    for at in 0..StateFile::BYTES {
        let mut bytes = two;
        bytes[at] ^= 4;
        assert_eq!(read(PLACE, &bytes), Err(Unread::Damaged), "{at}");
    }
}

#[test]
fn it_is_raised_in_time_while_it_is_used_and_not_for_ever() {
    let mut disk = Disk::new();
    let (mut ids, mut store) = running(&mut disk);
    let (mut writes, mut now) = (0, 0);
    while now < 8_000 {
        assert!(ids.next(ms(now)).is_ok(), "{now}");
        let at = ids.poll_at().unwrap();
        assert!(at <= ms(now).plus(600), "half a second before it is over");
        if ids.wants(ms(now)) {
            writes += disk.save(&mut ids, ms(now));
        }
        now += 10;
    }
    assert!((14..=17).contains(&writes), "{writes}");
    // Nothing is drawn any more.
    let mut ids = disk.restart(ms(now));
    store.set_clock(StoreTime::new(START + now));
    refill(&mut ids, &mut store, || ms(now), || [3; 16]).unwrap();
    disk.save(&mut ids, ms(now));
    ids.rest();
    writes = 0;
    while let Some(at) = ids.poll_at() {
        now = at.get().max(now);
        writes += disk.save(&mut ids, ms(now));
        assert!(writes < 200, "it goes on for ever");
    }
}

#[test]
fn closing_leaves_where_it_stood_and_gives_nothing_back() {
    let mut disk = Disk::new();
    let (mut ids, _) = running(&mut disk);
    let last = ids.next(ms(0)).unwrap();
    assert_eq!(ids.retire(), None);
    assert_eq!(disk.save(&mut ids, ms(0)), 1);
    assert_eq!(disk.found().unwrap().unwrap().reserved, tick(last) + 1);
}

#[test]
fn a_write_that_was_out_when_it_was_forgotten_opens_nothing() {
    let mut disk = Disk::new();
    let (mut ids, mut store) = (disk.restart(ms(0)), store(START));
    refill(&mut ids, &mut store, || ms(0), || [2; 16]).unwrap();
    let write = due(&mut ids, ms(0)).unwrap();
    ids.forget();
    disk.put(&write);
    assert_eq!(ids.handle(Event::Written, ms(0)), Ok(Outcome::Applied));
    assert!(ids.next(ms(0)).is_err());
    assert_eq!(disk.save(&mut ids, ms(0)), 1);
    assert_eq!(disk.found(), Ok(None));
}

#[test]
fn the_right_of_another_generator_is_refused() {
    let other = StateRecord { namespace: Name::namespace("other").unwrap(), ..record() };
    let config = SnowflakeConfig::new("events", "host/1").unwrap();
    let mut ids = Snowflake::new(config, 7).unwrap();
    let refused = ids.keep(Some(other), ms(0)).unwrap_err();
    assert_eq!(refused.code, Code::StateInvalid);
    let layout = SnowflakeConfig { layout: Some(Layout::LEAF), ..config };
    let mut ids = Snowflake::new(layout, 7).unwrap();
    assert_eq!(ids.keep(Some(record()), ms(0)).unwrap_err().code, Code::StateInvalid);
    ids.retire();
    assert_eq!(ids.keep(None, ms(0)).unwrap_err().code, Code::Closed);
}

#[test]
fn what_is_reserved_on_a_slow_disk_has_its_bounds() {
    for (length_ms, most) in [(10_000, 5_000), (120_000, 30_000)] {
        let mut disk = Disk::new();
        let mut ids = generator();
        let mut old = record();
        (old.namespace, old.layout) = (Name::namespace("default").unwrap(), Layout::LEAF);
        old.reserved = Layout::LEAF.tick(StoreTime::new(START)).unwrap();
        (old.end, old.now) = (old.reserved + length_ms, StoreTime::new(START));
        ids.keep(Some(old), ms(0)).unwrap();
        let write = due(&mut ids, ms(0)).unwrap();
        disk.put(&write);
        // A write longer than the window would count the same as one of half of it.
        let late = ms(length_ms as i64 / 2);
        assert_eq!(ids.handle(Event::Written, late), Ok(Outcome::Applied));
        disk.save(&mut ids, late);
        let ahead = disk.found().unwrap().unwrap().reserved - old.reserved - length_ms / 2;
        assert!((most - 3..=most + 1).contains(&ahead), "{length_ms}: {ahead}");
    }
}

#[test]
fn a_window_the_file_never_named_opens_when_an_earlier_write_fails() {
    let mut disk = Disk::new();
    let (mut ids, mut store) = running(&mut disk);
    let now = is_refused(&mut ids, &mut disk, Code::LeaseLost).plus(600);
    assert!(due(&mut ids, now).is_some());
    is_answered(&mut ids, &mut store, now);
    assert_eq!(ids.handle(Event::NotWritten, now), Ok(Outcome::Applied));
    assert!(ids.next(now).is_ok(), "the file has never named it");
}
