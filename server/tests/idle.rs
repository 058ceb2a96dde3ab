//! What a connection takes of the server's memory while nobody asks anything on it. It is a program of
//! its own: the memory is that of the process.
#![cfg(target_os = "linux")]

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use leafid_server::app::Config;
use leafid_server::backends::opening::Options;
use leafid_server::http::life::Limits;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

#[expect(dead_code, reason = "other tests use more of it")]
#[path = "http/support.rs"]
mod support;

use support::{LATE, Server};

const CONNECTIONS: u64 = 2_000;
/// hyper alone keeps 16 KiB for a connection that has asked something.
const MOST_BYTES: u64 = 10 * 1_024;

#[test]
fn a_connection_that_has_asked_something_gives_back_what_that_took() {
    // Both ends of every connection are open in this process.
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    let wanted = 2 * CONNECTIONS + 500;
    let most = maximum.map_or(wanted, |most| most.min(wanted)).max(current.unwrap_or(wanted));
    setrlimit(Resource::Nofile, Rlimit { current: Some(most), maximum }).unwrap();
    let connections = CONNECTIONS.min((most - 400) / 2);

    // They rest at once: what many have at the same time, the allocator would keep for the next who ask.
    let limits = Limits { rest: Duration::from_millis(1), ..Limits::default() };
    let config = Config { limits, ..Config::default() };
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start_with(&folder.path().join("store.db"), Options::default(), config);
    let connect = || {
        let stream = TcpStream::connect(server.address).unwrap();
        stream.set_read_timeout(Some(LATE)).unwrap();
        stream
    };
    ask(&mut connect());
    let before = resident();
    let mut idle: Vec<TcpStream> = (0..connections).map(|_| connect()).collect();
    idle.iter_mut().for_each(ask);
    let each = || resident().saturating_sub(before) / connections;
    let begun = Instant::now();
    while each() > MOST_BYTES && begun.elapsed() < LATE {
        std::thread::sleep(Duration::from_millis(10));
    }
    println!("{} bytes for each of {connections}", each());
    assert!(each() <= MOST_BYTES, "{} bytes for each of {connections}", each());
    idle.iter_mut().for_each(ask);
    drop(idle);
    server.stop().unwrap();
}

fn ask(stream: &mut TcpStream) {
    stream.write_all(b"GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n").unwrap();
    let mut answer = [0; 1_024];
    let read = stream.read(&mut answer).unwrap();
    assert!(answer[..read].starts_with(b"HTTP/1.1 200"));
}

/// Memory of its own that this process has in use, in bytes.
fn resident() -> u64 {
    let text = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = text.lines().find_map(|line| line.strip_prefix("RssAnon:")).unwrap();
    line.trim().strip_suffix("kB").unwrap().trim().parse::<u64>().unwrap() * 1_024
}
