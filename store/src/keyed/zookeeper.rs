//! ZooKeeper: rows are the data of persistent nodes, and every write is a multi that checks the versions
//! of the nodes that it was decided on. No node is ever deleted: made again, it would begin with version 0
//! and repeat versions.

mod address;
mod multi;
mod record;
mod session;

use futures_util::future::{join_all, try_join_all};
use leafid_core::{Name, StoreTime, Token};

use super::engine::{Commit, Ended, Engine, Folder, Identity, Key, Marks, Stored};
use crate::backends::Standing;
use crate::backends::far::Client;
use crate::backends::link::{Breakage, Broken};

pub use address::Address;
use address::{Paths, counted};
pub use record::{Error, Kind, Rights, Stat};
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
}

impl Zookeeper {
    fn saw(&mut self, stat: &Stat) {
        self.position = self.position.max(stat.mzxid.unsigned_abs());
    }

    /// The versions of nodes plus one; 0 for a missing node.
    async fn versions(&self, paths: &[String]) -> Result<Vec<u64>, Broken> {
        let stats = join_all(paths.iter().map(|path| self.session.stat(path))).await;
        let version = |stat: Result<Option<Stat>, Error>| match stat {
            Ok(stat) => Ok(stat.map_or(0, |stat| counted(stat.version) + 1)),
            Err(error) => Err(error.into()),
        };
        stats.into_iter().map(version).collect()
    }

    async fn folders(&self, name: &Name) -> Result<Vec<u32>, Broken> {
        match self.session.children(&self.paths.space(name)).await {
            Ok((children, _)) => {
                let mut buckets: Vec<u32> =
                    children.iter().filter_map(|child| Paths::bucket_of(child)).collect();
                buckets.sort_unstable();
                Ok(buckets)
            }
            Err(Error::NoNode) => Ok(Vec::new()),
            Err(error) => Err(error.into()),
        }
    }

    async fn touched(&self, name: &Name, known: &Marks) -> Result<Marks, Broken> {
        let root = self.versions(&[self.paths.touch(name)]).await?;
        let root = root.first().copied().unwrap_or(0);
        if root == known.root {
            return Ok(Marks { root, ..Marks::default() });
        }
        let buckets = self.folders(name).await?;
        let paths: Vec<String> = buckets.iter().map(|of| self.paths.bucket(name, *of)).collect();
        let marks = self.versions(&paths).await?;
        let news = |(bucket, mark): &(u32, u64)| known.buckets.get(bucket) != Some(mark);
        Ok(Marks { root, buckets: buckets.into_iter().zip(marks).filter(news).collect() })
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
        let session = Session::open(&address.hosts, address.login.as_deref(), SESSION).await?;
        let rights = if address.login.is_some() { Rights::Creator } else { Rights::Anyone };
        let paths = Paths { root: address.path.clone() };
        Ok(Zookeeper { session, paths, rights, told: None, position: 0 })
    }

    async fn examine(&mut self, _allow_unsafe: bool) -> Result<(), Broken> {
        // Clients cannot see whether the server syncs its log (`forceSync`).
        let probe = self.paths.probe();
        let stat = match self.session.set(&probe, b"").await {
            Err(Error::NoNode) => {
                self.session.make_all(&probe, self.rights).await.map_err(unwritten)?;
                self.session.set(&probe, b"").await
            }
            written => written,
        };
        let stat = stat.map_err(unwritten)?;
        self.told = Some(StoreTime::new(stat.mtime));
        self.saw(&stat);
        Ok(())
    }

    fn is_lost(&self) -> bool {
        self.session.is_lost()
    }
}

impl Engine for Zookeeper {
    const WIDE: usize = 256;
    const AT_ONCE: usize = 64;
    const WHOLE: usize = 1_000;

    fn told(&mut self) -> Option<StoreTime> {
        self.told.take()
    }

    fn named(&self) -> Standing {
        Standing { position: self.position, ..Standing::default() }
    }

    async fn occupied(&mut self) -> Result<bool, Broken> {
        match self.session.children(&self.paths.root).await {
            Ok((children, _)) => Ok(children.iter().any(|child| !Paths::is_empty_store(child))),
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
        for folder in [Folder::Tags, Folder::Spaces] {
            let folder = self.paths.folder(folder);
            self.session.make_all(&folder, self.rights).await.map_err(unwritten)?;
        }
        multi::make(self, store, meta, namespace).await
    }

    async fn survey(
        &mut self,
        keys: &[Key],
        spaces: &[(Name, Marks)],
    ) -> Result<(Vec<Option<Stored>>, Vec<Marks>), Broken> {
        // This server may lag behind the leader; after a sync it has all earlier writes.
        let root = self.paths.of(&Key::Meta);
        let sync = self.session.sync(&root);
        let values = self.all(keys.iter().map(|key| self.paths.of(key)).collect());
        let marks = spaces.iter().map(|(name, marks)| self.touched(name, marks));
        let (synced, values, marks) = futures_util::join!(sync, values, join_all(marks));
        synced?;
        Ok((values?, marks.into_iter().collect::<Result<_, _>>()?))
    }

    async fn buckets(
        &mut self,
        buckets: &[(Name, u32)],
    ) -> Result<Vec<(Name, u32, Stored)>, Broken> {
        let folders = buckets.iter().map(|(name, bucket)| self.paths.bucket(name, *bucket));
        let folders: Vec<String> = folders.collect();
        let children = folders.iter().map(|folder| self.session.children(folder));
        let children = try_join_all(children).await?;
        let mut wanted = Vec::new();
        for ((name, _), (children, _)) in buckets.iter().zip(children) {
            let workers = children.iter().filter_map(|child| child.parse::<u32>().ok());
            wanted.extend(workers.map(|worker| (*name, worker)));
        }
        let paths = wanted.iter().map(|(name, worker)| self.paths.of(&Key::Worker(*name, *worker)));
        let values = self.all(paths.collect()).await?;
        let rows = wanted.into_iter().zip(values);
        Ok(rows.filter_map(|((name, worker), value)| Some((name, worker, value?))).collect())
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
            let Some(name) = folder.name(&child) else {
                let detail = format!("`{path}/{child}` was not written by leafid: remove it");
                return Err(Broken::refused(detail));
            };
            if after.is_none_or(|after| name > after) {
                names.push(name);
            }
        }
        names.sort_unstable();
        names.truncate(limit);
        let key = |name: &Name| self.paths.of(&folder.key(*name));
        let values = self.all(names.iter().map(key).collect()).await?;
        Ok(names.into_iter().zip(values).filter_map(|(name, value)| Some((name, value?))).collect())
    }

    async fn guard(&mut self, namespace: Name) -> Result<Marks, Broken> {
        let made = self.paths.made(&namespace);
        self.session.sync(&made).await?;
        // Before the list of buckets, so that one that is made meanwhile is noticed.
        let root = self.versions(&[made]).await?.first().copied().unwrap_or(0);
        let buckets = self.folders(&namespace).await?;
        let seals: Vec<String> =
            buckets.iter().map(|bucket| self.paths.seal(&namespace, *bucket)).collect();
        let seals = self.versions(&seals).await?;
        Ok(Marks { root, buckets: buckets.into_iter().zip(seals).collect() })
    }

    async fn commit(
        &mut self,
        store: Identity,
        groups: &[Commit],
        beat: Option<&str>,
    ) -> Vec<Ended> {
        multi::commit(self, store, groups, beat).await
    }

    fn place(&self, key: &Key) -> String {
        self.paths.of(key)
    }
}

/// If the connection broke, the request may have been carried out.
impl From<Error> for Broken {
    fn from(error: Error) -> Broken {
        let detail = format!("ZooKeeper said: {error}");
        match error {
            // ZooKeeper accepts any digest login: a wrong password only makes another user, without rights.
            Error::NoAuth | Error::AuthFailed => Broken::new(
                format!("{detail}: user or password is wrong, or has no right here"),
                Breakage::Unknown,
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
            Breakage::Forbidden,
        ),
        error => error.into(),
    }
}
