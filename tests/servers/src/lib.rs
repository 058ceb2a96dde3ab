//! Real database servers for tests: each lies in a temporary folder of its own, listens on a free
//! port of this machine alone, and is ended by its id when its value is dropped, also by a panic.
#![cfg(unix)]

mod etcd;
mod mariadb;
mod port;
mod postgres;
mod process;
mod running;
mod zookeeper;

pub use etcd::Etcd;
pub use mariadb::Mariadb;
pub use postgres::Postgres;
pub use zookeeper::Zookeeper;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use running::{Kind, is_taken};

/// A server that can be started, crashed and started again on what it kept.
///
/// # Errors
/// Every verb says what the server wrote when it did not do what was asked.
pub trait Server: Kind {
    /// What it is called in messages.
    const NAME: &'static str;
    /// The Debian package that brings its programs.
    const PACKAGE: &'static str;

    /// A program that it needs and that is not installed.
    fn missing() -> Option<String>;

    /// Where an empty database of it is, with every right on it.
    fn url(&self) -> String;

    /// Makes an empty server with these settings, each `name=value` as the server names them, and
    /// waits until it answers.
    fn start_with(settings: &[&str]) -> Result<Self, String> {
        let mut server = Self::make()?;
        server.running_mut().set(settings);
        while let Err(said) = server.launch() {
            // Another process took the port since it was found free: there are more.
            if !is_taken(&said) {
                return Err(said);
            }
            server.move_ports()?;
        }
        Ok(server)
    }

    /// Where it listens, on 127.0.0.1.
    fn port(&self) -> u16 {
        self.running().port()
    }

    /// The folder that it keeps its data in.
    fn data(&self) -> PathBuf {
        self.running().folder().join("data")
    }

    /// `kill -9` of all its processes, wherever they are.
    fn crash(&mut self) {
        self.running_mut().kill();
    }

    /// An orderly end: everything that it has promised is on disk.
    fn stop(&mut self) -> Result<(), String> {
        self.running_mut().end(Self::END)
    }

    /// Starts it again after [`Server::crash`] or [`Server::stop`], on the same port and the same
    /// data, with these settings instead of the earlier ones, and waits until it answers.
    fn start_again_with(&mut self, settings: &[&str]) -> Result<(), String> {
        self.running_mut().set(settings);
        self.launch_again()
    }

    /// As [`Server::start_again_with`], with the settings that it had.
    fn start_again(&mut self) -> Result<(), String> {
        self.launch_again()
    }
}

/// Copies the data of a server that is stopped to a folder that is not there yet, or back, with their
/// owners.
///
/// # Panics
/// It cannot.
pub fn copy(from: &Path, to: &Path) {
    if to.exists() {
        std::fs::remove_dir_all(to).expect("a folder of ours");
    }
    let done = Command::new("cp").arg("-a").arg(from).arg(to).status().expect("cp runs");
    assert!(done.success(), "{} to {}", from.display(), to.display());
}

/// A server of databases that speak SQL.
///
/// # Errors
/// Every verb gives what the server said.
pub trait Databases: Server {
    /// Makes an empty database, and gives its URL, with every right on it.
    fn make_database(&self, name: &str) -> Result<String, String>;

    /// Runs statements in a database with every right; gives the rows as lines, their columns
    /// divided by tabs.
    fn run(&self, database: &str, sql: &str) -> Result<String, String>;
}

/// An empty server for a test; `None` where it is not installed, which is said on standard error
/// and is a failure in CI.
///
/// # Panics
/// It does not start; or it is not installed and `CI` is set.
pub fn for_test<S: Server>() -> Option<S> {
    for_test_with(&[])
}

/// As [`for_test`], with settings.
///
/// # Panics
/// As [`for_test`].
pub fn for_test_with<S: Server>(settings: &[&str]) -> Option<S> {
    let name = S::NAME;
    if let Some(missing) = S::missing() {
        let told = format!(
            "NOT RUN: there is no `{missing}` here, so nothing is tested over {name}: install \
             it with `cargo xtask setup-ci`, or the package `{}`\n",
            S::PACKAGE
        );
        assert!(!in_ci(), "{told}");
        // Not by a macro, which the harness would keep to itself.
        let _ = std::io::stderr().write_all(told.as_bytes());
        return None;
    }
    match S::start_with(settings) {
        Ok(server) => Some(server),
        Err(said) => panic!("{name} does not start: {said}"),
    }
}

/// Whether what is missing is a failure.
fn in_ci() -> bool {
    std::env::var("CI").is_ok_and(|value| !matches!(value.as_str(), "" | "0" | "false"))
}
