//! A server that is dropped, also by a panic, leaves no process and no file. Every test that uses one would
//! notice one that does not start, crash or come back.
#![cfg(unix)]

use leafid_servers::{Databases, Postgres, Server, for_test_with};

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

mod engines {
    use super::*;

    /// PostgreSQL has a process for each connection.
    #[test]
    fn a_dropped_server_leaves_nothing() {
        let Some(mut server) = for_test_with::<Postgres>(&["max_connections=20"]) else { return };
        assert_eq!(server.run("postgres", "SELECT 1, 2; SELECT 3").expect("rows"), "1\t2\n3");
        server.run("postgres", "SELECT nonsense").expect_err("there is no such column");
        server.stop().expect("it ends in order");
        let said = server.start_again_with(&["no_such_setting=1"]).expect_err("it is refused");
        assert!(said.contains("no_such_setting"), "{said}");
        server.start_again_with(&[]).expect("it comes back");
        let (data, folder) = (server.data(), server.data().display().to_string());
        assert!(!processes_of(&folder).is_empty(), "the control");
        drop(server);
        // Its port is not checked: another server may have it at once.
        assert_eq!(processes_of(&folder), Vec::<u32>::new(), "a dropped server runs");
        assert!(!data.exists(), "a dropped server leaves its folder");
    }
}
