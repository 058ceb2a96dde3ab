//! The keys of a store, and keys and values in the JSON of etcd's gateway.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use leafid_core::Name;
use serde_json::{Value, json};

use crate::backends::link::Broken;
use crate::keyed::engine::{BUCKET, Folder, Key, Stored};

#[derive(Clone, Debug)]
pub struct Keys {
    pub prefix: String,
}

impl Keys {
    pub fn of(&self, key: &Key) -> String {
        key.below(&self.prefix, |name, worker| self.worker(name, worker.into()))
    }

    /// The key of a worker number, or the end of a range: keys sort as their numbers.
    fn worker(&self, name: &Name, worker: u64) -> String {
        format!("{}/workers/{name}/{worker:010}", self.prefix)
    }

    pub fn probe(&self) -> String {
        format!("{}/probe", self.prefix)
    }

    pub fn number(&self, key: &str) -> Option<u32> {
        key.rsplit_once('/')?.1.parse().ok()
    }

    pub fn all(&self) -> (String, String) {
        (format!("{}/", self.prefix), format!("{}0", self.prefix))
    }

    /// The start and end of a folder's keys after a name.
    pub fn folder(&self, folder: Folder, after: Option<Name>) -> (String, String) {
        let folder = format!("{}/{}", self.prefix, folder.path);
        // NUL makes the next possible key.
        let start = after.map_or_else(String::new, |name| format!("{name}\0"));
        (format!("{folder}/{start}"), format!("{folder}0"))
    }

    pub fn name(&self, folder: Folder, key: &str) -> Option<Name> {
        let below = key.strip_prefix(&self.prefix)?.strip_prefix('/')?;
        (folder.name)(below.strip_prefix(folder.path)?.strip_prefix('/')?).ok()
    }

    /// The key that each write of a worker number in a bucket writes, too.
    pub fn touch(&self, name: &Name, bucket: u32) -> String {
        format!("{}/touches/{name}/{bucket:010}", self.prefix)
    }

    /// The range of a namespace's touches.
    pub fn touches(&self, name: &Name) -> Value {
        let folder = format!("{}/touches/{name}", self.prefix);
        pair(&format!("{folder}/"), &format!("{folder}0"))
    }

    /// The range of the worker numbers in a bucket.
    pub fn bucket(&self, name: &Name, bucket: u32) -> Value {
        let start = u64::from(bucket) * u64::from(BUCKET);
        pair(&self.worker(name, start), &self.worker(name, start + u64::from(BUCKET)))
    }
}

/// A range without what was not written after a revision.
pub fn since(mut range: Value, revision: u64) -> Value {
    range["min_mod_revision"] = json!((revision + 1).to_string());
    range
}

pub struct Kv {
    pub key: String,
    pub stored: Stored,
}

impl Kv {
    /// Reads a key with its value.
    pub fn read(kv: &Value) -> Result<Kv, Broken> {
        let bytes = |field: &str| STANDARD.decode(kv[field].as_str().unwrap_or_default()).ok();
        let key = bytes("key").and_then(|key| String::from_utf8(key).ok());
        match (key, bytes("value"), revision(&kv["mod_revision"])) {
            (Some(key), Some(text), Some(revision)) => {
                Ok(Kv { key, stored: Stored { text, revision } })
            }
            _ => Err(Broken::refused("etcd answered with a key that cannot be read")),
        }
    }
}

pub fn ranges(found: &Value) -> impl Iterator<Item = &Value> {
    found["kvs"].as_array().into_iter().flatten()
}

pub fn texts(text: &str) -> String {
    STANDARD.encode(text)
}

pub fn pair(start: &str, end: &str) -> Value {
    json!({ "key": texts(start), "range_end": texts(end) })
}

pub fn revision(value: &Value) -> Option<u64> {
    value.as_str()?.parse().ok()
}
