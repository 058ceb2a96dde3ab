//! A simulated machine: a folder for state, which has the journals, and a store's file.

use std::path::PathBuf;
use std::process::Command;

use crate::restored::make;
use crate::support::{Home, LEAFID, LIMIT, Serving, does, refused, says};

pub const SERVE: [&str; 3] = ["serve", "--listen", "127.0.0.1:0"];

pub struct Machine {
    home: Home,
    pub store: String,
}

impl Machine {
    pub fn new() -> Machine {
        let home = Home::new();
        let store = format!("sqlite:{}", home.store);
        make(&store);
        Machine { home, store }
    }

    pub fn at(&self, name: &str) -> PathBuf {
        self.home.path().join(name)
    }

    pub fn state(&self) -> PathBuf {
        self.at("state/leafid")
    }

    pub fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(LEAFID);
        command.args(words).env("XDG_STATE_HOME", self.at("state")).env_remove("STATE_DIRECTORY");
        command.env("LEAFID_STORE", &self.store);
        command
    }

    pub fn serve(&self, words: &[&str]) -> Serving {
        Serving::spawn(&mut self.command(&[&SERVE[..], words].concat()))
    }

    pub fn refused(&self, words: &[&str]) -> String {
        refused(&mut self.command(words), 1)
    }

    pub fn says(&self, words: &[&str]) -> String {
        does(&mut self.command(words))
    }

    /// Takes the store's file away.
    pub fn lose(&self) {
        for end in ["", "-wal", "-shm"] {
            let _ = std::fs::remove_file(self.at(&format!("store.db{end}")));
        }
    }

    pub fn back_up(&self) {
        says(&self.store, &["backup", &self.home.at("copy.db")]);
    }

    /// Puts the backup in the place of the store's file.
    pub fn restore(&self) {
        self.lose();
        std::fs::copy(self.at("copy.db"), self.at("store.db")).expect("a copy");
    }

    /// Puts all rows back as the backup has them, also under a running server.
    pub fn restore_rows(&self) {
        let connection = rusqlite::Connection::open(self.at("store.db")).expect("a file");
        connection.busy_timeout(LIMIT).expect("a time-out");
        connection.execute("ATTACH ?1 AS copy", [self.home.at("copy.db")]).expect("a copy");
        let back = ["meta", "servers", "tags", "namespaces", "workers"].map(|table| {
            format!(
                "DELETE FROM main.{table}; INSERT INTO main.{table} SELECT * FROM copy.{table};"
            )
        });
        let all = format!("BEGIN IMMEDIATE; {} COMMIT", back.concat());
        connection.execute_batch(&all).expect("all rows");
    }

    /// Changes a row past the server.
    pub fn write(&self, sql: &str) {
        let connection = rusqlite::Connection::open(self.at("store.db")).expect("a file");
        connection.busy_timeout(LIMIT).expect("a time-out");
        assert!(connection.execute(sql, []).expect(sql) > 0, "{sql}");
    }
}
