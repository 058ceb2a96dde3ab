//! A server that really listens, in this process, and a client that sends what it is told.

use std::io::{Read, Write};
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
use leafid_store::opening::open_sqlite;
use leafid_store::problem::Problem;
use serde_json::Value;
use tokio::net::TcpListener;
use tokio::sync::oneshot;

/// So long nobody waits in vain on a busy machine.
pub const LATE: Duration = Duration::from_secs(120);

/// A running server; it stops when it is dropped.
pub struct Server {
    pub address: SocketAddr,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<Result<(), Problem>>>,
    /// Where its store is, if the test named no place.
    folder: Option<tempfile::TempDir>,
}

impl Server {
    /// Starts one on an empty store of its own.
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
        let store = open_sqlite(file, Arc::clone(&config.clock), options);
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

    /// Starts one on a store of its own, with the tag `orders`, whose connections have these limits.
    pub fn limited(limits: Limits) -> Server {
        let config = Config { limits, ..Config::default() };
        let server = Server::fresh_with(Options::default(), config);
        server.put("/v1/tags/orders", "{}").ok();
        server
    }

    /// A connection on which nothing was sent yet.
    pub fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).expect("it listens");
        stream.set_read_timeout(Some(LATE)).expect("a time-out");
        stream.set_nodelay(true).expect("a socket");
        stream
    }

    /// Stops it and waits until it has given everything back.
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
        self.patient("POST", path, &[("content-type", "application/json")], body)
    }

    pub fn put(&self, path: &str, body: &str) -> Answer {
        self.patient("PUT", path, &[("content-type", "application/json")], body)
    }

    /// Leases from `orders` under request `n`, with these fields too.
    pub fn lease(&self, n: u64, more: &Value) -> Answer {
        let mut ask = more.clone();
        ask["request"] = request(n).into();
        self.post("/v1/segments/orders/lease", &ask.to_string())
    }

    /// As [`Server::send`], and again as a client does where a busy machine is too slow for the store or
    /// for the time that a request may wait.
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
        let mut text = format!("{method} {path} HTTP/1.1\r\nconnection: close\r\n");
        if !headers.iter().any(|(name, _)| *name == "host") {
            text.push_str(&format!("host: {}\r\n", self.address));
        }
        for (name, value) in headers {
            text.push_str(&format!("{name}: {value}\r\n"));
        }
        if !headers.iter().any(|(name, _)| *name == "transfer-encoding") {
            text.push_str(&format!("content-length: {}\r\n", body.len()));
        }
        self.raw(&format!("{text}\r\n{body}"))
    }

    /// The headers and the body of a GET that is answered.
    pub fn text(&self, path: &str, headers: &[(&str, &str)]) -> (String, String) {
        let mut asked = format!("GET {path} HTTP/1.1\r\nconnection: close\r\n");
        for (name, value) in headers.iter().chain(&[("host", self.address.to_string().as_str())]) {
            asked.push_str(&format!("{name}: {value}\r\n"));
        }
        let answer = self.exchange(&format!("{asked}\r\n"));
        let (headers, body) = answer.split_once("\r\n\r\n").expect("an answer has headers");
        assert!(headers.starts_with("HTTP/1.1 200"), "{answer}");
        (headers.to_lowercase(), body.to_owned())
    }

    pub fn raw(&self, request: &str) -> Answer {
        Answer::parse(&self.exchange(request))
    }

    fn exchange(&self, request: &str) -> String {
        let mut stream = self.connect();
        // A server that refuses early may close before it has read all of it.
        let _ = stream.write_all(request.as_bytes());
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        String::from_utf8(answer).expect("answers are text")
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if let Some(stop) = self.stop.take() {
            let _ = stop.send(());
        }
        // One that does not stop ends with this program, and holds up nothing but this.
        if let Some(thread) = self.thread.take().filter(ends) {
            let _ = thread.join();
        }
    }
}

/// Waits until a thread has ended, but not for ever.
fn ends(thread: &JoinHandle<Result<(), Problem>>) -> bool {
    let begun = Instant::now();
    while !thread.is_finished() && begun.elapsed() < LATE {
        std::thread::sleep(Duration::from_millis(1));
    }
    thread.is_finished()
}

/// Looks again and again until it is so, but not for ever.
#[track_caller]
pub fn until(mut is_so: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < LATE, "not so within {LATE:?}");
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// An answer, parsed.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub headers: String,
    pub json: Value,
}

impl Answer {
    pub fn parse(text: &str) -> Answer {
        let (headers, body) = text.split_once("\r\n\r\n").expect("an answer has headers");
        let status = headers.split(' ').nth(1).and_then(|status| status.parse().ok());
        Answer {
            status: status.expect("a status"),
            headers: headers.to_lowercase(),
            json: serde_json::from_str(body).unwrap_or(Value::Null),
        }
    }

    #[track_caller]
    pub fn ok(self) -> Value {
        assert_eq!(self.status, 200, "{self:?}");
        assert!(self.headers.contains("cache-control: no-store"), "{}", self.headers);
        self.json
    }

    /// The detail of a refusal, which has this status and this code.
    #[track_caller]
    pub fn refused(&self, status: u16, code: &str) -> String {
        assert_eq!((self.status, self.code()), (status, code), "{self:?}");
        self.json["detail"].as_str().expect("a detail").to_owned()
    }

    pub fn code(&self) -> &str {
        self.json["code"].as_str().unwrap_or("")
    }

    pub fn ids(self) -> Vec<u64> {
        let ids = self.ok()["ids"].take();
        ids.as_array().expect("ids").iter().map(number).collect()
    }
}

/// A decimal string of the wire.
pub fn number(value: &Value) -> u64 {
    value.as_str().and_then(|text| text.parse().ok()).unwrap_or_else(|| panic!("{value}"))
}

/// A POST as it is sent.
pub fn post_text(path: &str, body: &str) -> String {
    format!(
        "POST {path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n\
         content-length: {}\r\n\r\n{body}",
        body.len()
    )
}

/// A request id that no other call here has.
pub fn request(n: u64) -> String {
    format!("{n:032x}")
}
