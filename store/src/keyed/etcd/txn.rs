//! Groups as transactions: each is a nested transaction with its own conditions, as many as fit in one, so
//! that groups that wait together cost one sync of etcd's log.

use std::collections::BTreeMap;

use leafid_core::Name;
use serde_json::{Value, json};

use super::gateway::{Keys, revision, texts};
use super::{Etcd, OPERATIONS};
use crate::backends::link::Broken;
use crate::keyed::engine::{Commit, Ended, Key};

pub fn put(key: &str, text: &str) -> Value {
    json!({ "request_put": { "key": texts(key), "value": texts(text) } })
}

pub fn absent(key: &str) -> Value {
    json!({ "key": texts(key), "target": "VERSION", "result": "EQUAL", "version": "0" })
}

fn delete(key: &str) -> Value {
    json!({ "request_delete_range": { "key": texts(key) } })
}

fn same(key: &str, revision: u64) -> Value {
    let revision = revision.to_string();
    json!({ "key": texts(key), "target": "MOD", "result": "EQUAL", "mod_revision": revision })
}

pub async fn commit(etcd: &mut Etcd, meta: u64, groups: &[Commit]) -> Vec<Ended> {
    let mut ended = Vec::new();
    while let Some(rest) = groups.get(ended.len()..).filter(|rest| !rest.is_empty()) {
        let some = rest.get(..fitting(rest)).unwrap_or(rest);
        match together(etcd, meta, some).await {
            Ok(done) => ended.extend(done),
            Err(broken) => {
                // The remaining groups are not sent.
                ended.resize(groups.len(), Ended::Broken(broken));
            }
        }
    }
    ended
}

/// How many of the first groups fit one transaction; at least one.
fn fitting(groups: &[Commit]) -> usize {
    let (mut widest, mut touched) = (0, BTreeMap::new());
    for (count, group) in groups.iter().enumerate() {
        touched.extend(group.buckets());
        // A condition for each key, and one for a guard.
        widest = widest.max(group.sets.len() + group.deletes.len() + group.checks.len() + 1);
        if count > 0 && count + 1 + touched.len() + widest > OPERATIONS {
            return count;
        }
    }
    groups.len()
}

async fn together(etcd: &mut Etcd, meta: u64, groups: &[Commit]) -> Result<Vec<Ended>, Broken> {
    let keys = &etcd.keys;
    let nested = groups.iter().map(|group| {
        let writes = group.sets.iter().map(|set| put(&keys.of(&set.key), &set.text));
        let deletes = group.deletes.iter().map(|(key, _)| delete(&keys.of(key)));
        let writes: Vec<Value> = writes.chain(deletes).collect();
        json!({ "request_txn": { "compare": conditions(keys, group), "success": writes } })
    });
    let touched: BTreeMap<(Name, u32), bool> = groups.iter().flat_map(Commit::buckets).collect();
    let touches = touched.keys().map(|(name, bucket)| put(&keys.touch(name, *bucket), ""));
    let success: Vec<Value> = nested.chain(touches).collect();
    let compare = [same(&keys.of(&Key::Meta), meta)];
    let answer = etcd.ask("kv/txn", &json!({ "compare": compare, "success": success })).await?;
    if answer["succeeded"] != true {
        return Ok(vec![Ended::Gone; groups.len()]);
    }
    let at = revision(&answer["header"]["revision"]);
    let at = at.ok_or_else(|| Broken::refused("an answer without a revision"))?;
    let ended = groups.iter().enumerate().map(|(index, group)| {
        if answer["responses"][index]["response_txn"]["succeeded"] != true {
            return Ended::Conflict;
        }
        // A later survey gives these rows once more.
        Ended::Done { revisions: vec![at; group.sets.len()], moved: Vec::new() }
    });
    Ok(ended.collect())
}

fn conditions(keys: &Keys, group: &Commit) -> Vec<Value> {
    let checks = group
        .checks
        .iter()
        .chain(&group.deletes)
        .map(|(key, revision)| same(&keys.of(key), *revision));
    let sets = group.sets.iter().filter(|set| set.key != Key::Beat).map(|set| match set.before {
        None => absent(&keys.of(&set.key)),
        Some(revision) => same(&keys.of(&set.key), revision),
    });
    let guard = group.guard.iter().map(|(name, mark)| {
        let mut range = keys.touches(name);
        range["target"] = json!("MOD");
        range["result"] = json!("LESS");
        range["mod_revision"] = json!((mark.count + 1).to_string());
        range
    });
    checks.chain(sets).chain(guard).collect()
}
