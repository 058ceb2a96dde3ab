//! Servers in one process, over one file, whose time a test moves.

use std::future::Future;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use leafid_core::{AcquireAsk, Code, Name, Range, SegmentAsk, StoreTime, Token, WindowGrant};
use leafid_store::backends::opening::Options;
use leafid_store::backends::sqlite::Sqlite;
use leafid_store::backends::{Answer, BackEnd, Facts, Group, Outcome, Want};
use leafid_store::clock::{Clock, ManualClock};
use leafid_store::fence::{Journal, Repair, Repaired, file};
use leafid_store::problem::Problem;
use leafid_store::registry::Registry;
use leafid_store::store::{NamespaceChange, TagChange};

/// How far each step moves the time, in ms: less than servers wait between two looks at their register.
pub const STEP_MS: i64 = 90;

/// A file whose server may die: from then on no turn of it begins, so that it puts back and leaves nothing.
pub struct Mortal {
    pub file: Sqlite,
    pub is_dead: Arc<AtomicBool>,
}

impl BackEnd for Mortal {
    fn facts(&self) -> &Facts {
        self.file.facts()
    }

    async fn begin(&mut self) -> Result<(), Problem> {
        match self.is_dead.load(SeqCst) {
            true => Err(Problem::unavailable("it was killed")),
            false => self.file.begin().await,
        }
    }

    async fn read(&mut self, wants: &[Want]) -> Result<Vec<Answer>, Problem> {
        self.file.read(wants).await
    }

    async fn write(&mut self, groups: &[Group]) -> Result<Vec<Outcome>, Problem> {
        self.file.write(groups).await
    }
}

pub struct Server {
    pub registry: Registry,
    pub is_dead: Arc<AtomicBool>,
}

impl Server {
    /// Ends it as `kill -9` does.
    pub fn kill(self) {
        self.is_dead.store(true, SeqCst);
    }

    /// Keeps it from the file, as a network does, until it is let go on.
    pub fn cut_off(&self, is_cut_off: bool) {
        self.is_dead.store(is_cut_off, SeqCst);
    }

    /// Waits until a turn is over, by a question that is answered then.
    pub fn end_turn(&self) {
        let mut now = Box::pin(self.registry.now());
        while now.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending() {
            std::thread::yield_now();
        }
    }

    pub fn generation(&self) -> u64 {
        self.registry.generation()
    }

    /// How many turns have begun.
    pub fn turns(&self) -> u64 {
        *self.registry.inside().unwrap().turns.begin.read().below.last().unwrap()
    }
}

pub struct World {
    pub folder: tempfile::TempDir,
    pub clock: Arc<ManualClock>,
    pub asked: u32,
    /// What was granted of the tag, and of the worker number until when.
    pub ranges: Vec<Range>,
    pub windows: Vec<Range>,
}

pub type Asked<T> = Result<T, Problem>;

impl World {
    /// A store with a tag, and a namespace with one worker number.
    pub fn new() -> World {
        let folder = tempfile::tempdir().unwrap();
        let clock = Arc::new(ManualClock::at(StoreTime::new(1_800_000_000_000)));
        let (ranges, windows) = Default::default();
        let world = World { folder, clock, asked: 0, ranges, windows };
        let maker = world.guest();
        let put =
            maker.registry.put_tag(tag(), TagChange { step: Some(10), ..TagChange::default() });
        world.wait(&[&maker], put).unwrap();
        let change =
            NamespaceChange { workers: Some(Range::new(0, 1)), ..NamespaceChange::default() };
        let put = maker.registry.put_namespace(space(), change);
        world.wait(&[&maker], put).unwrap();
        drop(maker);
        world
    }

    /// A world with two servers, which have run for so many ms.
    pub fn with_two(ms: i64) -> (World, [Server; 2]) {
        let world = World::new();
        let both = ["one", "two"].map(|name| world.server(name));
        world.pass(&both.each_ref(), ms);
        (world, both)
    }

    pub fn at(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// A server without a journal.
    pub fn guest(&self) -> Server {
        let options = Options { create: true, ..Options::default() };
        let file = Sqlite::open(&self.at("a.db"), self.clock.clone(), &options).unwrap();
        let is_dead = Arc::new(AtomicBool::new(false));
        let back_end = Mortal { file, is_dead: Arc::clone(&is_dead) };
        Server { registry: Registry::over(None, back_end, false).unwrap(), is_dead }
    }

    /// A server with its journal in this folder, which is its name as well.
    pub fn server(&self, name: &str) -> Server {
        let server = self.guest();
        let folder = self.at(name);
        std::fs::create_dir_all(&folder).unwrap();
        let (id, place) = (server.registry.id(), server.registry.place());
        let journal = Journal::open(&folder, id, place, false).unwrap();
        server.registry.attend(name.to_owned(), Some(journal)).unwrap();
        server
    }

    /// Lets a little time pass, in which each server looks at its register.
    pub fn step(&self, servers: &[&Server]) {
        self.clock.set(self.clock.wall().plus(STEP_MS));
        for server in servers {
            // The second turn from now on begins when the first one is over.
            let after = server.turns() + 2;
            while server.turns() < after {
                // A turn is taken, though nobody waits for the answer.
                let (turns, begun) = (server.turns(), Instant::now());
                drop(server.registry.now());
                while server.turns() == turns && begun.elapsed() < Duration::from_millis(2) {
                    std::thread::yield_now();
                }
            }
        }
    }

    /// Lets time pass while these servers run, until there is an answer.
    pub fn wait<T>(&self, servers: &[&Server], answer: impl Future<Output = Asked<T>>) -> Asked<T> {
        let mut answer = Box::pin(answer);
        loop {
            let polled = answer.as_mut().poll(&mut Context::from_waker(Waker::noop()));
            if let Poll::Ready(answer) = polled {
                return answer;
            }
            self.step(servers);
        }
    }

    pub fn pass(&self, servers: &[&Server], ms: i64) {
        (0..ms / STEP_MS + 1).for_each(|_| self.step(servers));
    }

    pub fn request(&mut self) -> Token {
        self.asked += 1;
        let mut bytes = [7; 16];
        bytes[..4].copy_from_slice(&self.asked.to_be_bytes());
        Token::new(bytes)
    }

    /// Leases from the tag by the first of the running servers; nothing may be granted twice.
    pub fn lease(&mut self, servers: &[&Server]) -> Asked<Range> {
        let ask = SegmentAsk::new(tag(), self.request());
        let range = self.wait(servers, servers[0].registry.lease_segment(ask))?.range;
        let twice =
            self.ranges.iter().find(|other| other.start < range.end && range.start < other.end);
        assert_eq!(twice, None, "{range:?} was granted before");
        self.ranges.push(range);
        Ok(range)
    }

    /// Leases so many times from each of two running servers, in turns.
    pub fn lease_in_turns(&mut self, first: &Server, second: &Server, times: u32) {
        for _ in 0..times {
            self.lease(&[first, second]).unwrap();
            self.lease(&[second, first]).unwrap();
        }
    }

    /// Acquires the worker number, as another holder each time.
    pub fn acquire(&mut self, servers: &[&Server]) -> Asked<WindowGrant> {
        let request = self.request();
        let ask = AcquireAsk::new(space(), request, Name::owner("o").unwrap());
        let ask = AcquireAsk { length_ms: Some(5_000), ..ask };
        let grant = self.wait(servers, servers[0].registry.acquire(ask))?;
        let ticks = grant.ticks;
        let twice = self.windows.iter().find(|w| w.start < ticks.end && ticks.start < w.end);
        assert_eq!(twice, None, "{ticks:?} was granted before");
        self.windows.push(ticks);
        Ok(grant)
    }

    pub fn open(&self) -> rusqlite::Connection {
        let connection = rusqlite::Connection::open(self.at("a.db")).unwrap();
        connection.busy_timeout(Duration::from_secs(60)).unwrap();
        connection
    }

    pub fn copy(&self) {
        let _ = std::fs::remove_file(self.at("copy.db"));
        self.open().execute("VACUUM INTO ?1", [self.at("copy.db").to_str()]).unwrap();
    }

    /// Puts all rows back as the copy has them, also under running servers.
    pub fn restore(&self) {
        self.put_back(&["meta", "servers", "tags", "namespaces", "workers"]);
    }

    /// Puts the rows of some tables back.
    pub fn put_back(&self, tables: &[&str]) {
        let connection = self.open();
        connection.execute("ATTACH ?1 AS copy", [self.at("copy.db").to_str()]).unwrap();
        let back = tables.iter().map(|table| {
            format!(
                "DELETE FROM main.{table}; INSERT INTO main.{table} SELECT * FROM copy.{table};"
            )
        });
        let all = format!("BEGIN IMMEDIATE; {} COMMIT", back.collect::<String>());
        connection.execute_batch(&all).unwrap();
    }

    /// The number above which nothing of the tag is reserved.
    pub fn row(&self) -> u64 {
        let sql = "SELECT max_id FROM tags";
        self.open().query_row(sql, [], |row| row.get::<_, i64>(0)).unwrap() as u64
    }

    /// The records of the register.
    pub fn records(&self) -> Vec<String> {
        let connection = self.open();
        let mut select = connection.prepare("SELECT record FROM servers").unwrap();
        let records = select.query_map([], |row| row.get(0)).unwrap();
        records.map(Result::unwrap).collect()
    }

    pub fn journals(&self, name: &str) -> Vec<PathBuf> {
        let files = std::fs::read_dir(self.at(name)).unwrap().map(|file| file.unwrap().path());
        files.filter(|path| path.extension().is_some_and(|end| end == "journal")).collect()
    }

    pub fn copy_journal(&self, from: &str, to: &str) {
        std::fs::create_dir_all(self.at(to)).unwrap();
        for path in self.journals(from) {
            std::fs::copy(&path, self.at(to).join(path.file_name().unwrap())).unwrap();
        }
    }

    pub fn repair(&self, server: &Server, names: &[&str], with_gap: bool) -> Asked<Repaired> {
        let mut repair = Repair { with_gap, ..Repair::default() };
        for name in names {
            for known in file::known(&self.at(name), server.registry.id()).unwrap() {
                repair.bounds.merge(&known.bounds);
                repair.taken.extend(known.bounds.server);
            }
        }
        self.wait(&[], server.registry.repair(repair))
    }
}

pub fn tag() -> Name {
    Name::tag("orders").unwrap()
}

pub fn space() -> Name {
    Name::namespace("one").unwrap()
}

pub fn unavailable<T: std::fmt::Debug>(answer: Asked<T>, words: &[&str]) {
    let problem = answer.unwrap_err();
    assert_eq!(problem.code, Code::StoreUnavailable, "{problem}");
    words.iter().for_each(|word| assert!(problem.detail.contains(word), "{word}: {problem}"));
}
