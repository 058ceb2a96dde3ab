//! The floor of key-value stores: one value written under one key, again and again, whatever it was.

use std::net::SocketAddr;
use std::path::Path;
use std::time::{Duration, Instant};

use leafid_core::FieldReader;
use leafid_servers::Server;
use tokio::runtime::Runtime;
use zookeeper_client::{Acls, CreateMode, Error};

use crate::bare::{Bare, runtime};
use crate::client::Client;
use crate::{Outcome, measure, start};

/// A tag's row: as long as the server's.
const ROW: &str =
    r#"{"max_id":"9223372036854775807","step":10,"max_step":1000000,"deleted":false}"#;

/// A connection that writes, and counts what was written.
pub trait Counts: Bare {
    /// The count of all that the engine ever wrote.
    fn writes(url: &str) -> Outcome<u64>;
}

/// Measures a key-value store.
pub fn over<S: Server, B: Counts>(binary: &Path) -> Outcome {
    let server = start::<S>()?;
    let url = server.url();
    measure::<B>(S::NAME, &url, binary, || B::writes(&url))
}

/// Where it listens.
fn host(url: &str) -> Outcome<SocketAddr> {
    let host = url.split('/').nth(2).unwrap_or_default();
    host.parse().map_err(|_| format!("`{url}` has no address"))
}

/// etcd's gateway.
pub struct Gateway {
    clients: Vec<Client>,
}

impl Bare for Gateway {
    fn prepare(url: &str, connections: usize) -> Outcome<Gateway> {
        let host = host(url)?;
        let clients = (0..connections).map(|_| Client::connect(host)).collect::<Outcome<_>>()?;
        Ok(Gateway { clients })
    }

    fn run(&mut self, connections: usize, length: Duration) -> Outcome<u64> {
        let until = Instant::now() + length;
        let body = put(ROW);
        let work = |client: &mut Client| {
            let mut done = 0;
            while Instant::now() < until {
                client.post("/v3/kv/put", &body)?;
                done += 1;
            }
            Ok::<u64, String>(done)
        };
        std::thread::scope(|scope| {
            let clients = self.clients.iter_mut().take(connections);
            let started: Vec<_> = clients.map(|client| scope.spawn(|| work(client))).collect();
            let ended = started.into_iter().map(|thread| {
                thread.join().unwrap_or_else(|_| Err("a client panicked".to_owned()))
            });
            ended.sum()
        })
    }
}

impl Counts for Gateway {
    fn writes(url: &str) -> Outcome<u64> {
        let mut client = Client::connect(host(url)?)?;
        client.post("/v3/kv/range", r#"{"key":"YQ==","count_only":true}"#)?;
        let revision = client.answer(|from| from.nested("header", |from| from.big("revision")));
        revision?.flatten().ok_or_else(|| "etcd told no revision".to_owned())
    }
}

fn put(value: &str) -> String {
    use base64::Engine as _;
    let value = base64::engine::general_purpose::STANDARD.encode(value);
    // The key is `bare`.
    format!(r#"{{"key":"YmFyZQ==","value":"{value}"}}"#)
}

/// Nodes of ZooKeeper.
pub struct Nodes {
    runtime: Runtime,
    clients: Vec<zookeeper_client::Client>,
}

const NODE: &str = "/bare";

impl Bare for Nodes {
    fn prepare(url: &str, connections: usize) -> Outcome<Nodes> {
        let (runtime, host) = (runtime()?, host(url)?.to_string());
        let connect = async {
            let mut clients = Vec::new();
            for _ in 0..connections {
                clients.push(zookeeper_client::Client::connect(&host).await?);
            }
            let mode = CreateMode::Persistent.with_acls(Acls::anyone_all());
            if let Some(client) = clients.first() {
                match client.create(NODE, b"", &mode).await {
                    Ok(_) | Err(Error::NodeExists) => {}
                    Err(error) => return Err(error),
                }
            }
            Ok::<_, Error>(clients)
        };
        let clients = runtime.block_on(connect).map_err(|error| error.to_string())?;
        Ok(Nodes { runtime, clients })
    }

    fn run(&mut self, connections: usize, length: Duration) -> Outcome<u64> {
        let until = Instant::now() + length;
        let works = self.clients.iter().take(connections).map(async |client| {
            let mut done = 0;
            while Instant::now() < until {
                client.set_data(NODE, ROW.as_bytes(), None).await?;
                done += 1;
            }
            Ok::<u64, Error>(done)
        });
        let done = self.runtime.block_on(futures_util::future::try_join_all(works));
        done.map(|done| done.iter().sum()).map_err(|error| error.to_string())
    }
}

impl Counts for Nodes {
    fn writes(url: &str) -> Outcome<u64> {
        let (runtime, host) = (runtime()?, host(url)?.to_string());
        let ask = async {
            let client = zookeeper_client::Client::connect(&host).await?;
            client.set_data(NODE, b"", None).await
        };
        let stat = runtime.block_on(ask).map_err(|error| error.to_string())?;
        // The epoch stands above.
        Ok(stat.mzxid.unsigned_abs() & 0xffff_ffff)
    }
}
