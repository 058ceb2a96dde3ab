//! Leases from the server's own store: called in this process, and over HTTP.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use leafid_benches::client::Client;
use leafid_benches::server::Server;
use leafid_benches::{Outcome, side_by_side};
use leafid_core::{Name, SegmentAsk, Token};
use leafid_store::backends::opening::Options;
use leafid_store::clock::SystemClock;
use leafid_store::opening::Place;
use leafid_store::problem::Problem;
use leafid_store::registry::Registry;
use leafid_store::store::TagChange;
use leafid_stream::child::dies_with_us;
use tokio::runtime::{Builder, Runtime};

/// A store in this process, used as in the server: a task beside its callers.
pub struct Stored {
    store: Arc<Registry>,
    runtime: Runtime,
}

impl Stored {
    /// Creates it, with the tags to lease from.
    pub fn create(url: &str) -> Outcome<Stored> {
        let told = |problem: Problem| problem.to_string();
        let options = Options { create: true, ..Options::default() };
        let place = Place::parse(url).ok_or("no database's URL")?.map_err(told)?;
        // As in `leafid serve`.
        let runtime = Builder::new_multi_thread().enable_all().build();
        let runtime = runtime.map_err(|error| error.to_string())?;
        let store = place.open(Some(runtime.handle()), Arc::new(SystemClock), &options);
        let store = Arc::new(store.map_err(|unopened| told(unopened.problem))?);
        for tag in ["bare", "stored", "served"] {
            let tag = Name::tag(tag).map_err(|refusal| refusal.code.to_string())?;
            let change = TagChange { step: Some(10), ..TagChange::default() };
            runtime.block_on(store.put_tag(tag, change)).map_err(told)?;
        }
        Ok(Stored { store, runtime })
    }

    /// Leases with `callers` tasks at once, for this long; returns how many leases.
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

/// A server in a process of its own.
pub struct Served(Server);

impl Served {
    pub fn start(binary: &Path, url: &str) -> Outcome<Served> {
        let mut command = dies_with_us(binary);
        command.args(["serve", "--no-journal", "--listen", "127.0.0.1:0", "--store", url]);
        Server::start("leafid", command, "leafid: listening on ").map(Served)
    }

    /// Leases over `connections` at once, for this long; returns how many leases.
    pub fn run(&self, connections: usize, length: Duration) -> Outcome<u64> {
        let ask = || format!("{{\"request\":\"{:032x}\"}}", request());
        self.post("/v1/segments/served/lease", ask, connections, length)
    }

    /// Takes single numbers that the server has at hand: the cost of the round trip alone.
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
        let done = side_by_side(0..connections, |_| {
            let mut client = Client::connect(self.0.address)?;
            let mut done = 0;
            while Instant::now() < until {
                client.post(path, &ask())?;
                done += 1;
            }
            Ok(done)
        });
        let told = |error| format!("{error}\n{}", self.0.stderr());
        done.map(|done| done.iter().sum()).map_err(told)
    }
}

fn request() -> u128 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    u128::from(NEXT.fetch_add(1, Ordering::Relaxed))
}
