//! Leases by the server's own store: called in this process, and over HTTP.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use leafid_core::{Name, SegmentAsk, Token};
use leafid_store::backends::clock::Source;
use leafid_store::backends::opening::Options;
use leafid_store::backends::opening::Terms;
use leafid_store::clock::SystemClock;
use leafid_store::opening::database::Database;
use leafid_store::problem::Problem;
use leafid_store::registry::Registry;
use leafid_store::store::{Store, TagChange};
use leafid_stream::child::{Child, dies_with_us};
use tokio::runtime::{Builder, Runtime};

use crate::Outcome;
use crate::client::Client;

/// A store in this process, used as the server uses it: a task beside those that ask.
pub struct Stored {
    store: Arc<Registry>,
    runtime: Runtime,
}

impl Stored {
    /// Makes it, with the tags that are leased from.
    pub fn create(url: &str) -> Outcome<Stored> {
        let told = |problem: Problem| problem.to_string();
        let options = Options { create: true, ..Options::default() };
        let terms = Terms { options, allow_unsafe: false, source: Source::Database };
        let database = Database::parse(url).ok_or("no database's URL")?.map_err(told)?;
        // As `leafid serve` makes its own.
        let runtime = Builder::new_multi_thread().enable_all().build();
        let runtime = runtime.map_err(|error| error.to_string())?;
        let store = database.open(Some(runtime.handle()), Arc::new(SystemClock), &terms);
        let store = Arc::new(store.map_err(|unopened| told(unopened.problem))?);
        for tag in ["bare", "stored", "served"] {
            let tag = Name::tag(tag).map_err(|refusal| refusal.code.to_string())?;
            let change = TagChange { step: Some(10), ..TagChange::default() };
            runtime.block_on(store.put_tag(tag, change)).map_err(told)?;
        }
        Ok(Stored { store, runtime })
    }

    /// Leases by so many callers at once for so long; how many leases there were.
    pub fn run(&self, callers: usize, length: Duration) -> Outcome<u64> {
        let until = Instant::now() + length;
        let tag = Name::tag("stored").map_err(|refusal| refusal.code.to_string())?;
        let works = (0..callers).map(|_| {
            let store = Arc::clone(&self.store);
            self.runtime.spawn(async move {
                let mut done = 0;
                while Instant::now() < until {
                    let request = Token::new(request().to_be_bytes());
                    let ask = SegmentAsk::new(tag, request);
                    store.lease_segment(ask).await.map_err(|problem| problem.to_string())?;
                    done += 1;
                }
                Ok::<u64, String>(done)
            })
        });
        let works: Vec<_> = works.collect();
        let done = self.runtime.block_on(futures_util::future::join_all(works));
        let done = done.into_iter().map(|done| done.unwrap_or_else(|dead| Err(dead.to_string())));
        done.sum()
    }
}

/// A server of its own.
pub struct Served {
    child: Child,
    address: std::net::SocketAddr,
}

impl Served {
    /// Starts it on the database.
    pub fn start(binary: &Path, url: &str) -> Outcome<Served> {
        let mut command = dies_with_us(binary);
        command.args(["serve", "--no-journal", "--listen", "127.0.0.1:0", "--store", url]);
        let (send, heard) = std::sync::mpsc::channel();
        let child = Child::start("leafid", command, move |line| drop(send.send(line)));
        let child = child.map_err(|error| format!("`{}`: {error}", binary.display()))?;
        while let Ok(Some(line)) = heard.recv_timeout(Duration::from_secs(10)) {
            if let Some(address) = line.strip_prefix("leafid: listening on http://") {
                let address = address.parse().map_err(|_| format!("it said `{line}`"))?;
                return Ok(Served { child, address });
            }
        }
        Err(format!("it does not listen: {}", child.stderr()))
    }

    /// Leases by so many connections at once for so long; how many leases there were.
    pub fn run(&self, connections: usize, length: Duration) -> Outcome<u64> {
        let ask = || format!("{{\"request\":\"{:032x}\"}}", request());
        self.post("/v1/segments/served/lease", ask, connections, length)
    }

    /// Takes single numbers, which the server has at hand: what is left is the way there and back.
    pub fn take(&self, connections: usize, length: Duration) -> Outcome<u64> {
        let ask = || "{\"count\":1}".to_owned();
        self.post("/v1/segments/served/ids", ask, connections, length)
    }

    fn post(
        &self,
        path: &str,
        ask: impl Fn() -> String + Sync,
        connections: usize,
        length: Duration,
    ) -> Outcome<u64> {
        let until = Instant::now() + length;
        let work = || {
            let mut client = Client::connect(self.address)?;
            let mut done = 0;
            while Instant::now() < until {
                client.post(path, &ask())?;
                done += 1;
            }
            Ok::<u64, String>(done)
        };
        std::thread::scope(|scope| {
            let started: Vec<_> = (0..connections).map(|_| scope.spawn(work)).collect();
            let ended = started.into_iter().map(|thread| {
                thread.join().unwrap_or_else(|_| Err("a client panicked".to_owned()))
            });
            ended.sum::<Outcome<u64>>().map_err(|error| format!("{error}\n{}", self.child.stderr()))
        })
    }
}

/// An id that this run has not used.
fn request() -> u128 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    u128::from(NEXT.fetch_add(1, Ordering::Relaxed))
}
