//! Groups as transactions: each is a nested transaction with its own conditions, as many as fit in one, so
//! that groups that wait together cost one sync of etcd's log.

use std::collections::BTreeMap;

use leafid_core::Name;
use serde_json::{Value, json};

use super::gateway::{Keys, number, pair, revision, texts};
use super::{Etcd, OPERATIONS};
use crate::backends::link::Broken;
use crate::keyed::engine::{Commit, Ended, Engine, Key, Touched};

pub fn put(key: &str, text: &str) -> Value {
    json!({ "request_put": { "key": texts(key), "value": texts(text) } })
}

pub fn absent(key: &str) -> Value {
    json!({ "key": texts(key), "target": "VERSION", "result": "EQUAL", "version": "0" })
}

fn same(key: &str, revision: u64) -> Value {
    let revision = revision.to_string();
    json!({ "key": texts(key), "target": "MOD", "result": "EQUAL", "mod_revision": revision })
}

pub async fn commit(
    etcd: &mut Etcd,
    meta: u64,
    groups: &[Commit],
    beat: Option<&str>,
) -> Vec<Ended> {
    let mut ended = Vec::new();
    let mut beat = beat;
    while let Some(rest) = groups.get(ended.len()..).filter(|rest| !rest.is_empty()) {
        let some = rest.get(..fitting(rest)).unwrap_or(rest);
        match together(etcd, meta, some, beat.take()).await {
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
    let (mut touches, mut widest) = (BTreeMap::new(), 0);
    for (count, group) in groups.iter().enumerate() {
        touches.extend(group.touches.iter().map(|touch| ((touch.namespace, touch.bucket), ())));
        // A condition for each key, and at most three more.
        widest = widest.max(group.sets.len() + group.checks.len() + 3);
        if count > 0 && count + 1 + touches.len() + 1 + widest > OPERATIONS {
            return count;
        }
    }
    groups.len()
}

async fn together(
    etcd: &mut Etcd,
    meta: u64,
    groups: &[Commit],
    beat: Option<&str>,
) -> Result<Vec<Ended>, Broken> {
    let keys = &etcd.keys;
    let within: Vec<(Vec<Value>, Vec<Value>)> =
        groups.iter().map(|group| (conditions(keys, group), writes(keys, group))).collect();
    let mut touched: Vec<(Name, u32)> =
        groups.iter().flat_map(|group| &group.touches).map(|t| (t.namespace, t.bucket)).collect();
    touched.sort_unstable();
    touched.dedup();
    let touches = touched.iter().map(|(name, bucket)| {
        let key = texts(&keys.touch(name, *bucket));
        json!({ "request_put": { "key": key, "prev_kv": true } })
    });
    let beat = beat.map(|text| put(&keys.of(&Key::Beat), text));
    let key = keys.of(&Key::Meta);
    let alone = groups.len() == 1;
    let mut compare = vec![same(&key, meta)];
    let mut success = Vec::new();
    for (conditions, writes) in within {
        if alone {
            compare.extend(conditions);
            success.extend(writes);
        } else {
            let group = json!({ "compare": conditions, "success": writes });
            success.push(json!({ "request_txn": group }));
        }
    }
    let first_touch = success.len();
    success.extend(touches);
    success.extend(beat);
    let body = json!({ "compare": compare, "success": success });
    let answer = etcd.ask("kv/txn", &body).await?;
    let responses = &answer["responses"];
    if answer["succeeded"] != true {
        // Finds out which condition failed: the store's own, or a group's.
        let (found, _) = etcd.survey(&[Key::Meta], &[]).await?;
        let still = found.iter().flatten().any(|found| found.revision == meta);
        return Ok(vec![if still { Ended::Conflict } else { Ended::Gone }; groups.len()]);
    }
    let at = revision(&answer["header"]["revision"]);
    let at = at.ok_or_else(|| Broken::refused("an answer without a revision"))?;
    let mut marks = Some(marks(responses, first_touch, &touched, at));
    let ended = groups.iter().enumerate().map(|(index, group)| {
        if !alone && responses[index]["response_txn"]["succeeded"] != true {
            return Ended::Conflict;
        }
        let revisions = vec![at; group.sets.len()];
        Ended::Done { revisions, touched: marks.take().unwrap_or_default() }
    });
    Ok(ended.collect())
}

fn marks(responses: &Value, first: usize, touched: &[(Name, u32)], at: u64) -> Vec<Touched> {
    let mark = |(index, (namespace, bucket)): (usize, &(Name, u32))| {
        let before = &responses[first + index]["response_put"]["prev_kv"]["mod_revision"];
        Touched { namespace: *namespace, bucket: Some(*bucket), before: number(before), after: at }
    };
    touched.iter().enumerate().map(mark).collect()
}

fn conditions(keys: &Keys, group: &Commit) -> Vec<Value> {
    let checks = group.checks.iter().map(|(key, revision)| same(&keys.of(key), *revision));
    let sets = group.sets.iter().map(|set| match set.before {
        None => absent(&keys.of(&set.key)),
        Some(revision) => same(&keys.of(&set.key), revision),
    });
    let mut all: Vec<Value> = checks.chain(sets).collect();
    if let Some((name, guard, numbers)) = &group.guard {
        let ranges = numbers.iter().map(|range| Some((range.start, range.end)));
        let ranges: Vec<_> = ranges.collect();
        for numbers in if ranges.is_empty() { &[None][..] } else { &ranges[..] } {
            let (start, end) = keys.workers(name, *numbers);
            let mut range = pair(&start, &end);
            range["target"] = json!("MOD");
            range["result"] = json!("LESS");
            range["mod_revision"] = json!((guard.root + 1).to_string());
            all.push(range);
        }
    }
    all
}

fn writes(keys: &Keys, group: &Commit) -> Vec<Value> {
    group.sets.iter().map(|set| put(&keys.of(&set.key), &set.text)).collect()
}
