//! Clients that lease and draw numbers and hold windows over HTTP, record what they get, and look for
//! numbers that were granted twice.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, RwLock};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::ranges::overlaps;
use crate::restored::request;
use crate::support::number;

pub const CLIENTS: usize = 16;
/// How long a test waits for the load to go on; longer than a client waits for an answer.
const PATIENCE: Duration = Duration::from_secs(120);

type Range = (u64, u64);
type Given = BTreeMap<String, Vec<Range>>;

pub struct Load {
    shared: Arc<Shared>,
    clients: Vec<std::thread::JoinHandle<Given>>,
}

#[derive(Default)]
struct Shared {
    servers: RwLock<Vec<String>>,
    /// How many tags are used.
    tags: AtomicUsize,
    stop: AtomicBool,
    granted: AtomicUsize,
    failed: AtomicUsize,
    /// The last refusal.
    refused: Mutex<String>,
}

/// Stops the clients of a failed test, so that they do not disturb the next ones.
impl Drop for Load {
    fn drop(&mut self) {
        self.shared.stop.store(true, Ordering::SeqCst);
    }
}

#[derive(Debug)]
pub struct Verdict {
    pub granted: usize,
    pub failed: usize,
    pub overlaps: usize,
    pub lines: usize,
}

impl Load {
    /// Starts the clients; each uses all of these servers and of the first tags in turn.
    pub fn begin(servers: Vec<String>, tags: usize) -> Load {
        let (servers, tags) = (RwLock::new(servers), AtomicUsize::new(tags));
        let shared = Arc::new(Shared { servers, tags, ..Shared::default() });
        let clients = (0..CLIENTS).map(|number| {
            let mut client = Client::new(number, Arc::clone(&shared));
            std::thread::spawn(move || {
                let mut round = 0;
                while !client.shared.stop.load(Ordering::Relaxed) {
                    // A quarter of the clients hold worker numbers.
                    if number.is_multiple_of(4) {
                        client.window()
                    } else {
                        client.numbers(round)
                    }
                    round += 1;
                }
                client.given
            })
        });
        let clients = clients.collect();
        Load { shared, clients }
    }

    pub fn replace(&self, at: usize, server: &str) {
        server.clone_into(&mut self.shared.servers.write().expect("nobody panicked")[at]);
    }

    /// Uses one tag more.
    pub fn widen(&self) {
        self.shared.tags.fetch_add(1, Ordering::SeqCst);
    }

    pub fn granted(&self) -> usize {
        self.shared.granted.load(Ordering::SeqCst)
    }

    pub fn goes_on(&self, more: usize) {
        let (goal, deadline) = (self.granted() + more, Instant::now() + PATIENCE);
        while self.granted() < goal {
            assert!(
                Instant::now() < deadline,
                "nothing is granted any more: {}",
                self.shared.refused.lock().expect("nobody panicked")
            );
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    pub fn end(mut self) -> Verdict {
        self.shared.stop.store(true, Ordering::SeqCst);
        let mut all = Given::new();
        for client in self.clients.drain(..) {
            for (line, ranges) in client.join().expect("no client panicked") {
                all.entry(line).or_default().extend(ranges);
            }
        }
        let count = |counter: &AtomicUsize| counter.load(Ordering::SeqCst);
        let (granted, failed) = (count(&self.shared.granted), count(&self.shared.failed));
        let lines = all.len();
        let overlaps = all.into_values().map(overlaps).sum();
        Verdict { granted, failed, overlaps, lines }
    }
}

struct Client {
    number: usize,
    shared: Arc<Shared>,
    agent: ureq::Agent,
    asks: usize,
    given: Given,
    held: Option<Held>,
}

/// The last grant of a worker number, and how often it was renewed.
struct Held {
    grant: Value,
    key: String,
    renewed: u32,
}

impl Client {
    fn new(number: usize, shared: Arc<Shared>) -> Client {
        let agent = ureq::Agent::config_builder()
            .http_status_as_error(false)
            .timeout_global(Some(Duration::from_secs(30)))
            .proxy(None)
            .build()
            .new_agent();
        Client { number, shared, agent, asks: number, given: Given::new(), held: None }
    }

    fn ask(&mut self, path: &str, body: &Value) -> Option<Value> {
        self.asks += 1;
        let server = {
            let servers = self.shared.servers.read().expect("nobody panicked");
            servers[self.asks % servers.len()].clone()
        };
        let request = self.agent.post(format!("{server}{path}"));
        let sent = request.header("content-type", "application/json").send(body.to_string());
        let grant = sent.ok().and_then(|mut answer| {
            let body = answer.body_mut().read_to_string().ok()?;
            assert_ne!(answer.status(), 400, "{path} is asked wrongly: {body}");
            // A server's own generator refuses what its store grants.
            assert!(!body.contains("GRANT_INVALID"), "{path}: {body}");
            if answer.status() != 200 {
                *self.shared.refused.lock().expect("nobody panicked") = body;
                return None;
            }
            Some(serde_json::from_str(&body).expect("JSON"))
        });
        let counter = if grant.is_some() { &self.shared.granted } else { &self.shared.failed };
        counter.fetch_add(1, Ordering::SeqCst);
        if grant.is_none() {
            // A server that is down refuses at once: leave the processor to others.
            std::thread::sleep(Duration::from_millis(5));
        }
        grant
    }

    fn note(&mut self, line: String, start: u64, end: u64) {
        if start < end {
            self.given.entry(line).or_default().push((start, end));
        }
    }

    /// Leases a range, or draws from the range that a server leased for itself.
    fn numbers(&mut self, round: usize) {
        let tag = format!("tag{}", round % self.shared.tags.load(Ordering::Relaxed));
        let path = format!("/v1/segments/{tag}");
        if round.is_multiple_of(4) {
            let drawn = self.ask(&format!("{path}/ids"), &json!({ "count": 5 }));
            for id in drawn.iter().flat_map(|drawn| drawn["ids"].as_array()).flatten() {
                self.note(tag.clone(), number(id), number(id) + 1);
            }
        } else if let Some(grant) =
            self.ask(&format!("{path}/lease"), &json!({ "request": request() }))
        {
            self.note(tag, number(&grant["start"]), number(&grant["end"]));
        }
    }

    fn window(&mut self) {
        let Some(Held { grant, key, renewed }) = self.held.take() else {
            let (key, owner) = (request(), format!("client-{}", self.number));
            let body = json!({ "request": key, "owner": owner, "length_ms": 1_000 });
            let grant = self.ask("/v1/workers/default/acquire", &body);
            return self.holds(grant, key, 0);
        };
        let mut body = json!({ "store": grant["store"], "worker": grant["worker"], "key": key });
        if renewed == 3 {
            body["unused_from"] = grant["end"].clone();
            self.ask("/v1/workers/default/release", &body);
            return;
        }
        body["request"] = request().into();
        body["have_until"] = grant["end"].clone();
        let grant = self.ask("/v1/workers/default/renew", &body);
        self.holds(grant, key, renewed + 1);
    }

    fn holds(&mut self, grant: Option<Value>, key: String, renewed: u32) {
        let Some(grant) = grant else { return };
        let line = format!("worker{}", grant["worker"]);
        self.note(line, number(&grant["start"]), number(&grant["end"]));
        self.held = Some(Held { grant, key, renewed });
    }
}
