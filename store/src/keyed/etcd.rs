//! etcd, by its JSON gateway: rows are values of keys under a prefix, and every write is a transaction
//! that compares the revisions of the keys that it was decided on.

mod address;
mod gateway;
mod http;
mod settings;
mod txn;

use leafid_core::{Name, StoreTime, Token};
use serde_json::{Value, json};

use super::engine::{Commit, Ended, Engine, Folder, Identity, Key, Mark, Stored, Written, oldest};
use crate::backends::Abilities;
use crate::backends::far::Client;
use crate::backends::link::Broken;

pub use address::Address;
use gateway::{Keys, Kv, pair, ranges, revision, since, texts};
use http::Http;

const OPERATIONS: usize = 128;

/// A connection to etcd.
pub struct Etcd {
    http: Http,
    keys: Keys,
    revision: u64,
}

impl Etcd {
    async fn ask(&mut self, verb: &str, body: &Value) -> Result<Value, Broken> {
        let answer = self.http.post(verb, body).await?;
        if let Some(revision) = revision(&answer["header"]["revision"]) {
            self.revision = self.revision.max(revision);
        }
        Ok(answer)
    }

    async fn read(&mut self, ranges: &[Value]) -> Result<(Vec<Value>, u64), Broken> {
        let success: Vec<Value> =
            ranges.iter().map(|range| json!({ "request_range": range })).collect();
        let mut answer = self.ask("kv/txn", &json!({ "success": success })).await?;
        let at = revision(&answer["header"]["revision"]);
        let at = at.ok_or_else(|| Broken::refused("an answer without a revision"))?;
        let Value::Array(found) = answer["responses"].take() else {
            return Err(Broken::refused("an answer without responses"));
        };
        Ok((found.into_iter().map(|mut found| found["response_range"].take()).collect(), at))
    }

    /// Reads the worker numbers that were written since a mark, in the buckets whose touches were found in an
    /// answer of the revision `at`.
    async fn written(
        &mut self,
        name: &Name,
        mark: Mark,
        touched: &Value,
        at: u64,
    ) -> Result<Written, Broken> {
        let mut news = Vec::new();
        for kv in ranges(touched) {
            let Kv { key, stored } = Kv::read(kv)?;
            news.extend(self.keys.number(&key).map(|bucket| (stored.revision, bucket)));
        }
        let cut = oldest(&mut news);
        // Buckets that are left may have numbers that were written before the cut.
        let read = cut.map_or(Mark { count: at, at }, |at| Mark { at, ..mark });
        let mut rows = Vec::new();
        if !news.is_empty() {
            let bucket =
                |(_, bucket): &(u64, u32)| since(self.keys.bucket(name, *bucket), mark.count);
            let buckets: Vec<Value> = news.iter().map(bucket).collect();
            for kv in self.read(&buckets).await?.0.iter().flat_map(ranges) {
                let Kv { key, stored } = Kv::read(kv)?;
                rows.extend(self.keys.number(&key).map(|worker| (worker, stored)));
            }
        }
        Ok(Written { rows, mark: read, more: cut.is_some() })
    }
}

impl Client for Etcd {
    type Address = Address;
    const NAME: &'static str = "etcd";

    async fn connect(address: &Address) -> Result<Etcd, Broken> {
        let http = Http::connect(address).await?;
        Ok(Etcd { http, keys: Keys { prefix: address.at.path.clone() }, revision: 0 })
    }

    async fn examine(&mut self, _: &str, allow_unsafe: bool) -> Result<(), Broken> {
        settings::examine(self, allow_unsafe).await
    }

    fn is_lost(&self) -> bool {
        self.http.is_lost()
    }
}

impl Engine for Etcd {
    // Chosen so that all fit one transaction, with two rows and two buckets each.
    const ABILITIES: Abilities = Abilities {
        at_once: 16,
        wide: 24,
        whole: 100,
        counts_revisions: true,
        ..Abilities::REMOTE
    };

    fn told(&mut self) -> Option<StoreTime> {
        // etcd has no clock that clients could read.
        None
    }

    async fn occupied(&mut self) -> Result<bool, Broken> {
        let (start, end) = self.keys.all();
        let mut range = pair(&start, &end);
        range["limit"] = json!("2");
        range["keys_only"] = json!(true);
        let (found, _) = self.read(&[range]).await?;
        let mut keys = Vec::new();
        for kv in found.iter().flat_map(ranges) {
            keys.push(Kv::read(kv)?.key);
        }
        // The key that examining wrote does not count.
        Ok(keys.iter().any(|key| *key != self.keys.probe()))
    }

    async fn make(
        &mut self,
        _: Token,
        meta: &str,
        namespace: (Name, &str),
    ) -> Result<bool, Broken> {
        let (space, text) = namespace;
        let (key, space) = (self.keys.of(&Key::Meta), self.keys.of(&Key::Space(space)));
        let body = json!({
            "compare": [txn::absent(&key), txn::absent(&space)],
            "success": [txn::put(&space, text), txn::put(&key, meta)],
        });
        let answer = self.ask("kv/txn", &body).await?;
        Ok(answer["succeeded"] == true)
    }

    async fn survey(
        &mut self,
        keys: &[Key],
        spaces: &[(Name, Mark)],
    ) -> Result<(Vec<Option<Stored>>, Vec<Written>), Broken> {
        let keyed = keys.iter().map(|key| json!({ "key": texts(&self.keys.of(key)) }));
        let touches = spaces.iter().map(|(name, mark)| {
            let mut range = since(self.keys.touches(name), mark.at);
            range["keys_only"] = json!(true);
            range
        });
        let all: Vec<Value> = keyed.chain(touches).collect();
        let (mut values, mut touched) = (Vec::new(), Vec::new());
        for some in all.chunks(OPERATIONS) {
            let (found, at) = self.read(some).await?;
            for found in found {
                if values.len() < keys.len() {
                    values
                        .push(ranges(&found).next().map(Kv::read).transpose()?.map(|kv| kv.stored));
                } else {
                    touched.push((found, at));
                }
            }
        }
        let mut written = Vec::new();
        for ((name, mark), (found, at)) in spaces.iter().zip(touched) {
            written.push(self.written(name, *mark, &found, at).await?);
        }
        Ok((values, written))
    }

    async fn list(
        &mut self,
        folder: Folder,
        after: Option<Name>,
        limit: usize,
    ) -> Result<Vec<(Name, Stored)>, Broken> {
        let (start, end) = self.keys.folder(folder, after);
        let mut range = pair(&start, &end);
        range["limit"] = json!(limit.to_string());
        let (found, _) = self.read(&[range]).await?;
        let mut rows = Vec::new();
        for kv in found.iter().flat_map(ranges) {
            let Kv { key, stored } = Kv::read(kv)?;
            match self.keys.name(folder, &key) {
                Some(name) => rows.push((name, stored)),
                None => {
                    let detail = format!("`{key}` was not written by leafid: remove the key");
                    return Err(Broken::refused(detail));
                }
            }
        }
        Ok(rows)
    }

    async fn commit(&mut self, store: Identity, groups: &[Commit]) -> Vec<Ended> {
        // Revisions never repeat, so the one of `meta` identifies the store even if its key was made again.
        txn::commit(self, store.meta, groups).await
    }

    fn place(&self, key: &Key) -> String {
        self.keys.of(key)
    }
}
