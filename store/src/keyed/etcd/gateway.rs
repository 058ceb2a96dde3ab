//! The keys of a store, and keys and values in the JSON of etcd's gateway.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use leafid_core::Name;
use serde_json::{Value, json};

use crate::backends::link::Broken;
use crate::keyed::engine::{Folder, Key, Mark, Stored, Written};

/// The most worker numbers that are read at once, to keep each read short; a transaction writes fewer.
const PAGE: usize = 2_048;

#[derive(Clone, Debug)]
pub struct Keys {
    pub prefix: String,
}

impl Keys {
    pub fn of(&self, key: &Key) -> String {
        // Keys sort as their numbers.
        key.below(&self.prefix, |name, n| format!("{}/workers/{name}/{n:010}", self.prefix))
    }

    pub fn probe(&self) -> String {
        format!("{}/probe", self.prefix)
    }

    fn number(&self, key: &str) -> Option<u32> {
        key.rsplit_once('/')?.1.parse().ok()
    }

    pub fn all(&self) -> (String, String) {
        (format!("{}/", self.prefix), format!("{}0", self.prefix))
    }

    /// The start and end of a folder's keys after a name.
    pub fn folder(&self, folder: Folder, after: Option<Name>) -> (String, String) {
        let folder = format!("{}/{}", self.prefix, folder.path());
        // NUL makes the next possible key.
        let start = after.map_or_else(String::new, |name| format!("{name}\0"));
        (format!("{folder}/{start}"), format!("{folder}0"))
    }

    pub fn name(&self, folder: Folder, key: &str) -> Option<Name> {
        let below = key.strip_prefix(&self.prefix)?.strip_prefix('/')?;
        folder.name(below.strip_prefix(folder.path())?.strip_prefix('/')?)
    }

    /// The range of a namespace's worker numbers.
    pub fn workers(&self, name: &Name) -> Value {
        let folder = format!("{}/workers/{name}", self.prefix);
        pair(&format!("{folder}/"), &format!("{folder}0"))
    }

    /// The first of a namespace's worker numbers that were written after a revision, in the order of the writes.
    pub fn written(&self, name: &Name, after: u64) -> Value {
        let mut range = self.workers(name);
        range["min_mod_revision"] = json!((after + 1).to_string());
        range["sort_order"] = json!("ASCEND");
        range["sort_target"] = json!("MOD");
        range["limit"] = json!(PAGE.to_string());
        range
    }

    /// Reads what was found by [`written`](Keys::written) in an answer of this revision.
    pub fn rows(&self, found: &Value, at: u64) -> Result<Written, Broken> {
        let more = found["more"] == true;
        let (mut rows, mut at) = (Vec::new(), at);
        for kv in ranges(found) {
            let Kv { key, stored } = Kv::read(kv)?;
            if more {
                // The rest of this transaction may be on the next page.
                at = stored.revision - 1;
            }
            if let Some(worker) = self.number(&key) {
                rows.push((worker, stored));
            }
        }
        Ok(Written { rows, mark: Mark { count: at, at }, more })
    }
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
