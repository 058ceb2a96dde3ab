//! Key-value stores: one value written again and again by compare-and-swap. Each connection has its own
//! key, so that none loses a race.

use std::net::SocketAddr;
use std::path::Path;
use std::time::Instant;

use leafid_benches::client::Client;
use leafid_benches::{Outcome, side_by_side};
use leafid_servers::Server;
use leafid_wire::FieldReader;
use tokio::runtime::Runtime;
use zookeeper_client::{Acls, CreateMode, Error};

use crate::sending::{Make, Work, again};
use crate::{measure, start};

/// A tag's row, as long as the server's.
const ROW: &str =
    r#"{"max_id":"9223372036854775807","step":10,"max_step":1000000,"deleted":false}"#;

/// Measures one engine; `writes` reads the count of all its writes so far.
pub fn over<S: Server>(binary: &Path, writes: fn(&str) -> Outcome<u64>, bare: Make) -> Outcome {
    let server = start::<S>()?;
    let url = server.url();
    measure(S::NAME, &url, binary, bare, || writes(&url))
}

fn host(url: &str) -> Outcome<SocketAddr> {
    let host = url.split('/').nth(2).unwrap_or_default();
    host.parse().map_err(|_| format!("`{url}` has no address"))
}

/// Puts a key through etcd's gateway if it is still at the last revision.
pub fn swaps(url: &str, connections: usize) -> Outcome<Work<'static>> {
    let host = host(url)?;
    let connect = |number: usize| {
        let mut client = Client::connect(host)?;
        client.post("/v3/kv/put", &format!(r#"{{"key":"{}"}}"#, base64(&key(number))))?;
        let at = revision(&client)?;
        Ok((client, at))
    };
    let mut clients = (0..connections).map(connect).collect::<Outcome<Vec<_>>>()?;
    Ok(Box::new(move |many, length| {
        let until = Instant::now() + length;
        let done =
            side_by_side(clients.iter_mut().enumerate().take(many), |(number, (client, at))| {
                let mut done = 0;
                while Instant::now() < until {
                    client.post("/v3/kv/txn", &swap(&key(number), *at))?;
                    *at = revision(client)?;
                    done += 1;
                }
                Ok(done)
            })?;
        Ok(done.iter().sum())
    }))
}

pub fn revisions(url: &str) -> Outcome<u64> {
    let mut client = Client::connect(host(url)?)?;
    client.post("/v3/kv/range", r#"{"key":"YQ==","count_only":true}"#)?;
    revision(&client)
}

fn revision(client: &Client) -> Outcome<u64> {
    let told = client.answer(|from| from.nested("header", |from| from.big("revision")))?;
    told.flatten().ok_or_else(|| "etcd told no revision".to_owned())
}

fn key(number: usize) -> String {
    format!("bare{number}")
}

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

/// A connection to ZooKeeper, its node, and the node's version if known.
type Node = (zookeeper_client::Client, String, Option<i32>);

/// Writes nodes of ZooKeeper, each if it still has the last version.
pub fn nodes(url: &str, connections: usize) -> Outcome<Work<'static>> {
    let (runtime, mut clients) = connected(url, connections)?;
    Ok(Box::new(move |many, length| {
        clients.iter_mut().for_each(|(.., version)| *version = None);
        again(&runtime, clients.iter_mut().take(many), length, async |node| {
            let (client, path, at) = &mut **node;
            // Another client may have written it since the last round.
            let version = match *at {
                Some(version) => version,
                None => client.check_stat(path).await?.map_or(0, |stat| stat.version),
            };
            *at = Some(client.set_data(path, ROW.as_bytes(), Some(version)).await?.version);
            Ok::<(), Error>(())
        })
    }))
}

/// Counts all of ZooKeeper's writes so far.
pub fn transactions(url: &str) -> Outcome<u64> {
    let (runtime, host) = (driven()?, host(url)?.to_string());
    let ask = async {
        let client = zookeeper_client::Client::connect(&host).await?;
        // Writes a probe, whose answer contains the count of writes.
        client.set_data("/leafid/probe", b"", None).await
    };
    let stat = runtime.block_on(ask).map_err(|error| error.to_string())?;
    // The upper half is the epoch.
    Ok(stat.mzxid.unsigned_abs() & 0xffff_ffff)
}

fn connected(url: &str, connections: usize) -> Outcome<(Runtime, Vec<Node>)> {
    let (runtime, host) = (driven()?, host(url)?.to_string());
    let connect = async {
        let mut clients = Vec::new();
        let mode = CreateMode::Persistent.with_acls(Acls::anyone_all());
        for number in 0..connections {
            let (client, path) =
                (zookeeper_client::Client::connect(&host).await?, format!("/bare{number}"));
            match client.create(&path, ROW.as_bytes(), &mode).await {
                Ok(_) | Err(Error::NodeExists) => clients.push((client, path, None)),
                Err(error) => return Err(error),
            }
        }
        Ok::<_, Error>(clients)
    };
    let clients = runtime.block_on(connect).map_err(|error| error.to_string())?;
    Ok((runtime, clients))
}

/// A runtime on its own thread, which sends a session's pings between the rounds, too: else it expires.
fn driven() -> Outcome<Runtime> {
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
    runtime.map_err(|error| error.to_string())
}
