//! Groups as multis: each is atomic, and all are sent before the first is answered.

use std::collections::BTreeSet;

use futures_util::future::join_all;
use leafid_core::{Name, StoreTime, Token};

use super::address::{counted, version};
use super::record::{ANY, Error, Failed, Multi, Stat};
use super::{Zookeeper, mark, unwritten};
use crate::backends::link::Broken;
use crate::keyed::engine::{Commit, Ended, Identity, Key, SERVERS, SPACES, Set, TAGS};
use crate::keyed::text;

/// The version before the one that means any.
const LAST: i32 = -2;

#[derive(Clone, Copy)]
enum Part {
    Set,
    Bucket(Name, u32),
    Touch(Name),
    Other,
}

struct Parts<'z> {
    multi: Multi,
    parts: Vec<Part>,
    zookeeper: &'z Zookeeper,
}

impl<'z> Parts<'z> {
    fn new(zookeeper: &'z Zookeeper) -> Parts<'z> {
        Parts { multi: Multi::default(), parts: Vec::new(), zookeeper }
    }

    fn check(&mut self, path: &str, revision: u64) {
        self.parts.push(Part::Other);
        self.multi.check(path, version(revision));
    }

    fn create(&mut self, path: &str, data: &str, part: Part) {
        self.parts.push(part);
        self.multi.create(path, data, self.zookeeper.rights);
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

    /// Adds the parts of a group; `made` are the buckets that earlier groups make, and this one.
    fn group(&mut self, store: Identity, group: &Commit, made: &mut BTreeSet<(Name, u32)>) {
        let Zookeeper { paths, buckets: known, .. } = self.zookeeper;
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
        let buckets = group.buckets();
        for (place @ (name, of), exists) in &buckets {
            let path = paths.bucket(name, *of);
            if *exists || known.contains(place) || !made.insert(*place) {
                self.set(&path, "", None, Part::Other);
            } else {
                self.create(&path, "", Part::Bucket(*name, *of));
            }
        }
        let names: BTreeSet<Name> = buckets.into_keys().map(|(name, _)| name).collect();
        for name in names {
            self.set(&paths.touch(&name), "", None, Part::Touch(name));
        }
        for set in &group.sets {
            self.key(set);
        }
        for (key, revision) in &group.deletes {
            let path = paths.of(key);
            self.check(&path, *revision);
            self.parts.push(Part::Other);
            self.multi.delete(&path);
        }
    }

    fn key(&mut self, set: &Set) {
        let path = self.zookeeper.paths.of(&set.key);
        if set.key == Key::Beat {
            return self.set(&path, &set.text, None, Part::Set);
        }
        let Some(revision) = set.before else {
            self.create(&path, &set.text, Part::Set);
            if let Key::Space(name) = set.key {
                self.create(&self.zookeeper.paths.touch(&name), "", Part::Other);
            }
            return;
        };
        self.set(&path, &set.text, Some(version(revision)), Part::Set);
    }
}

pub async fn make(
    zookeeper: &Zookeeper,
    store: Token,
    meta: &str,
    (name, text): (Name, &str),
) -> Result<bool, Broken> {
    let mut parts = Parts::new(zookeeper);
    let paths = &zookeeper.paths;
    for folder in [SERVERS, TAGS, SPACES] {
        parts.create(&paths.folder(folder), "", Part::Other);
    }
    parts.key(&Set { key: Key::Space(name), before: None, text: text.to_owned() });
    parts.create(&paths.mark(store), "", Part::Other);
    let beat = text::beat(StoreTime::new(0));
    parts.create(&paths.of(&Key::Beat), &beat, Part::Other);
    parts.create(&paths.of(&Key::Meta), meta, Part::Other);
    match zookeeper.session.write(parts.multi).await {
        Ok(_) => Ok(true),
        Err(Failed { part: Some(_), error: Error::NodeExists }) => Ok(false),
        Err(failed) => Err(unwritten(failed.error)),
    }
}

pub async fn commit(zookeeper: &mut Zookeeper, store: Identity, groups: &[Commit]) -> Vec<Ended> {
    let mut made = BTreeSet::new();
    // All are sent now, and carried out in this order.
    let sent = groups.iter().map(|group| {
        let mut parts = Parts::new(zookeeper);
        parts.group(store, group, &mut made);
        let (parts, answer) = (parts.parts, zookeeper.session.write(parts.multi));
        async move { (parts, answer.await) }
    });
    let answers = join_all(sent.collect::<Vec<_>>()).await;
    let mut all = Vec::new();
    for (group, (parts, answer)) in groups.iter().zip(answers) {
        let exist = match &answer {
            Ok(_) => &parts[..],
            Err(Failed { part: Some(at), error: Error::NodeExists }) => {
                parts.get(*at..=*at).unwrap_or_default()
            }
            Err(_) => &[],
        };
        let exist = exist.iter().filter_map(|part| match *part {
            Part::Bucket(name, of) => Some((name, of)),
            _ => None,
        });
        zookeeper.buckets.extend(exist);
        all.push(match answer {
            Ok(results) => {
                if let Some(stat) = results.iter().flatten().last() {
                    zookeeper.told = Some(StoreTime::new(stat.mtime));
                }
                done(group, &parts, &results)
            }
            Err(Failed { part: Some(part), error }) => match (part, error) {
                (0, Error::BadVersion | Error::NoNode) => Ended::Gone,
                (_, Error::BadVersion | Error::NoNode | Error::NodeExists) => Ended::Conflict,
                (_, error) => Ended::Broken(unwritten(error)),
            },
            Err(Failed { part: None, error }) => Ended::Broken(unwritten(error)),
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
