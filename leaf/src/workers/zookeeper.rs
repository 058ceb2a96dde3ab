//! Reads Leaf's worker numbers in ZooKeeper: below `/snowflake/NAME`, in `forever` (Leaf, and its fork's
//! `zk_normal`) or `recycle` (`zk_recycle`). Leaf's nodes are never written.

use futures_util::future::try_join_all;
use leafid_core::StoreTime;
use leafid_store::keyed::zookeeper::{Address, Error, Multi, Rights, Session, Stat};
use leafid_store::problem::Problem;

use super::{Found, Growth, Node, PATIENCE, in_time, time};
use crate::invalid;

const TOGETHER: usize = 64;

/// Reads the registry at `zk://HOST:PORT[,…]/snowflake/NAME`.
///
/// # Errors
/// `STORE_UNAVAILABLE` where ZooKeeper does not answer, `REQUEST_INVALID` where no Leaf has been there or
/// what is there is not Leaf's.
pub async fn read(address: &Address) -> Result<Found, Problem> {
    let place = &address.place;
    let away = |why: &str| {
        Problem::unavailable(format!(
            "Leaf's ZooKeeper at {place} cannot be read: {why}; it is needed to learn which numbers \
             Leaf has: start it, or name another of its servers"
        ))
    };
    in_time(away, async {
        let away = |error: Error| away(&error.to_string());
        let session = connected(address).await.map_err(away)?;
        let folder = async |name| children(&session, address, name).await.map_err(away);
        let (forever, recycle) = (folder("forever").await?, folder("recycle").await?);
        let (growth, nodes) = match (forever, recycle) {
            // ZooKeeper numbers a child by its parent's count of changes, deletions included.
            (Some(Folder { children, changes }), None) => {
                let nodes: Result<_, _> = children.into_iter().map(sticky).collect();
                (Growth::Next(u64::try_from(changes).unwrap_or(0)), nodes?)
            }
            (None, Some(_)) => {
                let mut nodes = Vec::new();
                for (pool, in_use) in [("recycle/inuse", true), ("recycle/notuse", false)] {
                    for child in folder(pool).await?.into_iter().flat_map(|it| it.children) {
                        nodes.push(pooled(child, in_use)?);
                    }
                }
                (Growth::Any, nodes)
            }
            (forever, _) => return Err(not_one(place, forever.is_some())),
        };
        let now = clock(&session, place).await?;
        Ok(Found { place: place.clone(), now, growth: growth.beyond(&nodes), nodes })
    })
    .await
}

async fn connected(address: &Address) -> Result<Session, Error> {
    let session = Session::open(address, PATIENCE).await?;
    // This server may lag behind the leader.
    session.sync("/").await?;
    Ok(session)
}

/// Reads the leader's clock by making a node of our own, which is deleted in the same transaction.
async fn clock(session: &Session, place: &str) -> Result<StoreTime, Problem> {
    let name = "/leafid-clock";
    let mut multi = Multi::default();
    multi.create(name, "", Rights::Anyone);
    multi.set(name, "", None);
    multi.delete(name);
    let done = session.write(multi).await.map_err(|failed| failed.error);
    let stat = done.and_then(|done| done.into_iter().flatten().next().ok_or(Error::NoNode));
    stat.map(|stat| StoreTime::new(stat.mtime)).map_err(|error| {
        invalid(format!(
            "the time of Leaf's ZooKeeper at {place} cannot be read ({error}): it takes the right to \
             create `{name}`, which is deleted at once"
        ))
    })
}

/// The refusal where both modes have nodes, or neither.
fn not_one(place: &str, both: bool) -> Problem {
    invalid(match both {
        false => format!(
            "no Leaf has registered at {place}: it has neither `forever` nor `recycle` there; name the \
             node as Leaf does, /snowflake/ and its `leaf.name`"
        ),
        true => format!(
            "{place} has `forever` (zk_normal) and `recycle` (zk_recycle): two modes have given out the \
             same numbers; delete the tree that no Leaf uses any more, and try again"
        ),
    })
}

struct Child {
    path: String,
    name: String,
    data: Vec<u8>,
    stat: Stat,
}

/// A node's children, and how often they changed.
struct Folder {
    children: Vec<Child>,
    changes: i32,
}

/// Reads the children of Leaf's node with this name, if it exists.
async fn children(session: &Session, at: &Address, name: &str) -> Result<Option<Folder>, Error> {
    let folder = &format!("{}/{name}", at.path);
    let (names, stat) = match session.children(folder).await {
        Err(Error::NoNode) => return Ok(None),
        found => found?,
    };
    let mut children = Vec::with_capacity(names.len());
    for names in names.chunks(TOGETHER) {
        let read = names.iter().map(|name| async move {
            let (path, name) = (format!("{folder}/{name}"), name.clone());
            match session.get(&path).await {
                Ok((data, stat)) => Ok(Some(Child { path, name, data, stat })),
                Err(Error::NoNode) => Ok(None),
                Err(error) => Err(error),
            }
        });
        children.extend(try_join_all(read).await?.into_iter().flatten());
    }
    Ok(Some(Folder { children, changes: stat.cversion }))
}

/// Reads a node of `forever`: a machine keeps the sequence number of its node.
fn sticky(Child { path: place, name, data, stat }: Child) -> Result<Node, Problem> {
    let parts = name.rsplit_once('-').and_then(|(owner, number)| {
        let digits = number.len() >= 10 && number.bytes().all(|byte| byte.is_ascii_digit());
        let worker = number.parse().ok().filter(|_| digits)?;
        (!owner.is_empty()).then(|| (owner.to_owned(), worker))
    });
    let (owner, worker) = parts.ok_or_else(|| foreign(&place, "192.0.2.2:54215-0000000003"))?;
    let seen = Some(StoreTime::new(stat.mtime));
    Ok(Node { worker, owner: Some(owner), stamped: time(&data, "timestamp"), seen, place })
}

/// Reads a node of `recycle`, where a starting Leaf takes any number from `notuse`. The time in a node there
/// is from an earlier use, which need not be the last.
fn pooled(child: Child, in_use: bool) -> Result<Node, Problem> {
    let Child { path: place, name, data, stat } = child;
    let worker = name.strip_prefix("workId:").and_then(|number| number.parse().ok());
    let worker = worker.ok_or_else(|| foreign(&place, "workId:3"))?;
    let stamped = match time(&data, "lastUsedTimestamp") {
        Err(_) if !in_use => Ok(None),
        stamped => stamped,
    };
    let seen = in_use.then_some(StoreTime::new(stat.mtime));
    Ok(Node { worker, owner: None, stamped, seen, place })
}

fn foreign(path: &str, example: &str) -> Problem {
    invalid(format!(
        "`{path}` is not a node of Leaf, whose names are as in `{example}`: delete it if nobody needs it"
    ))
}
