//! Groups as multis: each is atomic, and all are sent before the first is answered.

use std::collections::BTreeSet;

use futures_util::future::join_all;
use leafid_core::{Name, StoreTime, Token};

use super::address::{Paths, bucket, counted, version};
use super::record::{Error, Failed, Multi, Rights, Stat};
use super::{Zookeeper, mark, unwritten};
use crate::backends::link::Broken;
use crate::keyed::engine::{Commit, Ended, Identity, Key, Set};

/// To ZooKeeper, any version of a node.
const ANY: i32 = -1;
/// The version before that one.
const LAST: i32 = -2;

#[derive(Clone, Copy)]
enum Part {
    Set,
    Touch(Name),
    Other,
}

struct Parts<'z> {
    multi: Multi,
    parts: Vec<Part>,
    paths: &'z Paths,
    rights: Rights,
}

impl<'z> Parts<'z> {
    fn new(zookeeper: &'z Zookeeper) -> Parts<'z> {
        let (paths, rights) = (&zookeeper.paths, zookeeper.rights);
        Parts { multi: Multi::default(), parts: Vec::new(), paths, rights }
    }

    fn check(&mut self, path: &str, revision: u64) {
        self.parts.push(Part::Other);
        self.multi.check(path, version(revision));
    }

    fn create(&mut self, path: &str, data: &str, part: Part) {
        self.parts.push(part);
        self.multi.create(path, data, self.rights);
    }

    fn set(&mut self, path: &str, data: &str, before: Option<i32>, part: Part) {
        let mut before = before;
        if before == Some(LAST) {
            // Sets twice, to skip the version that means any.
            self.parts.push(Part::Other);
            self.multi.set(path, data, before.take());
        }
        self.parts.push(part);
        self.multi.set(path, data, before);
    }

    /// Adds the parts of a group; `made` are the buckets that exist before it, and then those after it.
    fn group(
        &mut self,
        store: Identity,
        group: &Commit,
        made: &mut BTreeSet<(Name, u32)>,
        beat: Option<&str>,
    ) {
        let paths = self.paths;
        self.check(&paths.mark(store.store), 0);
        for (key, revision) in &group.checks {
            self.check(&paths.of(key), *revision);
        }
        if let Some((name, mark)) = &group.guard {
            let before = version(mark.count.wrapping_sub(1));
            // A check of -1 would always pass; this one never does, until another write.
            let before = if before == ANY { LAST } else { before };
            self.check(&paths.touch(name), counted(before));
        }
        let buckets: BTreeSet<(Name, u32)> = buckets(group).collect();
        for (name, of) in &buckets {
            let path = paths.bucket(name, *of);
            if made.insert((*name, *of)) {
                self.create(&path, "", Part::Other);
            } else {
                self.set(&path, "", None, Part::Other);
            }
        }
        let names: BTreeSet<Name> = buckets.into_iter().map(|(name, _)| name).collect();
        for name in names {
            self.set(&paths.touch(&name), "", None, Part::Touch(name));
        }
        for set in &group.sets {
            self.key(set);
        }
        if let Some(beat) = beat {
            self.set(&paths.of(&Key::Beat), beat, None, Part::Other);
        }
    }

    fn key(&mut self, set: &Set) {
        let path = self.paths.of(&set.key);
        let Some(revision) = set.before else {
            self.create(&path, &set.text, Part::Set);
            if let Key::Space(name) = set.key {
                self.create(&self.paths.touch(&name), "", Part::Other);
            }
            return;
        };
        self.set(&path, &set.text, Some(version(revision)), Part::Set);
    }
}

fn buckets(group: &Commit) -> impl Iterator<Item = (Name, u32)> {
    group.sets.iter().filter_map(|set| match set.key {
        Key::Worker(name, worker) => Some((name, bucket(worker))),
        _ => None,
    })
}

pub async fn make(
    zookeeper: &Zookeeper,
    store: Token,
    meta: &str,
    (name, text): (Name, &str),
) -> Result<bool, Broken> {
    let mut parts = Parts::new(zookeeper);
    let paths = &zookeeper.paths;
    parts.key(&Set { key: Key::Space(name), before: None, text: text.to_owned() });
    parts.create(&paths.mark(store), "", Part::Other);
    parts.create(&paths.of(&Key::Beat), r#"{"beat_ms":0}"#, Part::Other);
    parts.create(&paths.of(&Key::Meta), meta, Part::Other);
    match zookeeper.session.write(parts.multi).await {
        Ok(_) => Ok(true),
        Err(Failed::Part(_, Error::NodeExists)) => Ok(false),
        Err(Failed::Part(_, error) | Failed::Whole(error)) => Err(unwritten(error)),
    }
}

pub async fn commit(
    zookeeper: &mut Zookeeper,
    store: Identity,
    groups: &[Commit],
    beat: Option<&str>,
) -> Vec<Ended> {
    let noting = groups.iter().position(|group| group.sets.is_empty()).unwrap_or(0);
    let mut made = zookeeper.buckets.clone();
    // All are sent now, and carried out in this order.
    let sent = groups.iter().enumerate().map(|(index, group)| {
        let mut parts = Parts::new(zookeeper);
        parts.group(store, group, &mut made, beat.filter(|_| index == noting));
        let (parts, answer) = (parts.parts, zookeeper.session.write(parts.multi));
        async move { (parts, answer.await) }
    });
    let answers = join_all(sent.collect::<Vec<_>>()).await;
    let mut all = Vec::new();
    for (group, (parts, answer)) in groups.iter().zip(answers) {
        all.push(match answer {
            Ok(results) => {
                if let Some(stat) = results.iter().flatten().last() {
                    zookeeper.told = Some(StoreTime::new(stat.mtime));
                    zookeeper.saw(stat);
                }
                zookeeper.buckets.extend(buckets(group));
                done(group, &parts, &results)
            }
            Err(Failed::Part(0, Error::BadVersion | Error::NoNode)) => Ended::Gone,
            Err(Failed::Part(_, Error::BadVersion | Error::NoNode | Error::NodeExists)) => {
                Ended::Conflict
            }
            Err(Failed::Part(_, error) | Failed::Whole(error)) => Ended::Broken(unwritten(error)),
        });
    }
    all
}

fn done(group: &Commit, parts: &[Part], results: &[Option<Stat>]) -> Ended {
    let (mut revisions, mut moved) = (Vec::new(), Vec::new());
    for (part, result) in parts.iter().zip(results) {
        match (part, result) {
            // A created node has version 0.
            (Part::Set, stat) => revisions.push(stat.map_or(0, |stat| counted(stat.version))),
            (Part::Touch(name), Some(stat)) => moved.push((*name, mark(stat))),
            _ => {}
        }
    }
    if revisions.len() != group.sets.len() {
        let detail = "ZooKeeper answered other parts of a multi than were asked";
        return Ended::Broken(Broken::lost(detail));
    }
    Ended::Done { revisions, moved }
}
