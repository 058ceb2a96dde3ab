//! The ways in which each engine goes back to an earlier state.

use std::path::PathBuf;

use leafid_servers::{Databases, Etcd, Mariadb, Postgres, Server, Zookeeper};
use tempfile::TempDir;

use crate::support::until;

/// An engine, what is kept of its earlier state, and how many databases it has had.
pub struct Place<S> {
    pub server: S,
    replica: Option<S>,
    folder: TempDir,
    count: usize,
}

/// How an engine goes back: `save` marks the state to which `back` takes it.
pub struct Way<S> {
    pub name: &'static str,
    /// Before there is a store.
    pub prepare: fn(&mut Place<S>),
    pub save: fn(&mut Place<S>),
    pub back: fn(&mut Place<S>),
}

impl<S: Server> Place<S> {
    pub fn of(server: S) -> Place<S> {
        let folder = tempfile::tempdir().expect("a folder");
        Place { server, replica: None, folder, count: 0 }
    }

    /// The URL of the next store.
    pub fn next(&mut self) -> String {
        self.count += 1;
        self.server.fresh(&self.name())
    }

    fn name(&self) -> String {
        format!("back{}", self.count)
    }

    fn saved(&self) -> PathBuf {
        self.folder.path().join(self.name())
    }
}

/// A snapshot of the volume of an engine that runs; the engine recovers on it as after a crash.
fn snapshot<S: Server>() -> Way<S> {
    Way {
        name: "snapshot of its volume",
        prepare: |_| (),
        save: |place| place.server.snapshot(&place.saved()),
        back: |place| place.server.put_back(&place.saved()).expect("it starts on the copy"),
    }
}

/// A dump is played back under the servers.
fn dump<S: Databases>() -> Way<S> {
    Way {
        name: "dump",
        prepare: |_| (),
        save: |place| place.server.dump(&place.name(), &place.saved()).expect("a dump"),
        back: |place| place.server.load(&place.name(), &place.saved()).expect("it is played back"),
    }
}

/// A replica that lacks the last commits takes the place of its primary.
fn promotion<S: Databases>(prepare: fn(&mut Place<S>)) -> Way<S> {
    Way {
        name: "promotion of a replica",
        prepare,
        save: |place| {
            let replica = place.replica.as_mut().expect("a replica");
            place.server.cut_off(replica).expect("the replica has all so far");
        },
        back: |place| {
            let replica = place.replica.take().expect("a replica");
            place.server.fail_over(replica).expect("a promotion");
        },
    }
}

pub const POSTGRES_SETTINGS: [&str; 2] =
    ["archive_mode=on", "archive_command=mkdir -p ../archive && cp %p ../archive/%f"];

pub fn postgres() -> [Way<Postgres>; 5] {
    [
        dump(),
        Way {
            name: "base backup",
            prepare: |_| (),
            save: |place| place.server.base_backup(&place.server.at("saved")).expect("a backup"),
            back: |place| {
                let saved = place.server.at("saved");
                place.server.put_back(&saved).expect("it starts on the backup");
            },
        },
        Way {
            name: "point in time, by its log",
            prepare: |_| (),
            save: |place| {
                place.server.base_backup(&place.server.at("saved")).expect("a backup");
                let mark = format!("SELECT pg_create_restore_point('{}')", place.name());
                place.server.run("postgres", &mark).expect("a mark");
            },
            back: |place| {
                // In order: then all of the log is in the archive.
                place.server.stop().expect("it stops");
                leafid_servers::copy(&place.server.at("saved"), &place.server.data());
                place.server.put("recovery.signal", "").expect("a file");
                let until = format!("recovery_target_name={}", place.name());
                let recover = ["restore_command=cp ../archive/%f %p", &until];
                let promote = ["recovery_target_action=promote"];
                let all = [&POSTGRES_SETTINGS[..], &recover, &promote].concat();
                place.server.start_again_with(&all).expect("it recovers");
                place.server.leads().expect("it ends its recovery");
            },
        },
        promotion(|place| {
            let replica = place.server.replica(&POSTGRES_SETTINGS).expect("a replica");
            place.replica = Some(replica);
        }),
        snapshot(),
    ]
}

/// The same, but the servers fence the store after the dump has put their table back, and before it puts back
/// the tags: MariaDB plays it back table by table.
pub fn slow_dump() -> Way<Mariadb> {
    let back = |place: &mut Place<Mariadb>| {
        let (name, saved) = (place.name(), place.saved());
        let dump = std::fs::read_to_string(&saved).expect("a dump");
        let at = dump.find("-- Table structure for table `tags`").expect("a table");
        let generation = || {
            let read = place.server.run(&name, "SELECT generation FROM meta");
            read.ok()?.trim().parse::<u64>().ok()
        };
        let settings = &dump[..dump.find("-- Table structure").expect("a table")];
        std::fs::write(&saved, &dump[..at]).expect("a file");
        let before = generation().expect("a number");
        place.server.load(&name, &saved).expect("it is played back");
        let fenced = until(|| generation().filter(|now| *now > before));
        assert!(fenced.is_some(), "nobody fences");
        std::fs::write(&saved, [settings, &dump[at..]].concat()).expect("a file");
        place.server.load(&name, &saved).expect("it is played back");
    };
    Way { name: "dump with a fence within", back, ..dump() }
}

pub const MARIADB_SETTINGS: [&str; 3] = ["log-bin=changes", "server-id=1", "sync-binlog=1"];

pub fn mariadb() -> [Way<Mariadb>; 3] {
    [
        snapshot(),
        promotion(|place| {
            let replica =
                place.server.replica(&["log-bin=changes", "sync-binlog=1"]).expect("a replica");
            place.replica = Some(replica);
        }),
        dump(),
    ]
}

pub fn etcd() -> [Way<Etcd>; 2] {
    [
        Way {
            name: "snapshot restored by etcdctl",
            prepare: |_| (),
            save: |place| place.server.save(&place.saved()).expect("a snapshot"),
            back: |place| place.server.restore(&place.saved()).expect("it starts on the snapshot"),
        },
        snapshot(),
    ]
}

pub fn zookeeper() -> [Way<Zookeeper>; 1] {
    [snapshot()]
}
