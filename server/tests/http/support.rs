//! A server on a real port, in this process, and a client that sends any bytes.

use std::io::{BufReader, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use leafid_server::app::Config;
use leafid_server::http::deadlines::Limits;
use leafid_server::http::listener::Listener;
use leafid_server::http::serve::{Bound, serve};
use leafid_store::backends::opening::Options;
use leafid_store::clock::SystemClock;
use leafid_store::opening::open_sqlite;
use leafid_store::problem::Problem;
use serde_json::Value;
use tokio::net::TcpListener;
use tokio::sync::oneshot;

#[path = "answer.rs"]
mod answer;

pub use answer::*;

pub const LATE: Duration = Duration::from_secs(120);

pub const JSON: (&str, &str) = ("content-type", "application/json");

pub struct Server {
    pub address: SocketAddr,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<Result<(), Problem>>>,
    folder: Option<tempfile::TempDir>,
}

impl Server {
    pub fn fresh() -> Server {
        Server::fresh_with(Options::default(), Config::default())
    }

    pub fn fresh_with(options: Options, config: Config) -> Server {
        let folder = tempfile::tempdir().expect("a folder");
        let mut server = Server::start_with(&folder.path().join("store.db"), options, config);
        server.folder = Some(folder);
        server
    }

    pub fn start(file: &Path) -> Server {
        Server::start_with(file, Options::default(), Config::default())
    }

    pub fn start_with(file: &Path, options: Options, config: Config) -> Server {
        let options = Options { create: true, ..options };
        let store = open_sqlite(file, Arc::new(SystemClock), &options);
        let store = Arc::new(store.expect("the store opens"));
        let (stop, stopped) = oneshot::channel::<()>();
        let (told, address) = std::sync::mpsc::channel();
        let thread = std::thread::spawn(move || {
            let runtime = tokio::runtime::Runtime::new().expect("a runtime");
            runtime.block_on(async move {
                let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
                told.send(listener.local_addr().expect("an address")).expect("the test waits");
                let bound = vec![Bound::here(Listener::ONLY, listener)];
                serve(bound, config, store, async {
                    let _ = stopped.await;
                })
                .await
            })
        });
        let address = address.recv().expect("the server listens");
        Server { address, stop: Some(stop), thread: Some(thread), folder: None }
    }

    /// Starts a server with these limits of connections, on its own store with the tag `orders`.
    pub fn limited(limits: Limits) -> Server {
        let config = Config { limits, ..Config::default() };
        let server = Server::fresh_with(Options::default(), config);
        server.put("/v1/tags/orders", "{}").ok();
        server
    }

    pub fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).expect("it listens");
        stream.set_read_timeout(Some(LATE)).expect("a time-out");
        stream.set_nodelay(true).expect("a socket");
        stream
    }

    pub fn stop(mut self) -> Result<(), Problem> {
        self.stop.take().expect("stopped once").send(()).expect("the server runs");
        let thread = self.thread.take().expect("stopped once");
        assert!(ends(&thread), "the server does not stop within {LATE:?}");
        thread.join().expect("the server does not panic")
    }

    pub fn get(&self, path: &str) -> Answer {
        self.patient("GET", path, &[], "")
    }

    pub fn post(&self, path: &str, body: &str) -> Answer {
        self.patient("POST", path, &[JSON], body)
    }

    pub fn put(&self, path: &str, body: &str) -> Answer {
        self.patient("PUT", path, &[JSON], body)
    }

    pub fn lease(&self, n: u64, more: &Value) -> Answer {
        let mut ask = more.clone();
        ask["request"] = request(n).into();
        self.post("/v1/segments/orders/lease", &ask.to_string())
    }

    /// As [`Server::send`], but repeats the request as a client does, where a busy machine makes the store or
    /// the request time out.
    pub fn patient(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &str,
    ) -> Answer {
        let begun = Instant::now();
        loop {
            let answer = self.send(method, path, headers, body);
            let late = ["STORE_UNAVAILABLE", "OVERLOADED", "SEGMENT_DRY", "WINDOW_SPENT"];
            if !late.contains(&answer.code()) || begun.elapsed() > LATE {
                return answer;
            }
        }
    }

    pub fn send(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Answer {
        let close = [&[("connection", "close")], headers].concat();
        self.raw(&message(&format!("{method} {path}"), &close, body))
    }

    pub fn raw(&self, request: &str) -> Answer {
        let mut stream = self.connect();
        // A server that refuses early may close before it has read everything.
        let _ = stream.write_all(request.as_bytes());
        Answer::read(&mut BufReader::new(stream)).expect("an answer")
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if let Some(stop) = self.stop.take() {
            let _ = stop.send(());
        }
        // A thread that does not stop ends with this program.
        if let Some(thread) = self.thread.take().filter(ends) {
            let _ = thread.join();
        }
    }
}

fn ends(thread: &JoinHandle<Result<(), Problem>>) -> bool {
    let begun = Instant::now();
    while !thread.is_finished() && begun.elapsed() < LATE {
        std::thread::sleep(Duration::from_millis(1));
    }
    thread.is_finished()
}

#[track_caller]
pub fn until(mut is_so: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < LATE, "not so within {LATE:?}");
        std::thread::sleep(Duration::from_millis(1));
    }
}

pub fn request(n: u64) -> String {
    format!("{n:032x}")
}
