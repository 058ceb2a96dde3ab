//! Groups as multis: each is atomic, and all are sent before the first is answered.

use std::collections::BTreeSet;

use futures_util::future::join_all;
use leafid_core::{Name, StoreTime, Token};

use super::address::{Paths, counted, version};
use super::record::{Error, Failed, Multi, Rights, Stat};
use super::{Zookeeper, unwritten};
use crate::backends::link::Broken;
use crate::keyed::engine::{BUCKET, Commit, Ended, Identity, Key, Set, Touched, bucket};

/// The version before -1, which to ZooKeeper means any version.
const LAST: i32 = -2;

#[derive(Clone, Copy)]
enum Part {
    Set,
    Touch(Name, Option<u32>),
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

    fn group(&mut self, store: Identity, group: &Commit, beat: Option<&str>) {
        let paths = self.paths;
        self.check(&paths.mark(store.store), 0);
        for (key, revision) in &group.checks {
            self.check(&paths.of(key), *revision);
        }
        if let Some((name, guard, numbers)) = &group.guard {
            self.check(&paths.made(name), guard.root.wrapping_sub(1));
            let concerns = |bucket: u32| {
                let start = u64::from(bucket) * u64::from(BUCKET);
                let end = start + u64::from(BUCKET);
                numbers.is_empty()
                    || numbers.iter().any(|range| range.start < end && start < range.end)
            };
            for (bucket, seal) in guard.buckets.iter().filter(|(bucket, _)| concerns(**bucket)) {
                self.check(&paths.seal(name, *bucket), seal.wrapping_sub(1));
            }
        }
        for touch in &group.touches {
            let (name, of) = (&touch.namespace, touch.bucket);
            let mark = Part::Touch(*name, Some(of));
            if touch.first {
                self.create(&paths.bucket(name, of), "", mark);
                self.create(&paths.seal(name, of), "", Part::Other);
                self.set(&paths.made(name), "", None, Part::Other);
            } else {
                self.set(&paths.bucket(name, of), "", None, mark);
            }
        }
        let touched: BTreeSet<Name> = group.touches.iter().map(|touch| touch.namespace).collect();
        for name in touched {
            self.set(&paths.touch(&name), "", None, Part::Touch(name, None));
        }
        let mut sealed = BTreeSet::new();
        for set in &group.sets {
            self.key(set);
            if let Key::Worker(name, worker) = set.key {
                sealed.insert((name, bucket(worker)));
            }
        }
        for (name, of) in sealed {
            self.set(&paths.seal(&name, of), "", None, Part::Other);
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
                self.create(&self.paths.made(&name), "", Part::Other);
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
    // All are sent now, and carried out in this order.
    let sent = groups.iter().enumerate().map(|(index, group)| {
        let mut parts = Parts::new(zookeeper);
        parts.group(store, group, beat.filter(|_| index == noting));
        let (parts, answer) = (parts.parts, zookeeper.session.write(parts.multi));
        async move { (parts, answer.await) }
    });
    let answers = join_all(sent.collect::<Vec<_>>()).await;
    let mut told = None;
    let mut position = 0;
    let ended = groups.iter().zip(answers).map(|(group, (parts, answer))| match answer {
        Ok(results) => {
            let (ended, last) = done(group, &parts, &results);
            if let Some(stat) = last {
                told = Some(StoreTime::new(stat.mtime));
                position = stat.mzxid.unsigned_abs();
            }
            ended
        }
        Err(Failed::Part(0, Error::BadVersion | Error::NoNode)) => Ended::Gone,
        Err(Failed::Part(_, Error::BadVersion | Error::NoNode | Error::NodeExists)) => {
            Ended::Conflict
        }
        Err(Failed::Part(_, error) | Failed::Whole(error)) => Ended::Broken(unwritten(error)),
    });
    let ended = ended.collect();
    zookeeper.told = told.or(zookeeper.told);
    zookeeper.position = zookeeper.position.max(position);
    ended
}

fn done(group: &Commit, parts: &[Part], results: &[Option<Stat>]) -> (Ended, Option<Stat>) {
    let (mut revisions, mut touched, mut last) = (Vec::new(), Vec::new(), None);
    for (part, result) in parts.iter().zip(results) {
        let revision = match result {
            Some(stat) => {
                last = Some(*stat);
                counted(stat.version)
            }
            // A created node has version 0; a check is `Part::Other`, and its revision is not used.
            None => 0,
        };
        match part {
            Part::Set => revisions.push(revision),
            Part::Touch(namespace, bucket) => {
                let (namespace, bucket) = (*namespace, *bucket);
                touched.push(Touched { namespace, bucket, before: revision, after: revision + 1 });
            }
            Part::Other => {}
        }
    }
    if revisions.len() != group.sets.len() {
        let detail = "ZooKeeper answered other parts of a multi than were asked";
        return (Ended::Broken(Broken::lost(detail)), None);
    }
    (Ended::Done { revisions, touched }, last)
}
