//! Groups as multis: each is whole or not at all, and all are sent before the first is answered.

use std::collections::BTreeSet;

use futures_util::future::join_all;
use leafid_core::{Name, StoreTime, Token};
use zookeeper_client::{CreateMode, Error, MultiWriteError, MultiWriteResult, MultiWriter, Stat};

use super::address::{Paths, counted, version};
use super::{Zookeeper, unwritten};
use crate::backends::link::Broken;
use crate::keyed::engine::{BUCKET, Commit, Ended, Identity, Key, Set, Touched, bucket};

/// The version after which comes -1, by which ZooKeeper means any.
const LAST: i32 = -2;

#[derive(Clone, Copy)]
enum Part {
    Set,
    Touch(Name, Option<u32>),
    Other,
}

struct Multi<'z> {
    writer: MultiWriter<'z>,
    parts: Vec<Part>,
    zookeeper: &'z Zookeeper,
}

impl<'z> Multi<'z> {
    fn new(zookeeper: &'z Zookeeper) -> Multi<'z> {
        Multi { writer: zookeeper.client.new_multi_writer(), parts: Vec::new(), zookeeper }
    }

    fn check(&mut self, path: &str, revision: u64) -> Result<(), Error> {
        self.parts.push(Part::Other);
        self.writer.add_check_version(path, version(revision))
    }

    fn create(&mut self, path: &str, data: &str, part: Part) -> Result<(), Error> {
        self.parts.push(part);
        let mode = CreateMode::Persistent.with_acls(self.zookeeper.acls);
        self.writer.add_create(path, data.as_bytes(), &mode)
    }

    fn set(
        &mut self,
        path: &str,
        data: &str,
        before: Option<i32>,
        part: Part,
    ) -> Result<(), Error> {
        if before == Some(LAST) {
            // One more at once: the version that it would have next means any.
            self.parts.push(Part::Other);
            self.writer.add_set_data(path, data.as_bytes(), before)?;
            self.parts.push(part);
            return self.writer.add_set_data(path, data.as_bytes(), None);
        }
        self.parts.push(part);
        self.writer.add_set_data(path, data.as_bytes(), before)
    }

    fn group(&mut self, store: Identity, group: &Commit, beat: Option<&str>) -> Result<(), Error> {
        let paths = &self.zookeeper.paths;
        self.check(&paths.mark(store.store), 0)?;
        for (key, revision) in &group.checks {
            self.check(&paths.of(key), *revision)?;
        }
        if let Some((name, guard, numbers)) = &group.guard {
            self.check(&paths.made(name), guard.root.wrapping_sub(1))?;
            let concerns = |bucket: u32| {
                let start = u64::from(bucket) * u64::from(BUCKET);
                let end = start + u64::from(BUCKET);
                numbers.is_empty()
                    || numbers.iter().any(|range| range.start < end && start < range.end)
            };
            for (bucket, seal) in guard.buckets.iter().filter(|(bucket, _)| concerns(**bucket)) {
                self.check(&paths.seal(name, *bucket), seal.wrapping_sub(1))?;
            }
        }
        for touch in &group.touches {
            let (name, of) = (&touch.namespace, touch.bucket);
            let mark = Part::Touch(*name, Some(of));
            if touch.first {
                self.create(&paths.bucket(name, of), "", mark)?;
                self.create(&paths.seal(name, of), "", Part::Other)?;
                self.set(&paths.made(name), "", None, Part::Other)?;
            } else {
                self.set(&paths.bucket(name, of), "", None, mark)?;
            }
        }
        let touched: BTreeSet<Name> = group.touches.iter().map(|touch| touch.namespace).collect();
        for name in touched {
            self.set(&paths.touch(&name), "", None, Part::Touch(name, None))?;
        }
        let mut sealed = BTreeSet::new();
        for set in &group.sets {
            self.key(paths, set)?;
            if let Key::Worker(name, worker) = set.key {
                sealed.insert((name, bucket(worker)));
            }
        }
        for (name, of) in sealed {
            self.set(&paths.seal(&name, of), "", None, Part::Other)?;
        }
        match beat {
            Some(beat) => self.set(&paths.of(&Key::Beat), beat, None, Part::Other),
            None => Ok(()),
        }
    }

    fn key(&mut self, paths: &Paths, set: &Set) -> Result<(), Error> {
        let path = paths.of(&set.key);
        match set.before {
            Some(revision) => self.set(&path, &set.text, Some(version(revision)), Part::Set),
            None => {
                self.create(&path, &set.text, Part::Set)?;
                if let Key::Space(name) = set.key {
                    self.create(&paths.touch(&name), "", Part::Other)?;
                    self.create(&paths.made(&name), "", Part::Other)?;
                }
                Ok(())
            }
        }
    }
}

pub async fn make(
    zookeeper: &Zookeeper,
    store: Token,
    meta: &str,
    (name, text): (Name, &str),
) -> Result<bool, Broken> {
    let mut multi = Multi::new(zookeeper);
    let paths = &zookeeper.paths;
    let set = Set { key: Key::Space(name), before: None, text: text.to_owned() };
    let put = (|| {
        multi.key(paths, &set)?;
        multi.create(&paths.mark(store), "", Part::Other)?;
        multi.create(&paths.of(&Key::Beat), r#"{"beat_ms":0}"#, Part::Other)?;
        multi.create(&paths.of(&Key::Meta), meta, Part::Other)
    })();
    put.map_err(unwritten)?;
    match multi.writer.commit().await {
        Ok(_) => Ok(true),
        Err(MultiWriteError::OperationFailed { source: Error::NodeExists, .. }) => Ok(false),
        Err(error) => Err(unwritten(error.into())),
    }
}

pub async fn commit(
    zookeeper: &mut Zookeeper,
    store: Identity,
    groups: &[Commit],
    beat: Option<&str>,
) -> Vec<Ended> {
    let noting = groups.iter().position(|group| group.sets.is_empty()).unwrap_or(0);
    let mut sent = Vec::new();
    for (index, group) in groups.iter().enumerate() {
        let mut multi = Multi::new(zookeeper);
        let put = multi.group(store, group, beat.filter(|_| index == noting));
        let Multi { mut writer, parts, .. } = multi;
        // Sent now, answered in this order.
        sent.push((parts, put.map(|()| writer.commit())));
    }
    let answers = sent.into_iter().map(async |(parts, sent)| match sent {
        Ok(answer) => (parts, answer.await),
        Err(error) => (parts, Err(MultiWriteError::RequestFailed { source: error })),
    });
    let answers = join_all(answers).await;
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
        Err(MultiWriteError::OperationFailed { index, source }) => match source {
            Error::BadVersion | Error::NoNode if index == 0 => Ended::Gone,
            Error::BadVersion | Error::NoNode | Error::NodeExists => Ended::Conflict,
            error => Ended::Broken(unwritten(error)),
        },
        Err(MultiWriteError::RequestFailed { source }) => Ended::Broken(unwritten(source)),
    });
    let ended = ended.collect();
    zookeeper.told = told.or(zookeeper.told);
    zookeeper.position = zookeeper.position.max(position);
    ended
}

fn done(group: &Commit, parts: &[Part], results: &[MultiWriteResult]) -> (Ended, Option<Stat>) {
    let (mut revisions, mut touched, mut last) = (Vec::new(), Vec::new(), None);
    for (part, result) in parts.iter().zip(results) {
        let revision = match result {
            MultiWriteResult::SetData { stat } => {
                last = Some(*stat);
                counted(stat.version)
            }
            // Some servers do not tell how they made it; all begin so.
            MultiWriteResult::Create { .. } => 0,
            _ => continue,
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
