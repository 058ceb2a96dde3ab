//! Hundreds of holders start at once on a namespace in which every number has a row.

use std::collections::HashSet;
use std::io::{BufReader, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::sync::Barrier;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use crate::support::{Answer, JSON, Server, message, request};
use serde_json::{Value, json};

const ROWS: u32 = 65_536;
const HOLDERS: usize = 600;
/// How long a holder waits for an answer; then it asks again with the same request id.
const PATIENCE: Duration = Duration::from_secs(3);
const MOST: Duration = Duration::from_secs(240);

fn all_used(file: &Path) -> Server {
    let server = Server::start(file);
    server.put("/v1/tags/orders", "{}").ok();
    let range = |end: u32| json!({ "layout": "edge", "workers": { "start": 0, "end": end } });
    server.put("/v1/namespaces/edge", &range(1).to_string()).ok();
    let fill = format!(
        "WITH RECURSIVE number (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM number
             WHERE n + 1 < {ROWS})
         INSERT INTO workers (namespace, worker, owner, sticky, key, held_from,
             reserved_until, granted_ms)
         SELECT 'edge', n, 'owner-' || n, 0, randomblob(16), n, n + 1000, n FROM number"
    );
    rusqlite::Connection::open(file).unwrap().execute_batch(&fill).unwrap();
    server.put("/v1/namespaces/edge", &range(ROWS).to_string()).ok();
    server
}

/// Raises the limit of file descriptors: both ends of every connection are in this process.
fn allow_descriptors() {
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    let wanted = maximum.map_or(4_096, |most| most.min(4_096));
    if current.is_some_and(|allowed| allowed < wanted) {
        setrlimit(Resource::Nofile, Rlimit { current: Some(wanted), maximum }).unwrap();
    }
}

fn ask(address: SocketAddr, path: &str, body: &Value) -> Option<Answer> {
    let close = [JSON, ("connection", "close")];
    let text = message(&format!("POST {path}"), &close, &body.to_string());
    let mut stream = TcpStream::connect_timeout(&address, PATIENCE).ok()?;
    stream.write_all(text.as_bytes()).ok()?;
    stream.set_read_timeout(Some(PATIENCE)).ok()?;
    Answer::read(&mut BufReader::new(stream)).ok()
}

#[test]
fn six_hundred_holders_start_at_once_and_segments_go_on() {
    allow_descriptors();
    let folder = tempfile::tempdir().unwrap();
    let server = all_used(&folder.path().join("store.db"));
    let address = server.address;
    let (starting, served) = (Barrier::new(HOLDERS + 1), AtomicUsize::new(0));
    let (given_up, began) = (AtomicUsize::new(0), Instant::now());
    let holder = |n: usize| -> Option<u64> {
        starting.wait();
        let body = json!({ "request": request(n as u64), "owner": "holder" });
        while began.elapsed() < MOST {
            match ask(address, "/v1/workers/edge/acquire", &body) {
                Some(answer) if answer.status == 200 => {
                    served.fetch_add(1, Ordering::SeqCst);
                    return answer.json["worker"].as_u64();
                }
                _ => given_up.fetch_add(1, Ordering::SeqCst),
            };
        }
        None
    };
    let (workers, leases) = std::thread::scope(|scope| {
        let holders: Vec<_> = (0..HOLDERS)
            .map(|n| {
                let small = std::thread::Builder::new().stack_size(256 << 10);
                small.spawn_scoped(scope, move || holder(n)).unwrap()
            })
            .collect();
        starting.wait();
        // Another holder leases segments during the start; on a busy machine it may have to ask again,
        // as holders do.
        let mut leases = Vec::new();
        while served.load(Ordering::SeqCst) < HOLDERS && began.elapsed() < MOST {
            let body = json!({ "request": request(1_000_000 + leases.len() as u64) });
            let answer = ask(address, "/v1/segments/orders/lease", &body);
            leases.extend(answer.map(|answer| answer.status).filter(|status| *status != 503));
        }
        let workers: Vec<_> = holders.into_iter().map(|holder| holder.join().unwrap()).collect();
        (workers, leases)
    });
    let given: HashSet<u64> = workers.into_iter().flatten().collect();
    let lost = leases.iter().filter(|status| **status != 200).count();
    println!(
        "{} of {HOLDERS} holders have a number after {:?}, {given_up:?} asks were given up; {} leases \
         of a segment meanwhile, {lost} of them lost",
        given.len(),
        began.elapsed(),
        leases.len(),
    );
    assert_eq!((given.len(), lost), (HOLDERS, 0));
    assert!(!leases.is_empty(), "no segment was asked for");
}
