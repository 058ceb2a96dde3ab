//! Real database servers for tests: each has its own temporary folder, listens on a free port of this
//! machine only, and is ended by its process id when its value is dropped, also by a panic.
#![cfg(unix)]
#![expect(missing_docs, reason = "nobody but this project uses it: its names say most")]

mod etcd;
mod galera;
mod mariadb;
mod postgres;
mod process;
mod running;
mod zookeeper;

pub use etcd::Etcd;
pub use galera::Galera;
pub use mariadb::Mariadb;
pub use postgres::Postgres;
pub use zookeeper::Zookeeper;

use std::cell::Cell;
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use leafid_stream::child::Child;
pub use leafid_stream::proxy::Proxy;
use process::LIMIT;
use running::Running;
pub use rustix::process::Signal;

/// A server that can be started, crashed and restarted on its data.
pub trait Server: Sized {
    const NAME: &'static str;
    /// The Debian package with its programs.
    const PACKAGE: &'static str;
    /// The files that it needs, and the folders besides `PATH` in which they may be.
    const NEEDS: &'static [&'static str];
    const FOLDERS: &'static [&'static str];
    /// The signal for an orderly end.
    const END: Signal = Signal::TERM;

    /// Makes an empty server, without starting it.
    fn make() -> Result<Self, String>;

    fn running(&self) -> &Running;
    fn running_mut(&mut self) -> &mut Running;

    fn command(&self) -> Result<Command, String>;

    /// Whether it answers; `said` has the last lines of its output.
    fn answers(&self, said: &str) -> bool;

    /// The URL of an empty database, of a user with every right on it.
    fn url(&self) -> String;

    fn find(name: &str) -> Result<PathBuf, String> {
        process::find(name, Self::FOLDERS).ok_or_else(|| format!("there is no `{name}`"))
    }

    /// A program that the server needs and that is not installed, if any.
    fn missing() -> Option<&'static str> {
        Self::NEEDS.iter().find(|name| Self::find(name).is_err()).copied()
    }

    fn spawn(&mut self) -> Result<(), String> {
        let command = self.command()?;
        let name = command.get_program().to_string_lossy().into_owned();
        let process = Child::start(&name, command, |_| ());
        self.running_mut().process = Some(process.map_err(|error| format!("`{name}`: {error}"))?);
        Ok(())
    }

    /// Waits until it answers; ends it if it does not.
    fn wait(&mut self) -> Result<(), String> {
        let mut process = self.running_mut().process.take().ok_or("it was not started")?;
        process.wait_until(LIMIT, |said| self.answers(said))?;
        self.running_mut().process = Some(process);
        Ok(())
    }

    /// Starts an empty server with these settings, each `name=value` by the server's own names, and
    /// waits until it answers.
    fn start_with(settings: &[&str]) -> Result<Self, String> {
        let mut server = Self::make()?;
        server.start_again_with(settings)?;
        Ok(server)
    }

    /// The URL of an empty place of this name.
    fn fresh(&self, name: &str) -> String {
        format!("{}/{name}", self.url())
    }

    fn port(&self) -> u16 {
        self.running().port.number()
    }

    fn data(&self) -> PathBuf {
        self.running().folder.path().join("data")
    }

    /// Kills all its processes (`kill -9`).
    fn crash(&mut self) {
        // Dropping the process kills it.
        self.running_mut().process = None;
    }

    /// Copies its data while it runs, all at one moment, as a snapshot of its volume does.
    fn snapshot(&self, to: &Path) {
        let process = self.running().process.as_ref().expect("it runs");
        process.frozen(|| copy(&self.data(), to));
    }

    /// Puts other data in the place of its own, and starts on them.
    fn put_back(&mut self, from: &Path) -> Result<(), String> {
        self.crash();
        copy(from, &self.data());
        self.start_again()
    }

    /// Takes the address of another one, which is down: clients of that one are its clients from now on.
    fn take_over(&mut self, other: &mut Self) -> Result<(), String> {
        self.stop()?;
        other.crash();
        std::mem::swap(&mut self.running_mut().port, &mut other.running_mut().port);
        self.start_again()
    }

    /// Ends it in order: everything that it confirmed is on disk then.
    fn stop(&mut self) -> Result<(), String> {
        let Some(mut process) = self.running_mut().process.take() else { return Ok(()) };
        process.ask_to_end(Self::END);
        process.wait(LIMIT).map(drop)
    }

    /// Restarts it after [`Server::crash`] or [`Server::stop`], on the same port and data, with these
    /// settings instead of the earlier ones, and waits until it answers.
    fn start_again_with(&mut self, settings: &[&str]) -> Result<(), String> {
        self.running_mut().settings = settings.iter().map(|it| (*it).to_owned()).collect();
        self.start_again()
    }

    fn start_again(&mut self) -> Result<(), String> {
        self.spawn()?;
        self.wait()
    }
}

/// Copies the data of a stopped server, with owners, to `to`, or back; an existing `to` is replaced.
pub fn copy(from: &Path, to: &Path) {
    if to.exists() {
        std::fs::remove_dir_all(to).expect("a folder of ours");
    }
    let done = Command::new("cp").arg("-a").arg(from).arg(to).status().expect("cp runs");
    assert!(done.success(), "{} to {}", from.display(), to.display());
}

/// Leaf's table, as Leaf's own script makes it.
pub const LEAF_ALLOC: &str = "\
CREATE TABLE `leaf_alloc` (
  `biz_tag` varchar(128)  NOT NULL DEFAULT '',
  `max_id` bigint(20) NOT NULL DEFAULT '1',
  `step` int(11) NOT NULL,
  `description` varchar(256)  DEFAULT NULL,
  `update_time` timestamp NOT NULL DEFAULT CURRENT_TIMESTAMP ON UPDATE CURRENT_TIMESTAMP,
  PRIMARY KEY (`biz_tag`)
) ENGINE=InnoDB;
";

/// A server of SQL databases.
pub trait Databases: Server {
    /// Runs statements in a database with every right; gives the rows as lines, with columns
    /// separated by tabs.
    fn run(&self, database: &str, sql: &str) -> Result<String, String>;

    /// Writes a database into a file, with the engine's own program, as the guide says.
    fn dump(&self, database: &str, to: &Path) -> Result<(), String>;

    /// Puts a database back from such a file, also under clients.
    fn load(&self, database: &str, from: &Path) -> Result<(), String>;

    /// Starts an asynchronous replica of it, with these settings.
    fn replica(&self, settings: &[&str]) -> Result<Self, String>;

    /// Waits until the replica of this server has all that it has now, and cuts it off: it lacks what comes
    /// later.
    fn cut_off(&self, replica: &mut Self) -> Result<(), String>;

    /// Makes a replica that was cut off a primary, at the address of this server, which is killed.
    fn fail_over(&mut self, replica: Self) -> Result<(), String>;
}

/// A server of which several make one store.
pub trait Clustered: Server {
    /// Starts the three members of a cluster, each with its own folder.
    fn cluster() -> Result<Vec<Self>, String>;

    /// The URL of an empty place in a cluster.
    fn url_of(members: &[Self]) -> String {
        let place = |member: &Self| format!("127.0.0.1:{}", member.port());
        let all: Vec<String> = members.iter().map(place).collect();
        members[0].url().replace(&all[0], &all.join(","))
    }
}

/// An empty server for a test; `None` where it is not installed.
pub fn for_test<S: Server>() -> Option<S> {
    for_test_with(&[])
}

pub fn for_test_with<S: Server>(settings: &[&str]) -> Option<S> {
    if let Some(program) = S::missing() {
        let why = format!("`{program}` (apt-get install {})", S::PACKAGE);
        missing(&S::NAME.to_lowercase(), &why);
        return None;
    }
    match S::start_with(settings) {
        Ok(server) => Some(server),
        Err(said) => panic!("{} does not start: {said}", S::NAME),
    }
}

/// Reports that this test is skipped for `what`, as something is not installed. Panics where `CI` is set, as
/// everything must be installed there.
pub fn missing(what: &str, which: &str) {
    let in_ci = |value: String| !matches!(value.as_str(), "" | "0" | "false");
    let why = format!("no {which}");
    assert!(!std::env::var("CI").is_ok_and(in_ci), "NOT RUN  {what}: {why}");
    not_run(what, &why);
}

/// Reports, once for each test, that it is skipped: on standard error, and as a line `TEST<tab>SENTENCE` in
/// the file that `LEAFID_NOT_RUN` names, so that `cargo xtask test` does not count it as passed.
pub fn not_run(what: &str, why: &str) {
    // The harness gives each test a thread, and names it after the test.
    thread_local!(static TOLD: Cell<bool> = const { Cell::new(false) });
    if TOLD.replace(true) {
        return;
    }
    let told = format!("NOT RUN  {what}: {why}\n");
    // Not by a macro, whose output the harness would capture.
    let _ = std::io::stderr().write_all(told.as_bytes());
    if let Some(file) = std::env::var_os("LEAFID_NOT_RUN") {
        let thread = std::thread::current();
        let line = format!("{}\t{told}", thread.name().unwrap_or_default());
        let file = File::options().create(true).append(true).open(file);
        file.and_then(|mut file| file.write_all(line.as_bytes())).expect("LEAFID_NOT_RUN");
    }
}
