//! ZooKeeper: rows are the data of persistent nodes, and every write is a multi that checks the versions
//! of the nodes that it was decided on. No node is ever deleted: made again, it would begin with version 0
//! and repeat versions.

mod address;
mod multi;
mod record;
mod session;

use std::collections::BTreeSet;

use futures_util::future::try_join_all;
use leafid_core::{Name, StoreTime, Token};

use super::engine::{Commit, Ended, Engine, Folder, Identity, Key, Mark, Stored, Written, oldest};
use crate::backends::Abilities;
use crate::backends::far::Client;
use crate::backends::link::{Breakage, Broken, Kind};

pub use address::Address;
use address::{Paths, counted};
pub use record::{Error, Multi, Rights, Stat};
pub use session::Session;

/// The time-out of a session. Nothing depends on it: the store has no ephemeral nodes.
const SESSION: std::time::Duration = std::time::Duration::from_secs(6);

/// A connection to ZooKeeper.
pub struct Zookeeper {
    session: Session,
    paths: Paths,
    rights: Rights,
    /// The leader's clock at the last write.
    told: Option<StoreTime>,
    position: u64,
    /// The buckets that this connection made, or found made.
    buckets: BTreeSet<(Name, u32)>,
}

impl Zookeeper {
    fn saw(&mut self, stat: &Stat) {
        self.position = self.position.max(stat.mzxid.unsigned_abs());
    }

    /// Reads the worker numbers of the buckets that were written since a mark. First it looks at the node
    /// that every such write writes, too.
    async fn written(&self, name: &Name, known: Mark) -> Result<Written, Broken> {
        let Some(root) = self.session.stat(&self.paths.touch(name)).await? else {
            return Ok(Written::default());
        };
        let mut mark = mark(&root);
        if mark.count == known.count {
            return Ok(Written { mark, ..Written::default() });
        }
        let (children, _) = self.session.children(&self.paths.space(name)).await?;
        let all: Vec<u32> = children.iter().filter_map(|child| Paths::bucket_of(child)).collect();
        let folders: Vec<String> = all.iter().map(|of| self.paths.bucket(name, *of)).collect();
        let stats = try_join_all(folders.iter().map(|path| self.session.stat(path))).await?;
        let at = |stat: Option<Stat>| stat.map_or(0, |stat| stat.mzxid.unsigned_abs());
        let mut news: Vec<(u64, String)> = stats.into_iter().map(at).zip(folders).collect();
        news.retain(|(at, _)| *at > known.at);
        let cut = oldest(&mut news);
        if let Some(last) = cut {
            // A bucket that was written after the root was read may not have been seen yet.
            mark = Mark { count: known.count, at: mark.at.min(last) };
        }
        let children = news.iter().map(|(_, folder)| self.session.children(folder));
        let mut workers = Vec::new();
        for (children, _) in try_join_all(children).await? {
            workers.extend(children.iter().filter_map(|child| child.parse::<u32>().ok()));
        }
        let paths = workers.iter().map(|worker| self.paths.of(&Key::Worker(*name, *worker)));
        let values = self.all(paths.collect()).await?;
        let rows = workers.into_iter().zip(values);
        let rows = rows.filter_map(|(worker, value)| Some((worker, value?))).collect();
        Ok(Written { rows, mark, more: cut.is_some() })
    }

    async fn get(&self, path: String) -> Result<Option<Stored>, Error> {
        match self.session.get(&path).await {
            Ok((text, stat)) => Ok(Some(Stored { text, revision: counted(stat.version) })),
            Err(Error::NoNode) => Ok(None),
            Err(error) => Err(error),
        }
    }

    async fn all(&self, paths: Vec<String>) -> Result<Vec<Option<Stored>>, Broken> {
        Ok(try_join_all(paths.into_iter().map(|path| self.get(path))).await?)
    }
}

impl Client for Zookeeper {
    type Address = Address;
    const NAME: &'static str = "ZooKeeper";

    async fn connect(address: &Address) -> Result<Zookeeper, Broken> {
        let session = Session::open(address, SESSION).await?;
        let rights = if address.login.is_some() { Rights::Creator } else { Rights::Anyone };
        let paths = Paths { root: address.path.clone() };
        let buckets = BTreeSet::new();
        Ok(Zookeeper { session, paths, rights, told: None, position: 0, buckets })
    }

    async fn examine(&mut self, _: &str, _allow_unsafe: bool) -> Result<(), Broken> {
        // Clients cannot see whether the server syncs its log (`forceSync`).
        let probe = self.paths.probe();
        self.session.make_all(&probe, self.rights).await.map_err(unwritten)?;
        let stat = self.session.set(&probe).await.map_err(unwritten)?;
        self.told = Some(StoreTime::new(stat.mtime));
        self.saw(&stat);
        Ok(())
    }

    fn is_lost(&self) -> bool {
        self.session.is_lost()
    }
}

impl Engine for Zookeeper {
    const ABILITIES: Abilities = Abilities {
        at_once: 64,
        wide: 256,
        whole: 1_000,
        counts_revisions: true,
        ..Abilities::REMOTE
    };

    fn told(&mut self) -> Option<StoreTime> {
        self.told.take()
    }

    async fn occupied(&mut self) -> Result<bool, Broken> {
        match self.session.children(&self.paths.root).await {
            Ok((children, _)) => Ok(children.iter().any(|child| child != "probe")),
            Err(Error::NoNode) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    async fn make(
        &mut self,
        store: Token,
        meta: &str,
        namespace: (Name, &str),
    ) -> Result<bool, Broken> {
        multi::make(self, store, meta, namespace).await
    }

    async fn survey(
        &mut self,
        keys: &[Key],
        spaces: &[(Name, Mark)],
    ) -> Result<(Vec<Option<Stored>>, Vec<Written>), Broken> {
        // This server may lag behind the leader; after a sync it has all earlier writes.
        let root = self.paths.of(&Key::Meta);
        let sync = self.session.sync(&root);
        let values = self.all(keys.iter().map(|key| self.paths.of(key)).collect());
        let written = spaces.iter().map(|(name, mark)| self.written(name, *mark));
        let (synced, values, written) = futures_util::join!(sync, values, try_join_all(written));
        synced?;
        Ok((values?, written?))
    }

    async fn list(
        &mut self,
        folder: Folder,
        after: Option<Name>,
        limit: usize,
    ) -> Result<Vec<(Name, Stored)>, Broken> {
        let path = self.paths.folder(folder);
        let (synced, children) =
            futures_util::join!(self.session.sync(&path), self.session.children(&path));
        synced?;
        let mut names = Vec::new();
        for child in children?.0 {
            let Ok(name) = (folder.name)(&child) else {
                let detail = format!("`{path}/{child}` was not written by leafid: remove it");
                return Err(Broken::refused(detail));
            };
            if after.is_none_or(|after| name > after) {
                names.push(name);
            }
        }
        names.sort_unstable();
        names.truncate(limit);
        let key = |name: &Name| self.paths.of(&(folder.key)(*name));
        let values = self.all(names.iter().map(key).collect()).await?;
        Ok(names.into_iter().zip(values).filter_map(|(name, value)| Some((name, value?))).collect())
    }

    async fn commit(&mut self, store: Identity, groups: &[Commit]) -> Vec<Ended> {
        multi::commit(self, store, groups).await
    }

    fn place(&self, key: &Key) -> String {
        self.paths.of(key)
    }
}

/// The mark of a namespace by the node that each write of its worker numbers writes.
fn mark(root: &Stat) -> Mark {
    Mark { count: counted(root.version) + 1, at: root.mzxid.unsigned_abs() }
}

/// If the connection broke, the request may have been carried out.
impl From<Error> for Broken {
    fn from(error: Error) -> Broken {
        let detail = format!("ZooKeeper said: {error}");
        match error {
            // ZooKeeper accepts any digest login: a wrong password only makes another user, without rights.
            Error::NoAuth | Error::AuthFailed => Broken::new(
                format!("{detail}: user or password is wrong, or has no right here"),
                Breakage::Of(Kind::Login),
            ),
            error if error.is_refusal() => Broken::refused(detail),
            _ => Broken::lost(detail),
        }
    }
}

/// Classifies the failure of a write to a store that could be read.
fn unwritten(error: Error) -> Broken {
    match error {
        Error::NoAuth => Broken::new(
            format!("ZooKeeper said: {error}: this user may read here, but not write"),
            Breakage::Of(Kind::Denied),
        ),
        error => error.into(),
    }
}
