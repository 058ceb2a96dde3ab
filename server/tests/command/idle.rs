//! What a connection takes of the server's memory while nobody asks anything on it.
#![cfg(target_os = "linux")]

use std::io::{Read, Write};
use std::net::TcpStream;

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use crate::support::{LIMIT, Serving, until};

const CONNECTIONS: u64 = 2_000;
/// hyper alone keeps 16 KiB for a connection that has asked something.
const MOST_BYTES: u64 = 12 * 1_024;

#[test]
fn a_connection_that_has_asked_something_gives_back_what_that_took() {
    let folder = tempfile::tempdir().unwrap();
    let serving = Serving::start(&folder.path().join("store.db"));
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    // Of this process's limit other tests want some, too.
    let wanted = CONNECTIONS + 1_000;
    let most = maximum.map_or(wanted, |most| most.min(wanted)).max(current.unwrap_or(wanted));
    setrlimit(Resource::Nofile, Rlimit { current: Some(most), maximum }).unwrap();
    let connections = CONNECTIONS.min(most / 2);

    let ask = |stream: &mut TcpStream| {
        stream.write_all(b"GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n").unwrap();
        let mut answer = [0; 1_024];
        let read = stream.read(&mut answer).unwrap();
        assert!(answer[..read].starts_with(b"HTTP/1.1 200"));
    };
    let connect = || {
        let stream = TcpStream::connect(serving.url.strip_prefix("http://").unwrap()).unwrap();
        stream.set_read_timeout(Some(LIMIT)).unwrap();
        stream
    };
    ask(&mut connect());
    let before = resident(&serving);
    let mut idle: Vec<TcpStream> = (0..connections).map(|_| connect()).collect();
    idle.iter_mut().for_each(ask);
    let each = || resident(&serving).saturating_sub(before) / connections;
    let small = until(|| (each() <= MOST_BYTES).then_some(()));
    assert!(small.is_some(), "{} bytes for each of {connections}", each());
    println!("{} bytes for each of {connections}", each());
    idle.iter_mut().for_each(ask);
}

/// Memory of its own that a server has in use, in bytes.
fn resident(serving: &Serving) -> u64 {
    let path = format!("/proc/{}/status", serving.child.id());
    let text = std::fs::read_to_string(path).unwrap();
    let line = text.lines().find_map(|line| line.strip_prefix("RssAnon:")).unwrap();
    line.trim().strip_suffix("kB").unwrap().trim().parse::<u64>().unwrap() * 1_024
}
