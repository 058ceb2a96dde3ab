//! The floor of key-value stores: one value written again and again, if it is as it was written last.
//! Each connection has a key of its own, so that none loses a race.

use std::net::SocketAddr;
use std::path::Path;
use std::time::{Duration, Instant};

use leafid_core::FieldReader;
use leafid_servers::Server;
use tokio::runtime::Runtime;
use zookeeper_client::{Acls, CreateMode, Error, MultiWriteResult};

use crate::bare::Bare;
use crate::client::Client;
use crate::sending::Sends;
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

/// etcd's gateway: connections, and the last revision of the key of each.
pub struct Gateway {
    clients: Vec<(Client, u64)>,
}

impl Bare for Gateway {
    fn prepare(url: &str, connections: usize) -> Outcome<Gateway> {
        let host = host(url)?;
        let mut clients = Vec::new();
        for number in 0..connections {
            let mut client = Client::connect(host)?;
            client.post("/v3/kv/put", &format!(r#"{{"key":"{}"}}"#, base64(&key(number))))?;
            let at = revision(&client)?;
            clients.push((client, at));
        }
        Ok(Gateway { clients })
    }

    fn run(&mut self, connections: usize, length: Duration) -> Outcome<u64> {
        let until = Instant::now() + length;
        let work = |(number, (client, at)): (usize, &mut (Client, u64))| {
            let mut done = 0;
            while Instant::now() < until {
                client.post("/v3/kv/txn", &swap(&key(number), *at))?;
                *at = revision(client)?;
                done += 1;
            }
            Ok::<u64, String>(done)
        };
        std::thread::scope(|scope| {
            let clients = self.clients.iter_mut().enumerate().take(connections);
            let started: Vec<_> = clients.map(|client| scope.spawn(move || work(client))).collect();
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
        revision(&client)
    }
}

/// The revision of etcd that the last answer told.
fn revision(client: &Client) -> Outcome<u64> {
    let told = client.answer(|from| from.nested("header", |from| from.big("revision")))?;
    told.flatten().ok_or_else(|| "etcd told no revision".to_owned())
}

fn key(number: usize) -> String {
    format!("bare{number}")
}

/// Writes a key, if it is as a revision left it.
fn swap(key: &str, at: u64) -> String {
    let (key, value) = (base64(key), base64(ROW));
    format!(
        r#"{{"compare":[{{"key":"{key}","target":"MOD","result":"EQUAL","mod_revision":"{at}"}}],
            "success":[{{"request_put":{{"key":"{key}","value":"{value}"}}}}]}}"#
    )
}

fn base64(text: &str) -> String {
    use base64::Engine as _;
    base64::engine::general_purpose::STANDARD.encode(text)
}

/// Nodes of ZooKeeper: connections, and the version of the node of each.
pub struct Nodes {
    runtime: Runtime,
    clients: Vec<(zookeeper_client::Client, i32)>,
}

/// Sessions end where nobody drives them: a thread does, between the rounds too.
fn driven() -> Outcome<Runtime> {
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
    runtime.map_err(|error| error.to_string())
}

impl Bare for Nodes {
    fn prepare(url: &str, connections: usize) -> Outcome<Nodes> {
        let (runtime, host) = (driven()?, host(url)?.to_string());
        let connect = async {
            let mut clients = Vec::new();
            let mode = CreateMode::Persistent.with_acls(Acls::anyone_all());
            for number in 0..connections {
                let client = zookeeper_client::Client::connect(&host).await?;
                match client.create(&node(number), ROW.as_bytes(), &mode).await {
                    Ok(_) => clients.push((client, 0)),
                    Err(Error::NodeExists) => {
                        let version = client.get_data(&node(number)).await?.1.version;
                        clients.push((client, version));
                    }
                    Err(error) => return Err(error),
                }
            }
            Ok::<_, Error>(clients)
        };
        let clients = runtime.block_on(connect).map_err(|error| error.to_string())?;
        Ok(Nodes { runtime, clients })
    }

    fn also(url: &str, connections: usize) -> Outcome<Option<(&'static str, Box<dyn Sends>)>> {
        let nodes = Nodes::prepare(url, connections)?;
        Ok(Some(("the same in a `multi`, behind a check", Box::new(Multis(nodes)))))
    }

    fn run(&mut self, connections: usize, length: Duration) -> Outcome<u64> {
        let until = Instant::now() + length;
        let clients = self.clients.iter_mut().enumerate().take(connections);
        let works = clients.map(async |(number, (client, version))| {
            let mut done = 0;
            // Others have written it meanwhile.
            *version = client.check_stat(&node(number)).await?.map_or(0, |stat| stat.version);
            while Instant::now() < until {
                let set = client.set_data(&node(number), ROW.as_bytes(), Some(*version));
                *version = set.await?.version;
                done += 1;
            }
            Ok::<u64, Error>(done)
        });
        let done = self.runtime.block_on(futures_util::future::try_join_all(works));
        done.map(|done| done.iter().sum()).map_err(|error| error.to_string())
    }
}

/// As the server writes: another node has to be there too, which is checked and stays.
struct Multis(Nodes);

impl Sends for Multis {
    fn run(&mut self, connections: usize, length: Duration) -> Outcome<u64> {
        let until = Instant::now() + length;
        let clients = self.0.clients.iter().enumerate().take(connections);
        let works = clients.map(async |(number, (client, _))| {
            let told = |error: Error| error.to_string();
            let path = node(number);
            // Others have written it meanwhile.
            let mut version =
                client.check_stat(&path).await.map_err(told)?.map(|stat| stat.version);
            let mut done = 0;
            while Instant::now() < until {
                let mut multi = client.new_multi_writer();
                multi.add_check_version("/", 0).map_err(told)?;
                multi.add_set_data(&path, ROW.as_bytes(), version).map_err(told)?;
                let results = multi.commit().await.map_err(|error| error.to_string())?;
                version = results.iter().find_map(|result| match result {
                    MultiWriteResult::SetData { stat } => Some(stat.version),
                    _ => None,
                });
                done += 1;
            }
            Ok::<u64, String>(done)
        });
        let done = self.0.runtime.block_on(futures_util::future::try_join_all(works));
        done.map(|done| done.iter().sum())
    }
}

impl Counts for Nodes {
    fn writes(url: &str) -> Outcome<u64> {
        let (runtime, host) = (driven()?, host(url)?.to_string());
        let ask = async {
            let client = zookeeper_client::Client::connect(&host).await?;
            // Whatever it is set to, the answer counts what was written before it.
            client.set_data("/leafid/probe", b"", None).await
        };
        let stat = runtime.block_on(ask).map_err(|error| error.to_string())?;
        // The epoch stands above.
        Ok(stat.mzxid.unsigned_abs() & 0xffff_ffff)
    }
}

fn node(number: usize) -> String {
    format!("/bare{number}")
}
