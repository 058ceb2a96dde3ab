//! Each server starts, crashes, restarts on the same port, and is ended.
#![cfg(unix)]

use std::net::TcpStream;

use leafid_servers::{Databases, Etcd, Mariadb, Postgres, Server, Zookeeper, for_test_with};

/// `nonsense` is a setting with which the server refuses to start, `says` a part of its message.
fn lives<S: Server>(settings: &[&str], nonsense: &str, says: &str) -> Option<S> {
    let mut server = for_test_with::<S>(settings)?;
    let port = server.port();
    let answers = || TcpStream::connect(("127.0.0.1", port)).is_ok();
    assert!(answers() && server.url().contains(&port.to_string()));
    for _ in 0..2 {
        server.crash();
        assert!(!answers(), "a crashed server does not answer");
        server.start_again().expect("it comes back");
        assert!(answers());
    }
    server.stop().expect("it ends in order");
    assert!(!answers());
    let said = server.start_again_with(&[nonsense]).expect_err("it is refused");
    assert!(said.replace('_', "-").contains(says), "{said}");
    server.start_again_with(&[]).expect("it comes back");
    Some(server)
}

fn keeps_databases<S: Databases>() {
    let settings = ["max_connections=20"];
    let Some(server) = lives::<S>(&settings, "no_such_setting=1", "no-such-setting") else {
        return;
    };
    let url = server.make_database("another").expect("a database");
    assert!(url.ends_with("/another"), "{url}");
    let said = server.run("another", "SELECT 1, 2; SELECT 3").expect("rows");
    assert_eq!(said, "1\t2\n3");
    server.run("another", "SELECT nonsense").expect_err("there is no such column");
    let (data, folder) = (server.data(), server.data().display().to_string());
    assert!(!processes_of(&folder).is_empty(), "the control");
    drop(server);
    // Its port is not checked: another server may have it at once.
    assert_eq!(processes_of(&folder), Vec::<u32>::new(), "a dropped server runs");
    assert!(!data.exists(), "a dropped server leaves its folder");
}

/// The processes with this folder in their arguments.
fn processes_of(folder: &str) -> Vec<u32> {
    let ids = std::fs::read_dir("/proc").expect("processes").flatten();
    let ids = ids.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    let is_of = |id: &u32| {
        let words = std::fs::read(format!("/proc/{id}/cmdline")).unwrap_or_default();
        String::from_utf8_lossy(&words).contains(folder)
    };
    ids.filter(is_of).collect()
}

/// The tests that start a database server.
mod engines {
    use super::*;

    #[test]
    fn postgres_lives() {
        keeps_databases::<Postgres>();
    }

    #[test]
    fn mariadb_lives() {
        keeps_databases::<Mariadb>();
    }

    #[test]
    fn etcd_lives() {
        lives::<Etcd>(&["max-txn-ops=100"], "no-such-setting=1", "no-such-setting");
    }

    #[test]
    fn zookeeper_lives() {
        // Without a logger it prints no reason.
        lives::<Zookeeper>(&["maxSessionTimeout=5000"], "tickTime=none", "ended with");
    }
}
