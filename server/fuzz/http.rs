//! Bytes to a server that listens: whatever comes, it answers in HTTP or hangs up, says nothing of an
//! error of its own, and goes on serving.

use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use leafid_store::backends::opening::Options;
use leafid_store::clock::SystemClock;
use leafid_store::opening::open_sqlite;
use leafid_store::problem::Problem;
use tokio::net::TcpListener;
use tokio::sync::oneshot;

use super::{Fate, Target};
use crate::app::Config;
use crate::http::listener::Listener;
use crate::http::serve::{Bound, serve};

const WORDS: &[&str] = &[
    "\r\n",
    "\n",
    "\r",
    "\r\n\r\n",
    " ",
    "\t",
    ":",
    "\u{0}",
    "é",
    "GET ",
    "PUT ",
    "DELETE ",
    "POST ",
    "OPTIONS * ",
    "CONNECT a:1 ",
    "HTTP/1.0",
    "HTTP/1.1",
    "HTTP/2.0",
    "Host: localhost\r\n",
    "Host: evil.example\r\n",
    "Content-Length: 5\r\n",
    "Content-Length: 99999999999999999999\r\n",
    "Transfer-Encoding: chunked\r\n",
    "Transfer-Encoding: gzip, chunked\r\n",
    "Expect: 100-continue\r\n",
    "Upgrade: h2c\r\n",
    "Connection: close\r\n",
    "Content-Type: application/json\r\n",
    "Content-Type: text/plain\r\n",
    "Origin: http://evil.example\r\n",
    "X-Request-Id: \u{1}\r\n",
    "traceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01\r\n",
    "Authorization: Bearer x\r\n",
    "If-None-Match: *\r\n",
    "Accept: */*\r\n",
    "/v1/tags/orders",
    "/v1/decode/%00",
    "/%2e%2e/",
    "?limit=0",
    "?after=%FF",
    "?a=b&a=b",
    "//",
    "0\r\n\r\n",
    "ffffffffffffffff\r\n",
    "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    "PROXY TCP4 192.0.2.1 192.0.2.2 1 2\r\n",
    "{\"step\":0}",
    "{\"count\":10001}",
];

/// So long nobody waits in vain on a busy machine.
const LATE: Duration = Duration::from_secs(120);

struct Served {
    address: SocketAddr,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<Result<(), Problem>>>,
    /// How long it may be silent before it seems to wait for more.
    soon: Duration,
    _folder: tempfile::TempDir,
}

impl Served {
    fn start() -> Served {
        let folder = tempfile::tempdir().expect("a folder");
        let options = Options { create: true, first_use: true, ..Options::default() };
        let store = open_sqlite(&folder.path().join("store.db"), Arc::new(SystemClock), options);
        let store = Arc::new(store.expect("the store opens"));
        let (stop, stopped) = oneshot::channel::<()>();
        let (told, address) = std::sync::mpsc::channel();
        let thread = std::thread::spawn(move || {
            let runtime = tokio::runtime::Runtime::new().expect("a runtime");
            runtime.block_on(async move {
                let socket = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
                told.send(socket.local_addr().expect("an address")).expect("the test waits");
                let bound = vec![Bound::here(Listener::ONLY, socket)];
                let stopped = async {
                    let _ = stopped.await;
                };
                serve(bound, Config::default(), store, stopped).await
            })
        });
        let address = address.recv().expect("the server listens");
        let soon = Duration::from_millis(15);
        Served { address, stop: Some(stop), thread: Some(thread), soon, _folder: folder }
    }

    /// What comes back until it hangs up. It is told that nothing more comes once it seems to wait for
    /// that: one that is told at once drops what it is about to answer.
    fn exchange(&self, input: &[u8]) -> Vec<u8> {
        let mut stream = TcpStream::connect(self.address).expect("the server listens");
        stream.set_write_timeout(Some(LATE)).expect("a time-out");
        // A server that refuses early may close before it has read all of it.
        let _ = stream.set_read_timeout(Some(self.soon)).and_then(|()| stream.write_all(input));
        let (mut answer, mut part) = (Vec::new(), [0; 4_096]);
        while let Ok(length @ 1..) = stream.read(&mut part) {
            answer.extend_from_slice(&part[..length]);
        }
        let _ = stream.shutdown(Shutdown::Write);
        let _ = stream
            .set_read_timeout(Some(LATE))
            .and_then(|()| stream.read_to_end(&mut answer).map(drop));
        answer
    }

    fn is_well(&self) -> Result<(), String> {
        let asked = "GET /readyz HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n";
        let mut stream = TcpStream::connect(self.address).expect("the server listens");
        stream.set_read_timeout(Some(LATE)).expect("a time-out");
        let mut answer = Vec::new();
        let _ = stream.write_all(asked.as_bytes()).and_then(|()| stream.read_to_end(&mut answer));
        match answer.starts_with(b"HTTP/1.1 200") {
            true => Ok(()),
            false => Err(format!("it is not ready: {}", answer.escape_ascii())),
        }
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.stop.take().map(|stop| stop.send(()));
        let Some(thread) = self.thread.take() else { return };
        // One that does not stop ends with this program, and holds up nothing but this.
        let begun = Instant::now();
        while !thread.is_finished() && begun.elapsed() < LATE {
            std::thread::sleep(Duration::from_millis(1));
        }
        if thread.is_finished() {
            let _ = thread.join();
        }
    }
}

/// What was answered: nothing that is no answer, and no error of ours.
fn looked_at(answer: &[u8]) -> Result<Fate, String> {
    if !answer.starts_with(b"HTTP/1.") {
        // Frames of HTTP/2 begin with their length and kind: settings.
        let is_frames = answer.len() >= 9 && answer[3] == 4;
        return match answer.is_empty() || is_frames {
            true => Ok(Fate::Refused),
            false => Err("it is no HTTP".to_owned()),
        };
    }
    let status = answer.get(9..12).unwrap_or_default();
    match status {
        [b'2', ..] => Ok(Fate::Taken),
        b"500" => Err("an error of the server's own".to_owned()),
        [b'1' | b'4' | b'5', ..] => Ok(Fate::Refused),
        _ => Err("no such status".to_owned()),
    }
}

#[test]
fn requests() {
    let mut served = Served::start();
    let target = Target { name: "http", inputs: 400, words: WORDS };
    let mut counts = (0, 0);
    // On a busy machine a server that is silent for a moment may be about to answer.
    for ms in [15, 60, 250] {
        served.soon = Duration::from_millis(ms);
        counts = fuzzed(&served, &target);
        if Target::looks(counts.0, counts.1) {
            break;
        }
    }
    let (taken, refused) = counts;
    assert!(Target::looks(taken, refused), "http: {taken} taken, {refused} refused");
    served.is_well().expect("it serves");
}

fn fuzzed(served: &Served, target: &Target) -> (u64, u64) {
    let count = std::cell::Cell::new(0);
    target.counted(|input| {
        let answer = served.exchange(input);
        count.set(count.get() + 1);
        if count.get() % 100 == 0 {
            served.is_well()?;
        }
        let said = |why| format!("{why}: {}", answer[..answer.len().min(600)].escape_ascii());
        looked_at(&answer).map_err(said)
    })
}
