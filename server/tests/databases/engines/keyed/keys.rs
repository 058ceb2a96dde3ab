//! Edits a store's keys past the server.

use std::time::Duration;

use leafid_core::Name;
use leafid_servers::{Etcd, Server, Zookeeper};
use serde_json::{Value, json};
use zookeeper_client::{Acls, Client, CreateMode};

use crate::support::agent;

pub trait Keys: Server {
    /// Writes these keys below the store's path, also over existing ones.
    fn put(&self, keys: &[(String, String)]);
    fn wipe(&self);
    fn worker(namespace: Name, worker: u32) -> String;
    /// The keys beside the rows in a bucket of worker numbers.
    fn bucket(namespace: Name, bucket: u32) -> Vec<String>;
}

impl Keys for Etcd {
    fn put(&self, keys: &[(String, String)]) {
        for some in keys.chunks(100) {
            let put = |(key, text): &(String, String)| {
                let key = base64(&format!("/leafid/{key}"));
                json!({ "request_put": { "key": key, "value": base64(text) } })
            };
            let success: Vec<Value> = some.iter().map(put).collect();
            ask(self, "kv/txn", &json!({ "success": success }));
        }
    }

    fn wipe(&self) {
        let (start, end) = (base64("/leafid/"), base64("/leafid0"));
        ask(self, "kv/deleterange", &json!({ "key": start, "range_end": end }));
    }

    fn worker(namespace: Name, worker: u32) -> String {
        format!("workers/{namespace}/{worker:010}")
    }

    fn bucket(namespace: Name, bucket: u32) -> Vec<String> {
        vec![format!("touches/{namespace}/{bucket:010}")]
    }
}

pub fn ask(server: &Etcd, verb: &str, body: &Value) -> Value {
    ask_with(server, "", verb, body)
}

pub fn ask_with(server: &Etcd, token: &str, verb: &str, body: &Value) -> Value {
    let request = agent().post(format!("http://127.0.0.1:{}/v3/{verb}", server.port()));
    let request = match token {
        "" => request,
        token => request.header("authorization", token),
    };
    let sent = request.header("content-type", "application/json").send(body.to_string());
    let mut answer = sent.unwrap_or_else(|error| panic!("{verb}: {error}"));
    let text = answer.body_mut().read_to_string().expect("an answer");
    assert_eq!(answer.status(), 200, "{verb}: {text}");
    serde_json::from_str(&text).expect("JSON")
}

fn base64(text: &str) -> String {
    use base64::Engine as _;
    base64::engine::general_purpose::STANDARD.encode(text)
}

impl Keys for Zookeeper {
    fn put(&self, keys: &[(String, String)]) {
        by_hand(self, async |client| {
            let mode = CreateMode::Persistent.with_acls(Acls::anyone_all());
            match client.mkdir("/leafid", &mode).await {
                Ok(()) | Err(zookeeper_client::Error::NodeExists) => {}
                Err(error) => panic!("{error}"),
            }
            for some in keys.chunks(500) {
                let all = some.iter().map(async |(key, text)| {
                    let path = format!("/leafid/{key}");
                    match client.create(&path, text.as_bytes(), &mode).await {
                        Err(zookeeper_client::Error::NodeExists) => {
                            client.set_data(&path, text.as_bytes(), None).await.map(drop)
                        }
                        made => made.map(drop),
                    }
                });
                for done in futures_util::future::join_all(all).await {
                    done.expect("it is written");
                }
            }
        });
    }

    fn wipe(&self) {
        by_hand(self, async |client| {
            let mut folders = vec!["/leafid".to_owned()];
            let mut at = 0;
            while let Some(folder) = folders.get(at).cloned() {
                for child in client.list_children(&folder).await.expect("children") {
                    folders.push(format!("{folder}/{child}"));
                }
                at += 1;
            }
            for path in folders.iter().rev() {
                client.delete(path, None).await.expect("it goes");
            }
        });
    }

    fn worker(namespace: Name, worker: u32) -> String {
        format!("namespaces/{namespace}/b{}/{worker}", worker / 256)
    }

    fn bucket(namespace: Name, bucket: u32) -> Vec<String> {
        let folder = format!("namespaces/{namespace}/b{bucket}");
        vec![folder, format!("namespaces/{namespace}/touched")]
    }
}

pub fn by_hand(server: &Zookeeper, run: impl AsyncFnOnce(&Client)) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.expect("a runtime").block_on(async {
        let client = Client::connector()
            .with_session_timeout(SESSION)
            .connect(&format!("127.0.0.1:{}", server.port()))
            .await;
        run(&client.expect("a connection")).await;
    });
}

/// The session's time-out, long enough for a busy machine.
pub const SESSION: Duration = Duration::from_secs(120);
